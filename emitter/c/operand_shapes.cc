#include "emitter/c/operand_shapes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/c/condition_steps.h"
#include "ir/dag.h"
#include "machine/legality.h"

namespace rewrought::emitter {
namespace {

using machine::Instruction;
using machine::Modifier;
using machine::ModifierIndex;
using machine::Operand;
using machine::OperandKind;
using machine::OperandRule;
using machine::TypeIndex;

// A source at one position of its instruction.
struct SourceForm {
  size_t place = 0;
  TypeIndex type = -1;
  std::vector<ModifierIndex> modifiers;  // In the order of application.
  bool immediate = false;
};

enum class ConstantEffect { kNothing, kFneg, kFabs, kIneg, kIabs, kInot };

// Returns the modifier's effect on the bits of a constant, if it is supported.
ConstantEffect EffectOf(const Modifier& modifier) {
  const std::string& op = modifier.nir;
  return op == "fneg"   ? ConstantEffect::kFneg
         : op == "fabs" ? ConstantEffect::kFabs
         : op == "ineg" ? ConstantEffect::kIneg
         : op == "iabs" ? ConstantEffect::kIabs
         : op == "inot" ? ConstantEffect::kInot
                        : ConstantEffect::kNothing;
}

bool IsPlain(const Operand& operand) { return operand.swizzle == ir::kIdentitySwizzle && operand.negated == 0; }

class ShapeWriter {
 public:
  ShapeWriter(const Instruction& instruction, size_t index, bool may_exchange, TableBuilder* builder)
      : instruction_(instruction),
        written_(instruction.sources[index]),
        may_exchange_(may_exchange && index < 2 && instruction.sources.size() >= 2),
        b_(*builder),
        m_(builder->machine()) {
    const auto& swizzle = written_.swizzle;
    is_mixed_ = swizzle != ir::kIdentitySwizzle &&
                std::any_of(swizzle.begin(), swizzle.end(), [&](uint8_t c) { return c != swizzle[0]; });
    is_fixed_ = may_exchange_ && !IsPlain(written_) && IsFixed(index);
  }

  // Returns the row of `stand`, adding it if it is new. Returns 0 (the illegal shape) if the machine has no such
  // source.
  absl::StatusOr<uint16_t> Add(const SourceForm& stand) {
    if (!IsKnown(stand)) return uint16_t{0};
    const auto [found, is_new] =
        b_.shapes().try_emplace(KeyOf(stand), static_cast<uint16_t>(b_.tables().shapes.size()));
    if (!is_new) return found->second;
    const uint16_t index = found->second;
    b_.tables().shapes.push_back({});
    if (absl::Status status = b_.CheckSizes(); !status.ok()) return status;
    rw_shape row = {};
    if (absl::Status status = Fill(stand, &row); !status.ok()) return status;
    b_.tables().shapes[index] = row;
    return index;
  }

 private:
  const OperandRule& RuleAt(size_t place) const { return instruction_.variant->operands[place]; }
  const Modifier& ModifierAt(ModifierIndex index) const { return m_.modifiers()[static_cast<size_t>(index)]; }
  int BitsOf(TypeIndex type) const { return m_.types()[static_cast<size_t>(type)].bits; }
  TypeIndex WantedAt(size_t place) const { return instruction_.variant->sources[place]; }

  // Returns whether exchanging the first two sources is illegal because the other position does not support the swizzle
  // of source `index`.
  bool IsFixed(size_t index) const {
    Instruction moved = instruction_;
    moved.sources[1 - index] = written_;
    const absl::Status status = machine::CheckInstruction(m_, moved);
    return absl::StrContains(status.message(), absl::StrCat("rule 'swizzle': source ", 1 - index));
  }

