// Recognizes the format of an input from its name and its content.
#ifndef REWROUGHT_CORPUS_FORMATS_INPUT_KIND_H_
#define REWROUGHT_CORPUS_FORMATS_INPUT_KIND_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::corpus {

enum class InputKind {
  kSpirv,
  kSpirvAssembly,
  kNirText,
  kTgsi,
  kShaderTest,
  kGlsl,
  kHlsl,
  kScript,
  kArchive,
  kEmpty,
  kOther,  // WhyUnreadable returns the reason
};

// Returns the kind of `bytes`. The content decides if it is binary or starts with a line that identifies the format,
// such as "#version". Otherwise, the file's name decides, and then the words in the text.
InputKind KindOf(absl::string_view name, absl::string_view bytes);

// Returns the reason why an input of kind kOther cannot be read, in the form of SkippedInput::reason. If the input is a
// shader in another language, the reason names the language and says how to convert the shader.
std::string WhyUnreadable(absl::string_view name, absl::string_view bytes);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FORMATS_INPUT_KIND_H_
