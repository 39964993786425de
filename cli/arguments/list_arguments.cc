#include "cli/arguments/list_arguments.h"

#include <filesystem>
#include <system_error>

namespace rewrought::cli {

std::vector<std::string> KeepListsWhole(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) {
    if (argument.empty() || argument.front() != '[' || argument.back() != ']') continue;
    std::error_code error;
    if (std::filesystem::exists(argument, error)) {
      argument.insert(0, "./");
    } else {
      argument.push_back(' ');
    }
  }
  return arguments;
}

}  // namespace rewrought::cli
