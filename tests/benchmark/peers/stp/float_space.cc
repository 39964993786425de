#include "tests/benchmark/peers/stp/float_space.h"

#include <algorithm>

#include "absl/types/span.h"

namespace rewrought::peers {
namespace {

using OperandKind = FloatOperand::Kind;
using TargetKind = FloatTarget::Kind;

constexpr FloatOp kInnerOps[] = {FloatOp::kAbs, FloatOp::kNeg, FloatOp::kSqrt, FloatOp::kRoundToIntegral,
                                 FloatOp::kMul, FloatOp::kAdd, FloatOp::kSub};

std::vector<FloatOperand> OperandChoices(int depth) {
  std::vector<FloatOperand> choices = {{OperandKind::kVariable}};
  for (int i = 0; i < kFloatConstants; ++i) choices.push_back({OperandKind::kConstant, static_cast<FloatConstant>(i)});
  if (depth == 1) return choices;
  for (const FloatOp op : kInnerOps) choices.push_back({OperandKind::kInner, FloatConstant::kNaN, op});
  return choices;
}

// Returns the targets, except inner terms, in the order in which they are tried.
std::vector<FloatTarget> Targets(bool of_predicates) {
  if (of_predicates) {
    return {{TargetKind::kTrue},   {TargetKind::kFalse},      {TargetKind::kIsNaN},      {TargetKind::kIsNotNaN},
            {TargetKind::kIsZero}, {TargetKind::kIsInfinite}, {TargetKind::kIsNegative}, {TargetKind::kIsPositive}};
  }
  std::vector<FloatTarget> targets = {{TargetKind::kVariable}, {TargetKind::kNegated}, {TargetKind::kAbsolute}};
  for (int i = 0; i < kFloatConstants; ++i) targets.push_back({TargetKind::kConstant, static_cast<FloatConstant>(i)});
  return targets;
}

bool EqualOnAll(const FloatMeaning& meaning, const FloatCandidate& candidate, const FloatTarget& target,
                Rounding rounding) {
  for (uint64_t x = 0; x < meaning.floats().format().patterns(); ++x) {
    if (!meaning.Equal(candidate, target, rounding, static_cast<uint32_t>(x))) return false;
  }
  return true;
}

// Returns one rule for each target that the candidate equals in some mode.
std::vector<FloatRule> RulesOf(const FloatCandidate& candidate, const FloatMeaning& meaning, size_t* searched) {
  std::vector<FloatRule> rules;
  const size_t modes = candidate.Rounds() ? kRoundings.size() : 1;
  *searched += modes;
  for (size_t mode = 0; mode < modes; ++mode) {
    const std::optional<FloatTarget> target = FindTarget(meaning, candidate, kRoundings[mode]);
    if (!target.has_value()) continue;
    auto rule = std::find_if(rules.begin(), rules.end(), [&](const FloatRule& one) { return one.target == *target; });
    if (rule == rules.end()) rule = rules.insert(rule, {candidate, *target});
    rule->modes |= static_cast<uint8_t>(1 << mode);
  }
  return rules;
}

void Confirm(const FloatMeaning& meaning, FloatRule* rule, size_t* confirming) {
  rule->confirmed = true;
  for (size_t mode = 0; mode < kRoundings.size(); ++mode) {
    if (!rule->HoldsIn(mode)) continue;
    ++*confirming;
    rule->confirmed &= EqualOnAll(meaning, rule->candidate, rule->target, kRoundings[mode]);
  }
}

}  // namespace

std::vector<FloatCandidate> FloatCandidates(int depth) {
  const std::vector<FloatOperand> choices = OperandChoices(depth);
  const auto wanted = depth == 1 ? OperandKind::kVariable : OperandKind::kInner;
  std::vector<FloatCandidate> candidates;
  for (const FloatOpRow& row : FloatOpRows()) {
    const bool classification = row.predicate && row.operands == 1;
    if (depth == 1 ? classification : row.op == FloatOp::kFma) continue;
    size_t tuples = 1;
    for (int i = 0; i < row.operands; ++i) tuples *= choices.size();
    for (size_t tuple = 0; tuple < tuples; ++tuple) {
      FloatCandidate candidate = {row.op};
      size_t rest = tuple;
      int found = 0;
      for (int i = 0; i < row.operands; ++i, rest /= choices.size()) {
        candidate.operands[i] = choices[rest % choices.size()];
        if (candidate.operands[i].kind == wanted) ++found;
      }
      if (depth == 1 ? found >= 1 : found == 1) candidates.push_back(candidate);
    }
  }
  return candidates;
}

std::optional<FloatTarget> FindTarget(const FloatMeaning& meaning, const FloatCandidate& candidate, Rounding rounding) {
  static const auto& of_terms = *new std::vector<FloatTarget>(Targets(false));
  static const auto& of_predicates = *new std::vector<FloatTarget>(Targets(true));
  const bool predicate = RowOf(candidate.op).predicate;
  for (const FloatTarget& target : predicate ? of_predicates : of_terms) {
    if (EqualOnAll(meaning, candidate, target, rounding)) return target;
  }
  const FloatTarget inner = {TargetKind::kInner};
  if (!predicate && candidate.Inner() != nullptr && EqualOnAll(meaning, candidate, inner, rounding)) return inner;
  return std::nullopt;
}

FloatSpaceResult SearchFloatSpace(int depth, const SearchFormats& formats) {
  const FloatMeaning search(formats.search), confirm(formats.confirm), fma_search(formats.fma_search),
      fma_confirm(formats.fma_confirm);
  FloatSpaceResult result;
  for (const FloatCandidate& candidate : FloatCandidates(depth)) {
    const bool fma = candidate.op == FloatOp::kFma;
    for (FloatRule& rule : RulesOf(candidate, fma ? fma_search : search, &result.searched)) {
      Confirm(fma ? fma_confirm : confirm, &rule, &result.confirming);
      result.rules.push_back(rule);
    }
  }
  return result;
}

}  // namespace rewrought::peers