  // Returns whether the position allows the form. The position must list every modifier, and must support the form's
  // subregister, if any. The modifiers must be in order and must exist for the position's type.
  bool IsKnown(const SourceForm& stand) const {
    const OperandRule& rule = RuleAt(stand.place);
    for (size_t i = 0; i < stand.modifiers.size(); ++i) {
      const Modifier& modifier = ModifierAt(stand.modifiers[i]);
      const auto& listed = rule.modifiers;
      if (std::find(listed.begin(), listed.end(), stand.modifiers[i]) == listed.end()) return false;
      if (!modifier.rows.contains(WantedAt(stand.place))) return false;
      if (i > 0 && modifier.order <= ModifierAt(stand.modifiers[i - 1]).order) return false;
    }
    if (stand.immediate) return true;  // The shape is flagged as illegal if the position accepts no immediate.
    return written_.subscript < 0 || rule.subscript;
  }

  bool TakesImmediate(const SourceForm& stand) const {
    return RuleAt(stand.place).immediate != v1::Immediate::NONE && written_.negated == 0 && !written_.uniform &&
           (written_.subscript < 0 || written_.kind != OperandKind::kImmediate);
  }

  absl::Status Fill(const SourceForm& stand, rw_shape* row) {
    const OperandRule& rule = RuleAt(stand.place);
    row->type = static_cast<uint8_t>(stand.type);
    row->modifier_count = static_cast<uint8_t>(stand.modifiers.size());
    if (stand.modifiers.size() > RW_MODIFIERS)
      return absl::UnimplementedError("has an operand with more than 3 modifiers");
    std::copy(stand.modifiers.begin(), stand.modifiers.end(), row->modifiers);
    row->set = RW_NONE16;
    row->first_load = b_.LoadsOf(stand.type, written_.subscript >= 0);
    row->features = FeaturesOf(stand);
    if (rule.no_uniform) row->flags |= RW_NO_UNIFORM;
    if (may_exchange_ && (stand.immediate || !is_fixed_)) {
      SourceForm exchanged = stand;
      exchanged.place = 1 - stand.place;
      const absl::StatusOr<uint16_t> index = Add(exchanged);
      if (!index.ok()) return index.status();
      row->exchanged = *index;
    }
    if (!stand.immediate) {
      if (rule.immediate_only) row->flags |= RW_ILLEGAL;
      if (absl::Status status = AddFolds(stand, row); !status.ok()) return status;
      return AddImmediate(stand, row);
    }
    if (!TakesImmediate(stand)) {
      row->flags |= RW_ILLEGAL;
      return absl::OkStatus();
    }
    row->set = b_.SetOf(rule, BitsOf(WantedAt(stand.place)), BitsOf(stand.type));
    if (rule.immediate != v1::Immediate::FULL) row->flags |= RW_ONLY_INLINE;
    if (rule.set == nullptr && row->set != RW_NONE16 && b_.Feature("inline") != 0) {
      return absl::UnimplementedError(absl::StrCat(instruction_.variant->mnemonic,
                                                   " accepts immediates of a field, but the machine limits those of a "
                                                   "set"));
    }
    return absl::OkStatus();
  }

  // Adds the ops that can be folded into the source, in the order in which its position lists the modifiers.
  absl::Status AddFolds(const SourceForm& stand, rw_shape* row) {
    std::vector<rw_fold> folds;
    if (written_.subscript >= 0 || stand.type != WantedAt(stand.place)) return absl::OkStatus();
    for (const ModifierIndex index : RuleAt(stand.place).modifiers) {
      const Modifier& modifier = ModifierAt(index);
      if (modifier.nir.empty()) continue;
      SourceForm next = stand;
      const bool widens = modifier.place == v1::Modifier::WIDEN;
      if (widens) {
        next.type = modifier.from;
      } else if (!Compose(index, &next.modifiers)) {
        continue;
      }
      const absl::StatusOr<uint16_t> to = Add(next);
      if (!to.ok()) return to.status();
      if (*to == 0) continue;
      rw_fold fold = {};
      fold.what = b_.Op(modifier.nir), fold.to = *to;
      fold.bits = widens ? static_cast<uint8_t>(BitsOf(modifier.from)) : 0;
      folds.push_back(fold);
    }
    row->fold_count = static_cast<uint8_t>(folds.size());
    row->first_fold = folds.empty() ? 0 : Share(folds, &b_.tables().folds);
    return absl::OkStatus();
  }

