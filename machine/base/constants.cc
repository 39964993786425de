#include "machine/base/constants.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/batch.h"
#include "ir/dag.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/scalar.h"
#include "machine/base/base_selection.h"
#include "machine/legality.h"
#include "machine/program_term.h"

namespace rewrought::machine {
namespace {

constexpr size_t kLanes = 64;

// Returns base selection's load of a constant, with destination `name`.
std::optional<Instruction> LoadOf(const Machine& machine, uint64_t bits, int width, const std::string& name) {
  absl::StatusOr<Program> program = ConstantProgram(machine, bits, width, BaseKind::kNaive);
  if (!program.ok() || program->instructions.empty()) return std::nullopt;
  Instruction load = program->instructions[0];
  load.destination.name = name;
  return load;
}

// Returns the result of the variant's `choice` over inputs "s0", "s1", ..., as a value of `dag`. If `exchanged`,
// swaps the first two sources.
std::optional<ir::ValueIndex> LowerChoice(const Machine& machine, const Variant& variant, int choice, bool exchanged,
                                          ir::Dag* dag) {
  ir::Term term;
  ir::Node op;
  op.kind = ir::NodeKind::kOp;
  op.op = variant.rows[static_cast<size_t>(choice)];
  op.bits = static_cast<uint8_t>(machine.types()[static_cast<size_t>(variant.result)].bits);
  for (size_t i = 0; i < variant.sources.size(); ++i) {
    ir::Node variable;
    variable.name = absl::StrCat("s", i);
    variable.bits = static_cast<uint8_t>(machine.types()[static_cast<size_t>(variant.sources[i])].bits);
    term.nodes.push_back(variable);
    op.sources.push_back({static_cast<ir::NodeIndex>(i)});
  }
  if (exchanged) std::swap(op.sources[0], op.sources[1]);
  term.root = static_cast<ir::NodeIndex>(term.nodes.size());
  term.nodes.push_back(std::move(op));
  const ir::ChoiceSource choose = [dag](const ir::Choice& of) { return dag->Literal(0, of.width); };
  const absl::StatusOr<ir::LoweredTerm> lowered = ir::LowerTerm(dag, term, ir::DenormMode::kPreserve, choose);
  if (!lowered.ok()) return std::nullopt;
  return lowered->root[0];
}

void DropUnread(Program* program) {
  for (;;) {
    std::set<std::string> read = {std::string(kResultName)};
    for (const Instruction& instruction : program->instructions) {
      read.insert(instruction.predicate);
      for (const Operand& source : instruction.sources) read.insert(source.name);
    }
    const auto unread = [&](const Instruction& instruction) {
      const bool writes = instruction.destination.kind != OperandKind::kNull;
      return !(writes && read.contains(instruction.destination.name)) &&
             !(!instruction.flag.empty() && read.contains(instruction.flag));
    };
    const size_t before = program->instructions.size();
    std::erase_if(program->instructions, unread);
    if (program->instructions.size() == before) return;
  }
}

// Returns the result of the program's instruction `count` - 1, or nullopt if it is not the same on all lanes.
std::optional<uint64_t> ConstantAfter(const Machine& machine, const Program& program, size_t count) {
  Program prefix = program;
  prefix.instructions.resize(count);
  const std::string last = prefix.instructions.back().destination.name;
  for (Instruction& instruction : prefix.instructions) {
    if (instruction.destination.name == last) instruction.destination.name = std::string(kResultName);
    for (Operand& source : instruction.sources) {
      if (source.kind == OperandKind::kRegister && source.name == last) source.name = std::string(kResultName);
    }
  }
  DropUnread(&prefix);
  absl::StatusOr<ir::Term> term = ProgramTerm(machine, prefix);
  if (!term.ok()) return std::nullopt;
  ir::Dag dag;
  absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&dag, *term, ir::DenormMode::kPreserve, 0);
  if (!lowered.ok() || lowered->lowered.root.size() != 1) return std::nullopt;
  ir::BatchLeaves leaves;
  uint64_t state = 1;
  for (const ir::Input& input : dag.inputs()) {
    std::vector<uint64_t>& lanes = leaves.inputs.emplace_back();
    for (size_t lane = 0; lane < kLanes; ++lane) {
      // A linear congruential generator with mixed high bits is random enough.
      state = state * 6364136223846793005u + 1442695040888963407u;
      uint64_t value = state ^ (state >> 29);
      // Use mostly ordinary floats, because sums of huge and tiny floats lose the tiny operand and may look constant.
      if (ir::IsFloatWidth(input.width))
        value = ir::FloatToBits(static_cast<double>(static_cast<int64_t>(value)) * 0x1p-60, input.width);
      lanes.push_back(value & ir::MaskOf(input.width));
    }
  }
  const auto values = ir::EvaluateBatch(dag, lowered->lowered.root, leaves, kLanes);
  for (uint64_t value : values[0]) {
    if (value != values[0][0]) return std::nullopt;
  }
  return values[0][0];
}

}  // namespace

absl::StatusOr<Program> ConstantProgram(const Machine& machine, uint64_t bits, int width, BaseKind kind) {
  ir::Node node;
  node.kind = ir::NodeKind::kConstant;
  node.bits = static_cast<uint8_t>(width);
  node.values[0] = bits;
  return BaseProgram(machine, ir::Term{{std::move(node)}, 0}, kind);
}

bool ApplyToConstant(const std::string& nir, int width, uint64_t* bits) {
  const uint64_t sign = uint64_t{1} << (width - 1);
  if (nir == "fneg")
    *bits ^= sign;
  else if (nir == "fabs")
    *bits &= ~sign;
  else if (nir == "ineg")
    *bits = (0 - *bits) & ir::MaskOf(width);
  else if (nir == "iabs")
    *bits = ((*bits & sign) != 0 ? 0 - *bits : *bits) & ir::MaskOf(width);
  else if (nir == "inot")
    *bits = ~*bits & ir::MaskOf(width);
  else
    return false;
  return true;
}

