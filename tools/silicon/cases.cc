#include "tools/silicon/cases.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "machine/legality.h"
#include "machine/program_term.h"

namespace rewrought::silicon {
namespace {

using machine::Instruction;
using machine::Machine;
using machine::ModifierIndex;
using machine::Variant;

constexpr absl::string_view kInputNames[] = {"a", "b", "c", "e"};

// Returns the mnemonic and types of the form, such as "FADD F F F".
std::string FormOf(const Machine& machine, const Variant& variant) {
  std::string form = absl::StrCat(variant.mnemonic, " ", machine.types()[variant.result].name);
  for (const machine::TypeIndex type : variant.sources) absl::StrAppend(&form, " ", machine.types()[type].name);
  return form;
}

// Returns all possible combinations of `modifiers` for `type`, in the order of application.
std::vector<std::vector<ModifierIndex>> Selections(const Machine& machine, std::vector<ModifierIndex> modifiers,
                                                   machine::TypeIndex type) {
  std::erase_if(modifiers, [&](ModifierIndex m) { return !machine.modifiers()[m].rows.contains(type); });
  std::sort(modifiers.begin(), modifiers.end(), [&](ModifierIndex x, ModifierIndex y) {
    return machine.modifiers()[x].order < machine.modifiers()[y].order;
  });
  std::vector<std::vector<ModifierIndex>> selections;
  for (size_t chosen = 0; chosen < size_t{1} << modifiers.size(); ++chosen) {
    std::vector<ModifierIndex>& selection = selections.emplace_back();
    for (size_t i = 0; i < modifiers.size(); ++i) {
      if (chosen >> i & 1) selection.push_back(modifiers[i]);
    }
  }
  return selections;
}

// Converts the table's PTX to the body of a kernel: numbers temporaries, and places modifiers before the instructions
// that read their results.
class Body {
 public:
  explicit Body(ir::DenormMode mode) : ftz_(mode == ir::DenormMode::kFlush ? ".ftz" : "") {}

  // Appends the PTX of `row`, in which `sources` replace {a} {b} {c}.
  absl::Status Add(const PtxRow& row, const std::vector<std::string>& sources, const std::string& result,
                   const std::string& choice, const std::string& sat) {
    std::map<std::string, std::string> names = {{"r", result}, {"choice", choice}, {"ftz", ftz_}, {"sat", sat}};
    for (size_t i = 0; i < sources.size(); ++i) names[std::string(kInputNames[i])] = sources[i];
    std::string& out = text_;
    for (size_t i = 0; i < row.ptx.size(); ++i) {
      if (row.ptx[i] != '{') {
        out += row.ptx[i];
        continue;
      }
      const size_t end = row.ptx.find('}', i);
      if (end == std::string::npos) return absl::InvalidArgumentError("a '{' without a '}'");
      const std::string name = row.ptx.substr(i + 1, end - i - 1);
      if (const auto known = names.find(name); known != names.end()) {
        out += known->second;
      } else if (name == "t" || name == "u") {
        out += names[name] = NewRegister(32);
      } else if (name == "p" || name == "q") {
        out += names[name] = NewRegister(1);
      } else {
        return absl::InvalidArgumentError(absl::StrCat("'{", name, "}' is not a placeholder here"));
      }
      i = end;
    }
    out += '\n';
    return absl::OkStatus();
  }
  std::string NewRegister(int bits) {
    return absl::StrCat(bits == 1 ? "%p" : "%w", bits == 1 ? ++predicates_ : ++words_);
  }
  const std::string& text() const { return text_; }

 private:
  const std::string ftz_;
  std::string text_;
  int words_ = 0, predicates_ = 0;
};

class Builder {
 public:
  Builder(const Machine& machine, const PtxRows& rows) : m_(machine), rows_(rows) {}

  absl::StatusOr<std::vector<Case>> Run() {
    for (const Variant& variant : m_.variants()) {
      const int choices = variant.selector < 0 ? 1 : static_cast<int>(m_.selectors()[variant.selector].choices.size());
      for (int choice = 0; choice < choices; ++choice) {
        if (absl::Status added = AddVariant(variant, variant.selector < 0 ? -1 : choice); !added.ok()) return added;
      }
    }
    for (const auto& [text, row] : rows_.programs) {
      const absl::StatusOr<machine::Program> program = machine::ParseProgram(m_, text);
      if (!program.ok()) return Error(row, program.status().message());
      if (absl::Status added = AddModes(*program, row, {}, "", ""); !added.ok()) return added;
    }
    for (const auto& [name, row] : rows_.instructions) {
      if (!used_.contains(&row)) return Error(row, absl::StrCat("the machine has no '", name, "'"));
    }
    for (const auto& [name, row] : rows_.modifiers) {
      if (!used_.contains(&row)) return Error(row, absl::StrCat("no instruction has a modifier '", name, "'"));
    }
    return std::move(cases_);
  }

