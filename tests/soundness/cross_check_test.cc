// Cross-checks verdicts, because two solvers that agree may both have been given the wrong query. Decides random rules,
// half of which are true by construction, by five methods that share as little code as possible. The methods are plain
// C++ in this file (8-bit integers, all inputs) or the host's floating-point unit, test vectors and exhaustive
// evaluation without a solver, Z3 alone, cvc5 alone, and both solvers. No method may prove a rule that another method
// refutes. For a long run, set CROSS_CHECK_RULES=20000 and CROSS_CHECK_SEED=7.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/names.h"
#include "verifier/oracle/host_oracle.h"
#include "verifier/prover.h"
#include "verifier/sample_cases.h"
#include "verifier/worker/cvc5_process.h"

namespace rewrought::verifier {
namespace {

constexpr int kRules = 300;
constexpr uint64_t kHostVectors = 20000;

int FromEnvironment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// The meaning of an op on 8-bit integers, defined here independently of the op rows.
using Meaning = std::function<uint8_t(uint8_t, uint8_t)>;
struct Op {
  const char* name;
  int operands;
  Meaning meaning;  // empty for float ops
};

int8_t Signed(uint8_t x) { return static_cast<int8_t>(x); }

const std::vector<Op>& IntegerOps() {
  static const auto& ops = *new std::vector<Op>{
      {"iadd", 2, [](uint8_t a, uint8_t b) { return a + b; }},
      {"isub", 2, [](uint8_t a, uint8_t b) { return a - b; }},
      {"imul", 2, [](uint8_t a, uint8_t b) { return a * b; }},
      {"iand", 2, [](uint8_t a, uint8_t b) { return a & b; }},
      {"ior", 2, [](uint8_t a, uint8_t b) { return a | b; }},
      {"ixor", 2, [](uint8_t a, uint8_t b) { return a ^ b; }},
      {"imin", 2, [](uint8_t a, uint8_t b) { return Signed(a) < Signed(b) ? a : b; }},
      {"imax", 2, [](uint8_t a, uint8_t b) { return Signed(a) > Signed(b) ? a : b; }},
      {"umin", 2, [](uint8_t a, uint8_t b) { return a < b ? a : b; }},
      {"umax", 2, [](uint8_t a, uint8_t b) { return a > b ? a : b; }},
      {"ineg", 1, [](uint8_t a, uint8_t) { return -a; }},
      {"inot", 1, [](uint8_t a, uint8_t) { return ~a; }},
      {"iabs", 1, [](uint8_t a, uint8_t) { return Signed(a) < 0 ? -a : a; }},
  };
  return ops;
}

const std::vector<Op>& FloatOps() {
  static const auto& ops = *new std::vector<Op>{{"fadd", 2, {}}, {"fmul", 2, {}}, {"fmin", 2, {}}, {"fmax", 2, {}},
                                                {"fneg", 1, {}}, {"fabs", 1, {}}, {"fsat", 1, {}}};
  return ops;
}

struct Tree {
  const Op* op = nullptr;  // null for a leaf
  char variable = 0;       // 'a' to 'c', or 0 for the constant
  uint8_t constant = 0;
  std::vector<Tree> operands;
};

uint8_t Evaluate(const Tree& tree, const uint8_t* inputs) {
  if (tree.op == nullptr) return tree.variable == 0 ? tree.constant : inputs[tree.variable - 'a'];
  const uint8_t first = Evaluate(tree.operands[0], inputs);
  return tree.op->meaning(first, tree.op->operands == 2 ? Evaluate(tree.operands[1], inputs) : 0);
}

std::string Text(const Tree& tree, bool floats) {
  if (tree.op == nullptr && tree.variable != 0) return absl::StrCat("'", std::string(1, tree.variable), "'");
  if (tree.op == nullptr) return absl::StrCat(tree.constant, floats ? ".0" : "");
  std::string text = absl::StrCat("('", tree.op->name, "'");
  for (const Tree& operand : tree.operands) absl::StrAppend(&text, ", ", Text(operand, floats));
  return text + ")";
}

bool Has(const Tree& tree, char variable) {
  if (tree.op == nullptr) return tree.variable == variable;
  return std::any_of(tree.operands.begin(), tree.operands.end(),
                     [&](const Tree& operand) { return Has(operand, variable); });
}

// Generates random rules from a set of ops.
class Grammar {
 public:
  Grammar(const std::vector<Op>& ops, uint32_t seed) : ops_(ops), random_(seed) {}

