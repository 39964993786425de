// Finds GLSL sources that stand as string literals in scripts, as npm packages carry them.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_IN_SCRIPT_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_IN_SCRIPT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::corpus {

struct ScriptLiteral {
  std::string text;
  int line = 0;          // of its first character
  std::string unusable;  // empty, or why it cannot be compiled by itself
};

// Every string or template literal of a script that holds a GLSL `void main`, or a gl-transitions `vec4 transition`,
// escapes undone. Conservative: a template with substitutions, or a source with #include lines, is given as unusable.
// Knows comments and literals, and takes a '/' for the start of a regular expression where an operand is expected.
std::vector<ScriptLiteral> GlslLiterals(absl::string_view script);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_IN_SCRIPT_H_
