#include "machine/sample_constants.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "ir/facts/fact_predicates.h"
#include "ir/fold.h"
#include "ir/match/mesa_build.h"
#include "ir/match/relation.h"
#include "ir/scalar.h"
#include "machine/base/constants.h"

namespace rewrought::machine {

namespace {

// The maximum number of combinations of symbols to try for a relation.
constexpr size_t kMaxCombinations = 4096;

// Returns, for each symbol, the common numbers that satisfy its predicates, or one common number if none satisfies
// them.
std::map<std::string, std::vector<uint64_t>> NumbersOf(const ir::Term& search) {
  std::map<std::string, std::vector<uint64_t>> samples;
  for (const ir::Node& node : search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || !node.constant_only || samples.contains(node.name)) continue;
    const ir::BaseType base = ir::TypeOfUse(search, node.name);
    std::vector<uint64_t> values;
    if (base == ir::BaseType::kFloat && ir::IsFloatWidth(node.bits)) {
      const double shift = 0.01 * static_cast<double>(samples.size());
      for (const double number : {0.37, 3.7, -0.37, 37.0}) values.push_back(ir::FloatToBits(number + shift, node.bits));
    }
    for (const uint64_t number : {0x31, 0x40, 7, 16, 1})
      values.push_back((number + samples.size()) & ir::MaskOf(node.bits));
    std::vector<uint64_t> fitting;
    std::copy_if(values.begin(), values.end(), std::back_inserter(fitting), [&](uint64_t value) {
      return std::all_of(node.predicates.begin(), node.predicates.end(), [&](const std::string& predicate) {
        return ir::ConstantHas(predicate, value, node.bits, base);
      });
    });
    if (fitting.empty()) fitting.push_back(values[0]);
    samples.emplace(node.name, std::move(fitting));
  }
  return samples;
}

bool IsTrue(const ir::Term& relation, const std::map<std::string, uint64_t>& symbols) {
  const ir::Term folded = ir::FoldConstants(WithConstants(relation, symbols));
  const ir::Node& truth = folded.root_node();
  return truth.kind == ir::NodeKind::kConstant && truth.values[0] == 1;
}

}  // namespace

std::map<std::string, uint64_t> SampleSymbols(const ir::Term& search) {
  const std::map<std::string, std::vector<uint64_t>> numbers = NumbersOf(ir::Matched(search));
  const ir::Term relation = ir::RelationOf(search);
  std::map<std::string, uint64_t> samples, first;
  for (size_t tried = 0; tried < kMaxCombinations; ++tried) {
    size_t rest = tried;
    for (const auto& [name, values] : numbers) {
      samples[name] = values[rest % values.size()];
      rest /= values.size();
    }
    if (rest > 0) break;
    if (tried == 0) first = samples;
    if (relation.nodes.empty() || IsTrue(relation, samples)) return samples;
  }
  return first;
}

ir::Term WithConstants(ir::Term term, const std::map<std::string, uint64_t>& symbols) {
  for (ir::Node& node : term.nodes) {
    const auto symbol = node.kind == ir::NodeKind::kVariable ? symbols.find(node.name) : symbols.end();
    if (symbol == symbols.end()) continue;
    ir::Node constant;
    constant.kind = ir::NodeKind::kConstant;
    constant.bits = node.bits;
    constant.values[0] = symbol->second;
    node = std::move(constant);
  }
  return term;
}

absl::StatusOr<Candidate> WithConstants(const Candidate& rule, const std::map<std::string, uint64_t>& symbols) {
  Candidate bound = rule;
  bound.search = WithConstants(ir::Matched(rule.search), symbols);
  if (rule.program.has_value()) {
    absl::StatusOr<Program> program = BindConstants(*rule.machine, *rule.program, symbols);
    if (!program.ok()) return program.status();
    bound.program = *std::move(program);
    return bound;
  }
  bound.replace = ir::FoldConstants(WithConstants(std::move(bound.replace), symbols));
  return bound;
}

Candidate WithSampleConstants(const Candidate& rule) {
  return WithConstants(rule, SampleSymbols(rule.search)).value_or(rule);
}

}  // namespace rewrought::machine
