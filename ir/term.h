// Terms: DAGs of ops over variables and constants, harvested from shaders or written in rules. In a rule, sizes may be
// open (`bits` 0) until ir/text/sizes.h fixes them; in a fragment, every size is known.
#ifndef REWROUGHT_IR_TERM_H_
#define REWROUGHT_IR_TERM_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/op_row.h"

namespace rewrought::ir {

// Shader readers and machines split values with more components than this.
inline constexpr int kShaderComponents = 4;
using NodeIndex = uint32_t;
using Swizzle = std::array<uint8_t, kMaxComponents>;
inline constexpr Swizzle kIdentitySwizzle = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
inline constexpr uint16_t kWritesAll = 0xffff;

// Marks on an op node. At nodes where they have an effect (ir/match/matcher_model.h), nsz, nnan, and ninf permit
// additional results. kInexact (`~`) and kExact restrict where a rule applies and do not change the meaning.
enum NodeFlag : uint8_t {
  kExact = 1u << 0,         // a matched `exact`, or `!` on the replacement side
  kInexact = 1u << 1,       // `~`
  kNoSignedZero = 1u << 2,  // nsz
  kNoNan = 1u << 3,         // nnan
  kNoInf = 1u << 4,         // ninf
  // The node has the flag if and only if the matched root has the flag for the node's size. Only terms built by
  // BuildAsMesa, and their searches, have these marks.
  kRootNoSignedZero = 1u << 5,
  kRootNoNan = 1u << 6,
  kRootNoInf = 1u << 7,
};

// The flags that permit additional results.
inline constexpr uint8_t kPermissions = kNoSignedZero | kNoNan | kNoInf;
inline constexpr uint8_t kRootMarks = kRootNoSignedZero | kRootNoNan | kRootNoInf;

// A use of a node: component i of the user reads component swizzle[i] of `node`.
struct Source {
  NodeIndex node = 0;
  Swizzle swizzle = kIdentitySwizzle;

  friend bool operator==(const Source&, const Source&) = default;
};

enum class NodeKind : uint8_t { kVariable, kConstant, kOp };

// The form in which a constant was written; `kBits` is a pattern of the node's size.
enum class LiteralKind : uint8_t { kBits, kBool, kInt, kFloat };

struct Node {
  NodeKind kind = NodeKind::kVariable;
  uint8_t bits = 0;                  // size of a component; 0 if open
  uint8_t components = 1;            // 1 to kMaxComponents
  uint8_t flags = 0;                 // NodeFlag
  uint16_t write_mask = kWritesAll;  // components that the node defines; the others are undefined (poison)

  // kOp
  const OpRow* op = nullptr;
  std::vector<Source> sources;

  // kVariable
  std::string name;
  bool constant_only = false;  // `#a`
  bool typed = false;          // `a@float`: the value must be the result of an op of that type
  BaseType type = BaseType::kUint;

  // kConstant: one value per component. kBits and kBool: the pattern; kInt: sign-extended to 64 bits; kFloat: a
  // double's bits.
  LiteralKind literal = LiteralKind::kBits;
  std::array<uint64_t, kMaxComponents> values = {};

  // Conditions in a search, with Mesa's names: predicates of variables (`is_not_negative`) and of ops (`is_used_once`).
  std::vector<std::string> predicates;
};

// Nodes are in topological order, sources before users. Several nodes may represent the same variable, identified by
// name. In a canonical term, no two nodes are equal (ir/text/canonical.h).
struct Term {
  std::vector<Node> nodes;
  NodeIndex root = 0;

  const Node& at(NodeIndex index) const { return nodes[index]; }
  const Node& root_node() const { return nodes[root]; }
};

// A rewrite `search -> replace` under a driver's condition, as in Mesa's tuples. Both sides share variables by name.
struct Rule {
  Term search;
  Term replace;
  std::string condition;  // C text over `options->…`; empty if unconditional
  int line = 0;           // 1-based line in the input; 0 if unknown
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TERM_H_
