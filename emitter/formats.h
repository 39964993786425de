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

// The file that is always written, and that the others are made from.
inline constexpr absl::string_view kPackFile = "pack.json";

struct Format {
  absl::string_view name;                     // as --format takes it
  absl::Span<const absl::string_view> files;  // in the pack's folder
  RightSides takes;
  bool by_default;         // written where no format is asked for by name
  absl::string_view help;  // one line: what the files are
  // A text for each of `files`.
  absl::StatusOr<std::vector<std::string>> (*write)(const v1::Pack& pack, const NirTarget& target);
  // Reads the files' texts back, in the order of `files`, and compares; DataLoss names the first entry that differs.
  absl::Status (*check)(absl::Span<const std::string> texts, const v1::Pack& pack, const NirTarget& target);

  // Whether pack.json is its file.
  bool IsPackItself() const { return files[0] == kPackFile; }

  // Whether packs of `rule_class` are written in the format: inexact rules never have programs.
  bool Takes(v1::RuleClass rule_class) const {
    return takes != RightSides::kPrograms || rule_class != v1::RULE_CLASS_INEXACT;
  }
};

// In the order in which their files are written.
absl::Span<const Format> Formats();

// Those called `names`, in the order of Formats(); empty: those by default. InvalidArgument names the first that is
// unknown and all that there are.
absl::StatusOr<std::vector<const Format*>> FindFormats(const std::vector<std::string>& names);

// "nir,machine,c,tablegen,lburg,json".
std::string FormatNames(absl::string_view separator);
// "nir,machine,json": those that are written where none is named.
std::string DefaultFormatNames(absl::string_view separator);
// A line "  nir      nir.py: ..." for each; of several files the first two are named.
std::string FormatHelp();

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FORMATS_H_