 private:
  absl::Status Error(const PtxRow& row, absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("line ", row.line, " of the PTX rows: ", what));
  }

  absl::Status AddVariant(const Variant& variant, int choice) {
    const std::string form = FormOf(m_, variant);
    const std::string name = choice < 0 ? "" : m_.selectors()[variant.selector].choices[choice].first;
    const PtxRow* row = rows_.Find(form, name);
    if (row == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("'", form, name.empty() ? "" : " ", name,
                                                     "' has no PTX row; add one, or 'none' with the reason "
                                                     "if PTX cannot express it"));
    }
    used_.insert(row);
    // There is one entry for each source; the last entry is for the destination.
    std::vector<std::vector<std::vector<ModifierIndex>>> places;
    for (size_t i = 0; i < variant.sources.size(); ++i) {
      places.push_back(Selections(m_, variant.operands[i].modifiers, variant.sources[i]));
    }
    places.push_back(Selections(m_, variant.destination_modifiers, variant.result));
    std::vector<size_t> digits(places.size(), 0);
    for (bool more = true; more;) {
      Instruction instruction;
      instruction.variant = &variant;
      instruction.choice = choice;
      instruction.destination.kind = machine::OperandKind::kRegister;
      instruction.destination.name = std::string(machine::kResultName);
      instruction.destination.type = variant.result;
      for (size_t i = 0; i < variant.sources.size(); ++i) {
        machine::Operand& operand = instruction.sources.emplace_back();
        operand.kind = machine::OperandKind::kVariable;
        operand.name = std::string(kInputNames[i]);
        operand.type = variant.sources[i];
        operand.modifiers = places[i][digits[i]];
      }
      instruction.destination_modifiers = places.back()[digits.back()];
      machine::Program program;
      program.instructions.push_back(instruction);
      if (machine::CheckLegal(m_, program).ok()) {
        const std::string sat = instruction.destination_modifiers.empty() ? "" : ModifierRow("sat").ptx;
        if (absl::Status added = AddModes(program, *row, instruction.sources, name, sat); !added.ok()) return added;
      }
      more = false;
      for (size_t i = places.size(); i-- > 0 && !more;) {
        more = ++digits[i] < places[i].size();
        if (!more) digits[i] = 0;
      }
    }
    return absl::OkStatus();
  }

  // Returns the row of a modifier and marks it as used; returns an empty row if there is none.
  const PtxRow& ModifierRow(const std::string& id) {
    static const PtxRow& none = *new PtxRow;
    const auto row = rows_.modifiers.find(id);
    if (row == rows_.modifiers.end()) return none;
    used_.insert(&row->second);
    return row->second;
  }

  absl::Status AddModes(const machine::Program& program, const PtxRow& row,
                        const std::vector<machine::Operand>& sources, const std::string& choice,
                        const std::string& sat) {
    const absl::StatusOr<ir::Term> term = machine::ProgramTerm(m_, program);
    if (!term.ok()) return Error(row, term.status().message());
    std::vector<ir::DenormMode> modes = {ir::DenormMode::kNone};
    if (ir::HasFloatOperation(*term)) modes = {ir::DenormMode::kPreserve, ir::DenormMode::kFlush};
    for (const ir::DenormMode mode : modes) {
      Case one;
      one.text = machine::PrintProgram(m_, program);
      one.instruction = program.instructions.back().variant->mnemonic;
      one.program = program;
      one.mode = mode;
      one.result_bits = term->root_node().bits;
      const machine::TypeIndex result = program.instructions.back().variant->result;
      one.float_result = m_.types()[result].base == ir::BaseType::kFloat;
      one.saturates = !program.instructions.back().destination_modifiers.empty();
      one.version = row.version;
      one.bound = row.bound;
      one.remark = row.remark;
      ReadInputs(program, &one);
      if (absl::Status built = BuildBody(row, sources, choice, sat, &one); !built.ok()) return built;
      cases_.push_back(std::move(one));
    }
    return absl::OkStatus();
  }

  // Makes the program's variables the inputs of the case, sorted by name.
  void ReadInputs(const machine::Program& program, Case* one) const {
    std::map<std::string, machine::TypeIndex> variables;
    for (const Instruction& instruction : program.instructions) {
      for (const machine::Operand& operand : instruction.sources) {
        if (operand.kind == machine::OperandKind::kVariable) variables[operand.name] = operand.type;
      }
    }
    for (const auto& [name, type] : variables) {
      one->inputs.push_back({name, m_.types()[type].bits, m_.types()[type].base});
    }
  }

