#include "server/pipeline/fragment_form.h"

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
#include "ir/text/rule_text.h"

namespace rewrought::pipeline {
namespace {

constexpr uint8_t kStoredFlags[] = {ir::kExact, ir::kNoSignedZero, ir::kNoNan, ir::kNoInf};
constexpr int kFlagBits = 4;
constexpr uint64_t kExactBits = 0x1111111111111111;

uint64_t StoredFlagsOf(uint8_t flags) {
  uint64_t node_flags = 0;
  for (int i = 0; i < kFlagBits; ++i) node_flags |= (flags & kStoredFlags[i]) != 0 ? uint64_t{1} << i : 0;
  return node_flags;
}

// Walks two terms of the same shape together and notes which node of `b` each op node of `a` is.
void Pair(const ir::Term& a, ir::NodeIndex i, const ir::Term& b, ir::NodeIndex j, std::vector<int>* partner) {
  if (a.at(i).kind != ir::NodeKind::kOp || (*partner)[i] >= 0) return;
  (*partner)[i] = static_cast<int>(j);
  for (size_t s = 0; s < a.at(i).sources.size() && s < b.at(j).sources.size(); ++s) {
    Pair(a, a.at(i).sources[s].node, b, b.at(j).sources[s].node, partner);
  }
}

std::string WidthsOf(const ir::Term& term) {
  std::vector<std::string> widths;
  for (const std::string& name : VariablesInOrder(term)) {
    const auto found = std::find_if(term.nodes.begin(), term.nodes.end(), [&name](const ir::Node& node) {
      return node.kind == ir::NodeKind::kVariable && node.name == name;
    });
    widths.push_back(absl::StrCat(name, "@", found->bits));
  }
  widths.push_back(absl::StrCat("root@", term.root_node().bits));
  return absl::StrJoin(widths, " ");
}

void SayWord(absl::string_view word, corpus::ValueFacts* facts) {
  constexpr double kMax = std::numeric_limits<double>::max();
  uint64_t bound = 0;
  if (word == "number") facts->number = true;
  if (word == "finite") {
    facts->number = true;
    facts->low = std::max(facts->low, -kMax);
    facts->high = std::min(facts->high, kMax);
  }
  if (word == "=0" || word == ">=0" || word == ">0" || word == "0..1") facts->low = std::max(facts->low, 0.0);
  if (word == "=0" || word == "<=0" || word == "<0") facts->high = std::min(facts->high, 0.0);
  if (word == "0..1") facts->high = std::min(facts->high, 1.0);
  if (word == ">0" || word == "<0" || word == "!=0") facts->nonzero = true;
  if (word == "integral") facts->integral = true;
  if (word == "from_bool") facts->from_bool = true;
  if (word == "uniform") facts->uniform = true;
  if (absl::StartsWith(word, "max=") && absl::SimpleAtoi(word.substr(4), &bound)) facts->max_unsigned = bound;
}

}  // namespace

std::vector<ir::NodeIndex> OpsInPrefixOrder(const ir::Term& term) {
  std::vector<ir::NodeIndex> order;
  std::vector<bool> seen(term.nodes.size(), false);
  const std::function<void(ir::NodeIndex)> walk = [&](ir::NodeIndex index) {
    if (seen[index] || term.at(index).kind != ir::NodeKind::kOp) return;
    seen[index] = true;
    order.push_back(index);
    for (const ir::Source& source : term.at(index).sources) walk(source.node);
  };
  if (!term.nodes.empty()) walk(term.root);
  return order;
}

std::vector<std::string> VariablesInOrder(const ir::Term& term) {
  std::vector<std::string> names;
  std::vector<bool> seen(term.nodes.size(), false);
  const std::function<void(ir::NodeIndex)> walk = [&](ir::NodeIndex index) {
    if (seen[index]) return;
    seen[index] = true;
    const ir::Node& node = term.at(index);
    if (node.kind == ir::NodeKind::kVariable && std::find(names.begin(), names.end(), node.name) == names.end()) {
      names.push_back(node.name);
    }
    for (const ir::Source& source : node.sources) walk(source.node);
  };
  if (!term.nodes.empty()) walk(term.root);
  return names;
}

absl::StatusOr<store::SiteRecord> StoredSite(const corpus::Fragment& fragment) {
  ir::Term plain = fragment.term;
  for (ir::Node& node : plain.nodes) node.flags = 0;
  store::SiteRecord site;
  site.fragment.text = ir::PrintTerm(plain);
  absl::StatusOr<ir::Term> term = TermOfStored(site.fragment.text);
  if (!term.ok()) return term.status();
  const std::vector<ir::NodeIndex> order = OpsInPrefixOrder(*term);
  if (order.size() > kMaxFlaggedOps) return absl::InvalidArgumentError("a fragment of more than 16 ops");
  std::vector<int> partner(plain.nodes.size(), -1);
  Pair(plain, plain.root, *term, term->root, &partner);
  std::vector<uint64_t> node_flags(order.size(), 0xe);
  for (size_t i = 0; i < plain.nodes.size(); ++i) {
    if (partner[i] < 0) continue;
    const size_t place = static_cast<size_t>(
        std::find(order.begin(), order.end(), static_cast<ir::NodeIndex>(partner[i])) - order.begin());
    node_flags[place] = MeetNodeFlags(node_flags[place], StoredFlagsOf(fragment.term.nodes[i].flags));
    if (fragment.multi_use[i]) site.multi_use |= uint64_t{1} << place;
  }
  for (size_t i = 0; i < node_flags.size(); ++i) site.node_flags |= node_flags[i] << (kFlagBits * i);
  site.fragment.nodes = static_cast<int64_t>(order.size());
  site.fragment.variables = static_cast<int64_t>(VariablesInOrder(*term).size());
  site.fragment.widths = WidthsOf(*term);
  site.facts = FactsSummary(fragment.facts);
  site.count = 1;
  site.lines = {fragment.line};
  return site;
}

absl::StatusOr<ir::Term> TermOfStored(absl::string_view text) {
  absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
  if (!term.ok()) return term.status();
  for (const ir::Node& node : term->nodes) {
    if (node.bits == 0) return absl::InvalidArgumentError(absl::StrCat("a size is open in stored fragment ", text));
  }
  return term;
}

void ApplyNodeFlags(uint64_t node_flags, ir::Term* term) {
  const std::vector<ir::NodeIndex> order = OpsInPrefixOrder(*term);
  for (size_t i = 0; i < order.size(); ++i) {
    uint8_t flags = 0;
    for (int bit = 0; bit < kFlagBits; ++bit) {
      if (i < kMaxFlaggedOps && (node_flags >> (kFlagBits * i + bit) & 1) != 0) flags |= kStoredFlags[bit];
    }
    term->nodes[order[i]].flags = flags;
  }
}

uint64_t MeetNodeFlags(uint64_t a, uint64_t b) { return ((a | b) & kExactBits) | (a & b & ~kExactBits); }

std::string FactsSummary(const std::vector<corpus::ValueFacts>& facts) {
  return absl::StrJoin(facts, ";",
                       [](std::string* out, const corpus::ValueFacts& of) { out->append(corpus::FactsText(of)); });
}

std::vector<corpus::ValueFacts> ParseFactsSummary(absl::string_view text) {
  std::vector<corpus::ValueFacts> facts;
  for (absl::string_view words : absl::StrSplit(text, ';')) {
    corpus::ValueFacts& of = facts.emplace_back();
    for (absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty())) SayWord(word, &of);
  }
  return facts;
}

}  // namespace rewrought::pipeline
