// rewrought show: prints one rule with the code before and after it, its savings, and its proofs.
#include <iostream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/rule_json.h"
#include "machine/base/base_selection.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "pipeline/evidence/verified_rules.h"
#include "pipeline/improve.h"
#include "pipeline/rule_message.h"
#include "proto/names.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "store/rule_store.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string id;
  bool json = false;
};

struct StoredRule {
  store::RuleRecord record;
  v1::PackEntry detail;
  std::vector<v1::CaseVerdict> proofs;
  std::vector<store::MeasurementRecord> measurements;
  bool verified_here = false;
};

Json ToJson(const StoredRule& rule) {
  Json object{{"id", rule.record.id.hex()},
              {"machine", rule.record.machine},
              {"rule", pipeline::TupleText(rule.record)},
              {"class", NameOf(rule.record.rule_class)}};
  if (rule.detail.rule().has_inexact()) object["inexact"] = InexactJson(rule.detail.rule());
  for (const store::MeasurementRecord& m : rule.measurements) {
    object[m.split == store::Split::kHeldOut ? "held_out" : "discovery"] = MeasurementJson(m);
  }
  Json proofs = Json::array(), confirmations = Json::array();
  for (const v1::CaseVerdict& proof : rule.proofs) {
    proofs.push_back(
        {{"sizes", std::map<std::string, uint32_t>(proof.sizes().begin(), proof.sizes().end())},
         {"mode", v1::DenormMode_Name(proof.mode())},
         {"verdict", v1::Verdict_Name(proof.verdict())},
         {"tier", v1::Tier_Name(proof.tier())},
         {"confirmed_by", std::vector<std::string>(proof.confirmed_by().begin(), proof.confirmed_by().end())}});
  }
  for (const v1::Confirmation& confirmation : rule.detail.confirmations()) {
    confirmations.push_back({{"by", confirmation.by()}, {"vectors", confirmation.vectors()}});
  }
  object["proofs"] = proofs;
  object["verified_here"] = rule.verified_here;
  object["confirmations"] = confirmations;
  object["mutants"] = {{"refuted", rule.detail.mutants().refuted()},
                       {"equivalent", rule.detail.mutants().equivalent()},
                       {"undecided", rule.detail.mutants().undecided()}};
  return object;
}

// Prints the cost of one side of the rule, followed by its program. If `is_program` is false, prints the program that
// tuned base selection produces for the side, if any.
void PrintSide(absl::string_view title, const store::RuleRecord& record, const std::string& text,
               const v1::ProgramCost& cost, bool is_program) {
  std::cout << title << ": " << cost.instructions() << (cost.instructions() == 1 ? " instruction, " : " instructions, ")
            << absl::StrFormat("%g cycles\n", cost.cycles());
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(record.machine);
  if (!machine.ok()) return;
  absl::StatusOr<machine::Program> program;
  if (is_program) {
    program = machine::ParseProgram(**machine, text);
  } else {
    const absl::StatusOr<ir::Term> term = pipeline::SizedExpression(text, 32);
    if (!term.ok()) return;
    program = machine::BaseProgram(**machine, *term, machine::BaseKind::kTuned);
  }
  if (!program.ok()) return;
  for (const machine::Instruction& one : program->instructions) {
    std::cout << "    " << machine::PrintInstruction(**machine, one) << "\n";
  }
}

