// The best programs for one expression on one machine, each with the verifier's word on it.
#ifndef REWROUGHT_PIPELINE_IMPROVE_H_
#define REWROUGHT_PIPELINE_IMPROVE_H_

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "enumerator/candidate_search.h"
#include "ir/float_contract.h"
#include "machine/cost.h"
#include "machine/machine.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {

// One program; the fields of `rewrought improve --json`.
struct Improvement {
  std::string program;
  machine::Cost cost, base;                   // base: tuned baseline selection for the expression
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;  // over all modes asked
  std::string id;                             // of the rule (expression, program)
  bool inexact = false;  // not proved bit for bit, equal over the reals, and as accurate: good where `~` rules are
};

struct ImproveOptions {
  double seconds = 10;
  int width = 32;  // of what the expression leaves open, if its typing allows it; else the largest allowed
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  std::stop_token stop;
};

// Calls `found` with base selection's program first, then with every program that is cheaper and not refuted, as found;
// the last one proved is the best. Programs of cheaper forms over the reals come last, proved or inexact.
// InvalidArgument: the expression does not parse or has no sizes; Unimplemented: neither base selection nor the search
// covers it. Time up or stopped: OK, what was found was found.
absl::Status Improve(absl::string_view expression, const machine::Machine& machine, enumerator::CandidateSearch* search,
                     const verifier::Solvers& solvers, const ImproveOptions& options,
                     const std::function<void(const Improvement&)>& found);

// The term of `expression` with every size fixed as above.
absl::StatusOr<ir::Term> SizedExpression(absl::string_view expression, int width);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_IMPROVE_H_
