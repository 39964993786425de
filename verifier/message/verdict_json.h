// Converts a rule's verdict, computed in this process or by a server, to the JSON object of docs/commands.md.
#ifndef REWROUGHT_VERIFIER_MESSAGE_VERDICT_JSON_H_
#define REWROUGHT_VERIFIER_MESSAGE_VERDICT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::verifier {

nlohmann::ordered_json ToJson(const v1::RuleVerdict& verdict);

// Returns the class's name in JSON. A rule of unknown accuracy also counts as "cancelling".
std::string AccuracyWord(v1::AccuracyClass accuracy);

// Converts the strings of AllowedTexts (verifier/message/verdict_message.h) to a JSON list of hex numbers, "nan" and
// "any".
nlohmann::ordered_json AllowedToJson(const std::vector<std::string>& allowed);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_VERDICT_JSON_H_
