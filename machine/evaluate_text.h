// Evaluates a term or program given as text, for `rewrought eval` and the service.
#ifndef REWROUGHT_MACHINE_EVALUATE_TEXT_H_
#define REWROUGHT_MACHINE_EVALUATE_TEXT_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/term.h"
#include "machine/machine.h"

namespace rewrought::machine {

inline constexpr size_t kMaxListedResults = 64;  // beyond this many the answer is "many"

struct HexValue {
  uint64_t bits = 0;
  int width = 0;  // one digit: 1; else 4 per digit
};
using NamedValues = std::map<std::string, HexValue>;

// Reads "0x3f800000": 1 to 16 digits. InvalidArgument otherwise.
absl::StatusOr<HexValue> ParseHexValue(absl::string_view text);

// A term of the IR, or where there is a machine a program of it. InvalidArgument with line and column.
absl::StatusOr<ir::Term> ReadTermOrProgram(absl::string_view text, const Machine* machine);

struct Evaluated {
  ir::AllowedSet allowed;  // at most kMaxListedResults
  bool many = false;       // there are more
  int bits = 0;            // of one component of the result
};

// The results that `term` allows; sizes that it leaves open are those of the values. InvalidArgument: a value is
// missing or too wide, or a size is not known.
absl::StatusOr<Evaluated> EvaluateTerm(const ir::Term& term, ir::DenormMode mode, const NamedValues& values);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_EVALUATE_TEXT_H_
