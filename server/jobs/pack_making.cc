#include "server/jobs/pack_making.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "emitter/files/scratch_folder.h"
#include "emitter/pack_files.h"
#include "emitter/pack_folder.h"
#include "proto/json_text.h"
#include "proto/utf8.h"
#include "server/jobs/own_command.h"

namespace rewrought::rpc {
namespace {

using Json = nlohmann::json;

constexpr char kScratchPrefix[] = ".building-";
constexpr auto kLimit = std::chrono::hours(1);

OwnCommand CommandFor(const PackRequest& wish, std::vector<std::string> arguments) {
  OwnCommand command;
  command.program = wish.program;
  command.arguments = std::move(arguments);
  command.limit = kLimit;
  command.stop = wish.stop;
  return command;
}

absl::Status Build(const PackRequest& wish, const std::string& folder) {
  OwnCommand command = CommandFor(wish, {"export", "--db", wish.db, "--machine", wish.machine, "-o", folder});
  if (!wish.formats.empty()) {
    command.arguments.insert(command.arguments.end(), {"--format", absl::StrJoin(wish.formats, ",")});
  }
  command.with_errors = true;
  const absl::StatusOr<CommandResult> end = Run(command);
  if (!end.ok()) return end.status();
  if (end->process.clean) return absl::OkStatus();
  const std::vector<std::string> lines = absl::StrSplit(absl::StripAsciiWhitespace(end->output), '\n');
  return absl::AbortedError(
      absl::StrCat("building the pack failed with ", end->process.text, ": ", ToUtf8(lines.back())));
}

absl::StatusOr<std::vector<std::string>> Check(const PackRequest& wish, const std::string& folder) {
  const absl::StatusOr<CommandResult> end = Run(CommandFor(wish, {"pack", "verify", folder, "--json"}));
  if (!end.ok()) return end.status();
  std::vector<std::string> findings;
  for (const absl::string_view line : absl::StrSplit(end->output, '\n', absl::SkipEmpty())) {
    const Json finding = proto::ParseJson(line);
    if (!finding.is_object()) continue;
    const std::string entry = finding.value("entry", "");
    findings.push_back(
        absl::StrCat(entry.empty() ? finding.value("file", "") : entry, ": ", finding.value("what", "")));
  }
  if (end->process.clean == findings.empty()) return findings;
  return absl::AbortedError(absl::StrCat("checking the new pack failed with ", end->process.text));
}

}  // namespace

void RemovePackLeftovers(const std::string& packs_folder) {
  emitter::ScratchFolder::RemoveLeftovers(packs_folder, kScratchPrefix);
}

absl::StatusOr<BuiltPack> MakePack(const PackRequest& wish, const std::function<void(const std::string&)>& doing) {
  const emitter::ScratchFolder scratch(wish.packs_folder, kScratchPrefix);
  if (!scratch.made()) {
    return absl::UnavailableError("the folder of packs cannot be written; check the server's --packs");
  }
  doing("building");
  if (absl::Status built = Build(wish, scratch.path()); !built.ok()) return built;
  doing("checking");
  const std::string folder = absl::StrCat(scratch.path(), "/", wish.machine);
  absl::StatusOr<std::vector<std::string>> findings = Check(wish, folder);
  if (!findings.ok()) return findings.status();
  const absl::StatusOr<emitter::PackFolder> pack = emitter::ReadPackFolder(folder);
  if (!pack.ok()) return pack.status();
  BuiltPack made;
  made.name = absl::StrCat(wish.machine, "-", pack->manifest.message.digest().substr(0, 12));
  made.findings = *std::move(findings);
  absl::Status moved = emitter::MoveFolder(folder, absl::StrCat(wish.packs_folder, "/", made.name),
                                           absl::StrCat(scratch.path(), "/replaced"));
  if (!moved.ok()) return moved;
  return made;
}

}  // namespace rewrought::rpc
