// Finds and proves all rules over a set of ops up to a given size, without a corpus.
#ifndef REWROUGHT_PIPELINE_ENUMERATE_H_
#define REWROUGHT_PIPELINE_ENUMERATE_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/sweep/term_sweep.h"
#include "ir/term.h"
#include "proto/rewrought/v1/run.pb.h"
#include "verifier/prover.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct EnumerateOptions {
  std::vector<std::string> ops;  // the NIR names of the ops
  int variables = 2;             // the number of variables, 1 to 4
  int size = 2;                  // the maximum number of ops in a search side
  int width = 32;                // the width of the variables in bits, 1 to 32
  std::vector<enumerator::SweepConstant> constants;
  bool shifts_zero = false;  // whether a shift by the width or more shifts out all bits, unlike in NIR
  std::string machine_file;  // the description of the machine to find programs for; if empty, replacements are terms
  // The denormal modes in which rules with float operations must hold.
  std::vector<ir::DenormMode> modes = enumerator::SweepOptions().modes;
  std::vector<int> prove_widths;  // each rule is also verified at these widths
  // The rules of another tool, for comparison, as terms of NIR ops at `width` bits. Ignored if there is a machine.
  std::vector<std::pair<ir::Term, ir::Term>> others;
  uint64_t max_bytes = uint64_t{1} << 31;
  verifier::ProverOptions prover;
  std::function<void(const v1::RunStatistics&, const std::string& stage)> progress;
  std::stop_token stop;
};

struct EnumeratedRule {
  std::string search, replace;         // text with open sizes, or with `width` bits if there is a machine
  std::string program;                 // used instead of `replace` if there is a machine
  ir::Term search_term, replace_term;  // at `width` bits; empty if there is a machine
  int search_ops = 0;
  double cost = 0, base_cost = 0;  // in ops, or in issue cycles if there is a machine
  // The verdict for each verified width, starting with `width`: "proved", "refuted", "unknown", or "unsupported".
  std::vector<std::pair<int, std::string>> verdicts;
};

struct EnumerateReport {
  std::vector<EnumeratedRule> rules;
  v1::RunStatistics run_statistics;  // `fragments` is the number of terms for which a program was sought
  uint64_t derived = 0;              // the number of candidates that follow from rules found earlier
  // Derivability and times, as in enumerator::SweepResult; set only without a machine.
  uint64_t underived = 0;
  std::vector<size_t> not_from_others, others_not_known;
  double seconds_proving = 0, seconds_minimising = 0;
  bool exhaustive = false;  // whether all inputs were tried, which requires at most 12 input bits
  bool complete = false;    // false if the run was stopped or reached the memory limit; the rules found are still valid
};

// Returns InvalidArgument if an op is unknown or unsuitable, a size or width is out of range, the machine file does not
// parse, or there is a machine and `width` is neither 16 nor 32. Returns NotFound if the machine file does not exist.
absl::StatusOr<EnumerateReport> Enumerate(const EnumerateOptions& options, const verifier::Solvers& solvers);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_ENUMERATE_H_
