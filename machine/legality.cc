#include "machine/legality.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "ir/scalar.h"

namespace rewrought::machine {
namespace {

absl::Status Broken(absl::string_view rule, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("rule '", rule, "': ", what));
}

// Returns true if AGX's 8-bit float immediate can encode the float `bits`. The immediate has a sign, 3 exponent bits,
// and 4 mantissa bits.
bool FitsMinifloat(uint64_t bits, int width) {
  for (int n = 0; n < 128; ++n) {
    const int exponent = n >> 4, mantissa = n & 15;
    double value = mantissa / 64.0;
    if (exponent != 0) {
      value = 16 + mantissa;
      for (int i = exponent; i < 7; ++i) value /= 2;
    }
    if (ir::FloatToBits(value, width) == bits || ir::FloatToBits(-value, width) == bits) return true;
  }
  return false;
}

bool InSet(const v1::ImmediateSet& set, uint64_t bits, int width) {
  const int64_t as_signed = static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
  for (const v1::ImmediateSet::Range& range : set.ranges()) {
    if (range.from() < 0 && range.from() <= as_signed && as_signed <= range.to()) return true;
    if (range.from() >= 0 && static_cast<uint64_t>(range.from()) <= bits && bits <= static_cast<uint64_t>(range.to())) {
      return true;
    }
  }
  for (const uint64_t pattern : set.patterns()) {
    if (pattern == bits) return true;
  }
  if (!ir::IsFloatWidth(width)) return false;
  for (const double value : set.floats()) {
    if (ir::FloatToBits(value, width) == bits || (set.signs() && ir::FloatToBits(-value, width) == bits)) return true;
  }
  return false;
}

bool FitsImmediate(const OperandRule& rule, uint64_t bits, const Type& type) {
  switch (rule.immediate) {
    case v1::Immediate::SET:
      return InSet(*rule.set, bits, type.bits);
    case v1::Immediate::FULL:
      return true;
    case v1::Immediate::MINIFLOAT8:
      return ir::IsFloatWidth(type.bits) && FitsMinifloat(bits, type.bits);
    case v1::Immediate::UINT8:
      return bits <= 0xff;
    case v1::Immediate::UINT16:
      return bits <= 0xffff;
    default:
      return false;
  }
}

// Checks a vector operand's swizzle and the components that it negates.
absl::Status CheckSwizzle(const Machine& machine, const Instruction& instruction, size_t index) {
  const Operand& operand = instruction.sources[index];
  if (operand.swizzle == ir::kIdentitySwizzle && operand.negated == 0) return absl::OkStatus();
  const OperandRule& rule = instruction.variant->operands[index];
  const auto broken = [&](absl::string_view what) {
    return Broken("swizzle", absl::StrCat("source ", index, " ", what));
  };
  if (machine.components() == 1) return broken("is scalar and cannot have a swizzle");
  if (operand.kind == OperandKind::kImmediate) return broken("is an immediate and cannot have a swizzle");
  const bool negates = std::any_of(rule.modifiers.begin(), rule.modifiers.end(),
                                   [&](ModifierIndex m) { return machine.modifiers()[m].per_component; });
  const uint8_t wanted =
      rule.components > 0 ? static_cast<uint8_t>((1 << rule.components) - 1) : ComponentsWritten(instruction, false);
  if ((operand.negated & wanted) != 0 && !negates) return broken("cannot negate single components");
  static constexpr char kNames[] = "xyzw01h";
  const auto fits = [&](const std::string& pattern) {
    for (size_t c = 0; c < pattern.size(); ++c) {
      if ((wanted >> c & 1) != 0 && kNames[operand.swizzle[c]] != pattern[c]) return false;
    }
    return true;
  };
  for (int c = 0; c < ir::kShaderComponents; ++c) {
    const char name = kNames[operand.swizzle[c]];
    if ((wanted >> c & 1) == 0 || operand.swizzle[c] < kSwizzleZero) continue;
    if (rule.swizzles == nullptr || rule.swizzles->constants().find(name) == std::string::npos)
      return broken(absl::StrCat("cannot read constant '", std::string(1, name), "'"));
  }
  if (rule.swizzles == nullptr || rule.swizzles->patterns().empty()) return absl::OkStatus();
  const auto& patterns = rule.swizzles->patterns();
  if (std::any_of(patterns.begin(), patterns.end(), fits)) return absl::OkStatus();
  return broken(absl::StrCat("does not support this swizzle ('", rule.swizzles->id(), "')"));
}

absl::Status CheckSource(const Machine& machine, const Instruction& instruction, size_t index) {
  const Variant& variant = *instruction.variant;
  const Operand& operand = instruction.sources[index];
  const OperandRule& rule = variant.operands[index];
  const std::string where = absl::StrCat("source ", index);
  int last_order = -1;
  for (const ModifierIndex m : operand.modifiers) {
    const Modifier& modifier = machine.modifiers()[m];
    if (std::find(rule.modifiers.begin(), rule.modifiers.end(), m) == rule.modifiers.end() ||
        !modifier.rows.contains(variant.sources[index])) {
      return Broken("source modifiers", absl::StrCat(where, " does not accept modifier '", modifier.spelling, "'"));
    }
    if (modifier.order <= last_order) {
      return Broken("order of modifiers",
                    absl::StrCat("'", modifier.spelling, "' cannot be applied after the modifier inside it"));
    }
    last_order = modifier.order;
  }
  if (operand.kind == OperandKind::kImmediate) {
    if (rule.immediate == v1::Immediate::NONE) {
      return Broken("immediate place", absl::StrCat(where, " cannot be an immediate"));
    }
    const Type& type = machine.types()[operand.type];
    if (!FitsImmediate(rule, operand.bits, type)) {
      const std::string field = rule.immediate == v1::Immediate::SET ? absl::StrCat("'", rule.set->id(), "'")
                                                                     : v1::Immediate::Encoding_Name(rule.immediate);
      return Broken("immediate size",
                    absl::StrCat("0x", absl::Hex(operand.bits), " does not fit the ", field, " field of ", where));
    }
    if (operand.subscript >= 0 || operand.uniform)
      return Broken("immediate", "an immediate cannot have .subscript() or .uniform()");
  } else if (rule.immediate_only) {
    return Broken("immediate place", absl::StrCat(where, " must be an immediate"));
  }
  if (operand.subscript >= 0 && !rule.subscript)
    return Broken("regions", absl::StrCat(where, " cannot read a part of a register"));
  if (operand.uniform && rule.no_uniform) return Broken("uniform", absl::StrCat(where, " cannot read a uniform"));
  return CheckSwizzle(machine, instruction, index);
}

// Returns a key that is equal for operands that read the same value. Some rules limit the number of distinct values.
std::string KeyOf(const Machine& machine, const Operand& operand) {
  if (operand.kind != OperandKind::kImmediate) return absl::StrCat(operand.name, ".", operand.subscript);
  return absl::StrCat("0x", absl::Hex(operand.bits), " of ", machine.types()[operand.type].bits);
}

bool BreaksLimit(const v1::LegalityRule& rule, const std::multiset<std::pair<std::string, std::string>>& features) {
  std::multiset<std::string> counted;
  for (const auto& [feature, operand] : features) {
    const auto& also = rule.also_counted();
    if (feature == rule.counted() || std::find(also.begin(), also.end(), feature) != also.end())
      counted.insert(operand);
  }
  const size_t count = rule.distinct() ? std::set<std::string>(counted.begin(), counted.end()).size() : counted.size();
  return count > rule.at_most();
}

absl::Status CheckRules(const Machine& machine, const Instruction& instruction) {
  const std::multiset<std::pair<std::string, std::string>> features = FeaturesOf(machine, instruction);
  std::set<std::string> names;
  for (const auto& [feature, operand] : features) names.insert(feature);
  for (const v1::LegalityRule& rule : machine.description().rules()) {
    const auto& mnemonics = rule.mnemonics();
    if (!mnemonics.empty() &&
        std::find(mnemonics.begin(), mnemonics.end(), instruction.variant->mnemonic) == mnemonics.end()) {
      continue;
    }
    bool broken = rule.counted().empty();
    for (const std::string& feature : rule.all_of()) broken &= names.contains(feature);
    if (!rule.counted().empty()) broken = BreaksLimit(rule, features);
    if (broken) return Broken(rule.id(), rule.text());
  }
  return absl::OkStatus();
}

absl::Status CheckDestination(const Machine& machine, const Instruction& instruction) {
  const Variant& variant = *instruction.variant;
  const Operand& destination = instruction.destination;
  if (destination.kind == OperandKind::kNull && (!variant.destination_null || instruction.flag.empty())) {
    return Broken("null destination", absl::StrCat(variant.mnemonic, " needs a destination or a flag"));
  }
  if (destination.subscript >= 0 && !variant.destination_subscript) {
    return Broken("regions", absl::StrCat(variant.mnemonic, " cannot write a part of a register"));
  }
  if (destination.mask != 0 && !variant.write_mask) {
    return Broken("write mask", absl::StrCat(variant.mnemonic, " cannot write single components"));
  }
  std::set<ModifierIndex> seen;
  for (const ModifierIndex m : instruction.destination_modifiers) {
    const auto& allowed = variant.destination_modifiers;
    if (std::find(allowed.begin(), allowed.end(), m) == allowed.end() ||
        !machine.modifiers()[m].rows.contains(variant.result)) {
      return Broken("destination modifiers", absl::StrCat(variant.mnemonic, " of this type does not accept .",
                                                          machine.modifiers()[m].spelling, "()"));
    }
    if (!seen.insert(m).second) return Broken("destination modifiers", "a modifier appears twice");
  }
  if (!instruction.predicate.empty() && !variant.reads_predicate && !variant.predicable) {
    return Broken("predicate", absl::StrCat(variant.mnemonic, " does not accept a predicate here"));
  }
  return absl::OkStatus();
}

// Tracks which parts of registers and flags are defined.
class Tracker {
 public:
  Tracker(const Machine& machine, const Program& program)
      : m_(machine), program_(program), componentwise_(IsComponentwise(program)) {}

