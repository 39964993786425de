#include "emitter/c/rule_tables.h"

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/c/table_builder.h"
#include "emitter/c/testing/compare_cover.h"
#include "emitter/testing/sample_rules.h"
#include "ir/match/facts.h"
#include "machine/select/lower.h"
#include "machine/select/selection.h"
#include "machine/select/testing/shaders.h"

namespace rewrought::emitter {
namespace {

using machine::select::RandomShader;
using machine::select::ScalarShader;

v1::Pack PackOf(const std::string& machine, const std::vector<ProvedRule>& rules = {}) {
  v1::Pack pack;
  pack.mutable_manifest()->set_machine(machine);
  for (const ProvedRule& rule : rules) {
    *pack.add_entries() = rule.entry;
    pack.mutable_entries(pack.entries_size() - 1)->mutable_rule()->set_id(absl::StrCat("rule", pack.entries_size()));
  }
  return pack;
}

ScalarShader ScalarOf(const PackSelection& selection, const ir::Shader& shader) {
  const auto vectors = machine::select::VectorOptionsOf(*selection.rules);
  ScalarShader scalar = *machine::select::Scalarize(shader, vectors.has_value() ? &*vectors : nullptr);
  machine::select::LowerMissing(*selection.rules, &scalar);
  return scalar;
}

struct Ready {
  explicit Ready(const v1::Pack& pack) : selection(*SelectionOf(pack)), tables(*BuildCTables(*selection)) {
    view = ViewOf(tables, &names, &conditions);
  }
  CoverComparison Compare(const ir::Shader& shader) const {
    return CompareCover(*selection, view, ScalarOf(*selection, shader), ir::FactsOfNodes);
  }

  std::unique_ptr<const PackSelection> selection;
  CTables tables;
  std::vector<const char*> names, conditions;
  rw_tables view;
};

TEST(RuleTables, TheRuntimePicksTheSelectorsCodeOnEveryMachine) {
  for (const machine::Machine* machine : machine::AllMachines()) {
    const Ready ready(PackOf(machine->id()));
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const CoverComparison compared = ready.Compare(RandomShader(seed, 200, 3));
      EXPECT_TRUE(compared.same) << machine->id() << " seed " << seed << ": " << compared.difference;
      EXPECT_GT(compared.runtime.instructions, 0u) << machine->id();
    }
  }
}

// Returns rules with programs whose tiles compete with the machine's own tiles. The rules are neither proved nor
// correct.
std::vector<ProvedRule> Programs() {
  const auto rule = [](const std::string& search, const std::string& program) {
    return SampleProgram("intel_gen9", search, program);
  };
  return {
      rule("('bcsel', ('ilt', 'a@32', 'b'), 'a', 'b')", "[SEL(r(D), a(D), b(D)).cmod(L)]"),
      rule("('ineg', ('iadd', 'a@32', 'b'))", "[ADD(r(D), -a(D), -b(D))]"),
      rule("('fadd', ('fmul', 'a@32', 'b'), ('fmul', 'c', 'd'))",
           "[MUL(t(F), a(F), b(F)), MAD(r(F), t(F), c(F), d(F))]"),
      rule("('imul', 'a@32', '#b(is_pos_power_of_two)')", "[SHL(r(D), a(D), b(D))]"),
      rule("('ishl', 'a@32', '#b(is_ult_32)')", "[ADD(r(D), a(D), b(D))]"),
      rule("('iadd', ('imul(is_used_once)', 'a@32', 'b'), 'c')", "[ADD(r(D), a(D), c(D))]"),
      rule("('fmul', 'a@32', 1.0)", "[MOV(r(F), a(F))]"),
      rule("('fmax', ('fadd', 'a@32', 'b(is_not_const)'), 'c(is_not_negative)')", "[MAD(r(F), a(F), b(F), c(F))]"),
      rule("('ixor', 'a@32', 'b@int')", "[OR(r(D), a(D), b(D))]"),
      // A flag as the result, which can be joined with a select that reads a flag.
      rule("('flt', ('fadd', 'a@32', 'b'), 'c')", "[ADD(null(F), a(F), b(F)).cmod(L, r)]"),
  };
}

TEST(RuleTables, TheRuntimePicksTheSelectorsCodeWithAPack) {
  const Ready ready(PackOf("intel_gen9", Programs()));
  uint64_t from_pack = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const CoverComparison compared = ready.Compare(RandomShader(seed, 400, 4));
    EXPECT_TRUE(compared.same) << "seed " << seed << ": " << compared.difference;
    from_pack += compared.from_pack;
  }
  EXPECT_GT(from_pack, 100u);
}

