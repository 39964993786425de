// Evaluates a term or program given as text, for `rewrought eval` and the service.
#ifndef REWROUGHT_MACHINE_EVALUATE_TEXT_H_
#define REWROUGHT_MACHINE_EVALUATE_TEXT_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/dialect/dialect.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/term.h"
#include "machine/machine.h"

namespace rewrought::machine {

inline constexpr size_t kMaxListedResults = 64;  // More results are reported as "many".

struct HexValue {
  uint64_t bits = 0;
  int width = 0;  // In bits: 1 for a single digit, otherwise 4 per digit.
};
using NamedValues = std::map<std::string, HexValue>;

// Parses a number of 1 to 16 hexadecimal digits, such as "0x3f800000". Fails with InvalidArgument for other text.
absl::StatusOr<HexValue> ParseHexValue(absl::string_view text);

// Parses a program of `machine`, or an IR term of the dialect if `machine` is null. If the text is malformed, or if a
// program is read in a dialect other than nir-25, fails with InvalidArgument and a message that contains the line and
// the column.
absl::StatusOr<ir::Term> ReadTermOrProgram(absl::string_view text, const Machine* machine, ir::Dialect dialect);

struct Evaluated {
  ir::AllowedSet allowed;  // Contains at most kMaxListedResults results.
  bool many = false;
  int bits = 0;  // The width of one component.
};

// Returns the results that the float contract of the dialect allows for `term`. In nir-26, the flags nsz, nnan, and
// ninf clear the corresponding preserve bits of an instruction; all other valid bits are set. The widths of `values`
// determine the sizes that the term leaves open. Fails with InvalidArgument if a value is missing or too wide, a size
// is ambiguous, or the term has an op that the verifier restates as several instructions (ffma_weak, fmad, fmadz).
absl::StatusOr<Evaluated> EvaluateTerm(const ir::Term& term, ir::Dialect dialect, ir::DenormMode mode,
                                       const NamedValues& values);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_EVALUATE_TEXT_H_