  absl::Status Step(const Instruction& instruction) {
    for (size_t i = 0; i < instruction.sources.size(); ++i) {
      if (absl::Status status = Read(instruction, i); !status.ok()) return status;
    }
    const uint8_t written = ComponentsWritten(instruction, componentwise_);
    if (const std::string& flag = instruction.predicate; !flag.empty()) {
      const auto found = flags_.find(flag);
      const bool variable = found == flags_.end() && flag != kDefaultFlag && !bits_.contains(flag);
      if (!variable && (found == flags_.end() || (written & ~found->second) != 0))
        return Broken("flags", absl::StrCat("flag ", flag, " is read before it is written"));
    }
    if (!instruction.flag.empty()) {
      if (bits_.contains(instruction.flag)) return Broken("flags", absl::StrCat(instruction.flag, " is not a flag"));
      flags_[instruction.flag] |= written;
    }
    return instruction.destination.kind == OperandKind::kNull ? absl::OkStatus() : Write(instruction);
  }

  absl::Status Finish() const {
    const std::string result(kResultName);
    if (const auto found = bits_.find(result); found != bits_.end() && m_.components() > 1) {
      // The result may have fewer components than a register, but these must be the register's first components.
      return (found->second.defined & (found->second.defined + 1)) == 0
                 ? absl::OkStatus()
                 : Broken("result", "components of r before the last one are never written");
    } else if (found != bits_.end()) {
      return found->second.defined == ir::MaskOf(found->second.bits) ? absl::OkStatus()
                                                                     : Broken("result", "parts of r are never written");
    }
    if (!flags_.contains(result)) return Broken("result", "the program does not define r");
    return CheckFiles();
  }

