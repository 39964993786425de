// rewrought rank: ranks a machine's rules by their savings on the corpus.
#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/rule_json.h"
#include "cli/tree_rules.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "pipeline/rule_message.h"
#include "pipeline/rule_record.h"
#include "pipeline/sites/measure.h"
#include "pipeline/trial/measured_worth.h"
#include "proto/names.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "rules/tree_rules.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string machine, rule_class, against, by = "modelled", driver;
  size_t top = 0;
  bool json = false;
};

Json ToJson(const pipeline::RankedRule& row) {
  const v1::PackEntry detail = pipeline::DetailOf(row.rule);
  Json object{
      {"id", row.rule.id.hex()},
      {"machine", row.rule.machine},
      {"rule", pipeline::TupleText(row.rule)},
      {"search", pipeline::SidesText(row.rule).search},
      {"class", NameOf(row.rule.rule_class)},
      {"beats_tuned_baseline", row.beats_tuned_baseline},
      {"cost", {{"instructions", detail.rule().cost().instructions()}, {"cycles", detail.rule().cost().cycles()}}},
      {"base",
       {{"instructions", detail.rule().base_cost().instructions()}, {"cycles", detail.rule().base_cost().cycles()}}},
      {"discovery", MeasurementJson(row.discovery)},
      {"held_out", MeasurementJson(row.held_out)}};
  if (detail.rule().has_inexact()) object["inexact"] = InexactJson(detail.rule());
  return object;
}

// Returns whether no tree subsumes this rule (rules::TreeRules::Subsume), or nullopt if there are no trees.
std::optional<bool> NotSubsumedBy(const std::vector<rules::TreeRules>& trees, const store::RuleRecord& rule) {
  if (trees.empty()) return std::nullopt;
  const absl::StatusOr<machine::Candidate> candidate = pipeline::CandidateOfRecord(rule);
  return candidate.ok() &&
         std::none_of(trees.begin(), trees.end(), [&](const auto& tree) { return tree.Subsume(*candidate); });
}

// Returns whether the rule forms a loop with the main pass of the first tree (rules::TreeRules::FindLooping).
bool IsUndoneBy(const std::vector<rules::TreeRules>& trees, const store::RuleRecord& rule) {
  const absl::StatusOr<machine::Candidate> candidate = pipeline::CandidateOfRecord(rule);
  return candidate.ok() && !trees.empty() && trees.front().FindLooping({&*candidate, 1}, 0)[0];
}

Json TrialJson(const v1::RuleTrial& trial) {
  const pipeline::MeasuredWorth worth = pipeline::WorthOf(trial);
  Json places = Json::array();
  for (const v1::RuleTrial::Place& place : trial.places()) {
    const auto effect = [](const v1::RuleTrial::Effect& of) {
      return Json{{"time", of.time()},     {"instructions", of.instructions()},
                  {"faster", of.faster()}, {"slower", of.slower()},
                  {"helped", of.helped()}, {"hurt", of.hurt()},
                  {"lost", of.lost()}};
    };
    Json object{{"name", place.name()},
                {"programs", place.programs()},
                {"chosen", place.chosen()},
                {"applied", place.applied()},
                {"alone", effect(place.alone())}};
    if (const absl::string_view stages = v1::NameOf(place.stages()); !stages.empty()) object["stages"] = stages;
    if (place.has_in_set()) object["in_set"] = effect(place.in_set());
    places.push_back(std::move(object));
  }
  Json object{{"driver", trial.driver()},
              {"chosen", worth.chosen},
              {"saved_time_percent", worth.time},
              {"saved_instructions_percent", worth.instructions},
              {"places", std::move(places)}};
  if (!trial.problem().empty()) object["problem"] = trial.problem();
  if (!trial.unmet().empty()) object["unmet"] = trial.unmet();
  if (pipeline::IsOfOlderVersion(trial)) object["older_version"] = true;
  if (!trial.has_no_time()) return object;
  Json numbers = Json::object();
  for (const v1::DriverNumber& number : trial.no_time().numbers()) numbers[number.name()] = number.change();
  object["no_time"] = {{"place", trial.no_time().place()}, {"numbers", std::move(numbers)}};
  return object;
}

