// rewrought rank and show: what the rules of a machine save on the corpus, and all there is to one rule.
#include <iostream>
#include <map>

#include "absl/strings/str_format.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "cli/database.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "server/pipeline/measure.h"
#include "server/pipeline/rule_message.h"
#include "server/store/rule_store.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string machine, id, rule_class;
  size_t top = 0;
  bool json = false;
};

Json ToJson(const store::MeasurementRecord& m) {
  return Json{{"hits", m.hits},
              {"shaders", m.shaders},
              {"sources", m.sources},
              {"base_instructions", m.base_instructions},
              {"base_cycles", m.base_cycles},
              {"strong_instructions", m.strong_instructions},
              {"strong_cycles", m.strong_cycles}};
}

const char* NameOf(store::RuleClass rule_class) {
  return rule_class == store::RuleClass::kStrict ? "strict" : "licensed";
}

// What is said of a licensed rule; null of a strict one.
Json InexactJson(const v1::RewriteRule& rule) {
  if (!rule.has_inexact()) return nullptr;
  const v1::InexactStatement& inexact = rule.inexact();
  return Json{{"reals", inexact.reals() == v1::VERDICT_PROVED ? "proved" : "unknown"},
              {"ulp_bound", inexact.has_ulp_bound() ? Json(inexact.ulp_bound()) : Json(nullptr)},
              {"ulp_before", inexact.ulp_before()},
              {"ulp_before_median", inexact.ulp_typical_before()},
              {"ulp_after", inexact.ulp_after()},
              {"ulp_after_median", inexact.ulp_typical_after()},
              {"special", std::map<std::string, std::string>(inexact.special().begin(), inexact.special().end())}};
}

Json ToJson(const pipeline::RankedRule& row) {
  const v1::PackEntry detail = pipeline::DetailOf(row.rule);
  Json object{{"id", row.rule.id.hex()},
              {"machine", row.rule.machine},
              {"rule", pipeline::TupleText(row.rule)},
              {"search", row.rule.search},
              {"class", NameOf(row.rule.rule_class)},
              {"beats_strong_base", row.beats_strong_base},
              {"cost", {{"instructions", detail.rule().cost().instructions()}, {"cycles", detail.rule().cost().cycles()}}},
              {"base", {{"instructions", detail.rule().base_cost().instructions()}, {"cycles", detail.rule().base_cost().cycles()}}},
              {"discovery", ToJson(row.discovery)},
              {"held_out", ToJson(row.held_out)}};
  if (detail.rule().has_inexact()) object["inexact"] = InexactJson(detail.rule());
  return object;
}

