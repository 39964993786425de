// Terms of cones, built once per structure: most cones of a corpus look like one met before. Internal to fragment
// extraction.
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

// A canonical term with its text (cone.h), shared by all cones that have it.
struct FragmentForm {
  uint64_t id = 0;  // of one cache: equal for equal texts, never used for another
  ir::Term term;
  std::string text;
};

class ConeCache {
 public:
  struct Built {
    const FragmentForm* form = nullptr;
    std::vector<ConeVariable> variables;  // as ConeTerm::variables, but `node` is a place in `outside`
    std::vector<uint32_t> origins;        // as ConeTerm::origins, but a place in the cone
  };

  // What BuildConeTerm gives for the cone, in places; sets `outside` to the nodes that it reads from outside, in the
  // order of their first use. The result lives until the next call of Trim.
  const Built& Get(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone, ir::NodeIndex root,
                   std::vector<ir::NodeIndex>* outside);

  // Forgets all if there is too much: some 50 MB.
  void Trim();

  size_t bytes() const { return bytes_; }  // about

 private:
  void MakeKey(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone, ir::NodeIndex root,
               std::vector<ir::NodeIndex>* outside);

  absl::node_hash_map<std::string, Built> built_;                                // by key
  absl::flat_hash_map<std::string, std::unique_ptr<const FragmentForm>> forms_;  // by text
  uint64_t next_id_ = 0;
  size_t bytes_ = 0;  // of both maps, about
  std::string key_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_CONE_CACHE_H_
