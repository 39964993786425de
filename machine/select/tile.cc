#include "machine/select/tile.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"
#include "machine/base/constants.h"
#include "machine/cost.h"
#include "machine/legality.h"

namespace rewrought::machine::select {
namespace {

bool IsNegation(const std::string& nir) { return nir == "fneg" || nir == "ineg"; }
bool IsMagnitude(const std::string& nir) { return nir == "fabs" || nir == "iabs"; }

// Returns a key that contains everything on which legality depends: the instruction's shape, and which operands are
// equal.
std::string ShapeOf(const Instruction& i) {
  std::string shape =
      absl::StrCat(reinterpret_cast<uintptr_t>(i.variant), " ", i.choice, " ", i.flag_choice, " ", i.saturated,
                   i.predicate_inverted, i.flag, ",", i.predicate, " ", static_cast<int>(i.destination.kind),
                   i.destination.type, ".", i.destination.subscript);
  for (const ModifierIndex m : i.destination_modifiers) absl::StrAppend(&shape, "^", m);
  for (size_t s = 0; s < i.sources.size(); ++s) {
    const Operand& o = i.sources[s];
    size_t same = s;
    for (size_t t = 0; t < s; ++t) {
      if (i.sources[t].kind == o.kind && i.sources[t].name == o.name) same = std::min(same, t);
    }
    // Legality does not distinguish registers from variables.
    absl::StrAppend(&shape, "|", o.kind == OperandKind::kImmediate ? "i" : "r", o.type, ".", o.subscript,
                    o.uniform ? "u" : "", "=", same, ":", o.bits);
    for (const ModifierIndex m : o.modifiers) absl::StrAppend(&shape, "^", m);
  }
  return shape;
}

}  // namespace

// Return the operand name of a shader value, and of a uniform that is moved to a register. The '%' avoids collisions
// with names of temporaries in descriptions, such as u3.
std::string OperandName(ir::NodeIndex node) { return absl::StrCat("%", node); }
std::string MovedName(ir::NodeIndex node) { return absl::StrCat("%u", node); }

double CostOf(const Machine& machine, const std::vector<Instruction>& code) {
  // ProgramCost treats a single move as free, which is wrong inside a shader.
  double cycles = 0;
  int instructions = 0;
  for (const Instruction& instruction : code) {
    cycles += instruction.variant->cost->issue_cycles;
    instructions += instruction.variant->cost->instructions;
  }
  int bytes = 0;
  for (const Instruction& instruction : code) bytes += InstructionBytes(machine, instruction);
  return cycles + instructions / 1024.0 + bytes / 1048576.0;
}

class TileBuilder::Instance {
 public:
  Instance(TileBuilder* builder, const RuleMatch& match, const std::vector<bool>& fixed, Tile* tile)
      : b_(*builder), match_(match), fixed_(fixed), tile_(*tile) {}

  // Builds the tile's code from `program`. Returns false if the program is unsuitable, for example because it writes
  // only a flag. Emits a test for each Boolean that the program reads as a flag, before its first reader.
  bool Build(const Program& program) {
    std::set<std::string> flags;
    bool gives_register = false;
    for (const Instruction& original : program.instructions) {
      if (!original.predicate.empty() && flags.insert(original.predicate).second && !Test(original.predicate))
        return false;
      flags.insert(original.flag);
      gives_register |= original.destination.kind == OperandKind::kRegister && original.destination.name == kResultName;
      Instruction instruction = original;
      instruction.line = instruction.column = 0;
      for (size_t i = 0; i < original.sources.size(); ++i) {
        if (original.sources[i].kind != OperandKind::kVariable) continue;
        const auto found = match_.variables.find(original.sources[i].name);
        if (found == match_.variables.end()) return false;
        if (!Bind(found->second, original.sources[i], i, &instruction)) return false;
      }
      if (!b_.Legal(instruction) && !MoveUniforms(&instruction)) return false;
      tile_.code.push_back(std::move(instruction));
    }
    return gives_register;
  }

