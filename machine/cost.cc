#include "machine/cost.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "machine/legality.h"

namespace rewrought::machine {
namespace {

struct Lifetime {
  int first = 0, last = 0;  // Instruction numbers: the value is live after `first` and up to `last`.
  int units = 0;
};

// Returns the number of register units that a value occupies.
int UnitsOf(const Machine& machine, const Program& program, const Operand& operand) {
  const auto& files = machine.description().register_files();
  const int unit = files.empty() ? 32 : static_cast<int>(files[0].unit_bits());
  int bits = WideBitsOf(machine, program, operand);
  if (operand.subscript < 0) bits = std::max(bits, machine.types()[operand.type].register_bits);
  return std::max(1, (bits + unit - 1) / unit);
}

int PeakRegisters(const Machine& machine, const Program& program) {
  std::map<std::string, Lifetime> lifetimes;
  const int count = static_cast<int>(program.instructions.size());
  for (int i = 0; i < count; ++i) {
    const Instruction& instruction = program.instructions[i];
    for (const Operand& source : instruction.sources) {
      if (source.kind == OperandKind::kImmediate || source.uniform) continue;
      auto [found, is_new] = lifetimes.try_emplace(source.name);
      if (is_new) found->second = {-1, i, UnitsOf(machine, program, source)};
      found->second.last = i;
    }
    if (instruction.destination.kind == OperandKind::kNull) continue;
    auto [found, is_new] = lifetimes.try_emplace(instruction.destination.name);
    if (is_new) found->second = {i, i, UnitsOf(machine, program, instruction.destination)};
    found->second.last = std::max(found->second.last, instruction.destination.name == kResultName ? count : i);
  }
  int peak = 0;
  for (int i = -1; i < count; ++i) {  // Count the units that are live after instruction i.
    int alive = 0;
    for (const auto& [name, lifetime] : lifetimes) {
      const bool held = lifetime.first <= i && lifetime.last > i;
      const bool just_written = lifetime.first == i && i >= 0;
      if (held || just_written) alive += lifetime.units;
    }
    peak = std::max(peak, alive);
  }
  return peak;
}

// Returns true if the program only copies a variable, or only loads a constant. Readers use the variable itself, and
// take the constant as an immediate or share it with the rest of the shader.
bool IsCopy(const Program& program) {
  return program.instructions.size() == 1 && IsPlainCopy(program.instructions[0]) &&
         program.instructions[0].sources[0].kind != OperandKind::kRegister;
}

}  // namespace

int InstructionBytes(const Machine& machine, const Instruction& instruction) {
  const CostClass& own = *instruction.variant->cost;
  if (own.long_bytes == 0 && own.literal_bytes == 0) return own.bytes;
  std::set<std::string> names, literals;
  for (const auto& [feature, operand] : FeaturesOf(machine, instruction)) {
    names.insert(feature);
    if (feature == "literal") literals.insert(operand);
  }
  int bytes = own.bytes;
  for (const std::string& feature : own.long_when) {
    if (names.contains(feature)) bytes = own.long_bytes;
  }
  return bytes + own.literal_bytes * static_cast<int>(literals.size());
}

Cost ProgramCost(const Machine& machine, const Program& program) {
  Cost cost;
  if (IsCopy(program)) return cost;
  std::map<std::string, double> ready;  // The cycle from which each register or flag can be read.
  for (const Instruction& instruction : program.instructions) {
    const CostClass& own = *instruction.variant->cost;
    cost.instructions += own.instructions;
    cost.issue_cycles += own.issue_cycles;
    cost.bytes += InstructionBytes(machine, instruction);
    double start = 0;
    for (size_t i = 0; i < instruction.sources.size(); ++i) {
      const Operand& source = instruction.sources[i];
      const double delay = i < own.read_delays.size() ? own.read_delays[i] : 0;
      if (const auto found = ready.find(source.name); source.kind == OperandKind::kRegister && found != ready.end()) {
        start = std::max(start, found->second - delay);
      }
    }
    for (const std::string& name : {instruction.predicate, instruction.destination.name}) {
      if (const auto found = ready.find(name); !name.empty() && found != ready.end())
        start = std::max(start, found->second);
    }
    if (instruction.destination.kind != OperandKind::kNull) ready[instruction.destination.name] = start + own.latency;
    if (!instruction.flag.empty()) ready[instruction.flag] = start + own.flag_latency;
    const bool writes_register = instruction.destination.kind != OperandKind::kNull;
    cost.latency = std::max(cost.latency, start + (writes_register ? own.latency : own.flag_latency));
  }
  cost.peak_registers = PeakRegisters(machine, program);
  return cost;
}

bool CheaperThan(const Cost& a, const Cost& b) {
  if (a.issue_cycles != b.issue_cycles) return a.issue_cycles < b.issue_cycles;
  if (a.instructions != b.instructions) return a.instructions < b.instructions;
  if (a.latency != b.latency) return a.latency < b.latency;
  return a.bytes < b.bytes;
}

bool WorthARule(const Cost& a, const Cost& b) {
  return a.issue_cycles != b.issue_cycles ? a.issue_cycles < b.issue_cycles : a.instructions < b.instructions;
}

}  // namespace rewrought::machine
