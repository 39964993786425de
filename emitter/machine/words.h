// Collects the names in machine.py: types and choices, registers, instructions, and modifiers. Within a file, each name
// has one meaning and does not shadow a name of Python or of the preamble.
#ifndef REWROUGHT_EMITTER_MACHINE_WORDS_H_
#define REWROUGHT_EMITTER_MACHINE_WORDS_H_

#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "machine/program.h"

namespace rewrought::emitter {

// Returns `word` as a Python name: a keyword gets a trailing underscore.
std::string PythonName(absl::string_view word);
// Undoes PythonName.
std::string WithoutPythonName(absl::string_view name);

class Words {
 public:
  // Adds all names in `program`. Fails with FailedPrecondition if a word is not a valid Python name or has another
  // meaning. A plain word that is also the name of an instruction is treated as an instruction.
  absl::Status AddProgram(const machine::Machine& machine, const machine::Program& program);

  // Returns lines such as "D = Word("D")" for words, registers, instructions, and modifiers, sorted by name.
  std::string Definitions() const;

  // IsType returns whether `name`, a result of PythonName, is a type. IsWord returns whether it is a type, a choice, or
  // a flag state.
  bool IsType(absl::string_view name) const;
  bool IsWord(absl::string_view name) const;
  // Returns whether a loop variable may have the name.
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
