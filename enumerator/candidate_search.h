// The interface through which discovery finds cheaper programs for a fragment. The programs found are not proved.
#ifndef REWROUGHT_ENUMERATOR_CANDIDATE_SEARCH_H_
#define REWROUGHT_ENUMERATOR_CANDIDATE_SEARCH_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/facts/value_facts.h"
#include "ir/term.h"
#include "machine/cost.h"
#include "machine/program.h"

namespace rewrought::enumerator {

struct SearchGoal {
  ir::Term term;                      // Scalar, with fixed sizes and the flags of its sites.
  std::vector<ir::ValueFacts> facts;  // The facts of VariablesInOrder(term), in that order.
  machine::Cost base;                 // Reported programs are CheaperThan this.
};

struct SearchStatistics {
  uint64_t enumerated = 0;  // Includes programs of a bank built for this goal.
  uint64_t distinct = 0;
  bool cut_short = false;  // Whether a limit or a stop request ended the search.
};

class CandidateSearch {
 public:
  virtual ~CandidateSearch() = default;

  // Returns a string that identifies everything that the results depend on. The string is part of the key that
  // discovery uses to avoid repeating a search.
  virtual std::string Configuration() const = 0;

  // Calls `found` with programs over the goal's variables, most promising first, until `found` returns false. Fails
  // with Unimplemented if the search does not support the goal. Thread-safe.
  virtual absl::StatusOr<SearchStatistics> Search(const SearchGoal& goal, std::stop_token stop,
                                                  const std::function<bool(machine::Program)>& found) = 0;

  // Returns the signature of a goal; goals with equal signatures should be passed to the same SearchLonger call. The
  // signature is empty if the search does not support the goal.
  virtual std::string SignatureOf(const SearchGoal& goal) const = 0;

  // Finds longer programs than Search does, for many goals in one call. Calls `found` with the programs for each goal,
  // cheapest first.
  virtual SearchStatistics SearchLonger(absl::Span<const SearchGoal> goals, std::stop_token stop,
                                        const std::function<void(size_t goal, machine::Program)>& found) = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_CANDIDATE_SEARCH_H_
