// Implements --json, with which a command prints one JSON object per line to standard output.
#ifndef REWROUGHT_CLI_JSON_OUTPUT_H_
#define REWROUGHT_CLI_JSON_OUTPUT_H_

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace rewrought::cli {

using Json = nlohmann::ordered_json;

// Prints `object` as one line and flushes standard output. Replaces bytes that are not valid UTF-8.
void PrintJson(const Json& object);

// Adds --json to `command`. `what` describes the output for --help, as in "one JSON object per rule".
void AddJsonOption(CLI::App* command, bool* json, const std::string& what);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_JSON_OUTPUT_H_