  // Returns a search side and a replacement; in every second pair, both compute the same function by construction.
  std::pair<Tree, Tree> Rule(int depth) {
    Tree search = Term(depth);
    while (search.op == nullptr || !(Has(search, 'a') || Has(search, 'b'))) search = Term(depth);
    const Tree same = Same(search, 2);
    next_is_same_ = !next_is_same_;
    if (next_is_same_) return {search, same};
    Tree changed = Changed(same);
    const auto unbound = [&](char variable) { return Has(changed, variable) && !Has(search, variable); };
    while (unbound('a') || unbound('b')) changed = Changed(same);
    return {search, changed};
  }

 private:
  Tree Term(int depth) {
    if (depth == 0 || Pick(5) == 0) return Leaf();
    Tree tree;
    tree.op = &ops_[Pick(ops_.size())];
    for (int i = 0; i < tree.op->operands; ++i) tree.operands.push_back(Term(depth - 1));
    return tree;
  }

  // Applies identities that hold in every model of these ops: swapped operands, double negation, double complement.
  Tree Same(Tree tree, int steps) {
    for (; steps > 0; --steps) {
      Tree* const at = Node(&tree);
      if (at->op != nullptr && at->op->operands == 2 && std::string(at->op->name) != "isub" && Pick(3) != 0) {
        std::swap(at->operands[0], at->operands[1]);
        continue;
      }
      const Op* const twice = Find(ops_[0].meaning == nullptr ? "fneg" : Pick(2) ? "ineg" : "inot");
      Tree inner{twice, 0, 0, {*at}};
      *at = Tree{twice, 0, 0, {std::move(inner)}};
    }
    return tree;
  }

  // Changes one op, operand or constant, so that the function is usually different.
  Tree Changed(Tree tree) {
    Tree* const at = Node(&tree);
    if (at->op == nullptr) {
      *at = Leaf();
    } else if (Pick(2) == 0) {
      const Op* other = at->op;
      while (other == at->op || other->operands != at->op->operands) other = &ops_[Pick(ops_.size())];
      at->op = other;
    } else {
      at->operands[Pick(at->operands.size())] = Leaf();
    }
    return tree;
  }

  size_t Pick(size_t below) { return random_() % below; }
  const Op* Find(const std::string& name) const {
    for (const Op& op : ops_) {
      if (op.name == name) return &op;
    }
    return nullptr;
  }
  Tree Leaf() {
    constexpr uint8_t kConstants[] = {0, 1, 2, 4};
    if (Pick(4) == 0) return Tree{nullptr, 0, kConstants[Pick(4)], {}};
    return Tree{nullptr, static_cast<char>('a' + Pick(2)), 0, {}};
  }
  Tree* Node(Tree* tree) {
    while (tree->op != nullptr && Pick(3) != 0) tree = &tree->operands[Pick(tree->operands.size())];
    return tree;
  }

  const std::vector<Op>& ops_;
  std::mt19937 random_;
  bool next_is_same_ = false;
};

enum class Truth { kHolds, kDiffers, kOpen };

Truth TruthOf(const Tree& search, const Tree& replace) {
  for (int point = 0; point < 1 << 16; ++point) {
    const uint8_t inputs[] = {static_cast<uint8_t>(point), static_cast<uint8_t>(point >> 8)};
    if (Evaluate(search, inputs) != Evaluate(replace, inputs)) return Truth::kDiffers;
  }
  return Truth::kHolds;
}

// Decides rules by several methods, compares the verdicts with the truth, and counts each method's verdicts.
class Ways {
 public:
  Ways() {
    ProverOptions alone = SolversOnly();
    alone.budget_scale = 0.5;
    ProverOptions without;
    without.exhaustive_bits = without.last_resort_bits = 20;
    ways_.emplace_back("no solver", Prover({}, without));
    ways_.emplace_back("Z3", Prover(SharedPool(), alone));
    ways_.emplace_back("cvc5", Prover(&cvc5_, alone));
    ways_.emplace_back("both", Prover({SharedPool(), &cvc5_}, ProverOptions{}));
  }

