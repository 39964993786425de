// Tests the shapes of programs' terms, and checks that base rules mean the same as their IR ops.
#include "machine/program_term.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/evaluate.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/text/sizes.h"
#include "machine/base/base_rules.h"

namespace rewrought::machine {
namespace {

ir::Term TermOf(const Machine& machine, const std::string& text) {
  absl::StatusOr<Program> program = ParseProgram(machine, text);
  EXPECT_TRUE(program.ok()) << program.status();
  absl::StatusOr<ir::Term> term = ProgramTerm(machine, *program);
  EXPECT_TRUE(term.ok()) << text << ": " << term.status();
  return term.ok() ? *term : ir::Term();
}

// Returns the term in prefix form, with row names but without the machine's id.
std::string Shape(const ir::Term& term, ir::NodeIndex index) {
  const ir::Node& node = term.at(index);
  if (node.kind == ir::NodeKind::kVariable) return absl::StrCat(node.name, "@", static_cast<int>(node.bits));
  if (node.kind == ir::NodeKind::kConstant) return absl::StrCat("0x", absl::Hex(node.values[0]));
  std::string text = absl::StrCat("(", node.op->name.substr(node.op->name.find('.') + 1));
  for (const ir::Source& source : node.sources) absl::StrAppend(&text, " ", Shape(term, source.node));
  return text + ")";
}
std::string Shape(const ir::Term& term) { return Shape(term, term.root); }

TEST(ProgramTermTest, ModifiersAreNodesInTheirOrder) {
  const Machine& intel = **FindMachine("intel_gen9");
  const Machine& agx = **FindMachine("agx_g13");
  EXPECT_EQ(Shape(TermOf(intel, "[ADD(r(F), -abs(a(F)), imm(1.0, F)).sat()]")),
            "(sat_f.F (ADD.F.F.F (neg_f.F (abs_f.F a@32)) 0x3f800000))");
  EXPECT_EQ(Shape(TermOf(agx, "[fadd(r(H), -a(H), b(F)).sat()]")),
            "(f_as_h.F (sat.F (fadd.F.F.F (neg_f.F (h_as_f.H a@16)) b@32)))");
  EXPECT_EQ(Shape(TermOf(intel, "[MOV(r(F), -p(BD))]")), "(MOV.F.D (neg_i.D (bool_as_d.BD p@1)))");
}

// Each node has only the components that its instruction writes. A vecN node joins components of several values.
TEST(ProgramTermTest, VectorsAreNodesOfTheirComponents) {
  const Machine& i915 = **FindMachine("i915");
  const auto components = [](const ir::Term& term) {
    std::string text;
    for (const ir::Node& node : term.nodes) {
      if (node.kind == ir::NodeKind::kOp)
        absl::StrAppend(&text, node.op->name, ":", static_cast<int>(node.components), " ");
    }
    return text;
  };
  EXPECT_EQ(components(TermOf(i915, "[MUL(r(F), a(F), b(F))]")),
            "i915.MUL.F.F.F:1 ");  // There is one node for each component.
  EXPECT_EQ(components(TermOf(i915, "[MUL(r(F).mask(xy), a(F), b(F)), ADD(r(F).mask(zw), a(F), b(F))]")),
            "i915.MUL.F.F.F:2 i915.ADD.F.F.F:2 vec4:4 ");
  EXPECT_EQ(components(TermOf(i915, "[DP4(r(F).mask(x), a(F), b(F).swizzle(-xy01))]")),
            "vec4:4 i915.neg.F:4 vec4:4 i915.DP4.F.F.F:1 ");
  const ir::Term swapped = TermOf(i915, "[ADD(r(F).mask(xy), a(F).swizzle(yx), b(F).swizzle(zz))]");
  EXPECT_EQ(swapped.root_node().sources[0].swizzle[0], 1);
  EXPECT_EQ(swapped.root_node().sources[1].swizzle[1], 2);
  EXPECT_EQ(swapped.at(swapped.root_node().sources[1].node).components, 3);
}

TEST(ProgramTermTest, FlagsPredicatesAndParts) {
  const Machine& intel = **FindMachine("intel_gen9");
  EXPECT_EQ(Shape(TermOf(intel, "[CMP(null(F), a(F), b(F)).cmod(L), SEL(r(UD), c(UD), d(UD)).predicate(INVERT)]")),
            "(SEL.UD.UD.UD.predicate c@32 d@32 (flag_not (CMP.F.F.F.L.flag a@32 b@32)))");
  EXPECT_EQ(Shape(TermOf(intel,
                         "[ADD(t(F), a(F), b(F)).sat().cmod(G), MOV(r(UD), a(UD)), "
                         "MOV(r(F), t(F)).predicate(NORMAL)]")),
            "(merge.32 (flag.F.G (sat_f.F (ADD.F.F.F a@32 b@32))) (MOV.F.F (sat_f.F (ADD.F.F.F a@32 b@32))) "
            "(MOV.UD.UD a@32))");
  EXPECT_EQ(Shape(TermOf(intel, "[MOV(r(UW).subscript(0), a(UW)), MOV(r(UW).subscript(1), b(UW))]")),
            "(with_part.32.16.1 (with_part.32.16.0 0x0 (MOV.UW.UW a@16)) (MOV.UW.UW b@16))");
  EXPECT_EQ(Shape(TermOf(intel, "[MOV(r(UD), a(UB).subscript(2))]")), "(MOV.UD.UB (part.32.8.2 a@32))");
}

// Builds the IR term of a base rule's pattern. Build returns false if an op of the pattern has no row, or if the
// pattern leaves sizes open.
class PatternTerm {
 public:
  PatternTerm(const ir::Term& machine_side) {
    for (const ir::Node& node : machine_side.nodes) {
      if (node.kind != ir::NodeKind::kVariable) continue;
      bits_[node.name] = node.bits;
      components_[node.name] = node.components;
    }
  }
  bool Build(const BasePattern& pattern, int wanted) { return Add(pattern, wanted, &term.root); }
  ir::Term term;

