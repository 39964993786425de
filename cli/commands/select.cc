// rewrought select: selects instructions for whole shaders, prints their cost, and optionally checks the selected
// programs.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/tree_rules.h"
#include "corpus/shader_inputs.h"
#include "machine/machine.h"
#include "machine/select/dot.h"
#include "machine/select/lower.h"
#include "machine/select/rules.h"
#include "selection/driver_correlation.h"
#include "selection/shader_selector.h"

namespace rewrought::cli {
namespace {

using machine::select::CoverKind;
using machine::select::EmulationReport;
using machine::select::Fusion;
using machine::select::Statistics;

constexpr size_t kMaxNames = 8;  // the maximum number of skipped inputs to name

struct Options {
  std::vector<std::string> packs;
  std::string path, machine, dot, cover = "noltis", fuse = "always", only, without, figures, baseline;
  int emulate = 0;
  bool json = false, no_schedule = false, compare_fusion = false, program = false, each_rule = false, late = false,
       constants_free = false;
};

// The sums over all shaders for which one selector selected instructions.
struct Totals {
  uint64_t shaders = 0, refused = 0, lowered = 0, rewritten = 0, pack_tiles = 0;
  Statistics in_order, statistics;
  EmulationReport emulation;
  bool emulated = false;
  double seconds = 0;  // spent on selection, excluding reading shaders

