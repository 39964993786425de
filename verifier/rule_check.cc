#include "verifier/rule_check.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/match/matcher_model.h"
#include "ir/match/mesa_build.h"
#include "ir/match/relation.h"
#include "ir/text/predicates.h"
#include "ir/text/sizes.h"
#include "verifier/case_split.h"
#include "verifier/inference.h"
#include "verifier/mesa/coincidence.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/mesa/nir26.h"

namespace rewrought::verifier {
namespace {

std::vector<std::pair<std::string, int>> SizesOf(const ir::SizeAssignment& assignment) {
  std::vector<std::pair<std::string, int>> sizes = assignment.names;
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

// Adds the sizes of the floats that the ops of a term read or return.
void AddFloatSizes(const ir::Term& term, std::set<int>* sizes) {
  const auto add = [&](const ir::OperandType& type, const ir::Node& value) {
    if (type.base == ir::BaseType::kFloat) sizes->insert(type.bits != 0 ? type.bits : value.bits);
  };
  for (const ir::Node& node : term.nodes) {
    if (node.kind != ir::NodeKind::kOp) continue;
    add(node.op->result, node);
    for (size_t k = 0; k < node.sources.size(); ++k) add(node.op->sources[k], term.at(node.sources[k].node));
  }
}

// Returns the modes in which to verify a case that depends on the mode.
std::vector<ir::DenormMode> ModesOfFloats(const RuleCase& rule_case, const RuleCheckOptions& options) {
  std::set<int> sizes;
  AddFloatSizes(rule_case.search, &sizes);
  AddFloatSizes(rule_case.replace, &sizes);
  std::vector<ir::DenormMode> certain;
  bool all_certain = true;
  for (const int size : sizes) {
    const auto found = options.certain_modes.find(size);
    all_certain = all_certain && found != options.certain_modes.end();
    if (found == options.certain_modes.end()) continue;
    if (std::find(certain.begin(), certain.end(), found->second) == certain.end()) certain.push_back(found->second);
  }
  if (all_certain && certain.size() == 1) return certain;
  std::vector<ir::DenormMode> modes = options.modes;
  for (const ir::DenormMode mode : certain) {
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) modes.push_back(mode);
  }
  return modes;
}

// Returns the modes in which to verify a case. If no node makes a choice that depends on the mode, returns only kNone.
std::vector<ir::DenormMode> ModesOf(const RuleCase& rule_case, const RuleCheckOptions& options) {
  const auto depends_on_mode = [&](const ir::Term& term) {
    if (options.dialect == ir::Dialect::kNir25) return ir::HasFloatOperation(term);
    return std::any_of(term.nodes.begin(), term.nodes.end(), [](const ir::Node& node) {
      return node.kind == ir::NodeKind::kOp && ir::RowIn26(*node.op).contract != ir::Contract::kBits;
    });
  };
  if (!depends_on_mode(rule_case.search) && !depends_on_mode(rule_case.replace)) return {ir::DenormMode::kNone};
  return ModesOfFloats(rule_case, options);
}

CaseResult ProveCase(const Prover& prover, const RuleCase& rule_case) {
  const bool split_first = ShouldSplitFirst(rule_case);
  std::optional<CaseResult> split;
  if (split_first) split = ProveBySplitting(prover, rule_case);
  if (split.has_value()) return *std::move(split);
  CaseResult whole = prover.Prove(rule_case);
  if (whole.verdict != v1::VERDICT_UNKNOWN || split_first || prover.options().cancel.stop_requested()) return whole;
  split = ProveBySplitting(prover, rule_case);
  return split.has_value() ? *std::move(split) : whole;
}

// Copies the options that concern a case.
void CopyOptions(const RuleCheckOptions& options, RuleCase* rule_case) {
  rule_case->dialect = options.dialect;
  rule_case->index_in_range = options.index_in_range;
  rule_case->trusts_ranges = options.trusts_ranges;
  rule_case->other_users = options.other_users;
}

// If the refuted case holds without other users of inner nodes, states this as the reason. `stated` contains the rule's
// terms before ReadCase.
void ExplainOtherUsers(const Prover& prover, RuleCheckOptions options, RuleCase stated, CheckedCase* checked) {
  options.other_users = false;
  ReadCase(options, &stated);
  const auto same_flags = [](const ir::Node& x, const ir::Node& y) { return x.flags == y.flags; };
  const std::vector<ir::Node>& read = checked->rule_case.search.nodes;
  if (std::equal(stated.search.nodes.begin(), stated.search.nodes.end(), read.begin(), read.end(), same_flags)) return;
  stated.mode = checked->mode;
  const v1::Verdict verdict = ProveCase(prover, stated).verdict;
  if (verdict == v1::VERDICT_PROVED || verdict == v1::VERDICT_VACUOUS)
    checked->result.reason = std::string(kOnlyWithOtherUsers);
}

// Replaces the case with the coinciding case to which its witness belongs.
void ShowCoincidence(CheckedCase* checked) {
  if (checked->result.coincidence == 0) return;
  const absl::StatusOr<std::vector<CoincidingCase>> cases = CoincidingCases(checked->rule_case);
  if (cases.ok()) checked->rule_case = (*cases)[checked->result.coincidence - 1].rule_case;
}

// Returns the assumptions on which the cases rest, without duplicates.
std::vector<std::string> AssumesOf(const std::vector<CheckedCase>& cases) {
  std::vector<std::string> sentences;
  const auto add = [&](std::string sentence) {
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) sentences.push_back(sentence);
  };
  for (const CheckedCase& checked : cases) {
    const RuleCase& one = checked.rule_case;
    for (const ir::Node& node : one.search.nodes) {
      if (node.kind != ir::NodeKind::kVariable) continue;
      for (const std::string& predicate : node.predicates) {
        if (one.trusts_ranges && RestsOnRangeAnalysis(one, node, predicate))
          add(absl::StrCat("Mesa's range analysis is right that ", node.name, " ", predicate));
      }
      const bool is_boolean = ir::TypeOfUse(one.search, node.name) == ir::BaseType::kBool;
      if (node.bits > 1 && is_boolean) add(absl::StrCat(node.name, ", a multi-bit Boolean, is 0 or all ones"));
    }
  }
  return sentences;
}

// The factor by which the budgets are scaled for the remaining cases of a refuted rule
// (RuleCheckOptions::spare_after_refuted).
constexpr double kSpareScale = 0.1;

Prover WithLessWork(const Prover& prover) {
  ProverOptions options = prover.options();
  options.budget_scale *= kSpareScale;
  return Prover(prover.solvers(), options);
}

void SortByWidth(std::vector<CheckedCase>* cases) {
  std::stable_sort(cases->begin(), cases->end(),
                   [](const CheckedCase& x, const CheckedCase& y) { return x.width < y.width; });
}

bool IsWanted(int width, const RuleCheckOptions& options) {
  return options.widths.empty() ||
         std::find(options.widths.begin(), options.widths.end(), width) != options.widths.end();
}

}  // namespace

