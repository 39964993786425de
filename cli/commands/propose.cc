// rewrought propose: writes patches for a Mesa tree that its maintainers can review.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "audit/patches.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/verify_options.h"
#include "emitter/files/mailbox_patch.h"
#include "emitter/pack_files.h"
#include "proto/names.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  audit::PatchOptions patches;
  std::string out, verdicts;
  bool json = false;
  uint32_t timeout_ms = 0;
  int jobs = 0;
};

// Fails with FailedPrecondition if the folder contains patches, because a shorter series would leave some of them.
absl::Status CheckFolder(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".patch")
      return absl::FailedPreconditionError(
          absl::StrCat(entry.path().string(), " exists; delete the old patches or choose another folder with -o"));
  }
  return absl::OkStatus();
}

// Returns how many rules of the series have each verdict: "12 proved, 4 inexact".
std::string VerdictCounts(const std::vector<audit::AuditedRule>& rules) {
  std::vector<std::string> texts;
  for (const v1::Verdict verdict : audit::kAuditClasses) {
    const auto count = std::count_if(rules.begin(), rules.end(),
                                     [&](const audit::AuditedRule& rule) { return rule.verdict == verdict; });
    if (count > 0) texts.push_back(absl::StrCat(count, " ", NameOf(verdict)));
  }
  return absl::StrJoin(texts, ", ");
}

Json ToJson(const audit::Patch& patch, const std::string& file) {
  Json added = Json::array();
  for (const audit::AuditedRule& rule : patch.added) {
    added.push_back({{"rule", rule.source.Text()},
                     {"condition", rule.source.condition},
                     {"test_status", rule.source.test_status},
                     {"verdict", NameOf(rule.verdict)}});
  }
  return {{"patch", file},
          {"subject", patch.subject},
          {"file", patch.file},
          {"lines", patch.lines},
          {"removed", patch.removed},
          {"message", patch.message},
          {"diff", patch.diff},
          {"added", added}};
}

absl::Status WriteSeries(const audit::PatchSeries& series, const Options& options) {
  std::vector<emitter::NamedFile> files;
  for (size_t i = 0; i < series.patches.size(); ++i) {
    const audit::Patch& patch = series.patches[i];
    const emitter::MailboxPatch mail{patch.subject, patch.message, patch.diff, i + 1, series.patches.size()};
    files.emplace_back(emitter::MailboxFileName(mail), emitter::MailboxText(mail));
    if (options.json) {
      PrintJson(ToJson(patch, files.back().first));
    } else {
      const size_t count = patch.added.size();
      const std::string removed = patch.removed == 0 ? "+" : absl::StrCat(patch.removed, " to ");
      std::cout << files.back().first << "\n    " << patch.file << ":" << absl::StrJoin(patch.lines, ", ") << ": "
                << removed << count << (count == 1 ? " rule" : " rules")
                << (count == 0 ? "" : " (" + VerdictCounts(patch.added) + ")") << "\n";
    }
  }
  return emitter::WriteFiles(options.out, files);
}

void PrintRejected(const audit::PatchSeries& series, bool json) {
  for (const audit::Rejection& rejection : series.rejected) {
    if (json) {
      Json entry = {{"file", rejection.file}, {"rejected", rejection.reason}};
      if (rejection.subject.empty()) {
        entry["line"] = rejection.line;
      } else {
        entry["subject"] = rejection.subject;
      }
      PrintJson(entry);
    } else if (rejection.subject.empty()) {
      std::cout << "not corrected: " << rejection.file << ":" << rejection.line << ": " << rejection.reason << "\n";
    } else {
      std::cout << "not proposed: " << rejection.subject << ": " << rejection.reason << "\n";
    }
  }
}

