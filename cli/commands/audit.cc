// rewrought audit: verifies every rule of a Mesa tree.
#include "audit/audit.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "audit/audit.h"
#include "audit/audit_changes.h"
#include "audit/report.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/verify_options.h"
#include "emitter/pack_files.h"
#include "proto/names.h"
#include "verifier/message/verdict_message.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool json = false, infer = false, suggest_fixes = false, back_ends = false, again = false;
  std::string modes = "any", literals = "either", since, waivers, html, verdicts;
  uint32_t timeout_ms = 0;
  int jobs = 0;
};

std::string ProgressText(const audit::AuditOptions::Progress& progress, std::chrono::steady_clock::time_point start) {
  std::string text = absl::StrFormat("%d of %d rules", progress.done, progress.all);
  for (const v1::Verdict verdict : audit::kAuditClasses) {
    const auto count = progress.by_class.find(verdict);
    if (count != progress.by_class.end()) absl::StrAppend(&text, ", ", count->second, " ", NameOf(verdict));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double rate = static_cast<double>(progress.done - progress.cached) / std::max(seconds, 0.001);
  return absl::StrCat(text, absl::StrFormat("; %d cached, %.1f per second", progress.cached, rate));
}

// The changes since a previous audit (--since), the waived rules (--waivers), and messages about both.
struct Changes {
  audit::ReportNotes notes;
  std::vector<size_t> newly_refuted, newly_undecided;
  std::vector<std::string> messages;
};

bool IsUndecided(v1::Verdict verdict) { return verdict == v1::VERDICT_UNKNOWN || verdict == v1::VERDICT_UNSUPPORTED; }

void Compare(const audit::EarlierAudit& earlier, const audit::AuditReport& report, Changes* changes) {
  for (size_t i = 0; i < report.rules.size(); ++i) {
    const audit::AuditedRule& rule = report.rules[i];
    const std::string now(NameOf(rule.verdict)), was = earlier.ClassOf(rule.source);
    changes->notes.was.push_back(was.empty() ? "new" : was);
    if (was == now || rule.verdict == v1::VERDICT_UNSPECIFIED) continue;
    if (rule.verdict == v1::VERDICT_REFUTED) changes->newly_refuted.push_back(i);
    if (IsUndecided(rule.verdict) && was != "unknown" && was != "unsupported") changes->newly_undecided.push_back(i);
    changes->messages.push_back(absl::StrCat(rule.source.file, ":", rule.source.line, ": ", changes->notes.was.back(),
                                             " -> ", now, ": ", rule.source.Text()));
  }
  for (const std::string& gone : earlier.RemovedRules(report)) changes->messages.push_back("gone: " + gone);
}

void Waive(const audit::AuditReport& report, const std::string& file, std::vector<audit::Waiver>* waivers,
           Changes* changes) {
  changes->notes.waived.resize(report.rules.size());
  const std::vector<int> waived = audit::ApplyWaivers(report, waivers);
  for (size_t i = 0; i < waived.size(); ++i) {
    if (waived[i] >= 0) changes->notes.waived[i] = (*waivers)[static_cast<size_t>(waived[i])].reason;
  }
  for (const audit::Waiver& waiver : *waivers) {
    if (waiver.used || report.interrupted) continue;
    changes->messages.push_back(
        absl::StrCat(file, ":", waiver.line,
                     ": stale waiver: ", waiver.known ? "the rule is not refuted" : "no such rule", ": ", waiver.what));
  }
}

int ExitCode(const audit::AuditReport& report, const Changes& changes, bool since) {
  if (!report.unreadable.empty()) return kBadInput;
  const auto is_waived = [&](size_t i) { return i < changes.notes.waived.size() && !changes.notes.waived[i].empty(); };
  bool refuted = false, undecided = false;
  if (since) {
    for (const size_t i : changes.newly_refuted) refuted = refuted || !is_waived(i);
    undecided = !changes.newly_undecided.empty();
  } else {
    for (size_t i = 0; i < report.rules.size(); ++i) {
      refuted = refuted || (report.rules[i].verdict == v1::VERDICT_REFUTED && !is_waived(i));
      undecided = undecided || IsUndecided(report.rules[i].verdict);
    }
  }
  return refuted ? kNo : undecided ? kUndecided : kYes;
}

void Print(const Options& options, const audit::AuditReport& report, const Changes& changes) {
  if (options.json) {
    for (size_t i = 0; i < report.rules.size(); ++i) {
      if (report.rules[i].verdict == v1::VERDICT_UNSPECIFIED) continue;
      PrintJson(audit::RuleJson(report, i, changes.notes));
    }
  } else {
    std::cout << audit::FindingsText(report, changes.notes) << audit::SummaryText(report);
  }
  std::ostream& messages = options.json ? std::cerr : std::cout;
  for (const std::string& message : changes.messages) messages << message << "\n";
  if (options.json) std::cerr << audit::SummaryText(report);
}

void Run(const Options& options, Context* context) {
  audit::AuditOptions audit_options;
  audit_options.check.literals_exact = options.literals == "exact";
  audit_options.suggest_fixes = options.suggest_fixes || options.infer;
  audit_options.find_weaker = options.infer;
  absl::StatusOr<std::vector<ir::DenormMode>> modes = verifier::ParseModes(options.modes);
  if (!modes.ok()) return Fail(context, absl::StrCat("--modes ", options.modes, ": ", modes.status().message()));
  audit_options.check.modes = *std::move(modes);
  Changes changes;
  std::vector<audit::Waiver> waivers;
  std::optional<audit::EarlierAudit> earlier;
  if (!options.waivers.empty()) {
    const absl::StatusOr<std::string> text = ReadInput(options.waivers, proto::kTextProtoLimits);
    if (!text.ok()) return Fail(context, text.status().message());
    absl::StatusOr<std::vector<audit::Waiver>> parsed = audit::ParseWaivers(*text, options.waivers);
    if (!parsed.ok()) return Fail(context, parsed.status().message());
    waivers = *std::move(parsed);
  }
  if (!options.since.empty()) {
    const absl::StatusOr<std::string> text = ReadInput(options.since, proto::kJsonLimits);
    if (!text.ok()) return Fail(context, text.status().message());
    absl::StatusOr<audit::EarlierAudit> parsed = audit::EarlierAudit::Parse(*text, options.since);
    if (!parsed.ok()) return Fail(context, parsed.status().message());
    earlier = *std::move(parsed);
  }
  const absl::StatusOr<audit::MesaRules> rules = audit::ReadMesaRules(options.paths, options.back_ends);
  if (!rules.ok()) return Fail(context, rules.status().message());
  const std::string kept = options.verdicts.empty() ? context->db + ".audit" : options.verdicts;
  absl::StatusOr<std::unique_ptr<audit::VerdictFile>> verdicts = audit::VerdictFile::Open(kept);
  if (!verdicts.ok()) return Fail(context, verdicts.status().message());
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({.workers = options.jobs});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  const verifier::Prover prover(*solvers, AuditProverOptions(options.timeout_ms, context->stop.get_token()));
  audit_options.limits = AuditLimits(options.timeout_ms);
  audit_options.again_if_unknown = options.again;
  audit_options.threads = solvers->parallel();
  audit_options.stop = context->stop.get_token();
  const auto start = std::chrono::steady_clock::now();
  std::optional<Progress> progress("rewrought audit");
  audit_options.progress = [&](const audit::AuditOptions::Progress& done) {
    progress->Show(ProgressText(done, start));
  };
  const absl::StatusOr<audit::AuditReport> report = audit::Audit(*rules, prover, verdicts->get(), audit_options);
  progress.reset();
  if (!report.ok()) return Fail(context, report.status().message());
  if (earlier.has_value()) Compare(*earlier, *report, &changes);
  if (!options.waivers.empty()) Waive(*report, options.waivers, &waivers, &changes);
  Print(options, *report, changes);
  if (!options.html.empty()) {
    const absl::Status written =
        emitter::WriteFile(options.html, audit::HtmlPage(*report, changes.notes, options.paths[0]));
    if (!written.ok()) return Fail(context, absl::StrCat(written.message(), "; choose another file with --html"));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cerr << absl::StrFormat(
      "rewrought audit: %d rules, %d verified and %d cached in %.1f s; dialect %s; verdicts in %s\n",
      report->rules.size(), report->verified, report->cached, seconds, ir::NameOf(rules->dialect), kept);
  if (report->interrupted)
    std::cerr << "rewrought audit: stopped; the verdicts are stored, and the same command resumes\n";
  context->exit_code = ExitCode(*report, changes, earlier.has_value());
}

}  // namespace

void AddAuditCommand(CLI::App* command, Context* context) {
  static Options options;
  command
      ->add_option("PATH", options.paths,
                   "src/compiler/nir of a Mesa tree, or rule files in it; python3 runs the files")
      ->required();
  command->add_flag("--back-ends", options.back_ends, "also check the tree's other files that import nir_algebraic");
  AddJsonOption(command, &options.json, "one JSON object per rule");
  command->add_option("--html", options.html, "write the findings to this self-contained HTML file");
  command->add_option(
      "--since", options.since,
      "output of an earlier `audit --json`: report the changes, and exit with 1 if a rule became refuted");
  command->add_option("--waivers", options.waivers,
                      "file of accepted refuted rules, one per line: RULE or ID  # reason");
  command
      ->add_option("--modes", options.modes,
                   "denormal modes: any (may or may not be flushed), preserve, flush, or a list: any,flush")
      ->default_val("any");
  command
      ->add_option("--literals", options.literals,
                   "for trees up to Mesa 25: with either, a literal zero in a search matches both zeros; with exact, "
                   "only the zero with its own sign")
      ->check(CLI::IsMember({"either", "exact"}))
      ->default_val("either");
  command->add_flag("--suggest-fixes", options.suggest_fixes, "look for changes that make refuted rules hold");
  command->add_flag("--infer", options.infer,
                    "also report conditions that proved rules do not need (slow); implies --suggest-fixes");
  command->add_option("--timeout-ms", options.timeout_ms, "time limit of each solver query");
  command->add_option("--verdicts", options.verdicts,
                      "file that stores the verdicts (default: the --db path plus .audit)");
  command->add_flag("--again", options.again, "verify rules again if their stored verdict is unknown");
  command->add_option("--jobs", options.jobs, "number of solver processes; 0: one per core")->default_val(0);
  AddDatabaseOption(command, context);
  command->footer(
      "Exit codes: 0 no rule refuted, 1 a rule is refuted and not waived (with --since: newly refuted), 2 usage\n"
      "error or unreadable rule file (other files are still checked), 3 a rule is unknown, 130 interrupted.\n"
      "Running the same command again resumes an interrupted audit.\n"
      "Examples:\n"
      "  rewrought audit mesa/src/compiler/nir --suggest-fixes --html audit.html\n"
      "  rewrought audit mesa/src/compiler/nir --back-ends --json > new.json\n"
      "  rewrought audit mesa/src/compiler/nir --since old.json --waivers known.txt");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