void ReadCase(const RuleCheckOptions& options, RuleCase* rule_case) {
  CopyOptions(options, rule_case);
  if (options.dialect == ir::Dialect::kNir26) {
    SetFlagsAsMesa26(&rule_case->search, &rule_case->replace);
    rule_case->flags_marked = true;
  } else {
    ir::BuildAsMesa(rule_case->search, &rule_case->replace);
  }
  if (!options.inherit_flags) {
    for (ir::Node& node : rule_case->replace.nodes) node.flags &= ir::kExact | ir::kInexact;
  }
  ReadAsMesa(rule_case);
  if (!options.unnamed_flags) *rule_case = WithNamedFlagsOnly(std::move(*rule_case));
}

ir::SizeOptions SizeOptionsOf(const RuleCheckOptions& options, bool is_tuple) {
  ir::SizeOptions sizes = ir::SizeOptionsIn(options.dialect);
  sizes.literals_exact = sizes.literals_exact || options.literals_exact;
  sizes.replacement_may_narrow = !is_tuple;
  return sizes;
}

v1::Verdict CombineVerdicts(const std::vector<CheckedCase>& cases) {
  for (const v1::Verdict verdict :
       {v1::VERDICT_REFUTED, v1::VERDICT_UNKNOWN, v1::VERDICT_UNSUPPORTED, v1::VERDICT_PROVED}) {
    for (const CheckedCase& checked : cases) {
      if (checked.result.verdict == verdict) return verdict;
    }
  }
  return cases.empty() ? v1::VERDICT_UNSUPPORTED : v1::VERDICT_VACUOUS;
}

ReplacementFor MatchingSizes(const ir::Term& replace) {
  return [replace](const ir::Term& search) -> absl::StatusOr<ir::Term> {
    const auto mismatch = absl::InvalidArgumentError("sizes differ");
    if (search.root_node().bits != replace.root_node().bits) return mismatch;
    for (const ir::Node& used : replace.nodes) {
      if (used.kind != ir::NodeKind::kVariable) continue;
      const auto same = [&](const ir::Node& node) {
        return node.kind == ir::NodeKind::kVariable && node.name == used.name;
      };
      const auto found = std::find_if(search.nodes.begin(), search.nodes.end(), same);
      if (found == search.nodes.end() || found->bits != used.bits) return mismatch;
    }
    return replace;
  };
}

