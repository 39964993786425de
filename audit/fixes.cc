#include "audit/fixes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "audit/fixes_script.h"
#include "audit/mesa_rules.h"
#include "audit/script.h"
#include "emitter/files/scratch_folder.h"
#include "emitter/pack_files.h"
#include "proto/json_text.h"
#include "proto/names.h"
#include "proto/read_file.h"

namespace rewrought::audit {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kPlanSeconds = 300, kHistorySeconds = 120;
constexpr char kNirFolder[] = "compiler/nir";
constexpr char kCommitMark[] = "\x01";  // begins each commit in the output of git

// A commit that the script planned.
struct PlannedCommit {
  Fix fix;
  std::string content;        // The file after this and all previous commits.
  std::set<std::string> ids;  // The refuted rules of its lines.
};

struct Plan {
  std::vector<PlannedCommit> commits;
  std::vector<UncorrectedLine> skipped;
};

bool IsInsideTree(const std::string& file) {
  const fs::path path(file);
  return !path.is_absolute() && std::find(path.begin(), path.end(), "..") == path.end();
}

absl::StatusOr<Plan> ReadPlan(const std::string& output) {
  Plan plan;
  for (const absl::string_view line : absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    const Json entry = proto::ParseJson(line);
    if (entry.contains("error")) return absl::InvalidArgumentError(entry["error"].get<std::string>());
    if (entry.contains("skipped")) {
      const Json& skipped = entry["skipped"];
      plan.skipped.push_back({skipped["file"], skipped["line"], skipped["reason"]});
    } else if (entry.contains("commit")) {
      const Json& commit = entry["commit"];
      PlannedCommit planned;
      planned.fix.subject = commit["subject"];
      planned.fix.message = commit["text"];
      planned.fix.file = commit["file"];
      planned.fix.lines = commit["lines"].get<std::vector<int>>();
      planned.fix.diff = commit["diff"];
      planned.content = commit["content"];
      planned.ids = commit["ids"].get<std::set<std::string>>();
      if (!IsInsideTree(planned.fix.file))
        return absl::InvalidArgumentError(absl::StrCat(planned.fix.file, ": not a file inside the tree's src"));
      plan.commits.push_back(std::move(planned));
    } else {
      return absl::InternalError(absl::StrCat("unexpected output of plan_fixes.py: ", line.substr(0, 300)));
    }
  }
  return plan;
}

// States the verdicts of the rules that a commit adds, and what it does to other rules.
std::string VerdictText(const Fix& fix, size_t refuted) {
  const auto inexact =
      static_cast<size_t>(std::count_if(fix.corrected.begin(), fix.corrected.end(),
                                        [](const AuditedRule& rule) { return rule.verdict == v1::VERDICT_INEXACT; }));
  const size_t proved = fix.corrected.size() - inexact;
  const auto rules = [](size_t count) { return absl::StrCat(count, count == 1 ? " rule" : " rules"); };
  std::string text = fix.corrected.empty() ? absl::StrCat("This change removes ", rules(fix.removed), ".")
                                           : absl::StrCat("This change replaces ", rules(fix.removed), ".");
  if (fix.removed > refuted) absl::StrAppend(&text, "\nNot refuted among these: ", rules(fix.removed - refuted), ".");
  if (proved > 0) absl::StrAppend(&text, "\nRewrought proves ", rules(proved), " at all sizes that they allow.");
  if (inexact > 0)
    absl::StrAppend(&text, "\nRewrought proves that, with ~, the sides of ", rules(inexact),
                    " are equal over the\nreal numbers.");
  return text;
}

// Returns whether a diff of one file (`git log -p`) adds the line in a hunk that removes nothing.
bool AddsLine(absl::string_view diff, absl::string_view line) {
  bool adds = false, removes = false;
  for (const absl::string_view text : absl::StrSplit(diff, '\n')) {
    if (absl::StartsWith(text, "@@")) {
      if (adds && !removes) return true;
      adds = removes = false;
    } else if (absl::StartsWith(text, "+")) {
      adds = adds || absl::StripAsciiWhitespace(text.substr(1)) == line;
    } else if (absl::StartsWith(text, "-")) {
      removes = true;
    }
  }
  return adds && !removes;
}

class Proposer {
 public:
  Proposer(const FixOptions& options, const verifier::Prover& prover, VerdictFile* verdicts)
      : options_(options),
        source_(fs::path(options.tree) / "src"),
        prover_(prover),
        verdicts_(verdicts),
        scratch_(TemporaryFolder(), "rewrought-fixes-") {}

