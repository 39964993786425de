// The JSON of reports: by hand, since the order of keys is part of what scripts see.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/pipeline/nightly.h"
#include "server/pipeline/run_record.h"

namespace rewrought::pipeline {
namespace {

std::string Quoted(absl::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      absl::StrAppend(&json, "\\", absl::string_view(&c, 1));
    } else if (byte < 0x20) {
      absl::StrAppendFormat(&json, "\\u%04x", byte);
    } else {
      json.push_back(c);
    }
  }
  return json + "\"";
}

std::string List(const std::vector<std::string>& texts) {
  return absl::StrCat(
      "[", absl::StrJoin(texts, ",", [](std::string* out, const std::string& text) { out->append(Quoted(text)); }),
      "]");
}

std::string Counts(const std::map<std::string, uint64_t>& counts) {
  return absl::StrCat("{",
                      absl::StrJoin(counts, ",",
                                    [](std::string* out, const std::pair<const std::string, uint64_t>& entry) {
                                      absl::StrAppend(out, Quoted(entry.first), ":", entry.second);
                                    }),
                      "}");
}

std::string MachineJson(const NightlyMachineReport& report) {
  const std::string changed = absl::StrJoin(report.changed, ",", [](std::string* out, const ChangedRule& rule) {
    absl::StrAppendFormat(out, "{\"id\":\"%s\",\"before\":%g,\"after\":%g}", rule.id, rule.before, rule.after);
  });
  return absl::StrCat("{\"machine\":", Quoted(report.machine),
                      ",\"run_statistics\":", RunStatisticsJson(report.run_statistics), ",\"new\":", List(report.added),
                      ",\"lost\":", List(report.lost), ",\"refuted\":", List(report.refuted), ",\"changed\":[", changed,
                      "],\"rules\":", report.rules, ",\"exported\":", report.exported, ",\"blocked\":", report.blocked,
                      ",\"unchanged\":", List(report.unchanged), ",\"ended_by\":", Quoted(report.ended_by), "}");
}

}  // namespace

std::string HarvestJson(const HarvestReport& report) {
  return absl::StrCat("{\"shaders\":", report.shaders, ",\"new\":", report.added, ",\"skipped\":", report.skipped,
                      ",\"reasons\":", Counts(report.reasons), ",\"fragments\":", report.fragments,
                      ",\"distinct\":", report.distinct, ",\"ops\":", Counts(report.ops),
                      ",\"opaque\":", Counts(report.opaque), "}");
}

std::string NightlyJson(const NightlyReport& report) {
  return absl::StrCat(
      "{\"run\":", Quoted(report.run), ",\"resumed\":", report.resumed ? "true" : "false",
      ",\"interrupted\":", report.interrupted ? "true" : "false", ",\"exit\":", report.exit_code(),
      ",\"harvest\":", HarvestJson(report.harvest), ",\"machines\":[",
      absl::StrJoin(report.machines, ",",
                    [](std::string* out, const NightlyMachineReport& machine) { out->append(MachineJson(machine)); }),
      "]}");
}

}  // namespace rewrought::pipeline