  absl::Status CheckFiles() const {
    for (const v1::RegisterFile& file : m_.description().register_files()) {
      if (file.count() == 0) continue;
      if (file.name() == "flag" && flags_.size() > file.count()) {
        return Broken("flags", absl::StrCat("the machine has only ", file.count(), " flag registers"));
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Register {
    int bits = 0;
    uint64_t defined = 0;  // A bit mask of the written bits.
  };

  // Returns a mask of the operand's bits, or of components on vector machines, which have no subregisters.
  uint64_t PartOf(const Operand& operand, uint8_t components) const {
    if (m_.components() > 1) return components;
    const int bits = m_.types()[operand.type].bits;
    return operand.subscript < 0 ? ir::MaskOf(bits) : ir::MaskOf(bits) << (operand.subscript * bits);
  }

  absl::Status Read(const Instruction& instruction, size_t index) {
    const Operand& operand = instruction.sources[index];
    if (operand.kind == OperandKind::kImmediate) return absl::OkStatus();
    if (flags_.contains(operand.name))
      return Broken("flags", absl::StrCat("flag ", operand.name, " cannot be an operand"));
    const int wide = WideBitsOf(m_, program_, operand);
    if (operand.subscript >= 0 && (operand.subscript + 1) * m_.types()[operand.type].bits > wide) {
      return Broken("regions", absl::StrCat(operand.name, " has ", wide, " bits and does not contain this part"));
    }
    Register& known = operand.kind == OperandKind::kVariable ? variables_[operand.name] : bits_[operand.name];
    if (operand.kind == OperandKind::kVariable && known.bits == 0) known = {wide, ~uint64_t{0}};
    if (known.bits == 0) return Broken("definition", absl::StrCat(operand.name, " is read before it is written"));
    if (known.bits != wide) {
      return Broken("size", absl::StrCat(operand.name, " has ", known.bits, " bits, but is read as ", wide));
    }
    if ((PartOf(operand, ComponentsRead(instruction, index, componentwise_)) & ~known.defined) != 0) {
      return Broken("definition", absl::StrCat("a part of ", operand.name, " is read before it is written"));
    }
    return absl::OkStatus();
  }

  absl::Status Write(const Instruction& instruction) {
    const Operand& destination = instruction.destination;
    const int wide = WideBitsOf(m_, program_, destination);
    if (destination.subscript >= 0 && (destination.subscript + 1) * m_.types()[destination.type].bits > wide) {
      return Broken("regions", absl::StrCat(destination.name, " has ", wide, " bits and does not contain this part"));
    }
    if (variables_.contains(destination.name)) {
      return Broken("definition", absl::StrCat(destination.name, " is a variable; programs do not change variables"));
    }
    if (flags_.contains(destination.name)) return Broken("flags", absl::StrCat(destination.name, " is a flag"));
    Register& known = bits_[destination.name];
    const bool keeps = !instruction.predicate.empty() && !instruction.variant->reads_predicate;
    const uint64_t part = PartOf(destination, ComponentsWritten(instruction, componentwise_));
    if (known.bits != 0 && known.bits != wide) {
      return Broken("size", absl::StrCat(destination.name, " has ", known.bits, " bits, but is written as ", wide));
    }
    if (keeps && (known.bits == 0 || (part & ~known.defined) != 0)) {
      return Broken("definition",
                    absl::StrCat("a predicated write keeps the old value of ", destination.name, ", which has none"));
    }
    const bool again = m_.components() > 1 ? (part & known.defined) != 0 : destination.subscript < 0;
    if (known.bits != 0 && !keeps && again) {
      return Broken("definition", absl::StrCat(destination.name, " is written twice"));
    }
    known.bits = wide;
    known.defined |= part;
    return absl::OkStatus();
  }

  const Machine& m_;
  const Program& program_;
  std::map<std::string, Register> bits_, variables_;
  std::map<std::string, uint8_t> flags_;  // Masks of the written components.
  const bool componentwise_;
};

// Returns true if all components read the same register component.
bool IsBroadcast(const Operand& operand) {
  return std::all_of(operand.swizzle.begin(), operand.swizzle.begin() + ir::kShaderComponents,
                     [&](uint8_t component) { return component == operand.swizzle[0]; });
}

}  // namespace

std::multiset<std::pair<std::string, std::string>> FeaturesOf(const Machine& machine, const Instruction& instruction) {
  std::multiset<std::pair<std::string, std::string>> features;
  const auto add = [&](std::string feature, const std::string& operand = "") {
    features.emplace(std::move(feature), operand);
  };
  for (const ModifierIndex m : instruction.destination_modifiers) add(machine.modifiers()[m].spelling);
  if (instruction.saturated) add("sat"), add("sat_integer");
  const Variant& variant = *instruction.variant;
  if (instruction.choice >= 0) {
    add(absl::StrCat("choice:", machine.selectors()[variant.selector].choices[instruction.choice].first));
  }
  if (instruction.flag_choice >= 0) {
    add(absl::StrCat("cmod:", machine.selectors()[variant.result_flag].choices[instruction.flag_choice].first));
  }
  if (!instruction.flag.empty()) add("flag");
  if (!instruction.predicate.empty()) add("predicate");
  const std::string& result_type = machine.types()[instruction.destination.type].name;
  add(absl::StrCat("type:", result_type)), add(absl::StrCat("result:", result_type));
  if (instruction.destination.subscript > 0) add("subscript_above");
  if (instruction.destination.mask != 0 && instruction.destination.mask != 0xf) add("masked");
  for (size_t i = 0; i < instruction.sources.size(); ++i) {
    const Operand& operand = instruction.sources[i];
    const Type& type = machine.types()[operand.type];
    const std::string key = KeyOf(machine, operand);
    add(absl::StrCat("type:", type.name), key);
    for (const ModifierIndex m : operand.modifiers) add(absl::StrCat("mod:", machine.modifiers()[m].id), key);
    const ModifierIndex widening = WideningOf(machine, variant, static_cast<int>(i), operand.type);
    if (widening >= 0) add(absl::StrCat("mod:", machine.modifiers()[widening].id), key);
    if (operand.subscript >= 0) add("subscript", key);
    if (operand.subscript > 0) add("subscript_above", key);
    if (operand.uniform) add("uniform", key), add(absl::StrCat("uniform:", i), key);
    if (operand.swizzle != ir::kIdentitySwizzle) add("swizzled", key);
    if (operand.swizzle != ir::kIdentitySwizzle && !IsBroadcast(operand)) {
      for (const ModifierIndex m : operand.modifiers) add(absl::StrCat("mixed:", machine.modifiers()[m].id), key);
    }
    if (std::any_of(operand.swizzle.begin(), operand.swizzle.end(), [](uint8_t c) { return c >= kSwizzleZero; }))
      add("constants", key);
    if (operand.kind != OperandKind::kImmediate) continue;
    add("imm", key), add(absl::StrCat("imm:", i), key), add(absl::StrCat("imm_bits:", type.bits), key);
    if (!operand.modifiers.empty()) add("imm_modified", key);
    const v1::ImmediateSet* set = variant.operands[i].set;
    if (set != nullptr) add(InSet(*set, operand.bits, type.bits) ? "inline" : "literal", key);
  }
  return features;
}

absl::Status CheckInstruction(const Machine& machine, const Instruction& instruction) {
  absl::Status status = CheckDestination(machine, instruction);
  for (size_t i = 0; status.ok() && i < instruction.sources.size(); ++i) {
    status = CheckSource(machine, instruction, i);
  }
  if (status.ok()) status = CheckRules(machine, instruction);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(status.message(), ", in ", PrintInstruction(machine, instruction)));
}

absl::Status CheckLegal(const Machine& machine, const Program& program) {
  Tracker tracker(machine, program);
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    absl::Status status = CheckInstruction(machine, instruction);
    if (status.ok()) status = tracker.Step(instruction);
    if (status.ok()) continue;
    const std::string where = instruction.line > 0 ? absl::StrCat(instruction.line, ":", instruction.column)
                                                   : absl::StrCat("instruction ", i + 1);
    return absl::InvalidArgumentError(absl::StrCat(where, ": ", status.message()));
  }
  if (absl::Status status = tracker.CheckFiles(); !status.ok()) return status;
  return tracker.Finish();
}

}  // namespace rewrought::machine