  void Decide(const std::string& rule, const RuleCase& rule_case, Truth truth) {
    bool proved = truth == Truth::kHolds, refuted = truth == Truth::kDiffers;
    ++counts_["truth"][proved ? "proved" : refuted ? "refuted" : "unknown"];
    std::string said;
    for (const auto& [name, prover] : ways_) {
      const CaseResult result = prover.Prove(rule_case);
      const std::string verdict(v1::NameOf(result.verdict));
      ++counts_[name][verdict];
      absl::StrAppend(&said, " ", name, ": ", verdict);
      proved = proved || result.verdict == v1::VERDICT_PROVED;
      refuted = refuted || result.verdict == v1::VERDICT_REFUTED;
    }
    EXPECT_FALSE(proved && refuted) << rule << said;
  }

  void Print(const char* family) const {
    for (const auto& [name, counts] : counts_) {
      std::cout << family << ", " << name << ":";
      for (const auto& [verdict, count] : counts) std::cout << " " << count << " " << verdict;
      std::cout << "\n";
    }
  }
  int Count(const std::string& way, const std::string& verdict) { return counts_[way][verdict]; }

 private:
  Cvc5Process cvc5_{Cvc5Options{}};
  std::vector<std::pair<std::string, Prover>> ways_;
  std::map<std::string, std::map<std::string, int>> counts_;
};

TEST(CrossCheck, IntegersOfEightBitsAgainstEveryInput) {
  const int rules = FromEnvironment("CROSS_CHECK_RULES", kRules);
  Grammar grammar(IntegerOps(), static_cast<uint32_t>(FromEnvironment("CROSS_CHECK_SEED", 1)));
  Ways ways;
  for (int i = 0; i < rules; ++i) {
    const auto [search, replace] = grammar.Rule(3);
    const std::string rule = absl::StrCat("(", Text(search, false), ", ", Text(replace, false), ")");
    ways.Decide(rule, CaseOf(rule, 8, ir::DenormMode::kNone), TruthOf(search, replace));
  }
  ways.Print("integers");
  EXPECT_GT(ways.Count("truth", "refuted"), rules / 4);
  EXPECT_GT(ways.Count("truth", "proved"), rules / 4);
  for (const char* way : {"no solver", "Z3", "cvc5", "both"}) {
    EXPECT_GT(ways.Count(way, "proved") + ways.Count(way, "refuted"), rules * 9 / 10) << way;
  }
}

TEST(CrossCheck, FloatsAgainstTheHostsUnit) {
  const int rules = FromEnvironment("CROSS_CHECK_RULES", kRules) / 3;
  Grammar grammar(FloatOps(), static_cast<uint32_t>(FromEnvironment("CROSS_CHECK_SEED", 1)));
  Ways ways;
  for (int i = 0; i < rules; ++i) {
    const auto [search, replace] = grammar.Rule(2);
    const std::string rule = absl::StrCat("(", Text(search, true), ", ", Text(replace, true), ")");
    const RuleCase rule_case = CaseOf(rule, 32, ir::DenormMode::kPreserve);
    const OracleTally host = CompareWithHost(rule_case.search, rule_case.replace, kHostVectors);
    ways.Decide(rule, rule_case, host.covered && host.disagreed > 0 ? Truth::kDiffers : Truth::kOpen);
  }
  ways.Print("floats");
  EXPECT_GT(ways.Count("truth", "refuted"), rules / 8);
  EXPECT_GT(ways.Count("both", "proved"), rules / 4);
}

}  // namespace
}  // namespace rewrought::verifier