// Returns rules with relations between constants (ir/match/relation.h). The runtime and the selector must apply them at
// the same nodes.
std::vector<ProvedRule> RelatedPrograms() {
  const auto rule = [](const std::string& search, const std::string& program) {
    return SampleProgram("intel_gen9", search, program);
  };
  return {
      rule("('where', ('ushr', ('ushr', 'a@32', '#b(is_ult_32)'), '#c(is_ult_32)'), ('uge', ('iadd', 'b', 'c'), 32))",
           "[MOV(r(UD), imm(0, UD))]"),
      rule("('where', ('ushr', ('ushr', 'a@32', '#b'), '#c'), ('ieq', ('isub', 'b', 'c'), 3))",
           "[SHR(r(UD), a(UD), imm(9, UD))]"),
      rule("('where', ('umin', ('umin', 'a@32', '#b'), '#c'), ('ult', 'b', 'c'))",
           "[SEL(r(UD), a(UD), b(UD)).cmod(L)]")};
}

// Returns a shader that applies `op` to an input and the first constant, and again to the result and the second
// constant. `exchanged` swaps the operands of the second op.
ir::Shader Twice(const std::string& op, uint64_t first, uint64_t second, bool exchanged = false) {
  machine::select::TestShader shader;
  const ir::NodeIndex input = shader.Opaque(32), b = shader.Constant(first, 32), c = shader.Constant(second, 32);
  const ir::NodeIndex inner = shader.Op(op, 32, {input, b});
  shader.Use(exchanged ? shader.Op(op, 32, {c, inner}) : shader.Op(op, 32, {inner, c}));
  return shader.shader;
}

struct RelatedShader {
  ir::Shader shader;
  bool applies = false;
};

std::vector<RelatedShader> RelatedShaders() {
  std::vector<RelatedShader> shaders;
  for (const uint64_t sum : {31, 32, 33}) shaders.push_back({Twice("ushr", 15, sum - 15), sum >= 32});
  for (const uint64_t c : {3, 4, 5, 6}) shaders.push_back({Twice("ushr", 7, c), c == 4});
  for (const uint64_t b : {uint64_t{6}, uint64_t{7}, uint64_t{8}, uint64_t{0x80000000}}) {
    for (const bool exchanged : {false, true}) shaders.push_back({Twice("umin", b, 7, exchanged), b < 7});
  }
  return shaders;
}

TEST(RuleTables, BothMeetRelationsBetweenConstants) {
  const Ready ready(PackOf("intel_gen9", RelatedPrograms()));
  for (const RelatedShader& one : RelatedShaders()) {
    const CoverComparison compared = ready.Compare(one.shader);
    EXPECT_TRUE(compared.same) << compared.difference;
    EXPECT_EQ(compared.from_pack, one.applies ? 1u : 0u);
  }
}

// Removing or changing the relations in the tables must change the selected code.
TEST(RuleTables, AChangedRelationIsSeenByTheComparison) {
  const auto differ = [](auto change) {
    Ready ready(PackOf("intel_gen9", RelatedPrograms()));
    const std::vector<std::string>& names = ready.tables.names;
    for (rw_condition& condition : ready.tables.conditions) {
      if (names[condition.name] == "where") change(&condition, &ready.tables);
    }
    ready.view = ViewOf(ready.tables, &ready.names, &ready.conditions);
    int others = 0;
    for (const RelatedShader& one : RelatedShaders()) others += !ready.Compare(one.shader).same;
    return others;
  };
  EXPECT_EQ(differ([](rw_condition*, CTables*) {}), 0);
  EXPECT_GT(differ([](rw_condition* one, CTables*) { one->step_count = 0, one->otherwise = RW_FALSE; }), 0);
  const auto last = [](rw_condition* one, CTables* t) { return &t->steps[one->first_step + one->step_count - 1]; };
  // The relation is always true.
  EXPECT_GT(differ([&](rw_condition* one, CTables* t) {
              last(one, t)->what = RW_EQ, last(one, t)->from[1] = last(one, t)->from[0];
            }),
            0);
  // The constants are exchanged.
  EXPECT_GT(differ([&](rw_condition* one, CTables* t) {
              for (uint16_t i = 0; i < one->step_count; ++i) {
                rw_step& step = t->steps[one->first_step + i];
                std::swap(step.from[0], step.from[1]);
              }
            }),
            0);
  // The comparison becomes an equality.
  EXPECT_GT(differ([&](rw_condition* one, CTables* t) {
              if (last(one, t)->what == RW_LESS) last(one, t)->what = RW_EQ;
            }),
            0);
}

TEST(RuleTables, ReplacementsAreCodeWhereBaseSelectionHasSome) {
  const Ready ready(PackOf("intel_gen9", {
                                             SampleRule("('iand', ('ior', 'a@32', 'b'), 'a')", "'a'"),
                                             SampleRule("('ineg', ('isub', 'a@32', 'b'))", "('isub', 'b', 'a')"),
                                             SampleRule("('fadd', 'a@32', 'a')", "('fmul', 'a', 2.0)"),
                                             // No code exists for vectors or for an op that the machine lacks.
                                             SampleRule("('fdot2', 'a', 'b')", "('fdot2', 'b', 'a')"),
                                             SampleRule("('fadd', 'a@32', 0.0)", "('fsin_agx', 'a')"),
                                         }));
  std::set<std::string> names;
  for (const machine::select::PackRule& rule : ready.selection->pack) names.insert(rule.name);
  EXPECT_EQ(names, (std::set<std::string>{"rule1", "rule2", "rule3"}));
  uint64_t from_pack = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const CoverComparison compared = ready.Compare(RandomShader(seed, 400, 4));
    EXPECT_TRUE(compared.same) << "seed " << seed << ": " << compared.difference;
    from_pack += compared.from_pack;
  }
  EXPECT_GT(from_pack, 0u);
}

