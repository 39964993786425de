// What the patterns of a rules.td stand on: named TableGen records, collected while patterns are written and printed in
// the order of their sections, by name within one.
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
  // Keeps the record `name` with its text, of whole lines. FailedPrecondition if the name already has another text:
  // two things would have one name.
  absl::Status Add(Section section, const std::string& name, const std::string& text);

  // The name of the Predicate whose C++ text is `condition`. FailedPrecondition if it is not made of names, numbers and
  // operators.
  absl::StatusOr<std::string> Condition(const std::string& condition);

  // All of them.
  std::string Text() const;

 private:
  std::array<std::map<std::string, std::string>, 8> sections_;
  std::map<std::string, std::string> texts_;       // by name, in whatever section
  std::map<std::string, std::string> conditions_;  // name by text
};

// The type that LLVM gives a value of `components` components of `bits` bits: "f32", "v4i1". FailedPrecondition where
// it has none.
absl::StatusOr<std::string> ValueType(bool is_float, int bits, int components);

// Whether `name` is such a type.
bool IsValueType(const std::string& name);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_DEFINITIONS_H_
