// Fragments: small cones of a shader's SSA graph with their constants, flags, known facts and multi-use intermediates.
// The mining side of the corpus.
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
  int max_ops = 7;        // op nodes; at least 1
  int max_variables = 7;  // distinct components of values outside, constants not counted
  int max_per_root = 64;  // cones taken at one root, the small ones first
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

// Calls `visit` for every fragment of the shader, roots in the order of its values, at each root the small cones first;
// the same shader gives the same fragments in the same order. A cone stays in one loop depth, shows each undefined
// value as a variable of its own at every use, and never contains a vector that only routes.
void ForEachFragment(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                     const std::function<void(Fragment)>& visit);

// The same, faster: terms are built once per structure and kept in `cache`, which may serve many shaders, one at a
// time. What `visit` is given changes after it returns.
void ForEachFragmentPlace(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                          ConeCache* cache, const std::function<void(const FragmentPlace&)>& visit);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FRAGMENT_H_
