#include "machine/select/instruction_term.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "machine/instruction_nodes.h"

namespace rewrought::machine::select {
namespace {

class Builder : private InstructionNodes {
 public:
  Builder(const Machine& machine, const Instruction& instruction, const std::vector<int>& source_bits,
          int destination_bits)
      : InstructionNodes(machine, machine.components() == 1),
        i_(instruction),
        source_bits_(source_bits),
        destination_bits_(destination_bits) {}

  InstructionTerm Build() {
    const Results results = Add(i_);
    if (!results.flag.empty()) out_.flag = AsNode(results.flag);
    if (!results.value.empty()) out_.result = AsNode(results.value);
    out_.term = std::move(term_);
    return std::move(out_);
  }

 private:
  // Each component is a separate variable, so that the term requires only the components that it reads.
  Lane Variable(std::string name, int bits, int component) {
    if (m_.components() > 1) absl::StrAppend(&name, ".", component);
    const auto [found, is_new] = variables_.try_emplace(name);
    if (is_new) found->second = AddVariable(name, bits, 1);
    return {found->second, 0};
  }

  Lane Register(const Instruction&, size_t index, int component) override {
    return Variable(absl::StrCat("s", index), source_bits_[index], component);
  }
  Lane Flag(const Instruction&, int component) override { return Variable("flag", 1, component); }
  std::optional<Lane> Old(const Instruction&, int component) override {
    return Variable("old", destination_bits_, component);
  }
  int SourceBits(const Instruction&, size_t index) const override { return source_bits_[index]; }
  int DestinationBits(const Instruction&) const override { return destination_bits_; }

  const Instruction& i_;
  const std::vector<int>& source_bits_;
  const int destination_bits_;
  InstructionTerm out_;
  std::map<std::string, ir::NodeIndex> variables_;
};

}  // namespace

InstructionTerm TermOfInstruction(const Machine& machine, const Instruction& instruction,
                                  const std::vector<int>& source_bits, int destination_bits) {
  return Builder(machine, instruction, source_bits, destination_bits).Build();
}

}  // namespace rewrought::machine::select