  // Adds `inner` as the innermost modifier, unless the next outer modifier cancels or absorbs it. Returns false if
  // there are too many modifiers.
  bool Compose(ModifierIndex inner, std::vector<ModifierIndex>* modifiers) const {
    const ConstantEffect does = EffectOf(ModifierAt(inner));
    const ConstantEffect outer =
        modifiers->empty() ? ConstantEffect::kNothing : EffectOf(ModifierAt(modifiers->front()));
    const bool is_sign = does == ConstantEffect::kFneg || does == ConstantEffect::kIneg;
    const bool is_magnitude = does == ConstantEffect::kFabs || does == ConstantEffect::kIabs;
    if ((outer == ConstantEffect::kFabs || outer == ConstantEffect::kIabs) && (is_sign || is_magnitude)) return true;
    if (does == outer && (is_sign || does == ConstantEffect::kInot)) {
      modifiers->erase(modifiers->begin());
      return true;
    }
    if (modifiers->size() == RW_MODIFIERS) return false;
    modifiers->insert(modifiers->begin(), inner);
    return true;
  }

  // Adds the immediate form of a constant source if a position accepts immediates.
  absl::Status AddImmediate(const SourceForm& stand, rw_shape* row) {
    SourceForm immediate = {.place = stand.place, .type = stand.type, .modifiers = {}, .immediate = true};
    SourceForm other = immediate;
    other.place = 1 - stand.place;
    if (!TakesImmediate(immediate) && !(may_exchange_ && TakesImmediate(other))) return absl::OkStatus();
    // The register of a Boolean may contain a float, but a Boolean has no sign.
    if (BitsOf(stand.type) == 1 && !stand.modifiers.empty()) return absl::OkStatus();
    ir::Dag dag;
    const std::optional<ir::ValueIndex> bits = BitsOfConstant(stand, &dag);
    if (!bits.has_value()) return absl::OkStatus();
    const absl::StatusOr<std::vector<rw_step>> steps = StepsOf(dag, *bits, &b_);
    if (!steps.ok()) return steps.status();
    const absl::StatusOr<uint16_t> index = Add(immediate);
    if (!index.ok()) return index.status();
    row->immediate = *index;
    for (size_t size = 0; size < kLoadSizes.size(); ++size) {
      // Part of a constant is itself a constant, whatever the constant's size.
      if (written_.subscript >= 0 || kLoadSizes[size] == BitsOf(stand.type)) row->immediate_sizes |= 1u << size;
    }
    row->first_step = Share(*steps, &b_.tables().steps);
    row->step_count = static_cast<uint16_t>(steps->size());
    return absl::OkStatus();
  }

  // Returns the bits that the instruction reads for the constant "a", or nullopt if they are unknown.
  std::optional<ir::ValueIndex> BitsOfConstant(const SourceForm& stand, ir::Dag* dag) const {
    const int width = BitsOf(stand.type);
    const uint64_t sign = uint64_t{1} << (width - 1);
    const auto make = [&](ir::Primitive primitive, ir::ValueIndex x, ir::ValueIndex y) {
      return dag->Make(primitive, width, {x, y});
    };
    ir::ValueIndex bits = dag->InputNamed("a", written_.subscript < 0 ? width : 64);
    if (written_.subscript >= 0) {
      bits = dag->Make(ir::Primitive::kExtract, width, {bits}, static_cast<uint64_t>(written_.subscript * width));
    }
    for (const ModifierIndex index : stand.modifiers) {
      const ir::ValueIndex negative = make(ir::Primitive::kSub, dag->Literal(0, width), bits);
      switch (EffectOf(ModifierAt(index))) {
        case ConstantEffect::kFneg:
          bits = make(ir::Primitive::kXor, bits, dag->Literal(sign, width));
          break;
        case ConstantEffect::kFabs:
          bits = make(ir::Primitive::kAnd, bits, dag->Literal(sign - 1, width));
          break;
        case ConstantEffect::kIneg:
          bits = negative;
          break;
        case ConstantEffect::kIabs:
          bits =
              dag->Ite(dag->Make(ir::Primitive::kExtract, 1, {bits}, static_cast<uint64_t>(width - 1)), negative, bits);
          break;
        case ConstantEffect::kInot:
          bits = dag->Not(bits);
          break;
        case ConstantEffect::kNothing:
          return std::nullopt;
      }
    }
    return bits;
  }