// Prints the rule, followed by one line per driver.
void PrintMeasured(const pipeline::MeasuredRule& rule) {
  std::cout << absl::StrFormat("%s %s\n", rule.row.rule.id.hex().substr(0, 12), pipeline::TupleText(rule.row.rule));
  for (const v1::RuleTrial& trial : rule.trials) {
    const pipeline::MeasuredWorth worth = pipeline::WorthOf(trial);
    uint64_t programs = 0, faster = 0, slower = 0;
    std::string places;
    for (const v1::RuleTrial::Place& place : trial.places()) {
      if (worth.chosen != place.chosen()) continue;
      programs = std::max(programs, place.programs());
      const v1::RuleTrial::Effect& effect = worth.chosen ? place.in_set() : place.alone();
      faster += effect.faster();
      slower += effect.slower();
      places += (places.empty() ? "" : ",") + place.name();
      if (const absl::string_view stages = v1::NameOf(place.stages()); !stages.empty())
        absl::StrAppend(&places, "(", stages, ")");
    }
    std::cout << absl::StrFormat("  %-12s %-10s %+8.4f%% %+11.4f%% %8d %6d %6d  %s\n", trial.driver(),
                                 !trial.problem().empty()            ? "omitted"
                                 : !trial.unmet().empty()            ? "unmet"
                                 : pipeline::IsOfOlderVersion(trial) ? "old trial"
                                 : worth.chosen                      ? "chosen"
                                 : trial.has_no_time()               ? "no time"
                                                                     : "alone",
                                 -worth.time, -worth.instructions, programs, faster, slower,
                                 !trial.problem().empty() ? trial.problem()
                                 : trial.unmet().empty()  ? places
                                                          : trial.unmet());
  }
}

absl::Status RankByTrials(const Options& options, store::Store* store, std::vector<pipeline::RankedRule> ranked) {
  const auto rules = pipeline::RankByTrials(store, std::move(ranked), options.driver);
  if (!rules.ok()) return rules.status();
  if (rules->empty())
    return absl::NotFoundError(options.machine +
                               " has no rule that was tried on a driver; run `rewrought trial` first");
  if (!options.json) {
    std::cout << options.machine << ": " << rules->size() << " rules were tried on drivers\n"
              << "  driver       state           time instructions programs faster slower places\n";
  }
  size_t shown = 0;
  for (const pipeline::MeasuredRule& rule : *rules) {
    if (!options.rule_class.empty() && options.rule_class != NameOf(rule.row.rule.rule_class)) continue;
    if (options.top != 0 && shown++ >= options.top) break;
    if (!options.json) {
      PrintMeasured(rule);
      continue;
    }
    Json object = ToJson(rule.row);
    for (const v1::RuleTrial& trial : rule.trials) object["trials"].push_back(TrialJson(trial));
    PrintJson(object);
  }
  return absl::OkStatus();
}

