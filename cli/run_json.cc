#include "cli/run_json.h"

#include "pipeline/run_record.h"

namespace rewrought::cli {
namespace {

Json MachineJson(const pipeline::NightlyMachineReport& report) {
  Json changed = Json::array();
  for (const pipeline::ChangedRule& rule : report.changed)
    changed.push_back({{"id", rule.id}, {"before", rule.before}, {"after", rule.after}});
  return {{"machine", report.machine},  {"run_statistics", ToJson(report.run_statistics)},
          {"new", report.added},        {"lost", report.lost},
          {"refuted", report.refuted},  {"changed", changed},
          {"rules", report.rules},      {"exported", report.exported},
          {"blocked", report.blocked},  {"unchanged", report.unchanged},
          {"ended_by", report.ended_by}};
}

}  // namespace

Json ToJson(const v1::RunStatistics& statistics) { return Json::parse(pipeline::RunStatisticsJson(statistics)); }

Json ToJson(const pipeline::HarvestReport& report) {
  Json inputs = Json::array();
  for (const corpus::SkippedInput& input : report.skipped_inputs) {
    inputs.push_back({{"input", input.name}, {"reason", input.reason}});
  }
  Json places = Json::array();
  for (const corpus::NotedPlace& place : report.noted) {
    places.push_back({{"input", place.name}, {"line", place.line}, {"note", place.note}});
  }
  return {{"shaders", report.shaders},
          {"new", report.added},
          {"skipped", report.skipped},
          {"reasons", report.reasons},
          {"fragments", report.fragments},
          {"distinct", report.distinct},
          {"ops", report.ops},
          {"opaque", report.opaque},
          {"nir_versions", report.versions},
          {"notes", report.notes},
          {"noted", places},
          {"skipped_inputs", inputs}};
}

Json ToJson(const pipeline::NightlyReport& report) {
  Json machines = Json::array();
  for (const pipeline::NightlyMachineReport& machine : report.machines) machines.push_back(MachineJson(machine));
  return {{"run", report.run},          {"resumed", report.resumed},         {"interrupted", report.interrupted},
          {"exit", report.exit_code()}, {"harvest", ToJson(report.harvest)}, {"machines", machines}};
}

}  // namespace rewrought::cli
