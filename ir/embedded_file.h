// A file that the build embeds into the program (tools/embed.bzl).
#ifndef REWROUGHT_IR_EMBEDDED_FILE_H_
#define REWROUGHT_IR_EMBEDDED_FILE_H_

#include "absl/strings/string_view.h"

namespace rewrought::ir {

struct EmbeddedFile {
  absl::string_view path;  // relative to the repository root: "machine/descriptions/agx_g13.textproto"
  absl::string_view text;  // the exact contents

  // Returns the file name up to its first dot: "agx_g13".
  absl::string_view stem() const {
    absl::string_view name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.find('.'));
  }
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_EMBEDDED_FILE_H_
