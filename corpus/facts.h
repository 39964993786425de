// What a sound forward analysis knows of each value of a shader: intervals and number-ness of floats, bits and bounds
// of integers, uniformity. Rules with preconditions count only sites whose facts grant them.
//
// What the facts are about: the value that a device computes which follows each row, with every admissible choice of
// flushing, of NaN bits and of a free zero sign (ir/float_contract.h). The permissions nsz, nnan and ninf are not used
// up: they allow a compiler to change a node, and a node that stands in the shader has not been changed. Nothing is
// known of a poisoned result, of phis, loads and other opaque variables, except uniformity.
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
  std::vector<uint32_t> first_;  // by node: the place of its first component
  std::vector<ir::ValueFacts> facts_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FACTS_H_
