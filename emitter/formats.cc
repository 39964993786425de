#include "emitter/formats.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "emitter/c/c_writer.h"
#include "emitter/json_writer.h"
#include "emitter/lburg/lburg_writer.h"
#include "emitter/machine/machine_writer.h"
#include "emitter/nir/nir_writer.h"
#include "emitter/tablegen/tablegen_writer.h"

namespace rewrought::emitter {
namespace {

constexpr absl::string_view kNirFiles[] = {"nir.py"}, kMachineFiles[] = {"machine.py"}, kTablegenFiles[] = {"rules.td"},
                            kLburgFiles[] = {"rules.lburg"}, kJsonFiles[] = {kPackFile};

// Wraps the text of a format that has only one file.
using Texts = std::vector<std::string>;
absl::StatusOr<Texts> OnlyFile(absl::StatusOr<std::string> text) {
  if (!text.ok()) return text.status();
  return Texts{*std::move(text)};
}

const Format kFormats[] = {
    {"nir", kNirFiles, RightSides::kReplacements, true, "rules for Mesa as a separate pass",
     [](const v1::Pack& pack, const NirTarget& target) { return OnlyFile(WriteNir(pack, target)); },
     [](absl::Span<const std::string> texts, const v1::Pack& pack, const NirTarget& target) {
       return CheckNirText(texts[0], pack, target);
     }},
    {"machine", kMachineFiles, RightSides::kPrograms, true, "instruction patterns that read like the GPU's assembly",
     [](const v1::Pack& pack, const NirTarget&) { return OnlyFile(WriteMachine(pack)); },
     [](absl::Span<const std::string> texts, const v1::Pack& pack, const NirTarget&) {
       return CheckMachineText(texts[0], pack);
     }},
    {"c", kCFiles, RightSides::kPrograms, false,
     "the machine's and the pack's rules as tables, with a C11 runtime; only on request",
     [](const v1::Pack& pack, const NirTarget&) { return WriteC(pack); },
     [](absl::Span<const std::string> texts, const v1::Pack& pack, const NirTarget&) {
       return CheckCFiles(texts, pack);
     }},
    {"tablegen", kTablegenFiles, RightSides::kPrograms, false,
     "LLVM patterns and the records that llvm-tblgen needs; only on request",
     [](const v1::Pack& pack, const NirTarget&) { return OnlyFile(WriteTablegen(pack)); },
     [](absl::Span<const std::string> texts, const v1::Pack& pack, const NirTarget&) {
       return CheckTablegenText(texts[0], pack);
     }},
    {"lburg", kLburgFiles, RightSides::kPrograms, false,
     "a BURS grammar with costs for the machine's selection and the rules; only on request",
     [](const v1::Pack& pack, const NirTarget&) { return OnlyFile(WriteLburg(pack)); },
     [](absl::Span<const std::string> texts, const v1::Pack& pack, const NirTarget&) {
       return CheckLburgText(texts[0], pack);
     }},
    {"json", kJsonFiles, RightSides::kAll, true, "the complete pack with its proofs; always written",
     [](const v1::Pack& pack, const NirTarget&) { return absl::StatusOr<Texts>(Texts{WritePackJson(pack)}); },
     [](absl::Span<const std::string> texts, const v1::Pack& pack, const NirTarget&) {
       return texts[0] == WritePackJson(pack) ? absl::OkStatus() : absl::DataLossError("is not in its canonical form");
     }},
};

}  // namespace

absl::Span<const Format> Formats() { return kFormats; }

absl::StatusOr<std::vector<const Format*>> FindFormats(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::any_of(std::begin(kFormats), std::end(kFormats), [&](const Format& one) { return one.name == name; })) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat("'", name, "' is not a format; use ", FormatNames(", ")));
  }
  std::vector<const Format*> found;
  for (const Format& format : kFormats) {
    const bool is_named = std::find(names.begin(), names.end(), format.name) != names.end();
    if (names.empty() ? format.by_default : is_named) found.push_back(&format);
  }
  return found;
}

std::string FormatNames(absl::string_view separator) {
  return absl::StrJoin(kFormats, separator,
                       [](std::string* text, const Format& one) { absl::StrAppend(text, one.name); });
}

std::string DefaultFormatNames(absl::string_view separator) {
  return absl::StrJoin(*FindFormats({}), separator,
                       [](std::string* text, const Format* one) { absl::StrAppend(text, one->name); });
}

std::string FormatHelp() {
  std::string text;
  for (const Format& format : kFormats) {
    const std::string files = absl::StrJoin(format.files.subspan(0, 2), ", ");
    absl::StrAppend(&text, absl::StrFormat("  %-8s %s%s: %s\n", format.name, files,
                                           format.files.size() > 2 ? ", ..." : "", format.help));
  }
  return text;
}

}  // namespace rewrought::emitter
