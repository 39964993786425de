#include "ir/match/matcher_model.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/match/relation.h"
#include "ir/scalar.h"
#include "ir/term_order.h"

namespace rewrought::ir {
namespace {

struct Permission {
  uint8_t flag;
  uint8_t mark;  // on a node that has the flag iff the matched root has it
  absl::string_view name;
};

constexpr Permission kRows[] = {
    {kNoSignedZero, kRootNoSignedZero, "nsz"}, {kNoNan, kRootNoNan, "nnan"}, {kNoInf, kRootNoInf, "ninf"}};

// Returns the maximum number of components that an instruction at `index` can have in a match if its user reads
// `components` lanes.
int MostComponents(const Term& search, NodeIndex index, int components) {
  const Node& node = search.at(index);
  if (node.kind != NodeKind::kOp) return components;
  if (node.op->result.components != 0) return std::min<int>(components, node.op->result.components);
  for (size_t k = 0; k < node.sources.size(); ++k) {
    if (node.op->sources[k].components == 0) components = MostComponents(search, node.sources[k].node, components);
  }
  return components;
}

int ComponentsRead(const Node& reader, size_t k) {
  const int fixed = reader.op->sources[k].components;
  return fixed != 0 ? fixed : reader.components;
}

// Calls `visit` for each operand that is a variable, with the reader, the operand's index, and the variable.
void ForEachVariableRead(const Term& search, const std::function<void(const Node&, size_t, const Node&)>& visit) {
  for (const Node& reader : search.nodes) {
    for (size_t k = 0; k < reader.sources.size(); ++k) {
      const Node& read = search.at(reader.sources[k].node);
      if (read.kind == NodeKind::kVariable) visit(reader, k, read);
    }
  }
}

// Returns the size for which the flags of `node` are read, or 0 if flags permit nothing at the node.
int FlagSize(const Term& term, const Node& node) {
  if (node.kind != NodeKind::kOp) return 0;
  if (!FlagsApplyToOperands(*node.op)) return FlagPermits(*node.op, node.bits) ? node.bits : 0;
  for (size_t k = 0; k < node.sources.size(); ++k) {
    if (node.op->sources[k].base == BaseType::kFloat) return term.at(node.sources[k].node).bits;
  }
  return 0;
}

uint32_t ComponentMask(const Node& reader, size_t k) {
  uint32_t mask = 0;
  for (int c = 0; c < ComponentsRead(reader, k); ++c) mask |= 1u << reader.sources[k].swizzle[c];
  return mask;
}

}  // namespace

absl::Status CheckSearchSwizzles(const Term& search) {
  absl::Status status;
  ForEachVariableRead(search, [&](const Node& reader, size_t k, const Node& variable) {
    for (int c = 0; c < ComponentsRead(reader, k); ++c) {
      if (reader.sources[k].swizzle[c] == c) continue;
      status = absl::InvalidArgumentError(
          absl::StrCat("Mesa's matcher ignores the swizzle of '", variable.name, "' in the search side"));
    }
  });
  return status;
}

uint32_t ComponentsOfEveryReader(const Term& search, absl::string_view variable) {
  uint32_t mask = ~0u;
  ForEachVariableRead(search, [&](const Node& reader, size_t k, const Node& read) {
    if (read.name == variable) mask &= ComponentMask(reader, k);
  });
  return mask;
}

uint32_t ComponentsOfAnyReader(const Term& search, absl::string_view variable) {
  uint32_t mask = 0;
  ForEachVariableRead(search, [&](const Node& reader, size_t k, const Node& read) {
    if (read.name == variable) mask |= ComponentMask(reader, k);
  });
  return mask;
}

absl::Status CheckVectorRoot(const Rule& rule) {
  const NodeIndex root = MatchedRoot(rule.search);
  if (rule.search.at(root).kind != NodeKind::kOp || rule.search.at(root).op->result.components != 0)
    return absl::OkStatus();
  const int most = MostComponents(rule.search, root, kMaxComponents);
  if (most == 1) return absl::OkStatus();
  // If the replacement's root always has `most` components, Mesa reads as many of them as the matched root has,
  // starting with the first (nir_search.c:466).
  const Node& built = rule.replace.at(rule.replace.root);
  if (built.kind == NodeKind::kOp && built.op->result.components == most) return absl::OkStatus();
  const std::vector<NodeIndex> ops = OpsInPrefixOrder(rule.replace);
  for (const NodeIndex index : ops) {
    const Node& node = rule.replace.at(index);
    const bool fixed_source = std::any_of(node.op->sources.begin(), node.op->sources.end(),
                                          [](const OperandType& source) { return source.components != 0; });
    const bool swizzled = std::any_of(node.sources.begin(), node.sources.end(),
                                      [](const Source& source) { return source.swizzle != kIdentitySwizzle; });
    if (node.op->result.components == 0 && !fixed_source && !swizzled) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the root may be a vector, but ", node.op->name, " in the replacement ",
                     swizzled ? "reads fixed components" : "has a fixed number of components",
                     "; a rule for scalars needs an op with a fixed number of components in its search"));
  }
  return absl::OkStatus();
}

