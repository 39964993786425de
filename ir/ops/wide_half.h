// NIR's compound float ops at 16 bits: computed in binary32 and rounded once at the end (Mesa 25.0.7
// nir_constant_expressions.py: a float16 source is a C float).
#ifndef REWROUGHT_IR_OPS_WIDE_HALF_H_
#define REWROUGHT_IR_OPS_WIDE_HALF_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace rewrought::ir::ops {

// `core` with each of its `names` widened to binary32.
inline std::string Widened(const std::string& core, const std::vector<std::string>& names) {
  std::string text = core;
  for (const std::string& name : names) text = absl::StrCat("(let ", name, " (f2f 32 ", name, ") ", text, ")");
  return text;
}

// The meaning of a compound op: `core`, at 16 bits on widened sources and rounded once.
inline std::string RoundedOnceAt16(const std::string& core, const std::vector<std::string>& names) {
  return absl::StrCat("(by_width (16 (f2f 16 ", Widened(core, names), ")) (else ", core, "))");
}

// Its `tiny` condition, for a core that ends in an addition: a sum that small is exact, so only the rounding to 16 bits
// can reach the smallest normal from below.
inline std::string TinyAt16(const std::string& core, const std::vector<std::string>& names) {
  return absl::StrCat("(by_width (16 (f2f_tiny 16 ", Widened(core, names), ")) (else 0))");
}

}  // namespace rewrought::ir::ops

#endif  // REWROUGHT_IR_OPS_WIDE_HALF_H_
