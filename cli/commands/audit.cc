// rewrought audit: verifies every rule of a Mesa tree.
#include "audit/audit.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "audit/audit.h"
#include "audit/audit_changes.h"
#include "audit/ci_report.h"
#include "audit/record/tree_verdicts.h"
#include "audit/report.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/verify_options.h"
#include "emitter/pack_files.h"
#include "proto/names.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool json = false, infer = false, suggest_fixes = false, back_ends = false, again = false;
  std::string modes = "any", literals = "either", since, waivers, html, verdicts;
  std::string record, offline, since_record, junit, code_quality, sarif;
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

absl::StatusOr<audit::TreeVerdicts> ReadTreeVerdicts(const std::string& path, Changes* changes) {
  const absl::StatusOr<std::string> text = ReadInput(path, proto::kTreeVerdictLimits);
  if (!text.ok()) return text.status();
  absl::StatusOr<audit::TreeVerdicts> verdicts = audit::TreeVerdicts::Parse(*text, path);
  if (verdicts.ok() && verdicts->unsorted_line() > 0) {
    changes->messages.push_back(absl::StrCat(path, ":", verdicts->unsorted_line(),
                                             ": warning: the lines are not sorted, as after a merge; `rewrought audit "
                                             "--record` sorts them"));
  }
  return verdicts;
}

// Notes the refuted rules that `before` lists, names the missing verdicts, and counts the verdicts that `before` lacks.
void CompareOffline(const Options& options, const audit::AuditReport& report, const audit::TreeVerdicts& now,
                    const audit::TreeVerdicts& before, Changes* changes) {
  const std::string& before_path = options.since_record.empty() ? options.offline : options.since_record;
  size_t recorded = 0, added = 0, asked = 0;
  for (const audit::AuditedRule& rule : report.rules) {
    const bool is_known = rule.verdict == v1::VERDICT_REFUTED && before.ListsAsRefuted(rule.source.Id());
    changes->notes.known.push_back(is_known ? "listed as refuted in " + before_path : "");
    asked += rule.key.empty() ? 0 : 1;
    if (rule.offline == "recorded") {
      ++recorded;
      added += before.ClassOf(audit::ShortKey(rule.key)) == v1::VERDICT_UNSPECIFIED ? 1 : 0;
    }
    if (rule.offline != "missing") continue;
    changes->messages.push_back(absl::StrCat(
        "missing: ", rule.source.file, ":", rule.source.line, " ", rule.source.Text(), "; run `rewrought audit ",
        absl::StrJoin(options.paths, " "), " --record ", options.offline, "` on a machine with Z3"));
  }
  const auto count = std::count_if(changes->notes.known.begin(), changes->notes.known.end(),
                                   [](const std::string& why) { return !why.empty(); });
  if (count > 0) changes->messages.push_back(absl::StrCat(count, " refuted rules are listed in ", before_path));
  if (added > 0) {
    changes->messages.push_back(
        absl::StrCat(added, " rules have a verdict in ", options.offline, " that ", before_path, " lacks"));
  }
  if (recorded == 0 && asked > 0 && now.size() > 0) {
    changes->messages.push_back(
        absl::StrCat(options.offline, " has no verdict for any of these ", asked,
                     " rules; use the options with which it was recorded (--modes, --literals, --timeout-ms), or "
                     "record it with this version"));
  }
}

// Writes the verdict file.
absl::Status Record(const std::string& path, const audit::AuditReport& report) {
  if (report.interrupted || !report.unreadable.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is not written, because some rules were not read or not verified; run the command again ",
                     report.interrupted ? "to resume the audit" : "when all files can be read"));
  }
  const audit::TreeVerdicts record = audit::RecordOf(report);
  if (absl::Status status = emitter::WriteFile(path, record.Text()); !status.ok())
    return absl::UnavailableError(absl::StrCat(status.message(), "; choose another file with --record"));
  const auto without = std::count_if(report.rules.begin(), report.rules.end(), [](const audit::AuditedRule& rule) {
    return rule.verdict == v1::VERDICT_PROVED && !rule.queries.has_value();
  });
  std::cerr << absl::StrFormat("rewrought audit: wrote %d verdicts to %s\n", record.size(), path);
  if (without > 0) {
    std::cerr << absl::StrFormat(
        "rewrought audit: the stored answers of %d proved rules have no queries, so another version cannot derive\n"
        "their verdicts from the file; name a new file with --verdicts to verify the rules again\n",
        without);
  }
  return absl::OkStatus();
}

absl::Status WriteReports(const Options& options, const audit::AuditReport& report, const audit::ReportNotes& notes) {
  const auto write = [](const std::string& path, const char* option, const auto& text_of) {
    if (path.empty()) return absl::OkStatus();
    const absl::Status written = emitter::WriteFile(path, text_of());
    if (written.ok()) return written;
    return absl::UnavailableError(absl::StrCat(written.message(), "; choose another file with ", option));
  };
  absl::Status status = write(options.html, "--html", [&] { return audit::HtmlPage(report, notes, options.paths[0]); });
  status.Update(write(options.junit, "--junit", [&] { return audit::JUnitXml(report, notes); }));
  status.Update(write(options.code_quality, "--code-quality", [&] { return audit::CodeQualityJson(report, notes); }));
  status.Update(write(options.sarif, "--sarif", [&] { return audit::SarifJson(report, notes); }));
  return status;
}

