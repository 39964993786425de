// rewrought audit: verifies every rule of a Mesa tree.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "server/audit/audit.h"
#include "server/audit/gate.h"
#include "server/audit/report.h"
#include "server/rpc/messages/verdict_proto.h"
#include "verifier/worker/cvc5_process.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool json = false, infer = false, back_ends = false, again = false;
  std::string modes = "any", literals = "either", since, waivers, html, verdicts;
  uint32_t timeout_ms = 0;
  int jobs = 0;
};

absl::Status ReadModes(const std::string& text, std::vector<ir::DenormMode>* modes) {
  modes->clear();
  for (const ir::DenormMode mode : {ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush}) {
    for (const absl::string_view part : absl::StrSplit(text, ',')) {
      if (part == ir::NameOf(mode) && (modes->empty() || modes->back() != mode)) modes->push_back(mode);
    }
  }
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    if (part != "any" && part != "preserve" && part != "flush") {
      return absl::InvalidArgumentError(
          absl::StrCat("--modes ", text, ": '", part, "' is none of any, preserve, flush"));
    }
  }
  return absl::OkStatus();
}

verifier::ProverOptions ProverOptionsOf(const Options& options, const Context& context) {
  verifier::ProverOptions prover;
  prover.keep_query = false;
  prover.cancel = context.stop.get_token();
  if (options.timeout_ms > 0) {
    for (uint32_t& timeout : prover.uninterpreted_timeout_ms) timeout = std::min(timeout, options.timeout_ms);
    prover.second_solver_timeout_ms = options.timeout_ms;
    for (uint32_t& timeout : prover.native_timeout_ms) timeout = options.timeout_ms;
  }
  return prover;
}

