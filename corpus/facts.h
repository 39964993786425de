// Implements a sound forward analysis of the values of a shader: intervals of floats and whether they are numbers,
// known bits and bounds of integers, and uniformity. A rule that has preconditions applies only at sites whose facts
// imply them.
//
// A fact holds for every value that a device may compute: for every choice of flushing, NaN bits, and free zero signs
// that the op's row allows (ir/float_contract.h). The analysis ignores the permissions nsz, nnan, and ninf: they allow
// a compiler to change a node, but the shader's nodes have not been changed. For poisoned results, phis, loads, and
// other opaque variables, only uniformity is known.
#ifndef REWROUGHT_CORPUS_FACTS_H_
#define REWROUGHT_CORPUS_FACTS_H_

#include <cstdint>
#include <vector>

#include "ir/facts/value_facts.h"
#include "ir/shader.h"

namespace rewrought::corpus {

class ShaderFacts {
 public:
  explicit ShaderFacts(const ir::Shader& shader);

  const ir::ValueFacts& at(ir::NodeIndex node, int component) const { return facts_[first_[node] + component]; }

 private:
  std::vector<uint32_t> first_;  // for each node, the index of its first component
  std::vector<ir::ValueFacts> facts_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FACTS_H_
