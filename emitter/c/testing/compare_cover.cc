#include "emitter/c/testing/compare_cover.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "ir/match/facts.h"
#include "machine/base/base_rules.h"
#include "machine/select/cover.h"

namespace rewrought::emitter {
namespace {

using machine::Instruction;
using machine::Operand;
using machine::OperandKind;
using machine::select::Tile;
using machine::select::TileOperand;

// Prints pieces of code from the runtime and from the selector in a common format.
struct Words {
  const rw_tables& t;
  const machine::Machine& m;

  std::string Of(const Operand& o) const {
    const std::string name = o.kind == OperandKind::kImmediate ? absl::StrCat("0x", absl::Hex(o.bits)) : o.name;
    std::string text = absl::StrCat(o.kind == OperandKind::kNull ? "null" : name, "(", m.types()[o.type].name, ")",
                                    o.subscript, o.uniform ? "u" : "", "/", o.negated, "/", o.mask, "/");
    for (int c = 0; c < ir::kShaderComponents; ++c) absl::StrAppend(&text, o.swizzle[c]);
    for (const machine::ModifierIndex modifier : o.modifiers) absl::StrAppend(&text, "^", m.modifiers()[modifier].id);
    return text;
  }

  // Returns the text of an operand. `type` is the type of a destination, and null for a source, which has a shape
  // instead.
  std::string Of(const rw_operand& o, uint64_t bits, const uint8_t* type) const {
    const rw_shape* shape = type == nullptr ? &t.shapes[o.shape] : nullptr;
    std::string text = absl::StrCat(NameOf(o, bits), "(", t.names[t.types[type != nullptr ? *type : shape->type].name],
                                    ")", o.subscript == RW_NONE8 ? -1 : o.subscript, (o.flags & RW_UNIFORM) ? "u" : "",
                                    "/", o.negated, "/", o.mask, "/");
    for (int c = 0; c < ir::kShaderComponents; ++c) absl::StrAppend(&text, o.swizzle >> 4 * c & 0xf);
    for (int i = 0; shape != nullptr && i < shape->modifier_count; ++i) {
      absl::StrAppend(&text, "^", t.names[t.modifiers[shape->modifiers[i]].name]);
    }
    return text;
  }

  std::string NameOf(const rw_operand& o, uint64_t bits) const {
    switch (o.kind) {
      case RW_NULL:
        return "null";
      case RW_IMMEDIATE:
        return absl::StrCat("0x", absl::Hex(bits));
      case RW_VALUE:
        return absl::StrCat("%", o.ref);
      case RW_LOADED:
        return absl::StrCat("k", o.ref);
      case RW_MOVED:
        return absl::StrCat("%u", o.ref);
      case RW_TEMPORARY:
        return t.names[o.ref];
      default:
        return "r";
    }
  }

  std::string Of(const Instruction& i) const {
    std::string text = absl::StrCat(i.variant->mnemonic, " ", i.choice, " ", i.flag_choice, " ", i.flag, " ",
                                    i.predicate, i.predicate_inverted, i.saturated, " ", Of(i.destination));
    for (const Operand& source : i.sources) absl::StrAppend(&text, ", ", Of(source));
    for (const machine::ModifierIndex modifier : i.destination_modifiers) {
      absl::StrAppend(&text, " .", m.modifiers()[modifier].id);
    }
    return text;
  }