  static void Sum(const Statistics& s, Statistics* to) {
    to->nodes += s.nodes, to->instructions += s.instructions, to->opaque += s.opaque, to->code_bytes += s.code_bytes;
    to->issue_cycles += s.issue_cycles, to->cycles += s.cycles, to->weighted_cycles += s.weighted_cycles,
        to->idle += s.idle;
    to->register_peak += s.register_peak;
    for (const auto& [pipe, cycles] : s.issue_by_pipe) to->issue_by_pipe[pipe] += cycles;
    for (const auto& [pipe, cycles] : s.idle_by_pipe) to->idle_by_pipe[pipe] += cycles;
    for (const auto& [op, count] : s.uncovered) to->uncovered[op] += count;
  }
  void Add(const selection::SelectedShader& shader) {
    ++shaders;
    lowered += shader.lowered, rewritten += shader.rewritten, pack_tiles += shader.pack_tiles;
    Sum(shader.in_order, &in_order), Sum(shader.statistics, &statistics);
    if (!shader.emulation.has_value()) return;
    const EmulationReport& e = *shader.emulation;
    emulated = true;
    emulation.runs += e.runs, emulation.steps += e.steps, emulation.checks += e.checks, emulation.equal += e.equal;
    emulation.allowed += e.allowed, emulation.permitted += e.permitted, emulation.contracted += e.contracted,
        emulation.deviating += e.deviating;
    emulation.undecided += e.undecided, emulation.other_modes += e.other_modes;
    emulation.differences += e.differences;
  }
};

// The effect of one NIR rule in isolation. Negative numbers are savings.
struct RuleEffect {
  uint64_t applied = 0, shaders = 0, helped = 0, hurt = 0;
  double instructions = 0, issue_cycles = 0;
};

Json ToJson(const Statistics& s) {
  return Json{{"instructions", s.instructions},
              {"opaque", s.opaque},
              {"issue_cycles", s.issue_cycles},
              {"issue_by_pipe", s.issue_by_pipe},
              {"cycles", s.cycles},
              {"weighted_cycles", s.weighted_cycles},
              {"idle", s.idle},
              {"idle_by_pipe", s.idle_by_pipe},
              {"critical_path", s.critical_path},
              {"depth", s.depth},
              {"bytes", s.code_bytes},
              {"register_peak", s.register_peak},
              {"threads", s.threads}};
}

Json ToJson(const EmulationReport& e) {
  return Json{{"runs", e.runs},
              {"steps", e.steps},
              {"checks", e.checks},
              {"equal", e.equal},
              {"allowed", e.allowed},
              {"permitted", e.permitted},
              {"contracted", e.contracted},
              {"deviating", e.deviating},
              {"undecided", e.undecided},
              {"other_modes", e.other_modes},
              {"differences", e.differences},
              {"examples", e.examples}};
}

Json ToJson(const selection::SelectedShader& shader, const std::string& machine) {
  Json json{{"shader", shader.name},
            {"source", shader.source},
            {"stage", shader.stage},
            {"machine", machine},
            {"nodes", shader.statistics.nodes},
            {"uncovered", shader.statistics.uncovered},
            {"lowered", shader.lowered},
            {"rewritten", shader.rewritten},
            {"pack_tiles", shader.pack_tiles},
            {"candidates", shader.selection.cover.candidates},
            {"fixed", shader.selection.cover.fixed},
            {"in_order", ToJson(shader.in_order)},
            {"selected", ToJson(shader.statistics)}};
  if (shader.emulation.has_value()) json["emulation"] = ToJson(*shader.emulation);
  return json;
}

void PrintStatistics(const Statistics& in_order, const Statistics& s) {
  std::cout << absl::StrFormat("  %d op nodes, %d instructions, %d opaque steps, %d bytes\n", s.nodes, s.instructions,
                               s.opaque, s.code_bytes);
  std::cout << absl::StrFormat("  issue cycles %.0f (", s.issue_cycles);
  const char* separator = "";
  for (const auto& [pipe, cycles] : s.issue_by_pipe) {
    std::cout << separator << absl::StrFormat("%s %.0f", pipe, cycles);
    separator = ", ";
  }
  std::cout << absl::StrFormat("); cycles including stalls %.0f, idle %.0f (in program order: %.0f, idle %.0f)\n",
                               s.cycles, s.idle, in_order.cycles, in_order.idle);
}

void PrintEmulation(const EmulationReport& e) {
  std::cout << absl::StrFormat(
      "  emulated: %d values compared, %d equal, %d allowed, %d permitted by flags, %d contracted, %d by listed "
      "deviations, %d undecided, %d different; %d from rules that do not hold in the mode\n",
      e.checks, e.equal, e.allowed, e.permitted, e.contracted, e.deviating, e.undecided, e.differences, e.other_modes);
  for (const std::string& example : e.examples) std::cout << "    " << example << "\n";
}

void PrintShader(const selection::SelectedShader& shader, bool program) {
  std::cout << shader.name << (shader.stage.empty() ? "" : " (" + shader.stage + ")") << "\n";
  PrintStatistics(shader.in_order, shader.statistics);
  const Statistics& s = shader.statistics;
  std::cout << absl::StrFormat("  critical path %.0f cycles, %d instructions deep; registers %d", s.critical_path,
                               s.depth, s.register_peak);
  if (s.register_limit > 0) std::cout << " of " << s.register_limit;
  if (s.threads > 0) std::cout << ", " << s.threads << " threads";
  std::cout << "\n";
  for (const auto& [op, count] : s.uncovered) std::cout << "  no rule for " << op << ": " << count << "\n";
  if (shader.emulation.has_value()) PrintEmulation(*shader.emulation);
  if (!program) return;
  for (size_t b = 0; b < shader.selection.blocks.size(); ++b) {
    const machine::select::SelectedBlock& block = shader.selection.blocks[b];
    std::cout << "block " << b << (block.loop_depth > 0 ? absl::StrCat(", loop depth ", block.loop_depth) : "") << "\n"
              << PrintBlock(shader.selection, block);
  }
}

Json ToJson(const Totals& totals, const corpus::ReadReport& read) {
  Json json{{"shaders", totals.shaders},
            {"refused", totals.refused},
            {"skipped", read.skipped.size()},
            {"reasons", read.reasons},
            {"nodes", totals.statistics.nodes},
            {"uncovered", totals.statistics.uncovered},
            {"lowered", totals.lowered},
            {"rewritten", totals.rewritten},
            {"pack_tiles", totals.pack_tiles},
            {"in_order", ToJson(totals.in_order)},
            {"selected", ToJson(totals.statistics)},
            {"seconds", totals.seconds}};
  if (totals.emulated) json["emulation"] = ToJson(totals.emulation);
  return json;
}

std::optional<CoverKind> CoverNamed(const std::string& name) {
  if (name == "noltis") return CoverKind::kNoltis;
  if (name == "tree") return CoverKind::kTree;
  if (name == "one-per-op") return CoverKind::kNaive;
  return std::nullopt;
}

class SelectRun {
 public:
  SelectRun(const Options& options, Context* context) : options_(options), context_(context), progress_("select") {}

