// Extracts fragments: small cones of a shader's SSA graph, with their constants, flags, known facts, and multi-use
// intermediates.
#ifndef REWROUGHT_CORPUS_FRAGMENT_H_
#define REWROUGHT_CORPUS_FRAGMENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "corpus/cone_cache.h"
#include "corpus/facts.h"
#include "ir/facts/value_facts.h"
#include "ir/shader.h"
#include "ir/term.h"

namespace rewrought::corpus {

struct FragmentOptions {
  int max_ops = 7;        // maximum number of op nodes; at least 1
  int max_variables = 7;  // maximum number of distinct components that are read from outside, not counting constants
  int max_per_root = 64;  // maximum number of cones per root; small cones come first
};

// A cone at one site. Its term is in canonical form. Variables are named a, b, c, … in order of appearance in the text.
// Commutative operands are ordered by their shapes (their texts without variable names), and operands of equal shape
// are ordered to produce the lexicographically smallest text.
struct Fragment {
  ir::Term term;
  std::string text;                   // text of the term; see cone.h
  std::vector<ir::ValueFacts> facts;  // facts of the variables a, b, c, …, in that order
  std::vector<bool> multi_use;        // for each node of `term`: whether it is an inner value that has users outside
                                      // the cone
  int loop_depth = 0;
  int line = 0;  // source line of the root
};

// Like Fragment, but the term is shared. `form` is valid until the next call to ForEachFragmentPlace with the same
// cache.
struct FragmentPlace {
  const FragmentForm* form = nullptr;
  std::vector<ir::ValueFacts> facts;
  std::vector<bool> multi_use;
  int loop_depth = 0;
  int line = 0;
};

// Calls `visit` for every fragment of the shader, in a deterministic order: by root and then by size. All nodes of a
// cone have the same loop depth. Each use of an undefined value is a separate variable. Cones never contain vec ops
// that only route values.
void ForEachFragment(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                     const std::function<void(Fragment)>& visit);

// Like ForEachFragment, but faster: terms are built once per structure and stored in `cache`, which can be used for
// many shaders, one at a time. The argument of `visit` is valid only until `visit` returns.
void ForEachFragmentPlace(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                          ConeCache* cache, const std::function<void(const FragmentPlace&)>& visit);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FRAGMENT_H_
