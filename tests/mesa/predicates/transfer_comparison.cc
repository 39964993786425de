#include "tests/mesa/predicates/transfer_comparison.h"

#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/dag.h"
#include "ir/evaluate.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/term.h"
#include "tests/mesa/predicates/predicate_rows.h"

namespace rewrought {
namespace {

using ir::BaseType;

constexpr unsigned kStates = 42;  // the states that run_helpers.c defines
constexpr size_t kAllowedLimit = 4096;

// An operation at one size, whose first two operands may be related, and whose result is read as a type.
struct TransferCase {
  const char* op;
  int bits;
  const char* relation;
  BaseType reads;
};

std::vector<TransferCase> AllCases() {
  std::vector<TransferCase> cases;
  const auto add = [&](std::vector<const char*> ops, std::vector<int> sizes, std::vector<const char*> relations,
                       std::vector<BaseType> reads) {
    for (const char* op : ops) {
      for (const int bits : sizes) {
        for (const char* relation : relations) {
          for (const BaseType type : reads) cases.push_back({op, bits, relation, type});
        }
      }
    }
  };
  const BaseType f = BaseType::kFloat, i = BaseType::kInt, u = BaseType::kUint, b = BaseType::kBool;
  add({"b2f32", "i2f32", "u2f32"}, {32}, {"distinct"}, {f});
  add({"b2i32"}, {32}, {"distinct"}, {i, u});
  add({"mov", "bcsel"}, {16, 32, 64}, {"distinct"}, {f, i, u});
  add({"fabs", "fexp2", "frcp", "frsq", "fneg", "fsat", "fsign", "fsqrt", "ffloor", "fceil", "ftrunc"}, {16, 32, 64},
      {"distinct"}, {f});
  add({"fadd", "fmax", "fmin", "fpow"}, {16, 32, 64}, {"distinct"}, {f});
  add({"fmul", "fmulz"}, {32}, {"distinct", "same", "negated"}, {f});
  add({"fmul"}, {16, 64}, {"distinct", "same", "negated"}, {f});
  add({"ffma"}, {32}, {"distinct", "same", "negated"}, {f});
  add({"flrp"}, {32}, {"distinct"}, {f});
  add({"fdot2", "fdot3"}, {32}, {"same", "negated"}, {f});
  add({"flt", "fge", "feq", "fneu", "ilt", "ige", "ieq", "ine", "ult", "uge"}, {32}, {"distinct"}, {b, i, u});
  return cases;
}

// Returns the sampled values of an operand. If `few` is set, returns fewer floats, because many operands are combined.
std::vector<uint64_t> SampleValues(BaseType type, int bits, bool few) {
  if (bits == 1) return {0, 1};
  std::vector<uint64_t> values;
  if (type != BaseType::kFloat) {
    for (const uint64_t value : {0, 1, 2, 3, 7, 100})
      values.insert(values.end(), {value, (0 - value) & ir::MaskOf(bits)});
    const uint64_t top = uint64_t{1} << (bits - 1);
    values.insert(values.end(), {top, top - 1, top + 1});
    return values;
  }
  const ir::FloatFormat format = ir::FormatOf(bits);
  std::vector<uint64_t> magnitudes = {0,
                                      1,
                                      format.smallest_normal(),
                                      format.one(),
                                      format.infinity() - 1,
                                      format.infinity(),
                                      ir::FloatToBits(1.5, bits)};
  if (!few) {
    for (const double number : {0.25, 0.5, 2.0, 3.0, 2.5, 1024.0}) magnitudes.push_back(ir::FloatToBits(number, bits));
    magnitudes.insert(magnitudes.end(), {2, format.smallest_normal() - 1, format.smallest_normal() + 1,
                                         format.one() - 1, format.one() + 1, format.infinity() - 2});
  }
  for (const uint64_t magnitude : magnitudes) values.insert(values.end(), {magnitude, format.sign() | magnitude});
  values.push_back(format.quiet_nan());
  return values;
}

// Computes the masks of the predicates whose meaning is true for a value.
class Meanings {
 public:
  Meanings(const HelperProgram& program, BaseType type, int bits) {
    const ir::ValueIndex value = dag_.InputNamed("a", bits);
    for (size_t i = 0; i < program.variables().size(); ++i) {
      const absl::StatusOr<ir::ValueIndex> root =
          BuildPredicate(&dag_, program.dialect(), program.variables()[i], value, type, ReaderFlags{});
      if (root.ok()) roots_.emplace_back(i, *root);
    }
  }

