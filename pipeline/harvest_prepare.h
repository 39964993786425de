// A shader made ready to be stored: its fragments in stored form, equal sites merged.
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
  std::vector<corpus::SiteRecord> sites;  // by text, flags, multi-use intermediates, facts
};

// Remembers what forms it has met, over shaders. For one thread.
class ShaderPreparer {
 public:
  explicit ShaderPreparer(const corpus::FragmentOptions& options) : options_(options) {}

  // `digest` and `extraction` go into the record as they are.
  PreparedShader Prepare(const ir::Shader& shader, const ir::Digest& digest, const ir::Digest& extraction);

 private:
  // By form and multi-use intermediates; null: it cannot be stored.
  using FormKey = std::pair<uint64_t, uint64_t>;
  const corpus::SiteRecord* SiteOf(const corpus::FragmentPlace& place);

  const corpus::FragmentOptions options_;
  corpus::ConeCache cones_;
  absl::flat_hash_map<FormKey, const corpus::SiteRecord*> sites_;
  // Without count, lines and facts; by text, flags and multi-use intermediates, which several forms may share.
  absl::flat_hash_map<std::string, std::unique_ptr<const corpus::SiteRecord>> stored_;
  size_t bytes_ = 0;  // of both maps, about
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_HARVEST_PREPARE_H_
