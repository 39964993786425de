#include "corpus/fragment_form.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "corpus/site_record.h"
#include "ir/facts/value_facts.h"
#include "ir/site_flags.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"

namespace rewrought::corpus {
namespace {

// Walks two terms of the same shape in parallel and records the corresponding node of `b` for each op node of `a`.
void Pair(const ir::Term& a, ir::NodeIndex i, const ir::Term& b, ir::NodeIndex j, std::vector<int>* partner) {
  if (a.at(i).kind != ir::NodeKind::kOp || (*partner)[i] >= 0) return;
  (*partner)[i] = static_cast<int>(j);
  for (size_t s = 0; s < a.at(i).sources.size() && s < b.at(j).sources.size(); ++s) {
    Pair(a, a.at(i).sources[s].node, b, b.at(j).sources[s].node, partner);
  }
}

std::string WidthsOf(const ir::Term& term) {
  std::vector<std::string> widths;
  for (const std::string& name : ir::VariablesInOrder(term)) {
    const auto found = std::find_if(term.nodes.begin(), term.nodes.end(), [&name](const ir::Node& node) {
      return node.kind == ir::NodeKind::kVariable && node.name == name;
    });
    widths.push_back(absl::StrCat(name, "@", found->bits));
  }
  widths.push_back(absl::StrCat("root@", term.root_node().bits));
  return absl::StrJoin(widths, " ");
}

}  // namespace

absl::StatusOr<SiteRecord> StoredSite(const Fragment& fragment) {
  ir::Term plain = fragment.term;
  for (ir::Node& node : plain.nodes) node.flags = 0;
  SiteRecord site;
  site.fragment.text = ir::PrintTerm(plain);
  absl::StatusOr<ir::Term> term = TermOfStored(site.fragment.text);
  if (!term.ok()) return term.status();
  const std::vector<ir::NodeIndex> order = ir::OpsInPrefixOrder(*term);
  if (order.size() > ir::kMaxFlaggedOps) return absl::InvalidArgumentError("the fragment has more than 16 ops");
  std::vector<int> partner(plain.nodes.size(), -1);
  Pair(plain, plain.root, *term, term->root, &partner);
  std::vector<uint64_t> node_flags(order.size(), 0xe);
  for (size_t i = 0; i < plain.nodes.size(); ++i) {
    if (partner[i] < 0) continue;
    const size_t place = static_cast<size_t>(
        std::find(order.begin(), order.end(), static_cast<ir::NodeIndex>(partner[i])) - order.begin());
    node_flags[place] = ir::MeetNodeFlags(node_flags[place], ir::SiteFlagsOf(fragment.term.nodes[i].flags));
    if (fragment.multi_use[i]) site.multi_use |= uint64_t{1} << place;
  }
  for (size_t i = 0; i < node_flags.size(); ++i) site.node_flags |= node_flags[i] << (ir::kSiteFlagBits * i);
  site.fragment.nodes = static_cast<int64_t>(order.size());
  site.fragment.variables = static_cast<int64_t>(ir::VariablesInOrder(*term).size());
  site.fragment.widths = WidthsOf(*term);
  site.facts = ir::FactsSummary(fragment.facts);
  site.count = 1;
  site.lines = {fragment.line};
  return site;
}

absl::StatusOr<ir::Term> TermOfStored(absl::string_view text) {
  absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
  if (!term.ok()) return term.status();
  for (const ir::Node& node : term->nodes) {
    if (node.bits == 0) return absl::InvalidArgumentError(absl::StrCat("unspecified size in stored fragment ", text));
  }
  return term;
}

}  // namespace rewrought::corpus
