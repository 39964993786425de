#include "emitter/machine_writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "emitter/entry_rule.h"
#include "emitter/evidence.h"
#include "emitter/files/provenance.h"
#include "emitter/nir/nir_text.h"
#include "emitter/preamble_file.h"
#include "emitter/proved_cases.h"
#include "ir/text/rule_lexer.h"
#include "ir/text/rule_text.h"
#include "machine/legality.h"

namespace rewrought::emitter {
namespace {

constexpr absl::string_view kPythonKeywords[] = {
    "and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
    "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
    "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
    "return", "try",  "while",  "with",   "yield",    "None",  "True",  "False"};
// Names that the preamble gives a meaning of their own.
constexpr absl::string_view kTaken[] = {
    "Word", "Operand",  "Register", "TempReg", "Instruction", "Opcode", "InstructionList",
    "imm",  "patterns", "abs",      "map",     "str",         "list",   "print"};

bool Contains(absl::Span<const absl::string_view> names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsPythonName(absl::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// A keyword cannot be called; with an underscore it can.
std::string PythonName(const std::string& word) { return Contains(kPythonKeywords, word) ? word + "_" : word; }

// What stands for a word in the file: the kinds must not overlap within a machine's file.
enum class WordKind { kWord, kRegister, kOpcode };

class Words {
 public:
  // FailedPrecondition when the word already means something else. A plain word that is also an instruction is that.
  absl::Status Add(const std::string& word, WordKind kind) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(word[0])))
      return absl::OkStatus();  // a number stands for itself
    const bool uncallable = kind != WordKind::kOpcode && Contains(kPythonKeywords, word);
    if (!IsPythonName(word) || Contains(kTaken, PythonName(word)) || uncallable) {
      return absl::FailedPreconditionError(absl::StrCat("'", word, "' cannot be a name in Python"));
    }
    const auto [place, is_new] = kinds_.try_emplace(word, kind);
    if (is_new || place->second == kind) return absl::OkStatus();
    if (place->second == WordKind::kRegister || kind == WordKind::kRegister) {
      return absl::FailedPreconditionError(absl::StrCat("'", word, "' names a register and something else"));
    }
    place->second = WordKind::kOpcode;
    return absl::OkStatus();
  }

  // "F, D = map(Word, (...))" for each kind, names sorted.
  std::string Definitions() const {
    std::string text;
    const std::pair<WordKind, const char*> kinds[] = {
        {WordKind::kWord, "Word"}, {WordKind::kRegister, "Register"}, {WordKind::kOpcode, "Opcode"}};
    for (const auto& [kind, python_class] : kinds) {
      for (const auto& [word, its_kind] : kinds_) {
        if (its_kind == kind) absl::StrAppend(&text, PythonName(word), " = ", python_class, "(\"", word, "\")\n");
      }
    }
    return text;
  }