 private:
  bool Add(const BasePattern& pattern, int wanted, ir::NodeIndex* index) {
    ir::Node node;
    if (!pattern.is_op && pattern.name.empty()) {
      if (wanted == 0) return false;
      node.kind = ir::NodeKind::kConstant;
      node.literal = ir::LiteralKind::kBits;
      node.values[0] = static_cast<uint64_t>(pattern.value) & ir::MaskOf(wanted);
      node.bits = static_cast<uint8_t>(wanted);
    } else if (!pattern.is_op) {
      if (!bits_.contains(pattern.name)) return false;
      node.name = pattern.name;
      node.bits = static_cast<uint8_t>(bits_[pattern.name]);
      node.components = static_cast<uint8_t>(components_[pattern.name]);
      if (wanted != 0 && wanted != node.bits) return false;
    } else {
      node.kind = ir::NodeKind::kOp;
      node.op = ir::FindOp(pattern.name);
      if (node.op == nullptr || node.op->sources.size() != pattern.sources.size()) return false;
      int free = node.op->result.bits == 0 ? (pattern.bits != 0 ? pattern.bits : wanted) : 0;
      for (size_t i = 0; i < pattern.sources.size() && free == 0; ++i) {
        const BasePattern& source = pattern.sources[i];
        if (node.op->sources[i].bits == 0 && !source.name.empty()) {
          free = source.bits != 0 ? source.bits : source.is_op ? 0 : bits_[source.name];
        }
      }
      node.bits = static_cast<uint8_t>(node.op->result.bits != 0 ? node.op->result.bits : free);
      node.components = std::max<uint8_t>(1, node.op->result.components);
      if (node.bits == 0) return false;
      for (size_t i = 0; i < pattern.sources.size(); ++i) {
        const int own = node.op->sources[i].bits;
        ir::NodeIndex source;
        if (!Add(pattern.sources[i], own != 0 ? own : free, &source)) return false;
        node.sources.push_back({source, ir::kIdentitySwizzle});
      }
    }
    term.nodes.push_back(node);
    *index = static_cast<ir::NodeIndex>(term.nodes.size() - 1);
    return true;
  }
  std::map<std::string, int> bits_, components_;
};

std::vector<uint64_t> Specials(int bits) {
  if (bits == 1) return {0, 1};
  std::set<uint64_t> values;
  for (const uint64_t v :
       {0ull, 1ull, 2ull, 3ull, 5ull, 8ull, 17ull, 24ull, 31ull, 32ull, 33ull, 63ull, 0x7full, 0x80ull, 0xffull}) {
    values.insert(v & ir::MaskOf(bits));
    values.insert(~v & ir::MaskOf(bits));
  }
  values.insert(ir::MaskOf(bits) >> 1);
  values.insert((ir::MaskOf(bits) >> 1) + 1);
  values.insert(0x123456789abcdef0ull & ir::MaskOf(bits));
  if (ir::IsFloatWidth(bits)) {
    for (const double v : {0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 100.7, 0.3, 1e-30, 1e30}) {
      values.insert(ir::FloatToBits(v, bits));
      values.insert(ir::FloatToBits(-v, bits));
    }
    const ir::FloatFormat format = ir::FormatOf(bits);
    for (const uint64_t v : {format.infinity(), format.quiet_nan(), format.infinity() | 1, format.smallest_normal(),
                             format.smallest_normal() - 1, uint64_t{1}, format.infinity() - 1}) {
      values.insert(v);
      values.insert(v | format.sign());
    }
  }
  return {values.begin(), values.end()};
}

const std::vector<uint64_t>& SpecialsOnce(int bits) {
  static std::map<int, std::vector<uint64_t>>& known = *new std::map<int, std::vector<uint64_t>>;
  std::vector<uint64_t>& specials = known[bits];
  if (specials.empty()) specials = Specials(bits);
  return specials;
}

constexpr int kRounds = 600;

// Checks that `ir_side` allows the results of `machine_side` under default and random choices. Returns "" or a
// witness.
std::string Disagreement(const ir::Term& ir_side, const ir::Term& machine_side, ir::DenormMode mode) {
  ir::Dag dag;
  absl::StatusOr<ir::ChoiceTerm> s = ir::LowerWithChoices(&dag, ir_side, mode, 0);
  if (!s.ok()) return absl::StrCat("ir: ", s.status().message());
  absl::StatusOr<ir::ChoiceTerm> t =
      ir::LowerWithChoices(&dag, machine_side, mode, static_cast<uint32_t>(s->choices.size()));
  if (!t.ok()) return absl::StrCat("machine: ", t.status().message());
  const size_t n = dag.inputs().size();
  uint64_t seed = 0x9e3779b97f4a7c15ull;
  std::vector<uint64_t> inputs(n);
  ir::Evaluator evaluator(&dag);
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < n; ++i) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      const std::vector<uint64_t>& specials = SpecialsOnce(dag.inputs()[i].width);
      inputs[i] =
          (seed >> 60) < 3 ? (seed >> 3) & ir::MaskOf(dag.inputs()[i].width) : specials[(seed >> 8) % specials.size()];
    }
    // The first half of the rounds sets every choice to 0; the second half sets random choices.
    evaluator.Start(inputs, [&](uint32_t choice) {
      if (round < kRounds / 2) return uint64_t{0};
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      return (seed >> 5) & ir::MaskOf(t->choices[choice - t->first_choice].width);
    });
    std::vector<uint64_t> result;
    for (const ir::ValueIndex root : t->lowered.root) result.push_back(evaluator.Evaluate(root));
    if (s->lowered.root.size() != result.size()) return "components";
    if (ir::IsAllowed(dag, *s, inputs, result).membership == ir::Membership::kMember) continue;
    std::string witness;
    for (size_t i = 0; i < n; ++i) absl::StrAppend(&witness, dag.inputs()[i].name, "=0x", absl::Hex(inputs[i]), " ");
    return absl::StrCat(witness, "machine 0x", absl::Hex(result[0]));
  }
  return "";
}

