// Formats the values of a counterexample for people.
#ifndef REWROUGHT_VERIFIER_MESSAGE_WITNESS_TEXT_H_
#define REWROUGHT_VERIFIER_MESSAGE_WITNESS_TEXT_H_

#include <map>
#include <optional>
#include <string>

#include "ir/op_table.h"
#include "ir/term.h"

namespace rewrought::verifier {

using ValueType = std::optional<ir::BaseType>;  // nullopt if unknown

// Maps the name of each value in a counterexample, including "root", to its type.
std::map<std::string, ValueType> TypesByName(const ir::Rule& rule);

// Appends to each component the number that its bits represent: "0x3f800000,nan" becomes "0x3f800000 (1.0), any NaN".
std::string SpellComponents(const std::string& components, ValueType type);

// Returns whether a name in a counterexample, such as "zero0", denotes the sign of a zero literal that matches both +0
// and -0.
bool IsZeroSign(const std::string& name);

// Returns whether an input is a root flag that is not set. Such flags do not explain a counterexample.
bool IsUnsetFlag(const std::string& name, const std::string& value);

// Returns the name of an input of a counterexample, such as "a", "zero literal 0", or "root flag nsz".
std::string InputLabel(const std::string& name, uint32_t root_bits);

// Returns the value of an input, such as "0x3f800000 (1.0)" or "matched as -0.0".
std::string InputText(const std::string& name, const std::string& value, ValueType type);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_WITNESS_TEXT_H_
