// rewrought pack: verifies a pack, compares two packs, or rewrites a pack's files from its pack.json.
#include <iostream>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/rig/matcher_check.h"
#include "emitter/formats.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_diff.h"
#include "emitter/pack_files.h"
#include "emitter/pack_folder.h"
#include "emitter/verify.h"
#include "ir/text/display.h"
#include "pipeline/evidence/certificate_files.h"
#include "pipeline/evidence/pack_verifier.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string directory, other, output, format, target;
  MatcherCheckOptions matcher;
  bool quick = false, json = false;
};

void PrintFinding(const emitter::Finding& finding, bool json) {
  if (json) {
    PrintJson({{"entry", finding.entry}, {"file", finding.file}, {"what", finding.what}});
  } else {
    std::cout << (finding.entry.empty() ? finding.file : finding.entry) << ": " << finding.what << "\n";
  }
}

// Proves every rule of the packs again. Returns nullopt after an error or an interruption.
std::optional<pipeline::PackVerdict> ProveAgain(const std::vector<emitter::PackFolder>& packs, Context* context) {
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return Fail(context, solvers.status().message()), std::nullopt;
  Progress progress("verify");
  pipeline::PackVerifierOptions options;
  options.stop = context->stop.get_token();
  options.progress = [&](size_t done, size_t all) {
    progress.Show(absl::StrFormat("%d of %d rules proved again", done, all));
  };
  absl::StatusOr<pipeline::PackVerdict> verdict = pipeline::ProvePacksAgain(packs, *solvers, options);
  if (absl::IsCancelled(verdict.status())) {
    context->exit_code = kInterrupted;
    return std::nullopt;
  }
  if (!verdict.ok()) return Fail(context, verdict.status().message()), std::nullopt;
  return *std::move(verdict);
}

void Verify(const Options& options, Context* context) {
  const absl::Time start = absl::Now();
  const absl::StatusOr<std::vector<emitter::PackFolder>> read = emitter::ReadPackFolders(options.directory);
  if (!read.ok()) return Fail(context, read.status().message());
  std::vector<emitter::Finding> findings = emitter::VerifyPacks(options.directory, *read);
  std::string how = "the files are consistent; no rule was proved again (--quick)";
  if (!options.quick) {
    const std::optional<pipeline::PackVerdict> verdict = ProveAgain(*read, context);
    if (!verdict.has_value()) return;
    findings.insert(findings.end(), verdict->findings.begin(), verdict->findings.end());
    how = absl::StrFormat("%d rules verified again: %d cases, %d queries to both solvers, %.1f s", verdict->entries,
                          verdict->cases, verdict->queries, absl::ToDoubleSeconds(absl::Now() - start));
  }
  if (!options.matcher.tree.empty() && options.matcher.shaders > 0) {
    const absl::StatusOr<MatcherCheck> check = CheckWithMatcher(options.directory, options.matcher, context);
    if (absl::IsCancelled(check.status())) {
      context->exit_code = kInterrupted;
      return;
    }
    if (!check.ok()) return Fail(context, check.status().message());
    for (const MatcherFailure& failure : check->failures) findings.push_back({failure.id, "nir.py", failure.what});
    absl::StrAppend(&how, "; ", MatcherSummary(*check, options.matcher.tree));
  }
  for (const emitter::Finding& finding : findings) PrintFinding(finding, options.json);
  if (!options.json) {
    std::cout << options.directory << ": "
              << (findings.empty() ? "no errors" : absl::StrFormat("%d findings", findings.size())) << "; " << how
              << "\n";
  }
  if (!findings.empty()) context->exit_code = kNo;
}

// Returns the part of a rule's text before its program, or the whole text if the rule has no program.
std::string SearchPart(const std::string& text) { return text.substr(0, text.find(", [")); }

bool IsCostAlone(const emitter::Difference& one) {
  return one.what == std::vector<std::string>{"cost"} && one.before == one.after && one.detail.size() == 1;
}

void PrintDifference(const emitter::Difference& one) {
  std::cout << NameOf(one.kind) << (one.entry.empty() ? "" : absl::StrCat(" ", one.entry.substr(0, 12)))
            << (one.old_entry.empty() ? "" : absl::StrCat(" (was ", one.old_entry.substr(0, 12), ")"))
            << (one.what.empty() ? "" : absl::StrCat(" ", absl::StrJoin(one.what, ", "))) << "\n";
  const std::string before = ir::DisplayRuleText(one.before), after = ir::DisplayRuleText(one.after);
  if (before == after) {
    if (!after.empty()) std::cout << "    " << after << "\n";
  } else if (one.detail.size() > 1 && SearchPart(before) == SearchPart(after)) {
    std::cout << "    " << SearchPart(after) << ", ...\n";  // the lines of `detail` show how the programs differ
  } else {
    if (!before.empty()) std::cout << "  - " << before << "\n";
    if (!after.empty()) std::cout << "  + " << after << "\n";
  }
  for (const std::string& line : one.detail) std::cout << "      " << line << "\n";
}

