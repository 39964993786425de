// Prepares a shader for the store: extracts its fragments and merges equal sites.
#ifndef REWROUGHT_PIPELINE_HARVEST_PREPARE_H_
#define REWROUGHT_PIPELINE_HARVEST_PREPARE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "corpus/cone_cache.h"
#include "corpus/fragment.h"
#include "corpus/site_record.h"
#include "ir/digest.h"
#include "ir/shader.h"
#include "store/records.h"

namespace rewrought::pipeline {

struct PreparedShader {
  store::ShaderRecord record;
  std::vector<corpus::SiteRecord> sites;  // sorted by text, flags, multi-use intermediates and facts
};

// Caches the forms of fragments over several shaders. Not thread-safe.
class ShaderPreparer {
 public:
  explicit ShaderPreparer(const corpus::FragmentOptions& options) : options_(options) {}

  // Copies `digest` and `extraction` into the record.
  PreparedShader Prepare(const ir::Shader& shader, const ir::Digest& digest, const ir::Digest& extraction);

 private:
  // The form and its multi-use intermediates. The value is null if the form cannot be stored.
  using FormKey = std::pair<uint64_t, uint64_t>;
  const corpus::SiteRecord* SiteOf(const corpus::FragmentPlace& place);

  const corpus::FragmentOptions options_;
  corpus::ConeCache cones_;
  absl::flat_hash_map<FormKey, const corpus::SiteRecord*> sites_;
  // Records without count, lines and facts, by text, flags and multi-use intermediates. Several forms may share a
  // record.
  absl::flat_hash_map<std::string, std::unique_ptr<const corpus::SiteRecord>> stored_;
  size_t bytes_ = 0;  // the approximate size of both maps
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_HARVEST_PREPARE_H_
