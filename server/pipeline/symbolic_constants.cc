#include "server/pipeline/symbolic_constants.h"

#include <utility>

#include "enumerator/generalise.h"
#include "enumerator/prover_interface.h"
#include "verifier/rule_case.h"

namespace rewrought::pipeline {
namespace {

// A constant has some dozen predicates; what the first ones do not settle is a rule about that constant.
constexpr int kMaxProofs = 24;
// What a solver leaves open twice costs seconds a time, and the rule about the constant itself is proved already.
constexpr int kMaxUnknown = 2;

class VerifierAsProver : public enumerator::ProverInterface {
 public:
  VerifierAsProver(const machine::Machine& machine, bool builds_as_mesa, CandidateVerifier* candidate_verifier)
      : machine_(machine), builds_as_mesa_(builds_as_mesa), verifier_(candidate_verifier) {}

  enumerator::ProofResult ProveCandidate(const ir::Term& search, const ir::Term& replace,
                                         absl::Span<const ir::DenormMode> modes) override {
    enumerator::ProofResult result;
    if (unknown_ >= kMaxUnknown) return result;
    ir::Term built = replace;
    if (builds_as_mesa_) verifier::BuildAsMesa(search, &built);
    const absl::StatusOr<CandidateVerdict> verdict =
        verifier_->DecideTerms(machine_, search, built, std::vector<ir::DenormMode>(modes.begin(), modes.end()));
    if (!verdict.ok()) {
      result.reason = std::string(verdict.status().message());
    } else if (verdict->proved) {
      result.outcome = enumerator::Outcome::kProved;
    } else if (verdict->refuted) {
      result.outcome = enumerator::Outcome::kRefuted;
    } else {
      ++unknown_;
    }
    return result;
  }

 private:
  const machine::Machine& machine_;
  const bool builds_as_mesa_;
  CandidateVerifier* const verifier_;
  int unknown_ = 0;
};

}  // namespace

Candidate WithSymbolicConstants(const Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                                CandidateVerifier* candidate_verifier, std::stop_token stop) {
  absl::StatusOr<ir::Term> replace = ReplacementTerm(candidate);
  if (!replace.ok()) return candidate;
  const bool is_nir = !candidate.program.has_value();
  enumerator::DiscoveredRule found;
  found.search = candidate.search;
  found.replace = is_nir ? candidate.replace : *std::move(replace);
  found.program = candidate.program;
  VerifierAsProver prover(*candidate.machine, is_nir, candidate_verifier);
  enumerator::GeneraliseOptions options;
  options.modes = modes;
  options.max_proofs = kMaxProofs;
  options.drop_assumptions = options.open_sizes = false;
  options.stop = std::move(stop);
  enumerator::GeneralRule general =
      enumerator::Generaliser(is_nir ? nullptr : candidate.machine, &prover, options).Generalise(found);
  Candidate result{candidate.machine, std::move(general.rule.search), std::move(general.program), {}};
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

}  // namespace rewrought::pipeline
