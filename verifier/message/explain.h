// The values of every node of both sides on a witness, for a person to follow.
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
  ir::NodeIndex index = 0;  // in the side's term
  std::string text;         // the node's op and where its sources come from: "n1 = fadd n0, a"
  int bits = 32;
  std::vector<uint64_t> values;  // by component
};

// Search nodes with nothing flushed and plain choices, replacement nodes with the choices of the witness; variables
// first, then op nodes in the order of evaluation.
absl::StatusOr<std::vector<ExplainedNode>> ExplainWitness(const RuleCase& rule_case, const Witness& witness);

// "0x3f800000 (1)" for a float-sized pattern, "0x05" else; digits padded to the size.
std::string SpellValue(uint64_t value, int bits);

// "0x3f800000": padded to the size.
std::string SpellHex(uint64_t value, int bits);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_EXPLAIN_H_
