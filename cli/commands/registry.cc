#include "cli/commands/registry.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace rewrought::cli {
namespace {

constexpr size_t kColumns = 120, kNameColumns = 30;

// Wraps option descriptions so that no line of the --help text exceeds kColumns.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    std::vector<std::string> lines(1);
    for (const absl::string_view word : absl::StrSplit(option->get_description(), ' ')) {
      if (lines.back().size() + 1 + word.size() > kColumns - kNameColumns) lines.emplace_back();
      absl::StrAppend(&lines.back(), lines.back().empty() ? "" : " ", word);
    }
    return absl::StrJoin(lines, "\n");
  }
};

struct Command {
  const char *group, *name, *help;
  void (*add)(CLI::App* command, Context* context);
};

constexpr Command kCommands[] = {
#define REWROUGHT_ROW(Function, group, name, help) {group, name, help, Add##Function##Command},
    REWROUGHT_COMMANDS(REWROUGHT_ROW)
#undef REWROUGHT_ROW
};

}  // namespace

void AddCommands(CLI::App* app, Context* context) {
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(kNameColumns);
  app->formatter(formatter);  // subcommands inherit the formatter
  for (const Command& command : kCommands) {
    CLI::App* added = app->add_subcommand(command.name, command.help)->group(command.group);
    command.add(added, context);
  }
}

}  // namespace rewrought::cli
