// A rule's verdict as the JSON object of docs/commands.md, and as lines for people; of this process or of a server.
#ifndef REWROUGHT_CLI_CHECK_JSON_H_
#define REWROUGHT_CLI_CHECK_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::cli {

using Json = nlohmann::ordered_json;

Json ToJson(const v1::RuleVerdict& verdict);

// One line with the verdict, and under a refuted rule its first witness, with each node's values where they were asked
// for. `file` is what the lines are of.
std::string ToText(const v1::RuleVerdict& verdict, const std::string& file);

// An allowed set, as verifier::AllowedTexts spells it, as the contract writes it: a list of hex numbers, "nan", "any".
Json AllowedToJson(const std::vector<std::string>& allowed);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_JSON_H_
