// Fragments: small cones of a shader's SSA graph with their constants, flags, known facts and multi-use intermediates,
// merged over shaders. The mining side of the corpus.
#ifndef REWROUGHT_CORPUS_FRAGMENT_H_
#define REWROUGHT_CORPUS_FRAGMENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "corpus/cone_cache.h"
#include "corpus/facts.h"
#include "ir/facts/value_facts.h"
#include "ir/shader.h"
#include "ir/term.h"

namespace rewrought::corpus {

struct FragmentOptions {
  int max_ops = 7;        // op nodes; at least 1
  int max_variables = 7;  // distinct components of values outside, constants not counted
  int max_per_root = 64;  // cones taken at one root, the small ones first
  int max_sites = 8;      // sites kept per fragment
  int max_variants = 16;  // distinct (facts, multi-use intermediates) combinations kept per fragment
};

// A cone at one place. Terms are in canonical form: variables are called a, b, c, ... in the order in which the text
// shows them; commutative operands stand in the order of their shapes (the text without names), and where shapes are
// equal, in the order that gives the least text.
struct Fragment {
  ir::Term term;
  std::string text;                   // the term in words; see cone.h
  std::vector<ir::ValueFacts> facts;  // of variables a, b, c, ..., in that order
  std::vector<bool> multi_use;        // by node of `term`: an inner value that has users outside the cone
  int loop_depth = 0;
  int line = 0;  // of the root
};

// The same, the term shared with other places (in `form`, until the next call of ForEachFragmentPlace with its cache).
struct FragmentPlace {
  const FragmentForm* form = nullptr;
  std::vector<ir::ValueFacts> facts;
  std::vector<bool> multi_use;
  int loop_depth = 0;
  int line = 0;
};

struct FragmentSite {
  std::string shader;
  int line = 0;
  int loop_depth = 0;
};

// What was found together: facts of the inputs and multi-use intermediates.
// Facts that read alike (FactsText) are one variant, and `facts` what holds of all its sites.
struct FragmentVariant {
  std::vector<ir::ValueFacts> facts;
  std::vector<bool> multi_use;
  uint64_t count = 0;
};

struct FragmentEntry {
  std::string text;  // the key
  ir::Term term;
  uint64_t count = 0;                        // sites in all
  uint64_t loop_count = 0;                   // of these, inside a loop
  std::map<std::string, uint64_t> sources;   // sites by corpus source
  uint64_t shaders = 0;                      // shaders with at least one site
  std::vector<ir::ValueFacts> common_facts;  // what holds at all sites
  std::vector<FragmentVariant> variants;     // in order of appearance, bounded; the rest is counted in other_variants
  uint64_t other_variants = 0;
  std::vector<FragmentSite> sites;  // the first ones, bounded
};

// Calls `visit` for every fragment of the shader, roots in the order of its values, at each root the small cones first;
// the same shader gives the same fragments in the same order. A cone stays in one loop depth, shows each undefined
// value as a variable of its own at every use, and never contains a vector that only routes.
void ForEachFragment(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                     const std::function<void(Fragment)>& visit);

// The same, faster: terms are built once per structure and kept in `cache`, which may serve many shaders, one at a
// time. What `visit` is given changes after it returns.
void ForEachFragmentPlace(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                          ConeCache* cache, const std::function<void(const FragmentPlace&)>& visit);

// Fragments merged by text, over all shaders added.
class FragmentTable {
 public:
  explicit FragmentTable(const FragmentOptions& options = {}) : options_(options) {}

  // Adds the fragments of a shader; returns how many sites it had.
  uint64_t Add(const ir::Shader& shader);

  // Entries by number of sources, then shaders, then sites (all falling), then text.
  std::vector<const FragmentEntry*> Ranked() const;

  uint64_t total_sites() const { return total_sites_; }
  size_t size() const { return entries_.size(); }

 private:
  void Merge(const FragmentPlace& fragment, const ir::Shader& shader, absl::flat_hash_set<std::string>& seen_in_shader);

  FragmentOptions options_;
  ConeCache cache_;
  absl::flat_hash_map<std::string, FragmentEntry> entries_;
  uint64_t total_sites_ = 0;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FRAGMENT_H_