void Run(Options options, Context* context) {
  if (const absl::Status usable = CheckFolder(options.out); !usable.ok()) return Fail(context, usable.message());
  const std::string kept = options.verdicts.empty() ? context->db + ".audit" : options.verdicts;
  const absl::StatusOr<std::unique_ptr<audit::VerdictFile>> verdicts = audit::VerdictFile::Open(kept);
  if (!verdicts.ok()) return Fail(context, verdicts.status().message());
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({.workers = options.jobs});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  const verifier::Prover prover(*solvers, AuditProverOptions(options.timeout_ms, context->stop.get_token()));
  options.patches.audit.limits = AuditLimits(options.timeout_ms);
  options.patches.audit.threads = solvers->parallel();
  options.patches.audit.stop = context->stop.get_token();
  std::optional<Progress> progress("rewrought propose");
  options.patches.progress = [&](size_t done, size_t all) {
    progress->Show(absl::StrCat("patch ", done, " of ", all, " verified"));
  };
  const absl::StatusOr<audit::PatchSeries> series = audit::ProposePatches(options.patches, prover, verdicts->get());
  progress.reset();
  if (context->stop.stop_requested()) {
    std::cerr << "rewrought propose: stopped; no patch was written, but the verdicts are stored in " << kept << "\n";
    context->exit_code = kInterrupted;
    return;
  }
  if (!series.ok()) return Fail(context, series.status().message());
  if (const absl::Status written = WriteSeries(*series, options); !written.ok())
    return Fail(context, absl::StrCat(written.message(), "; choose another folder with -o"));
  PrintRejected(*series, options.json);
  const bool adds_rules = !options.patches.proposals_file.empty();
  std::cerr << "rewrought propose: wrote " << series->patches.size()
            << (series->patches.size() == 1 ? " patch" : " patches") << " to " << options.out << ", "
            << (adds_rules ? "rejected " : "did not correct ") << series->rejected.size()
            << (adds_rules ? " proposal" : " line") << (series->rejected.size() == 1 ? "" : "s");
  if (!series->patches.empty()) {
    std::error_code error;
    const std::string folder = std::filesystem::absolute(options.out, error).string();
    std::cerr << "; apply them with: git -C " << options.patches.tree << " am " << folder << "/*.patch";
  }
  std::cerr << "\n";
  context->exit_code = series->patches.empty() ? kNo : kYes;
}

}  // namespace

void AddProposeCommand(CLI::App* command, Context* context) {
  static Options options;
  CLI::Option_group* const task = command->add_option_group("task", "one of these is required");
  task->require_option(1);
  CLI::Option* const fix =
      task->add_option("--fix", options.patches.audit_file,
                       "output of `rewrought audit --suggest-fixes --json`: correct the rules that it refutes");
  CLI::Option* const add =
      task->add_option("--add", options.patches.proposals_file,
                       "TOML file with proposals: write one patch for each (docs/commands.md, section 11)");
  command->add_option("--tree", options.patches.tree, "root of the Mesa tree")->required();
  command->add_option("-o,--out", options.out, "folder for the patches")->required();
  command
      ->add_option("--causes", options.patches.causes_file,
                   "with --fix: TOML file that groups lines into commits, explains them, and describes edits that the "
                   "audit does not suggest (docs/commands.md, section 11)")
      ->needs(fix);
  command->add_option("--lines", options.patches.lines, "with --fix: correct only the rules at these lines: 862,863")
      ->delimiter(',')
      ->needs(fix);
  command
      ->add_option(
          "--measured", options.patches.measured,
          "with --add: folder with the results of tools/driver_rig/series for these patches, which become part "
          "of the messages; omit proposals that help no driver or are an unexplained loss for any driver")
      ->needs(add);
  AddJsonOption(command, &options.json,
                "one JSON object per patch, and per line that is not corrected or proposal that is rejected");
  command->add_option("--timeout-ms", options.timeout_ms, "time limit of each solver query");
  command->add_option("--verdicts", options.verdicts,
                      "file that stores the verdicts (default: the --db path plus .audit)");
  command->add_option("--jobs", options.jobs, "number of solver processes; 0: one per core")->default_val(0);
  AddDatabaseOption(command, context);
  command->footer(
      "Runs the changed rule files with python3, and verifies every rule that a patch adds. --fix omits rules whose\n"
      "test status is not PASS, lowerings, and rules that are wrong only at 1 bit. --add omits proposals with a rule\n"
      "that is neither proved nor inexact with ~, or that never applies because of an earlier rule.\n"
      "Exit codes: 0 at least one patch, 1 none, 2 usage error or bad input, 130 interrupted.\n"
      "Examples:\n"
      "  rewrought audit mesa/src/compiler/nir --suggest-fixes --json > audit.jsonl\n"
      "  rewrought propose --fix audit.jsonl --tree mesa -o series\n"
      "  rewrought propose --fix audit.jsonl --tree mesa --lines 1485,1486 -o series\n"
      "  rewrought propose --add proposals.toml --tree mesa -o series\n"
      "  tools/driver_rig/series --patches series --driver ir3-a630 --shaders corpus --build rig --out measured\n"
      "  rewrought propose --add proposals.toml --tree mesa --measured measured -o final");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
