#include "pipeline/sites/pattern_fragments.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/match/facts.h"
#include "ir/match/op_names.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"
#include "store/corpus_store.h"

namespace rewrought::pipeline {
namespace {

constexpr int kFragmentsBetweenStopChecks = 1024;  // number of fragments between two checks of the stop token

// Rejects most fragments by comparing op names. A fragment that the pattern matches as a whole has the same ops as the
// pattern, each the same number of times. If `any` is set, an op of the pattern can match several ops, so only the
// number of ops is compared.
struct OpFilter {
  std::vector<std::string> names;  // sorted
  bool any = false;

  explicit OpFilter(const ir::Term& search) : names(ir::OpNamesIn(ir::PrintTerm(search))) {
    for (const std::string& name : names) any = any || ir::FindOp(name) == nullptr;
    std::sort(names.begin(), names.end());
  }
  bool Admits(absl::string_view text) const {
    std::vector<std::string> found = ir::OpNamesIn(text);
    if (any || found.size() != names.size()) return found.size() == names.size();
    std::sort(found.begin(), found.end());
    return found == names;
  }
};

}  // namespace

absl::StatusOr<ir::CompiledRule> CompilePattern(absl::string_view text) {
  absl::StatusOr<ir::Term> search = ir::ParseTerm(text);
  if (!search.ok()) return search.status();
  if (search->root_node().kind != ir::NodeKind::kOp)
    return absl::InvalidArgumentError("has no operation; write ('fadd', a, b)");
  ir::Rule rule;  // a compiled rule needs a replacement; the search itself is always a valid one
  rule.search = *std::move(search);
  rule.replace = rule.search;
  return ir::CompiledRule::Compile(std::move(rule));
}

absl::StatusOr<std::vector<MatchedFragment>> FragmentsMatching(store::Store* store, const ir::CompiledRule& pattern,
                                                               std::stop_token stop) {
  const OpFilter filter(pattern.rule().search);
  ir::MatchOptions options;
  options.facts = ir::FactsOfNodes;
  std::vector<MatchedFragment> found;
  int seen = 0;
  absl::Status status = store->Read([&](store::sqlite::Database& reader) {
    return reader.Query("SELECT text FROM fragments ORDER BY id", {}, [&](const store::sqlite::Row& row) {
      if (++seen % kFragmentsBetweenStopChecks == 0 && stop.stop_requested())
        return absl::CancelledError("the call has ended");
      const absl::string_view text = row.Text(0);
      if (!filter.Admits(text)) return absl::OkStatus();
      const absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
      if (term.ok() && ir::MatchAt(pattern, *term, term->root, options).has_value()) {
        found.push_back({ir::Digest::Of(text), std::string(text)});  // a fragment's key is the digest of its text
      }
      return absl::OkStatus();
    });
  });
  if (!status.ok()) return status;
  return found;
}

absl::StatusOr<SiteCounts> CountSites(store::Store* store, const std::vector<MatchedFragment>& fragments,
                                      const std::stop_token& stop) {
  store::CorpusStore corpus(store);
  SiteCounts counts;
  std::set<ir::Digest> shaders;
  for (const MatchedFragment& fragment : fragments) {
    for (const store::Split split : {store::Split::kDiscovery, store::Split::kHeldOut}) {
      absl::Status status = corpus.ForEachSite(fragment.digest, split, [&](const store::SiteView& site) {
        if (stop.stop_requested()) return absl::CancelledError("the call has ended");
        counts.sites += site.count;
        shaders.insert(site.shader);
        return absl::OkStatus();
      });
      if (!status.ok()) return status;
    }
  }
  std::set<std::string> sources;
  for (const ir::Digest& shader : shaders) {
    if (stop.stop_requested()) return absl::CancelledError("the call has ended");
    const absl::StatusOr<std::vector<store::Occurrence>> occurrences = corpus.Occurrences(shader);
    if (!occurrences.ok()) return occurrences.status();
    for (const store::Occurrence& occurrence : *occurrences) sources.insert(occurrence.source);
  }
  counts.shaders = static_cast<int64_t>(shaders.size());
  counts.sources = static_cast<int64_t>(sources.size());
  return counts;
}

}  // namespace rewrought::pipeline