std::string ProgressText(const audit::AuditOptions::Progress& progress, std::chrono::steady_clock::time_point start) {
  std::string text = absl::StrFormat("%d of %d rules", progress.done, progress.all);
  for (const audit::RuleClass rule_class : audit::kRuleClasses) {
    const size_t count = progress.by_class[static_cast<size_t>(rule_class)];
    if (count > 0) absl::StrAppend(&text, ", ", count, " ", audit::NameOf(rule_class));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double rate = static_cast<double>(progress.done - progress.cached) / std::max(seconds, 0.001);
  return absl::StrCat(text, absl::StrFormat("; %d cached, %.1f a second", progress.cached, rate));
}

// What --since and --waivers make of the report.
struct Gate {
  audit::ReportNotes notes;
  std::vector<size_t> newly_refuted, newly_undecided;
  std::vector<std::string> messages;
};

bool IsUndecided(audit::RuleClass rule_class) {
  return rule_class == audit::RuleClass::kUnknown || rule_class == audit::RuleClass::kUnsupported;
}

void Compare(const audit::EarlierAudit& earlier, const audit::AuditReport& report, Gate* gate) {
  for (size_t i = 0; i < report.rules.size(); ++i) {
    const audit::AuditedRule& rule = report.rules[i];
    const std::string now = audit::NameOf(rule.rule_class), was = earlier.ClassOf(rule.source);
    gate->notes.was.push_back(was.empty() ? "new" : was);
    if (was == now || rule.rule_class == audit::RuleClass::kPending) continue;
    if (rule.rule_class == audit::RuleClass::kRefuted) gate->newly_refuted.push_back(i);
    if (IsUndecided(rule.rule_class) && was != "unknown" && was != "unsupported") gate->newly_undecided.push_back(i);
    gate->messages.push_back(absl::StrCat(rule.source.file, ":", rule.source.line, ": ", gate->notes.was.back(), " -> ",
                                          now, ": ", rule.source.Text()));
  }
  for (const std::string& gone : earlier.Gone(report)) gate->messages.push_back("gone: " + gone);
}

void Waive(const audit::AuditReport& report, const std::string& file, std::vector<audit::Waiver>* waivers, Gate* gate) {
  gate->notes.waived.resize(report.rules.size());
  const std::vector<int> waived = audit::ApplyWaivers(report, waivers);
  for (size_t i = 0; i < waived.size(); ++i) {
    if (waived[i] >= 0) gate->notes.waived[i] = (*waivers)[static_cast<size_t>(waived[i])].reason;
  }
  for (const audit::Waiver& waiver : *waivers) {
    if (waiver.used || report.interrupted) continue;
    gate->messages.push_back(absl::StrCat(file, ":", waiver.line,
                                          ": stale waiver: ", waiver.known ? "the rule is not refuted" : "no such rule",
                                          ": ", waiver.what));
  }
}

int ExitCode(const audit::AuditReport& report, const Gate& gate, bool since) {
  if (!report.unreadable.empty()) return kBadInput;
  const auto is_waived = [&](size_t i) { return i < gate.notes.waived.size() && !gate.notes.waived[i].empty(); };
  bool refuted = false, undecided = false;
  if (since) {
    for (const size_t i : gate.newly_refuted) refuted = refuted || !is_waived(i);
    undecided = !gate.newly_undecided.empty();
  } else {
    for (size_t i = 0; i < report.rules.size(); ++i) {
      refuted = refuted || (report.rules[i].rule_class == audit::RuleClass::kRefuted && !is_waived(i));
      undecided = undecided || IsUndecided(report.rules[i].rule_class);
    }
  }
  return refuted ? kNo : undecided ? kUndecided : kYes;
}

void Print(const Options& options, const audit::AuditReport& report, const Gate& gate) {
  if (options.json) {
    for (size_t i = 0; i < report.rules.size(); ++i) {
      if (report.rules[i].rule_class == audit::RuleClass::kPending) continue;
      std::cout << audit::RuleJson(report, i, gate.notes).dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    }
  } else {
    std::cout << audit::FindingsText(report, gate.notes) << audit::SummaryText(report);
  }
  std::ostream& messages = options.json ? std::cerr : std::cout;
  for (const std::string& message : gate.messages) messages << message << "\n";
  if (options.json) std::cerr << audit::SummaryText(report);
}

void Run(const Options& options, Context* context) {
  audit::AuditOptions audit_options;
  audit_options.check.literals_exact = options.literals == "exact";
  audit_options.check.infer = options.infer;
  if (absl::Status status = ReadModes(options.modes, &audit_options.check.modes); !status.ok())
    return Fail(context, status.message());
  Gate gate;
  std::vector<audit::Waiver> waivers;
  std::optional<audit::EarlierAudit> earlier;
  std::string text;
  if (!options.waivers.empty()) {
    if (absl::Status status = ReadAll(options.waivers, &text); !status.ok()) return Fail(context, status.message());
    absl::StatusOr<std::vector<audit::Waiver>> parsed = audit::ParseWaivers(text, options.waivers);
    if (!parsed.ok()) return Fail(context, parsed.status().message());
    waivers = *std::move(parsed);
  }
  if (!options.since.empty()) {
    if (absl::Status status = ReadAll(options.since, &text); !status.ok()) return Fail(context, status.message());
    absl::StatusOr<audit::EarlierAudit> parsed = audit::EarlierAudit::Parse(text, options.since);
    if (!parsed.ok()) return Fail(context, parsed.status().message());
    earlier = *std::move(parsed);
  }
  const absl::StatusOr<audit::MesaRules> rules = audit::ReadMesaRules(options.paths, options.back_ends);
  if (!rules.ok()) return Fail(context, rules.status().message());
  const std::string kept = options.verdicts.empty() ? context->db + ".audit" : options.verdicts;
  absl::StatusOr<std::unique_ptr<audit::VerdictFile>> verdicts = audit::VerdictFile::Open(kept);
  if (!verdicts.ok()) return Fail(context, verdicts.status().message());
  verifier::WorkerPoolOptions pool_options;
  pool_options.workers = options.jobs;
  absl::StatusOr<std::unique_ptr<verifier::WorkerPool>> pool = verifier::WorkerPool::Create(pool_options);
  if (!pool.ok()) return Fail(context, pool.status().message());
  verifier::Cvc5Process cvc5{verifier::Cvc5Options{}};
  const verifier::Prover prover(pool->get(), &cvc5, ProverOptionsOf(options, *context));
  audit_options.limits = absl::StrCat("timeout ", options.timeout_ms);
  audit_options.again_if_unknown = options.again;
  audit_options.threads = (*pool)->workers();
  audit_options.stop = context->stop.get_token();
  audit_options.to_json = [](const verifier::CheckedEntry& entry) {
    return ToJson(rpc::ToProto(entry, "", {.explain = true}));
  };
  const auto start = std::chrono::steady_clock::now();
  std::optional<Progress> progress("rewrought audit");
  audit_options.progress = [&](const audit::AuditOptions::Progress& done) {
    progress->Show(ProgressText(done, start));
  };
  const absl::StatusOr<audit::AuditReport> report = audit::Audit(*rules, prover, verdicts->get(), audit_options);
  progress.reset();
  if (!report.ok()) return Fail(context, report.status().message());
  if (earlier.has_value()) Compare(*earlier, *report, &gate);
  if (!options.waivers.empty()) Waive(*report, options.waivers, &waivers, &gate);
  Print(options, *report, gate);
  if (!options.html.empty()) {
    std::ofstream page(options.html, std::ios::binary);
    page << audit::HtmlPage(*report, gate.notes, options.paths[0]);
    page.close();
    if (!page) return Fail(context, absl::StrCat(options.html, ": cannot be written; give another file with --html"));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cerr << absl::StrFormat(
      "rewrought audit: %d rules, %d questions asked and %d cached in %.1f s; verdicts in %s\n", report->rules.size(),
      report->verified, report->cached, seconds, kept);
  if (report->interrupted)
    std::cerr << "rewrought audit: stopped; what was verified is kept, the same command goes on\n";
  context->exit_code = ExitCode(*report, gate, earlier.has_value());
}

}  // namespace

void AddAuditCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command =
      app->add_subcommand("audit", "Is what a driver tree ships right? Verifies every rule of Mesa's rule files");
  command->add_option("PATH", options.paths, "a tree's src/compiler/nir, or rule files; they are run by python3")
      ->required();
  command->add_flag("--back-ends", options.back_ends, "also the tree's other files that import nir_algebraic");
  command->add_flag("--json", options.json, "one JSON object per rule on standard output");
  command->add_option("--html", options.html, "write a page that opens without a server");
  command->add_option("--since", options.since,
                      "JSON lines of an earlier audit: what changed, exit 1 if a rule became refuted");
  command->add_option("--waivers", options.waivers,
                      "refuted rules that are accepted, one per line: RULE or ID  # reason");
  command->add_option("--modes", options.modes, "denormal modes: any, preserve, flush")->default_val("any");
  command
      ->add_option("--literals", options.literals, "0.0 in a search matches either zero (to Mesa 25), or exact (2026)")
      ->check(CLI::IsMember({"either", "exact"}))
      ->default_val("either");
  command->add_flag("--infer", options.infer,
                    "weaker conditions of proved rules, suggested fixes of refuted ones (slow)");
  command->add_option("--timeout-ms", options.timeout_ms, "budget of one solver query");
  command->add_option("--verdicts", options.verdicts,
                      "where verdicts are kept (default: the database's path with .audit)");
  command->add_flag("--again", options.again, "verify again what is cached as unknown");
  command->add_option("--jobs", options.jobs, "solver processes; 0: one per core")->default_val(0);
  AddDatabaseOption(command, context);
  command->footer(
      "Exit codes: 0 nothing refuted, 1 a rule is refuted and not waived (with --since: became refuted), 2 wrong use\n"
      "or a rule file that cannot be read (the others are verified), 3 something is undecided, 130 interrupted; "
      "started\n"
      "again it goes on.\nExamples:\n"
      "  rewrought audit mesa/src/compiler/nir --html audit.html\n"
      "  rewrought audit mesa/src/compiler/nir --back-ends --json > new.json\n"
      "  rewrought audit mesa/src/compiler/nir --since old.json --waivers known.txt");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
