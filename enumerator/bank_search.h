// Candidates from the enumerator's banks: one bank per combination of inputs, made when first needed and kept.
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
  int max_size = 2;                        // instructions of what a bank keeps
  int max_inputs = 3;                      // variables of a goal and constants of its own together
  uint64_t max_bytes = uint64_t{2} << 30;  // of all banks together; one bank takes a quarter at most
  uint64_t max_candidates = 8'000'000;     // evaluated per bank
  uint64_t max_longer = 120'000'000;       // evaluated for longer programs, per bank and call
  size_t max_found = 16;                   // handed on per goal
  std::vector<Constant> constants = DefaultConstants(false);
};

class BankSearch : public CandidateSearch {
 public:
  // Errors of InstructionSet::OfMachine. `machine` must outlive the search.
  static absl::StatusOr<std::unique_ptr<BankSearch>> Create(const machine::Machine& machine,
                                                            const BankSearchOptions& options);

  std::string Configuration() const override;

  // Goals of one signature wait until its bank is built, and are looked up side by side. A goal's own constants are
  // inputs of its bank in each of their readings (constant_readings.h), so that goals with other constants share it,
  // and become immediates or loads of what is found.
  // Unimplemented: more than max_inputs of both, or values of sizes that banks do not have.
  absl::StatusOr<SearchStatistics> Search(const SearchGoal& goal, std::stop_token stop,
                                          const std::function<bool(machine::Program)>& found) override;

  // Goals of one signature share a bank of longer programs; empty: none takes the goal.
  std::string SignatureOf(const SearchGoal& goal) const override;

  // Programs of one instruction more than the banks keep, for many goals at once: what is enumerated is compared with
  // all goals of a signature. Of goals of one integer also those of two more, of which the last is taken back
  // (root_inversion.h); their banks have, beside the usual constants, those near the goals' own (NearConstants), and
  // fewer instructions.
  SearchStatistics SearchLonger(absl::Span<const SearchGoal> goals, std::stop_token stop,
                                const std::function<void(size_t goal, machine::Program)>& found) override;

 private:
  using PricedPrograms = std::vector<std::pair<machine::Cost, machine::Program>>;
  struct PreparedGoal {
    std::vector<ValueSet> inputs;               // sorted
    std::vector<std::string> names;             // of the variables and constants that are inputs
    std::map<std::string, uint64_t> constants;  // their values, by name
    std::optional<uint64_t> constant;           // what the goal gives on all ordinary vectors, whatever its inputs
    std::vector<Goal> sought;                   // of each type that the result may have: the first in a register
  };
  struct KeptBank {
    std::mutex mutex;            // of the bank: whoever comes second waits until it is built
    std::unique_ptr<Bank> bank;  // null before it is built
    // Of the search's mutex:
    uint64_t used = 0;  // by clock_
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

  // Goals that one bank of longer programs serves.
  struct LongerGroup {
    const InstructionSet* set = nullptr;  // of the bank
    std::vector<Constant> constants;
    std::vector<std::pair<size_t, PreparedGoal>> goals;  // by number of those given
  };
  // What FindLonger is asked for.
  struct LongerGoal {
    size_t member = 0;                         // of the group's goals
    std::optional<machine::Instruction> root;  // that makes of what is found the member's value
    Goal goal;
  };

  static std::string SignatureOf(const std::vector<ValueSet>& inputs);
  absl::StatusOr<PreparedGoal> Prepare(const SearchGoal& goal, const ConstantReading& reading) const;
  // The goal in each reading of its constants that a bank takes; not empty.
  absl::StatusOr<std::vector<PreparedGoal>> PrepareAll(const SearchGoal& goal) const;
  // Adds a program that is legal and cheaper than the goal's.
  void KeepProgram(absl::StatusOr<machine::Program> program, const SearchGoal& goal, PricedPrograms* programs) const;
  // At most max_found.
  std::vector<machine::Program> Cheapest(PricedPrograms programs) const;
  std::optional<std::pair<PreparedGoal, std::vector<Constant>>> PrepareOfOne(const SearchGoal& goal) const;
  std::map<std::string, LongerGroup> GroupLonger(absl::Span<const SearchGoal> goals) const;
  std::vector<LongerGoal> LongerGoalsOf(const LongerGroup& group, absl::Span<const SearchGoal> goals) const;
  // The place of a bank, which may not be built yet.
  std::shared_ptr<KeptBank> PlaceOf(const std::string& key);
  // The bank of a place whose mutex is held; null if a stop came before it was built. Longer programs are made of parts
  // that do not read all inputs, by instructions of one op.
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
  const std::unique_ptr<const InstructionSet> set_, longer_set_, few_set_;  // the last for goals of one integer
  std::mutex mutex_;                                                        // of what follows
  std::map<std::string, std::shared_ptr<KeptBank>> banks_;
  uint64_t clock_ = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_BANK_SEARCH_H_
