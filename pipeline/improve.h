// Finds the best programs for an expression on a machine, and verifies them.
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

// A program for the expression. `rewrought improve --json` prints these fields.
struct Improvement {
  std::string program;
  machine::Cost cost, base;                   // `base` is the cost of tuned baseline selection for the expression
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;  // the verdict over all requested modes
  std::string id;                             // the id of the rule (expression, program)
  bool inexact = false;                       // equal over the reals, like a rule with `~`, but not proved bit for bit
};

struct ImproveOptions {
  double seconds = 10;
  int width = 32;  // for open sizes; the largest allowed width is used if the expression does not allow this one
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  std::stop_token stop;
};

// Calls `found` with base selection's program, then with each cheaper program that is not refuted; the last proved
// program is the best. Programs for forms equal over the reals come last, and only if they are proved or inexact.
// Returns InvalidArgument if the expression does not parse or has no valid sizes, and Unimplemented if neither base
// selection nor the search covers it. Returns OK if the time is up or a stop was requested.
absl::Status Improve(absl::string_view expression, const machine::Machine& machine, enumerator::CandidateSearch* search,
                     const verifier::Solvers& solvers, const ImproveOptions& options,
                     const std::function<void(const Improvement&)>& found);

// Returns the expression as a term, with open sizes set as ImproveOptions::width describes.
absl::StatusOr<ir::Term> SizedExpression(absl::string_view expression, int width);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_IMPROVE_H_
