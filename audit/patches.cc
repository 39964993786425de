#include "audit/patches.h"

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
#include "audit/measured_patches.h"
#include "audit/mesa_rules.h"
#include "audit/plan_script.h"
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
  Patch patch;
  std::string content;        // The file after this and all previous commits.
  std::set<std::string> ids;  // The refuted rules of its lines.
  // For proposals: whether the commit replaces lines, and the explanation of each driver's loss.
  bool replaces = false;
  std::map<std::string, std::string> explained;
};

struct Plan {
  std::vector<PlannedCommit> commits;
  std::vector<Rejection> skipped;
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
      plan.skipped.push_back({skipped["file"], skipped["line"], "", skipped["reason"]});
    } else if (entry.contains("commit")) {
      const Json& commit = entry["commit"];
      PlannedCommit planned;
      planned.patch.subject = commit["subject"];
      planned.patch.message = commit["text"];
      planned.patch.file = commit["file"];
      planned.patch.lines = commit["lines"].get<std::vector<int>>();
      planned.patch.diff = commit["diff"];
      planned.content = commit["content"];
      planned.ids = commit["ids"].get<std::set<std::string>>();
      planned.replaces = commit.value("replaces", false);
      planned.explained = commit.value("explained", planned.explained);
      if (!IsInsideTree(planned.patch.file))
        return absl::InvalidArgumentError(absl::StrCat(planned.patch.file, ": not a file inside the tree's src"));
      plan.commits.push_back(std::move(planned));
    } else {
      return absl::InternalError(absl::StrCat("unexpected output of plan_patches.py: ", line.substr(0, 300)));
    }
  }
  return plan;
}

// Returns whether an op of a tuple has a name that begins with f, as the float ops do.
bool ReadsFloats(absl::string_view tuple) {
  return absl::StrContains(tuple, "('f") || absl::StrContains(tuple, "('~f") || absl::StrContains(tuple, "('!f");
}