  absl::StatusOr<Fixes> Run() {
    if (!scratch_.made()) return absl::UnavailableError("no temporary folder can be created; set TMPDIR");
    std::error_code error;
    if (!fs::is_regular_file(source_ / kNirFolder / "nir_algebraic.py", error))
      return absl::NotFoundError(absl::StrCat(options_.tree, ": no src/", kNirFolder,
                                              "/nir_algebraic.py here; specify the root of a Mesa tree with --tree"));
    Fixes fixes;
    std::vector<UncorrectedLine> rejected;
    absl::StatusOr<Plan> plan = MakePlan();
    while (plan.ok() && fixes.series.size() < plan->commits.size()) {
      PlannedCommit& commit = plan->commits[fixes.series.size()];
      const absl::StatusOr<std::optional<std::string>> reason = Check(&commit);
      if (!reason.ok()) return reason.status();
      if (reason->has_value()) {
        if (commit.fix.lines.empty())
          return absl::InternalError(absl::StrCat("a planned commit corrects no line: ", commit.fix.subject));
        for (const int line : commit.fix.lines) {
          rejected.push_back({commit.fix.file, line, **reason});
          without_.push_back(absl::StrCat(commit.fix.file, ":", line));
        }
        // Later commits contain the rejected edits. The earlier commits remain the same.
        plan = MakePlan();
        continue;
      }
      CompleteMessage(&commit);
      fixes.series.push_back(std::move(commit.fix));
      if (options_.progress) options_.progress(fixes.series.size(), plan->commits.size());
    }
    if (!plan.ok()) return plan.status();
    fixes.uncorrected = std::move(plan->skipped);
    fixes.uncorrected.insert(fixes.uncorrected.end(), rejected.begin(), rejected.end());
    return fixes;
  }

 private:
  static std::string TemporaryFolder() {
    std::error_code error;
    return fs::temp_directory_path(error).string();
  }

  absl::StatusOr<Plan> MakePlan() const {
    std::vector<std::string> arguments = {source_.string(), options_.audit_file};
    const auto add = [&](const char* option, const std::string& value) {
      if (!value.empty()) arguments.insert(arguments.end(), {option, value});
    };
    add("--causes", options_.causes_file);
    add("--lines", absl::StrJoin(options_.lines, ","));
    add("--without", absl::StrJoin(without_, ","));
    const auto result = RunScript(FixesScript()[0], arguments, kPlanSeconds);
    if (!result.ok()) return result.status();
    if (result->exit_code != 0 || result->timed_out)
      return absl::InternalError(absl::StrCat("plan_fixes.py failed: ", result->output));
    return ReadPlan(result->output);
  }

  // Appends the verdicts and the "Fixes:" tags to the message.
  void CompleteMessage(PlannedCommit* commit) const {
    std::string* const message = &commit->fix.message;
    absl::StrAppend(message, message->empty() ? "" : "\n\n", VerdictText(commit->fix, commit->ids.size()));
    const std::vector<std::string> tags = FixesTags(commit->fix);
    if (!tags.empty()) absl::StrAppend(message, "\n\n", absl::StrJoin(tags, "\n"));
  }

  // Fills in the verdicts of `commit`. Returns the reason for rejecting it, or nullopt.
  absl::StatusOr<std::optional<std::string>> Check(PlannedCommit* commit) {
    Fix& fix = commit->fix;
    if (!rules_.contains(fix.file)) {
      CopyScripts(kNirFolder);
      CopyScripts(fs::path(fix.file).parent_path());
      absl::StatusOr<MesaRules> original = Import(fix.file);
      if (!original.ok()) return original.status();
      rules_[fix.file] = *std::move(original);
    }
    if (commit->ids.empty()) return "the audit refutes no rule of this line";
    std::set<std::string> present;
    for (const MesaRule& rule : rules_[fix.file].rules) present.insert(rule.Id());
    if (!std::includes(present.begin(), present.end(), commit->ids.begin(), commit->ids.end()))
      return "the tree does not have the rule that the audit refutes; audit this tree again";
    if (const absl::Status written = emitter::WriteFile(PathOf(fix.file), commit->content); !written.ok())
      return written;
    absl::StatusOr<MesaRules> changed = Import(fix.file);
    if (!changed.ok()) return changed.status();
    if (!changed->unreadable.empty()) {
      const UnreadableFile& bad = changed->unreadable[0];
      return absl::StrCat("the changed file cannot be read: line ", bad.line, ": ", bad.reason);
    }
    MesaRules added = WithoutRules(*changed, rules_[fix.file]);
    fix.removed = WithoutRules(rules_[fix.file], *changed).rules.size();
    for (const MesaRule& rule : changed->rules) {
      if (commit->ids.contains(rule.Id())) return absl::StrCat("the edit leaves the refuted rule ", rule.Text());
    }
    if (absl::StatusOr<std::optional<std::string>> reason = Verify(added, &fix); !reason.ok() || reason->has_value())
      return reason;
    rules_[fix.file] = *std::move(changed);
    return std::nullopt;
  }

