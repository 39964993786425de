// Cross-checks random terms in four domains: the scalar evaluator, the batch evaluator, Mesa's constant evaluator
// (built by build.sh) op by op, and, for a sample of the terms, a solver that reads their SMT-LIB text. Excludes
// approximate ops, and ops at sizes where Mesa's evaluator is known to differ (differences.txt).
// usage: cross_check_main LIBRARY VERSION DIFFERENCES [TERMS [SOLVED]]
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/batch.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/smt/smt.h"
#include "ir/text/rule_text.h"
#include "tests/mesa/oracle/mesa_evaluator.h"
#include "verifier/sample_cases.h"

namespace rewrought {
namespace {

constexpr size_t kLanes = 8;  // points per term
constexpr size_t kShown = 20;

// An op at one free size, in the form that Mesa's evaluator requires.
struct SizedOp {
  const ir::OpRow* row = nullptr;
  int size = 0;
  int mesa = -1;
  unsigned mesa_bits = 32;
};

int BitsOf(const ir::OperandType& type, int size) { return type.bits != 0 ? type.bits : size; }

std::vector<SizedOp> OpsOf(const Mesa& mesa, const std::map<std::string, std::string>& known) {
  std::vector<SizedOp> ops;
  for (const ir::OpRow* row : ir::AllOps()) {
    const int index = mesa.find(row->name.c_str());
    if (index < 0 || (row->properties & ir::kApproximate) != 0) continue;
    for (const int size : ir::FreeSizesOf(*row)) {
      if (known.contains(size == 0 ? row->name : absl::StrCat(row->name, "@", size))) continue;
      const int fixed = mesa.result_bits(index), result = BitsOf(row->result, size);
      bool fits = fixed == 0 || fixed == result;
      SizedOp op{row, size, index, fixed == 0 ? static_cast<unsigned>(result) : 32u};
      for (size_t k = 0; k < row->sources.size(); ++k) {
        const int wanted = mesa.source_bits(index, static_cast<int>(k)), bits = BitsOf(row->sources[k], size);
        fits = fits && (wanted == 0 || wanted == bits);
        if (wanted == 0) op.mesa_bits = static_cast<unsigned>(bits);
      }
      if (fits) ops.push_back(op);
    }
  }
  return ops;
}

// Generates a random term, and chooses the op of each of its nodes.
class TermMaker {
 public:
  TermMaker(const std::vector<SizedOp>& ops, std::mt19937_64* random) : ops_(ops), random_(*random) {
    for (size_t i = 0; i < ops_.size(); ++i) by_result_[BitsOf(ops_[i].row->result, ops_[i].size)].push_back(i);
  }

  ir::Term Make() {
    term_ = {};
    op_of_.clear();
    const size_t count = 1 + Below(6);
    for (size_t i = 0; i < count; ++i) AddOp();
    // Use the last op as the root, because it usually reads most of the term.
    term_.root = static_cast<ir::NodeIndex>(term_.nodes.size() - 1);
    return term_;
  }
  const std::map<ir::NodeIndex, size_t>& op_of() const { return op_of_; }

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  // Returns the index of an op, preferably one that can read the last value.
  size_t ChooseOp() {
    for (int tries = 0; tries < 12 && !op_of_.empty(); ++tries) {
      const size_t i = Below(ops_.size());
      for (const ir::OperandType& source : ops_[i].row->sources) {
        if (Fits(term_.nodes.size() - 1, BitsOf(source, ops_[i].size), source.base)) return i;
      }
    }
    return Below(ops_.size());
  }

  static bool IsBool(const ir::Node& node) {
    return node.kind == ir::NodeKind::kOp ? node.op->result.base == ir::BaseType::kBool
                                          : node.type == ir::BaseType::kBool;
  }

  bool Fits(size_t index, int bits, ir::BaseType base) const {
    const ir::Node& node = term_.nodes[index];
    return node.bits == bits && (base != ir::BaseType::kBool || bits == 1 || IsBool(node));
  }

