#include "machine/select/pack_components.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "machine/legality.h"

namespace rewrought::machine::select {
namespace {

constexpr uint8_t kNowhere = 0xff;

// The location of a value: its component c is in component `components[c]` of the register.
struct Place {
  ValueId reg = kNoValue;
  std::array<uint8_t, ir::kShaderComponents> components = {kNowhere, kNowhere, kNowhere, kNowhere};
};

bool ReadsOnlyX(const Instruction& code) {
  if (code.variant->horizontal || code.destination.mask > 1) return false;
  return std::all_of(code.sources.begin(), code.sources.end(), [](const Operand& source) {
    return source.kind == OperandKind::kImmediate || source.swizzle[0] == 0;
  });
}

// An instruction over vector registers; unassigned swizzle entries are kNowhere.
struct Packed {
  Instruction code;
  std::vector<ValueId> sources;
  ValueId destination = kNoValue;
  bool keeps = false;  // Whether the instruction reads the destination's old value.
  int position = 0;    // The position of the last merged step.
  const Step* step = nullptr;
};

class Packer {
 public:
  explicit Packer(Selection* selection) : s_(*selection), m_(*selection->machine), place_(selection->values.size()) {}

  absl::Status Run() {
    for (size_t b = 0; b < s_.blocks.size(); ++b) {
      for (size_t i = 0; i < s_.blocks[b].steps.size(); ++i) {
        for (const ValueId value : s_.blocks[b].steps[i].defines) defined_.try_emplace(value, b, i);
      }
    }
    PlaceOpaque();
    PlaceGathered();
    for (size_t b = 0; b < s_.blocks.size(); ++b) {
      if (absl::Status status = PackBlock(&s_.blocks[b]); !status.ok()) return status;
    }
    Finish();
    return absl::OkStatus();
  }

 private:
  const ir::Term& term() const { return s_.scalar.shader.values; }

  ValueId NewRegister(int bits, bool uniform) {
    SelectedValue reg;
    reg.name = absl::StrCat("r", registers_.size());
    reg.bits = bits;
    reg.uniform = uniform;
    registers_.push_back(std::move(reg));
    return static_cast<ValueId>(registers_.size() - 1);
  }

  void Put(ValueId value, ValueId reg, int component) {
    place_[value].reg = reg;
    place_[value].components[0] = static_cast<uint8_t>(component);
    registers_[reg].pinned |= s_.values[value].pinned;
  }

  // Places the components of an opaque vector in one register, in order.
  void PlaceOpaque() {
    std::map<uint32_t, ValueId> registers;
    uint32_t first = 0;
    for (ir::NodeIndex n = 0; n < term().nodes.size(); ++n) {
      const bool variable = term().at(n).kind == ir::NodeKind::kVariable && n < s_.scalar.group.size();
      const bool follows = variable && n > 0 && term().at(n - 1).kind == ir::NodeKind::kVariable &&
                           s_.scalar.group[n] == s_.scalar.group[n - 1] && n - first < ir::kShaderComponents;
      if (!follows) first = n;
      const ValueId value = s_.value_of[n];
      if (!variable || value == kNoValue) continue;
      const auto [found, is_new] = registers.try_emplace(first, kNoValue);
      if (is_new) found->second = NewRegister(term().at(n).bits, s_.values[value].uniform);
      Put(value, found->second, static_cast<int>(n - first));
    }
  }

  bool IsGather(ir::NodeIndex n) const {
    return term().at(n).kind == ir::NodeKind::kOp && term().at(n).components > 1 && s_.value_of[n] != kNoValue &&
           s_.cover.tile_of[n] >= 0;
  }

  // Places the operands of each vecN in the vecN's register, unless one register already contains them.
  void PlaceGathered() {
    for (ir::NodeIndex n = 0; n < term().nodes.size(); ++n) {
      if (!IsGather(n)) continue;
      const ValueId joined = s_.value_of[n];
      if (IsInOneRegister(n, joined)) continue;
      const ValueId reg = NewRegister(term().at(n).bits, false);
      place_[joined].reg = reg;
      registers_[reg].pinned |= s_.values[joined].pinned;
      const ir::Node& node = term().at(n);
      for (size_t c = 0; c < node.sources.size(); ++c) {
        place_[joined].components[c] = static_cast<uint8_t>(c);
        const ir::NodeIndex source = node.sources[c].node;
        const ValueId lane = term().at(source).kind == ir::NodeKind::kOp ? s_.value_of[source] : kNoValue;
        if (lane == kNoValue || place_[lane].reg != kNoValue) continue;
        const auto at = defined_.find(lane), here = defined_.find(joined);
        if (at == defined_.end() || here == defined_.end() || at->second.first != here->second.first) continue;
        if (s_.blocks[at->second.first].steps[at->second.second].opaque || s_.values[lane].uniform) continue;
        Put(lane, reg, static_cast<int>(c));
      }
    }
  }

