// What the names in machine.py stand for: types and choices, registers, instructions, modifiers. Within one file a name
// means one thing, and none hides a name of Python's or of the preamble's.
#ifndef REWROUGHT_EMITTER_MACHINE_WORDS_H_
#define REWROUGHT_EMITTER_MACHINE_WORDS_H_

#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "machine/program.h"

namespace rewrought::emitter {

// `word` as a name in Python: a keyword cannot be one; with an underscore it can.
std::string PythonName(absl::string_view word);
// What PythonName made of a keyword, undone.
std::string WithoutPythonName(absl::string_view name);

class Words {
 public:
  // Adds all that `program` names. FailedPrecondition where a word is no name in Python, or means something else
  // already; a plain word that is also an instruction is that.
  absl::Status AddProgram(const machine::Machine& machine, const machine::Program& program);

  // "D = Word("D")", one a line: words, registers, instructions, modifiers, names sorted.
  std::string Definitions() const;

  // Whether the name `name` (as PythonName gives it) is a type, or a choice, flag's state or type.
  bool IsType(absl::string_view name) const;
  bool IsWord(absl::string_view name) const;
  // Whether a variable of a loop may be called `name`.
  bool IsFree(absl::string_view name) const;

 private:
  enum class Kind { kWord, kRegister, kOpcode, kModifier };

  absl::Status Add(const std::string& word, Kind kind);
  absl::Status AddOperand(const machine::Machine& machine, const machine::Operand& operand);
  absl::Status AddMethods(const machine::Machine& machine, const machine::Instruction& instruction);

  std::map<std::string, Kind> kinds_;
  std::set<std::string> types_;
};

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_WORDS_H_
