// Caches the terms of cones by structure, because most cones of a corpus have a structure that has occurred before.
// Used only by fragment extraction.
#ifndef REWROUGHT_CORPUS_CONE_CACHE_H_
#define REWROUGHT_CORPUS_CONE_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "corpus/cone.h"
#include "ir/shader.h"
#include "ir/term.h"

namespace rewrought::corpus {

// A canonical term and its text (cone.h), shared by all cones with this term.
struct FragmentForm {
  uint64_t id = 0;  // the same for equal texts; unique within a cache, and never reused
  ir::Term term;
  std::string text;
};

class ConeCache {
 public:
  struct Built {
    const FragmentForm* form = nullptr;
    std::vector<ConeVariable> variables;  // like ConeTerm::variables, but `node` is an index into `outside`
    std::vector<uint32_t> origins;        // like ConeTerm::origins, but as indices into the cone
  };

  // Returns the result of BuildConeTerm for the cone, with indices in place of nodes (see Built). Sets `outside` to the
  // outside nodes that the cone reads, in order of first use. The result is valid until the next call to Trim.
  const Built& Get(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone, ir::NodeIndex root,
                   std::vector<ir::NodeIndex>* outside);

  // Clears the cache if it exceeds about 50 MB.
  void Trim();

  size_t bytes() const { return bytes_; }  // approximate size of the cache

 private:
  void MakeKey(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone, ir::NodeIndex root,
               std::vector<ir::NodeIndex>* outside);

  absl::node_hash_map<std::string, Built> built_;                                // maps a key to its result
  absl::flat_hash_map<std::string, std::unique_ptr<const FragmentForm>> forms_;  // maps the text of a term to its form
  uint64_t next_id_ = 0;
  size_t bytes_ = 0;  // approximate size of both maps
  std::string key_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_CONE_CACHE_H_
