// What discovery asks of a search: programs that may compute a fragment for less. Nothing it says is believed unproved.
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
  ir::Term term;                      // scalar, sizes fixed; with the flags of its sites
  std::vector<ir::ValueFacts> facts;  // of VariablesInOrder(term)
  machine::Cost base;                 // only programs that CheaperThan this are wanted
};

struct SearchStatistics {
  uint64_t enumerated = 0;  // programs evaluated for this goal, those of a bank made for it included
  uint64_t distinct = 0;
  bool cut_short = false;  // a limit or the stop token ended it
};

class CandidateSearch {
 public:
  virtual ~CandidateSearch() = default;

  // Names everything that decides what is found; part of the key under which nothing is tried twice.
  virtual std::string Configuration() const = 0;

  // Calls `found` with programs over the goal's variables, most promising first, until it returns false. Unimplemented:
  // the goal's shape is not searched. Called from several threads.
  virtual absl::StatusOr<SearchStatistics> Search(const SearchGoal& goal, std::stop_token stop,
                                                  const std::function<bool(machine::Program)>& found) = 0;

  // Goals that one call of SearchLonger serves best together have equal signatures; empty: the goal is not searched.
  virtual std::string SignatureOf(const SearchGoal& goal) const = 0;

  // Longer programs than Search finds, for many goals at once; `found` gets each goal's cheapest first.
  virtual SearchStatistics SearchLonger(absl::Span<const SearchGoal> goals, std::stop_token stop,
                                        const std::function<void(size_t goal, machine::Program)>& found) = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_CANDIDATE_SEARCH_H_
