// One JSON object a line on standard output: what --json means for every command.
#ifndef REWROUGHT_CLI_JSON_OUTPUT_H_
#define REWROUGHT_CLI_JSON_OUTPUT_H_

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace rewrought::cli {

using Json = nlohmann::ordered_json;

// Prints `object` on a line of its own at once. Bytes that are no UTF-8 are replaced.
void PrintJson(const Json& object);

// Adds --json; `what` says what a line is: "one JSON object per rule".
void AddJsonOption(CLI::App* command, bool* json, const std::string& what);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_JSON_OUTPUT_H_