  std::string Of(const rw_instruction& i) const {
    const auto number = [](uint8_t index) { return index == RW_NONE8 ? -1 : index; };
    const auto flag = [&](uint8_t index) { return index == RW_NONE8 ? "" : t.names[t.flags[index]]; };
    const rw_word& word = *i.word;
    std::string text = absl::StrCat(t.names[i.form->name], " ", number(word.choice), " ", number(word.flag_choice), " ",
                                    flag(word.flag), " ", flag(word.predicate), word.inverted, word.saturated, " ",
                                    Of(i.destination, 0, &word.type));
    for (int k = 0; k < i.form->source_count; ++k) absl::StrAppend(&text, ", ", Of(i.sources[k], i.bits[k], nullptr));
    for (const uint8_t modifier : word.destination_modifiers) {
      if (modifier != RW_NONE8) absl::StrAppend(&text, " .", t.names[t.modifiers[modifier].name]);
    }
    return text;
  }
};

struct Driver {
  Words words;
  const machine::select::ScalarShader& scalar;
  const ir::FactCallback& facts;
  std::map<uint32_t, std::string> pieces;  // Keyed by root.
  std::vector<uint32_t> uncovered;
};

bool Fact(void* context, uint16_t name, uint32_t node, uint8_t base) {
  const Driver& driver = *static_cast<Driver*>(context);
  ir::PredicateQuery query;
  query.predicate = driver.words.t.names[name];
  query.term = &driver.scalar.shader.values;
  query.value.node = node;
  query.base = base == RW_BASE_FLOAT  ? ir::BaseType::kFloat
               : base == RW_BASE_INT  ? ir::BaseType::kInt
               : base == RW_BASE_BOOL ? ir::BaseType::kBool
                                      : ir::BaseType::kUint;
  query.uses = driver.scalar.uses[node];
  return driver.facts(query);
}

int Emit(void* context, uint32_t root, const rw_instruction* instruction) {
  Driver& driver = *static_cast<Driver*>(context);
  const rw_operand& to = instruction->destination;
  const bool is_read = to.kind == RW_LOADED || to.kind == RW_MOVED;
  absl::StrAppend(&driver.pieces[root], is_read ? driver.words.NameOf(to, 0) : driver.words.Of(*instruction), "; ");
  return 0;
}

std::string TextOf(const Tile& tile, const Words& words) {
  std::string text;
  for (const auto& [name, operand] : tile.operands) {
    if (operand.kind != TileOperand::kValue) absl::StrAppend(&text, name, "; ");
  }
  for (const Instruction& instruction : tile.code) absl::StrAppend(&text, words.Of(instruction), "; ");
  return text;
}

std::string DifferenceOf(const Driver& driver, const machine::select::Cover& cover) {
  for (const Tile& tile : cover.tiles) {
    const std::string wanted = TextOf(tile, driver.words);
    const auto found = driver.pieces.find(tile.root);
    if (found != driver.pieces.end() && found->second == wanted) continue;
    return absl::StrCat("node ", tile.root, ": ", wanted, " | ",
                        found == driver.pieces.end() ? "nothing" : found->second);
  }
  if (driver.pieces.size() != cover.tiles.size())
    return "the runtime selects code for a value that the selector does not cover";
  return "";
}

}  // namespace

RuntimeShader::RuntimeShader(const rw_tables& tables, const machine::select::ScalarShader& scalar) {
  const ir::Term& term = scalar.shader.values;
  std::map<std::string, uint16_t> ops;
  for (const ir::Node& node : term.nodes) {
    for (const ir::Source& source : node.sources) sources_.push_back(source.node);
    if (node.kind == ir::NodeKind::kOp) ops.try_emplace(node.op->name, rw_find_op(&tables, node.op->name.c_str()));
  }
  const uint32_t* sources = sources_.data();
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.at(i);
    const ir::ShaderValueInfo& info = scalar.shader.info[i];
    rw_node row = {};
    row.op = node.kind == ir::NodeKind::kOp         ? ops.at(node.op->name)
             : node.kind == ir::NodeKind::kConstant ? static_cast<uint16_t>(RW_CONSTANT)
                                                    : static_cast<uint16_t>(RW_OPAQUE);
    row.bits = node.bits;
    row.flags = node.flags & (RW_EXACT | RW_NSZ | RW_NNAN | RW_NINF);
    if (info.uniform) row.flags |= RW_IS_UNIFORM;
    if (scalar.outside_uses[i] > 0) row.flags |= RW_NEEDED;
    row.source_count = static_cast<uint32_t>(node.sources.size());
    row.sources = sources;
    sources += node.sources.size();
    row.uses = scalar.uses[i], row.block = info.block;
    if (node.kind == ir::NodeKind::kConstant) row.value = machine::ConstantBits(node);
    nodes_.push_back(row);
  }
}

CoverComparison CompareCover(const PackSelection& selection, const rw_tables& tables,
                             const machine::select::ScalarShader& scalar, const ir::FactCallback& facts) {
  CoverComparison result;
  const RuntimeShader shader(tables, scalar);
  Driver context{{tables, *selection.machine}, scalar, facts, {}, {}};
  const rw_driver driver = {.context = &context,
                            .fact = &Fact,
                            .allows = [](void*, uint16_t) { return true; },
                            .emit = &Emit,
                            .uncovered =
                                [](void* context, uint32_t node) {
                                  static_cast<Driver*>(context)->uncovered.push_back(node);
                                  return 0;
                                }};
  const auto count = static_cast<uint32_t>(shader.nodes().size());
  std::vector<uint64_t> memory(rw_memory(count) / sizeof(uint64_t) + 1);
  result.status = rw_select(&tables, shader.nodes().data(), count, &driver, memory.data(),
                            memory.size() * sizeof(uint64_t), &result.runtime);
  const absl::StatusOr<machine::select::Cover> cover = machine::select::CoverShader(
      *selection.rules, scalar, {.kind = machine::select::CoverKind::kTree, .allow_uncovered = true, .facts = facts});
  if (!cover.ok()) return result.difference = std::string(cover.status().message()), result;
  result.selector_cost = cover->cost;
  result.selector_pieces = cover->tiles.size();
  for (const Tile& tile : cover->tiles) {
    result.selector_instructions += tile.code.size();
    result.from_pack += tile.from_pack != nullptr;
  }
  for (const auto& [op, times] : cover->uncovered) result.selector_uncovered += times;
  result.difference =
      result.status != RW_OK ? absl::StrCat("status ", static_cast<int>(result.status)) : DifferenceOf(context, *cover);
  if (result.difference.empty() && result.runtime.cost != cover->cost) {
    result.difference = absl::StrCat("cost ", cover->cost, " | ", result.runtime.cost);
  }
  if (result.difference.empty() && context.uncovered.size() != result.selector_uncovered) {
    result.difference = absl::StrCat("uncovered ", result.selector_uncovered, " | ", context.uncovered.size());
  }
  result.same = result.difference.empty();
  return result;
}

}  // namespace rewrought::emitter