// Prints the rules whose only change is their cost, grouped by the change, because one changed cost in a machine
// description can affect many rules.
void PrintCosts(const std::vector<emitter::Difference>& differences) {
  std::map<std::string, std::vector<std::string>> rules;
  for (const emitter::Difference& one : differences) {
    if (IsCostAlone(one)) rules[one.detail[0]].push_back(SearchPart(ir::DisplayRuleText(one.after)));
  }
  for (const auto& [cost, searches] : rules) {
    std::cout << "changed " << cost << ", of " << searches.size() << (searches.size() == 1 ? " rule" : " rules")
              << "\n";
    for (const std::string& search : searches) std::cout << "    " << search << ", ...\n";
  }
}

void Diff(const Options& options, Context* context) {
  const absl::StatusOr<std::vector<emitter::Difference>> differences =
      emitter::DiffPacks(options.directory, options.other);
  if (!differences.ok()) return Fail(context, differences.status().message());
  std::map<std::string, int> counts = {{"added", 0}, {"changed", 0}, {"lost", 0}, {"moved", 0}, {"pack", 0}};
  for (const emitter::Difference& one : *differences) {
    ++counts[std::string(NameOf(one.kind))];
    if (options.json) {
      PrintJson({{"kind", std::string(NameOf(one.kind))},
                 {"id", one.entry},
                 {"old_id", one.old_entry},
                 {"what", one.what},
                 {"before", ir::DisplayRuleText(one.before)},
                 {"after", ir::DisplayRuleText(one.after)},
                 {"detail", one.detail}});
    } else if (!IsCostAlone(one)) {
      PrintDifference(one);
    }
  }
  if (options.json) {
    PrintJson(Json(counts));
  } else {
    PrintCosts(*differences);
    std::cout << absl::StrFormat("%d added, %d lost, %d changed, %d moved\n", counts["added"], counts["lost"],
                                 counts["changed"], counts["moved"]);
  }
  if (!differences->empty()) context->exit_code = kNo;
}

void Build(const Options& options, Context* context) {
  absl::StatusOr<emitter::Pack> pack = emitter::LoadPack(options.directory, options.target);
  if (absl::IsFailedPrecondition(pack.status())) {
    Fail(context, pack.status().message());
    context->exit_code = kNo;
    return;
  }
  if (!pack.ok()) return Fail(context, pack.status().message());
  const std::vector<std::string> formats = absl::StrSplit(options.format, ',', absl::SkipEmpty());
  if (const auto known = emitter::FindFormats(formats); !known.ok()) return Fail(context, known.status().message());
  if (!options.quick) {
    emitter::PackFolder folder{"", {}, pack->message};
    folder.manifest.target = pack->target;
    const std::optional<pipeline::PackVerdict> verdict = ProveAgain({folder}, context);
    if (!verdict.has_value()) return;
    for (const emitter::Finding& finding : verdict->findings) PrintFinding(finding, false);
    if (!verdict->findings.empty()) {
      Fail(context, absl::StrCat(options.directory, ": not every rule could be proved again; nothing was written"));
      context->exit_code = kNo;
      return;
    }
  }
  const absl::StatusOr<std::vector<emitter::NamedFile>> files = emitter::RenderPack(formats, &*pack);
  if (!files.ok()) return Fail(context, files.status().message());
  if (const absl::Status written = emitter::WriteFiles(options.output, *files); !written.ok()) {
    return Fail(context, written.message());
  }
  Json names = Json::array();
  for (const emitter::NamedFile& file : *files) names.push_back(absl::StrCat(options.output, "/", file.first));
  if (options.json) return PrintJson({{"rules", pack->message.entries_size()}, {"files", names}});
  std::cout << absl::StrFormat("%d rules\n", pack->message.entries_size());
  for (const Json& name : names) std::cout << "  " << name.get<std::string>() << "\n";
}

void Certificates(const Options& options, Context* context) {
  const absl::StatusOr<emitter::PackFolder> read = emitter::ReadPackFolder(options.directory);
  if (!read.ok()) return Fail(context, read.status().message());
  const absl::StatusOr<std::vector<emitter::NamedFile>> files = pipeline::CertificateFiles(read->pack);
  if (!files.ok()) return Fail(context, absl::StrCat(options.directory, ": ", files.status().message()));
  if (const absl::Status written = emitter::WriteFiles(options.output, *files); !written.ok())
    return Fail(context, written.message());
  std::cout << absl::StrFormat("%s: %d files; run: sh %s/check.sh cvc5\n", options.output, files->size(),
                               options.output);
}