// States the verdicts of the rules that a commit adds, and what it does to other rules. `refuted` is the number of
// refuted rules that it corrects.
std::string VerdictText(const Patch& patch, size_t refuted) {
  const auto inexact =
      static_cast<size_t>(std::count_if(patch.added.begin(), patch.added.end(),
                                        [](const AuditedRule& rule) { return rule.verdict == v1::VERDICT_INEXACT; }));
  const size_t proved = patch.added.size() - inexact;
  const auto rules = [](size_t count) { return absl::StrCat(count, count == 1 ? " rule" : " rules"); };
  std::vector<std::string> lines;
  if (patch.removed > 0) {
    lines.push_back(
        absl::StrCat("This change ", patch.added.empty() ? "removes " : "replaces ", rules(patch.removed), "."));
  }
  if (patch.removed > refuted)
    lines.push_back(absl::StrCat("Not refuted among these: ", rules(patch.removed - refuted), "."));
  if (proved > 0) {
    const bool floats = std::any_of(patch.added.begin(), patch.added.end(), [](const AuditedRule& rule) {
      return rule.verdict == v1::VERDICT_PROVED && ReadsFloats(rule.source.search);
    });
    lines.push_back(absl::StrCat("Rewrought proves ", rules(proved), " at all sizes that ",
                                 proved == 1 ? "it allows" : "they allow", floats ? ", including NaN," : "."));
    if (floats) lines.push_back("infinities, signed zeros, and denormals.");
  }
  if (inexact > 0) {
    lines.push_back(
        absl::StrCat("Rewrought proves that, with ~, the sides of ", rules(inexact), " are equal over the"));
    lines.push_back("real numbers.");
  }
  return absl::StrJoin(lines, "\n");
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
  Proposer(const PatchOptions& options, const verifier::Prover& prover, VerdictFile* verdicts)
      : options_(options),
        source_(fs::path(options.tree) / "src"),
        prover_(prover),
        verdicts_(verdicts),
        scratch_(TemporaryFolder(), "rewrought-patches-") {}

  absl::StatusOr<PatchSeries> Run() {
    if (!scratch_.made()) return absl::UnavailableError("no temporary folder can be created; set TMPDIR");
    std::error_code error;
    if (!fs::is_regular_file(source_ / kNirFolder / "nir_algebraic.py", error))
      return absl::NotFoundError(absl::StrCat(options_.tree, ": no src/", kNirFolder,
                                              "/nir_algebraic.py here; specify the root of a Mesa tree with --tree"));
    if (!options_.measured.empty()) {
      auto measured = ReadMeasuredPatches(options_.measured);
      if (!measured.ok()) return measured.status();
      measured_ = *std::move(measured);
    }
    PatchSeries series;
    std::vector<Rejection> rejected;
    absl::StatusOr<Plan> plan = MakePlan();
    while (plan.ok() && series.patches.size() < plan->commits.size()) {
      PlannedCommit& commit = plan->commits[series.patches.size()];
      const absl::StatusOr<std::optional<std::string>> reason = Check(&commit);
      if (!reason.ok()) return reason.status();
      if (reason->has_value()) {
        if (commit.patch.lines.empty())
          return absl::InternalError(absl::StrCat("a planned commit names no line: ", commit.patch.subject));
        Reject(commit.patch, **reason, &rejected);
        // Later commits contain the rejected edits. The earlier commits remain the same.
        plan = MakePlan();
        continue;
      }
      CompleteMessage(&commit);
      series.patches.push_back(std::move(commit.patch));
      if (options_.progress) options_.progress(series.patches.size(), plan->commits.size());
    }
    if (!plan.ok()) return plan.status();
    series.rejected = std::move(plan->skipped);
    series.rejected.insert(series.rejected.end(), rejected.begin(), rejected.end());
    return series;
  }

 private:
  static std::string TemporaryFolder() {
    std::error_code error;
    return fs::temp_directory_path(error).string();
  }

  absl::StatusOr<Plan> MakePlan() const {
    std::vector<std::string> arguments = {source_.string()};
    const auto add = [&](const char* option, const std::string& value) {
      if (!value.empty()) arguments.insert(arguments.end(), {option, value});
    };
    add("--fix", options_.audit_file);
    add("--add", options_.proposals_file);
    add("--causes", options_.causes_file);
    add("--lines", absl::StrJoin(options_.lines, ","));
    for (const std::string& rejected : without_) add("--without", rejected);
    const auto result = RunScript(PlanScript()[0], arguments, kPlanSeconds);
    if (!result.ok()) return result.status();
    if (result->exit_code != 0 || result->timed_out)
      return absl::InternalError(absl::StrCat("plan_patches.py failed: ", result->output));
    return ReadPlan(result->output);
  }

  bool adds_rules() const { return !options_.proposals_file.empty(); }

  // Records the reason, and excludes the patch from the next plan.
  void Reject(const Patch& patch, const std::string& reason, std::vector<Rejection>* rejected) {
    if (adds_rules()) {
      rejected->push_back({patch.file, 0, patch.subject, reason});
      without_.push_back(patch.subject);
      return;
    }
    for (const int line : patch.lines) {
      rejected->push_back({patch.file, line, "", reason});
      without_.push_back(absl::StrCat(patch.file, ":", line));
    }
  }

  // Appends the verdicts, the measurements, and the "Fixes:" tags to the message.
  void CompleteMessage(PlannedCommit* commit) const {
    std::string* const message = &commit->patch.message;
    absl::StrAppend(message, message->empty() ? "" : "\n\n",
                    VerdictText(commit->patch, adds_rules() ? commit->patch.removed : commit->ids.size()));
    if (const auto found = measured_.find(PatchId(commit->patch.diff)); found != measured_.end()) {
      absl::StrAppend(message, "\n\n", found->second.text);
      for (const auto& [driver, reason] : found->second.losses)
        absl::StrAppend(message, "\n\n", driver, " loses (", reason, "):\n", commit->explained[driver]);
    }
    if (adds_rules()) return;
    const std::vector<std::string> tags = FixesTags(commit->patch);
    if (!tags.empty()) absl::StrAppend(message, "\n\n", absl::StrJoin(tags, "\n"));
  }

  // Fills in the verdicts of `commit`. Returns the reason for rejecting it, or nullopt.
  absl::StatusOr<std::optional<std::string>> Check(PlannedCommit* commit) {
    Patch& patch = commit->patch;
    if (!rules_.contains(patch.file)) {
      CopyScripts(kNirFolder);
      CopyScripts(fs::path(patch.file).parent_path());
      absl::StatusOr<MesaRules> original = Import(patch.file);
      if (!original.ok()) return original.status();
      rules_[patch.file] = *std::move(original);
    }
    if (commit->ids.empty() && !adds_rules()) return "the audit refutes no rule of this line";
    std::set<std::string> present;
    for (const MesaRule& rule : rules_[patch.file].rules) present.insert(rule.Id());
    if (!std::includes(present.begin(), present.end(), commit->ids.begin(), commit->ids.end()))
      return "the tree does not have the rule that the audit refutes; audit this tree again";
    if (const absl::Status written = emitter::WriteFile(PathOf(patch.file), commit->content); !written.ok())
      return written;
    absl::StatusOr<MesaRules> changed = Import(patch.file);
    if (!changed.ok()) return changed.status();
    if (!changed->unreadable.empty()) {
      const UnreadableFile& bad = changed->unreadable[0];
      return absl::StrCat("the changed file cannot be read: line ", bad.line, ": ", bad.reason);
    }
    MesaRules added = WithoutRules(*changed, rules_[patch.file]);
    patch.removed = WithoutRules(rules_[patch.file], *changed).rules.size();
    for (const MesaRule& rule : changed->rules) {
      if (commit->ids.contains(rule.Id())) return absl::StrCat("the edit leaves the refuted rule ", rule.Text());
    }
    if (adds_rules()) {
      if (const std::optional<std::string> reason = CheckProposal(*commit, added, *changed); reason.has_value())
        return reason;
    }
    if (absl::StatusOr<std::optional<std::string>> reason = Verify(added, &patch); !reason.ok() || reason->has_value())
      return reason;
    if (adds_rules() && !options_.measured.empty()) {
      absl::StatusOr<std::optional<std::string>> reason = CheckMeasurement(*commit);
      if (!reason.ok() || reason->has_value()) return reason;
    }
    rules_[patch.file] = *std::move(changed);
    return std::nullopt;
  }

  // Returns the reason for rejecting a proposal that leads to the rules `changed`, of which `added` are new, or
  // nullopt.
  static std::optional<std::string> CheckProposal(const PlannedCommit& commit, const MesaRules& added,
                                                  const MesaRules& changed) {
    if (commit.patch.removed > 0 && !commit.replaces)
      return absl::StrCat("it removes ", commit.patch.removed, " rules without replacing their line");
    if (added.rules.empty()) return "the tree already has all of its rules";
    std::set<std::string> ids;
    for (const MesaRule& rule : added.rules) ids.insert(rule.Id());
    const std::vector<std::optional<size_t>> shadows = ShadowsAmong(changed.rules, changed.dialect);
    for (size_t i = 0; i < shadows.size(); ++i) {
      const MesaRule& rule = changed.rules[i];
      if (!shadows[i].has_value() || !ids.contains(rule.Id())) continue;
      const MesaRule& earlier = changed.rules[*shadows[i]];
      if (earlier.Id() == rule.Id()) return absl::StrCat("the tree already has the rule ", rule.Text());
      return absl::StrCat("the rule ", rule.Text(), " never applies because of the earlier rule at line ", earlier.line,
                          ": ", earlier.Text());
    }
    return std::nullopt;
  }

  // Returns the reason for rejecting a proposal because of its measurement, or nullopt.
  absl::StatusOr<std::optional<std::string>> CheckMeasurement(const PlannedCommit& commit) const {
    const auto found = measured_.find(PatchId(commit.patch.diff));
    if (found == measured_.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat(options_.measured, " has no results for \"", commit.patch.subject,
                       "\" in its present form; write the patches without --measured, and measure them with "
                       "tools/driver_rig/series"));
    }
    const MeasuredPatch& measured = found->second;
    for (const auto& [driver, reason] : measured.losses) {
      if (!commit.explained.contains(driver)) return absl::StrCat("it is a loss for ", driver, ": ", reason);
    }
    if (measured.gains.empty()) return "it helps no measured driver";
    return std::nullopt;
  }

  absl::StatusOr<std::optional<std::string>> Verify(const MesaRules& added, Patch* patch) {
    absl::StatusOr<AuditReport> report = Audit(added, prover_, verdicts_, options_.audit);
    if (!report.ok()) return report.status();
    if (report->interrupted) return absl::CancelledError("interrupted");
    for (const AuditedRule& rule : report->rules) {
      const bool holds = rule.verdict == v1::VERDICT_PROVED || (rule.verdict == v1::VERDICT_INEXACT && rule.inexact);
      if (!holds)
        return absl::StrCat("the ", adds_rules() ? "added" : "changed", " rule is ", NameOf(rule.verdict), ": ",
                            rule.source.Text());
    }
    patch->added = std::move(report->rules);
    return std::nullopt;
  }

  // Returns the multiset difference of `rules` and `others`.
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
  std::vector<std::string> FixesTags(const Patch& patch) const {
    const absl::StatusOr<std::string> text = proto::ReadFile(source_ / patch.file, proto::kTreeFileLimits);
    if (!text.ok()) return {};
    const std::vector<std::string> file = absl::StrSplit(*text, '\n');
    std::set<std::string> tags;
    for (const int line : patch.lines) {
      if (line < 1 || static_cast<size_t>(line) > file.size()) continue;
      const std::string added(absl::StripAsciiWhitespace(file[static_cast<size_t>(line) - 1]));
      corpus::ProcessLimits limits;
      limits.seconds = kHistorySeconds;
      limits.output_bytes = size_t{1} << 28;
      const auto result =
          corpus::RunProcess({"git", "-C", options_.tree, "log", "--reverse", "--diff-filter=M", "--abbrev=12", "-p",
                              absl::StrCat("--format=", kCommitMark, "Fixes: %h (\"%s\")"), absl::StrCat("-S", added),
                              "--", absl::StrCat("src/", patch.file)},
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

  const PatchOptions& options_;
  const fs::path source_;
  const verifier::Prover& prover_;
  VerdictFile* const verdicts_;
  const emitter::ScratchFolder scratch_;
  std::vector<std::string> without_;  // "FILE:LINE" of rejected corrections, and subjects of rejected proposals.
  std::map<std::string, MeasuredPatch> measured_;  // By PatchId.
  std::map<std::string, MesaRules> rules_;         // By file, after the accepted commits.
};

}  // namespace

absl::StatusOr<PatchSeries> ProposePatches(const PatchOptions& options, const verifier::Prover& prover,
                                           VerdictFile* verdicts) {
  return Proposer(options, prover, verdicts).Run();
}

}  // namespace rewrought::audit