  // Returns true if one register contains all operands of `n`: in order if `joined` has outside uses, and otherwise in
  // any order that a swizzle can read.
  bool IsInOneRegister(ir::NodeIndex n, ValueId joined) {
    const ir::Node& node = term().at(n);
    Place place;
    for (size_t c = 0; c < node.sources.size(); ++c) {
      const ValueId lane = s_.value_of[node.sources[c].node];
      if (lane == kNoValue || place_[lane].reg == kNoValue) return false;
      if (place.reg != kNoValue && place.reg != place_[lane].reg) return false;
      place.reg = place_[lane].reg;
      place.components[c] = place_[lane].components[0];
      if (s_.values[joined].pinned && place.components[c] != c) return false;
    }
    if (registers_[place.reg].uniform && s_.values[joined].pinned) return false;
    if (!MayRead(place, static_cast<int>(node.sources.size()))) return false;
    place_[joined] = place;
    registers_[place.reg].pinned |= s_.values[joined].pinned;
    return true;
  }

  // Returns true if the machine supports this swizzle. Tests it with the first suitable unary instruction.
  bool MayRead(const Place& place, int components) const {
    for (const Variant& variant : m_.variants()) {
      if (variant.sources.size() != 1 || variant.horizontal || !variant.write_mask || variant.selector >= 0) continue;
      Instruction code;
      code.variant = &variant;
      code.destination.kind = code.sources.emplace_back().kind = OperandKind::kRegister;
      code.destination.name = "r", code.sources[0].name = "a";
      code.destination.type = variant.result, code.sources[0].type = variant.sources[0];
      code.destination.mask = static_cast<uint8_t>((1 << components) - 1);
      for (int c = 0; c < components; ++c) code.sources[0].swizzle[c] = place.components[c];
      return CheckInstruction(m_, code).ok();
    }
    return false;
  }

  // Returns the step's merge key; steps with equal keys may become one instruction.
  std::string KeyOf(const Step& step, int nth) const {
    if (step.tile < 0) return "";
    const Tile& tile = s_.cover.tiles[step.tile];
    if (term().at(tile.root).components > 1) return absl::StrCat("join ", step.tile);
    if (!std::all_of(tile.code.begin(), tile.code.end(), ReadsOnlyX)) return "";
    Instruction shape = step.code;
    for (size_t i = 0; i < shape.sources.size(); ++i) {
      if (shape.sources[i].kind != OperandKind::kImmediate) shape.sources[i].name = absl::StrCat("s", i);
    }
    shape.destination.name.clear();
    return absl::StrCat(s_.scalar.group[tile.root], " ", tile.rule, " ", nth, " ", PrintInstruction(m_, shape));
  }

  // Returns the steps' merge keys, which contain the instruction number in the tile so that lanes correspond.
  std::vector<std::string> KeysOf(const SelectedBlock& block) const {
    std::vector<std::string> keys;
    std::map<int, int> counts;
    for (const Step& step : block.steps) keys.push_back(step.opaque ? "" : KeyOf(step, counts[step.tile]++));
    return keys;
  }

  absl::Status PackBlock(SelectedBlock* block) {
    Bundle(*block);
    std::vector<Step> out;
    for (size_t i = 0; i < block->steps.size(); ++i) {
      Step& step = block->steps[i];
      if (step.opaque) {
        out.push_back(PlacedOpaque(std::move(step)));
        continue;
      }
      if (final_[i] != static_cast<int>(i)) continue;
      std::vector<Packed> packed;
      for (const int lane : bundles_[i]) {
        if (absl::Status status = AddLane(block->steps[lane], &packed); !status.ok()) return status;
      }
      for (Packed& one : packed) out.push_back(StepOf(std::move(one)));
    }
    block->steps = std::move(out);
    return absl::OkStatus();
  }

