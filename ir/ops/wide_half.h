// Helpers for NIR's compound float ops. At 16 bits, these ops compute in binary32 and round once at the end (Mesa
// 25.0.7 nir_constant_expressions.py: a float16 source is a C float).
#ifndef REWROUGHT_IR_OPS_WIDE_HALF_H_
#define REWROUGHT_IR_OPS_WIDE_HALF_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace rewrought::ir::ops {

// Returns `core` with each variable in `names` widened to binary32.
inline std::string Widened(const std::string& core, const std::vector<std::string>& names) {
  std::string text = core;
  for (const std::string& name : names) text = absl::StrCat("(let ", name, " (f2f 32 ", name, ") ", text, ")");
  return text;
}

// Returns the meaning of a compound op: at 16 bits, `core` on widened sources, rounded once; otherwise, `core` itself.
inline std::string RoundedOnceAt16(const std::string& core, const std::vector<std::string>& names) {
  return absl::StrCat("(by_width (16 (f2f 16 ", Widened(core, names), ")) (else ", core, "))");
}

// Returns the `tiny` condition of a compound op whose core ends in an addition. A sum near the smallest normal is
// exact, so only the rounding to 16 bits can round a smaller value up to the smallest normal.
inline std::string TinyAt16(const std::string& core, const std::vector<std::string>& names) {
  return absl::StrCat("(by_width (16 (f2f_tiny 16 ", Widened(core, names), ")) (else 0))");
}

}  // namespace rewrought::ir::ops

#endif  // REWROUGHT_IR_OPS_WIDE_HALF_H_