 private:
  // Adds a test of the variable named `flag` that writes this flag.
  bool Test(const std::string& flag) {
    const auto found = match_.variables.find(flag);
    if (found == match_.variables.end() || b_.rules_.FlagOf() == nullptr) return false;
    Instruction test = *b_.rules_.FlagOf();
    const Operand original = test.sources[0];
    test.line = test.column = 0;
    test.flag = flag;
    if (!Bind(found->second, original, 0, &test)) return false;
    if (!b_.Legal(test) && !MoveUniforms(&test)) return false;
    tile_.code.push_back(std::move(test));
    return true;
  }

  static size_t PlaceOf(const Instruction& instruction, const Operand& original, size_t index) {
    if (instruction.sources[index] == original) return index;
    return index < 2 && instruction.sources.size() >= 2 && instruction.sources[1 - index] == original ? 1 - index
                                                                                                      : index;
  }

  bool Bind(ir::NodeIndex node, const Operand& original, size_t index, Instruction* instruction) {
    const size_t place = PlaceOf(*instruction, original, index);
    bool below_shared = false;
    if (b_.options_.fold) node = FoldModifiers(node, place, instruction, &below_shared);
    const ir::Node& value = b_.term_.at(node);
    if (value.kind == ir::NodeKind::kConstant) return BindConstant(node, place, instruction);
    Operand& operand = instruction->sources[place];
    const bool opaque = value.kind == ir::NodeKind::kVariable;
    operand.kind = opaque ? OperandKind::kVariable : OperandKind::kRegister;
    operand.name = OperandName(node);
    operand.uniform = opaque && b_.has_uniform_file_ && b_.scalar_.shader.info[node].uniform && operand.subscript < 0;
    Name(operand.name, {TileOperand::kValue, node, operand.type, below_shared});
    return true;
  }

  void Name(const std::string& name, TileOperand operand) {
    for (const auto& [known, other] : tile_.operands) {
      if (known == name) return;
    }
    tile_.operands.emplace_back(name, operand);
  }

  // Folds nodes into source modifiers and widening conversions. Returns the remaining node; sets `below_shared` if a
  // folded node has other users.
  ir::NodeIndex FoldModifiers(ir::NodeIndex index, size_t place, Instruction* instruction, bool* below_shared) {
    const Variant& variant = *instruction->variant;
    // This limit bounds the work on adversarial shaders; drivers simplify longer chains of sign modifiers.
    for (int left = 8; left > 0 && b_.term_.at(index).kind == ir::NodeKind::kOp; --left) {
      if (instruction->sources[place].subscript >= 0) break;
      const ir::Node& node = b_.term_.at(index);
      if (node.sources.size() != 1 || (!fixed_.empty() && fixed_[index])) break;
      bool folded = false;
      for (const ModifierIndex m : variant.operands[place].modifiers) {
        const Modifier& modifier = b_.m_.modifiers()[m];
        Operand& operand = instruction->sources[place];
        if (modifier.nir != node.op->name || operand.type != variant.sources[place]) continue;
        const Operand before = operand;
        if (modifier.place == v1::Modifier::WIDEN) {
          if (b_.m_.types()[modifier.from].bits != b_.term_.at(node.sources[0].node).bits) continue;
          operand.type = modifier.from;
        } else {
          Compose(m, &operand.modifiers);
        }
        if (b_.Legal(*instruction)) {
          folded = true;
          break;
        }
        operand = before;
      }
      if (!folded) break;
      AddOnce(index, &tile_.inner);
      AddOnce(index, &tile_.folded);
      *below_shared |= b_.scalar_.uses[index] > 1;
      index = node.sources[0].node;
    }
    return index;
  }