  void AddOp() {
    const size_t chosen = ChooseOp();
    const SizedOp& op = ops_[chosen];
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = op.row;
    node.bits = static_cast<uint8_t>(BitsOf(op.row->result, op.size));
    node.components = op.row->result.components != 0 ? op.row->result.components
                                                     : static_cast<uint8_t>(Below(4) == 0 ? 1 + Below(4) : 1);
    for (const ir::OperandType& source : op.row->sources) {
      const int lanes = source.components != 0 ? source.components : node.components;
      node.sources.push_back(SourceOf(BitsOf(source, op.size), source.base, lanes));
    }
    op_of_[static_cast<ir::NodeIndex>(term_.nodes.size())] = chosen;
    term_.nodes.push_back(std::move(node));
  }

  ir::Source SourceOf(int bits, ir::BaseType base, int lanes) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < term_.nodes.size(); ++i) {
      if (Fits(i, bits, base)) fitting.push_back(i);
    }
    size_t index = term_.nodes.size();
    if (!fitting.empty() && Below(6) != 0) {
      // Prefer later values, because otherwise most ops would have no uses.
      index = std::max(fitting[Below(fitting.size())], fitting[Below(fitting.size())]);
    } else {
      AddLeaf(bits, base, lanes);
    }
    ir::Source source{static_cast<ir::NodeIndex>(index), ir::kIdentitySwizzle};
    const uint8_t components = term_.nodes[index].components;
    const bool shuffled = components < lanes || Below(4) == 0;
    for (int lane = 0; shuffled && lane < lanes; ++lane) {
      source.swizzle[static_cast<size_t>(lane)] = static_cast<uint8_t>(Below(components));
    }
    return source;
  }

  void AddLeaf(int bits, ir::BaseType base, int lanes) {
    ir::Node leaf;
    leaf.bits = static_cast<uint8_t>(bits);
    leaf.components = static_cast<uint8_t>(lanes);
    leaf.type = base;
    if (Below(6) == 0) {
      leaf.kind = ir::NodeKind::kConstant;
      leaf.literal = ir::LiteralKind::kBits;
      for (size_t c = 0; c < leaf.components; ++c) leaf.values[c] = DrawValue(&random_, base, bits);
    } else {
      leaf.name = absl::StrCat("v", std::string(1, static_cast<char>('a' + term_.nodes.size() % 26)),
                               std::string(1, static_cast<char>('a' + term_.nodes.size() / 26)));
    }
    term_.nodes.push_back(std::move(leaf));
  }

  const std::vector<SizedOp>& ops_;
  std::mt19937_64& random_;
  std::map<int, std::vector<size_t>> by_result_;
  ir::Term term_;
  std::map<ir::NodeIndex, size_t> op_of_;
};

using Vectors = std::vector<uint64_t>;  // [lane * kMesaComponents + component]

struct Tally {
  size_t terms = 0, points = 0, equal = 0, members = 0, trapped = 0, undecided = 0, solved = 0, unsolved = 0;
  size_t faults = 0;
};

class CrossCheck {
 public:
  CrossCheck(const Mesa& mesa, const std::vector<SizedOp>& ops, uint64_t seed)
      : mesa_(mesa), ops_(ops), random_(seed), maker_(ops, &random_) {}

