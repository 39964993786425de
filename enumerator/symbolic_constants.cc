#include "enumerator/symbolic_constants.h"

#include <utility>

#include "enumerator/generalise.h"

namespace rewrought::enumerator {
namespace {

// A constant has some dozen predicates; what the first ones do not settle is a rule about that constant.
constexpr int kMaxProofs = 24;
}  // namespace

machine::Candidate WithSymbolicConstants(const machine::Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                                         ProverInterface* prover, std::stop_token stop) {
  absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  if (!replace.ok()) return candidate;
  const bool is_nir = !candidate.program.has_value();
  DiscoveredRule found;
  found.search = candidate.search;
  found.replace = is_nir ? candidate.replace : *std::move(replace);
  found.program = candidate.program;
  GeneraliseOptions options;
  options.modes = modes;
  options.max_proofs = kMaxProofs;
  options.drop_assumptions = options.open_sizes = false;
  options.stop = std::move(stop);
  GeneralRule general = Generaliser(is_nir ? nullptr : candidate.machine, prover, options).Generalise(found);
  machine::Candidate result{candidate.machine, std::move(general.rule.search), std::move(general.program), {}};
  if (is_nir) {
    result.replace = std::move(general.rule.replace);
    for (ir::Node& node : result.replace.nodes) {
      node.flags = 0;              // inherited where the rule is applied
      node.constant_only = false;  // what a variable is, the search side says
      node.predicates.clear();
    }
  }
  return result;
}

}  // namespace rewrought::enumerator
