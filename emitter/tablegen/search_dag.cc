#include "emitter/tablegen/search_dag.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/tablegen/machine_records.h"
#include "emitter/tablegen/op_records.h"
#include "emitter/tablegen/value_kinds.h"
#include "ir/scalar.h"
#include "ir/text/predicates.h"

namespace rewrought::emitter {
namespace {

absl::Status Cannot(absl::string_view what) { return absl::FailedPreconditionError(what); }

bool Has(const ir::Node& node, absl::string_view predicate) {
  return std::find(node.predicates.begin(), node.predicates.end(), predicate) != node.predicates.end();
}

class Writer {
 public:
  Writer(const ir::Term& search, int components, const std::set<std::string>& uniform, Definitions* definitions,
         SearchNames* names)
      : term_(search),
        floats_(FloatValues(search)),
        components_(components),
        uniform_(uniform),
        definitions_(definitions),
        names_(names) {}

  absl::StatusOr<Dag> Root() { return Value(term_.root, floats_[term_.root]); }

 private:
  // Returns the value of node `index` with the type that its user expects.
  absl::StatusOr<Dag> Value(ir::NodeIndex index, bool as_float) {
    const ir::Node& node = term_.at(index);
    // A constant has the type that its user expects.
    if (node.kind == ir::NodeKind::kConstant) return Constant(node, as_float);
    absl::StatusOr<Dag> dag = node.kind == ir::NodeKind::kOp ? Op(index) : Variable(index);
    if (!dag.ok() || floats_[index] == as_float) return dag;
    const absl::StatusOr<std::string> type = TypeOf(node, as_float);
    if (!type.ok()) return type.status();
    return List(*type, {List("bitconvert", {*std::move(dag)})});
  }

  absl::StatusOr<std::string> TypeOf(const ir::Node& node, bool is_float) const {
    return ValueType(is_float, node.bits, node.components * components_);
  }

  absl::StatusOr<Dag> Op(ir::NodeIndex index) {
    const ir::Node& node = term_.at(index);
    const absl::StatusOr<std::string> type = TypeOf(node, floats_[index]);
    if (!type.ok()) return type.status();
    if (node.write_mask != ir::kWritesAll) return Cannot("it matches a value with undefined components");
    const absl::StatusOr<std::string> name = DefineOp(node, components_ > 1 || node.components > 1, definitions_);
    if (!name.ok()) return name.status();
    ir::Node meaning = node;
    meaning.sources.clear();
    names_->ops.try_emplace(*name, meaning);
    std::vector<Dag> sources;
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const ir::Source& source = node.sources[i];
      for (int c = 0; c < term_.at(source.node).components; ++c) {
        if (source.swizzle[c] != c) return Cannot("it matches a swizzle");
      }
      absl::StatusOr<Dag> value = Value(source.node, ReadsFloat(node, i, floats_[index]));
      if (!value.ok()) return value;
      sources.push_back(*std::move(value));
    }
    return List(*type, {List(*name, std::move(sources))});
  }

  absl::StatusOr<Dag> Variable(ir::NodeIndex index) {
    const ir::Node& node = term_.at(index);
    const bool letters = !node.name.empty() && std::all_of(node.name.begin(), node.name.end(), absl::ascii_isalpha);
    if (!letters) return Cannot("a variable's name must consist of letters");
    const absl::StatusOr<std::string> type = TypeOf(node, floats_[index]);
    if (!type.ok()) return type.status();
    const bool uniform = uniform_.contains(node.name);
    if (node.flags != 0 || node.typed) return Cannot("it requires a variable to have a type or flags");
    // Only the first use has conditions, because all uses have the same value.
    if (!seen_.insert(node.name).second || (node.predicates.empty() && !node.constant_only && !uniform)) {
      return Atom(*type, node.name);
    }
    const absl::StatusOr<std::string> leaf = DefineVariable(node, *type, floats_[index], uniform, definitions_);
    if (!leaf.ok()) return leaf.status();
    names_->leaves.try_emplace(*leaf, node);
    return Atom(*leaf, node.name);
  }

  absl::StatusOr<Dag> Constant(const ir::Node& node, bool as_float) {
    if (node.components * components_ > 1) {
      return Cannot("it matches a constant with several components");
    }
    const absl::StatusOr<std::string> type = TypeOf(node, as_float);
    if (!type.ok()) return type.status();
    if (!as_float) return List(*type, {Atom(absl::StrCat(ir::SignExtend(node.values[0], node.bits)))});
    const absl::StatusOr<std::string> leaf = DefineFloat(node, *type, Has(node, ir::kEitherZeroMark), definitions_);
    if (!leaf.ok()) return leaf.status();
    names_->leaves.try_emplace(*leaf, node);
    return Atom(*leaf);
  }