TEST(RuleTables, AChangedCostIsSeenByTheComparison) {
  Ready ready(PackOf("intel_gen9"));
  for (rw_form& form : ready.tables.forms) form.cycles += ready.tables.names[form.name] == "MAD" ? 20 : 0;
  EXPECT_FALSE(ready.Compare(RandomShader(1, 400, 1)).same);
}

// Each of these changes to the tables must change the selected code.
TEST(RuleTables, ComparisonDetectsChangedShapesAndWords) {
  using Change = void (*)(CTables*);
  const std::pair<const char*, Change> changes[] = {
      {"immediate",
       [](CTables* t) {
         for (rw_shape& row : t->shapes) row.immediate_sizes = 0;
       }},
      {"exchanged shape",
       [](CTables* t) {
         for (rw_shape& row : t->shapes) row.exchanged = 0;
       }},
      {"fold of a source",
       [](CTables* t) {
         for (rw_shape& row : t->shapes) row.fold_count = 0;
       }},
      {"uniform",
       [](CTables* t) {
         for (rw_shape& row : t->shapes) row.flags |= RW_NO_UNIFORM;
       }},
      {"bits of an immediate",
       [](CTables* t) {
         for (rw_step& row : t->steps) row.what ^= row.what == RW_XOR;
       }},
      {"exchanged word",
       [](CTables* t) {
         for (rw_word& row : t->words) row.exchanged = RW_NONE16;
       }},
      {"fold of a result",
       [](CTables* t) {
         for (rw_word& row : t->words) row.fold_count = 0;
       }},
      {"limit",
       [](CTables* t) {
         for (rw_form& row : t->forms) row.limits = 0;
       }},
      {"set of immediates",
       [](CTables* t) {
         for (rw_set& row : t->sets) row.range_count /= 2;
       }},
  };
  for (const auto& [what, change] : changes) {
    int others = 0;
    for (const char* machine : {"intel_gen9", "ir3_a6xx", "rdna", "sm70", "valhall"}) {
      Ready ready(PackOf(machine));
      change(&ready.tables);
      for (uint64_t seed = 0; seed < 10; ++seed) others += !ready.Compare(RandomShader(seed, 400, 2)).same;
    }
    EXPECT_GT(others, 0) << what;
  }
}

std::string ErrorOf(const v1::Pack& pack) {
  const auto selection = SelectionOf(pack);
  if (!selection.ok()) return std::string(selection.status().message());
  return std::string(BuildCTables(**selection).status().message());
}

TEST(RuleTables, UnsupportedRulesNameRuleAndRemedy) {
  const std::string components =
      ErrorOf(PackOf("vec4", {SampleProgram("vec4", "('fadd', 'a@32.x', 'a.y')", "[ADD(r(F), a(F), a(F))]")}));
  EXPECT_EQ(components,
            "entry rule1: reads single components, which format c cannot express; mute the rule in a waivers "
            "file, or export without c");
  std::string program = "[ADD(t0(D), a(D), b(D))";
  for (int i = 1; i < 30; ++i) absl::StrAppend(&program, ", ADD(t", i, "(D), t", i - 1, "(D), b(D))");
  absl::StrAppend(&program, ", ADD(r(D), t29(D), b(D))]");
  const std::string length =
      ErrorOf(PackOf("intel_gen9", {SampleProgram("intel_gen9", "('iadd', 'a@32', 'b')", program)}));
  EXPECT_TRUE(absl::StartsWith(length, "entry rule1: is 31 instructions long (24 at most), which")) << length;
  v1::Pack other = PackOf("agx_g13", Programs());
  EXPECT_TRUE(absl::StartsWith(ErrorOf(other), "entry rule1: is a program of intel_gen9, but the pack is for agx_g13"));
  EXPECT_FALSE(SelectionOf(PackOf("no_machine")).ok());
}

TEST(RuleTables, MoreRowsThanAnIndexCountsAreAnError) {
  const auto machine = machine::FindMachine("intel_gen9");
  TableBuilder builder(**machine);
  for (uint64_t value = 0; value <= kMaxRows; ++value) builder.Immediate(value);
  const absl::Status status = builder.CheckSizes();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::StartsWith(status.message(), "intel_gen9 has 65521 rows in table 'immediates'")) << status;
}

}  // namespace
}  // namespace rewrought::emitter