  absl::Status BuildBody(const PtxRow& row, const std::vector<machine::Operand>& sources, const std::string& choice,
                         const std::string& sat, Case* one) {
    if (row.ptx.empty()) return absl::OkStatus();
    Body body(one->mode);
    std::vector<std::string> names;
    for (const CaseInput& input : one->inputs) names.push_back(absl::StrCat("%", input.name));
    for (size_t i = 0; i < sources.size(); ++i) {
      for (const ModifierIndex m : sources[i].modifiers) {
        const std::string& id = m_.modifiers()[m].id;
        const PtxRow& modifier = ModifierRow(id);
        if (modifier.ptx.empty()) return absl::InvalidArgumentError(absl::StrCat("modifier '", id, "' has no row"));
        const std::string result = body.NewRegister(one->inputs[i].bits);
        if (absl::Status added = body.Add(modifier, {names[i]}, result, "", ""); !added.ok()) {
          return Error(modifier, added.message());
        }
        names[i] = result;
      }
    }
    if (one->saturates && sat.empty()) return absl::InvalidArgumentError("modifier 'sat' has no row");
    absl::Status added = body.Add(row, names, "%r", absl::AsciiStrToLower(choice), sat);
    if (!added.ok()) return Error(row, added.message());
    one->body = body.text();
    return absl::OkStatus();
  }

  const Machine& m_;
  const PtxRows& rows_;
  std::set<const PtxRow*> used_;
  std::vector<Case> cases_;
};

// Returns a kernel in which each lane's thread reads a word from each input and writes one word.
std::string Kernel(const Case& one, const std::string& name) {
  std::string text = absl::StrCat(".visible .entry ", name, "(\n");
  for (const CaseInput& input : one.inputs) absl::StrAppend(&text, "  .param .u64 ", name, "_", input.name, ",\n");
  absl::StrAppend(&text, "  .param .u64 ", name, "_out,\n  .param .u32 ", name, "_lanes)\n{\n",
                  "  .reg .b32 %i, %n, %x, %y, %w<8>;\n  .reg .b64 %at, %in, %o;\n  .reg .pred %outside, %p<8>;\n");
  const auto declare = [&](const std::string& variable, int bits) {
    absl::StrAppend(&text, bits == 1 ? "  .reg .pred %" : "  .reg .b32 %", variable, ";\n");
  };
  for (const CaseInput& input : one.inputs) declare(input.name, input.bits);
  declare("r", one.result_bits);
  absl::StrAppend(&text,
                  "  mov.u32 %x, %ctaid.x;\n  mov.u32 %y, %ntid.x;\n  mov.u32 %i, %tid.x;\n"
                  "  mad.lo.u32 %i, %x, %y, %i;\n  ld.param.u32 %n, [",
                  name,
                  "_lanes];\n  setp.ge.u32 %outside, %i, %n;\n  @%outside bra DONE;\n"
                  "  mul.wide.u32 %at, %i, 4;\n");
  for (const CaseInput& input : one.inputs) {
    absl::StrAppend(&text, "  ld.param.u64 %in, [", name, "_", input.name,
                    "];\n  cvta.to.global.u64 %in, %in;\n  add.u64 %in, %in, %at;\n");
    const std::string word = input.bits == 1 ? "%x" : "%" + input.name;
    absl::StrAppend(&text, "  ld.volatile.global.b32 ", word, ", [%in];\n");
    if (input.bits == 1) absl::StrAppend(&text, "  setp.ne.u32 %", input.name, ", %x, 0;\n");
  }
  absl::StrAppend(&text, "  // ", one.name(), "\n");
  absl::StrAppend(&text, "  ", one.body);
  if (one.result_bits == 1) absl::StrAppend(&text, "  selp.u32 %x, 1, 0, %r;\n");
  absl::StrAppend(&text, "  ld.param.u64 %o, [", name,
                  "_out];\n  cvta.to.global.u64 %o, %o;\n  add.u64 %o, %o, %at;\n  st.global.b32 [%o], ",
                  one.result_bits == 1 ? "%x" : "%r", ";\nDONE:\n  ret;\n}\n");
  return text;
}

}  // namespace

std::string Case::name() const { return absl::StrCat(text, " ", ir::NameOf(mode)); }

absl::StatusOr<std::vector<Case>> AllCases(const Machine& machine, const PtxRows& rows) {
  return Builder(machine, rows).Run();
}

std::string KernelName(size_t index) { return absl::StrCat("case", index); }

std::string PtxModule(const std::vector<const Case*>& cases) {
  double version = 6.0;
  for (const Case* one : cases) {
    double wanted = 0;
    if (absl::SimpleAtod(one->version, &wanted)) version = std::max(version, wanted);
  }
  std::string text = absl::StrFormat(".version %.1f\n.target sm_70\n.address_size 64\n", version);
  for (size_t i = 0; i < cases.size(); ++i) absl::StrAppend(&text, "\n", Kernel(*cases[i], KernelName(i)));
  return text;
}

}  // namespace rewrought::silicon
