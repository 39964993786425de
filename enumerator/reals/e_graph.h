// An e-graph: classes of equal values, each with the ops that compute it from other classes (equality saturation, Tate
// et al., POPL 2009). It is used to find forms that are equal over the reals, and does not prove anything.
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

// One way to compute a class: an op that is applied to classes, or a leaf.
struct ClassNode {
  const ir::OpRow* op = nullptr;  // Null for a leaf.
  uint8_t bits = 0;               // The result's width.
  uint8_t sources_count = 0;
  std::array<ClassId, kMaxClassSources> sources = {};
  int32_t variable = -1;  // A leaf's index into EGraph::variables(), or -1 for a constant.
  uint64_t value = 0;     // A constant's pattern, never -0.

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
    bool constant = false;        // A symbol (`#b`).
    std::optional<double> value;  // A symbol's value in the original fragment.
  };

  // Returns the class of `node`, whose sources are classes. Adds a new class if the graph does not contain the node.
  ClassId Add(ClassNode node);
  ClassId AddVariable(const Variable& variable);
  ClassId AddConstant(uint64_t value, int bits);

  // Merges the classes. Returns false if they are already the same or have different sizes. Call Rebuild before
  // reading the graph.
  bool Union(ClassId a, ClassId b);
  // Propagates unions to users (congruence), and folds ops on constants if the result is exact at its size.
  void Rebuild();

  ClassId Find(ClassId id) const;
  size_t nodes() const { return nodes_.size(); }
  const ClassNode& node(size_t index) const { return nodes_[index]; }
  ClassId class_of(size_t index) const { return Find(class_of_[index]); }
  // Returns the indices of the class's nodes.
  const std::vector<uint32_t>& members(ClassId id) const { return members_[Find(id)]; }
  const std::vector<Variable>& variables() const { return variables_; }
  // Returns true if some node of the class depends only on constants and symbols.
  bool IsConstant(ClassId id) const { return constant_[Find(id)]; }
  std::optional<uint64_t> Literal(ClassId id) const { return literal_[Find(id)]; }
  // Returns the value of a class that is constant, if the value is known.
  std::optional<double> Number(ClassId id) const;
  int bits(ClassId id) const { return bits_[Find(id)]; }
  // Returns true if two different constants became equal. This happens if an identity is used where one of its sides is
  // undefined (0 / 0). The graph is then useless.
  bool contradicts_itself() const { return contradiction_; }

 private:
  void Canonicalise(ClassNode* node) const;
  bool Merge();
  void Analyse();
  bool Fold();

  std::vector<ClassNode> nodes_;
  std::vector<ClassId> class_of_;  // Indexed by node.
  std::vector<ClassId> parent_;    // The union-find structure, indexed by class.
  std::vector<uint8_t> bits_;      // Indexed by class.
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