 private:
  std::map<std::string, WordKind> kinds_;
};

struct Pattern {
  const v1::PackEntry* entry = nullptr;
  std::string search, condition;
  const machine::Machine* machine = nullptr;
  machine::Program program;
};

absl::Status AddOperand(const machine::Machine& machine, const machine::Operand& operand, Words* words) {
  absl::Status status = words->Add(machine.types()[operand.type].name, WordKind::kWord);
  if (!status.ok() || operand.kind == machine::OperandKind::kImmediate) return status;
  const bool is_null = operand.kind == machine::OperandKind::kNull;
  return words->Add(is_null ? "null" : operand.name, WordKind::kRegister);
}

// The arguments of an instruction's methods, read off its own text: what is in parentheses after each ".name".
absl::Status AddMethodWords(const machine::Machine& machine, const machine::Instruction& instruction, Words* words) {
  const machine::Variant& variant = *instruction.variant;
  std::vector<std::string> arguments;
  if (instruction.choice >= 0)
    arguments.push_back(machine.selectors()[variant.selector].choices[instruction.choice].first);
  if (instruction.flag_choice >= 0) {
    arguments.push_back(machine.selectors()[variant.result_flag].choices[instruction.flag_choice].first);
  }
  if (!instruction.predicate.empty()) arguments.push_back(instruction.predicate_inverted ? "INVERT" : "NORMAL");
  // Flags are registers too: the result `r` of one pattern may be a flag and of another none.
  for (const std::string& flag : {instruction.flag, instruction.predicate}) {
    if (flag.empty() || flag == machine::kDefaultFlag) continue;
    const absl::Status status = words->Add(flag, WordKind::kRegister);
    if (!status.ok()) return status;
  }
  for (const std::string& argument : arguments) {
    const absl::Status status = words->Add(argument, WordKind::kWord);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status AddWords(const Pattern& pattern, Words* words) {
  for (const machine::Instruction& instruction : pattern.program.instructions) {
    absl::Status status = words->Add(instruction.variant->mnemonic, WordKind::kOpcode);
    if (status.ok()) status = AddOperand(*pattern.machine, instruction.destination, words);
    for (const machine::Operand& source : instruction.sources) {
      if (status.ok()) status = AddOperand(*pattern.machine, source, words);
    }
    if (status.ok()) status = AddMethodWords(*pattern.machine, instruction, words);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// One pattern per proved case; sizes are written unless the search says them itself.
absl::StatusOr<std::vector<Pattern>> PatternsOf(const v1::PackEntry& entry) {
  const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
  if (!parsed.ok()) return parsed.status();
  const absl::StatusOr<ProvedCases> proved = FindProvedCases(parsed->rule, entry);
  if (!proved.ok()) return proved.status();
  std::vector<Pattern> patterns;
  for (const ProvedCase& one : proved->cases) {
    auto search = NirText(parsed->rule.search, NirSide::kSearch, NewestNirTarget(), &one.sizes.search_bits);
    if (!search.ok()) return search.status();
    patterns.push_back({&entry, *std::move(search), BothConditions(parsed->rule.condition, one.condition),
                        parsed->machine, *parsed->program});
  }
  return patterns;
}

absl::StatusOr<std::vector<Pattern>> PatternsOf(const v1::Pack& pack) {
  std::vector<Pattern> patterns;
  for (const v1::PackEntry& entry : pack.entries()) {
    if (entry.rule().program().empty()) continue;
    absl::StatusOr<std::vector<Pattern>> own = PatternsOf(entry);
    if (!own.ok()) {
      return absl::Status(own.status().code(), absl::StrCat("entry ", entry.rule().id(), ": ", own.status().message()));
    }
    for (Pattern& pattern : *own) patterns.push_back(std::move(pattern));
  }
  return patterns;
}

std::string InstructionText(const Pattern& pattern, const machine::Instruction& instruction) {
  const std::string text = machine::PrintInstruction(*pattern.machine, instruction);
  const std::string& mnemonic = instruction.variant->mnemonic;
  return PythonName(mnemonic) + text.substr(mnemonic.size());
}

std::string PatternText(const Pattern& pattern) {
  std::string text = absl::StrCat("    (", pattern.search, ", InstructionList([\n");
  std::set<std::string> declared;
  for (const machine::Instruction& instruction : pattern.program.instructions) {
    const machine::Operand& to = instruction.destination;
    if (to.kind != machine::OperandKind::kRegister || to.name == machine::kResultName) continue;
    if (!declared.insert(to.name).second) continue;
    absl::StrAppend(&text, "        TempReg(\"", to.name, "\", ", pattern.machine->types()[to.type].name, "),\n");
  }
  for (const machine::Instruction& instruction : pattern.program.instructions) {
    absl::StrAppend(&text, "        ", InstructionText(pattern, instruction), ",\n");
  }
  absl::StrAppend(&text, "    ])");
  if (!pattern.condition.empty()) absl::StrAppend(&text, ", ", ir::QuoteString(pattern.condition));
  return absl::StrCat(text, "),\n");
}

std::string TakeLine(absl::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  std::string line(text->substr(0, end));
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

// The next pattern of the file: its search as written, its program's text with keywords restored, its condition.
struct ReadPattern {
  std::string search, program, condition;
};

std::optional<ReadPattern> ReadNext(absl::string_view* text) {
  constexpr char kOpen[] = ", InstructionList([";
  while (!text->empty()) {
    const std::string line = TakeLine(text);
    const size_t open = line.find(kOpen);
    if (line.substr(0, 6) != "    ((" || open == std::string::npos) continue;
    ReadPattern read;
    read.search = line.substr(5, open - 5);
    std::vector<std::string> instructions;
    while (!text->empty()) {
      const std::string inner = TakeLine(text);
      if (inner.substr(0, 6) == "    ])") {
        if (inner.size() > 10) read.condition = ir::UnescapeString(inner.substr(9, inner.size() - 9 - 3));
        break;
      }
      std::string instruction(absl::StripAsciiWhitespace(inner));
      if (!instruction.empty() && instruction.back() == ',') instruction.pop_back();
      for (const absl::string_view keyword : kPythonKeywords) {
        const std::string call = absl::StrCat(keyword, "_(");
        if (instruction.substr(0, call.size()) == call) instruction.erase(keyword.size(), 1);
      }
      // As the parser spells a declaration.
      std::replace(instruction.begin(), instruction.end(), '"', '\'');
      instructions.push_back(std::move(instruction));
    }
    read.program = absl::StrCat("[", absl::StrJoin(instructions, ", "), "]");
    return read;
  }
  return std::nullopt;
}

absl::Status ComparePattern(const ReadPattern& read, const Pattern& wanted) {
  if (read.search != wanted.search) return absl::DataLossError(absl::StrCat("its search is ", read.search));
  if (const auto term = ir::ParseTerm(read.search); !term.ok()) return absl::DataLossError(term.status().message());
  if (read.condition != wanted.condition) return absl::DataLossError(absl::StrCat("its condition is ", read.condition));
  const auto program = machine::ParseProgram(*wanted.machine, read.program);
  if (!program.ok()) return absl::DataLossError(program.status().message());
  const absl::Status legal = machine::CheckLegal(*wanted.machine, *program);
  if (!legal.ok()) return absl::DataLossError(legal.message());
  if (program->instructions == wanted.program.instructions) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("its program is ", machine::PrintProgram(*wanted.machine, *program)));
}

}  // namespace

absl::StatusOr<std::string> WriteMachine(const v1::Pack& pack) {
  const absl::StatusOr<std::vector<Pattern>> patterns = PatternsOf(pack);
  if (!patterns.ok()) return patterns.status();
  Words words;
  for (const Pattern& pattern : *patterns) {
    const absl::Status status = AddWords(pattern, &words);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat("entry ", pattern.entry->rule().id(), ": ", status.message()));
    }
  }
  std::string text =
      absl::StrCat("#!/usr/bin/env python3\n", ProvenanceLines(pack.manifest(), "# "), "# Instruction patterns.\n\n\n",
                   PreambleFile()[0].text, "\n\n", words.Definitions(), "\npatterns = [\n");
  const v1::PackEntry* last = nullptr;
  for (const Pattern& pattern : *patterns) {
    if (pattern.entry != last) {
      absl::StrAppend(&text, "    # ", pattern.entry->rule().id(), "\n    # ", ProofLine(*pattern.entry), "\n");
    }
    last = pattern.entry;
    text += PatternText(pattern);
  }
  absl::StrAppend(&text, "]\n\nif __name__ == \"__main__\":\n    for pattern in patterns:\n",
                  "        print(*pattern, sep=\"\\t\")\n");
  const absl::Status read_back = CheckMachineText(text, pack);
  if (!read_back.ok()) return read_back;
  return text;
}

absl::Status CheckMachineText(absl::string_view text, const v1::Pack& pack) {
  const absl::StatusOr<std::vector<Pattern>> patterns = PatternsOf(pack);
  if (!patterns.ok()) return patterns.status();
  for (const Pattern& pattern : *patterns) {
    const std::string& id = pattern.entry->rule().id();
    const std::optional<ReadPattern> read = ReadNext(&text);
    if (!read.has_value()) return absl::DataLossError(absl::StrCat("machine.py: entry ", id, " is missing"));
    const absl::Status status = ComparePattern(*read, pattern);
    if (!status.ok()) return absl::DataLossError(absl::StrCat("machine.py: entry ", id, ": ", status.message()));
  }
  if (ReadNext(&text).has_value()) return absl::DataLossError("machine.py: a pattern that no entry gives");
  return absl::OkStatus();
}

}  // namespace rewrought::emitter