// Checks that at least `least` base rules agree with the IR, and that a rule differs only if a deviation is listed for
// its op. Inexact rules (approximations in several steps, and contractions) are not compared.
void CheckRules(const Machine& machine, int least) {
  absl::StatusOr<const BaseRules*> rules = BaseRulesOf(machine);
  ASSERT_TRUE(rules.ok()) << rules.status();
  std::set<std::string> deviating;
  for (const v1::Deviation& deviation : machine.description().deviations()) deviating.insert(deviation.op());
  for (const char* op : {"umod", "idiv", "irem"}) {
    if (deviating.contains("udiv")) deviating.insert(op);
  }
  int agreed = 0, differed = 0, skipped = 0;
  for (const auto& [name, list] : (*rules)->by_root) {
    for (const BaseRule& rule : list) {
      absl::StatusOr<ir::Term> machine_side = ProgramTerm(machine, rule.program);
      ASSERT_TRUE(machine_side.ok()) << name << machine_side.status();
      PatternTerm pattern(*machine_side);
      if (rule.inexact || !pattern.Build(rule.pattern, machine_side->root_node().bits)) {
        if (!rule.inexact)
          std::printf("not compared: %s %s\n", name.c_str(), PrintProgram(machine, rule.program).c_str());
        ++skipped;
        continue;
      }
      std::string witness;
      for (const ir::DenormMode mode : {ir::DenormMode::kPreserve, ir::DenormMode::kAny, ir::DenormMode::kFlush}) {
        if (witness.empty()) witness = Disagreement(pattern.term, *machine_side, mode);
        if (mode == ir::DenormMode::kPreserve && !ir::HasFloatOperation(pattern.term)) break;
      }
      if (witness.empty()) {
        ++agreed;
      } else {
        ++differed;
        // A select deviates only if one of its branches is negated and thus has a float type. On r200, however, all
        // selects have float types, and vc4's selects test the flags of a difference.
        const bool selects_differ = machine.id() == "r200" || machine.id() == "vc4";
        const bool listed = deviating.contains(name) && (name != "bcsel" || selects_differ ||
                                                         absl::StrContains(PrintProgram(machine, rule.program), "-"));
        EXPECT_TRUE(listed) << name << " " << PrintProgram(machine, rule.program) << ": " << witness;
      }
    }
  }
  std::printf("%s: %d base rules agree with the IR, %d deviate as listed, %d not compared\n", machine.id().c_str(),
              agreed, differed, skipped);
  EXPECT_GE(agreed, least);
  EXPECT_GT(differed, 0);  // The comparison must detect deviations.
}

