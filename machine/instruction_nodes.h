// Builds the term nodes of one instruction, including its modifiers. Shared by machine/program_term.h and
// machine/select/emulate.h.
#ifndef REWROUGHT_MACHINE_INSTRUCTION_NODES_H_
#define REWROUGHT_MACHINE_INSTRUCTION_NODES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/term.h"
#include "machine/program.h"

namespace rewrought::machine {

// One component of a value.
struct Lane {
  ir::NodeIndex node = 0;
  uint8_t component = 0;
};

class InstructionNodes {
 public:
  InstructionNodes(const Machine& machine, bool componentwise) : m_(machine), componentwise_(componentwise) {}
  virtual ~InstructionNodes() = default;

 protected:
  // Register returns one component of the whole register or variable that source `index` reads. Flag returns one
  // component of the flag that the instruction reads. Old returns one component of the destination's old value, if it
  // is known.
  virtual Lane Register(const Instruction& instruction, size_t index, int component) = 0;
  virtual Lane Flag(const Instruction& instruction, int component) = 0;
  virtual std::optional<Lane> Old(const Instruction& instruction, int component) = 0;
  // Return the width in bits of the register that source `index` reads, and of the destination register.
  virtual int SourceBits(const Instruction& instruction, size_t index) const = 0;
  virtual int DestinationBits(const Instruction& instruction) const = 0;

  struct Results {
    std::vector<Lane> value;  // The written components in order; empty if only a flag is written.
    std::vector<Lane> flag;
  };
  // Adds the instruction's nodes. Returns the new values of the destination register and of the flag.
  Results Add(const Instruction& instruction);

  ir::NodeIndex AddNode(ir::Node node) {
    term_.nodes.push_back(std::move(node));
    return static_cast<ir::NodeIndex>(term_.nodes.size() - 1);
  }
  ir::NodeIndex AddVariable(std::string name, int bits, int components);
  ir::NodeIndex Constant(uint64_t bits, int width);
  // Returns the lanes as one source: a swizzle of a value if all lanes belong to it, and otherwise a vec2, vec3, or
  // vec4.
  ir::Source Gather(const std::vector<Lane>& lanes);
  // Returns the lanes as a node with exactly these components.
  ir::NodeIndex AsNode(const std::vector<Lane>& lanes);

  const Machine& m_;
  const bool componentwise_;
  ir::Term term_;

 private:
  ir::NodeIndex Op(const ir::OpRow* row, const std::vector<ir::Source>& sources, int components);
  ir::Source Read(const Instruction& instruction, size_t index, const std::vector<int>& wanted);
  ir::Source NegateSome(const Instruction& instruction, size_t index, const std::vector<int>& wanted, ir::Source value);
  ir::Source Predicate(const Instruction& instruction, const std::vector<int>& written);
  ir::NodeIndex Modify(const Instruction& instruction, ir::NodeIndex value, int components);
  ir::NodeIndex Write(const Instruction& instruction, ir::NodeIndex value, const std::vector<int>& written);

  std::map<std::pair<uint64_t, int>, ir::NodeIndex> constants_;
};

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_INSTRUCTION_NODES_H_
