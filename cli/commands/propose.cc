// rewrought propose: writes patches for a Mesa tree that its maintainers can review.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "audit/fixes.h"
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
  audit::FixOptions fix;
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

Json ToJson(const audit::Fix& fix, const std::string& file) {
  Json corrected = Json::array();
  for (const audit::AuditedRule& rule : fix.corrected) {
    corrected.push_back({{"rule", rule.source.Text()},
                         {"condition", rule.source.condition},
                         {"test_status", rule.source.test_status},
                         {"verdict", NameOf(rule.verdict)}});
  }
  return {{"patch", file},          {"subject", fix.subject}, {"file", fix.file}, {"lines", fix.lines},
          {"removed", fix.removed}, {"message", fix.message}, {"diff", fix.diff}, {"corrected", corrected}};
}

absl::Status WriteSeries(const audit::Fixes& fixes, const Options& options) {
  std::vector<emitter::NamedFile> files;
  for (size_t i = 0; i < fixes.series.size(); ++i) {
    const audit::Fix& fix = fixes.series[i];
    const emitter::MailboxPatch patch{fix.subject, fix.message, fix.diff, i + 1, fixes.series.size()};
    files.emplace_back(emitter::MailboxFileName(patch), emitter::MailboxText(patch));
    if (options.json) {
      PrintJson(ToJson(fix, files.back().first));
    } else {
      const size_t count = fix.corrected.size();
      std::cout << files.back().first << "\n    " << fix.file << ":" << absl::StrJoin(fix.lines, ", ") << ": "
                << fix.removed << " to " << count << (count == 1 ? " rule" : " rules")
                << (count == 0 ? "" : " (" + VerdictCounts(fix.corrected) + ")") << "\n";
    }
  }
  return emitter::WriteFiles(options.out, files);
}

void PrintUncorrected(const audit::Fixes& fixes, bool json) {
  for (const audit::UncorrectedLine& line : fixes.uncorrected) {
    if (json) {
      PrintJson({{"file", line.file}, {"line", line.line}, {"uncorrected", line.reason}});
    } else {
      std::cout << "not corrected: " << line.file << ":" << line.line << ": " << line.reason << "\n";
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
  options.fix.audit.limits = AuditLimits(options.timeout_ms);
  options.fix.audit.threads = solvers->parallel();
  options.fix.audit.stop = context->stop.get_token();
  std::optional<Progress> progress("rewrought propose");
  options.fix.progress = [&](size_t done, size_t all) {
    progress->Show(absl::StrCat("patch ", done, " of ", all, " verified"));
  };
  const absl::StatusOr<audit::Fixes> fixes = audit::ProposeFixes(options.fix, prover, verdicts->get());
  progress.reset();
  if (context->stop.stop_requested()) {
    std::cerr << "rewrought propose: stopped; no patch was written, but the verdicts are stored in " << kept << "\n";
    context->exit_code = kInterrupted;
    return;
  }
  if (!fixes.ok()) return Fail(context, fixes.status().message());
  if (const absl::Status written = WriteSeries(*fixes, options); !written.ok())
    return Fail(context, absl::StrCat(written.message(), "; choose another folder with -o"));
  PrintUncorrected(*fixes, options.json);
  std::cerr << "rewrought propose: " << fixes->series.size() << " patches in " << options.out << ", "
            << fixes->uncorrected.size() << " lines not corrected";
  if (!fixes->series.empty()) {
    std::error_code error;
    const std::string folder = std::filesystem::absolute(options.out, error).string();
    std::cerr << "; apply them with: git -C " << options.fix.tree << " am " << folder << "/*.patch";
  }
  std::cerr << "\n";
  context->exit_code = fixes->series.empty() ? kNo : kYes;
}

}  // namespace

void AddProposeCommand(CLI::App* command, Context* context) {
  static Options options;
  command
      ->add_option("--fix", options.fix.audit_file,
                   "output of `rewrought audit --suggest-fixes --json`: correct the rules that it refutes")
      ->required();
  command->add_option("--tree", options.fix.tree, "root of the Mesa tree that was audited")->required();
  command->add_option("-o,--out", options.out, "folder for the patches")->required();
  command->add_option(
      "--causes", options.fix.causes_file,
      "TOML file that groups lines into commits, explains them, and describes edits that the audit does "
      "not suggest (docs/commands.md, section 11)");
  command->add_option("--lines", options.fix.lines, "correct only the rules at these lines: 862,863")->delimiter(',');
  AddJsonOption(command, &options.json, "one JSON object per patch and per line that is not corrected");
  command->add_option("--timeout-ms", options.timeout_ms, "time limit of each solver query");
  command->add_option("--verdicts", options.verdicts,
                      "file that stores the verdicts (default: the --db path plus .audit)");
  command->add_option("--jobs", options.jobs, "number of solver processes; 0: one per core")->default_val(0);
  AddDatabaseOption(command, context);
  command->footer(
      "Omits rules whose test status is not PASS, lowerings, and rules that are wrong only at 1 bit. Runs the changed\n"
      "rule files with python3, and verifies every rule that a patch adds. Exit codes: 0 at least one patch, 1 none,\n"
      "2 usage error or bad input, 130 interrupted.\n"
      "Examples:\n"
      "  rewrought audit mesa/src/compiler/nir --suggest-fixes --json > audit.jsonl\n"
      "  rewrought propose --fix audit.jsonl --tree mesa -o series\n"
      "  rewrought propose --fix audit.jsonl --tree mesa --lines 1485,1486 -o series");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
