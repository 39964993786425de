// A rule's verdict as the JSON object of docs/commands.md, of this process or of a server.
#ifndef REWROUGHT_VERIFIER_MESSAGE_VERDICT_JSON_H_
#define REWROUGHT_VERIFIER_MESSAGE_VERDICT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::verifier {

nlohmann::ordered_json ToJson(const v1::RuleVerdict& verdict);

// The class as JSON has it: what is not shown to keep digits is "cancelling" there, whether an input shows that or not.
std::string AccuracyWord(v1::AccuracyClass accuracy);

// An allowed set, as AllowedTexts (verifier/message/verdict_message.h) spells it, as the contract writes it: a list of
// hex numbers, "nan", "any".
nlohmann::ordered_json AllowedToJson(const std::vector<std::string>& allowed);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_VERDICT_JSON_H_
