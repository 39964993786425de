// Defines the formats of packs. A new format requires a writer and an entry in formats.cc; everything else, such as
// --format, verification, and help text, follows from that entry.
#ifndef REWROUGHT_EMITTER_FORMATS_H_
#define REWROUGHT_EMITTER_FORMATS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "emitter/nir/nir_target.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

enum class RightSides : unsigned char { kReplacements, kPrograms, kAll };

// The file that is always written; the other files are generated from it.
inline constexpr absl::string_view kPackFile = "pack.json";

struct Format {
  absl::string_view name;                     // The name in --format.
  absl::Span<const absl::string_view> files;  // Relative to the pack's folder.
  RightSides takes;
  bool by_default;         // Written if no format is requested.
  absl::string_view help;  // One line about the files.
  // Returns the text of each file in `files`.
  absl::StatusOr<std::vector<std::string>> (*write)(const v1::Pack& pack, const NirTarget& target);
  // Parses `texts`, in the order of `files`, and compares them with `pack`. Fails with DataLoss, naming the first entry
  // that differs.
  absl::Status (*check)(absl::Span<const std::string> texts, const v1::Pack& pack, const NirTarget& target);

  bool IsPackItself() const { return files[0] == kPackFile; }

  // Inexact rules never have programs.
  bool Takes(v1::RuleClass rule_class) const {
    return takes != RightSides::kPrograms || rule_class != v1::RULE_CLASS_INEXACT;
  }
};

// Returns all formats in the order in which their files are written.
absl::Span<const Format> Formats();

// Returns the named formats in the order of Formats(), or the default formats if `names` is empty. Fails with
// InvalidArgument, naming the first unknown format and all known formats.
absl::StatusOr<std::vector<const Format*>> FindFormats(const std::vector<std::string>& names);

// Returns, for example, "nir,machine,c,tablegen,lburg,json".
std::string FormatNames(absl::string_view separator);
// Returns the default formats, such as "nir,machine,json".
std::string DefaultFormatNames(absl::string_view separator);
// Returns a line such as "  nir      nir.py: ..." for each format, with at most two file names.
std::string FormatHelp();

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FORMATS_H_
