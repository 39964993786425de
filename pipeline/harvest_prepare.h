// Prepares a shader for the store: extracts its fragments and combines equal sites into one record.
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
  std::vector<corpus::SiteRecord> sites;  // sorted by text, flags, multi-use intermediates, and facts
};

// Prepares shaders, and caches the records of their fragments because most fragments occur in several shaders. Not
// thread-safe.
class ShaderPreparer {
 public:
  explicit ShaderPreparer(const corpus::FragmentOptions& options) : options_(options) {}

  // Returns the prepared shader, with `digest` and `extraction` in its record.
  PreparedShader Prepare(const ir::Shader& shader, const ir::Digest& digest, const ir::Digest& extraction);

 private:
  // The id of a fragment's form and the bits of its multi-use intermediates. In `sites_`, the value is null if the form
  // cannot be stored.
  using FormKey = std::pair<uint64_t, uint64_t>;
  const corpus::SiteRecord* SiteOf(const corpus::FragmentPlace& place);

  const corpus::FragmentOptions options_;
  corpus::ConeCache cones_;
  absl::flat_hash_map<FormKey, const corpus::SiteRecord*> sites_;
  // Records without count, lines, and facts, keyed by text, flags, and multi-use intermediates. Several forms may share
  // a record.
  absl::flat_hash_map<std::string, std::unique_ptr<const corpus::SiteRecord>> stored_;
  size_t bytes_ = 0;  // the approximate size of both maps
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_HARVEST_PREPARE_H_