absl::StatusOr<RuleVerdict> CheckSearchAgainst(const Prover& prover, const ir::Rule& rule,
                                               const ReplacementFor& replace_of, const RuleCheckOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const bool is_tuple = replace_of == nullptr;
  if (!is_tuple && options.dialect != ir::Dialect::kNir25)
    return absl::InvalidArgumentError("a machine program can be verified only in dialect nir-25");
  if (absl::Status exists = CheckDialect(rule, options.dialect); !exists.ok()) return exists;
  const ir::SizeOptions size_options = SizeOptionsOf(options, is_tuple);
  absl::StatusOr<std::vector<ir::SizeAssignment>> assignments = ir::EnumerateSizes(rule, size_options);
  if (!assignments.ok()) return assignments.status();
  absl::Status vectors = is_tuple ? ir::CheckVectorRoot(rule) : absl::OkStatus();
  RuleVerdict verdict;
  std::optional<Prover> sparing;  // set once a case is refuted, if the other cases are then skipped
  if (options.spare_after_refuted) {
    std::stable_partition(assignments->begin(), assignments->end(),
                          [](const ir::SizeAssignment& assignment) { return assignment.width == 32; });
  }
  for (const ir::SizeAssignment& assignment : *assignments) {
    if (!IsWanted(assignment.width, options)) continue;
    absl::StatusOr<ir::Rule> concrete = ir::Instantiate(rule, assignment, size_options);
    if (concrete.ok() && options.dialect == ir::Dialect::kNir26 && HasSizeGoneIn26(*concrete)) continue;
    CheckedCase checked;
    checked.width = assignment.width;
    checked.sizes = SizesOf(assignment);
    if (concrete.ok() && is_tuple && vectors.ok()) vectors = ir::CheckSearchSwizzles(concrete->search);
    if (concrete.ok() && !vectors.ok()) concrete = vectors;
    if (!concrete.ok()) {
      checked.mode = ir::DenormMode::kNone;
      checked.result.verdict = v1::VERDICT_UNSUPPORTED;
      checked.result.reason = std::string(concrete.status().message());
      verdict.cases.push_back(std::move(checked));
      continue;
    }
    checked.rule_case.search = std::move(concrete->search);
    RuleCase stated;
    if (replace_of != nullptr) {
      absl::StatusOr<ir::Term> replace = replace_of(checked.rule_case.search);
      if (!replace.ok()) continue;
      checked.rule_case.replace = *std::move(replace);
      CopyOptions(options, &checked.rule_case);
      ReadAsMesa(&checked.rule_case);
      if (!options.unnamed_flags) checked.rule_case = WithNamedFlagsOnly(std::move(checked.rule_case));
    } else {
      checked.rule_case.replace = std::move(concrete->replace);
      stated = checked.rule_case;
      ReadCase(options, &checked.rule_case);
    }
    for (const ir::DenormMode mode : ModesOf(checked.rule_case, options)) {
      checked.mode = checked.rule_case.mode = mode;
      if (prover.options().cancel.stop_requested()) {
        // The remaining cases are not verified. One unknown case prevents the rule from counting as proved.
        checked.result = CaseResult{};
        checked.result.reason = "cancelled";
        verdict.cases.push_back(checked);
        SortByWidth(&verdict.cases);
        verdict.verdict = CombineVerdicts(verdict.cases);
        return verdict;
      }
      const Prover& chosen = sparing.has_value() ? *sparing : prover;
      checked.result = ProveCase(chosen, checked.rule_case);
      if (checked.result.verdict == v1::VERDICT_REFUTED && is_tuple)
        ExplainOtherUsers(chosen, options, stated, &checked);
      if (checked.result.verdict == v1::VERDICT_REFUTED && options.spare_after_refuted && !sparing.has_value())
        sparing.emplace(WithLessWork(prover));
      verdict.cases.push_back(checked);
      ShowCoincidence(&verdict.cases.back());
      if (options.stop_at_refuted && checked.result.verdict == v1::VERDICT_REFUTED) break;
    }
    if (options.stop_at_refuted && !verdict.cases.empty() && verdict.cases.back().result.verdict == v1::VERDICT_REFUTED)
      break;
  }
  SortByWidth(&verdict.cases);
  verdict.verdict = CombineVerdicts(verdict.cases);
  verdict.assumes = AssumesOf(verdict.cases);
  if (options.infer && replace_of == nullptr && verdict.verdict == v1::VERDICT_REFUTED) {
    for (const ir::AssumptionSet& set : InferWeakest(prover, rule, verdict, options)) {
      verdict.weakest.push_back(ir::NamesOf(rule.search, set));
    }
  }
  verdict.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

absl::StatusOr<RuleVerdict> CheckRule(const Prover& prover, const ir::Rule& rule, const RuleCheckOptions& options) {
  return CheckSearchAgainst(prover, rule, nullptr, options);
}

}  // namespace rewrought::verifier