  // Adds a modifier as the innermost one. An existing modifier may cancel or absorb it.
  void Compose(ModifierIndex inner, std::vector<ModifierIndex>* modifiers) const {
    const std::string& nir = b_.m_.modifiers()[inner].nir;
    if (!modifiers->empty()) {
      const std::string& outer = b_.m_.modifiers()[modifiers->front()].nir;
      if (IsMagnitude(outer) && (IsNegation(nir) || IsMagnitude(nir))) return;
      if (outer == nir && (IsNegation(nir) || nir == "inot")) {
        modifiers->erase(modifiers->begin());
        return;
      }
    }
    modifiers->insert(modifiers->begin(), inner);
  }

  // Binds a constant as an immediate, if necessary by swapping commutative operands, or else as a loaded register.
  bool BindConstant(ir::NodeIndex node, size_t place, Instruction* instruction) {
    const ir::Node& value = b_.term_.at(node);
    const Operand written = instruction->sources[place];
    const int width = b_.m_.types()[written.type].bits;
    if (b_.options_.fold) {
      Operand immediate = written;
      immediate.kind = OperandKind::kImmediate;
      immediate.name.clear();
      immediate.bits =
          ConstantBits(value) >> (written.subscript > 0 ? written.subscript * width : 0) & ir::MaskOf(width);
      immediate.subscript = -1;
      bool known = written.subscript >= 0 || width == value.bits;
      // The machine may represent a Boolean as a float, but the Boolean constant has no sign that a modifier could
      // change.
      known &= width > 1 || written.modifiers.empty();
      for (const ModifierIndex m : written.modifiers) {
        known &= ApplyToConstant(b_.m_.modifiers()[m].nir, width, &immediate.bits);
      }
      immediate.modifiers.clear();
      if (known && TryImmediate(b_.m_, immediate, place, instruction)) return true;
    }
    const TypeIndex type = LoadType(written, value.bits);
    if (type < 0) return false;
    Operand& operand = instruction->sources[place];
    operand.kind = OperandKind::kRegister;
    operand.name = absl::StrCat("k", node);
    Name(operand.name, {TileOperand::kConstant, node, type});
    return true;
  }

  // Returns the type for loading a constant of which `operand` may read only a part, or -1.
  TypeIndex LoadType(const Operand& operand, int bits) const {
    const std::vector<Type>& types = b_.m_.types();
    if (operand.subscript < 0) {
      return types[operand.type].bits == bits && b_.rules_.LoadOf(operand.type) != nullptr ? operand.type : -1;
    }
    for (size_t t = 0; t < types.size(); ++t) {
      if (types[t].bits == bits && b_.rules_.LoadOf(static_cast<TypeIndex>(t)) != nullptr)
        return static_cast<TypeIndex>(t);
    }
    return -1;
  }

  // Moves uniforms to registers, from the last source to the first, until the instruction is legal.
  bool MoveUniforms(Instruction* instruction) {
    for (size_t i = instruction->sources.size(); i-- > 0;) {
      Operand& operand = instruction->sources[i];
      if (!operand.uniform) continue;
      const auto at = std::find_if(tile_.operands.begin(), tile_.operands.end(),
                                   [&](const auto& entry) { return entry.first == operand.name; });
      const ir::NodeIndex node = at->second.node;
      std::string source;
      if (b_.rules_.MoveOf(b_.term_.at(node).bits, &source) == nullptr) return false;
      const std::string old = operand.name;
      for (Operand& other : instruction->sources) {
        if (other.kind == OperandKind::kImmediate || other.name != old) continue;
        other.uniform = false;
        other.kind = OperandKind::kRegister;
        other.name = MovedName(node);
      }
      Name(MovedName(node), {TileOperand::kUniformMove, node, operand.type});
      if (b_.Legal(*instruction)) return true;
    }
    return false;
  }