  // Moves each step to the position of the last step with the same key, unless another step needs its value earlier.
  void Bundle(const SelectedBlock& block) {
    const int count = static_cast<int>(block.steps.size());
    const std::vector<std::string> keys = KeysOf(block);
    std::map<std::string, int> last;
    final_.assign(block.steps.size(), 0);
    for (int i = 0; i < count; ++i) {
      if (!keys[i].empty()) last[keys[i]] = i;
    }
    for (int i = 0; i < count; ++i) final_[i] = keys[i].empty() ? i : last[keys[i]];
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = 0; i < count; ++i) {
        if (final_[i] == i) continue;
        for (int reader = i + 1; reader < final_[i] && !changed; ++reader) {
          if (final_[reader] <= final_[i] && final_[reader] != final_[i] && Depends(block, reader, i)) {
            final_[i] = i;
            changed = true;
          }
        }
      }
    }
    bundles_.assign(block.steps.size(), {});
    for (int i = 0; i < count; ++i) bundles_[final_[i]].push_back(i);
  }

  // Returns true if `later` reads a value that `earlier` defines, or must follow `earlier` because of a flag.
  static bool Depends(const SelectedBlock& block, int later, int earlier) {
    const Step& step = block.steps[later];
    const Step& before = block.steps[earlier];
    for (const ValueId value : before.defines) {
      if (std::find(step.reads.begin(), step.reads.end(), value) != step.reads.end()) return true;
    }
    if (step.opaque) return false;
    if (!before.code.predicate.empty() && step.code.flag == before.code.predicate) return true;
    return !before.code.flag.empty() && (step.code.predicate == before.code.flag || step.code.flag == before.code.flag);
  }

  Step PlacedOpaque(Step step) {
    std::vector<ValueId> defines, reads;
    for (const ValueId value : step.defines) {
      if (place_[value].reg == kNoValue) {
        Put(value, NewRegister(s_.values[value].bits, false), 0);
        place_[value].components = {0, 1, 2, 3};
      }
      AddOnce(place_[value].reg, &defines);
    }
    for (const ValueId value : step.reads) AddOnce(place_[value].reg, &reads);
    step.defines = std::move(defines), step.reads = std::move(reads);
    return step;
  }

  static void AddOnce(ValueId value, std::vector<ValueId>* values) {
    if (value != kNoValue && std::find(values->begin(), values->end(), value) == values->end())
      values->push_back(value);
  }

  // Returns the location of the tile's result; values of the same shader vector share a register.
  const Place& ResultPlace(const Step& step) {
    const ir::NodeIndex root = s_.cover.tiles[step.tile].root;
    const ValueId result = s_.value_of[root];
    if (place_[result].reg == kNoValue) PlaceBeside(result, absl::StrCat("g", s_.scalar.group[root]));
    return place_[result];
  }

  // Places the value in the next free component of the register for `family`.
  void PlaceBeside(ValueId value, const std::string& family) {
    auto& [reg, used] = families_[family];
    if (used == 0 || used >= ir::kShaderComponents) reg = NewRegister(s_.values[value].bits, false), used = 0;
    Put(value, reg, used++);
  }

  // Returns the location of the step's result; temporaries use the component of their tile's result.
  Place DestinationOf(const Step& step, int nth) {
    const ValueId value = step.defines.empty() ? kNoValue : step.defines[0];
    if (value != kNoValue && place_[value].reg != kNoValue) return place_[value];
    if (step.tile < 0) {
      Put(value, NewRegister(s_.values[value].bits, false), 0);
      return place_[value];
    }
    const Tile& tile = s_.cover.tiles[step.tile];
    const Place result = ResultPlace(step);
    if (value == kNoValue) return result;
    if (place_[value].reg != kNoValue) return place_[value];
    if (!std::all_of(tile.code.begin(), tile.code.end(), ReadsOnlyX)) {
      place_[value] = {NewRegister(s_.values[value].bits, false), {0, 1, 2, 3}};
      return place_[value];
    }
    const std::string family = absl::StrCat("t", result.reg, " ", s_.scalar.group[tile.root], " ", tile.rule, " ", nth);
    const auto [found, is_new] = temporaries_.try_emplace({family, result.components[0]}, kNoValue);
    if (is_new) {
      const auto [shared, first] = temporary_registers_.try_emplace(family, kNoValue);
      if (first) shared->second = NewRegister(s_.values[value].bits, false);
      found->second = shared->second;
    } else {  // The component is taken, so this tile starts a new register.
      found->second = NewRegister(s_.values[value].bits, false);
    }
    Put(value, found->second, result.components[0]);
    return place_[value];
  }