  void Run() {
    const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(options_.machine);
    if (!machine.ok()) return Fail(context_, machine.status().message());
    machine_ = *machine;
    if (!options_.figures.empty() && !ReadFigures()) return;
    if (!options_.baseline.empty()) {
      if (absl::Status tree = ReadTreeRules(); !tree.ok()) return Fail(context_, tree.message());
    }
    std::vector<Fusion> fusions = {*machine::select::FusionNamed(options_.fuse)};
    if (options_.compare_fusion) {
      fusions = {Fusion::kUniformCompared, Fusion::kBooleanUsedOnce, Fusion::kConstantSelected, Fusion::kAlways,
                 Fusion::kNever};
    }
    for (const Fusion fusion : fusions) {
      selection::SelectOptions select{*CoverNamed(options_.cover),
                                      fusion,
                                      !options_.no_schedule && !options_.each_rule,
                                      options_.emulate,
                                      options_.each_rule,
                                      options_.constants_free,
                                      baseline_.has_value() ? &*baseline_ : nullptr};
      absl::StatusOr<std::unique_ptr<selection::ShaderSelector>> selector =
          selection::ShaderSelector::Create(*machine_, options_.packs, select);
      if (!selector.ok()) return Fail(context_, selector.status().message());
      selectors_.push_back(*std::move(selector));
    }
    fusions_ = fusions;
    totals_.resize(fusions.size());
    effects_.resize(selectors_[0]->nir_rules().size());
    if (options_.each_rule && effects_.empty())
      return Fail(context_,
                  "--each-rule needs a pack with NIR rules; run `rewrought export --format nir`, then pass --pack DIR");
    const absl::Status read = corpus::ForEachShader(
        options_.path, context_->stop.get_token(), [this](ir::Shader shader) { return Take(shader); }, &read_);
    if (!read.ok()) return Fail(context_, read.message());
    if (!failed_) Finish();
  }

 private:
  bool ReadFigures() {
    const absl::StatusOr<std::string> text = ReadInput(options_.figures, proto::kJsonLimits);
    absl::Status status = text.status();
    absl::StatusOr<selection::DriverFigures> figures;
    if (status.ok()) {
      figures = selection::ParseDriverFigures(*text);
      if (!figures.ok())
        status = absl::InvalidArgumentError(absl::StrCat(options_.figures, ": ", figures.status().message()));
    }
    if (!status.ok()) {
      Fail(context_, status.message());
      return false;
    }
    correlation_.emplace(*std::move(figures));
    return true;
  }

  absl::Status ReadTreeRules() {
    const absl::StatusOr<machine::select::RuleSet> rules = machine::select::RuleSet::Create(*machine_, nullptr, true);
    if (!rules.ok()) return rules.status();
    absl::StatusOr<std::optional<corpus::Baseline>> baseline = ReadBaseline(
        "select", options_.baseline, [&rules](const std::string& op) { return machine::select::SelectsOp(*rules, op); },
        options_.late ? TreePasses::kFromLate : TreePasses::kAll);
    if (baseline.ok()) baseline_.emplace(**std::move(baseline));
    return baseline.status();
  }

