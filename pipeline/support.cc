#include "pipeline/support.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/corpus_store.h"

namespace rewrought::pipeline {

std::string CountText(size_t count, const std::string& noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

absl::StatusOr<SupportLimits> LimitsForCorpus(store::Store* store, const SupportLimits& limits) {
  store::CorpusStore corpus(store);
  size_t shaders = 0;
  std::set<std::string> sources;
  const absl::Status visited = corpus.ForEachShader(
      store::Split::kDiscovery, std::nullopt, -1, [&](const store::ShaderRecord& shader) -> absl::Status {
        ++shaders;
        if (sources.size() >= limits.sources) return absl::OkStatus();
        const absl::StatusOr<std::vector<store::Occurrence>> occurrences = corpus.Occurrences(shader.digest);
        if (!occurrences.ok()) return occurrences.status();
        for (const store::Occurrence& occurrence : *occurrences) sources.insert(occurrence.source);
        return absl::OkStatus();
      });
  if (!visited.ok()) return visited;
  return SupportLimits{std::min(limits.sources, sources.size()), std::min(limits.shaders, shaders / 20)};
}

absl::Status AppliesOften(size_t sources, size_t shaders, const SupportLimits& limits) {
  if (sources >= limits.sources && shaders >= limits.shaders) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("applies in ", CountText(shaders, "shader"), " of ", CountText(sources, "source")));
}

}  // namespace rewrought::pipeline