// Returns the exit code of an offline audit. A listed verdict does not fail the run, unless it refutes a rule that is
// neither known nor waived.
int OfflineExitCode(const audit::AuditReport& report, const Changes& changes) {
  if (!report.unreadable.empty()) return kBadInput;
  bool missing = false;
  for (size_t i = 0; i < report.rules.size(); ++i) {
    if (report.rules[i].verdict == v1::VERDICT_REFUTED && changes.notes.WhyAccepted(i).empty()) return kNo;
    missing = missing || report.rules[i].offline == "missing";
  }
  return missing ? kUndecided : kYes;
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
  absl::StatusOr<std::vector<ir::DenormMode>> modes = ReadModes("--modes", options.modes);
  if (!modes.ok()) return Fail(context, modes.status().message());
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
  std::optional<audit::TreeVerdicts> recorded, before;
  for (const auto& [path, verdicts] :
       {std::pair(options.offline, &recorded), std::pair(options.since_record, &before)}) {
    if (path.empty()) continue;
    absl::StatusOr<audit::TreeVerdicts> parsed = ReadTreeVerdicts(path, &changes);
    if (!parsed.ok()) return Fail(context, parsed.status().message());
    *verdicts = *std::move(parsed);
  }
  const bool offline = recorded.has_value();
  const absl::StatusOr<audit::MesaRules> rules = audit::ReadMesaRules(options.paths, options.back_ends);
  if (!rules.ok()) return Fail(context, rules.status().message());
  // An offline audit opens no file of stored verdicts and no solvers.
  std::string kept = options.verdicts.empty() ? context->db + ".audit" : options.verdicts;
  if (offline) kept.clear();
  absl::StatusOr<std::unique_ptr<audit::VerdictFile>> verdicts = audit::VerdictFile::Open(kept);
  if (!verdicts.ok()) return Fail(context, verdicts.status().message());
  const absl::StatusOr<verifier::Solvers> solvers =
      offline ? verifier::Solvers() : verifier::OpenSolvers({.workers = options.jobs});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  const verifier::Prover prover(*solvers, AuditProverOptions(options.timeout_ms, context->stop.get_token()));
  audit_options.limits = AuditLimits(options.timeout_ms);
  audit_options.again_if_unknown = options.again;
  audit_options.offline = offline ? &*recorded : nullptr;
  audit_options.known_refuted = before.has_value() ? &*before : audit_options.offline;
  audit_options.threads = solvers->parallel();
  if (offline) {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    audit_options.threads = options.jobs > 0 ? options.jobs : std::max(1, cores);
  }
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
  if (offline) CompareOffline(options, *report, *recorded, before.has_value() ? *before : *recorded, &changes);
  Print(options, *report, changes);
  absl::Status written = WriteReports(options, *report, changes.notes);
  if (written.ok() && !options.record.empty()) written = Record(options.record, *report);
  if (!written.ok()) return Fail(context, written.message());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cerr << absl::StrFormat(
      "rewrought audit: %d rules, %d verified and %d %s in %.1f s; dialect %s; verdicts in %s\n", report->rules.size(),
      report->verified, report->cached, offline ? "recorded" : "cached", seconds, ir::NameOf(rules->dialect),
      offline ? options.offline : kept);
  if (report->interrupted) {
    std::cerr << (offline ? "rewrought audit: stopped\n"
                          : "rewrought audit: stopped; the verdicts are stored, and the same command resumes\n");
  }
  context->exit_code = offline ? OfflineExitCode(*report, changes) : ExitCode(*report, changes, earlier.has_value());
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
  AddModesOption(command, &options.modes);
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
  CLI::Option* const record = command->add_option(
      "--record", options.record, "write the verdicts of all rules to this file, which can be committed to the tree");
  CLI::Option* const offline = command
                                   ->add_option("--offline", options.offline,
                                                "check the tree against a file that --record wrote, without solvers")
                                   ->excludes(record);
  command
      ->add_option("--since-record", options.since_record,
                   "the --offline file before the change; a refuted rule fails the run unless this file lists it")
      ->needs(offline);
  for (const char* const needs_solver : {"--since", "--verdicts", "--suggest-fixes", "--infer", "--again"})
    offline->excludes(command->get_option(needs_solver));
  command->add_option("--junit", options.junit, "write a JUnit XML report");
  command->add_option("--code-quality", options.code_quality, "write a GitLab Code Quality report");
  command->add_option("--sarif", options.sarif, "write a SARIF 2.1.0 report");
  AddDatabaseOption(command, context);
  AddUntilEofOption(command, context);
  command->footer(
      "Exit codes: 0 no rule refuted, 1 a rule is refuted and not waived, 2 usage error or unreadable rule file\n"
      "(other files are still checked), 3 a rule is unknown or unsupported, 130 interrupted. With --since, 1 and 3\n"
      "apply only to new findings.\n"
      "With --offline: 1 a rule is refuted but neither listed as refuted nor waived; 3 a verdict is missing.\n"
      "Running the same command again resumes an interrupted audit.\n"
      "Examples:\n"
      "  rewrought audit mesa/src/compiler/nir --suggest-fixes --html audit.html\n"
      "  rewrought audit mesa/src/compiler/nir --back-ends --json > new.json\n"
      "  rewrought audit mesa/src/compiler/nir --since old.json --waivers known.txt\n"
      "  rewrought audit mesa/src/compiler/nir --record mesa/rule-verdicts.txt\n"
      "  rewrought audit mesa/src/compiler/nir --offline mesa/rule-verdicts.txt --junit junit.xml");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