  static uint8_t NewComponent(const Place& place, int old) { return place.components[old]; }

  absl::StatusOr<Packed> PackedOf(const Step& step) {
    const int nth = step.tile < 0 ? 0 : NthOf(step);
    const Place destination = DestinationOf(step, nth);
    Packed packed;
    packed.code = step.code;
    packed.step = &step;
    packed.keeps = !step.code.predicate.empty() && !step.code.variant->reads_predicate;
    const bool null = step.code.destination.kind == OperandKind::kNull;
    packed.destination = null ? kNoValue : destination.reg;
    const uint8_t old_mask = step.code.destination.mask == 0 ? 1 : step.code.destination.mask;
    packed.code.destination.mask = 0;
    if (!null) packed.code.destination.name = registers_[destination.reg].name;
    for (size_t i = 0; i < packed.code.sources.size(); ++i) {
      packed.sources.push_back(kNoValue);
      Operand& source = packed.code.sources[i];
      if (source.kind == OperandKind::kImmediate) continue;
      const Place& read = place_[step.sources[i]];
      if (read.reg == kNoValue) return absl::InternalError(absl::StrCat(source.name, " has no location"));
      packed.sources[i] = read.reg;
      source.name = registers_[read.reg].name;
      source.uniform = registers_[read.reg].uniform;
      source.kind = source.uniform ? OperandKind::kVariable : OperandKind::kRegister;
      const Operand old = source;
      source.swizzle = ir::kIdentitySwizzle;
      std::fill_n(source.swizzle.begin(), ir::kShaderComponents, kNowhere);
      source.negated = 0;
      const int fixed = step.code.variant->operands[i].components;
      for (int c = 0; c < ir::kShaderComponents; ++c) {
        if (fixed > 0 ? c >= fixed : (old_mask >> c & 1) == 0) continue;
        const uint8_t to = fixed > 0 ? static_cast<uint8_t>(c) : destination.components[c];
        if (to >= ir::kShaderComponents) return absl::InternalError("a component has no destination");
        source.swizzle[to] = old.swizzle[c] >= kSwizzleZero ? old.swizzle[c] : read.components[old.swizzle[c]];
        if ((old.negated >> c & 1) != 0) source.negated |= static_cast<uint8_t>(1 << to);
      }
    }
    for (int c = 0; c < ir::kShaderComponents; ++c) {
      if ((old_mask >> c & 1) != 0)
        packed.code.destination.mask |= static_cast<uint8_t>(1 << destination.components[c]);
    }
    return packed;
  }

  int NthOf(const Step& step) {
    const Tile& tile = s_.cover.tiles[step.tile];
    Instruction wanted = step.code;
    for (size_t k = 0; k < tile.code.size(); ++k) {
      const Instruction& code = tile.code[k];
      if (code.variant == wanted.variant && code.choice == wanted.choice && code.flag_choice == wanted.flag_choice &&
          code.destination.mask == wanted.destination.mask && !Taken(step.tile, static_cast<int>(k))) {
        taken_[step.tile].push_back(static_cast<int>(k));
        return static_cast<int>(k);
      }
    }
    return 0;
  }
  bool Taken(int tile, int k) {
    const std::vector<int>& taken = taken_[tile];
    return std::find(taken.begin(), taken.end(), k) != taken.end();
  }

  // Fills unassigned swizzle entries with the identity or a component that is read anyway.
  static Instruction Filled(Instruction code) {
    if (code.destination.mask == 0xf) code.destination.mask = 0;
    for (Operand& source : code.sources) {
      if (source.kind == OperandKind::kImmediate) continue;
      bool plain = true;
      uint8_t any = 0;
      for (int c = ir::kShaderComponents; c-- > 0;) {
        if (source.swizzle[c] == kNowhere) continue;
        plain &= source.swizzle[c] == c;
        any = source.swizzle[c];
      }
      for (int c = 0; c < ir::kShaderComponents; ++c) {
        if (source.swizzle[c] == kNowhere) source.swizzle[c] = plain ? static_cast<uint8_t>(c) : any;
      }
    }
    return code;
  }

