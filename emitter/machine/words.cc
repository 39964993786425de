#include "emitter/machine/words.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace rewrought::emitter {
namespace {

constexpr absl::string_view kPythonKeywords[] = {
    "and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
    "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
    "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
    "return", "try",  "while",  "with",   "yield",    "None",  "True",  "False"};
// Names that the file defines or uses itself.
constexpr absl::string_view kTaken[] = {
    "Word",     "Operand",  "Register", "TempReg",  "Instruction", "Opcode", "InstructionList",
    "Modifier", "constant", "imm",      "patterns", "entries",     "rules",  "abs",
    "map",      "str",      "list",     "print"};

bool Contains(absl::Span<const absl::string_view> names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsPythonName(absl::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

}  // namespace

std::string PythonName(absl::string_view word) {
  return absl::StrCat(word, Contains(kPythonKeywords, word) ? "_" : "");
}

std::string WithoutPythonName(absl::string_view name) {
  const bool was_keyword =
      !name.empty() && name.back() == '_' && Contains(kPythonKeywords, name.substr(0, name.size() - 1));
  return std::string(name.substr(0, name.size() - (was_keyword ? 1 : 0)));
}

absl::Status Words::Add(const std::string& word, Kind kind) {
  if (absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) return absl::OkStatus();  // Numbers need no definition.
  const bool uncallable = kind != Kind::kOpcode && Contains(kPythonKeywords, word);
  if (!IsPythonName(word) || Contains(kTaken, PythonName(word)) || uncallable) {
    return absl::FailedPreconditionError(absl::StrCat("'", word, "' cannot be a name in Python"));
  }
  const auto [place, is_new] = kinds_.try_emplace(word, kind);
  if (is_new || place->second == kind) return absl::OkStatus();
  const auto either = [&](Kind one) { return place->second == one || kind == one; };
  if (either(Kind::kRegister)) {
    return absl::FailedPreconditionError(absl::StrCat("'", word, "' names a register and something else"));
  }
  if (either(Kind::kModifier)) {
    return absl::FailedPreconditionError(absl::StrCat("'", word, "' names a modifier and something else"));
  }
  place->second = Kind::kOpcode;
  return absl::OkStatus();
}

absl::Status Words::AddOperand(const machine::Machine& machine, const machine::Operand& operand) {
  const std::string& type = machine.types()[operand.type].name;
  types_.insert(type);
  absl::Status status = Add(type, Kind::kWord);
  for (const machine::ModifierIndex modifier : operand.modifiers) {
    const std::string& spelling = machine.modifiers()[modifier].spelling;
    // Python itself provides "-", "~", and abs.
    if (status.ok() && spelling.size() > 1 && spelling != "abs") status = Add(spelling, Kind::kModifier);
  }
  if (!status.ok() || operand.kind == machine::OperandKind::kImmediate) return status;
  return Add(operand.kind == machine::OperandKind::kNull ? "null" : operand.name, Kind::kRegister);
}

absl::Status Words::AddMethods(const machine::Machine& machine, const machine::Instruction& instruction) {
  const machine::Variant& variant = *instruction.variant;
  std::vector<std::string> arguments;
  if (instruction.choice >= 0) {
    arguments.push_back(machine.selectors()[variant.selector].choices[instruction.choice].first);
  }
  if (instruction.flag_choice >= 0) {
    arguments.push_back(machine.selectors()[variant.result_flag].choices[instruction.flag_choice].first);
  }
  if (!instruction.predicate.empty()) arguments.push_back(instruction.predicate_inverted ? "INVERT" : "NORMAL");
  // A flag is also a register, because the result `r` may be a flag in one pattern but not in another.
  for (const std::string& flag : {instruction.flag, instruction.predicate}) {
    if (flag.empty() || flag == machine::kDefaultFlag) continue;
    if (absl::Status status = Add(flag, Kind::kRegister); !status.ok()) return status;
  }
  for (const std::string& argument : arguments) {
    if (absl::Status status = Add(argument, Kind::kWord); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Words::AddProgram(const machine::Machine& machine, const machine::Program& program) {
  for (const machine::Instruction& instruction : program.instructions) {
    absl::Status status = Add(instruction.variant->mnemonic, Kind::kOpcode);
    if (status.ok()) status = AddOperand(machine, instruction.destination);
    for (const machine::Operand& source : instruction.sources) {
      if (status.ok()) status = AddOperand(machine, source);
    }
    if (status.ok()) status = AddMethods(machine, instruction);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::string Words::Definitions() const {
  std::string text;
  const std::pair<Kind, const char*> kinds[] = {
      {Kind::kWord, "Word"}, {Kind::kRegister, "Register"}, {Kind::kOpcode, "Opcode"}, {Kind::kModifier, "Modifier"}};
  for (const auto& [kind, python_class] : kinds) {
    for (const auto& [word, its_kind] : kinds_) {
      if (its_kind == kind) absl::StrAppend(&text, PythonName(word), " = ", python_class, "(\"", word, "\")\n");
    }
  }
  return text;
}

bool Words::IsType(absl::string_view name) const { return types_.contains(std::string(name)); }

bool Words::IsWord(absl::string_view name) const {
  const auto found = kinds_.find(WithoutPythonName(name));
  // An instruction's name may also be a choice, such as "AND" of a truth table.
  return found != kinds_.end() && (found->second == Kind::kWord || found->second == Kind::kOpcode);
}

bool Words::IsFree(absl::string_view name) const {
  return !kinds_.contains(std::string(name)) && !Contains(kTaken, name) && !Contains(kPythonKeywords, name);
}

}  // namespace rewrought::emitter
