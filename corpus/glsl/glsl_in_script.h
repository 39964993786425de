// Finds GLSL sources in the string literals of scripts, such as those in npm packages.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_IN_SCRIPT_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_IN_SCRIPT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::corpus {

struct ScriptLiteral {
  std::string text;
  int line = 0;          // line of the first character
  std::string unusable;  // the reason why the text cannot be compiled on its own, or empty
};

// Returns, with escapes resolved, every string or template literal in a script that contains a GLSL `void main` or a
// gl-transitions `vec4 transition`. Template literals with substitutions and sources with #include lines are returned
// as unusable. The scanner understands comments and literals, and treats a '/' as the start of a regular expression if
// an operand is expected.
std::vector<ScriptLiteral> GlslLiterals(absl::string_view script);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_IN_SCRIPT_H_
