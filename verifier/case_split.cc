#include "verifier/case_split.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/dialect/nir26_predicates.h"
#include "ir/digest.h"
#include "ir/facts/fact_predicates.h"
#include "ir/match/mesa_build.h"
#include "ir/scalar.h"

namespace rewrought::verifier {
namespace {

constexpr size_t kMaxCombinations = 1024;

struct Split {
  std::string variable;
  std::vector<uint64_t> values;
};

bool Has(const ir::Node& node, const char* predicate) {
  return std::find(node.predicates.begin(), node.predicates.end(), predicate) != node.predicates.end();
}

// Returns the possible values of `variable`, or an empty list if there are too many.
std::vector<uint64_t> ValuesOf(const ir::Node& variable, bool is_boolean) {
  std::vector<uint64_t> values;
  if (variable.bits == 1 || is_boolean) return {0, ir::MaskOf(variable.bits)};
  if (Has(variable, "is_ult_32")) {
    for (uint64_t value = 0; value < 32; ++value) values.push_back(value);
  } else if (Has(variable, "is_pos_power_of_two")) {
    // The top bit alone is a power of two only if the value is read as unsigned; the case's precondition decides
    // whether this value is admitted.
    for (int bit = 0; bit < variable.bits; ++bit) values.push_back(uint64_t{1} << bit);
  } else if (Has(variable, "is_neg_power_of_two")) {
    for (int bit = 0; bit < variable.bits; ++bit) values.push_back((~uint64_t{0} << bit) & ir::MaskOf(variable.bits));
  }
  return values;
}

// Returns the width of the shifts if the variable is used only as the count of shifts of a single width; otherwise
// returns 0. Such shifts read only the low bits of the count.
int ShiftedBits(const RuleCase& rule_case, const std::string& name) {
  int bits = 0;
  for (const ir::Term* term : {&rule_case.search, &rule_case.replace}) {
    // If the root is the variable itself, all its bits are visible.
    if (term->root_node().kind == ir::NodeKind::kVariable && term->root_node().name == name) return 0;
    for (const ir::Node& node : term->nodes) {
      for (size_t k = 0; k < node.sources.size(); ++k) {
        const ir::Node& source = term->at(node.sources[k].node);
        if (source.kind != ir::NodeKind::kVariable || source.name != name) continue;
        const std::string& op = node.op->name;
        if (k != 1 || (op != "ishl" && op != "ishr" && op != "ushr") || (bits != 0 && bits != node.bits)) return 0;
        bits = node.bits;
      }
    }
  }
  return bits;
}

// Returns the variables to split on, Booleans first.
std::vector<Split> SplitsOf(const RuleCase& rule_case) {
  std::vector<Split> splits;
  for (const ir::Node& node : rule_case.search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.components != 1) continue;
    const auto same = [&](const Split& split) { return split.variable == node.name; };
    if (std::any_of(splits.begin(), splits.end(), same)) continue;
    // A variable that the search reads as a Boolean is a Boolean at all its uses, because PreparedCase assumes so.
    std::vector<uint64_t> values = ValuesOf(node, ir::TypeOfUse(rule_case.search, node.name) == ir::BaseType::kBool);
    const int shifted = values.empty() && node.predicates.empty() ? ShiftedBits(rule_case, node.name) : 0;
    for (int count = 0; count < shifted; ++count) values.push_back(static_cast<uint64_t>(count));
    if (!values.empty()) splits.push_back({node.name, std::move(values)});
  }
  std::stable_sort(splits.begin(), splits.end(),
                   [](const Split& a, const Split& b) { return a.values.size() < b.values.size(); });
  size_t combinations = 1;
  for (size_t i = 0; i < splits.size(); ++i) {
    combinations *= splits[i].values.size();
    if (combinations > kMaxCombinations) {
      splits.resize(i);
      break;
    }
  }
  return splits;
}

void Substitute(const std::string& variable, uint64_t value, ir::Term* term) {
  for (ir::Node& node : term->nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.name != variable) continue;
    ir::Node constant;
    constant.kind = ir::NodeKind::kConstant;
    constant.bits = node.bits;
    constant.components = node.components;
    constant.literal = ir::LiteralKind::kBits;
    constant.values.fill(value);
    node = std::move(constant);
  }
}

