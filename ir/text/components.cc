#include "ir/text/components.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rewrought::ir {
namespace {

using Counts = std::map<std::string, int>;

bool IsPerComponent(const Node& node) { return node.op->result.components == 0; }

// Computes the component counts that follow from the ops and their sources. A count is 0 if the sources of a
// per-component op leave it open.
void CountFromSources(Term* term, std::vector<int>* counts) {
  counts->assign(term->nodes.size(), 0);
  for (size_t i = 0; i < term->nodes.size(); ++i) {
    const Node& node = term->nodes[i];
    (*counts)[i] = node.components > 1 ? node.components : 0;
    if (node.kind != NodeKind::kOp) continue;
    if (!IsPerComponent(node)) {
      (*counts)[i] = node.op->result.components;
      continue;
    }
    int whole = 0;
    bool has_swizzled_op = false;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      if (node.op->sources[k].components != 0) continue;
      const Source& source = node.sources[k];
      if (term->nodes[source.node].kind != NodeKind::kOp) continue;
      if (source.swizzle == kIdentitySwizzle) {
        whole = std::max(whole, (*counts)[source.node]);
      } else {
        has_swizzled_op = true;
      }
    }
    // In ('pack_64_2x32_split', ('unpack_64_2x32', a), ('unpack_64_2x32.y', a)), the first source reads lane x.
    if (!has_swizzled_op) (*counts)[i] = std::max((*counts)[i], whole);
  }
}

// Propagates the counts from users to sources, starting from the root's count.
absl::Status CountFromUsers(const Term& term, int root_count, std::vector<int>* counts) {
  (*counts)[term.root] = std::max((*counts)[term.root], root_count);
  for (size_t i = term.nodes.size(); i-- > 0;) {
    const Node& node = term.nodes[i];
    if (node.kind != NodeKind::kOp) continue;
    if ((*counts)[i] == 0) (*counts)[i] = 1;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      const int fixed = node.op->sources[k].components;
      const int lanes = fixed != 0 ? fixed : (*counts)[i];
      const Source& source = node.sources[k];
      const int needed = 1 + *std::max_element(source.swizzle.begin(), source.swizzle.begin() + lanes);
      const Node& from = term.nodes[source.node];
      if (from.kind == NodeKind::kOp && !IsPerComponent(from) && needed > from.op->result.components) {
        return absl::InvalidArgumentError(
            absl::StrCat("source ", k + 1, " of ", node.op->name, " reads ", needed, " components, but ", from.op->name,
                         " returns ", static_cast<int>(from.op->result.components), "; write a swizzle such as .x"));
      }
      if (from.kind == NodeKind::kOp && !IsPerComponent(from)) continue;
      (*counts)[source.node] = std::max((*counts)[source.node], needed);
    }
  }
  return absl::OkStatus();
}

Counts VariableCounts(const Term& term, const std::vector<int>& counts) {
  Counts by_name;
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    if (term.nodes[i].kind != NodeKind::kVariable) continue;
    int& count = by_name[term.nodes[i].name];
    count = std::max(count, counts[i]);
  }
  return by_name;
}

void Store(const std::vector<int>& counts, const Counts& variables, Term* term) {
  for (size_t i = 0; i < term->nodes.size(); ++i) {
    Node& node = term->nodes[i];
    int count = std::max(1, counts[i]);
    if (node.kind == NodeKind::kVariable) count = std::max(count, variables.at(node.name));
    const bool widened = node.kind == NodeKind::kConstant && node.literal == LiteralKind::kBits && node.components == 1;
    for (int c = 1; widened && c < count; ++c) node.values[c] = node.values[0];  // the same pattern for all lanes
    node.components = static_cast<uint8_t>(count);
  }
}

}  // namespace

absl::Status InferComponents(Rule* rule) {
  std::vector<int> search, replace;
  CountFromSources(&rule->search, &search);
  absl::Status status = CountFromUsers(rule->search, std::max(1, search[rule->search.root]), &search);
  if (!status.ok()) return status;
  Counts variables = VariableCounts(rule->search, search);
  if (!rule->replace.nodes.empty()) {
    const int root_count = search[rule->search.root];
    CountFromSources(&rule->replace, &replace);
    status = CountFromUsers(rule->replace, root_count, &replace);
    if (!status.ok()) return status;
    if (replace[rule->replace.root] != root_count) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the search has ", root_count, " components, but the replacement has ", replace[rule->replace.root]));
    }
    for (const auto& [name, count] : VariableCounts(rule->replace, replace)) {
      const auto bound = variables.find(name);
      if (bound != variables.end() && count > std::max(1, bound->second)) {
        return absl::InvalidArgumentError(absl::StrCat("the replacement reads ", count, " components of ", name,
                                                       ", but the search binds only ", bound->second));
      }
    }
    Store(replace, variables, &rule->replace);
  }
  Store(search, variables, &rule->search);
  return absl::OkStatus();
}

}  // namespace rewrought::ir
