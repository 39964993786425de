// Finds cheaper programs, or cheaper NIR, for fragments: banks by signature, look-up, proposals of flags and facts from
// the blocks, and the injected prover's word on each candidate.
#ifndef REWROUGHT_ENUMERATOR_SEARCH_H_
#define REWROUGHT_ENUMERATOR_SEARCH_H_

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "enumerator/bank.h"
#include "enumerator/instruction_set.h"
#include "enumerator/prover_interface.h"
#include "enumerator/run_statistics.h"
#include "ir/term.h"
#include "machine/program.h"

namespace rewrought::enumerator {

// What a search looks at: a scalar term of fixed sizes (1, 16 or 32 bits) with at most kMaxInputs variables. Op nodes
// carry the flags that the shader grants; constants are constants.
struct SearchFragment {
  ir::Term term;
  std::map<std::string, std::vector<ValueSet>>
      facts;  // by variable: what is known besides its size; inexact everywhere
};

// A proved candidate.
struct DiscoveredRule {
  ir::Term search;                          // with the flags and predicates under which it is proved
  ir::Term replace;                         // NIR ops, or the program's rows
  std::optional<machine::Program> program;  // where the replacement is a machine's
  size_t fragment = 0;                      // index among those searched
  double cost = 0, base_cost = 0;           // issue cycles (and a thousandth of the latency); NIR: ops
  double tuned_cost = 0;  // of tuned baseline selection; 0: it does not cover the term. NIR: base_cost
  uint8_t flags = 0;      // proposed flags, on every float node of `search`
  bool granted = true;    // the fragment's own flags grant them
};

struct SearchOptions {
  BankOptions bank;
  BankOptions local_bank;     // of fragments with constants of their own; see the constructor for its limits
  bool longer = false;        // programs of three instructions too, for what two did not give
  bool propose_flags = true;  // flags that the fragment does not have
  int max_proofs = 12;        // candidates of one fragment given to the prover
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  std::vector<Constant> constants;  // beyond DefaultConstants; fixed before work is sharded
  std::function<void(const RunStatistics&)> progress;
  std::stop_token stop;

  SearchOptions() {
    bank.max_candidates = 60'000'000;
    local_bank.max_candidates = 8'000'000;
    local_bank.max_bytes = uint64_t{256} << 20;
  }
};

class Search {
 public:
  // `set` and `prover` must outlive the search.
  Search(const InstructionSet* set, ProverInterface* prover, const SearchOptions& options)
      : set_(*set), prover_(*prover), options_(options) {}

  // Searches all fragments, those of one signature with one bank. Rules by fragment, each fragment's cheapest first; at
  // most one that needs flags and one that needs none for each way of knowing facts. Deterministic unless stopped.
  std::vector<DiscoveredRule> Run(absl::Span<const SearchFragment> fragments);

  const RunStatistics& statistics() const { return run_statistics_; }

 private:
  struct Prepared;  // a fragment under one choice of facts
  struct Group;

  void Prepare(const SearchFragment& fragment, size_t index, bool with_facts, std::vector<Prepared>* out);
  bool BaseCosts(const ir::Term& term, double* one, double* strong) const;
  void RunGroup(Group* group, std::vector<DiscoveredRule>* rules);
  // Verifies candidates of one fragment, cheapest first.
  void Verify(const Bank& bank, const Prepared& prepared, std::vector<Expression> candidates,
              std::vector<DiscoveredRule>* rules);
  bool Propose(const Bank& bank, const Prepared& prepared, const Expression& candidate, DiscoveredRule* rule,
               bool* flagless, bool* asked);

  const InstructionSet& set_;
  ProverInterface& prover_;
  const SearchOptions options_;
  RunStatistics run_statistics_;
};

// Asks the prover in the modes that matter: one (kNone) where no side has a float operation.
ProofResult Ask(ProverInterface* prover, const ir::Term& search, const ir::Term& replace,
                absl::Span<const ir::DenormMode> modes);

// Sets `flags` on every op node of `term` that makes float choices, and clears other permissions there.
void SetFloatFlags(ir::Term* term, uint8_t flags);

// Gives NIR nodes of `replace` the permissions of the search's root, as Mesa does (nir_search.c, 25.0.7).
void InheritFlags(const ir::Term& search, ir::Term* replace);

// What a variable or node of a term is, from the ops that read or make it.
ValueKind KindOfNode(const ir::Term& term, ir::NodeIndex index);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SEARCH_H_