void PrintProofs(const StoredRule& rule) {
  std::map<v1::Verdict, std::set<std::string>> modes;
  std::map<v1::Verdict, int> cases;
  std::set<std::string> tiers, solvers;
  for (const v1::CaseVerdict& proof : rule.proofs) {
    modes[proof.verdict()].insert(std::string(v1::NameOf(proof.mode())));
    ++cases[proof.verdict()];
    if (proof.tier() != v1::TIER_UNSPECIFIED) tiers.insert(std::string(v1::NameOf(proof.tier())));
    solvers.insert(proof.confirmed_by().begin(), proof.confirmed_by().end());
  }
  for (const auto& [verdict, count] : cases) {
    std::cout << v1::NameOf(verdict) << ": " << count << (count == 1 ? " case" : " cases") << ", denormal modes "
              << absl::StrJoin(modes[verdict], ", ")
              << (rule.verified_here ? " (verified here)" : " (according to the database; not verified here)") << "\n";
  }
  if (!tiers.empty()) std::cout << "decided by " << absl::StrJoin(tiers, ", ");
  if (!solvers.empty()) std::cout << "; confirmed by " << absl::StrJoin(solvers, ", ");
  if (!tiers.empty()) std::cout << "\n";
  for (const v1::Confirmation& confirmation : rule.detail.confirmations()) {
    if (confirmation.vectors() == 0) continue;
    std::cout << "agrees on " << confirmation.vectors() << " inputs with " << confirmation.by() << "\n";
  }
  const v1::MutantCounts& mutants = rule.detail.mutants();
  std::cout << absl::StrFormat("mutants of the rule: %d refuted, %d also correct, %d unknown\n", mutants.refuted(),
                               mutants.equivalent(), mutants.undecided());
}

void PrintText(const StoredRule& rule) {
  const store::RuleRecord& record = rule.record;
  std::cout << "rule " << record.id.hex().substr(0, 12) << ", " << record.machine << ", " << NameOf(record.rule_class)
            << "\n  " << pipeline::TupleText(record) << "\n";
  PrintSide("before", record, record.search, rule.detail.rule().base_cost(), false);
  PrintSide("after", record, record.program.empty() ? record.replace : record.program, rule.detail.rule().cost(),
            !record.program.empty());
  for (const store::MeasurementRecord& m : rule.measurements) {
    std::cout << absl::StrFormat(
        "%s: %d sites in %d shaders of %d sources; cycles saved: %.0f against naive, %.0f against tuned\n",
        m.split == store::Split::kHeldOut ? "held-out shaders" : "discovery shaders", m.hits, m.shaders, m.sources,
        m.naive_cycles, m.tuned_cycles);
  }
  PrintProofs(rule);
}

void Run(const Options& options, Context* context) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadOnly);
  if (!store.ok()) return Fail(context, store.status().message());
  store::RuleStore rules(store->get());
  absl::StatusOr<store::RuleRecord> record = rules.GetRule(options.id);
  if (!record.ok()) return Fail(context, record.status().message());
  absl::StatusOr<std::vector<v1::CaseVerdict>> proofs = pipeline::ProofsOf(store->get(), *record);
  if (!proofs.ok()) return Fail(context, proofs.status().message());
  absl::StatusOr<std::vector<store::MeasurementRecord>> measurements = rules.Measurements(record->id);
  if (!measurements.ok()) return Fail(context, measurements.status().message());
  const absl::StatusOr<bool> verified = pipeline::VerifiedRules(store->get()).Has(*record, *proofs);
  if (!verified.ok()) return Fail(context, verified.status().message());
  const StoredRule rule{*record, pipeline::DetailOf(*record), *std::move(proofs), *std::move(measurements), *verified};
  if (options.json) return PrintJson(ToJson(rule));
  PrintText(rule);
}

}  // namespace

void AddShowCommand(CLI::App* command, Context* context) {
  static Options options;
  AddDatabaseOption(command, context);
  command->add_option("ID", options.id, "rule id that `rewrought rank` prints, or its first digits")->required();
  AddJsonOption(command, &options.json, "one JSON object");
  command->footer(
      "Naive selection uses one instruction per op; tuned selection uses modifiers, saturation and immediates.\n"
      "Verdicts come from the database. \"verified here\" means that this installation reached them itself;\n"
      "export and merge verify the others.\n"
      "Example:\n"
      "  rewrought show 3fa1c2 --db my.db");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