  PredicateMask Of(uint64_t value) const {
    PredicateMask mask;
    const std::vector<uint64_t> inputs = {value};
    ir::Evaluator evaluator(&dag_);
    evaluator.Start(inputs, [](uint32_t) { return uint64_t{0}; });
    for (const auto& [number, root] : roots_) {
      if (evaluator.Evaluate(root) == 1) mask.add(number);
    }
    return mask;
  }

 private:
  ir::Dag dag_;
  std::vector<std::pair<size_t, ir::ValueIndex>> roots_;
};

bool IsSubset(const PredicateMask& small, const PredicateMask& large) {
  return (small.words[0] & ~large.words[0]) == 0 && (small.words[1] & ~large.words[1]) == 0;
}

class TransferComparison {
 public:
  TransferComparison(const HelperProgram& program, const std::vector<PredicateMask>& states, const TransferCase& one,
                     TransferOutcomes* outcomes)
      : program_(program), states_(states), case_(one), outcomes_(outcomes) {}

  void Run() {
    BuildTerm();
    claims_ = program_.Masks(absl::StrCat("transfer ", case_.op, " ", case_.bits, " ", case_.relation, " ",
                                          NameOf(case_.reads).substr(0, 1)));
    for (const ir::DenormMode mode : {ir::DenormMode::kPreserve, ir::DenormMode::kAny, ir::DenormMode::kFlush}) {
      dag_ = ir::Dag();
      mode_ = mode;
      absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&dag_, term_, mode, 0);
      if (!lowered.ok()) Fail(std::string(lowered.status().message()));
      lowered_ = *std::move(lowered);
      std::vector<uint64_t> inputs(dag_.inputs().size());
      std::vector<std::vector<unsigned>> possible(operands_.size());
      for (auto& states : possible) {
        for (unsigned state = 0; state < kStates; ++state) states.push_back(state);
      }
      ForEachInput(0, &inputs, possible);
    }
    ++outcomes_->cases;
  }

 private:
  struct Operand {
    BaseType type;
    std::vector<uint64_t> values;
    std::vector<std::vector<unsigned>> states;  // for each value, the states that it may have
  };

  [[noreturn]] void Fail(const std::string& message) const {
    std::cerr << "predicates: " << case_.op << ": " << message << "\n";
    std::exit(2);
  }

  void BuildTerm() {
    const ir::OpRow* const row = ir::FindOp(case_.op);
    if (row == nullptr) Fail("no such op");
    const std::string op = case_.op, relation = case_.relation;
    const bool is_copy = op == "mov" || op == "bcsel";
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = row;
    node.bits = static_cast<uint8_t>(row->result.bits != 0 ? row->result.bits : case_.bits);
    node.components = std::max<uint8_t>(1, row->result.components);
    for (size_t k = 0; k < row->sources.size(); ++k) {
      const ir::OperandType& type = row->sources[k];
      if (k == 1 && relation == "same") {
        node.sources.push_back(node.sources[0]);
        continue;
      }
      ir::Node variable;
      variable.name = std::string("s") + static_cast<char>('a' + k);
      variable.bits = static_cast<uint8_t>(type.bits != 0 ? type.bits : type.base == BaseType::kBool ? 1 : case_.bits);
      variable.components = std::max<uint8_t>(1, type.components);
      if (k == 1 && relation == "negated") {
        ir::Node negation;
        negation.kind = ir::NodeKind::kOp;
        negation.op = ir::FindOp("fneg");
        negation.bits = term_.nodes[0].bits;
        negation.components = term_.nodes[0].components;
        negation.sources.push_back({0});
        term_.nodes.push_back(negation);
        node.sources.push_back({static_cast<ir::NodeIndex>(term_.nodes.size() - 1)});
        continue;
      }
      const bool is_data = is_copy && (op == "mov" || k > 0);
      AddOperand(is_data ? case_.reads : type.base, variable.bits, row->sources.size());
      for (int c = 0; c < variable.components; ++c) operand_of_input_.push_back(operands_.size() - 1);
      term_.nodes.push_back(variable);
      node.sources.push_back({static_cast<ir::NodeIndex>(term_.nodes.size() - 1)});
    }
    result_bits_ = node.bits;
    term_.root = static_cast<ir::NodeIndex>(term_.nodes.size());
    term_.nodes.push_back(node);
    result_meanings_.emplace(program_, case_.reads, result_bits_);
  }

