#include "emitter/nir/nir_writer.h"

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "emitter/evidence.h"
#include "emitter/files/provenance.h"
#include "emitter/nir/nir_pass_file.h"
#include "emitter/nir/nir_rule.h"
#include "ir/text/rule_text.h"

namespace rewrought::emitter {
namespace {

// A tuple with its entry.
struct Line {
  NirRule rule;
  const v1::PackEntry* entry = nullptr;
  std::vector<std::string> notes;
  std::vector<std::string> places;  // A subset of kPlaces.
};

absl::string_view EmbeddedText(absl::string_view name) {
  const auto files = NirPassFile();
  const auto file =
      std::find_if(files.begin(), files.end(), [&](const auto& one) { return absl::EndsWith(one.path, name); });
  return file == files.end() ? absl::string_view() : file->text;
}

absl::Status WithId(const v1::PackEntry& entry, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("entry ", entry.rule().id(), ": ", status.message()));
}

// Returns the lines in file order. The rules at the driver's own place come first, with the first pass before the
// second. The rules that create late ops follow, and then the rules that match only after the late pass.
absl::StatusOr<std::vector<Line>> LinesOf(const v1::Pack& pack, const NirTarget& target) {
  std::vector<Line> passes[6];
  for (const v1::PackEntry& entry : pack.entries()) {
    if (!entry.rule().program().empty()) continue;
    absl::StatusOr<NirRules> expanded = ExpandForNir(entry, target, pack.manifest().machine());
    if (!expanded.ok()) return WithId(entry, expanded.status());
    for (NirRule& rule : expanded->rules) {
      std::vector<Line>& lines = passes[(rule.late ? 4 : rule.makes_late ? 2 : 0) + (rule.second ? 1 : 0)];
      const bool apart = rule.positions && !entry.position_places().empty();
      const auto& measured = apart ? entry.position_places() : entry.places();
      std::vector<std::string> places(measured.begin(), measured.end());
      if (rule.late) places = {std::string(kAfterLate)};
      if (places.empty()) places = {target.PlaceOf(pack.manifest().machine(), rule.makes_late)};
      lines.push_back({std::move(rule), &entry, expanded->notes, std::move(places)});
    }
  }
  std::vector<Line> lines;
  for (std::vector<Line>& pass : passes)
    lines.insert(lines.end(), std::make_move_iterator(pass.begin()), std::make_move_iterator(pass.end()));
  return lines;
}

// Returns the rules of one pass at `place` as a Python expression, a slice if possible.
std::string RulesAt(absl::string_view place, bool second, const std::vector<Line>& lines) {
  std::vector<size_t> at;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string>& places = lines[i].places;
    if (lines[i].rule.second == second && std::find(places.begin(), places.end(), place) != places.end())
      at.push_back(i);
  }
  if (at.empty()) return "[]";
  if (at.back() - at.front() + 1 != at.size())
    return absl::StrCat("[rules[i] for i in (", absl::StrJoin(at, ", "), ",)]");
  return absl::StrCat("rules[", at.front() == 0 ? "" : absl::StrCat(at.front()), ":", at.back() + 1, "]");
}

// Returns the definition of `name`, a dict from each place to the rules of one pass.
std::string PlacesText(absl::string_view name, bool second, const std::vector<Line>& lines) {
  std::string text = absl::StrCat(name, " = {\n");
  for (const absl::string_view place : kPlaces)
    absl::StrAppend(&text, "   '", place, "': ", RulesAt(place, second, lines), ",\n");
  return text + "}\n";
}

// Returns the C code, by file, of the conditions that Mesa does not define. This code precedes the passes.
std::string HelpersText(const std::vector<Line>& lines) {
  std::set<std::string> files;
  for (const Line& line : lines) files.insert(line.rule.helpers.begin(), line.rule.helpers.end());
  std::string text = "helpers = {";
  for (const std::string& file : files)
    absl::StrAppend(&text, "\n   '", file, "': r\"\"\"", EmbeddedText(file), "\"\"\",");
  return text + (files.empty() ? "}\n" : "\n}\n");
}

// Returns the tuples, one per line, with bare names for variables without marks, and the definition of these names.
std::string RulesText(const std::vector<Line>& lines) {
  static const std::regex& variable = *new std::regex("([ (])'([a-z])'");
  std::set<std::string> names;
  std::string tuples;
  for (const Line& line : lines) {
    const std::string quoted = PythonTuple(line.rule);
    for (std::sregex_iterator found(quoted.begin(), quoted.end(), variable), end; found != end; ++found)
      names.insert((*found)[2]);
    absl::StrAppend(&tuples, "   ", std::regex_replace(quoted, variable, "$1$2"), ",\n");
  }
  std::string definitions;
  for (const std::string& name : names) absl::StrAppend(&definitions, name, " = '", name, "'\n");
  return absl::StrCat(definitions, names.empty() ? "" : "\n", "rules = [\n", tuples, "]\n");
}

