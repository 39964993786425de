#include "emitter/pass/tree_patch.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "emitter/files/mailbox_patch.h"
#include "proto/read_file.h"

namespace rewrought::emitter {
namespace {

constexpr size_t kContext = 3;
constexpr char kRuleFolder[] = "src/compiler/nir/";

using Lines = std::vector<std::string>;
// Lines to insert, keyed by the number of lines above them.
using Insertions = std::map<size_t, Lines>;

absl::StatusOr<Lines> ReadLines(const std::string& path) {
  const absl::StatusOr<std::string> text = proto::ReadFile(path, proto::kTreeFileLimits);
  if (!text.ok()) {
    return absl::NotFoundError(
        absl::StrCat(text.status().message(), "; specify the root of a Mesa tree with the pack's version"));
  }
  return Lines(absl::StrSplit(absl::StripSuffix(*text, "\n"), '\n'));
}

// Returns the position in `file` at which to insert the lines of `edit`.
absl::StatusOr<size_t> PlaceIn(const Lines& file, const v1::NirTarget::TreeEdit& edit, const std::string& path) {
  std::vector<size_t> found;
  const auto height = static_cast<size_t>(edit.anchor_size());
  for (size_t i = 0; i + height <= file.size(); ++i) {
    if (std::equal(edit.anchor().begin(), edit.anchor().end(), file.begin() + static_cast<ptrdiff_t>(i))) {
      found.push_back(i);
    }
  }
  if (found.size() != 1) {
    return absl::NotFoundError(absl::StrCat(path, " has ", found.empty() ? "no" : "more than one", " line \"",
                                            edit.anchor(0),
                                            "\" as an anchor for the pass, so it is from another version; ",
                                            "insert the pass by hand, or add the version to emitter/targets"));
  }
  return edit.before() ? found[0] : found[0] + height;
}

bool IsFor(const v1::NirTarget::TreeEdit& edit, absl::string_view machine) {
  return machine.empty() || edit.machines().empty() ||
         std::any_of(edit.machines().begin(), edit.machines().end(),
                     [&](const std::string& of) { return absl::StartsWith(machine, of); });
}

// Returns whether another pass's patch has added the same lines.
bool IsAlreadyApplied(const Lines& file, const v1::NirTarget::TreeEdit& edit) {
  const bool of_this_pass = std::any_of(edit.lines().begin(), edit.lines().end(),
                                        [](const std::string& line) { return absl::StrContains(line, '$'); });
  return !of_this_pass && std::search(file.begin(), file.end(), edit.lines().begin(), edit.lines().end()) != file.end();
}

// Returns the lines of `edit`. If they contain $PASS and the edit has no place, repeats them for each place of the
// pass.
Lines LinesOf(const v1::NirTarget::TreeEdit& edit, const TreePass& pass) {
  const bool names_place = std::any_of(edit.lines().begin(), edit.lines().end(),
                                       [](const std::string& line) { return absl::StrContains(line, "$PASS"); });
  std::vector<std::string> places = {edit.place()};
  if (edit.place().empty() && names_place) places = pass.places;
  Lines lines;
  for (const std::string& place : places) {
    for (const std::string& line : edit.lines()) {
      lines.push_back(
          absl::StrReplaceAll(line, {{"$PASS", absl::StrCat(pass.name, "_", place)}, {"$NAME", pass.name}}));
    }
  }
  return lines;
}

// Returns the diff of a file in git's format.
std::string FileDiff(const std::string& name, const Lines& file, const Insertions& insertions) {
  std::string text = absl::StrCat("diff --git a/", name, " b/", name, "\n--- a/", name, "\n+++ b/", name, "\n");
  size_t added = 0;
  for (auto next = insertions.begin(); next != insertions.end();) {
    // Insertions with overlapping context share a hunk.
    auto last = next;
    while (std::next(last) != insertions.end() && std::next(last)->first <= last->first + 2 * kContext) ++last;
    const size_t begin = next->first - std::min(kContext, next->first),
                 end = std::min(file.size(), last->first + kContext);
    size_t here = 0;
    std::string hunk;
    for (size_t i = begin; i <= end; ++i) {
      if (const auto lines = insertions.find(i); lines != insertions.end() && i <= last->first) {
        for (const std::string& line : lines->second) absl::StrAppend(&hunk, "+", line, "\n");
        here += lines->second.size();
      }
      if (i < end) absl::StrAppend(&hunk, " ", file[i], "\n");
    }
    absl::StrAppend(&text, "@@ -", begin + 1, ",", end - begin, " +", begin + added + 1, ",", end - begin + here,
                    " @@\n", hunk);
    added += here;
    next = std::next(last);
  }
  return text;
}

std::string NewFileDiff(const std::string& name, absl::string_view content) {
  const Lines lines = absl::StrSplit(absl::StripSuffix(content, "\n"), '\n');
  return absl::StrCat("diff --git a/", name, " b/", name, "\nnew file mode 100644\n--- /dev/null\n+++ b/", name,
                      "\n@@ -0,0 +1,", lines.size(), " @@\n+", absl::StrJoin(lines, "\n+"), "\n");
}

// Returns a header that declares the pass's function for each place.
std::string HeaderText(const TreePass& pass) {
  const std::string guard = absl::AsciiStrToUpper(absl::StrCat(pass.name, "_H"));
  std::string text = absl::StrCat("#ifndef ", guard, "\n#define ", guard, "\n\n#include \"nir.h\"\n\n");
  for (const std::string& place : pass.places)
    absl::StrAppend(&text, "bool ", pass.name, "_", place, "(nir_shader *shader);\n");
  return text + "\n#endif\n";
}

}  // namespace

absl::StatusOr<std::string> TreePatch(const std::string& tree, const NirTarget& target, const TreePass& pass) {
  std::map<std::string, Lines> files;
  std::map<std::string, Insertions> insertions;
  for (const std::string& place : pass.places) {
    const bool known = std::any_of(target.tree_edits().begin(), target.tree_edits().end(), [&](const auto& edit) {
      return edit.place() == place && IsFor(edit, pass.machine);
    });
    if (known) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("no call site in the driver of ", pass.machine, " for a pass at ", place, " is known for ",
                     target.name(), "; call the pass from nir.py by hand, or add the place to emitter/targets"));
  }
  for (const v1::NirTarget::TreeEdit& edit : target.tree_edits()) {
    const bool wanted =
        edit.place().empty() || std::find(pass.places.begin(), pass.places.end(), edit.place()) != pass.places.end();
    if (!wanted || !IsFor(edit, pass.machine)) continue;
    const std::string path = absl::StrCat(tree, "/", edit.file());
    if (!files.contains(edit.file())) {
      absl::StatusOr<Lines> read = ReadLines(path);
      if (!read.ok()) return read.status();
      files[edit.file()] = *std::move(read);
    }
    if (IsAlreadyApplied(files[edit.file()], edit)) continue;
    const absl::StatusOr<size_t> place = PlaceIn(files[edit.file()], edit, path);
    if (!place.ok()) return place.status();
    Lines& at = insertions[edit.file()][*place];
    const Lines lines = LinesOf(edit, pass);
    at.insert(at.end(), lines.begin(), lines.end());
  }
  const std::string new_file = absl::StrCat(kRuleFolder, pass.name);
  MailboxPatch patch;
  patch.subject = absl::StrCat("nir: ", pass.name);
  patch.message = pass.message;
  for (const auto& [name, of_file] : insertions) absl::StrAppend(&patch.diff, FileDiff(name, files[name], of_file));
  if (target.HasOwnHeader()) absl::StrAppend(&patch.diff, NewFileDiff(new_file + ".h", HeaderText(pass)));
  if (!pass.python.empty()) absl::StrAppend(&patch.diff, NewFileDiff(new_file + ".py", pass.python));
  return MailboxText(patch);
}

}  // namespace rewrought::emitter