  bool Take(const ir::Shader& shader) {
    if (!options_.only.empty() && !absl::StrContains(shader.name, options_.only)) return true;
    if (!options_.without.empty() && absl::StrContains(shader.name, options_.without)) return true;
    progress_.Show(absl::StrFormat("%d shaders, now %s", totals_[0].shaders, shader.name));
    if (options_.each_rule) return TakeEach(shader);
    for (size_t i = 0; i < selectors_.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      const absl::StatusOr<selection::SelectedShader> selected = selectors_[i]->Select(shader);
      totals_[i].seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!selected.ok()) {
        ++totals_[i].refused;
        std::cerr << "rewrought select: " << shader.name << ": " << selected.status().message() << "\n";
        continue;
      }
      totals_[i].Add(*selected);
      if (i > 0) continue;
      if (correlation_.has_value()) correlation_->Add(shader.name, selected->statistics);
      if (!options_.dot.empty() && !Draw(*selected)) return false;
      if (options_.compare_fusion) continue;
      if (options_.json) {
        PrintJson(ToJson(*selected, machine_->id()));
      } else if (totals_[0].shaders <= 1 || options_.program) {
        PrintShader(*selected, options_.program);
      }
    }
    return !context_->stop.stop_requested();
  }

  bool TakeEach(const ir::Shader& shader) {
    const absl::StatusOr<std::vector<selection::RuleChange>> changes = selectors_[0]->SelectEach(shader);
    if (!changes.ok()) {
      ++totals_[0].refused;
      std::cerr << "rewrought select: " << shader.name << ": " << changes.status().message() << "\n";
      return true;
    }
    ++totals_[0].shaders;
    for (const selection::RuleChange& change : *changes) {
      RuleEffect& effect = effects_[change.rule];
      effect.applied += change.applied;
      ++effect.shaders;
      if (change.instructions < 0) ++effect.helped;
      if (change.instructions > 0) ++effect.hurt;
      effect.instructions += change.instructions, effect.issue_cycles += change.issue_cycles;
    }
    return !context_->stop.stop_requested();
  }

  bool Draw(const selection::SelectedShader& shader) {
    if (totals_[0].shaders > 1) {
      Fail(context_, absl::StrCat(options_.path, " contains more than one shader (", first_drawn_, ", ", shader.name,
                                  "); choose the one to draw with --only NAME"));
      failed_ = true;
      return false;
    }
    first_drawn_ = shader.name;
    std::ofstream out(options_.dot, std::ios::binary);
    out << DrawSelection(shader.selection);
    out.close();
    if (out) return true;
    Fail(context_, absl::StrCat(options_.dot, ": cannot be written"));
    failed_ = true;
    return false;
  }

  void Finish() {
    for (size_t i = 0; i < read_.skipped.size() && i < kMaxNames; ++i) {
      std::cerr << "rewrought select: skipped " << read_.skipped[i].name << ": " << read_.skipped[i].reason << "\n";
    }
    if (read_.skipped.size() > kMaxNames)
      std::cerr << "rewrought select: skipped " << read_.skipped.size() - kMaxNames << " more\n";
    const Totals& totals = totals_[0];
    if (totals.shaders == 0 && totals.refused > 0) return Fail(context_, "every shader is inconsistent; see above");
    if (totals.shaders == 0 && !context_->stop.stop_requested()) {
      const std::string what =
          options_.only.empty() ? "no shader found" : absl::StrCat("no shader name contains '", options_.only, "'");
      return Fail(context_,
                  absl::StrCat(options_.path, ": ", what,
                               "; name SPIR-V, GLSL, .shader_test or NIR text, or a folder or archive of such files"));
    }
    if (options_.compare_fusion) return PrintFusions();
    if (options_.each_rule) return PrintEach();
    PrintTotals(totals);
    if (correlation_.has_value()) PrintCorrelation();
    if (totals.emulated && totals.emulation.differences > 0) {
      context_->exit_code = kNo;
    } else if (totals.emulated && totals.emulation.undecided > 0) {
      context_->exit_code = kUndecided;
    }
  }