// The rules of one class: they are ranked apart.
void PrintClass(const Options& options, store::RuleClass rule_class, const std::vector<pipeline::RankedRule>& ranked) {
  size_t rules = 0, beyond = 0, held_out = 0;
  for (const pipeline::RankedRule& row : ranked) {
    if (row.rule.rule_class != rule_class) continue;
    ++rules;
    beyond += row.beats_strong_base;
    held_out += row.held_out.strong_cycles > 0;
  }
  if (!options.json) {
    std::cout << absl::StrFormat("%s: %d %s rules, %d beat strong base selection, %d of them on held-out sources\n",
                                 options.machine, rules, NameOf(rule_class), beyond, held_out);
    if (rules == 0) return;
    std::cout << "            |       held out         |       discovery        |\n"
                 "id          | hits  cycles vs strong | hits  cycles vs strong | rule\n";
  }
  size_t shown = 0;
  for (const pipeline::RankedRule& row : ranked) {
    if (row.rule.rule_class != rule_class) continue;
    if (options.top != 0 && shown++ >= options.top) break;
    if (options.json) {
      std::cout << ToJson(row).dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    } else {
      std::cout << absl::StrFormat("%s %6d %8.0f %8.0f %6d %8.0f %8.0f   %s\n", row.rule.id.hex().substr(0, 12),
                                   row.held_out.hits, row.held_out.base_cycles, row.held_out.strong_cycles, row.discovery.hits,
                                   row.discovery.base_cycles, row.discovery.strong_cycles, pipeline::TupleText(row.rule));
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
  for (const store::RuleClass rule_class : {store::RuleClass::kStrict, store::RuleClass::kLicensed}) {
    if (options.rule_class.empty() || options.rule_class == NameOf(rule_class)) PrintClass(options, rule_class, *ranked);
  }
}

void PrintRule(const Options& options, Context* context) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadOnly);
  if (!store.ok()) return Fail(context, store.status().message());
  store::RuleStore rules(store->get());
  absl::StatusOr<store::RuleRecord> rule = rules.GetRule(options.id);
  if (!rule.ok()) return Fail(context, rule.status().message());
  const v1::PackEntry detail = pipeline::DetailOf(*rule);
  const absl::StatusOr<std::vector<v1::CaseVerdict>> verdicts = pipeline::ProofsOf(store->get(), *rule);
  if (!verdicts.ok()) return Fail(context, verdicts.status().message());
  absl::StatusOr<std::vector<store::MeasurementRecord>> measurements = rules.Measurements(rule->id);
  if (!measurements.ok()) return Fail(context, measurements.status().message());
  Json object{{"id", rule->id.hex()}, {"machine", rule->machine}, {"rule", pipeline::TupleText(*rule)}, {"class", NameOf(rule->rule_class)}};
  if (detail.rule().has_inexact()) object["inexact"] = InexactJson(detail.rule());
  for (const store::MeasurementRecord& m : *measurements) {
    object[m.split == store::Split::kHeldOut ? "held_out" : "discovery"] = ToJson(m);
  }
  Json proofs = Json::array(), confirmations = Json::array();
  for (const v1::CaseVerdict& proof : *verdicts) {
    proofs.push_back({{"sizes", std::map<std::string, uint32_t>(proof.sizes().begin(), proof.sizes().end())},
                      {"mode", v1::DenormMode_Name(proof.mode())},
                      {"verdict", v1::Verdict_Name(proof.verdict())},
                      {"tier", v1::Tier_Name(proof.tier())},
                      {"confirmed_by", std::vector<std::string>(proof.confirmed_by().begin(), proof.confirmed_by().end())}});
  }
  for (const v1::Confirmation& confirmation : detail.confirmations()) {
    confirmations.push_back({{"by", confirmation.by()}, {"vectors", confirmation.vectors()}});
  }
  object["proofs"] = proofs;
  object["confirmations"] = confirmations;
  object["mutants"] = {{"refuted", detail.mutants().refuted()},
                       {"equivalent", detail.mutants().equivalent()},
                       {"undecided", detail.mutants().undecided()}};
  std::cout << object.dump(options.json ? -1 : 2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace

void AddRankCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command = app->add_subcommand("rank", "The rules of a machine, best first, with what they save where");
  AddDatabaseOption(command, context);
  command->add_option("--machine", options.machine, "machine id")->required();
  command->add_option("--class", options.rule_class, "strict: equal bit for bit; licensed: equal over the reals (~); both if not given")
      ->check(CLI::IsMember({"strict", "licensed"}));
  command->add_option("--top", options.top, "show no more of a class; 0: all");
  command->add_flag("--json", options.json, "one JSON object per rule");
  command->footer("Savings are cycles at the sites that license a rule, against one instruction per op and against strong\n"
                  "base selection (modifiers, saturate, immediates, contraction).\nExample:\n"
                  "  rewrought rank --db my.db --machine agx_g13 --top 20");
  command->callback([context] { PrintRank(options, context); });
}

void AddShowCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command = app->add_subcommand("show", "All there is to one rule: proofs, confirmations, mutants, savings");
  AddDatabaseOption(command, context);
  command->add_option("ID", options.id, "id of a rule, or its first digits")->required();
  command->add_flag("--json", options.json, "on one line");
  command->footer("Example:\n  rewrought show 3fa1c2 --db my.db");
  command->callback([context] { PrintRule(options, context); });
}

}  // namespace rewrought::cli
