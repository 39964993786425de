#include "verifier/mesa/mesa_reading.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/dialect/lowering.h"
#include "ir/match/relation.h"
#include "ir/op_table.h"

namespace rewrought::verifier {
namespace {

ir::NodeIndex Append(ir::Node node, ir::Term* term) {
  term->nodes.push_back(std::move(node));
  return static_cast<ir::NodeIndex>(term->nodes.size() - 1);
}

bool Has(const ir::Node& node, absl::string_view predicate) {
  return std::find(node.predicates.begin(), node.predicates.end(), predicate) != node.predicates.end();
}

// Replaces each node for which `is_wanted` holds with the nodes that `append` appends.
void SpellOut(bool (*is_wanted)(const ir::Node&), const std::function<ir::NodeIndex(ir::Node, ir::Term*)>& append,
              ir::Term* term) {
  if (std::none_of(term->nodes.begin(), term->nodes.end(), is_wanted)) return;
  ir::Term spelled;
  std::vector<ir::NodeIndex> place(term->nodes.size());
  for (ir::NodeIndex i = 0; i < term->nodes.size(); ++i) {
    ir::Node node = term->nodes[i];
    for (ir::Source& source : node.sources) source.node = place[source.node];
    place[i] = is_wanted(node) ? append(std::move(node), &spelled) : Append(std::move(node), &spelled);
  }
  spelled.root = place[term->root];
  *term = std::move(spelled);
}

ir::Node OpNode(const char* op, int bits, int components, std::vector<ir::Source> sources) {
  ir::Node node;
  node.kind = ir::NodeKind::kOp;
  node.op = ir::FindOp(op);
  node.bits = static_cast<uint8_t>(bits);
  node.components = static_cast<uint8_t>(components);
  node.sources = std::move(sources);
  return node;
}

void MaskRoot(uint64_t mask, ir::Term* term) {
  const ir::Node root = term->root_node();
  ir::Node constant;
  constant.kind = ir::NodeKind::kConstant;
  constant.bits = root.bits;
  constant.components = root.components;
  std::fill(constant.values.begin(), constant.values.end(), mask);
  const ir::NodeIndex literal = Append(std::move(constant), term);
  ir::Node mask_op = OpNode("iand", root.bits, root.components, {{term->root}, {literal}});
  mask_op.predicates = {std::string(kUserOfRoot)};
  term->root = Append(std::move(mask_op), term);
}

// Appends an instruction with `flags` that reads the root as a float.
void ReadRootAsFloat(uint8_t flags, ir::Term* term) {
  const ir::Node root = term->root_node();
  ir::Node reader = OpNode("fneg", root.bits, root.components, {{term->root}});
  reader.flags = flags;
  reader.predicates = {std::string(kUserOfRoot)};
  term->root = Append(std::move(reader), term);
}

// A packed conversion: `packing` packs or unpacks bits, and `conversion` converts each half.
struct PackedConversion {
  const char* op;
  const char* packing;
  const char* conversion;
  bool packs;
  int components;  // of the packed or unpacked vector
};

constexpr PackedConversion kPackedConversions[] = {
    {"pack_half_2x16", "pack_32_2x16", "f2f16_rtne", true, 2},
    {"pack_half_2x16_split", "pack_32_2x16_split", "f2f16_rtne", true, 1},
    {"pack_half_2x16_rtz_split", "pack_32_2x16_split", "f2f16_rtz", true, 1},
    {"unpack_half_2x16", "unpack_32_2x16", "f2f32", false, 2},
    {"unpack_half_2x16_split_x", "unpack_32_2x16_split_x", "f2f32", false, 1},
    {"unpack_half_2x16_split_y", "unpack_32_2x16_split_y", "f2f32", false, 1},
};

const PackedConversion* FindPackedConversion(const ir::Node& node) {
  if (node.kind != ir::NodeKind::kOp) return nullptr;
  for (const PackedConversion& row : kPackedConversions) {
    if (node.op->name == row.op) return &row;
  }
  return nullptr;
}

// Returns an op that copies a packed word. Its flags are those of the packed conversion, whose result is undefined if
// the flags exclude one of its operands.
const ir::OpRow& WordOfFloats(bool split) {
  static const auto row = [](std::vector<ir::OperandType> sources) {
    return ir::OpRow{.name = "word_of_floats",
                     .result = {ir::BaseType::kUint, 32, 1},
                     .sources = std::move(sources),
                     .meaning = "a",
                     .reference = "Mesa 25.0.7 nir.h nir_alu_instr_is_nan_preserve"};
  };
  constexpr ir::OperandType kWord = {ir::BaseType::kUint, 32, 1}, kFloat = {ir::BaseType::kFloat, 32, 1};
  static const ir::OpRow split_row = row({kWord, kFloat, kFloat});
  static const ir::OpRow vector_row = row({kWord, {ir::BaseType::kFloat, 32, 2}});
  return split ? split_row : vector_row;
}

// Appends the packing of `halves`, the converted operands of `node`, and returns its index.
ir::NodeIndex AppendPack(const PackedConversion& row, ir::Node node, std::vector<ir::Source> halves, ir::Term* term) {
  const std::vector<ir::Source> floats = std::exchange(node.sources, std::move(halves));
  const uint8_t marks = node.flags & (ir::kRootMarks | ir::kPermissions);
  node.op = ir::FindOp(row.packing);
  node.flags &= static_cast<uint8_t>(~marks);
  if (marks == 0) return Append(std::move(node), term);
  std::vector<std::string> predicates = std::exchange(node.predicates, {std::string(kPart)});
  const ir::NodeIndex pack = Append(std::move(node), term);
  ir::Node word = OpNode(row.packing, 32, 1, {{pack}});
  word.predicates = std::move(predicates);
  word.op = &WordOfFloats(row.components == 1);
  word.flags = marks;
  word.sources.insert(word.sources.end(), floats.begin(), floats.end());
  return Append(std::move(word), term);
}

// Appends the conversions and the packing that a packed conversion consists of. Each half of a pack inherits those of
// the pack's flags that are in `half_flags`.
ir::NodeIndex AppendPackedConversion(uint8_t half_flags, ir::Node node, ir::Term* term) {
  const PackedConversion& row = *FindPackedConversion(node);
  if (row.packs) {
    std::vector<ir::Source> halves;
    for (const ir::Source& source : node.sources) {
      ir::Node half = OpNode(row.conversion, 16, row.components, {source});
      half.flags = node.flags & half_flags;  // the other flags are those of the word
      half.predicates = {std::string(halves.empty() ? kFirstHalf : kSecondHalf)};
      halves.push_back({Append(std::move(half), term)});
    }
    return AppendPack(row, std::move(node), std::move(halves), term);
  }
  ir::Node half = OpNode(row.packing, 16, node.components, node.sources);
  half.predicates = {std::string(kPart)};
  node.op = ir::FindOp(row.conversion);
  node.sources = {{Append(std::move(half), term)}};
  return Append(std::move(node), term);
}

// fsign of a NaN may also be 1 or -1. A row cannot express this, because its only choice between numbers is a zero's
// sign. For a NaN, the choice in this row therefore decides whether the result stays a zero or becomes ±1 with the same
// sign.
const ir::OpRow& MagnitudeChoice() {
  static const ir::OpRow row = {.name = "fsign_of_nan_choice",
                                .result = {ir::BaseType::kFloat},
                                .sources = {{ir::BaseType::kFloat}},
                                .meaning = "(f 0.0)",
                                .free_zero = "(isnan a)",
                                .reference = "Mesa 25.0.7 nir_opcodes.py fsign"};
  return row;
}

// Returns an op that copies bits, and thus preserves the results that the flags of the fsign permit.
const ir::OpRow& SignOrOne() {
  static const ir::OpRow row = {.name = "fsign_of_nan",
                                .result = {ir::BaseType::kUint},
                                .sources = {{ir::BaseType::kUint}, {ir::BaseType::kUint}},
                                .meaning = "(ite (eq b 0) a (or a (f 1.0)))",
                                .reference = "Mesa 25.0.7 nir_opcodes.py fsign",
                                .free_sizes = {16, 32, 64}};
  return row;
}

ir::NodeIndex AppendSign(ir::Node sign, ir::Term* term) {
  const int bits = sign.bits, components = sign.components;
  const std::vector<ir::Source> source = sign.sources;
  std::vector<std::string> predicates = std::exchange(sign.predicates, {std::string(kPart)});
  const ir::NodeIndex plain = Append(std::move(sign), term);
  ir::Node choice = OpNode("fsign", bits, components, source);
  choice.op = &MagnitudeChoice();
  choice.predicates = {std::string(kPart)};
  const ir::NodeIndex chosen = Append(std::move(choice), term);
  ir::Node joined = OpNode("fsign", bits, components, {{plain}, {chosen}});
  joined.op = &SignOrOne();
  joined.predicates = std::move(predicates);
  return Append(std::move(joined), term);
}

bool IsSign(const ir::Node& node) { return node.kind == ir::NodeKind::kOp && node.op->name == "fsign"; }

bool IsMultiplyAdd(const ir::Node& node) {
  return node.kind == ir::NodeKind::kOp && (node.op->name == "fmad" || node.op->name == "fmadz");
}

bool IsWeakMultiplyAdd(const ir::Node& node) { return node.kind == ir::NodeKind::kOp && node.op->name == "ffma_weak"; }

// Returns an op whose result, +0 or -0, is a device's choice between the fused and the unfused result of ffma_weak.
const ir::OpRow& FusionChoice() {
  static const ir::OpRow row = {.name = "ffma_weak_choice",
                                .result = {ir::BaseType::kFloat},
                                .sources = {{ir::BaseType::kFloat}},
                                .meaning = "(f 0.0)",
                                .free_zero = "(lit 1 1)",
                                .reference = "Mesa 26.2.0-rc1 nir_opcodes.py ffma_weak"};
  return row;
}

// Returns an op that copies the bits of the fused or of the unfused result.
const ir::OpRow& FusedOrNot() {
  static const ir::OpRow row = {.name = std::string(ir::kWeakResult),
                                .result = {ir::BaseType::kUint},
                                .sources = {{ir::BaseType::kUint}, {ir::BaseType::kUint}, {ir::BaseType::kUint}},
                                .meaning = "(ite (eq c 0) a b)",
                                .reference = "Mesa 26.2.0-rc1 nir_opcodes.py ffma_weak",
                                .free_sizes = {16, 32, 64}};
  return row;
}

// Appends the product and the sum of an fmad, an fmadz, or an unfused ffma_weak of Mesa 26. Both have the flags of the
// instruction.
ir::NodeIndex AppendMultiplyAdd(ir::Node node, ir::Term* term) {
  ir::Node product = OpNode(node.op->name == "fmadz" ? "fmulz" : "fmul", node.bits, node.components,
                            {node.sources[0], node.sources[1]});
  product.flags = node.flags;
  product.predicates = node.predicates;
  product.predicates.emplace_back(kFirstHalf);  // no other instruction reads the product
  const ir::NodeIndex factor = Append(std::move(product), term);
  node.op = ir::FindOp("fadd");
  node.sources = {{factor}, node.sources[2]};
  return Append(std::move(node), term);
}

// Appends both results of an ffma_weak of Mesa 26, and the choice between them. Each instruction chooses separately.
ir::NodeIndex AppendWeakMultiplyAdd(ir::Node node, ir::Term* term) {
  const int bits = node.bits, components = node.components;
  const ir::Source first = node.sources[0];
  std::vector<std::string> predicates = node.predicates;
  node.predicates.emplace_back(kFirstHalf);
  ir::Node fused = node;
  fused.op = ir::FindOp("ffma");
  const ir::NodeIndex once = Append(std::move(fused), term);
  const ir::NodeIndex twice = AppendMultiplyAdd(std::move(node), term);
  ir::Node choice = OpNode("fneg", bits, components, {first});
  choice.op = &FusionChoice();
  choice.predicates = {std::string(kSecondHalf)};
  const ir::NodeIndex chosen = Append(std::move(choice), term);
  ir::Node joined = OpNode("fneg", bits, components, {{once}, {twice}, {chosen}});
  joined.op = &FusedOrNot();
  joined.predicates = std::move(predicates);
  return Append(std::move(joined), term);
}

bool IsPartOfInstruction(const ir::Node& node) {
  return Has(node, kFirstHalf) || Has(node, kSecondHalf) || Has(node, kPart);
}

// Removes nsz from the inner nodes of the search that may have other users, and from the nodes on which they depend. A
// part of an instruction and a node marked is_used_once have no other users. Keeps the marks of unknown flags, because
// a rule must be correct without these flags, too.
void FixSignsWithOtherUsers(ir::Term* search) {
  std::vector<bool> fixed(search->nodes.size());  // whether a node above is fixed
  ir::NodeIndex instruction = search->root;
  while (Has(search->at(instruction), kUserOfRoot)) instruction = search->at(instruction).sources[0].node;
  for (ir::NodeIndex i = instruction; i-- > 0;) {
    ir::Node& node = search->nodes[i];
    if (!fixed[i] && (IsPartOfInstruction(node) || Has(node, "is_used_once"))) continue;
    node.flags &= static_cast<uint8_t>(~ir::kNoSignedZero);
    for (const ir::Source& source : node.sources) fixed[source.node] = true;
  }
}

}  // namespace

void ReadSignsAsNumbers(RuleCase* rule_case) {
  for (ir::Term* side : {&rule_case->search, &rule_case->replace}) {
    for (ir::Node& node : side->nodes) {
      for (ir::Source& source : node.sources) {
        const ir::Node& below = side->nodes[source.node];
        if (below.op == &SignOrOne()) source.node = below.sources[0].node;
      }
    }
    if (side->root_node().op == &SignOrOne()) side->root = side->root_node().sources[0].node;
  }
}

void ReadAsMesa(RuleCase* rule_case) {
  if (rule_case->search.nodes.empty() || rule_case->replace.nodes.empty()) return;
  MarkUnknownFlags(rule_case);
  if (ir::HasRelation(rule_case->search) && ir::CheckRelation(rule_case->search).ok()) {
    const ir::Term relation = ir::RelationOf(rule_case->search);
    rule_case->search = ir::Matched(rule_case->search);
    ReadAsMesa(rule_case);
    rule_case->search = ir::WithRelation(std::move(rule_case->search), relation);
    return;
  }
  const std::vector<std::string> marks = rule_case->search.root_node().predicates;
  const int bits = rule_case->search.root_node().bits;
  const auto has = [&](const char* mark) { return std::find(marks.begin(), marks.end(), mark) != marks.end(); };
  // In nir-26, a pack that lacks preserve_sz may read a zero with either sign.
  uint8_t half_flags = ir::kExact | ir::kInexact;
  if (rule_case->dialect == ir::Dialect::kNir26) half_flags |= ir::kNoSignedZero | ir::kRootNoSignedZero;
  for (ir::Term* side : {&rule_case->search, &rule_case->replace}) {
    const auto append = [&](ir::Node node, ir::Term* term) {
      return AppendPackedConversion(half_flags, std::move(node), term);
    };
    SpellOut([](const ir::Node& node) { return FindPackedConversion(node) != nullptr; }, append, side);
    SpellOut(&IsSign, &AppendSign, side);
    SpellOut(&IsMultiplyAdd, &AppendMultiplyAdd, side);
    SpellOut(&IsWeakMultiplyAdd, &AppendWeakMultiplyAdd, side);
    if (has("only_lower_8_bits_used") && bits > 8) MaskRoot(0xff, side);
    if (has("only_lower_16_bits_used") && bits > 16) MaskRoot(0xffff, side);
    if (has("is_only_used_as_float") && bits >= 16) ReadRootAsFloat(0, side);
    if (has("is_only_used_as_float_nsz") && bits >= 16) ReadRootAsFloat(ir::kNoSignedZero, side);
  }
  if (rule_case->other_users) FixSignsWithOtherUsers(&rule_case->search);
}

RuleCase CaseAsMesa(ir::Term search, ir::Term replace) {
  RuleCase rule_case{std::move(search), std::move(replace)};
  ReadAsMesa(&rule_case);
  const bool floats = ir::HasFloatOperation(rule_case.search) || ir::HasFloatOperation(rule_case.replace);
  rule_case.mode = floats ? ir::DenormMode::kAny : ir::DenormMode::kNone;
  return rule_case;
}

}  // namespace rewrought::verifier