  void PrintTotals(const Totals& totals) {
    if (options_.json) {
      return PrintJson(ToJson(totals, read_));
    }
    if (totals.shaders == 1) return;
    std::cout << absl::StrFormat(
        "%d shaders on %s (%d inputs skipped, %d refused), %.2f s in selection, %.0f shaders/s, %.0f nodes/s\n",
        totals.shaders, machine_->id(), read_.skipped.size(), totals.refused, totals.seconds,
        totals.shaders / std::max(1e-9, totals.seconds), totals.statistics.nodes / std::max(1e-9, totals.seconds));
    PrintStatistics(totals.in_order, totals.statistics);
    if (totals.rewritten + totals.pack_tiles > 0) {
      std::cout << absl::StrFormat("  the pack: %d NIR rewrites, %d tiles\n", totals.rewritten, totals.pack_tiles);
    }
    std::vector<std::pair<uint64_t, std::string>> missing;
    for (const auto& [op, count] : totals.statistics.uncovered) missing.emplace_back(count, op);
    std::sort(missing.rbegin(), missing.rend());
    for (const auto& [count, op] : missing) std::cout << "  no rule for " << op << ": " << count << "\n";
    if (totals.emulated) PrintEmulation(totals.emulation);
  }

  void PrintCorrelation() {
    for (const selection::Correlation& c : correlation_->Result()) {
      if (options_.json) {
        PrintJson(Json{{"ours", c.ours},
                       {"theirs", c.theirs},
                       {"shaders", c.shaders},
                       {"pearson", c.pearson},
                       {"spearman", c.spearman},
                       {"ours_sum", c.ours_sum},
                       {"theirs_sum", c.theirs_sum}});
      } else {
        std::cout << absl::StrFormat(
            "  %-16s against the driver's %-13s %4d shaders: Pearson %.3f, Spearman %.3f, sums %.0f and %.0f\n", c.ours,
            c.theirs, c.shaders, c.pearson, c.spearman, c.ours_sum, c.theirs_sum);
      }
    }
  }

  void PrintEach() {
    std::vector<size_t> order(effects_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t x, size_t y) { return effects_[x].instructions < effects_[y].instructions; });
    if (!options_.json) {
      std::cout << absl::StrFormat("each rule alone in %d shaders on %s: instructions, issue cycles\n",
                                   totals_[0].shaders, machine_->id());
    }
    for (const size_t number : order) {
      const RuleEffect& effect = effects_[number];
      const selection::NirRule& rule = selectors_[0]->nir_rules()[number];
      if (options_.json) {
        PrintJson(Json{{"rule", rule.id},
                       {"text", rule.text},
                       {"applied", effect.applied},
                       {"shaders", effect.shaders},
                       {"helped", effect.helped},
                       {"hurt", effect.hurt},
                       {"instructions", effect.instructions},
                       {"issue_cycles", effect.issue_cycles}});
      } else if (effect.applied > 0) {
        std::cout << absl::StrFormat("  %.8s %+7.0f %+9.1f, applied %d times in %d shaders, %d helped, %d hurt: %s\n",
                                     rule.id, effect.instructions, effect.issue_cycles, effect.applied, effect.shaders,
                                     effect.helped, effect.hurt, rule.text);
      }
    }
  }

  void PrintFusions() {
    if (!options_.json) {
      std::cout << absl::StrFormat("%-18s %12s %12s %12s %14s %12s\n", "compare and select", "instructions",
                                   "issue cycles", "cycles", "register peaks", "bytes");
    }
    for (size_t i = 0; i < fusions_.size(); ++i) {
      const Statistics& s = totals_[i].statistics;
      if (options_.json) {
        Json json = ToJson(totals_[i], read_);
        json["fuse"] = NameOf(fusions_[i]);
        PrintJson(json);
      } else {
        std::cout << absl::StrFormat("%-18s %12d %12.0f %12.0f %14d %12d\n", NameOf(fusions_[i]), s.instructions,
                                     s.issue_cycles, s.cycles, s.register_peak, s.code_bytes);
      }
    }
  }

