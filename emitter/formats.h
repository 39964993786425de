// The formats that packs are written in. Adding one is its writer and its line in formats.cc: what --format takes, what
// a pack's folder holds, what is verified and what the help texts say follow from there.
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

// What kinds of right sides a format has a spelling for.
enum class RightSides : unsigned char { kReplacements, kPrograms, kAll };

struct Format {
  absl::string_view name;  // as --format takes it
  absl::string_view file;  // in the pack's folder
  RightSides takes;
  absl::string_view help;  // one line: what the file is
  absl::StatusOr<std::string> (*write)(const v1::Pack& pack, const NirTarget& target);
  // Reads the file's text back and compares; DataLoss names the first entry that differs.
  absl::Status (*check)(absl::string_view text, const v1::Pack& pack, const NirTarget& target);

  // Whether packs of `rule_class` are written in the format: inexact rules never have programs.
  bool Takes(v1::RuleClass rule_class) const {
    return takes != RightSides::kPrograms || rule_class != v1::RULE_CLASS_INEXACT;
  }
};

// The file that is always written, and that the others are made from.
inline constexpr absl::string_view kPackFile = "pack.json";

// In the order in which their files are written.
absl::Span<const Format> Formats();

// Those called `names`, in the order of Formats(); empty: all. InvalidArgument names the first that is unknown and all
// that there are.
absl::StatusOr<std::vector<const Format*>> FindFormats(const std::vector<std::string>& names);

// "nir,machine,tablegen,json".
std::string FormatNames(absl::string_view separator);
// A line "  nir      nir.py: ..." for each.
std::string FormatHelp();

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FORMATS_H_
