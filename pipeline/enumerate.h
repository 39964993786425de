// Search without a corpus: rules of a named op set up to a named size, found by the enumerator, proved by the verifier.
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
  std::vector<std::string> ops;  // NIR's names
  int variables = 2;             // 1 to 4
  int size = 2;                  // ops of a search side
  int width = 32;                // bits of the variables, 1 to 32
  std::vector<enumerator::SweepConstant> constants;
  bool shifts_zero = false;  // a count beyond the width gives zero (or the sign), not the count masked
  std::string machine_file;  // a description: the other side is a program of it; empty: terms
  // In which rules of float operations are verified.
  std::vector<ir::DenormMode> modes = enumerator::SweepOptions().modes;
  std::vector<int> prove_widths;  // verified there as well, each rule
  // Rules of another tool, of NIR's ops at `width` bits, with which those found are compared; terms only.
  std::vector<std::pair<ir::Term, ir::Term>> others;
  uint64_t max_bytes = uint64_t{1} << 31;
  verifier::ProverOptions prover;
  std::function<void(const v1::RunStatistics&, const std::string& stage)> progress;
  std::stop_token stop;
};

struct EnumeratedRule {
  std::string search, replace;         // as rule text, sizes open; at `width` bits if there is a machine
  std::string program;                 // in place of `replace` if there is a machine
  ir::Term search_term, replace_term;  // at `width` bits; empty if there is a machine
  int search_ops = 0;
  double cost = 0, base_cost = 0;  // ops; issue cycles if there is a machine
  // By width, the enumerated one first: "proved", "refuted", "unknown" or "unsupported".
  std::vector<std::pair<int, std::string>> verdicts;
};

struct EnumerateReport {
  std::vector<EnumeratedRule> rules;
  v1::RunStatistics run_statistics;  // `fragments`: distinct terms that were goals of a machine's programs; else 0
  uint64_t derived = 0;              // candidates that rules found before say as well
  // Derivability and where the time went: as enumerator::SweepResult has them, of terms only.
  uint64_t underived = 0;
  std::vector<size_t> not_from_others, others_not_known;
  double seconds_proving = 0, seconds_minimising = 0;
  bool exhaustive = false;  // verdicts at `width` are by all inputs: they have at most 12 bits
  bool complete = false;    // false: stopped, or out of memory; what was found stands
};

// InvalidArgument: an op, size or width that does not fit, a
// machine file that does not parse, --machine at other widths than 16 and 32; NotFound: no such file.
absl::StatusOr<EnumerateReport> Enumerate(const EnumerateOptions& options, const verifier::Solvers& solvers);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_ENUMERATE_H_
