#include "machine/program_term.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "machine/instruction_nodes.h"
#include "machine/legality.h"

namespace rewrought::machine {
namespace {

class Translator : private InstructionNodes {
 public:
  Translator(const Machine& machine, const Program& program)
      : InstructionNodes(machine, IsComponentwise(program)), program_(program) {
    for (const Instruction& instruction : program.instructions) {
      for (size_t i = 0; i < instruction.sources.size(); ++i) {
        Need(instruction.sources[i].name, ComponentsRead(instruction, i, componentwise_));
      }
      Need(instruction.predicate, ComponentsWritten(instruction, componentwise_));
    }
  }

  absl::StatusOr<ir::Term> Translate() {
    for (const Instruction& instruction : program_.instructions) Step(instruction);
    std::vector<Lane> result;
    for (const std::optional<Lane>& lane : values_.at(std::string(kResultName))) {
      if (lane.has_value()) result.push_back(*lane);
    }
    term_.root = AsNode(result);
    return std::move(term_);
  }

 private:
  using Value = std::array<std::optional<Lane>, ir::kShaderComponents>;

  // Records that `components` of a variable are read; the variable gets components up to the highest of these.
  void Need(const std::string& name, uint8_t components) {
    int& most = variable_components_[name];
    for (int c = 0; c < ir::kShaderComponents; ++c) {
      if ((components >> c & 1) != 0) most = std::max(most, c + 1);
    }
  }

  // Returns the current value of register `name`, or the variable of this name.
  Value& ValueOf(const std::string& name, int bits) {
    const auto [found, is_new] = values_.try_emplace(name);
    if (!is_new) return found->second;
    const int components = std::max(1, variable_components_[name]);
    const ir::NodeIndex node = AddVariable(name, bits, components);
    for (int c = 0; c < components; ++c) found->second[c] = Lane{node, static_cast<uint8_t>(c)};
    return found->second;
  }

  Lane Register(const Instruction& instruction, size_t index, int component) override {
    const Operand& operand = instruction.sources[index];
    return *ValueOf(operand.name, WideBitsOf(m_, program_, operand))[component];
  }
  Lane Flag(const Instruction& instruction, int component) override {
    return *ValueOf(instruction.predicate, 1)[component];
  }
  std::optional<Lane> Old(const Instruction& instruction, int component) override {
    const auto found = values_.find(instruction.destination.name);
    return found == values_.end() ? std::nullopt : found->second[component];
  }
  int SourceBits(const Instruction& instruction, size_t index) const override {
    return WideBitsOf(m_, program_, instruction.sources[index]);
  }
  int DestinationBits(const Instruction& instruction) const override {
    return WideBitsOf(m_, program_, instruction.destination);
  }

  void Step(const Instruction& instruction) {
    const Results results = Add(instruction);
    const uint8_t written = ComponentsWritten(instruction, componentwise_);
    Set(results.flag, written, instruction.flag);
    Set(results.value, written, instruction.destination.name);
  }

  void Set(const std::vector<Lane>& lanes, uint8_t written, const std::string& name) {
    if (lanes.empty()) return;
    Value& value = values_[name];
    size_t next = 0;
    for (int c = 0; c < ir::kShaderComponents; ++c) {
      if ((written >> c & 1) != 0) value[c] = lanes[next++];
    }
  }

  const Program& program_;
  std::map<std::string, int> variable_components_;
  std::map<std::string, Value> values_;  // Values of registers, flags and variables.
};

}  // namespace

absl::StatusOr<ir::Term> ProgramTerm(const Machine& machine, const Program& program) {
  if (absl::Status status = CheckLegal(machine, program); !status.ok()) return status;
  return Translator(machine, program).Translate();
}

}  // namespace rewrought::machine