  void Run(bool solve, Tally* tally) {
    term_ = maker_.Make();
    dag_ = {};
    const absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&dag_, term_, ir::DenormMode::kPreserve, 0);
    if (!lowered.ok()) return Fault(std::string(lowered.status().message()), 0, tally);
    lowered_ = *lowered;
    ++tally->terms;
    EvaluateAsMesa();
    DrawInputs();
    const auto batch = ir::EvaluateBatch(dag_, lowered_.lowered.root, leaves_, kLanes);
    for (size_t lane = 0; lane < kLanes; ++lane) CheckLane(batch, lane, tally);
    if (solve) AskSolver(tally);
  }

 private:
  // Draws the values of variables, and evaluates every other node with Mesa's evaluator.
  void EvaluateAsMesa() {
    values_.assign(term_.nodes.size(), {});
    trapped_.assign(kLanes, 0);
    for (ir::NodeIndex i = 0; i < term_.nodes.size(); ++i) {
      const ir::Node& node = term_.nodes[i];
      Vectors& values = values_[i];
      values.assign(kLanes * kMesaComponents, 0);
      if (node.kind == ir::NodeKind::kOp) {
        Apply(node, ops_[maker_.op_of().at(i)], &values);
        continue;
      }
      for (size_t lane = 0; lane < kLanes; ++lane) {
        for (size_t c = 0; c < node.components; ++c) {
          const bool constant = node.kind == ir::NodeKind::kConstant;
          values[lane * kMesaComponents + c] = constant ? node.values[c] : DrawValue(&random_, node.type, node.bits);
        }
      }
    }
  }

  void Apply(const ir::Node& node, const SizedOp& op, Vectors* result) {
    std::vector<Vectors> sources;
    std::vector<const uint64_t*> pointers;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      const ir::Source& source = node.sources[k];
      const uint8_t fixed = node.op->sources[k].components;
      const size_t lanes = fixed != 0 ? fixed : node.components;
      Vectors& gathered = sources.emplace_back(kLanes * kMesaComponents);
      for (size_t i = 0; i < kLanes; ++i) {
        for (size_t c = 0; c < lanes; ++c) {
          gathered[i * kMesaComponents + c] = values_[source.node][i * kMesaComponents + source.swizzle[c]];
        }
      }
    }
    for (const Vectors& source : sources) pointers.push_back(source.data());
    std::vector<unsigned char> trapped(kLanes);
    mesa_.evaluate(op.mesa, op.mesa_bits, node.components, 0, kLanes, pointers.data(), result->data(), trapped.data());
    for (size_t i = 0; i < kLanes; ++i) trapped_[i] |= trapped[i];
  }

  void DrawInputs() {
    std::map<std::string, ir::NodeIndex> variables;
    for (ir::NodeIndex i = 0; i < term_.nodes.size(); ++i) {
      if (term_.nodes[i].kind == ir::NodeKind::kVariable) variables[term_.nodes[i].name] = i;
    }
    leaves_ = {};
    for (const ir::Input& input : dag_.inputs()) {
      const size_t dot = input.name.find('.');
      const ir::NodeIndex node = variables.at(input.name.substr(0, dot));
      const size_t c = dot == std::string::npos ? 0 : static_cast<size_t>(std::atoi(input.name.c_str() + dot + 1));
      Vectors& lanes = leaves_.inputs.emplace_back();
      for (size_t i = 0; i < kLanes; ++i) lanes.push_back(values_[node][i * kMesaComponents + c]);
    }
    leaves_.choices.assign(lowered_.choices.size(), Vectors(kLanes, 0));
  }

  void CheckLane(const std::vector<Vectors>& batch, size_t lane, Tally* tally) {
    std::vector<uint64_t> inputs, target, ours;
    for (const Vectors& input : leaves_.inputs) inputs.push_back(input[lane]);
    ir::Evaluator evaluator(&dag_);
    evaluator.Start(inputs, [](uint32_t) { return uint64_t{0}; });
    for (size_t c = 0; c < lowered_.lowered.root.size(); ++c) {
      ours.push_back(evaluator.Evaluate(lowered_.lowered.root[c]));
      target.push_back(values_[term_.root][lane * kMesaComponents + c]);
      if (ours[c] != batch[c][lane]) return Fault("batch and scalar differ", lane, tally);
    }
    ++tally->points;
    if (trapped_[lane] != 0) {
      ++tally->trapped;
    } else if (ours == target) {
      ++tally->equal;
    } else {
      std::vector<uint64_t> hints;
      for (const Vectors& values : values_) {
        for (size_t c = 0; c < kMesaComponents; ++c) hints.push_back(values[lane * kMesaComponents + c]);
      }
      std::sort(hints.begin(), hints.end());
      hints.erase(std::unique(hints.begin(), hints.end()), hints.end());
      const ir::MembershipResult member = ir::IsAllowed(dag_, lowered_, inputs, target, hints);
      if (member.membership == ir::Membership::kMember) {
        ++tally->members;
      } else if (member.membership == ir::Membership::kNotFound) {
        ++tally->undecided;
      } else {
        Fault(absl::StrCat("Mesa's folding returns 0x", absl::Hex(target[0]), ", the row 0x", absl::Hex(ours[0])), lane,
              tally);
      }
    }
  }

  // Asks the solver whether the root can differ from the scalar evaluator's result on the first point.
  void AskSolver(Tally* tally) {
    std::vector<uint64_t> inputs;
    for (const Vectors& input : leaves_.inputs) inputs.push_back(input[0]);
    ir::Evaluator evaluator(&dag_);
    evaluator.Start(inputs, [](uint32_t) { return uint64_t{0}; });
    ir::SmtWriter writer(dag_, ir::FloatEncoding::kNative);
    writer.Define(lowered_.lowered.root);
    std::string differences;
    for (const ir::ValueIndex root : lowered_.lowered.root) {
      absl::StrAppend(&differences, " (not (= ", writer.NameOf(root), " ",
                      ir::SmtLiteral(evaluator.Evaluate(root), dag_.at(root).width), "))");
    }
    writer.Assert(absl::StrCat("(or false", differences, ")"));
    std::map<std::string, std::pair<int, uint64_t>> fixed;
    for (const auto& [name, width] : writer.declared()) {
      fixed[name] = {width, name[0] == 'i' ? inputs[static_cast<size_t>(std::atoi(name.c_str() + 1))] : 0};
    }
    verifier::SolverQuery query;
    for (absl::string_view line : absl::StrSplit(writer.Text(), '\n', absl::SkipEmpty())) {
      absl::string_view rest = line;
      if (absl::ConsumePrefix(&rest, "(declare-const ")) {
        const auto found = fixed.find(std::string(rest.substr(0, rest.find(' '))));
        if (found != fixed.end()) {
          const auto [width, value] = found->second;
          absl::StrAppend(&query.text, "(define-fun ", found->first, " () ",
                          width == 1 ? "Bool" : absl::StrCat("(_ BitVec ", width, ")"), " ",
                          ir::SmtLiteral(value, width), ")\n");
          continue;
        }
      }
      absl::StrAppend(&query.text, line, "\n");
    }
    query.timeout_ms = 3000;
    const verifier::SolverAnswer answer = verifier::SharedPool()->Solve(query);
    if (answer.answer == verifier::Answer::kSat) return Fault("the solver finds a different result", 0, tally);
    ++(answer.answer == verifier::Answer::kUnsat ? tally->solved : tally->unsolved);
    if (answer.answer == verifier::Answer::kUnknown && answer.reason != "time") {
      Fault(absl::StrCat("the solver answers ", answer.reason), 0, tally);
    }
  }

  void Fault(const std::string& what, size_t lane, Tally* tally) {
    if (++tally->faults > kShown) return;
    std::cout << "FAULT " << what << "\n  " << ir::PrintTerm(term_) << "\n ";
    for (size_t i = 0; i < dag_.inputs().size() && i < leaves_.inputs.size(); ++i) {
      std::cout << " " << dag_.inputs()[i].name << "=0x" << std::hex << leaves_.inputs[i][lane] << std::dec;
    }
    std::cout << "\n";
  }

  const Mesa& mesa_;
  const std::vector<SizedOp>& ops_;
  std::mt19937_64 random_;
  TermMaker maker_;
  ir::Term term_;
  ir::Dag dag_;
  ir::ChoiceTerm lowered_;
  ir::BatchLeaves leaves_;
  std::vector<Vectors> values_;  // by node, computed by Mesa
  std::vector<unsigned char> trapped_;
};

