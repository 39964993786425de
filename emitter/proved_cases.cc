#include "emitter/proved_cases.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rewrought::emitter {
namespace {

// Counts verdicts by mode for one key (the sizes of the variables and of the root).
struct Tally {
  std::map<v1::DenormMode, int> proved;
  std::map<v1::DenormMode, int> vacuous;
  std::map<v1::DenormMode, int> verified;
};

// Returns whether proofs record the size called `name`. They record the sizes of variables and of the root, but not of
// inner type classes.
bool IsKeyName(const std::string& name, const ir::Term& search) {
  if (name == "root") return true;
  for (const ir::Node& node : search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && node.name == name) return true;
  }
  return false;
}

std::string KeyOf(const ir::SizeAssignment& sizes, const ir::Term& search) {
  std::map<std::string, int> key;
  for (const auto& [name, bits] : sizes.names) {
    if (IsKeyName(name, search)) key[name] = bits;
  }
  return absl::StrJoin(key, " ", absl::PairFormatter(":"));
}

std::string KeyOf(const v1::CaseVerdict& verdict, const ir::Term& search) {
  std::map<std::string, int> key;
  for (const auto& [name, bits] : verdict.sizes()) {
    if (IsKeyName(name, search)) key[name] = static_cast<int>(bits);
  }
  return absl::StrJoin(key, " ", absl::PairFormatter(":"));
}

std::set<int> FloatWidths(const ir::Rule& rule) {
  std::set<int> widths;
  for (const ir::Term* side : {&rule.search, &rule.replace}) {
    for (const ir::Node& node : side->nodes) {
      if (node.kind != ir::NodeKind::kOp || node.op->contract == ir::Contract::kBits) continue;
      if (node.op->result.base == ir::BaseType::kFloat) widths.insert(node.bits);
      for (size_t i = 0; i < node.sources.size(); ++i) {
        if (node.op->sources[i].base == ir::BaseType::kFloat) widths.insert(side->nodes[node.sources[i].node].bits);
      }
    }
  }
  return widths;
}

std::string Control(absl::string_view function, int width) {
  return absl::StrCat(function, "(info->float_controls_execution_mode, ", width, ")");
}

// Returns a condition that is true if the shader handles denormals at `width` according to one of the given modes. A
// shader that requests neither flushing nor preserving is in mode `any`.
std::string ModeCondition(bool any, bool flush, bool preserve, int width) {
  const std::string flushes = Control("nir_is_denorm_flush_to_zero", width);
  const std::string preserves = Control("nir_is_denorm_preserve", width);
  if (any && flush && preserve) return "";
  if (any && preserve) return absl::StrCat("!", flushes);
  if (any && flush) return absl::StrCat("!", preserves);
  if (any) return absl::StrCat("!", flushes, " && !", preserves);
  if (flush && preserve) return absl::StrCat("(", flushes, " || ", preserves, ")");
  return flush ? flushes : preserves;
}

// Returns a condition that excludes shaders that mix modes, because a proof assumes one mode for all widths.
std::string SameMode(const std::set<int>& widths) {
  std::string condition;
  for (const int width : widths) {
    if (width == *widths.begin()) continue;
    for (const absl::string_view function : {"nir_is_denorm_flush_to_zero", "nir_is_denorm_preserve"}) {
      condition =
          BothConditions(condition, absl::StrCat(Control(function, *widths.begin()), " == ", Control(function, width)));
    }
  }
  return condition;
}

std::string ConditionOf(const std::set<int>& widths, bool any, bool flush, bool preserve) {
  std::string condition = SameMode(widths);
  for (const int width : widths) condition = BothConditions(condition, ModeCondition(any, flush, preserve, width));
  return condition;
}

}  // namespace

std::string SizesText(const ir::SizeAssignment& sizes) {
  return absl::StrJoin(sizes.names, " ", absl::PairFormatter(":"));
}

std::string BothConditions(const std::string& x, const std::string& y) {
  if (x.empty() || x == y) return y;
  if (y.empty()) return x;
  // || has lower precedence than &&.
  const auto operand = [](const std::string& text) {
    return text.find("||") != std::string::npos || text.find('?') != std::string::npos ? absl::StrCat("(", text, ")")
                                                                                       : text;
  };
  return absl::StrCat(operand(x), " && ", operand(y));
}

absl::StatusOr<ProvedCases> FindProvedCases(const ir::Rule& rule, const v1::PackEntry& entry) {
  const auto assignments = ir::EnumerateSizes(rule);
  if (!assignments.ok()) return assignments.status();
  const bool inexact = entry.rule().rule_class() == v1::RULE_CLASS_INEXACT;
  if (inexact && entry.rule().inexact().reals() != v1::VERDICT_PROVED) {
    return absl::FailedPreconditionError("the inexact rule has no proof over the reals");
  }
  std::map<std::string, Tally> tallies;
  for (const v1::CaseVerdict& proof : entry.proofs()) {
    Tally& tally = tallies[KeyOf(proof, rule.search)];
    if (proof.verdict() == v1::VERDICT_PROVED) ++tally.proved[proof.mode()];
    if (proof.verdict() == v1::VERDICT_VACUOUS) ++tally.vacuous[proof.mode()];
    // An inexact rule is proved over the reals; its bitwise verdict must be proved, refuted, or unknown.
    const bool stated = proof.verdict() == v1::VERDICT_PROVED || proof.verdict() == v1::VERDICT_REFUTED ||
                        proof.verdict() == v1::VERDICT_UNKNOWN;
    if (stated) ++tally.verified[proof.mode()];
  }
  std::map<std::string, int> assignments_of_key;
  for (const ir::SizeAssignment& sizes : *assignments) ++assignments_of_key[KeyOf(sizes, rule.search)];

  ProvedCases result;
  result.all = true;
  for (const ir::SizeAssignment& sizes : *assignments) {
    const std::string key = KeyOf(sizes, rule.search);
    const int wanted = assignments_of_key[key];
    const Tally& tally = tallies[key];
    const auto holds = [&](v1::DenormMode mode) {
      const auto& counts = inexact ? tally.verified : tally.proved;
      const auto found = counts.find(mode);
      return found != counts.end() && found->second == wanted;
    };
    const auto vacuous = tally.vacuous.find(v1::DENORM_MODE_ANY);
    const auto vacuous_none = tally.vacuous.find(v1::DENORM_MODE_NONE);
    if ((vacuous != tally.vacuous.end() && vacuous->second == wanted) ||
        (vacuous_none != tally.vacuous.end() && vacuous_none->second == wanted)) {
      continue;  // Nothing matches at these sizes.
    }
    const bool none = holds(v1::DENORM_MODE_NONE), any = holds(v1::DENORM_MODE_ANY);
    const bool flush = holds(v1::DENORM_MODE_FLUSH), preserve = holds(v1::DENORM_MODE_PRESERVE);
    const auto at_sizes = ir::Instantiate(rule, sizes);
    if (!at_sizes.ok()) return at_sizes.status();
    const std::set<int> widths = FloatWidths(*at_sizes);
    if (!(any || flush || preserve || (none && widths.empty()))) {
      result.left_out.push_back(SizesText(sizes));
      result.all = false;
      continue;
    }
    result.cases.push_back({sizes, inexact || none ? "" : ConditionOf(widths, any, flush, preserve)});
  }
  if (result.cases.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("no case is proved", result.left_out.empty() ? "" : "; missing ",
                                                      absl::StrJoin(result.left_out, ", ")));
  }
  return result;
}

}  // namespace rewrought::emitter
