#include "verifier/mesa/nir26.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/dialect/lowering.h"
#include "ir/dialect/nir26_predicates.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/match/matcher_model.h"
#include "ir/match/mesa_build.h"
#include "ir/text/predicates.h"

namespace rewrought::verifier {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Term;

constexpr uint8_t kEachFlag[] = {ir::kNoSignedZero, ir::kNoNan, ir::kNoInf};

bool Has(const Node& node, absl::string_view mark) {
  return std::find(node.predicates.begin(), node.predicates.end(), mark) != node.predicates.end();
}

// Returns the flags that the replacement's node forbids by a preserve bit of its own.
uint8_t Preserved(const Node& node) {
  if (Has(node, ir::kPreserveNanInfSz)) return ir::kPermissions;
  return static_cast<uint8_t>((Has(node, ir::kPreserveNanInf) ? ir::kNoNan | ir::kNoInf : 0) |
                              (Has(node, ir::kPreserveSz) ? ir::kNoSignedZero : 0));
}

uint8_t MarksOf(uint8_t flags) {
  uint8_t marks = 0;
  for (const uint8_t flag : kEachFlag) {
    if (flags & flag) marks |= ir::RootMark(flag);
  }
  return marks;
}

bool ReadsPredicate(const Term& search, const Node& reader) {
  for (size_t k = 0; k < reader.sources.size(); ++k) {
    const Node& source = search.at(reader.sources[k].node);
    if (source.kind != NodeKind::kVariable) continue;
    if (ir::RowIn26(*reader.op).sources[k].base != ir::BaseType::kFloat) continue;
    for (const std::string& predicate : source.predicates) {
      if (ir::DependsOnReaderIn26(predicate)) return true;
    }
  }
  return false;
}

absl::Status Missing(absl::string_view what, ir::Dialect dialect) {
  return absl::InvalidArgumentError(
      dialect == ir::Dialect::kNir26
          ? absl::StrCat(what, " does not exist in Mesa 26; --dialect nir-25 reads rules of earlier versions")
          : absl::StrCat(what, " exists only in Mesa 26; use --dialect nir-26"));
}

}  // namespace

absl::Status CheckDialect(const ir::Rule& rule, ir::Dialect dialect) {
  const bool is_26 = dialect == ir::Dialect::kNir26;
  for (const Term* side : {&rule.search, &rule.replace}) {
    for (const Node& node : side->nodes) {
      if (is_26 && node.kind == NodeKind::kVariable && node.typed)
        return Missing(absl::StrCat("the type of variable '", node.name, "'"), dialect);
      for (const std::string& predicate : node.predicates) {
        if (is_26 ? ir::IsPredicateGoneIn26(predicate) : ir::IsPredicateNewIn26(predicate))
          return Missing(predicate, dialect);
      }
    }
  }
  return absl::OkStatus();
}

bool HasSizeGoneIn26(const ir::Rule& rule) {
  for (const Term* side : {&rule.search, &rule.replace}) {
    for (const Node& node : side->nodes) {
      if (node.kind != NodeKind::kOp) continue;
      if (ir::IsGoneIn26(node.op->name)) return true;
      for (size_t k = 0; k < node.sources.size(); ++k) {
        const int bits = side->at(node.sources[k].node).bits;
        if (node.op->sources[k].base == ir::BaseType::kBool && (bits == 8 || bits == 16)) return true;
      }
    }
  }
  return false;
}

void SetFlagsAsMesa26(Term* search, Term* replace) {
  ir::BuildAsMesa(*search, replace);
  // The flags that every matched instruction has, ignoring ops that cannot carry the bit.
  uint8_t named_by_all = ir::kPermissions;
  for (Node& node : search->nodes) {
    if (node.kind != NodeKind::kOp) continue;
    const uint8_t valid = ir::FlagsOfOpIn26(*node.op);
    const uint8_t named = node.flags & valid;
    named_by_all &= static_cast<uint8_t>(named | ~valid);
    node.flags = static_cast<uint8_t>((node.flags & (ir::kExact | ir::kInexact)) | named | MarksOf(valid & ~named));
    if (ReadsPredicate(*search, node)) node.predicates.emplace_back(ir::kReadsPredicate);
  }
  for (Node& node : replace->nodes) {
    if (node.kind != NodeKind::kOp) continue;
    const uint8_t open = ir::FlagsOfOpIn26(*node.op) & static_cast<uint8_t>(~Preserved(node));
    node.flags = static_cast<uint8_t>((node.flags & (ir::kExact | ir::kInexact)) | (open & named_by_all) |
                                      MarksOf(open & static_cast<uint8_t>(~named_by_all)));
  }
}

bool RequiresInexactIn26(const Term& search) {
  std::vector<bool> marked(search.nodes.size());
  for (ir::NodeIndex i = static_cast<ir::NodeIndex>(search.nodes.size()); i-- > 0;) {
    const Node& node = search.at(i);
    if (node.kind != NodeKind::kOp) continue;
    marked[i] = marked[i] || (node.flags & ir::kInexact) != 0;
    if (marked[i] && ir::CanBeExactIn26(*node.op)) return true;
    for (const ir::Source& source : node.sources) marked[source.node] = marked[source.node] || marked[i];
  }
  return false;
}

}  // namespace rewrought::verifier
