#include "cli/rig/matcher_check.h"

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/rig/rig.h"
#include "emitter/files/scratch_folder.h"
#include "proto/json_text.h"
#include "proto/read_file.h"

namespace rewrought::cli {
namespace {

// Reads the file that the harness wrote with --json. Returns Internal if it is malformed.
absl::StatusOr<MatcherCheck> ReadOutcomes(const std::string& path) {
  const absl::StatusOr<std::string> text = proto::ReadFile(path, proto::kJsonLimits);
  if (!text.ok()) return text.status();
  const nlohmann::json parsed = proto::ParseJson(*text);
  const auto rules = parsed.is_object() ? parsed.find("rules") : parsed.end();
  if (rules == parsed.end() || !rules->is_array())
    return absl::InternalError(absl::StrCat(path, ": not results of matcher_harness.py"));
  MatcherCheck check;
  for (const nlohmann::json& rule : *rules) {
    const std::string verdict = rule.value("verdict", ""), id = rule.value("id", rule.value("text", ""));
    ++check.rules;
    check.shaders += rule.value("shaders", uint64_t{0});
    if (verdict == "rejected") {
      check.failures.push_back({id, absl::StrCat("the tree rejects the rule: ", rule.value("rejected", ""))});
    } else if (verdict == "crash") {
      check.failures.push_back({id, "the tree's matcher crashes on the rule"});
    } else if (absl::StartsWith(verdict, "differs")) {
      check.failures.push_back({id, absl::StrCat("the tree's matcher changes a result: ", verdict, ", shader ",
                                                 rule.value("shader", uint64_t{0}))});
    } else if (verdict != "agrees") {
      ++check.unapplied;
    }
  }
  return check;
}

}  // namespace

void AddMatcherCheckOptions(CLI::App* command, MatcherCheckOptions* options) {
  command
      ->add_option("--shaders", options->shaders,
                   "with --tree: random shaders to which the tree's matcher applies the rules; 0: none")
      ->capture_default_str();
  AddRigOption(command, &options->rig);
}

absl::StatusOr<MatcherCheck> CheckWithMatcher(const std::string& folder, const MatcherCheckOptions& options,
                                              Context* context) {
  const emitter::ScratchFolder own(std::filesystem::temp_directory_path(), "rewrought_matcher_");
  if (!own.made()) return absl::InternalError("cannot create a temporary folder; set TMPDIR");
  const std::string results = own.path() + "/results.json";
  const absl::StatusOr<int> code =
      RunRig({absl::StrCat(RigFolder(options.rig), "/matcher_harness.py"), "--tree", options.tree, "--rules", folder,
              "--shaders", absl::StrCat(options.shaders), "--json", results},
             true, context);
  if (!code.ok()) return code.status();
  if (context->stop.stop_requested()) return absl::CancelledError("stopped");
  if (!std::filesystem::exists(results)) {
    return absl::InternalError(
        absl::StrCat("the matcher of ", options.tree, " was not run (see above); --shaders 0 omits this check"));
  }
  return ReadOutcomes(results);
}

std::string MatcherSummary(const MatcherCheck& check, const std::string& tree) {
  return absl::StrCat(check.rules, " rules applied to ", check.shaders, " shaders with the matcher of ", tree, ": ",
                      check.rules - check.failures.size() - check.unapplied, " agree, ", check.failures.size(),
                      " do not, ", check.unapplied, " could not be compared");
}

}  // namespace rewrought::cli
