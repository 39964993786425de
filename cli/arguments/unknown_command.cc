#include "cli/arguments/unknown_command.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace rewrought::cli {
namespace {

// Returns the smallest number of characters to insert, delete, or replace that turns `a` into `b`.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> UnknownCommand(CLI::App* app, const std::vector<std::string>& arguments) {
  std::string words = app->get_name();
  for (const std::string& argument : arguments) {
    const std::vector<CLI::App*> commands = app->get_subcommands([](CLI::App*) { return true; });
    if (commands.empty()) return std::nullopt;
    if (argument == "-h" || argument == "--help") continue;
    // CLI11 reports other options here.
    if (argument.empty() || argument[0] == '-') return std::nullopt;
    const auto named = std::find_if(commands.begin(), commands.end(),
                                    [&](const CLI::App* command) { return command->get_name() == argument; });
    if (named == commands.end()) {
      const std::string wrong = argument.substr(0, 100);  // The distance takes time proportional to the length.
      const auto nearest =
          std::min_element(commands.begin(), commands.end(), [&](const CLI::App* one, const CLI::App* other) {
            return EditDistance(wrong, one->get_name()) < EditDistance(wrong, other->get_name());
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
