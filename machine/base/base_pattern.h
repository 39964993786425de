// A base rule's pattern over IR ops, such as `(fadd@32 (fmul a b) c)`.
#ifndef REWROUGHT_MACHINE_BASE_BASE_PATTERN_H_
#define REWROUGHT_MACHINE_BASE_BASE_PATTERN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::machine {

struct BasePattern {
  std::string name;  // The name of the op or variable; empty for a constant.
  int bits = 0;      // The size given by a suffix such as `@32`; 0: any.
  bool is_op = false;
  int64_t value = 0;  // The value of a constant.
  std::vector<BasePattern> sources;
};

// Parses a pattern of a description. Fails with InvalidArgument if the text is not a pattern.
absl::StatusOr<BasePattern> ParseBasePattern(const std::string& text);

// Returns the number of ops in the pattern.
int CountOps(const BasePattern& pattern);

// Returns the pattern's text, as in "(fadd@32 (fmul a b) c)".
std::string PatternText(const BasePattern& pattern);

// Returns the pattern in Mesa's tuple syntax, "('fadd@32', ('fmul', 'a', 'b'), 'c')", which ir::ParseTerm accepts.
std::string TupleText(const BasePattern& pattern);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_BASE_PATTERN_H_