  uint64_t FeaturesOf(const SourceForm& stand) const {
    uint64_t features = b_.Feature(absl::StrCat("type:", m_.types()[static_cast<size_t>(stand.type)].name));
    for (const ModifierIndex index : stand.modifiers) {
      features |= b_.Feature(absl::StrCat("mod:", ModifierAt(index).id));
      if (is_mixed_ && !stand.immediate) features |= b_.Feature(absl::StrCat("mixed:", ModifierAt(index).id));
    }
    const TypeIndex wanted = WantedAt(stand.place);
    for (const ModifierIndex index : RuleAt(stand.place).modifiers) {
      const Modifier& widens = ModifierAt(index);
      if (stand.type == wanted || widens.place != v1::Modifier::WIDEN) continue;
      if (widens.from != stand.type || widens.to != wanted) continue;
      features |= b_.Feature(absl::StrCat("mod:", widens.id));
      break;
    }
    if (stand.immediate) {
      features |= b_.Feature("imm") | b_.Feature(absl::StrCat("imm:", stand.place)) |
                  b_.Feature(absl::StrCat("imm_bits:", BitsOf(stand.type)));
      if (!stand.modifiers.empty()) features |= b_.Feature("imm_modified");
      return features;
    }
    if (written_.subscript >= 0) features |= b_.Feature("subscript");
    if (written_.subscript > 0) features |= b_.Feature("subscript_above");
    if (written_.swizzle != ir::kIdentitySwizzle) features |= b_.Feature("swizzled");
    const auto is_constant = [](uint8_t component) { return component >= machine::kSwizzleZero; };
    if (std::any_of(written_.swizzle.begin(), written_.swizzle.end(), is_constant)) {
      features |= b_.Feature("constants");
    }
    return features;
  }

  // Returns a key that contains everything on which a row and its successors depend, so that instructions with equal
  // positions share rows.
  std::string KeyOf(const SourceForm& stand) const {
    std::string key = absl::StrCat(PlaceKey(stand.place), "|", may_exchange_ ? PlaceKey(1 - stand.place) : "-", "|",
                                   stand.type, stand.immediate ? "i" : "r", absl::StrJoin(stand.modifiers, ","), "|",
                                   is_fixed_, written_.subscript, written_.uniform, written_.negated, is_mixed_);
    for (const uint8_t component : written_.swizzle) absl::StrAppend(&key, " ", component);
    return absl::StrCat(key, written_.kind == OperandKind::kImmediate ? "w" : "");
  }

  std::string PlaceKey(size_t place) const {
    const OperandRule& rule = RuleAt(place);
    return absl::StrCat(WantedAt(place), " ", static_cast<int>(rule.immediate),
                        rule.set != nullptr ? rule.set->id() : "", " ", rule.immediate_only, rule.no_uniform,
                        rule.subscript, " ", b_.Feature(absl::StrCat("imm:", place)), " ",
                        absl::StrJoin(rule.modifiers, ","));
  }

  const Instruction& instruction_;
  const Operand& written_;
  const bool may_exchange_;
  TableBuilder& b_;
  const machine::Machine& m_;
  bool is_mixed_ = false, is_fixed_ = false;
};

}  // namespace

absl::StatusOr<uint16_t> ShapeOf(const Instruction& instruction, size_t index, bool may_exchange,
                                 TableBuilder* builder) {
  const Operand& written = instruction.sources[index];
  SourceForm stand{index, written.type, {}, written.kind == OperandKind::kImmediate};
  stand.modifiers.assign(written.modifiers.begin(), written.modifiers.end());
  absl::StatusOr<uint16_t> shape = ShapeWriter(instruction, index, may_exchange, builder).Add(stand);
  if (shape.ok() && *shape == 0) return absl::UnimplementedError("has an operand that is not allowed at its position");
  return shape;
}

}  // namespace rewrought::emitter
