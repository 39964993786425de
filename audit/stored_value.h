// Checks the values of a file of stored verdicts, which may be damaged or come from elsewhere. Code that reads a
// checked value may rely on its fields and their types.
#ifndef REWROUGHT_AUDIT_STORED_VALUE_H_
#define REWROUGHT_AUDIT_STORED_VALUE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"

namespace rewrought::audit {

// Returns OK if `value` may be stored under `key`: under Question::key, an answer (AnswerOf) whose verdict agrees with
// its cases, and under InferenceKey, a result of Infer and nothing else, because it is merged into the answer.
// Otherwise, returns InvalidArgument, which names the field.
absl::Status CheckStoredValue(const std::string& key, const nlohmann::json& value);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_STORED_VALUE_H_