int Main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: cross_check_main LIBRARY VERSION DIFFERENCES [TERMS [SOLVED]]\n";
    return 2;
  }
  const Mesa mesa = LoadMesa(argv[1]);
  const std::vector<SizedOp> ops = OpsOf(mesa, ReadKnown(argv[3], argv[2]));
  const size_t terms = argc > 4 ? static_cast<size_t>(std::atoll(argv[4])) : 50000;
  const size_t solved = argc > 5 ? static_cast<size_t>(std::atoll(argv[5])) : 200;
  const size_t step = solved == 0 ? terms + 1 : std::max<size_t>(1, terms / solved);
  CrossCheck check(mesa, ops, 20261122);
  Tally tally;
  for (size_t i = 0; i < terms; ++i) check.Run(solved != 0 && i % step == step - 1, &tally);
  std::cout << "Mesa " << argv[2] << ": " << tally.terms << " random terms over " << ops.size() << " ops and sizes, "
            << tally.points
            << " points: batch and scalar evaluation equal on all but the faults; Mesa's folding equal on "
            << tally.equal << ", allowed but different on " << tally.members << ", trapped on " << tally.trapped
            << ", undecided on " << tally.undecided << "; the solver agrees on " << tally.solved << ", timed out on "
            << tally.unsolved << "; " << tally.faults << " faults\n";
  return tally.faults == 0 && tally.terms == terms ? 0 : 1;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) { return rewrought::Main(argc, argv); }
