#include "emitter/tablegen/tablegen_writer.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "emitter/entry_rule.h"
#include "emitter/evidence.h"
#include "emitter/files/plain_text.h"
#include "emitter/files/provenance.h"
#include "emitter/proved_cases.h"
#include "emitter/tablegen/machine_records.h"
#include "emitter/tablegen/program_dag.h"
#include "emitter/tablegen/search_dag.h"
#include "ir/match/relation.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/program_term.h"

namespace rewrought::emitter {
namespace {

constexpr absl::string_view kPatternsLine = "\n// Patterns, in the order in which the pack tries its rules.\n";
constexpr absl::string_view kPatternStart = "def : Pat<";

struct Pattern {
  const v1::PackEntry* entry = nullptr;
  ir::Term search;
  const machine::Machine* machine = nullptr;
  machine::Program program;
  Dag source, result;
  std::string condition;  // The pattern's Predicate; empty means none.
};

struct Patterns {
  std::vector<Pattern> patterns;
  Definitions definitions;
  SearchNames names;
};

std::set<std::string> UniformVariables(const machine::Program& program) {
  std::set<std::string> names;
  for (const machine::Instruction& instruction : program.instructions) {
    for (const machine::Operand& source : instruction.sources) {
      if (source.uniform && source.kind == machine::OperandKind::kVariable) names.insert(source.name);
    }
  }
  return names;
}

// Returns the numbers of components for which to write patterns. LLVM has no type for three Booleans, so a value with
// three components uses the first three of four.
std::vector<int> ComponentCounts(const machine::Machine& machine, const ir::Term& search,
                                 const machine::Program& program) {
  bool any = machine.components() > 1 && machine::IsComponentwise(program) && IsPerComponent(search);
  for (const machine::Instruction& instruction : program.instructions) {
    for (const machine::OperandRule& operand : instruction.variant->operands) any = any && operand.components == 0;
  }
  return any ? std::vector<int>{1, 2, 4} : std::vector<int>{1};
}

absl::Status AddCase(const v1::PackEntry& entry, const EntryRule& parsed, const ProvedCase& one, Patterns* out) {
  const absl::StatusOr<ir::Rule> rule = ir::Instantiate(parsed.rule, one.sizes);
  if (!rule.ok()) return rule.status();
  const machine::Machine& machine = *parsed.machine;
  for (const ir::Node& node : rule->search.nodes) {
    if (absl::Status status = DefineRegisters(machine, node.bits, &out->definitions); !status.ok()) return status;
  }
  for (const int components : ComponentCounts(machine, rule->search, *parsed.program)) {
    Pattern pattern{&entry, rule->search, &machine, *parsed.program, {}, {}, ""};
    absl::StatusOr<Dag> source =
        SearchDag(rule->search, components, UniformVariables(*parsed.program), &out->definitions, &out->names);
    if (!source.ok()) return source.status();
    if (source->kind != Dag::Kind::kList) return absl::FailedPreconditionError("its search side is not an op");
    absl::StatusOr<Dag> result = ProgramDag(machine, *parsed.program, source->head, components, &out->definitions);
    if (!result.ok()) return result.status();
    pattern.source = *std::move(source);
    pattern.result = *std::move(result);
    if (const std::string condition = BothConditions(parsed.rule.condition, one.condition); !condition.empty()) {
      absl::StatusOr<std::string> name = out->definitions.Condition(condition);
      if (!name.ok()) return name.status();
      pattern.condition = *std::move(name);
    }
    out->patterns.push_back(std::move(pattern));
  }
  return absl::OkStatus();
}

absl::Status AddEntry(const v1::PackEntry& entry, Patterns* out) {
  if (absl::Status status = CheckPlainId(entry.rule().id()); !status.ok()) return status;
  const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
  if (!parsed.ok()) return parsed.status();
  if (ir::HasRelation(parsed->rule.search)) {
    return absl::FailedPreconditionError("it relates constants (`where`), but a leaf's predicate sees only one node");
  }
  const absl::StatusOr<ProvedCases> proved = FindProvedCases(parsed->rule, entry);
  if (!proved.ok()) return proved.status();
  for (const ProvedCase& one : proved->cases) {
    if (absl::Status status = AddCase(entry, *parsed, one, out); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<Patterns> PatternsOf(const v1::Pack& pack) {
  Patterns patterns;
  for (const v1::PackEntry& entry : pack.entries()) {
    if (entry.rule().program().empty()) continue;
    const absl::Status status = AddEntry(entry, &patterns);
    if (status.ok()) continue;
    const absl::string_view remedy =
        absl::IsFailedPrecondition(status) ? "; mute the rule in a waivers file, or export without tablegen" : "";
    return absl::Status(status.code(),
                        absl::StrCat("tablegen: entry ", entry.rule().id(), ": ", status.message(), remedy));
  }
  return patterns;
}

// Returns the text before the patterns.
std::string Head(const v1::Pack& pack, const Patterns& patterns) {
  return absl::StrCat(
      ProvenanceLines(pack.manifest(), "// "),
      "// LLVM patterns for instruction selection. A tree with its own records defines REWROUGHT_RECORDS and provides\n"
      "// the records named below, with NIR's ops as NIRISD nodes, or as its own nodes if these allow no other "
      "results.\n"
      "// In the C++ of conditions, `options` and `info` are members of the selector, and predicates are those of "
      "Mesa's\n"
      "// nir_search_helpers.h for an SDNode.\n",
      "#ifndef REWROUGHT_RECORDS\n"
      "include \"llvm/Target/Target.td\"\n\n"
      "def RewroughtInstructions : InstrInfo;\n"
      "def Rewrought : Target { let InstructionSet = RewroughtInstructions; }\n"
      "class MachineRegister<string name> : Register<name> { let Namespace = \"Rewrought\"; }\n"
      "class MachineInstruction<string mnemonic, dag results, dag operands> : Instruction {\n"
      "  let Namespace = \"Rewrought\";\n"
      "  let AsmString = mnemonic;\n"
      "  let OutOperandList = results;\n"
      "  let InOperandList = operands;\n"
      "  let hasSideEffects = 0;\n"
      "  let mayLoad = 0;\n"
      "  let mayStore = 0;\n"
      "}\n"
      "def Field : Operand<i32>;\n",
      patterns.definitions.Text(), "#endif\n", kPatternsLine);
}

std::string PatternText(const Pattern& pattern) {
  return absl::StrCat(kPatternStart, PrintDag(pattern.source), ",\n          ", PrintDag(pattern.result), ">",
                      pattern.condition.empty() ? "" : absl::StrCat(", Requires<[", pattern.condition, "]>"), ";\n");
}

struct ReadPattern {
  Dag source, result;
  std::string condition;
};

// Parses the next pattern of the file, or returns nullopt if there is none.
absl::StatusOr<std::optional<ReadPattern>> TakePattern(absl::string_view* text) {
  const size_t start = text->find(kPatternStart);
  if (start == absl::string_view::npos) return std::optional<ReadPattern>();
  text->remove_prefix(start + kPatternStart.size());
  absl::StatusOr<Dag> source = TakeDag(text);
  if (!source.ok()) return absl::DataLossError(source.status().message());
  if (!absl::ConsumePrefix(text, ",")) return absl::DataLossError("its search is not terminated");
  absl::StatusOr<Dag> result = TakeDag(text);
  if (!result.ok()) return absl::DataLossError(result.status().message());
  ReadPattern read{*std::move(source), *std::move(result), ""};
  if (absl::ConsumePrefix(text, ">, Requires<[")) {
    const size_t end = std::min(text->find(']'), text->size());
    read.condition = std::string(text->substr(0, end));
    text->remove_prefix(end);
    if (!absl::ConsumePrefix(text, "]")) return absl::DataLossError("its condition is not terminated");
  }
  if (!absl::ConsumePrefix(text, ">;\n")) return absl::DataLossError("its pattern is not terminated");
  return std::optional<ReadPattern>(std::move(read));
}

absl::Status ComparePattern(const ReadPattern& read, const Pattern& wanted, const SearchNames& names) {
  if (absl::Status status = CompareSearch(read.source, wanted.search, names); !status.ok()) return status;
  if (read.condition != wanted.condition) return absl::DataLossError(absl::StrCat("its condition is ", read.condition));
  const absl::StatusOr<machine::Program> program = ProgramOfDag(*wanted.machine, read.result);
  if (!program.ok()) return program.status();
  const absl::Status differs =
      absl::DataLossError(absl::StrCat("its program is ", machine::PrintProgram(*wanted.machine, *program)));
  if (UniformVariables(*program) != UniformVariables(wanted.program)) return differs;
  // A DAG preserves the value, but neither the register names nor the order of independent instructions.
  machine::Program sized = *program;
  sized.variable_bits = wanted.program.variable_bits;
  const absl::StatusOr<ir::Term> term = machine::ProgramTerm(*wanted.machine, sized);
  const absl::StatusOr<ir::Term> wanted_term = machine::ProgramTerm(*wanted.machine, wanted.program);
  if (!term.ok() || !wanted_term.ok()) return differs;
  if (ir::PrintTerm(*term) != ir::PrintTerm(*wanted_term)) return differs;
  // Compares the details that a term does not represent, such as types.
  if (read.source != wanted.source) return absl::DataLossError(absl::StrCat("its search is ", PrintDag(read.source)));
  return read.result == wanted.result ? absl::OkStatus() : differs;
}

// Returns the first line at which the texts differ, counted from 1.
size_t FirstDifference(absl::string_view text, absl::string_view wanted) {
  const size_t common = std::min(text.size(), wanted.size());
  const auto at = std::mismatch(text.begin(), text.begin() + static_cast<ptrdiff_t>(common), wanted.begin());
  return 1 + static_cast<size_t>(std::count(text.begin(), at.first, '\n'));
}

absl::Status CheckText(absl::string_view text, const v1::Pack& pack, const Patterns& patterns) {
  const std::string head = Head(pack, patterns);
  if (!absl::ConsumePrefix(&text, head)) {
    return absl::DataLossError(
        absl::StrCat("rules.td: line ", FirstDifference(text, head), " does not match the pack"));
  }
  for (const Pattern& wanted : patterns.patterns) {
    const std::string entry = absl::StrCat("rules.td: entry ", wanted.entry->rule().id(), ": ");
    const auto read = TakePattern(&text);
    if (!read.ok()) return absl::DataLossError(absl::StrCat(entry, read.status().message()));
    if (!read->has_value()) return absl::DataLossError(absl::StrCat(entry, "is missing"));
    const absl::Status status = ComparePattern(**read, wanted, patterns.names);
    if (!status.ok()) return absl::DataLossError(absl::StrCat(entry, status.message()));
  }
  const auto more = TakePattern(&text);
  if (!more.ok() || more->has_value()) return absl::DataLossError("rules.td: a pattern belongs to no entry");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> WriteTablegen(const v1::Pack& pack) {
  const absl::StatusOr<Patterns> patterns = PatternsOf(pack);
  if (!patterns.ok()) return patterns.status();
  std::string text = Head(pack, *patterns);
  const v1::PackEntry* last = nullptr;
  for (const Pattern& pattern : patterns->patterns) {
    if (pattern.entry != last) {
      absl::StrAppend(&text, "\n// ", pattern.entry->rule().id(), "\n// ", ProofLine(*pattern.entry), "\n");
    }
    last = pattern.entry;
    text += PatternText(pattern);
  }
  const absl::Status read_back = CheckText(text, pack, *patterns);
  if (!read_back.ok()) return read_back;
  return text;
}

absl::Status CheckTablegenText(absl::string_view text, const v1::Pack& pack) {
  const absl::StatusOr<Patterns> patterns = PatternsOf(pack);
  if (!patterns.ok()) return patterns.status();
  return CheckText(text, pack, *patterns);
}

}  // namespace rewrought::emitter
