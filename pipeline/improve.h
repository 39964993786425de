// Finds the best programs for an expression on a machine, with verdicts.
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

// One program. The fields are those of `rewrought improve --json`.
struct Improvement {
  std::string program;
  machine::Cost cost, base;                   // `base`: tuned baseline selection for the expression
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;  // over all requested modes
  std::string id;                             // id of the rule (expression, program)
  bool inexact = false;  // not proved bit for bit, but equal over the reals and as accurate: usable where `~` rules are
};

struct ImproveOptions {
  double seconds = 10;
  int width = 32;  // for open sizes, if the expression's types allow it; otherwise the largest allowed width
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  std::stop_token stop;
};

// Calls `found` with base selection's program, then with each cheaper program that is not refuted, as it is found;
// the last proved program is the best. Programs from forms over the reals come last, proved or inexact. Returns
// InvalidArgument if the expression does not parse or has no sizes, and Unimplemented if neither base selection nor
// the search covers it. Returns OK if the time is up or stop was requested.
absl::Status Improve(absl::string_view expression, const machine::Machine& machine, enumerator::CandidateSearch* search,
                     const verifier::Solvers& solvers, const ImproveOptions& options,
                     const std::function<void(const Improvement&)>& found);

// Returns the expression's term with every size set as above.
absl::StatusOr<ir::Term> SizedExpression(absl::string_view expression, int width);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_IMPROVE_H_
