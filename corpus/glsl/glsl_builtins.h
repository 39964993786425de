// Lists the built-ins of the old compatibility profile and the declarations that replace them.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_BUILTINS_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_BUILTINS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "corpus/glsl/glsl_port.h"

namespace rewrought::corpus {

// Returns a declaration that replaces the compatibility built-in `name`, such as "gl_ModelViewMatrix", in this stage
// under the name "c" + name. Returns an empty string if `name` is not such a built-in, or does not exist in this stage.
std::string CompatibilityDeclaration(absl::string_view name, GlslStage stage);

// Returns whether `word` was allowed as an identifier in old versions of GLSL, but is now reserved or the name of a
// built-in function.
bool IsReservedSince(absl::string_view word);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_BUILTINS_H_
