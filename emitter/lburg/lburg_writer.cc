#include "emitter/lburg/lburg_writer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "emitter/entry_rule.h"
#include "emitter/evidence.h"
#include "emitter/files/plain_text.h"
#include "emitter/files/provenance.h"
#include "emitter/lburg/grammar_coverage.h"
#include "emitter/lburg/grammar_pattern.h"
#include "emitter/lburg/grammar_row.h"
#include "emitter/proved_cases.h"
#include "ir/match/relation.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/base/base_pattern.h"
#include "machine/base/base_rules.h"
#include "machine/cost.h"
#include "machine/legality.h"

namespace rewrought::emitter {
namespace {

// A row with its origin.
struct Rule {
  std::string name;  // For example "entry ID" or "base (fadd@32 a b)".
  std::string id;    // The entry's id, or "base".
  GrammarRow row;
  std::vector<std::string> leaves;
  ir::Term search;                                  // Empty for rows that select no instruction.
  std::shared_ptr<const machine::Program> program;  // May be null.
};

struct Grammar {
  const machine::Machine* machine = nullptr;
  std::vector<Rule> rules;
  std::map<std::string, std::string> comments;  // Keyed by entry id.
  std::string coverage;                         // Lines in the file's header.
};

PatternRequirements NeedsOf(const machine::Program& program) {
  PatternRequirements needs;
  std::set<std::string> written;
  for (const machine::Instruction& instruction : program.instructions) {
    for (const machine::Operand& source : instruction.sources) {
      if (source.uniform && source.kind == machine::OperandKind::kVariable) needs.uniform.insert(source.name);
    }
    const std::string& flag = instruction.predicate;
    if (!flag.empty() && !written.contains(flag)) needs.flags.insert(flag);
    written.insert(instruction.flag);
  }
  return needs;
}

bool GivesFlag(const machine::Program& program) {
  return std::none_of(program.instructions.begin(), program.instructions.end(), [](const machine::Instruction& one) {
    return one.destination.kind != machine::OperandKind::kNull && one.destination.name == machine::kResultName;
  });
}

// Returns whether the program reads each variable at its size in the search side. Ignores reads of subregisters.
bool ReadsSizes(const machine::Machine& machine, const ir::Term& search, const machine::Program& program) {
  std::map<std::string, int> bits;
  for (const ir::Node& node : search.nodes) {
    if (node.kind == ir::NodeKind::kVariable) bits[node.name] = node.bits;
  }
  for (const machine::Instruction& instruction : program.instructions) {
    for (const machine::Operand& source : instruction.sources) {
      const bool whole = source.kind == machine::OperandKind::kVariable && source.subscript < 0;
      if (whole && bits.contains(source.name) && bits[source.name] != machine.types()[source.type].bits) return false;
    }
  }
  return true;
}

// Adds the rows of one rule at one assignment of sizes.
absl::Status AddRules(const Rule& rule, const PatternRequirements& needs, Grammar* grammar) {
  if (absl::Status status = CheckPlainCondition(needs.condition); !status.ok()) return status;
  absl::StatusOr<std::vector<GrammarPattern>> patterns = GrammarPatterns(rule.search, needs);
  if (!patterns.ok()) return patterns.status();
  const double cycles = machine::ProgramCost(*grammar->machine, *rule.program).issue_cycles;
  if (cycles != std::floor(cycles)) return absl::FailedPreconditionError("its cost is not a whole number of cycles");
  for (GrammarPattern& pattern : *patterns) {
    Rule one = rule;
    one.row.nonterminal = NonterminalOf(rule.search.root_node().bits, GivesFlag(*rule.program));
    one.row.tree = std::move(pattern.tree);
    one.row.condition = std::move(pattern.condition);
    one.row.number = static_cast<uint32_t>(grammar->rules.size()) + 1;
    one.row.cost = static_cast<uint32_t>(cycles);
    one.leaves = std::move(pattern.leaves);
    grammar->rules.push_back(std::move(one));
  }
  return absl::OkStatus();
}

absl::Status AddBaseRule(const machine::BaseRule& base, Grammar* grammar) {
  const std::string text = machine::TupleText(base.pattern);
  if (base.pattern.name == "mov") return absl::OkStatus();  // A move leaves the value unchanged.
  const absl::StatusOr<ir::Rule> parsed = ir::ParseRule(absl::StrCat("(", text, ", 0)"));
  if (!parsed.ok()) return parsed.status();
  ir::Rule open = *parsed;
  open.replace = ir::Term();
  const auto assignments = ir::EnumerateSizes(open, {.literals_exact = true});
  if (!assignments.ok()) return assignments.status();
  for (const ir::SizeAssignment& sizes : *assignments) {
    const absl::StatusOr<ir::Rule> rule = ir::Instantiate(open, sizes, {.literals_exact = true});
    if (!rule.ok()) return rule.status();
    if (!ReadsSizes(*grammar->machine, rule->search, base.program)) continue;
    PatternRequirements needs = NeedsOf(base.program);
    needs.inexact = base.inexact;
    const absl::Status status = AddRules({absl::StrCat("base ", text),
                                          "base",
                                          {},
                                          {},
                                          rule->search,
                                          std::make_shared<const machine::Program>(base.program)},
                                         needs, grammar);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Adds rows that allow any value as the root, derive register values at no cost, and derive constants at the cost of
// the machine's move.
void AddLeaves(Grammar* grammar, const machine::BaseRules& base) {
  // Includes sizes for which the machine has no type, because a widening product may have such a size.
  std::map<int, const machine::Program*> constants = {
      {1, nullptr}, {8, nullptr}, {16, nullptr}, {32, nullptr}, {64, nullptr}};
  for (const machine::Type& type : grammar->machine->types()) {
    const auto resolve = base.resolves.find({"immediate", grammar->machine->FindType(type.name)});
    if (resolve != base.resolves.end() && constants[type.bits] == nullptr) constants[type.bits] = &resolve->second;
  }
  const auto add = [&](const std::string& nonterminal, const std::string& terminal, const machine::Program* program) {
    Rule rule{absl::StrCat("base ", terminal), "base", {}, {"a"}, {}, nullptr};
    double cycles = 0;
    for (size_t i = 0; program != nullptr && i < program->instructions.size(); ++i) {
      cycles += program->instructions[i].variant->cost->issue_cycles;
    }
    if (program != nullptr) rule.program = std::make_shared<const machine::Program>(*program);
    rule.row = {nonterminal,
                {terminal, {}},
                static_cast<uint32_t>(grammar->rules.size()) + 1,
                "",
                static_cast<uint32_t>(std::ceil(cycles))};
    grammar->rules.push_back(std::move(rule));
  };
  for (const auto& [bits, program] : constants) {
    add("value", NonterminalOf(bits, false), nullptr);
    add(NonterminalOf(bits, false), absl::StrCat("value_", bits), nullptr);
    if (program != nullptr) add(NonterminalOf(bits, false), absl::StrCat("constant_", bits), program);
  }
  add("value", NonterminalOf(1, true), nullptr);
  add(NonterminalOf(1, true), "value_flag", nullptr);
}

absl::Status AddBase(Grammar* grammar) {
  const absl::StatusOr<const machine::BaseRules*> base = machine::BaseRulesOf(*grammar->machine);
  if (!base.ok()) return base.status();
  AddLeaves(grammar, **base);
  for (const auto& [root, list] : (*base)->by_root) {
    for (const machine::BaseRule& rule : list) {
      if (absl::Status status = AddBaseRule(rule, grammar); !status.ok()) return status;
    }
  }
  std::vector<GrammarRow> rows;
  for (const Rule& rule : grammar->rules) rows.push_back(rule.row);
  absl::StatusOr<std::string> coverage = CoverageComment(*grammar->machine, rows);
  if (!coverage.ok()) return coverage.status();
  grammar->coverage = *std::move(coverage);
  return absl::OkStatus();
}

absl::Status AddEntry(const v1::PackEntry& entry, Grammar* grammar) {
  const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
  if (!parsed.ok()) return parsed.status();
  if (parsed->machine != grammar->machine) {
    return absl::FailedPreconditionError(absl::StrCat("it is a program of ", parsed->machine->id()));
  }
  const absl::StatusOr<ProvedCases> proved = FindProvedCases(parsed->rule, entry);
  if (!proved.ok()) return proved.status();
  const std::string& id = entry.rule().id();
  if (absl::Status status = CheckPlainId(id); !status.ok()) return status;
  // ProofLine contains untrusted names, which must not end the comment.
  grammar->comments[id] = absl::StrReplaceAll(ProofLine(entry), {{"*/", "* /"}});
  for (const ProvedCase& one : proved->cases) {
    const absl::StatusOr<ir::Rule> rule = ir::Instantiate(parsed->rule, one.sizes);
    if (!rule.ok()) return rule.status();
    PatternRequirements needs = NeedsOf(*parsed->program);
    needs.condition = BothConditions(parsed->rule.condition, one.condition);
    const absl::Status status = AddRules({absl::StrCat("entry ", id),
                                          id,
                                          {},
                                          {},
                                          rule->search,
                                          std::make_shared<const machine::Program>(*parsed->program)},
                                         needs, grammar);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<Grammar> GrammarOf(const v1::Pack& pack) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(pack.manifest().machine());
  if (!machine.ok()) return machine.status();
  Grammar grammar;
  grammar.machine = *machine;
  if (absl::Status status = AddBase(&grammar); !status.ok()) return status;
  for (const v1::PackEntry& entry : pack.entries()) {
    if (entry.rule().program().empty()) continue;
    const absl::Status status = AddEntry(entry, &grammar);
    if (status.ok()) continue;
    const absl::string_view remedy =
        absl::IsFailedPrecondition(status) ? "; mute the rule in a waivers file, or export without lburg" : "";
    return absl::Status(status.code(),
                        absl::StrCat("lburg: entry ", entry.rule().id(), ": ", status.message(), remedy));
  }
  return grammar;
}

void AddTerminals(const GrammarTree& tree, const std::set<std::string>& nonterminals, std::set<std::string>* names) {
  if (!nonterminals.contains(tree.name)) names->insert(tree.name);
  for (const GrammarTree& operand : tree.operands) AddTerminals(operand, nonterminals, names);
}

std::string RelationLine(const Grammar& grammar) {
  const bool any = std::any_of(grammar.rules.begin(), grammar.rules.end(),
                               [](const Rule& rule) { return ir::HasRelation(rule.search); });
  if (!any) return "";
  return " * RELATION(truth) tests constants: BITS(node) is a constant's bits, and op terminals are functions of "
         "bits.\n";
}

// Returns the text before the rows.
std::string Head(const v1::Pack& pack, const Grammar& grammar) {
  std::set<std::string> nonterminals = {"flag", "r1", "r8", "r16", "r32", "r64"}, terminals;
  for (const Rule& rule : grammar.rules) AddTerminals(rule.row.tree, nonterminals, &terminals);
  std::string text = absl::StrCat(
      "%{\n/*\n", ProvenanceLines(pack.manifest(), " * "),
      " * A BURS grammar with rows of the form `nonterminal: pattern = rule number (cost)`. A cost is in issue "
      "cycles.\n"
      " * A terminal is a NIR op with its size; value_SIZE is a value in a register, and constant_SIZE is a literal. "
      "The\n"
      " * nonterminals are flags, and registers by size of the value, on vector machines for any number of "
      "components.\n"
      " * In conditions, `a` is the labeled node. The labeler defines CHILD(node, index), SAME(node, node),\n"
      " * CONSTANT(bits, node), PREDICATE(name, node) as in Mesa's nir_search_helpers.h, FLAG(name, node) for nsz, "
      "nnan,\n"
      " * and ninf, INEXACT(node), UNIFORM(node), and CONDITION(the driver's condition). EITHER_ZERO matches both "
      "zeros.\n",
      RelationLine(grammar), grammar.coverage,
      " */\n#define WHERE(condition, cost) ((condition) ? (cost) : 0x7fff)\n%}\n%start value\n");
  int number = 0;
  for (const std::string& terminal : terminals) absl::StrAppend(&text, "%term ", terminal, "=", ++number, "\n");
  return absl::StrCat(text, "%%\n");
}

constexpr absl::string_view kProgramsLine =
    "%%\n/* By rule number: the pack's entry, the names of the pattern's leaves from left to right, and the program. "
    "*/\n"
    "static const char *const rewrought_rules[][3] = {\n  {\"\", \"\", \"\"},\n";

// Returns a row of the table of programs: {"base", "a b", "[ADD(r(F), a(F), b(F))]"}.
std::string ProgramLine(const Grammar& grammar, const Rule& rule) {
  const std::string program = rule.program == nullptr ? "" : machine::PrintProgram(*grammar.machine, *rule.program);
  return absl::StrCat("  {\"", rule.id, "\", \"", absl::StrJoin(rule.leaves, " "), "\", \"", program, "\"},\n");
}

// Removes a line from `text` and stores it, without its newline, in `line`. Returns false if no complete line remains.
bool TakeLine(absl::string_view* text, absl::string_view* line) {
  const size_t end = text->find('\n');
  if (end == absl::string_view::npos) return false;
  *line = text->substr(0, end);
  text->remove_prefix(end + 1);
  return true;
}

absl::Status CompareRow(absl::string_view line, const Rule& wanted, GrammarRow* row) {
  const absl::StatusOr<GrammarRow> read = ParseRow(line);
  if (!read.ok()) return absl::DataLossError(read.status().message());
  *row = *read;
  if (read->number != wanted.row.number) return absl::DataLossError(absl::StrCat("its number is ", read->number));
  if (read->cost != wanted.row.cost) return absl::DataLossError(absl::StrCat("its cost is ", read->cost));
  if (read->condition != wanted.row.condition) {
    return absl::DataLossError(absl::StrCat("its condition is ", read->condition));
  }
  if (*read == wanted.row) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("its pattern is ", read->nonterminal, ": ", PrintTree(read->tree)));
}

// Compares a line of the table of programs with the pack, and `row` with the rule's search side.
absl::Status CompareProgram(absl::string_view line, const Grammar& grammar, const Rule& wanted, const GrammarRow& row) {
  const std::vector<std::string> fields = absl::StrSplit(line, '"');
  if (fields.size() != 7) return absl::DataLossError("its program line is malformed");
  const std::vector<std::string> leaves = absl::StrSplit(fields[3], ' ');
  if (fields[1] != wanted.id) return absl::DataLossError(absl::StrCat("its id is ", fields[1]));
  if (!wanted.search.nodes.empty()) {
    if (absl::Status status = CompareTree(row.tree, leaves, wanted.search); !status.ok()) return status;
  }
  if (leaves != wanted.leaves) return absl::DataLossError(absl::StrCat("its leaves are ", fields[3]));
  if (wanted.program == nullptr) {
    return fields[5].empty() ? absl::OkStatus() : absl::DataLossError(absl::StrCat("its program is ", fields[5]));
  }
  const auto program = machine::ParseProgram(*grammar.machine, fields[5]);
  if (!program.ok()) return absl::DataLossError(program.status().message());
  // For a constant, `a` in the move is a placeholder for the literal.
  if (!wanted.search.nodes.empty()) {
    const absl::Status legal = machine::CheckLegal(*grammar.machine, *program);
    if (!legal.ok()) return absl::DataLossError(legal.message());
  }
  if (program->instructions == wanted.program->instructions) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("its program is ", fields[5]));
}

absl::Status CheckText(absl::string_view text, const v1::Pack& pack, const Grammar& grammar) {
  if (!absl::ConsumePrefix(&text, Head(pack, grammar))) {
    return absl::DataLossError("rules.lburg: the text before the rows does not match the pack");
  }
  const auto fault = [](const Rule& rule, absl::string_view what) {
    return absl::DataLossError(absl::StrCat("rules.lburg: ", rule.name, ": ", what));
  };
  std::vector<GrammarRow> rows;
  absl::string_view line;
  for (const Rule& wanted : grammar.rules) {
    if (!TakeLine(&text, &line) || line == "%%") return fault(wanted, "is missing");
    rows.emplace_back();
    const absl::Status status = CompareRow(line, wanted, &rows.back());
    if (!status.ok()) return fault(wanted, status.message());
  }
  if (!absl::ConsumePrefix(&text, kProgramsLine)) return absl::DataLossError("rules.lburg: a row belongs to no entry");
  std::string last;
  for (size_t i = 0; i < grammar.rules.size(); ++i) {
    const Rule& wanted = grammar.rules[i];
    const auto comment = grammar.comments.find(wanted.id);
    if (comment != grammar.comments.end() && wanted.id != last) {
      if (!absl::ConsumePrefix(&text, absl::StrCat("  /* ", comment->second, " */\n"))) {
        return fault(wanted, "its evidence does not match the pack");
      }
    }
    last = wanted.id;
    if (!TakeLine(&text, &line) || line == "};") return fault(wanted, "its program is missing");
    const absl::Status status = CompareProgram(line, grammar, wanted, rows[i]);
    if (!status.ok()) return fault(wanted, status.message());
  }
  return text == "};\n" ? absl::OkStatus() : absl::DataLossError("rules.lburg: a program belongs to no entry");
}

}  // namespace

absl::StatusOr<std::string> WriteLburg(const v1::Pack& pack) {
  const absl::StatusOr<Grammar> grammar = GrammarOf(pack);
  if (!grammar.ok()) return grammar.status();
  std::string text = Head(pack, *grammar);
  for (const Rule& rule : grammar->rules) text += PrintRow(rule.row);
  absl::StrAppend(&text, kProgramsLine);
  std::string last;
  for (const Rule& rule : grammar->rules) {
    const auto comment = grammar->comments.find(rule.id);
    if (comment != grammar->comments.end() && rule.id != last)
      absl::StrAppend(&text, "  /* ", comment->second, " */\n");
    last = rule.id;
    text += ProgramLine(*grammar, rule);
  }
  text += "};\n";
  const absl::Status read_back = CheckText(text, pack, *grammar);
  if (!read_back.ok()) return read_back;
  return text;
}

absl::Status CheckLburgText(absl::string_view text, const v1::Pack& pack) {
  const absl::StatusOr<Grammar> grammar = GrammarOf(pack);
  if (!grammar.ok()) return grammar.status();
  return CheckText(text, pack, *grammar);
}

}  // namespace rewrought::emitter
