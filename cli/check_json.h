// A rule's verdict as the JSON object of the command contract, and as lines for people.
#ifndef REWROUGHT_CLI_CHECK_JSON_H_
#define REWROUGHT_CLI_CHECK_JSON_H_

#include <string>

#include <nlohmann/json.hpp>

#include "verifier/entry_check.h"

namespace rewrought::cli {

using Json = nlohmann::ordered_json;

struct CheckedLine : verifier::CheckedEntry {
  bool explain = false;
};

// The word of the contract for the whole line.
std::string VerdictWord(const CheckedLine& checked);

Json ToJson(const CheckedLine& checked);

// One line with the verdict, and under a refuted rule its witness (and each node's values if `explain`).
std::string ToText(const CheckedLine& checked, const std::string& file);

// An allowed set as the contract writes it: a list of hex numbers, "nan", "any".
Json AllowedToJson(const ir::AllowedSet& set, int bits);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_JSON_H_
