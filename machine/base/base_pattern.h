// A pattern of a base rule: `(fadd@32 (fmul a b) c)` over ops of the IR.
#ifndef REWROUGHT_MACHINE_BASE_BASE_PATTERN_H_
#define REWROUGHT_MACHINE_BASE_BASE_PATTERN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::machine {

struct BasePattern {
  std::string name;  // of the op or variable; empty: a constant
  int bits = 0;      // asked for by `@32`; 0: any
  bool is_op = false;
  int64_t value = 0;  // of a constant
  std::vector<BasePattern> sources;
};

// Reads the text of a description. InvalidArgument says what is no pattern.
absl::StatusOr<BasePattern> ParseBasePattern(const std::string& text);

// The ops that it matches.
int CountOps(const BasePattern& pattern);

// "(fadd@32 (fmul a b) c)".
std::string PatternText(const BasePattern& pattern);

// The pattern in the words of Mesa's tuples, "('fadd@32', ('fmul', 'a', 'b'), 'c')", which ir::ParseTerm reads.
std::string TupleText(const BasePattern& pattern);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_BASE_PATTERN_H_