  TileBuilder& b_;
  const RuleMatch& match_;
  const std::vector<bool>& fixed_;
  Tile& tile_;
};

TileBuilder::TileBuilder(const RuleSet& rules, const ScalarShader& scalar, const TileOptions& options)
    : rules_(rules), m_(rules.machine()), scalar_(scalar), term_(scalar.shader.values), options_(options) {
  for (const v1::RegisterFile& file : m_.description().register_files()) has_uniform_file_ |= file.uniform();
  has_uniform_file_ &= options.fold;
  for (size_t i = 0; i < m_.modifiers().size(); ++i) {
    const Modifier& modifier = m_.modifiers()[i];
    const bool result = modifier.place == v1::Modifier::DESTINATION || modifier.place == v1::Modifier::NARROW;
    if (result && !modifier.nir.empty()) destination_folds_.push_back(static_cast<ModifierIndex>(i));
  }
  for (ir::NodeIndex i = 0; i < term_.nodes.size(); ++i) {
    const bool goes_on = i > 0 && scalar.shader.info[i].block == scalar.shader.info[i - 1].block;
    run_start_.push_back(goes_on ? run_start_.back() : i);
    if (scalar.uses[i] == 0) continue;
    for (const ir::Source& source : term_.at(i).sources) {
      if (term_.at(source.node).kind != ir::NodeKind::kOp) ++block_uses_[{source.node, RegionOf(i)}];
    }
  }
}

TileBuilder::~TileBuilder() = default;

bool TileBuilder::Legal(const Instruction& instruction) {
  const auto [found, is_new] = legal_.try_emplace(ShapeOf(instruction), false);
  if (is_new) found->second = CheckInstruction(m_, instruction).ok();
  return found->second;
}

bool TileBuilder::MayBeInner(ir::NodeIndex node, ir::NodeIndex root, const std::vector<bool>& fixed) const {
  if (!fixed.empty() && fixed[node]) return false;
  if (options_.split_shared && scalar_.uses[node] > 1) return false;
  return scalar_.shader.info[node].block == scalar_.shader.info[root].block;
}

bool TileBuilder::Allowed(const SelectionRule& rule, const RuleMatch& match, const std::vector<bool>& fixed) const {
  for (size_t i = 1; i < match.covered.size(); ++i) {
    if (!MayBeInner(match.covered[i], match.covered[0], fixed)) return false;
  }
  return !rule.fuses || FusionAllowed(rule, match);
}

bool TileBuilder::FusionAllowed(const SelectionRule& rule, const RuleMatch& match) const {
  const ir::Node& select = term_.at(match.covered[0]);
  const auto is_constant = [&](ir::NodeIndex n) { return term_.at(n).kind == ir::NodeKind::kConstant; };
  const auto is_uniform = [&](ir::NodeIndex n) { return is_constant(n) || scalar_.shader.info[n].uniform; };
  const ir::NodeIndex compare = select.sources[0].node;
  switch (options_.fusion) {
    case Fusion::kAlways:
      return true;
    case Fusion::kNever:
      return false;
    case Fusion::kBooleanUsedOnce:
      return scalar_.uses[compare] == 1;
    case Fusion::kConstantSelected:
      return is_constant(select.sources[1].node) || is_constant(select.sources[2].node);
    case Fusion::kUniformCompared:
      for (const ir::Source& source : term_.at(compare).sources) {
        if (is_uniform(source.node)) return true;
      }
      return false;
  }
  return rule.fuses;
}

std::vector<Tile> TileBuilder::TilesAt(ir::NodeIndex root, const std::vector<bool>& fixed) {
  std::vector<Tile> tiles = TilesOfRules(root, fixed);
  if (options_.fold) AddDestinationFolds(root, fixed, &tiles);
  return tiles;
}

std::vector<Tile> TileBuilder::TilesOfRules(ir::NodeIndex root, const std::vector<bool>& fixed) {
  std::vector<Tile> tiles;
  for (const SelectionRule& rule : rules_.RulesFor(term_.at(root).op->name)) {
    for (const RuleMatch& match : rules_.MatchesOf(rule, scalar_, root, options_.facts)) {
      if (!Allowed(rule, match, fixed)) continue;
      Tile tile;
      tile.rule = rule.name;
      tile.root = root;
      tile.inexact = rule.inexact();
      tile.from_pack = rule.pack;
      tile.inner.assign(match.covered.begin() + 1, match.covered.end());
      if (!Instance(this, match, fixed, &tile).Build(rule.program())) continue;
      Finish(&tile);
      tiles.push_back(std::move(tile));
    }
  }
  return tiles;
}

// Folds fsat(x) or f2f16(x) into the instruction that computes x.
void TileBuilder::AddDestinationFolds(ir::NodeIndex root, const std::vector<bool>& fixed, std::vector<Tile>* tiles) {
  const ir::Node& node = term_.at(root);
  if (node.sources.size() != 1) return;
  const ir::NodeIndex child = node.sources[0].node;
  if (term_.at(child).kind != ir::NodeKind::kOp || !MayBeInner(child, root, fixed)) return;
  for (const ModifierIndex m : destination_folds_) {
    const Modifier& modifier = m_.modifiers()[m];
    if (modifier.nir != node.op->name) continue;
    if (modifier.place == v1::Modifier::NARROW && m_.types()[modifier.to].bits != node.bits) continue;
    // A destination accepts only one such fold.
    for (const Tile& below : TilesOfRules(child, fixed)) {
      std::optional<Tile> tile = FoldIntoDestination(below, root, m);
      if (tile.has_value()) tiles->push_back(*std::move(tile));
    }
  }
}

std::optional<Tile> TileBuilder::FoldIntoDestination(const Tile& tile, ir::NodeIndex root, ModifierIndex m) {
  const Modifier& modifier = m_.modifiers()[m];
  Instruction last = tile.code.back();
  if (last.destination.name != kResultName || last.destination.kind != OperandKind::kRegister) return std::nullopt;
  if (last.destination.type != last.variant->result || !last.destination_modifiers.empty()) return std::nullopt;
  if (last.destination.subscript >= 0 || last.saturated || !last.flag.empty()) return std::nullopt;
  // If its predicate is false, a predicated instruction keeps the old value of the destination, and the folded modifier
  // would not apply to that value.
  if (!last.predicate.empty() && !last.variant->reads_predicate) return std::nullopt;
  if (modifier.place == v1::Modifier::DESTINATION) {
    if (!modifier.rows.contains(last.variant->result)) return std::nullopt;
    last.destination_modifiers.push_back(m);
  } else {
    if (last.variant->result != modifier.from) return std::nullopt;
    last.destination.type = modifier.to;
    if (NarrowingOf(m_, *last.variant, modifier.to) < 0) return std::nullopt;
  }
  if (!Legal(last)) return std::nullopt;
  Tile made = tile;
  made.code.back() = std::move(last);
  made.rule = absl::StrCat(term_.at(root).op->name, " of ", tile.rule);
  made.inner.push_back(tile.root);
  made.root = root;
  Finish(&made);
  return made;
}

// Returns the region in which readers share loads and moves: a block or, for tree covering, a run of consecutive nodes.
uint32_t TileBuilder::RegionOf(ir::NodeIndex node) const {
  return options_.split_shared ? run_start_[node] : scalar_.shader.info[node].block;
}

// Returns one reader's share of a load or move.
double TileBuilder::ShareOf(ir::NodeIndex leaf, ir::NodeIndex root) const {
  const auto found = block_uses_.find({leaf, RegionOf(root)});
  return 1.0 / std::max<uint32_t>(1, found == block_uses_.end() ? 1 : found->second);
}

void TileBuilder::Finish(Tile* tile) const {
  tile->own_cost = CostOf(m_, tile->code);
  for (const auto& [name, operand] : tile->operands) {
    std::string source;
    const Program* program = operand.kind == TileOperand::kConstant ? rules_.LoadOf(operand.type)
                             : operand.kind == TileOperand::kUniformMove
                                 ? rules_.MoveOf(term_.at(operand.node).bits, &source)
                                 : nullptr;
    if (program == nullptr) continue;
    const double share = ShareOf(operand.node, tile->root);
    tile->own_cost += share * CostOf(m_, program->instructions);
  }
}

}  // namespace rewrought::machine::select
