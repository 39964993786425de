// Search without a corpus: finds and proves the rules of an op set up to a size.
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
  std::vector<std::string> ops;  // NIR names
  int variables = 2;             // 1 to 4
  int size = 2;                  // maximum ops in a search side
  int width = 32;                // of the variables in bits, 1 to 32
  std::vector<enumerator::SweepConstant> constants;
  bool shifts_zero = false;  // a description of the machine to find programs of; if empty, replacements are terms
  std::string machine_file;  // a machine description to find programs of; if empty, replacements are terms
  // Denormal modes for rules with float operations.
  std::vector<ir::DenormMode> modes = enumerator::SweepOptions().modes;
  std::vector<int> prove_widths;  // each rule is also verified at these widths
  // Another tool's rules, of NIR ops at `width` bits, to compare with. Ignored if there is a machine.
  std::vector<std::pair<ir::Term, ir::Term>> others;
  uint64_t max_bytes = uint64_t{1} << 31;
  verifier::ProverOptions prover;
  std::function<void(const v1::RunStatistics&, const std::string& stage)> progress;
  std::stop_token stop;
};

struct EnumeratedRule {
  std::string search, replace;         // rule text with open sizes; at `width` bits if there is a machine
  std::string program;                 // replaces `replace` if there is a machine
  ir::Term search_term, replace_term;  // at `width` bits; empty if there is a machine
  int search_ops = 0;
  double cost = 0, base_cost = 0;  // in ops; in issue cycles if there is a machine
  // By width, the enumerated one first: "proved", "refuted", "unknown" or "unsupported".
  std::vector<std::pair<int, std::string>> verdicts;
};

struct EnumerateReport {
  std::vector<EnumeratedRule> rules;
  v1::RunStatistics run_statistics;  // `fragments`: distinct terms searched for programs; 0 without a machine
  uint64_t derived = 0;              // candidates that follow from rules found before
  // Derivability and times, as in enumerator::SweepResult; set only without a machine.
  uint64_t underived = 0;
  std::vector<size_t> not_from_others, others_not_known;
  double seconds_proving = 0, seconds_minimising = 0;
  bool exhaustive = false;  // verdicts at `width` cover all inputs, which have at most 12 bits
  bool complete = false;    // false if stopped or out of memory; the rules found are still valid
};

// Returns InvalidArgument for an op, size or width out of range, a machine file that does not parse, or a machine at
// a width other than 16 or 32. Returns NotFound if the machine file does not exist.
absl::StatusOr<EnumerateReport> Enumerate(const EnumerateOptions& options, const verifier::Solvers& solvers);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_ENUMERATE_H_
