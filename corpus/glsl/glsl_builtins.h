// The built-ins of the old compatibility profile, with declarations that stand for them.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_BUILTINS_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_BUILTINS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "corpus/glsl/glsl_port.h"

namespace rewrought::corpus {

// The declaration of the compatibility built-in `name` ("gl_ModelViewMatrix") under the name "c" + name in this stage;
// empty if `name` is none, or not of this stage.
std::string CompatibilityDeclaration(absl::string_view name, GlslStage stage);

// True if `word` may be an identifier in old sources and is reserved, or the name of a built-in function, today.
bool IsReservedSince(absl::string_view word);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_BUILTINS_H_
