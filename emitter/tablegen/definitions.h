// Collects the TableGen records for the patterns of a rules.td and prints them by section, sorted by name.
#ifndef REWROUGHT_EMITTER_TABLEGEN_DEFINITIONS_H_
#define REWROUGHT_EMITTER_TABLEGEN_DEFINITIONS_H_

#include <array>
#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace rewrought::emitter {

enum class Section : unsigned char {
  kRegisters,
  kParts,
  kFields,
  kOperands,
  kInstructions,
  kOps,
  kValues,
  kConditions
};

class Definitions {
 public:
  // Adds the record `name`. Its text consists of whole lines. Fails with FailedPrecondition if the name already has a
  // different text.
  absl::Status Add(Section section, const std::string& name, const std::string& text);

  // Returns the name of the Predicate with the C++ text `condition`. Fails with FailedPrecondition if the condition
  // contains anything but names, numbers, and operators.
  absl::StatusOr<std::string> Condition(const std::string& condition);

  std::string Text() const;

 private:
  std::array<std::map<std::string, std::string>, 8> sections_;
  std::map<std::string, std::string> texts_;       // By name, across all sections.
  std::map<std::string, std::string> conditions_;  // Maps the text of a condition to its name.
};

// Returns LLVM's type for `components` components of `bits` bits, such as "f32" or "v4i1". Fails with
// FailedPrecondition if there is none.
absl::StatusOr<std::string> ValueType(bool is_float, int bits, int components);

bool IsValueType(const std::string& name);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_DEFINITIONS_H_
