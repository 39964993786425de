// Makes proved rules as general as the prover allows: fewest flags and facts, constants as symbols, open sizes. Every
// step is proved again; nothing is assumed.
#ifndef REWROUGHT_ENUMERATOR_GENERALISE_H_
#define REWROUGHT_ENUMERATOR_GENERALISE_H_

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "enumerator/prover_interface.h"
#include "enumerator/search.h"
#include "ir/term.h"
#include "machine/program.h"

namespace rewrought::enumerator {

struct GeneralRule {
  ir::Rule rule;  // sizes open (0) where `open_sizes`; `replace` of a machine rule: its program's term
  std::optional<machine::Program> program;  // symbolic constants are variables of it
  DiscoveredRule found;                     // one of those it came from: the cheapest against its base
  std::vector<size_t> fragments;            // all those it came from, ascending
  std::vector<int> widths;                  // of the rule's free class, at which every case is proved; NIR rules only
  bool open_sizes = false;                  // that is all of them
  std::string digest;                       // ir::Digest of `rule`, with the program's text for machines
};

struct GeneraliseOptions {
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  int max_proofs = 80;           // of one rule
  bool drop_assumptions = true;  // false: flags and predicates are the fewest already
  bool open_sizes = true;
  std::stop_token stop;
};

class Generaliser {
 public:
  // `machine` is null for NIR rules. Both must outlive the generaliser.
  Generaliser(const machine::Machine* machine, ProverInterface* prover, const GeneraliseOptions& options)
      : machine_(machine), prover_(*prover), options_(options) {}

  // One proved rule. In order: flags dropped one node and flag at a time, `exact` dropped (strict proofs do not need
  // it), variables' predicates dropped, constants turned into `#` variables, sizes opened. A constant becomes a symbol
  // without a condition, or else under the weakest predicate of Mesa's for constants that is enough; a constant of the
  // replacement may become an expression of symbols, for NIR; in a program it becomes a variable, which a site's
  // constant fills as it can.
  GeneralRule Generalise(const DiscoveredRule& rule);

  // All of them, equal results once, in order of appearance; `general` of the run statistics is the size of the result.
  std::vector<GeneralRule> GeneraliseAll(absl::Span<const DiscoveredRule> rules, RunStatistics* run_statistics);

 private:
  bool Holds(const ir::Term& search, ir::Term replace);
  bool DropFlags(GeneralRule* general);
  void DropPredicates(GeneralRule* general);
  void SymbolsForConstants(GeneralRule* general);
  bool TrySymbol(GeneralRule* general, uint64_t bits, int width, const std::string& name);
  std::optional<GeneralRule> WithSymbol(const GeneralRule& general, uint64_t bits, int width, const std::string& name,
                                        bool relate) const;
  void OpenSizes(GeneralRule* general);
  std::string DigestOf(const GeneralRule& general) const;

  const machine::Machine* const machine_;
  ProverInterface& prover_;
  const GeneraliseOptions options_;
  int proofs_ = 0;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_GENERALISE_H_
