// rewrought rank and show: what the rules of a machine save on the corpus, and all there is to one rule.
#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "absl/strings/str_format.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/tree_rules.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "rules/tree_rules.h"
#include "server/pipeline/measure.h"
#include "server/pipeline/rule_message.h"
#include "server/pipeline/rule_record.h"
#include "server/store/rule_store.h"
#include "verifier/verdict_message.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string machine, id, rule_class, against;
  size_t top = 0;
  bool json = false;
};

Json ToJson(const store::MeasurementRecord& m) {
  return Json{{"hits", m.hits},
              {"shaders", m.shaders},
              {"sources", m.sources},
              {"naive_instructions", m.naive_instructions},
              {"naive_cycles", m.naive_cycles},
              {"tuned_instructions", m.tuned_instructions},
              {"tuned_cycles", m.tuned_cycles}};
}

const char* NameOf(store::RuleClass rule_class) {
  return rule_class == store::RuleClass::kStrict ? "strict" : "inexact";
}

// What is said of an inexact rule; null of a strict one.
Json InexactJson(const v1::RewriteRule& rule) {
  if (!rule.has_inexact()) return nullptr;
  const v1::InexactStatement& inexact = rule.inexact();
  // What was not measured is null.
  const auto figure = [](bool has, double value) { return has ? Json(value) : Json(nullptr); };
  return Json{{"reals", inexact.reals() == v1::VERDICT_PROVED ? "proved" : "unknown"},
              {"ulp_bound", figure(inexact.has_ulp_bound(), inexact.ulp_bound())},
              {"class", verifier::NameOf(inexact.accuracy_class())},
              {"ulp_worst_before", figure(inexact.has_ulp_worst_before(), inexact.ulp_worst_before())},
              {"ulp_typical_before", figure(inexact.has_ulp_typical_before(), inexact.ulp_typical_before())},
              {"ulp_worst_after", figure(inexact.has_ulp_worst_after(), inexact.ulp_worst_after())},
              {"ulp_typical_after", figure(inexact.has_ulp_typical_after(), inexact.ulp_typical_after())},
              {"special", std::map<std::string, std::string>(inexact.special().begin(), inexact.special().end())}};
}

Json ToJson(const pipeline::RankedRule& row) {
  const v1::PackEntry detail = pipeline::DetailOf(row.rule);
  Json object{
      {"id", row.rule.id.hex()},
      {"machine", row.rule.machine},
      {"rule", pipeline::TupleText(row.rule)},
      {"search", row.rule.search},
      {"class", NameOf(row.rule.rule_class)},
      {"beats_tuned_baseline", row.beats_tuned_baseline},
      {"cost", {{"instructions", detail.rule().cost().instructions()}, {"cycles", detail.rule().cost().cycles()}}},
      {"base",
       {{"instructions", detail.rule().base_cost().instructions()}, {"cycles", detail.rule().base_cost().cycles()}}},
      {"discovery", ToJson(row.discovery)},
      {"held_out", ToJson(row.held_out)}};
  if (detail.rule().has_inexact()) object["inexact"] = InexactJson(detail.rule());
  return object;
}

// Whether the tree's own rules do not give as much; nothing without a tree.
std::optional<bool> IsNewsTo(const std::vector<rules::TreeRules>& trees, const store::RuleRecord& rule) {
  if (trees.empty()) return std::nullopt;
  const absl::StatusOr<machine::Candidate> candidate = pipeline::CandidateOfRecord(rule);
  return candidate.ok() &&
         std::none_of(trees.begin(), trees.end(), [&](const auto& tree) { return tree.GiveAsMuch(*candidate); });
}

// Whether the tree's main pass turns what the rule gives back into what it rewrites.
bool IsUndoneBy(const std::vector<rules::TreeRules>& trees, const store::RuleRecord& rule) {
  const absl::StatusOr<machine::Candidate> candidate = pipeline::CandidateOfRecord(rule);
  return candidate.ok() && !trees.empty() && trees.front().Undone({&*candidate, 1}, 0)[0];
}

