#include "emitter/testing/machine_rules.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "emitter/entry_rule.h"
#include "emitter/proved_cases.h"
#include "emitter/testing/sample_rules.h"
#include "ir/match/relation.h"
#include "ir/text/sizes.h"
#include "machine/base/base_pattern.h"
#include "machine/base/base_rules.h"
#include "machine/base/base_selection.h"
#include "machine/cost_message.h"
#include "machine/legality.h"
#include "machine/program.h"

namespace rewrought::emitter {
namespace {

using Rules = std::vector<std::pair<std::string, std::string>>;

// Returns rules that use features of vector machines that base rules do not cover.
Rules VectorRules() {
  return {{"('fadd@32x4', 'a@32x4', 'b@32x4')",
           "[MUL(r(F).mask(xy), a(F), b(F)), ADD(r(F).mask(zw), a(F), b(F).swizzle(xxyy))]"},
          {"('fdot3', 'a@32', 'b')", "[DP3(r(F).mask(x), -a(F), abs(b(F)))]"},
          {"('fadd', ('fmul', 'a@32', 'b'), 'b')", "[MUL(t(F), a(F), b(F)), ADD(r(F), t(F), b(F))]"}};
}

Rules IntelRules() {
  return {{"('bcsel', ('ilt', 'a@32', 'b'), 'a', 'b')", "[SEL(r(D), a(D), b(D)).cmod(L)]"},
          {"('bcsel', ('flt', 'a@32', 'b'), 'c', 'a')",
           "[CMP(null(F), a(F), b(F)).cmod(L, p), SEL(r(F), c(F), -abs(a(F))).predicate(INVERT, p)]"},
          // Both the value and the flag have users.
          {"('bcsel', ('flt', ('fadd', 'a@32', 'b'), 0.0), 'c', ('fadd', 'a', 'b'))",
           "[ADD(t(F), a(F), b(F)).cmod(L, p), SEL(r(F), c(F), t(F)).predicate(NORMAL, p)]"},
          // A predicated write keeps the old value.
          {"('fmin', 'a@32', 'b')",
           "[CMP(null(F), a(F), b(F)).cmod(L, p), MOV(r(F), b(F)), MOV(r(F), a(F)).predicate(NORMAL, p)]"},
          {"('fge', ('fsub', 'a@32', 'b@32'), 0.0)", "[ADD(null(F), a(F), -b(F)).cmod(GE, r)]"},
          {"('fmul', 'a@32', 1e-5)", "[MUL(r(F), a(F).uniform(), imm(1e-5, F)).sat()]"}};
}

constexpr char kFsign64[] =
    "[TempReg('t', DF), MOV(t(DF), imm(0.0, DF)), CMP(null(DF), a(DF), t(DF)).cmod(NZ), MOV(r(DF), t(DF)), "
    "AND(r(UD).subscript(1), a(UD).subscript(1), imm(0x80000000, UD)), "
    "OR(r(UD).subscript(1), r(UD).subscript(1), imm(0x3ff00000, UD)).predicate(NORMAL)]";

// Sets the costs according to the machine's model if the model covers both sides.
void SetCosts(v1::PackEntry* entry) {
  const auto parsed = ParseEntry(entry->rule());
  if (!parsed.ok()) return;
  *entry->mutable_rule()->mutable_cost() =
      machine::CostMessage(machine::ProgramCost(*parsed->machine, *parsed->program));
  const auto proved = FindProvedCases(parsed->rule, *entry);
  if (!proved.ok()) return;
  const auto sized = ir::Instantiate(parsed->rule, proved->cases[0].sizes);
  if (!sized.ok()) return;
  const auto before = machine::BaseCost(*parsed->machine, ir::Matched(sized->search), machine::BaseKind::kTuned);
  entry->mutable_rule()->clear_base_cost();
  if (before.ok()) *entry->mutable_rule()->mutable_base_cost() = machine::CostMessage(*before);
}

}  // namespace

v1::Pack PackOfPrograms(const std::string& machine, const Rules& rules) {
  v1::Pack pack;
  pack.mutable_manifest()->set_machine(machine);
  for (const auto& [search, program] : rules) {
    v1::PackEntry* const entry = pack.add_entries();
    *entry = SampleProgram(machine, search, program).entry;
    entry->mutable_rule()->set_id(absl::StrCat("id", pack.entries_size() - 1));
    SetCosts(entry);
  }
  return pack;
}

v1::Pack FourPrograms() {
  return PackOfPrograms("intel_gen9",
                        {{"('bcsel', ('ilt', 'a@32', 'b'), 'a', 'b')", "[SEL(r(D), a(D), b(D)).cmod(L)]"},
                         {"('fsat', ('fadd', ('fabs', 'a@32'), ('fneg', 'b')))", "[ADD(r(F), abs(a(F)), -b(F)).sat()]"},
                         {"('fmul(nsz)', 'a@32(is_a_number)', 2.0)", "[ADD(r(F), a(F), a(F))]"},
                         {"('iand', ('inot(is_used_once)', 'a@32'), 7)", "[AND(r(D), ~a(D), imm(7, D))]"}});
}

std::string TextOrError(const absl::StatusOr<std::string>& written) {
  return written.ok() ? *written : std::string(written.status().message());
}

v1::Pack MachinePack(const machine::Machine& machine) {
  const auto base = machine::BaseRulesOf(machine);
  if (!base.ok()) {
    std::fprintf(stderr, "%s\n", base.status().ToString().c_str());
    std::abort();
  }
  Rules rules;
  for (const auto& [root, list] : (*base)->by_root) {
    for (const machine::BaseRule& rule : list) {
      // Expanded to trees, vc4's series for sine and cosine have more than 4096 nodes.
      if (machine.id() == "vc4" && (root == "fsin" || root == "fcos")) continue;
      // Instruction selection has nothing to do for a bare value, and LLVM has no type with three Booleans.
      if (root == "mov" || (root == "vec3" && rule.pattern.sources[0].bits == 1)) continue;
      rules.emplace_back(machine::TupleText(rule.pattern), machine::PrintProgram(machine, rule.program));
    }
  }
  Rules more;
  if (machine.components() > 1 && machine.FindType("UD") < 0) more = VectorRules();
  if (machine.id() == "intel_gen9" || machine.id() == "intel_gen8") {
    more = IntelRules();
    more.emplace_back("('fsign', 'a@64')", kFsign64);
  }
  for (auto& [search, program] : more) {
    const auto parsed = machine::ParseProgram(machine, program);
    if (parsed.ok() && machine::CheckLegal(machine, *parsed).ok()) rules.emplace_back(search, program);
  }
  return PackOfPrograms(machine.id(), rules);
}

v1::Pack EntriesPack() {
  Rules rules = {{"('fsign', 'a@64')", kFsign64},
                 // For a NaN, the program returns 1 or -1, but this search side returns 0.
                 {"('bcsel', ('feq', 'a@64(is_a_number)', 'a'), ('fsign', 'a'), 0.0)", kFsign64},
                 {"('fsign', 'a@32')",
                  "[CMP(null(F), a(F), imm(0.0, F)).cmod(NZ), AND(r(UD), a(UD), imm(0x80000000, UD)), "
                  "OR(r(UD), r(UD), imm(0x3f800000, UD)).predicate(NORMAL)]"},
                 {"('fsign', 'a@16')",
                  "[CMP(null(HF), a(HF), imm(0.0, HF)).cmod(NZ), AND(r(UW), a(UW), imm(0x8000, UW)), "
                  "OR(r(UW), r(UW), imm(0x3c00, UW)).predicate(NORMAL)]"},
                 {"('fge', ('fsub', 'a@32', 'b@32'), 0.0)", "[ADD(null(F), a(F), -b(F)).cmod(GE, r)]"},
                 {"('bcsel', ('flt', ('fadd', 'a@32', 'b'), 0.0), 'c', ('fadd', 'a', 'b'))",
                  "[ADD(t(F), a(F), b(F)).cmod(L, p), SEL(r(UD), c(UD), t(UD)).predicate(NORMAL, p)]"},
                 {"('fsat', ('fmul', 'a@32', 0.1))", "[MUL(r(F), a(F).uniform(), imm(0.1, F)).sat()]"},
                 {"('extract_u8', 'a@32', 3)", "[MOV(r(UD), a(UB).subscript(3))]"},
                 {"('extract_i16', 'a@32', 1)", "[MOV(r(D), a(W).subscript(1))]"},
                 {"('iand', ('ishl', 'a@32', '#b'), ('ishl', -1, 'b'))", "[SHL(r(UD), a(UD), b(UD))]"},
                 {"('iand', ('ushr', 'a@32', '#b'), ('ushr', -1, 'b'))", "[SHR(r(UD), a(UD), b(UD))]"},
                 {"('inot', ('iand', 'a@32', 'b'))", "[OR(r(UD), ~a(UD), ~b(UD))]"},
                 {"('inot', ('ior', 'a@32', 'b'))", "[AND(r(UD), ~a(UD), ~b(UD))]"}};
  for (const auto& [bits, type] : Rules{{"16", "HF"}, {"32", "F"}, {"64", "DF"}}) {
    for (const auto& [op, name] : Rules{{"fadd", "ADD"}, {"fmul", "MUL"}}) {
      rules.emplace_back(absl::StrCat("('", op, "', 'a@", bits, "', ('fneg', ('fabs', 'b')))"),
                         absl::StrCat("[", name, "(r(", type, "), a(", type, "), -abs(b(", type, ")))]"));
    }
  }
  for (const auto& [type, sign] : Rules{{"D", "i"}, {"UD", "u"}}) {
    for (const auto& [op, condition] : Rules{{"min", "L"}, {"max", "GE"}}) {
      rules.emplace_back(absl::StrCat("('", sign, op, "', 'a@32', 'b')"),
                         absl::StrCat("[SEL(r(", type, "), a(", type, "), b(", type, ")).cmod(", condition, ")]"));
    }
  }
  rules.emplace_back("('where', ('umin', ('umin', 'a@32', '#b'), '#c'), ('ult', 'b', 'c'))",
                     "[SEL(r(UD), a(UD), b(UD)).cmod(L)]");
  rules.emplace_back(
      "('where', ('ushr', ('ushr', 'a@32', '#b(is_ult_32)'), '#c(is_ult_32)'), ('uge', ('iadd', 'b', 'c'), 32))",
      "[MOV(r(UD), imm(0, UD))]");
  v1::Pack pack = PackOfPrograms("intel_gen9", rules);
  pack.mutable_entries(0)->mutable_rule()->set_condition("!options->lower_fsign");
  return pack;
}

}  // namespace rewrought::emitter
