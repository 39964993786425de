#include "audit/measured_patches.h"

#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/digest.h"
#include "proto/json_text.h"
#include "proto/read_file.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

constexpr size_t kIdDigits = 16;

MeasuredPatch ReadPatch(const Json& entry) {
  MeasuredPatch patch;
  std::vector<std::string> texts;
  for (const Json& driver : entry.at("drivers")) {
    const std::string name = driver.at("driver"), verdict = driver.at("verdict");
    if (verdict == "gain") patch.gains.push_back(name);
    if (verdict == "loss") patch.losses[name] = driver.at("reason");
    texts.push_back(absl::StrJoin(driver.at("text").get<std::vector<std::string>>(), "\n"));
  }
  patch.text = absl::StrJoin(texts, "\n\n");
  return patch;
}

}  // namespace

absl::StatusOr<std::map<std::string, MeasuredPatch>> ReadMeasuredPatches(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "series.json").string();
  const absl::StatusOr<std::string> text = proto::ReadFile(path, proto::kFileLimits);
  if (!text.ok()) return text.status();
  std::map<std::string, MeasuredPatch> patches;
  const Json document = proto::ParseJson(*text);
  try {
    for (const Json& entry : document.at("patches")) patches[entry.at("id")] = ReadPatch(entry);
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not the output of tools/driver_rig/series: ", error.what()));
  }
  return patches;
}

std::string PatchId(const std::string& diff) {
  std::string text, context;
  for (const absl::string_view line : absl::StrSplit(diff, '\n')) {
    if (absl::StartsWith(line, "@@")) context.clear();
    if (line.empty() || !absl::StrContains(" +-", line[0])) continue;
    const absl::string_view code = absl::StripAsciiWhitespace(line.substr(1));
    if (code.empty() || absl::StartsWith(code, "#")) continue;
    if (line[0] == ' ') {
      context = absl::StrCat(line, "\n");
    } else {
      absl::StrAppend(&text, context, line, "\n");
      context.clear();
    }
  }
  return ir::Sha256Hex(text).substr(0, kIdDigits);
}

}  // namespace rewrought::audit