// Returns whether the variable's predicates admit the value; returns true if the predicates do not determine this.
// Parts lose these predicates, because the variable becomes a constant.
bool Admits(const RuleCase& rule_case, const std::string& variable, uint64_t value) {
  const bool is_26 = rule_case.dialect == ir::Dialect::kNir26;
  for (const ir::Node& node : rule_case.search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.name != variable) continue;
    const ir::BaseType base = TypeForPredicates(rule_case.dialect, rule_case.search, node);
    const auto may_hold = [&](const std::string& predicate) {
      // In Mesa 26, these predicates have another meaning, which depends on the instruction that reads the variable.
      if (is_26 && ir::DependsOnReaderIn26(predicate)) return true;
      return ir::ConstantMayHave(predicate, value, node.bits, base);
    };
    if (!std::all_of(node.predicates.begin(), node.predicates.end(), may_hold)) return false;
  }
  return true;
}

void ReplaceQueryByDigest(Certificate* certificate) {
  if (!certificate->query.empty()) certificate->query_digest = ir::Sha256Hex(certificate->query);
  certificate->query.clear();
}

bool IsCostly(const ir::Node& node) {
  if (node.kind != ir::NodeKind::kOp) return false;
  const std::string& op = node.op->name;
  const auto has = [&](const char* part) { return op.find(part) != std::string::npos; };
  return node.op->contract != ir::Contract::kBits || has("mul") || has("div") || has("mod") || has("rem");
}

}  // namespace

bool ShouldSplitFirst(const RuleCase& rule_case) {
  bool wide_power = false;
  for (const ir::Node& node : rule_case.search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.bits < 16) continue;
    wide_power = wide_power || Has(node, "is_pos_power_of_two") || Has(node, "is_neg_power_of_two");
  }
  if (wide_power) return true;
  const std::vector<Split> splits = SplitsOf(rule_case);
  if (splits.empty() || splits[0].values.size() > 2) return false;
  const auto costly = [](const ir::Term& term) {
    return std::count_if(term.nodes.begin(), term.nodes.end(), IsCostly);
  };
  return costly(rule_case.search) + costly(rule_case.replace) > 1;
}

std::vector<CasePart> PartsOf(const RuleCase& rule_case) {
  const std::vector<Split> splits = SplitsOf(rule_case);
  std::vector<CasePart> parts;
  if (splits.empty()) return parts;
  std::vector<size_t> at(splits.size(), 0);
  for (;;) {
    CasePart part{{}, rule_case};
    bool admitted = true;
    for (size_t i = 0; i < splits.size(); ++i) {
      const uint64_t value = splits[i].values[at[i]];
      admitted = admitted && Admits(rule_case, splits[i].variable, value);
      Substitute(splits[i].variable, value, &part.rule_case.search);
      Substitute(splits[i].variable, value, &part.rule_case.replace);
      part.values.emplace_back(splits[i].variable, value);
    }
    if (admitted) parts.push_back(std::move(part));
    size_t i = 0;
    while (i < splits.size() && ++at[i] == splits[i].values.size()) at[i++] = 0;
    if (i == splits.size()) return parts;
  }
}

std::optional<CaseResult> ProveBySplitting(const Prover& prover, const RuleCase& rule_case) {
  const auto start = std::chrono::steady_clock::now();
  CaseResult whole;
  whole.verdict = v1::VERDICT_VACUOUS;
  whole.certificate = Certificate{};
  whole.certificate->kind = v1::TIER_CASE_SPLIT;
  for (CasePart& part : PartsOf(rule_case)) {
    CaseResult result = prover.Prove(part.rule_case);
    if (result.verdict != v1::VERDICT_PROVED && result.verdict != v1::VERDICT_VACUOUS) return std::nullopt;
    CertificatePart& shown = whole.certificate->parts.emplace_back();
    shown.values = std::move(part.values);
    whole.tier = std::max(whole.tier, result.tier);
    if (result.verdict == v1::VERDICT_VACUOUS) continue;
    whole.verdict = v1::VERDICT_PROVED;
    if (!result.certificate.has_value()) return std::nullopt;
    shown.certificate = *std::move(result.certificate);
    // Drop the text, because hundreds of parts would take megabytes and verification restates the query.
    ReplaceQueryByDigest(&shown.certificate);
    for (Certificate& coinciding : shown.certificate.coinciding) ReplaceQueryByDigest(&coinciding);
  }
  if (whole.verdict != v1::VERDICT_PROVED) return std::nullopt;
  // In a part, a variable that was split is a constant, so it cannot be the result of an op there.
  whole = prover.ProveCoincidences(rule_case, std::move(whole));
  if (whole.verdict != v1::VERDICT_PROVED) return std::nullopt;
  for (Certificate& coinciding : whole.certificate->coinciding) ReplaceQueryByDigest(&coinciding);
  whole.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return whole;
}

}  // namespace rewrought::verifier