// Returns the list of the ids of the tuples' entries, with the evidence of each entry as a comment.
std::string IdsText(const std::vector<Line>& lines) {
  std::string text =
      "# The id in pack.json of the entry of each rule, in the order of `rules`, with the entry's evidence.\nids = [\n";
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool is_first = i == 0 || lines[i - 1].entry != lines[i].entry;
    absl::StrAppend(&text, "   '", lines[i].entry->rule().id(), "',");
    if (is_first) {
      absl::StrAppend(&text, "  # ", ProofLine(*lines[i].entry));
      for (const std::string& note : lines[i].notes) absl::StrAppend(&text, "; ", note);
    }
    text += "\n";
  }
  return text + "]\n";
}

std::string Canonical(const ir::Rule& rule) { return ir::PrintRule(rule); }

}  // namespace

std::string NirPassName(const v1::Pack& pack) {
  const bool inexact = std::all_of(pack.entries().begin(), pack.entries().end(), [](const v1::PackEntry& entry) {
    return entry.rule().rule_class() == v1::RULE_CLASS_INEXACT;
  });
  const v1::PackManifest& manifest = pack.manifest();
  return absl::StrCat(
      "nir_opt_rewrought_",
      manifest.driver().empty() ? manifest.machine() : absl::StrReplaceAll(manifest.driver(), {{"-", "_"}}),
      inexact && pack.entries_size() > 0 ? "_inexact" : "");
}

absl::StatusOr<std::vector<std::string>> NirPlaces(const v1::Pack& pack, const NirTarget& target) {
  const absl::StatusOr<std::vector<Line>> lines = LinesOf(pack, target);
  if (!lines.ok()) return lines.status();
  std::vector<std::string> places;
  for (const absl::string_view place : kPlaces) {
    const bool used = std::any_of(lines->begin(), lines->end(), [&](const Line& line) {
      return std::find(line.places.begin(), line.places.end(), place) != line.places.end();
    });
    if (used) places.emplace_back(place);
  }
  return places;
}

absl::StatusOr<std::string> WriteNir(const v1::Pack& pack, const NirTarget& target) {
  const absl::StatusOr<std::vector<Line>> lines = LinesOf(pack, target);
  if (!lines.ok()) return lines.status();
  const std::string& machine = pack.manifest().machine();
  const std::string provenance = ProvenanceLines(pack.manifest(), "# ");
  std::string text = absl::StrCat(
      provenance, "# Rewrite rules for passes of nir_algebraic.AlgebraicPass of ", target.name(), ", measured on ",
      machine, ".\n",
      "# The rules of each place form two passes, which run one after the other. "
      "Each pass terminates\n# on its own, but it may not terminate if its rules are merged with others.\n\n",
      RulesText(*lines));
  absl::StrAppend(&text, "\nname = '", NirPassName(pack), "'\n", PlacesText("places", false, *lines),
                  PlacesText("second_places", true, *lines), "\n", IdsText(*lines), "\nprovenance = \"\"\"/*\n",
                  ProvenanceLines(pack.manifest(), " * "), " */\n\"\"\"\n", HelpersText(*lines),
                  EmbeddedText("nir_pass.py"));
  const absl::Status read_back = CheckNirText(text, pack, target);
  if (!read_back.ok()) return read_back;
  return text;
}

absl::Status CheckNirText(absl::string_view text, const v1::Pack& pack, const NirTarget& target) {
  const absl::StatusOr<std::vector<Line>> lines = LinesOf(pack, target);
  if (!lines.ok()) return lines.status();
  const size_t end = text.find("\n]\n");
  if (end == absl::string_view::npos) return absl::DataLossError("nir.py: the list of rules is not terminated");
  const std::vector<ir::RuleEntry> read = ir::ParseRules(text.substr(0, end + 3));
  for (size_t i = 0; i < lines->size(); ++i) {
    const Line& line = (*lines)[i];
    const std::string& id = line.entry->rule().id();
    if (i >= read.size()) return absl::DataLossError(absl::StrCat("nir.py: entry ", id, " is missing"));
    if (!read[i].rule.ok()) {
      return absl::DataLossError(
          absl::StrCat("nir.py: entry ", id, ", line ", read[i].line, ": ", read[i].rule.status().message()));
    }
    const auto wanted = ir::ParseRule(PythonTuple(line.rule));
    if (!wanted.ok()) return absl::DataLossError(absl::StrCat("entry ", id, ": ", wanted.status().message()));
    if (Canonical(*read[i].rule) != Canonical(*wanted)) {
      return absl::DataLossError(absl::StrCat("nir.py: entry ", id, ", line ", read[i].line, " contains ",
                                              Canonical(*read[i].rule), " instead of ", Canonical(*wanted)));
    }
  }
  if (read.size() > lines->size()) {
    return absl::DataLossError(
        absl::StrCat("nir.py: line ", read[lines->size()].line, " contains a rule that belongs to no entry"));
  }
  return absl::OkStatus();
}

}  // namespace rewrought::emitter
