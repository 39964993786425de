#include "server/handlers/pattern_uses.h"

#include <algorithm>
#include <utility>

#include "proto/utf8.h"
#include "server/messages/status.h"
#include "store/corpus_store.h"

namespace rewrought::rpc {

absl::StatusOr<ir::CompiledRule> ReadPattern(absl::string_view text) {
  absl::StatusOr<ir::CompiledRule> pattern = pipeline::CompilePattern(text);
  if (!pattern.ok()) return FieldError("pattern", pattern.status().message());
  return pattern;
}

absl::StatusOr<std::vector<v1::ListUsesResponse::Use>> UsesOf(store::Store* store,
                                                              const pipeline::MatchedFragment& fragment) {
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
