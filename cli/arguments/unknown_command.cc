#include "cli/arguments/unknown_command.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "ir/text/nearest_name.h"

namespace rewrought::cli {
std::optional<std::string> UnknownCommand(CLI::App* app, const std::vector<std::string>& arguments) {
  std::string words = app->get_name();
  for (const std::string& argument : arguments) {
    const std::vector<CLI::App*> commands = app->get_subcommands([](CLI::App*) { return true; });
    if (commands.empty()) return std::nullopt;
    if (argument == "-h" || argument == "--help") continue;
    // CLI11 itself reports an unknown option in this position.
    if (argument.empty() || argument[0] == '-') return std::nullopt;
    const auto named = std::find_if(commands.begin(), commands.end(),
                                    [&](const CLI::App* command) { return command->get_name() == argument; });
    if (named == commands.end()) {
      const std::string wrong = argument.substr(0, 100);  // The distance takes time proportional to the length.
      const auto nearest =
          std::min_element(commands.begin(), commands.end(), [&](const CLI::App* one, const CLI::App* other) {
            return ir::EditDistance(wrong, one->get_name()) < ir::EditDistance(wrong, other->get_name());
          });
      return absl::StrCat("'", absl::CHexEscape(wrong), "' is not a command of `", words, "`; did you mean `", words,
                          " ", (*nearest)->get_name(), "`? `", words, " --help` lists all commands");
    }
    app = *named;
    absl::StrAppend(&words, " ", argument);
  }
  return std::nullopt;
}

}  // namespace rewrought::cli