  const ir::Term& term_;
  const std::vector<bool> floats_;
  const int components_;
  const std::set<std::string>& uniform_;
  Definitions* definitions_;
  SearchNames* names_;
  std::set<std::string> seen_;
};

// Compares a DAG with a term node by node.
class Comparison {
 public:
  Comparison(const ir::Term& search, const SearchNames& names) : term_(search), names_(names) {}

  absl::Status Value(const Dag& dag, ir::NodeIndex index) {
    const ir::Node& node = term_.at(index);
    if (dag.kind == Dag::Kind::kAtom) return Leaf(dag, node);
    if (dag.kind != Dag::Kind::kList) return Differs(dag);
    if (IsValueType(dag.head) && dag.arguments.size() == 1) {
      const Dag& inner = dag.arguments[0];
      if (inner.head == "bitconvert" && inner.arguments.size() == 1) return Value(inner.arguments[0], index);
      int64_t number;
      if (inner.kind != Dag::Kind::kAtom) return Value(inner, index);
      const bool same = node.kind == ir::NodeKind::kConstant && !Has(node, ir::kEitherZeroMark) &&
                        absl::SimpleAtoi(inner.head, &number) &&
                        (static_cast<uint64_t>(number) & ir::MaskOf(node.bits)) == node.values[0] &&
                        dag.head == absl::StrCat("i", static_cast<int>(node.bits));
      return same ? absl::OkStatus() : Differs(dag);
    }
    const auto op = names_.ops.find(dag.head);
    const bool same = op != names_.ops.end() && node.kind == ir::NodeKind::kOp && op->second.op == node.op &&
                      op->second.flags == node.flags && op->second.predicates == node.predicates &&
                      dag.arguments.size() == node.sources.size();
    if (!same) return Differs(dag);
    for (size_t i = 0; i < node.sources.size(); ++i) {
      if (absl::Status status = Value(dag.arguments[i], node.sources[i].node); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Differs(const Dag& dag) {
    return absl::DataLossError(absl::StrCat("its search has ", PrintDag(dag)));
  }

  absl::Status Leaf(const Dag& dag, const ir::Node& node) {
    const auto leaf = names_.leaves.find(dag.head);
    if (node.kind == ir::NodeKind::kConstant) {
      const bool same = leaf != names_.leaves.end() && leaf->second.kind == ir::NodeKind::kConstant &&
                        leaf->second.bits == node.bits && leaf->second.values[0] == node.values[0] &&
                        leaf->second.predicates == node.predicates;
      return same && dag.name.empty() ? absl::OkStatus() : Differs(dag);
    }
    if (node.kind != ir::NodeKind::kVariable || dag.name != node.name) return Differs(dag);
    const bool first = seen_.insert(node.name).second;
    if (leaf == names_.leaves.end()) {
      const bool plain = node.predicates.empty() && !node.constant_only;
      return IsValueType(dag.head) && (plain || !first) ? absl::OkStatus() : Differs(dag);
    }
    const bool same = leaf->second.kind == ir::NodeKind::kVariable && leaf->second.predicates == node.predicates &&
                      leaf->second.constant_only == node.constant_only && leaf->second.bits == node.bits;
    return same && first ? absl::OkStatus() : Differs(dag);
  }

  const ir::Term& term_;
  const SearchNames& names_;
  std::set<std::string> seen_;
};

}  // namespace

bool IsPerComponent(const ir::Term& search) {
  return std::all_of(search.nodes.begin(), search.nodes.end(), [](const ir::Node& node) {
    if (node.components != 1) return false;
    if (node.kind == ir::NodeKind::kConstant) return false;
    if (node.kind != ir::NodeKind::kOp) return true;
    return node.op->result.components == 0 &&
           std::all_of(node.op->sources.begin(), node.op->sources.end(),
                       [](const ir::OperandType& source) { return source.components == 0; });
  });
}

absl::StatusOr<Dag> SearchDag(const ir::Term& search, int components, const std::set<std::string>& uniform,
                              Definitions* definitions, SearchNames* names) {
  return Writer(search, components, uniform, definitions, names).Root();
}

absl::Status CompareSearch(const Dag& dag, const ir::Term& search, const SearchNames& names) {
  return Comparison(search, names).Value(dag, search.root);
}

}  // namespace rewrought::emitter