  void AddOperand(BaseType type, int bits, size_t sources) {
    Operand operand;
    operand.type = type;
    const std::string op = case_.op;
    operand.values = SampleValues(type, bits, sources > 2 || op == "fdot2" || op == "fdot3");
    const Meanings meanings(program_, type, bits);
    const size_t base = type == BaseType::kFloat ? 0 : type == BaseType::kInt ? 1 : type == BaseType::kUint ? 2 : 3;
    for (const uint64_t value : operand.values) {
      const PredicateMask meant = meanings.Of(value);
      operand.states.emplace_back();
      for (unsigned state = 0; state < kStates; ++state) {
        if (IsSubset(states_[base * kStates + state], meant)) operand.states.back().push_back(state);
      }
    }
    operands_.push_back(std::move(operand));
  }

  // Tries all values of the inputs from `at` on. `possible` contains the states that each operand may have, given the
  // values of the earlier inputs.
  void ForEachInput(size_t at, std::vector<uint64_t>* inputs, const std::vector<std::vector<unsigned>>& possible) {
    if (at == inputs->size()) return Check(*inputs, possible);
    const size_t index = operand_of_input_[at];
    const Operand& operand = operands_[index];
    for (size_t v = 0; v < operand.values.size(); ++v) {
      std::vector<std::vector<unsigned>> fewer = possible;
      fewer[index].clear();
      for (const unsigned state : possible[index]) {
        if (std::find(operand.states[v].begin(), operand.states[v].end(), state) != operand.states[v].end())
          fewer[index].push_back(state);
      }
      (*inputs)[at] = operand.values[v];
      ForEachInput(at + 1, inputs, fewer);
    }
  }

  void Check(const std::vector<uint64_t>& inputs, const std::vector<std::vector<unsigned>>& possible) {
    const ir::AllowedSet allowed = ir::AllowedResults(dag_, lowered_, inputs, kAllowedLimit);
    PredicateMask meant;
    meant.words = {~uint64_t{0}, ~uint64_t{0}};
    for (const ir::AllowedResult& result : allowed.results) {
      if (result[0].kind == ir::AllowedKind::kAnyValue) Fail("the result may be any value");
      const bool is_nan = result[0].kind == ir::AllowedKind::kAnyNan;
      const uint64_t value = is_nan ? ir::FormatOf(result_bits_).quiet_nan() : result[0].value;
      const PredicateMask holds = result_meanings_->Of(value);
      for (size_t w = 0; w < 2; ++w) meant.words[w] &= holds.words[w];
    }
    CheckStates(0, 0, inputs, possible, meant);
  }

  void CheckStates(size_t at, size_t tuple, const std::vector<uint64_t>& inputs,
                   const std::vector<std::vector<unsigned>>& possible, const PredicateMask& meant) {
    if (at < possible.size()) {
      for (const unsigned state : possible[at]) CheckStates(at + 1, tuple * kStates + state, inputs, possible, meant);
      return;
    }
    ++outcomes_->compared;
    if (IsSubset(claims_[tuple], meant)) return;
    for (size_t i = 0; i < program_.variables().size(); ++i) {
      if (!claims_[tuple].has(i) || meant.has(i)) continue;
      auto& faults = mode_ == ir::DenormMode::kPreserve ? outcomes_->faults : outcomes_->flushed;
      std::string& example = faults[case_.op][program_.variables()[i]];
      if (!example.empty()) continue;
      example = absl::StrFormat("%d bits, operands %s, state %d:", case_.bits, case_.relation, tuple);
      for (const uint64_t input : inputs) absl::StrAppendFormat(&example, " 0x%x", input);
    }
  }

  const HelperProgram& program_;
  const std::vector<PredicateMask>& states_;
  const TransferCase case_;
  TransferOutcomes* const outcomes_;
  ir::Term term_;
  std::vector<Operand> operands_;         // the operands that are not derived from others
  std::vector<size_t> operand_of_input_;  // for each input of the Dag
  int result_bits_ = 0;
  std::optional<Meanings> result_meanings_;
  std::vector<PredicateMask> claims_;
  ir::DenormMode mode_ = ir::DenormMode::kPreserve;
  ir::Dag dag_;
  ir::ChoiceTerm lowered_;
};

}  // namespace

TransferOutcomes CompareTransfers(const HelperProgram& program) {
  TransferOutcomes outcomes;
  const std::vector<PredicateMask> states = program.Masks("states");
  std::set<std::string> ops;
  for (const TransferCase& one : AllCases()) {
    TransferComparison(program, states, one, &outcomes).Run();
    ops.insert(one.op);
  }
  outcomes.ops = static_cast<int>(ops.size());
  for (auto& [op, flushed] : outcomes.flushed) {
    for (const auto& [predicate, example] : outcomes.faults[op]) flushed.erase(predicate);
  }
  return outcomes;
}

}  // namespace rewrought