// The rules of one class: they are ranked apart.
void PrintClass(const Options& options, store::RuleClass rule_class, const std::vector<pipeline::RankedRule>& ranked,
                const std::vector<rules::TreeRules>& trees) {
  size_t rules = 0, beyond = 0, held_out = 0, news = 0;
  std::map<ir::Digest, std::optional<bool>> is_news;
  for (const pipeline::RankedRule& row : ranked) {
    if (row.rule.rule_class != rule_class) continue;
    ++rules;
    is_news[row.rule.id] = IsNewsTo(trees, row.rule);
    news += is_news[row.rule.id].value_or(false);
    beyond += row.beats_tuned_baseline;
    held_out += row.held_out.tuned_cycles > 0;
  }
  if (!options.json) {
    std::cout << absl::StrFormat("%s: %d %s rules, %d beat tuned baseline selection, %d of them on held-out sources\n",
                                 options.machine, rules, NameOf(rule_class), beyond, held_out);
    if (rules == 0) return;
    if (!trees.empty()) std::cout << absl::StrFormat("%d of them (*) give more than the tree's own rules\n", news);
    std::cout << "            |       held out         |       discovery        |\n"
                 "id          | hits  cycles vs tuned | hits  cycles vs tuned | rule\n";
  }
  size_t shown = 0;
  for (const pipeline::RankedRule& row : ranked) {
    if (row.rule.rule_class != rule_class) continue;
    if (options.top != 0 && shown++ >= options.top) break;
    if (options.json) {
      Json object = ToJson(row);
      if (is_news[row.rule.id].has_value()) {
        object["beyond_tree"] = *is_news[row.rule.id];
        object["undone_by_tree"] = IsUndoneBy(trees, row.rule);
      }
      std::cout << object.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    } else {
      std::cout << absl::StrFormat("%s %6d %8.0f %8.0f %6d %8.0f %8.0f %s %s\n", row.rule.id.hex().substr(0, 12),
                                   row.held_out.hits, row.held_out.naive_cycles, row.held_out.tuned_cycles,
                                   row.discovery.hits, row.discovery.naive_cycles, row.discovery.tuned_cycles,
                                   is_news[row.rule.id].value_or(false) ? "*" : " ", pipeline::TupleText(row.rule));
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
  absl::StatusOr<std::vector<rules::TreeRules>> trees = std::vector<rules::TreeRules>();
  if (!options.against.empty()) trees = ReadTree("--against", options.against);
  if (!trees.ok()) return Fail(context, trees.status().message());
  for (const store::RuleClass rule_class : {store::RuleClass::kStrict, store::RuleClass::kInexact}) {
    if (options.rule_class.empty() || options.rule_class == NameOf(rule_class))
      PrintClass(options, rule_class, *ranked, *trees);
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
  Json object{{"id", rule->id.hex()},
              {"machine", rule->machine},
              {"rule", pipeline::TupleText(*rule)},
              {"class", NameOf(rule->rule_class)}};
  if (detail.rule().has_inexact()) object["inexact"] = InexactJson(detail.rule());
  for (const store::MeasurementRecord& m : *measurements) {
    object[m.split == store::Split::kHeldOut ? "held_out" : "discovery"] = ToJson(m);
  }
  Json proofs = Json::array(), confirmations = Json::array();
  for (const v1::CaseVerdict& proof : *verdicts) {
    proofs.push_back(
        {{"sizes", std::map<std::string, uint32_t>(proof.sizes().begin(), proof.sizes().end())},
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
  command
      ->add_option("--class", options.rule_class,
                   "strict: equal bit for bit; inexact: equal over the reals (~); both if not given")
      ->check(CLI::IsMember({"strict", "inexact"}));
  command->add_option(
      "--against", options.against,
      "a Mesa tree's src/compiler/nir: mark the rules that its own do not give (its Python files are run)");
  command->add_option("--top", options.top, "show no more of a class; 0: all");
  command->add_flag("--json", options.json, "one JSON object per rule");
  command->footer(
      "Savings are cycles at the sites that permit a rule, against one instruction per op and against tuned\n"
      "base selection (modifiers, saturate, immediates, contraction).\nExample:\n"
      "  rewrought rank --db my.db --machine agx_g13 --top 20\n"
      "  rewrought rank --db my.db --machine intel_gen9 --against mesa/src/compiler/nir");
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