void AddVerify(CLI::App* pack, Options* options, Context* context) {
  CLI::App* verify = pack->add_subcommand(
      "verify", "Proves every rule of a pack again and reports all errors; exits with 1 if there are any");
  verify->add_option("DIR", options->directory, "folder of one pack, with its manifest.json")->required();
  verify->add_flag("--quick", options->quick, "only compare the pack's files, texts and digests; this proves nothing");
  verify->add_option("--tree", options->matcher.tree,
                     "root of a Mesa tree: also apply the rules to random shaders with its matcher, and compare the "
                     "results of its constant folding before and after");
  AddMatcherCheckOptions(verify, &options->matcher);
  AddJsonOption(verify, &options->json, "one JSON object per finding");
  verify->footer(
      "The pack's claims are not trusted: both solvers prove each case from the rule's text, on all cores.\n"
      "Confirmations, mutants, witnesses, costs and statements over the reals are recomputed and compared,\n"
      "including those of the pack of inexact rules in DIR/inexact. A file that no manifest lists is an error. "
      "Savings,\n"
      "trials and reasons cannot be checked; docs/formats.md lists the fields that are not checked.\n"
      "--tree needs a C compiler and Mesa's build dependencies, and builds the tree's matcher on first use.\n"
      "Examples:\n  rewrought pack verify packs/agx_g13\n  rewrought pack verify --quick packs/agx_g13\n"
      "  rewrought pack verify packs/agx_g13 --tree mesa");
  verify->callback([options, context] { Verify(*options, context); });
}

void AddDiff(CLI::App* pack, Options* options, Context* context) {
  CLI::App* diff = pack->add_subcommand(
      "diff", "Lists rules that a newer pack added, lost or changed; exits with 1 if the packs differ");
  diff->add_option("OLD", options->directory, "folder of the older pack")->required();
  diff->add_option("NEW", options->other, "folder of the newer pack")->required();
  AddJsonOption(diff, &options->json, "one JSON object per difference, counts last");
  diff->footer(
      "A rule counts as changed if the rule with the same search side has a different replacement or condition,\n"
      "or different preconditions, costs, proofs, confirmations, mutants or measurements. For packs of two different\n"
      "machines, only the rules' meaning, cost and proved cases are compared.\n"
      "Examples:\n  rewrought pack diff last_night/agx_g13 packs/agx_g13\n"
      "  rewrought pack diff packs/intel_gen8 packs/intel_gen9");
  diff->callback([options, context] { Diff(*options, context); });
}

void AddCertificates(CLI::App* pack, Options* options, Context* context) {
  CLI::App* certificates = pack->add_subcommand(
      "certificates", "Writes a pack's proofs as SMT-LIB files, with a script that checks them with any solver");
  certificates->add_option("DIR", options->directory, "folder of one pack")->required();
  certificates->add_option("-o", options->output, "folder for the files")->required();
  certificates->footer(
      "Example:\n  rewrought pack certificates packs/agx_g13 -o certificates\n"
      "  sh certificates/check.sh cvc5 --check-proofs");
  certificates->callback([options, context] { Certificates(*options, context); });
}

void AddBuild(CLI::App* pack, Options* options, Context* context) {
  CLI::App* build =
      pack->add_subcommand("build", "Writes a pack's files again from its pack.json, with the same bytes each time");
  build->add_option("PACK", options->directory, "a pack.json, or the folder that contains it")->required();
  build->add_option("-o", options->output, "folder for the files")->required();
  build->add_option("--format", options->format,
                    "formats to write, separated by commas: " + emitter::FormatNames(", ") +
                        "; default: " + emitter::DefaultFormatNames(", "));
  build->add_option("--target", options->target,
                    "one of " + emitter::NirTargetNames() + ", for a pack.json without a manifest.json");
  build->add_flag("--quick", options->quick,
                  "do not prove the rules again; use this only for a pack that was just verified");
  AddJsonOption(build, &options->json, "one JSON object");
  build->footer(
      "Every rule is first proved again.\n"
      "Exit code 1: an entry is not sound; see `rewrought pack verify`.\n"
      "Example:\n  rewrought pack build packs/agx_g13/pack.json --format nir -o again");
  build->callback([options, context] { Build(*options, context); });
}

}  // namespace

void AddPackCommand(CLI::App* command, Context* context) {
  static Options options;
  command->require_subcommand(1);
  command->footer(
      "Examples:\n  rewrought pack verify packs/agx_g13\n  rewrought pack diff old/agx_g13 new/agx_g13\n"
      "  rewrought pack build packs/agx_g13/pack.json -o again\n"
      "  rewrought pack together packs/agx_g13 packs/agx_g13/inexact");
  AddVerify(command, &options, context);
  AddDiff(command, &options, context);
  AddBuild(command, &options, context);
  AddCertificates(command, &options, context);
  AddPackTogether(command, context);
}

}  // namespace rewrought::cli