  const Options& options_;
  Context* const context_;
  Progress progress_;
  const machine::Machine* machine_ = nullptr;
  std::optional<corpus::Baseline> baseline_;
  std::vector<std::unique_ptr<selection::ShaderSelector>> selectors_;
  std::vector<Fusion> fusions_;
  std::vector<Totals> totals_;
  std::vector<RuleEffect> effects_;  // one entry per NIR rule
  std::optional<selection::CorrelationTable> correlation_;
  corpus::ReadReport read_;
  std::string first_drawn_;
  bool failed_ = false;
};

}  // namespace

void AddSelectCommand(CLI::App* command, Context* context) {
  static Options options;
  command->add_option("SHADER", options.path, "file, folder or archive of SPIR-V, GLSL, .shader_test or NIR text")
      ->required();
  AddMachineOption(command, &options.machine, "GPU to compile for")->required();
  command
      ->add_option("--pack", options.packs,
                   "also use the rules of this pack (a folder or pack.json); may be repeated; default: no pack")
      ->allow_extra_args(false);
  command->add_option("--dot", options.dot, "draw the only shader, before and after selection, to this Graphviz file");
  command
      ->add_option(
          "--cover", options.cover,
          "how to choose instructions: noltis (over the whole graph), tree (up to shared values) or one-per-op")
      ->check(CLI::IsMember({"noltis", "tree", "one-per-op"}));
  command->add_option("--fuse", options.fuse, "when to fuse a compare and its select into one instruction")
      ->check(CLI::IsMember({"always", "never", "uniform-compared", "used-once", "constant-selected"}));
  command->add_flag("--compare-fusion", options.compare_fusion, "print the sums for each value of --fuse");
  command
      ->add_option("--emulate", options.emulate,
                   "run each program this many times and compare it with the IR; exit with 1 if a result differs")
      ->check(CLI::Range(0, 1000));
  command->add_option("--driver-figures", options.figures,
                      "tab-separated statistics of a driver for these files: print how well ours correlate with them");
  CLI::Option* baseline = command->add_option(
      "--baseline", options.baseline,
      "src/compiler/nir of a Mesa tree: apply its rules after those of packs, as its drivers do, so that rewrites "
      "that drivers already make do not count (python3 runs the tree's rule files)");
  CLI::Option* late = command->add_flag(
      "--late", options.late,
      "with --baseline: the shaders were captured after a driver's main optimization loop, so apply only the "
      "tree's rules for nir_opt_algebraic_late and later passes");
  late->needs(baseline);
  command->add_flag("--constants-free", options.constants_free,
                    "constants that do not fit into operands cost nothing, as on Mali Bifrost, which stores them "
                    "beside instructions");
  command->add_option("--only", options.only, "use only shaders whose name contains this text");
  command->add_option("--without", options.without, "skip shaders whose name contains this text");
  command->add_flag("--program", options.program, "print the programs");
  command->add_flag("--no-schedule", options.no_schedule, "keep the shader's instruction order");
  CLI::Option* each =
      command->add_flag("--each-rule", options.each_rule,
                        "print the effect of each NIR rule of the packs by itself, largest savings first");
  for (const char* shows : {"--compare-fusion", "--emulate", "--driver-figures", "--dot", "--program"})
    each->excludes(shows);  // these options show the joint effect of all rules
  AddJsonOption(command, &options.json, "one JSON object per shader, then one with the sums,");
  command->footer(
      "Examples:\n"
      "  rewrought select water.frag --machine agx_g13 --program\n"
      "  rewrought select shaders/ --machine intel_gen9 --pack packs/intel_gen9 --json\n"
      "  rewrought select nir-dumps/ --machine ir3_a6xx --pack packs/ir3_a6xx --each-rule\n"
      "  rewrought select one.nir --machine ir3_a6xx --dot one.dot && dot -Tsvg one.dot > one.svg\n"
      "  rewrought select nir-dumps/ --machine ir3_a6xx --driver-figures stats.tsv\n"
      "  rewrought select shaders/ --machine valhall --emulate 4");
  command->callback([context] { SelectRun(options, context).Run(); });
}

}  // namespace rewrought::cli
