#include "cli/json_output.h"

#include <iostream>

namespace rewrought::cli {

void PrintJson(const Json& object) {
  std::cout << object.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n" << std::flush;
}

void AddJsonOption(CLI::App* command, bool* json, const std::string& what) {
  command->add_flag("--json", *json, what + " on standard output");
}

}  // namespace rewrought::cli