  absl::StatusOr<std::optional<std::string>> Verify(const MesaRules& added, Fix* fix) {
    absl::StatusOr<AuditReport> report = Audit(added, prover_, verdicts_, options_.audit);
    if (!report.ok()) return report.status();
    if (report->interrupted) return absl::CancelledError("interrupted");
    for (const AuditedRule& rule : report->rules) {
      const bool holds = rule.verdict == v1::VERDICT_PROVED || (rule.verdict == v1::VERDICT_INEXACT && rule.inexact);
      if (!holds) return absl::StrCat("the changed rule is ", NameOf(rule.verdict), ": ", rule.source.Text());
    }
    fix->corrected = std::move(report->rules);
    return std::nullopt;
  }

  // Returns `rules` without those that `others` contains, each as often as it does.
  static MesaRules WithoutRules(const MesaRules& rules, const MesaRules& others) {
    std::map<std::string, int> count;
    for (const MesaRule& rule : others.rules) ++count[rule.Id()];
    MesaRules rest = rules;
    rest.rules.clear();
    for (const MesaRule& rule : rules.rules) {
      if (--count[rule.Id()] < 0) rest.rules.push_back(rule);
    }
    return rest;
  }

  std::string PathOf(const std::string& file) const { return absl::StrCat(scratch_.path(), "/src/", file); }

  absl::StatusOr<MesaRules> Import(const std::string& file) const { return ReadMesaRules({PathOf(file)}, false); }

  // Copies the Python files of a folder in the tree's src.
  void CopyScripts(const fs::path& folder) const {
    std::error_code error;
    const fs::path copy = fs::path(scratch_.path()) / "src" / folder;
    fs::create_directories(copy, error);
    for (const auto& entry : fs::directory_iterator(source_ / folder, error)) {
      if (entry.path().extension() == ".py")
        fs::copy_file(entry.path(), copy / entry.path().filename(), fs::copy_options::overwrite_existing, error);
    }
  }

  // Returns a "Fixes:" tag for each commit that added one of the lines. Does not blame a commit that created the whole
  // file, or one that only changed a line, because the fault may be older.
  std::vector<std::string> FixesTags(const Fix& fix) const {
    const absl::StatusOr<std::string> text = proto::ReadFile(source_ / fix.file, proto::kTreeFileLimits);
    if (!text.ok()) return {};
    const std::vector<std::string> file = absl::StrSplit(*text, '\n');
    std::set<std::string> tags;
    for (const int line : fix.lines) {
      if (line < 1 || static_cast<size_t>(line) > file.size()) continue;
      const std::string added(absl::StripAsciiWhitespace(file[static_cast<size_t>(line) - 1]));
      corpus::ProcessLimits limits;
      limits.seconds = kHistorySeconds;
      limits.output_bytes = size_t{1} << 28;
      const auto result =
          corpus::RunProcess({"git", "-C", options_.tree, "log", "--reverse", "--diff-filter=M", "--abbrev=12", "-p",
                              absl::StrCat("--format=", kCommitMark, "Fixes: %h (\"%s\")"), absl::StrCat("-S", added),
                              "--", absl::StrCat("src/", fix.file)},
                             limits);
      if (!result.ok() || result->exit_code != 0) continue;
      for (const absl::string_view commit : absl::StrSplit(result->output, kCommitMark, absl::SkipEmpty())) {
        if (!AddsLine(commit, added)) continue;
        tags.insert(std::string(commit.substr(0, commit.find('\n'))));
        break;
      }
    }
    return {tags.begin(), tags.end()};
  }

  const FixOptions& options_;
  const fs::path source_;
  const verifier::Prover& prover_;
  VerdictFile* const verdicts_;
  const emitter::ScratchFolder scratch_;
  std::vector<std::string> without_;        // "FILE:LINE" of rejected commits.
  std::map<std::string, MesaRules> rules_;  // By file, after the accepted commits.
};

}  // namespace

absl::StatusOr<Fixes> ProposeFixes(const FixOptions& options, const verifier::Prover& prover, VerdictFile* verdicts) {
  return Proposer(options, prover, verdicts).Run();
}

}  // namespace rewrought::audit
