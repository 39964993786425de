// Finds candidates with banks. There is one bank for each combination of inputs; it is built when it is first needed,
// and then cached.
#ifndef REWROUGHT_ENUMERATOR_BANK_SEARCH_H_
#define REWROUGHT_ENUMERATOR_BANK_SEARCH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "enumerator/bank.h"
#include "enumerator/candidate_search.h"
#include "enumerator/constant_readings.h"
#include "enumerator/instruction_set.h"
#include "machine/machine.h"

namespace rewrought::enumerator {

struct BankSearchOptions {
  InstructionSetOptions instructions;
  int max_size = 2;                        // The maximum number of instructions in a bank's programs.
  int max_inputs = 3;                      // The maximum number of variables and distinctive constants.
  uint64_t max_bytes = uint64_t{2} << 30;  // The limit for all banks together; each bank may use a quarter.
  uint64_t max_candidates = 8'000'000;     // The maximum number of programs evaluated per bank.
  uint64_t max_longer = 120'000'000;       // The maximum number of longer programs per bank and call.
  size_t max_found = 16;                   // The maximum number of programs reported per goal.
  std::vector<Constant> constants = DefaultConstants(false);
};

class BankSearch : public CandidateSearch {
 public:
  // Creates a search for `machine`, which must outlive it. Returns the errors of InstructionSet::OfMachine.
  static absl::StatusOr<std::unique_ptr<BankSearch>> Create(const machine::Machine& machine,
                                                            const BankSearchOptions& options);

  std::string Configuration() const override;

  // Concurrent calls for goals that have the same signature share a bank: they wait until it is built, and then use it
  // concurrently. The distinctive constants of a goal are inputs of its banks, with one bank per reading
  // (constant_readings.h). In the programs found, they become immediates or loads. Fails with Unimplemented if the goal
  // has more than max_inputs variables and constants, or if banks do not support the size of a value.
  absl::StatusOr<SearchStatistics> Search(const SearchGoal& goal, std::stop_token stop,
                                          const std::function<bool(machine::Program)>& found) override;

  // Returns a string that is the same for all goals that share a bank of longer programs, or an empty string if the
  // search does not support the goal.
  std::string SignatureOf(const SearchGoal& goal) const override;

  // Enumerates programs with one more instruction than those in the banks, and compares each with all goals of a
  // signature. For goals with a single integer input, also finds programs with two more instructions, by inverting the
  // last instruction (root_inversion.h). The banks for such goals also contain constants derived from the goals' own
  // constants (NearConstants), but are built from fewer instructions.
  SearchStatistics SearchLonger(absl::Span<const SearchGoal> goals, std::stop_token stop,
                                const std::function<void(size_t goal, machine::Program)>& found) override;

 private:
  using PricedPrograms = std::vector<std::pair<machine::Cost, machine::Program>>;
  struct PreparedGoal {
    std::vector<ValueSet> inputs;
    std::vector<std::string> names;
    std::map<std::string, uint64_t> constants;  // Keyed by name.
    std::optional<uint64_t> constant;           // Set if the goal is constant on all ordinary vectors.
    std::vector<Goal> sought;                   // One for each result type; the first is in a register.
  };
  struct KeptBank {
    std::mutex mutex;            // Guards `bank`; users wait until it is built.
    std::unique_ptr<Bank> bank;  // Null until it is built.
    // Guarded by the search's mutex:
    uint64_t used = 0;  // The value of clock_ at the last use.
    uint64_t bytes = 0;
  };

  BankSearch(const machine::Machine& machine, const BankSearchOptions& options,
             std::unique_ptr<const InstructionSet> set, std::unique_ptr<const InstructionSet> longer_set,
             std::unique_ptr<const InstructionSet> few_set)
      : machine_(machine),
        options_(options),
        set_(std::move(set)),
        longer_set_(std::move(longer_set)),
        few_set_(std::move(few_set)) {}

  // Goals that share a bank of longer programs.
  struct LongerGroup {
    const InstructionSet* set = nullptr;
    std::vector<Constant> constants;
    std::vector<std::pair<size_t, PreparedGoal>> goals;  // Pairs of a goal's index and the goal.
  };
  struct LongerGoal {
    size_t member = 0;
    std::optional<machine::Instruction> root;  // Computes the member's value from the program found.
    Goal goal;
  };

  static std::string SignatureOf(const std::vector<ValueSet>& inputs);
  absl::StatusOr<PreparedGoal> Prepare(const SearchGoal& goal, const ConstantReading& reading) const;
  // Returns the goal in each supported reading of its constants. The result is not empty.
  absl::StatusOr<std::vector<PreparedGoal>> PrepareAll(const SearchGoal& goal) const;
  // Adds a program to `programs` if it is legal and cheaper than the goal.
  void KeepProgram(absl::StatusOr<machine::Program> program, const SearchGoal& goal, PricedPrograms* programs) const;
  // Returns the cheapest programs, up to max_found.
  std::vector<machine::Program> Cheapest(PricedPrograms programs) const;
  std::optional<std::pair<PreparedGoal, std::vector<Constant>>> PrepareOfOne(const SearchGoal& goal) const;
  std::map<std::string, LongerGroup> GroupLonger(absl::Span<const SearchGoal> goals) const;
  std::vector<LongerGoal> LongerGoalsOf(const LongerGroup& group, absl::Span<const SearchGoal> goals) const;
  // Returns the cache entry of the bank with this key, creating it if needed.
  std::shared_ptr<KeptBank> PlaceOf(const std::string& key);
  // Returns the bank of `place`, building it if needed. The caller must hold the mutex of `place`. Returns null if
  // building was interrupted by a stop request. A bank for longer programs also contains programs that do not read all
  // inputs, because they may be parts of a longer program.
  Bank* BuiltBank(const InstructionSet& set, const std::vector<ValueSet>& inputs,
                  const std::vector<Constant>& constants, std::stop_token stop, KeptBank* place,
                  SearchStatistics* statistics);
  void MakeRoom();
  absl::StatusOr<std::vector<ValueSet>> InputsOf(const ir::Term& term, const std::vector<std::string>& names,
                                                 const SearchGoal& goal) const;
  absl::StatusOr<machine::Program> ProgramOf(const Bank& bank, const Expression& expression,
                                             const std::vector<std::string>& names, const SearchGoal& goal,
                                             const std::map<std::string, uint64_t>& constants) const;

  const machine::Machine& machine_;
  const BankSearchOptions options_;
  const std::unique_ptr<const InstructionSet> set_, longer_set_,
      few_set_;       // `few_set_` is for goals with a single integer input.
  std::mutex mutex_;  // Guards the members below.
  std::map<std::string, std::shared_ptr<KeptBank>> banks_;
  uint64_t clock_ = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_BANK_SEARCH_H_