bool MatcherReadsFlags(int bits) { return IsFloatWidth(bits); }

bool FlagPermits(const OpRow& op, int bits) {
  return MatcherReadsFlags(bits) && (op.result.base == BaseType::kFloat || (op.properties & kIsSelection) != 0);
}

bool FlagsApplyToOperands(const OpRow& op) {
  return op.result.base != BaseType::kFloat &&
         std::any_of(op.sources.begin(), op.sources.end(),
                     [](const OperandType& source) { return source.base == BaseType::kFloat; });
}

uint8_t FlagsOfBuiltNode(const Node& root, const OpRow& op, int bits, bool exact) {
  // Without a float result, the sign of a zero has no effect.
  if (FlagsApplyToOperands(op)) return exact ? 0 : kRootNoNan | kRootNoInf;
  uint8_t flags = 0;
  if (!MatcherReadsFlags(bits)) return flags;
  for (const Permission& row : kRows) {
    const bool known = (root.flags & row.flag) != 0 && root.bits == bits;
    if (known) {
      flags |= row.flag;
    } else if (op.result.base == BaseType::kFloat) {
      flags |= row.mark;
    }
  }
  return flags;
}

bool MakeComparisonsExact(Term* replacement) {
  bool changed = false;
  for (Node& node : replacement->nodes) {
    if (node.kind != NodeKind::kOp || !FlagsApplyToOperands(*node.op) || (node.flags & kExact) != 0) continue;
    node.flags |= kExact;
    changed = true;
  }
  return changed;
}

uint8_t RootMark(uint8_t permission) {
  for (const Permission& row : kRows) {
    if (row.flag == permission) return row.mark;
  }
  return 0;
}

void MarkUnknownFlags(const Term& built, Term* search) {
  Node& root = search->nodes[MatchedRoot(*search)];
  const int bits = FlagSize(*search, root);
  if (bits == 0) return;
  for (const Node& node : built.nodes) {
    if (FlagSize(built, node) == bits) root.flags |= node.flags & kRootMarks;
  }
}

std::string RootFlagInput(uint8_t permission, int bits) {
  for (const Permission& row : kRows) {
    if (row.flag == permission) return absl::StrCat("root_", row.name, bits == 0 ? "" : absl::StrCat(bits));
  }
  return "";
}

std::string RootFlagText(absl::string_view input, int root_bits) {
  if (input == kRootExactInput) return "exact";
  for (const Permission& row : kRows) {
    if (input == absl::StrCat("root_", row.name, root_bits) || input == absl::StrCat("root_", row.name))
      return std::string(row.name);
    if (absl::StartsWith(input, absl::StrCat("root_", row.name, "_n")))
      return absl::StrCat(row.name, " of one instruction");
    for (const int bits : {16, 32, 64}) {
      if (input == absl::StrCat("root_", row.name, bits)) return absl::StrCat(row.name, " (", bits, "-bit)");
    }
  }
  return std::string(input);
}

bool IsRootFlagInput(absl::string_view input) { return input == kRootExactInput || absl::StartsWith(input, "root_n"); }

}  // namespace rewrought::ir