TEST(ProgramTermTest, BaseRulesMeanWhatTheIrMeans) {
  const std::map<std::string, int> least = {{"intel_gen9", 250}, {"agx_g13", 350},     {"intel_gen125", 250},
                                            {"rdna", 200},       {"valhall", 230},     {"ir3_a6xx", 210},
                                            {"intel_gen8", 230}, {"intel_gen11", 200}, {"intel_gen7", 150}};
  for (const Machine* machine : AllMachines()) {
    const auto known = least.find(machine->id());
    CheckRules(*machine, known != least.end() ? known->second : 10);
  }
}

TEST(ProgramTermTest, ExpansionsMeanTheirOps) {
  int compared = 0;
  for (const Machine* machine : AllMachines()) {
    for (const ir::CompiledRule& expansion : (*BaseRulesOf(*machine))->expansions) {
      const auto sizes = ir::EnumerateSizes(expansion.rule());
      ASSERT_TRUE(sizes.ok()) << machine->id() << sizes.status();
      for (const ir::SizeAssignment& size : *sizes) {
        const auto rule = ir::Instantiate(expansion.rule(), size);
        ASSERT_TRUE(rule.ok()) << machine->id() << rule.status();
        for (const ir::DenormMode mode : {ir::DenormMode::kPreserve, ir::DenormMode::kAny, ir::DenormMode::kFlush}) {
          EXPECT_EQ(Disagreement(rule->search, rule->replace, mode), "") << machine->id();
        }
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 15);  // fceil on seven Intel generations, and imul on two ir3 generations.
}

}  // namespace
}  // namespace rewrought::machine
