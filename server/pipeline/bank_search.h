// Candidates from the enumerator's banks: one bank per combination of inputs, made when first needed and kept.
#ifndef REWROUGHT_SERVER_PIPELINE_BANK_SEARCH_H_
#define REWROUGHT_SERVER_PIPELINE_BANK_SEARCH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/bank.h"
#include "enumerator/instruction_set.h"
#include "machine/machine.h"
#include "server/pipeline/candidate_search.h"

namespace rewrought::pipeline {

struct BankSearchOptions {
  enumerator::InstructionSetOptions instructions;
  int max_size = 2;     // instructions of what a bank keeps
  bool longer = false;  // programs of one instruction more, put together for the goal: seconds for each
  uint64_t max_bytes = uint64_t{1} << 29;  // of all banks together
  uint64_t max_candidates = 20'000'000;    // evaluated per bank, and per goal for longer ones
  uint64_t local_candidates = 1'000'000;   // evaluated per bank of goals with constants of their own
  size_t max_found = 16;                   // handed on per goal
  std::vector<enumerator::Constant> constants = enumerator::DefaultConstants(false);
};

class BankSearch : public CandidateSearch {
 public:
  // Errors of InstructionSet::OfMachine. `machine` must outlive the search.
  static absl::StatusOr<std::unique_ptr<BankSearch>> Create(const machine::Machine& machine,
                                                            const BankSearchOptions& options);

  std::string Configuration() const override;

  // One goal at a time; others wait. A goal's own constants are added to the pool of its bank. Unimplemented: more than
  // enumerator::kMaxInputs variables, or values of sizes that banks do not have.
  absl::StatusOr<SearchStatistics> Search(const SearchGoal& goal, std::stop_token stop,
                                          const std::function<bool(machine::Program)>& found) override;

 private:
  struct KeptBank {
    std::unique_ptr<enumerator::Bank> bank;
    uint64_t used = 0;  // by clock_
  };

  BankSearch(const machine::Machine& machine, const BankSearchOptions& options,
             std::unique_ptr<const enumerator::InstructionSet> set)
      : machine_(machine), options_(options), set_(std::move(set)) {}

  enumerator::Bank* BankFor(const std::vector<enumerator::ValueSet>& inputs,
                            const std::vector<enumerator::Constant>& more, std::stop_token stop,
                            SearchStatistics* statistics);
  void MakeRoom();

  const machine::Machine& machine_;
  const BankSearchOptions options_;
  const std::unique_ptr<const enumerator::InstructionSet> set_;
  std::mutex mutex_;
  std::map<std::string, KeptBank> banks_;
  uint64_t clock_ = 0;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_BANK_SEARCH_H_
