#include "server/handlers/pattern_uses.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/match/facts.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"
#include "proto/utf8.h"
#include "server/messages/audit_file.h"
#include "server/messages/status.h"
#include "store/corpus_store.h"

namespace rewrought::rpc {
namespace {

constexpr int kFragmentsBetweenStopChecks = 1024;  // number of fragments between two checks of the stop token

// Rejects most fragments by comparing op names. A fragment that the pattern matches as a whole has the same ops as the
// pattern, each the same number of times. If `any` is set, an op of the pattern can match several ops, so only the
// number of ops is compared.
struct OpFilter {
  std::vector<std::string> names;  // sorted
  bool any = false;

  explicit OpFilter(const ir::Term& search) : names(OpNamesIn(ir::PrintTerm(search))) {
    for (const std::string& name : names) any = any || ir::FindOp(name) == nullptr;
    std::sort(names.begin(), names.end());
  }
  bool Admits(absl::string_view text) const {
    std::vector<std::string> found = OpNamesIn(text);
    if (any || found.size() != names.size()) return found.size() == names.size();
    std::sort(found.begin(), found.end());
    return found == names;
  }
};

}  // namespace

absl::StatusOr<ir::CompiledRule> ReadPattern(absl::string_view text) {
  absl::StatusOr<ir::Term> search = ir::ParseTerm(text);
  if (!search.ok()) return FieldError("pattern", search.status().message());
  if (search->root_node().kind != ir::NodeKind::kOp)
    return FieldError("pattern", "has no operation; write ('fadd', a, b)");
  ir::Rule rule;  // a compiled rule needs a replacement; the search itself is always a valid one
  rule.search = *std::move(search);
  rule.replace = rule.search;
  absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(std::move(rule));
  if (!compiled.ok()) return FieldError("pattern", compiled.status().message());
  return compiled;
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

absl::StatusOr<std::vector<v1::ListUsesResponse::Use>> UsesOf(store::Store* store, const MatchedFragment& fragment) {
  struct Place {
    store::SiteView site;
    bool held_out = false;
  };
  std::vector<Place> places;
  store::CorpusStore corpus(store);
  for (const store::Split split : {store::Split::kDiscovery, store::Split::kHeldOut}) {
    absl::Status status = corpus.ForEachSite(fragment.digest, split, [&](const store::SiteView& site) {
      if (places.empty() || places.back().site.shader != site.shader) {
        places.push_back({site, split == store::Split::kHeldOut});
        return absl::OkStatus();
      }
      store::SiteView& same = places.back().site;  // the same shader, with different flags or facts
      same.count += site.count;
      same.lines.insert(same.lines.end(), site.lines.begin(), site.lines.end());
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
  }
  std::vector<v1::ListUsesResponse::Use> uses;
  for (const Place& place : places) {
    const absl::StatusOr<std::vector<store::Occurrence>> names = corpus.Occurrences(place.site.shader);
    if (!names.ok()) return names.status();
    v1::ListUsesResponse::Use use;
    use.set_fragment(ToUtf8(fragment.text));
    if (!names->empty()) {
      use.set_shader(ToUtf8(names->front().name));
      use.set_source(ToUtf8(names->front().source));
    }
    use.set_digest(place.site.shader.hex());
    use.set_held_out(place.held_out);
    use.set_count(static_cast<uint64_t>(place.site.count));
    for (const int32_t line : place.site.lines) use.add_lines(static_cast<uint32_t>(std::max(0, line)));
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace rewrought::rpc