// Prints the rules of one class. The classes are ranked separately.
void PrintClass(const Options& options, v1::RuleClass rule_class, const std::vector<pipeline::RankedRule>& ranked,
                const std::vector<rules::TreeRules>& trees) {
  size_t rules = 0, beyond = 0, held_out = 0, not_subsumed = 0;
  std::map<ir::Digest, std::optional<bool>> is_not_subsumed;
  for (const pipeline::RankedRule& row : ranked) {
    if (row.rule.rule_class != rule_class) continue;
    ++rules;
    is_not_subsumed[row.rule.id] = NotSubsumedBy(trees, row.rule);
    not_subsumed += is_not_subsumed[row.rule.id].value_or(false);
    beyond += row.beats_tuned_baseline;
    held_out += row.held_out.tuned_cycles > 0;
  }
  if (!options.json) {
    std::cout << absl::StrFormat("%s: %d %s rules, %d beat tuned baseline selection, %d of them on held-out sources\n",
                                 options.machine, rules, NameOf(rule_class), beyond, held_out);
    if (rules == 0) return;
    if (!trees.empty())
      std::cout << absl::StrFormat("%d of them (*) are not subsumed by the tree's own rules\n", not_subsumed);
    std::cout << "            |       held out         |       discovery        |\n"
                 "id          | hits  cycles vs tuned | hits  cycles vs tuned | rule\n";
  }
  size_t shown = 0;
  for (const pipeline::RankedRule& row : ranked) {
    if (row.rule.rule_class != rule_class) continue;
    if (options.top != 0 && shown++ >= options.top) break;
    if (options.json) {
      Json object = ToJson(row);
      if (is_not_subsumed[row.rule.id].has_value()) {
        object["not_subsumed_upstream"] = *is_not_subsumed[row.rule.id];
        object["loops_with_tree"] = IsUndoneBy(trees, row.rule);
      }
      PrintJson(object);
    } else {
      std::cout << absl::StrFormat("%s %6d %8.0f %8.0f %6d %8.0f %8.0f %s %s\n", row.rule.id.hex().substr(0, 12),
                                   row.held_out.hits, row.held_out.naive_cycles, row.held_out.tuned_cycles,
                                   row.discovery.hits, row.discovery.naive_cycles, row.discovery.tuned_cycles,
                                   is_not_subsumed[row.rule.id].value_or(false) ? "*" : " ",
                                   pipeline::TupleText(row.rule));
    }
  }
}

void PrintRank(const Options& options, Context* context) {
  absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return Fail(context, machine.status().message());
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadOnly);
  if (!store.ok()) return Fail(context, store.status().message());
  absl::StatusOr<std::vector<pipeline::RankedRule>> ranked = pipeline::RankRules(store->get(), options.machine);
  if (!ranked.ok()) return Fail(context, ranked.status().message());
  if (options.by == "measured") {
    const absl::Status status = RankByTrials(options, store->get(), *std::move(ranked));
    return status.ok() ? void() : Fail(context, status.message());
  }
  absl::StatusOr<std::vector<rules::TreeRules>> trees = std::vector<rules::TreeRules>();
  if (!options.against.empty()) trees = ReadTree("--against", options.against);
  if (!trees.ok()) return Fail(context, trees.status().message());
  for (const v1::RuleClass rule_class : {v1::RULE_CLASS_STRICT, v1::RULE_CLASS_INEXACT}) {
    if (options.rule_class.empty() || options.rule_class == NameOf(rule_class))
      PrintClass(options, rule_class, *ranked, *trees);
  }
}

}  // namespace

void AddRankCommand(CLI::App* command, Context* context) {
  static Options options;
  AddDatabaseOption(command, context);
  AddMachineOption(command, &options.machine, "GPU whose rules to rank")->required();
  command
      ->add_option("--class", options.rule_class,
                   "strict: equal bit for bit; inexact: equal over the reals (~); default: both")
      ->check(CLI::IsMember({"strict", "inexact"}));
  command->add_option(
      "--against", options.against,
      "src/compiler/nir of a Mesa tree: mark rules that its own rules do not subsume (python3 runs its files)");
  command
      ->add_option("--by", options.by,
                   "modelled: by the machine's costs; measured: by the drivers' gains in `rewrought trial`")
      ->check(CLI::IsMember({"modelled", "measured"}))
      ->capture_default_str();
  command->add_option("--driver", options.driver, "with --by measured: rank only by this driver");
  command->add_option("--top", options.top, "maximum number of rules per class; 0: all");
  AddJsonOption(command, &options.json, "one JSON object per rule");
  command->footer(
      "Savings are cycles at the sites in the harvested shaders where a rule applies, against one instruction per\n"
      "op (naive), and against selection that uses modifiers, saturation, immediates and fused instructions\n"
      "(tuned).\n"
      "Examples:\n"
      "  rewrought rank --db my.db --machine agx_g13 --top 20\n"
      "  rewrought rank --db my.db --machine ir3_a6xx --by measured --driver ir3-a630\n"
      "  rewrought rank --db my.db --machine intel_gen9 --against mesa/src/compiler/nir");
  command->callback([context] { PrintRank(options, context); });
}

}  // namespace rewrought::cli
