#include "emitter/formats.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "emitter/json_writer.h"
#include "emitter/machine_writer.h"
#include "emitter/nir/nir_writer.h"
#include "emitter/tablegen/tablegen_writer.h"

namespace rewrought::emitter {
namespace {

constexpr Format kFormats[] = {
    {"nir", "nir.py", RightSides::kReplacements, "rules for Mesa as a pass of their own", &WriteNir, &CheckNirText},
    {"machine", "machine.py", RightSides::kPrograms, "instruction patterns that read like the GPU's assembly",
     [](const v1::Pack& pack, const NirTarget&) { return WriteMachine(pack); },
     [](absl::string_view text, const v1::Pack& pack, const NirTarget&) { return CheckMachineText(text, pack); }},
    {"tablegen", "rules.td", RightSides::kPrograms, "LLVM patterns, with the records that llvm-tblgen needs for them",
     [](const v1::Pack& pack, const NirTarget&) { return WriteTablegen(pack); },
     [](absl::string_view text, const v1::Pack& pack, const NirTarget&) { return CheckTablegenText(text, pack); }},
    {"json", kPackFile, RightSides::kAll, "everything, proofs included; always written",
     [](const v1::Pack& pack, const NirTarget&) { return absl::StatusOr<std::string>(WritePackJson(pack)); },
     [](absl::string_view text, const v1::Pack& pack, const NirTarget&) {
       return text == WritePackJson(pack) ? absl::OkStatus() : absl::DataLossError("is not as it was written");
     }},
};

}  // namespace

absl::Span<const Format> Formats() { return kFormats; }

absl::StatusOr<std::vector<const Format*>> FindFormats(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::any_of(std::begin(kFormats), std::end(kFormats), [&](const Format& one) { return one.name == name; })) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat("no format is called '", name, "'; there are ", FormatNames(", ")));
  }
  std::vector<const Format*> found;
  for (const Format& format : kFormats) {
    if (names.empty() || std::find(names.begin(), names.end(), format.name) != names.end()) found.push_back(&format);
  }
  return found;
}

std::string FormatNames(absl::string_view separator) {
  return absl::StrJoin(kFormats, separator,
                       [](std::string* text, const Format& one) { absl::StrAppend(text, one.name); });
}

std::string FormatHelp() {
  std::string text;
  for (const Format& format : kFormats) {
    absl::StrAppend(&text, absl::StrFormat("  %-8s %s: %s\n", format.name, format.file, format.help));
  }
  return text;
}

}  // namespace rewrought::emitter
