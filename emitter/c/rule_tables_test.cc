#include "emitter/c/rule_tables.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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

}  // namespace
}  // namespace rewrought::emitter