  // Returns true if the instruction moves a component to itself.
  static bool IsSelfMove(const Packed& packed) {
    const Instruction& code = packed.code;
    if (!packed.step->code.flag.empty() || code.sources.size() != 1 || packed.sources[0] != packed.destination ||
        packed.destination == kNoValue || code.variant->rows[0]->meaning != "a" || !code.sources[0].modifiers.empty() ||
        !code.destination_modifiers.empty() || code.sources[0].negated != 0 || !code.predicate.empty()) {
      return false;
    }
    for (int c = 0; c < ir::kShaderComponents; ++c) {
      if ((code.destination.mask >> c & 1) != 0 && code.sources[0].swizzle[c] != c) return false;
    }
    return true;
  }

  // Merges `step` into an existing instruction or adds a new one.
  absl::Status AddLane(const Step& step, std::vector<Packed>* packed) {
    absl::StatusOr<Packed> lane = PackedOf(step);
    if (!lane.ok()) return lane.status();
    if (IsSelfMove(*lane)) {
      ++s_.coalesced;
      return absl::OkStatus();
    }
    for (Packed& other : *packed) {
      std::optional<Packed> joined = Join(other, *lane);
      if (!joined.has_value()) continue;
      other = *std::move(joined);
      return absl::OkStatus();
    }
    if (absl::Status status = CheckInstruction(m_, Filled(lane->code)); !status.ok())
      return absl::InternalError(absl::StrCat("packing: ", status.message()));
    packed->push_back(*std::move(lane));
    return absl::OkStatus();
  }

  std::optional<Packed> Join(const Packed& x, const Packed& y) const {
    if (x.destination != y.destination || (x.code.destination.mask & y.code.destination.mask) != 0) return std::nullopt;
    if (x.sources != y.sources || x.code.variant != y.code.variant || x.code.variant->horizontal) return std::nullopt;
    Packed joined = x;
    joined.code.destination.mask |= y.code.destination.mask;
    for (size_t i = 0; i < joined.code.sources.size(); ++i) {
      Operand& source = joined.code.sources[i];
      const Operand& other = y.code.sources[i];
      if (source.kind != other.kind || source.bits != other.bits || source.modifiers != other.modifiers ||
          source.type != other.type) {
        return std::nullopt;
      }
      source.negated |= other.negated;
      for (int c = 0; c < ir::kShaderComponents; ++c) {
        if (other.kind != OperandKind::kImmediate && other.swizzle[c] != kNowhere) source.swizzle[c] = other.swizzle[c];
      }
    }
    if (!CheckInstruction(m_, Filled(joined.code)).ok()) return std::nullopt;
    return joined;
  }

  Step StepOf(Packed packed) {
    Step step;
    step.code = Filled(std::move(packed.code));
    step.tile = packed.step->tile;
    step.node = packed.step->node;
    step.sources = std::move(packed.sources);
    for (const ValueId source : step.sources) AddOnce(source, &step.reads);
    if (packed.destination != kNoValue) step.defines = {packed.destination};
    if (packed.keeps) AddOnce(packed.destination, &step.reads);
    return step;
  }

  void Finish() {
    s_.components_of.assign(term().nodes.size(), {});
    for (ir::NodeIndex n = 0; n < term().nodes.size(); ++n) {
      const ValueId value = s_.value_of[n];
      if (value == kNoValue) continue;
      s_.components_of[n] = place_[value].components;
      s_.value_of[n] = place_[value].reg;
    }
    s_.values = std::move(registers_);
  }

  Selection& s_;
  const Machine& m_;
  std::vector<Place> place_;  // Indexed by value.
  std::vector<SelectedValue> registers_;
  std::map<ValueId, std::pair<size_t, size_t>> defined_;     // The (block, step) of the first write.
  std::map<std::string, std::pair<ValueId, int>> families_;  // The register and the number of its used components.
  std::map<std::pair<std::string, int>, ValueId> temporaries_;
  std::map<std::string, ValueId> temporary_registers_;
  std::map<int, std::vector<int>> taken_;
  // The final position of each step in the current block, and the steps merged at each position.
  std::vector<int> final_;
  std::vector<std::vector<int>> bundles_;
};

}  // namespace

absl::Status PackComponents(Selection* selection) { return Packer(selection).Run(); }

}  // namespace rewrought::machine::select
