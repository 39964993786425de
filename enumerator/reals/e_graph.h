// Terms that are equal by identities, kept once: classes of equal values, each with the ops that compute it from other
// classes (equality saturation, Tate et al., POPL 2009). For forms equal over the reals; it proves nothing.
#ifndef REWROUGHT_ENUMERATOR_REALS_E_GRAPH_H_
#define REWROUGHT_ENUMERATOR_REALS_E_GRAPH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/term.h"

namespace rewrought::enumerator {

using ClassId = uint32_t;
inline constexpr int kMaxClassSources = 4;

// One way to compute a class: an op of classes, or a leaf.
struct ClassNode {
  const ir::OpRow* op = nullptr;  // null: a leaf
  uint8_t bits = 0;               // of the result
  uint8_t sources_count = 0;
  std::array<ClassId, kMaxClassSources> sources = {};
  int32_t variable = -1;  // a leaf's place in EGraph::variables(), or -1: a constant
  uint64_t value = 0;     // of a constant: the pattern, never -0

  friend bool operator==(const ClassNode&, const ClassNode&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ClassNode& node) {
    return H::combine(std::move(h), node.op, node.bits, node.sources, node.variable, node.value);
  }
};

class EGraph {
 public:
  struct Variable {
    std::string name;
    uint8_t bits = 0;
    bool constant = false;        // a symbol (`#b`)
    std::optional<double> value;  // of a symbol, at the place where it was found
  };

  // The class of `node`, whose sources are classes; a new one if nothing is known to be it.
  ClassId Add(ClassNode node);
  ClassId AddVariable(const Variable& variable);
  ClassId AddConstant(uint64_t value, int bits);

  // Makes the classes one; false if they are already. Classes of different sizes are never one: false. Rebuild is due
  // before anything is read.
  bool Union(ClassId a, ClassId b);
  // Finds what follows from unions (equal ops of equal sources) and folds ops of constants whose value is exact at the
  // size.
  void Rebuild();

  ClassId Find(ClassId id) const;
  size_t nodes() const { return nodes_.size(); }
  const ClassNode& node(size_t index) const { return nodes_[index]; }
  ClassId class_of(size_t index) const { return Find(class_of_[index]); }
  // Nodes of a class, by index.
  const std::vector<uint32_t>& members(ClassId id) const { return members_[Find(id)]; }
  const std::vector<Variable>& variables() const { return variables_; }
  // All leaves below some node of the class are constants or symbols.
  bool IsConstant(ClassId id) const { return constant_[Find(id)]; }
  std::optional<uint64_t> Literal(ClassId id) const { return literal_[Find(id)]; }
  // The number that a constant class stands for, where it is known.
  std::optional<double> Number(ClassId id) const;
  int bits(ClassId id) const { return bits_[Find(id)]; }
  // Two different constants became one: an identity was used where a side does not exist (0 / 0). Nothing here is worth
  // reading.
  bool contradicts_itself() const { return contradiction_; }

 private:
  void Canonicalise(ClassNode* node) const;
  bool Merge();
  void Analyse();
  bool Fold();

  std::vector<ClassNode> nodes_;
  std::vector<ClassId> class_of_;  // by node
  std::vector<ClassId> parent_;    // by class: union-find
  std::vector<uint8_t> bits_;      // by class
  std::vector<std::vector<uint32_t>> members_;
  std::vector<bool> constant_;
  std::vector<std::optional<uint64_t>> literal_;
  std::vector<std::optional<double>> number_;
  absl::flat_hash_map<ClassNode, uint32_t> index_;
  std::vector<Variable> variables_;
  bool contradiction_ = false;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_REALS_E_GRAPH_H_
