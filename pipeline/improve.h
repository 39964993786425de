// Finds the best programs for one expression on one machine, with a verdict on each.
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
  machine::Cost cost, base;                   // `base` is the cost of tuned baseline selection for the expression
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;  // over all requested modes
  std::string id;                             // id of the rule (expression, program)
  bool inexact = false;  // equal over the reals and as accurate, but not bit for bit: usable where `~` rules are
};

struct ImproveOptions {
  double seconds = 10;
  int width =
      32;  // used for open sizes if the expression's types allow it; otherwise the largest allowed width is used
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  std::stop_token stop;
};

// Calls `found` first with base selection's program, then with each cheaper program that is not refuted, as it is
// found; the last proved program is the best. Programs from cheaper forms over the reals come last, proved or
// inexact. Returns InvalidArgument if the expression does not parse or its sizes are inconsistent, and Unimplemented
// if neither base selection nor the search covers it. Returns OK if the time is up or the search is stopped.
absl::Status Improve(absl::string_view expression, const machine::Machine& machine, enumerator::CandidateSearch* search,
                     const verifier::Solvers& solvers, const ImproveOptions& options,
                     const std::function<void(const Improvement&)>& found);

// Returns the term of `expression` with every open size set as ImproveOptions::width describes.
absl::StatusOr<ir::Term> SizedExpression(absl::string_view expression, int width);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_IMPROVE_H_
