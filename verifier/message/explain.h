// Explains witnesses to people.
#ifndef REWROUGHT_VERIFIER_MESSAGE_EXPLAIN_H_
#define REWROUGHT_VERIFIER_MESSAGE_EXPLAIN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/rule_case.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

struct ExplainedNode {
  bool in_search = true;
  ir::NodeIndex index = 0;  // index in the side's term
  std::string text;         // the op and its operands: "n1 = fadd n0, a"
  int bits = 32;
  std::vector<uint64_t> values;  // indexed by component
};

// Evaluates search nodes without flushing and with default choices, and replacement nodes with the witness's choices.
// Returns variables first, then op nodes in evaluation order.
absl::StatusOr<std::vector<ExplainedNode>> ExplainWitness(const RuleCase& rule_case, const Witness& witness);

// Returns, for example, "0x3f800000 (1)" for a pattern with the size of a float, and "0x05" for any other pattern.
// Digits are padded to the size.
std::string FormatValue(uint64_t value, int bits);

// Returns hex digits padded to the size: "0x3f800000".
std::string FormatHex(uint64_t value, int bits);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_EXPLAIN_H_