int ExchangedChoice(const Machine& machine, const Variant& variant, int choice) {
  if (choice < 0 || variant.sources.size() < 2 || variant.sources[0] != variant.sources[1]) return -1;
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<const Variant*, int>, int>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, is_new] = known.try_emplace({&variant, choice}, -1);
  for (int other = 0; is_new && other < static_cast<int>(variant.rows.size()); ++other) {
    ir::Dag dag;
    const std::optional<ir::ValueIndex> plain = LowerChoice(machine, variant, choice, false, &dag);
    const std::optional<ir::ValueIndex> exchanged = LowerChoice(machine, variant, other, true, &dag);
    if (plain.has_value() && plain == exchanged) found->second = other;
  }
  return found->second;
}

bool TryImmediate(const Machine& machine, const Operand& immediate, size_t place, Instruction* instruction) {
  Instruction trial = *instruction;
  trial.sources[place] = immediate;
  trial.sources[place].swizzle = ir::kIdentitySwizzle;  // All components are equal.
  if (!CheckInstruction(machine, trial).ok()) {
    if (place > 1) return false;
    if (!instruction->variant->commutative) {
      trial.choice = ExchangedChoice(machine, *instruction->variant, instruction->choice);
      if (trial.choice < 0) return false;
    }
    std::swap(trial.sources[0], trial.sources[1]);
    if (!CheckInstruction(machine, trial).ok()) return false;
  }
  *instruction = std::move(trial);
  return true;
}

absl::StatusOr<Program> BindConstants(const Machine& machine, Program program,
                                      const std::map<std::string, uint64_t>& constants) {
  std::map<std::string, std::string> loaded;
  std::vector<Instruction> loads;
  for (Instruction& instruction : program.instructions) {
    for (size_t place = 0; place < instruction.sources.size(); ++place) {
      const Operand written = instruction.sources[place];
      const auto constant = written.kind == OperandKind::kVariable ? constants.find(written.name) : constants.end();
      if (constant == constants.end()) continue;
      const int width = machine.types()[written.type].bits;
      Operand immediate = written;
      immediate.kind = OperandKind::kImmediate;
      immediate.name.clear();
      immediate.modifiers.clear();
      immediate.bits = constant->second & ir::MaskOf(width);
      bool folds = written.subscript < 0;
      for (const ModifierIndex modifier : written.modifiers) {
        folds = folds && ApplyToConstant(machine.modifiers()[modifier].nir, width, &immediate.bits);
      }
      if (folds && TryImmediate(machine, immediate, place, &instruction)) {
        place = static_cast<size_t>(-1);  // A swap may have moved an operand to an earlier index.
        continue;
      }
      const auto [name, is_new] = loaded.try_emplace(written.name, absl::StrCat("c", loaded.size()));
      if (is_new) {
        std::optional<Instruction> load = LoadOf(machine, constant->second, width, name->second);
        if (!load.has_value())
          return absl::UnimplementedError(absl::StrCat(machine.id(), " cannot load ", width, "-bit constants"));
        loads.push_back(*std::move(load));
      }
      instruction.sources[place].kind = OperandKind::kRegister;
      instruction.sources[place].name = name->second;
    }
  }
  program.instructions.insert(program.instructions.begin(), loads.begin(), loads.end());
  for (const auto& [name, bits] : constants) program.variable_bits.erase(name);
  return program;
}

std::optional<Program> WithConstantAsVariable(const Machine& machine, Program program, uint64_t bits, int width,
                                              const std::string& name) {
  const auto is_it = [&](const Operand& operand) {
    return operand.kind == OperandKind::kImmediate && operand.bits == bits &&
           machine.types()[operand.type].bits == width;
  };
  std::set<std::string> holders;  // Registers that contain only the constant.
  const auto is_load = [&](const Instruction& instruction) {
    return instruction.destination.kind == OperandKind::kRegister && instruction.destination.name != kResultName &&
           instruction.sources.size() == 1 && is_it(instruction.sources[0]) && IsPlainCopy(instruction);
  };
  for (const Instruction& instruction : program.instructions) {
    if (is_load(instruction)) holders.insert(instruction.destination.name);
  }
  std::erase_if(program.instructions, is_load);
  for (Instruction& instruction : program.instructions) {
    for (Operand& operand : instruction.sources) {
      const bool held = operand.kind == OperandKind::kRegister && holders.contains(operand.name);
      if (!held && !is_it(operand)) continue;
      operand.kind = OperandKind::kVariable;
      operand.name = name;
      operand.bits = 0;
    }
  }
  program.variable_bits[name] = width;
  if (!CheckLegal(machine, program).ok()) return std::nullopt;
  return program;
}

Program FoldConstantParts(const Machine& machine, const Program& program) {
  Program simplified = program;
  for (size_t i = 0; i + 1 < simplified.instructions.size(); ++i) {
    const Instruction& instruction = simplified.instructions[i];
    if (instruction.destination.kind == OperandKind::kNull || !instruction.flag.empty() ||
        !instruction.predicate.empty())
      continue;
    const std::optional<uint64_t> value = ConstantAfter(machine, simplified, i + 1);
    if (!value.has_value()) continue;
    std::optional<Instruction> load =
        LoadOf(machine, *value, machine.types()[instruction.destination.type].bits, instruction.destination.name);
    if (load.has_value()) simplified.instructions[i] = *std::move(load);
  }
  DropUnread(&simplified);
  return CheckLegal(machine, simplified).ok() ? simplified : program;
}

}  // namespace rewrought::machine
