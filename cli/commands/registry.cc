#include "cli/commands/registry.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proto/version.h"

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

std::unique_ptr<CLI::App> MakeProgram(Context* context) {
  auto app =
      std::make_unique<CLI::App>("Discovers rewrite rules for GPU shader compilers and proves them bit for bit.");
  app->name("rewrought");
  app->require_subcommand(1);
  app->set_version_flag("--version", absl::StrCat("rewrought ", kVersion), "Print the version and exit");
  app->footer(
      "Exit codes: 0 success or yes, 1 no, 2 usage error or bad input, 3 unknown, 130 interrupted.\n"
      "Examples (the --help of each command has more):\n"
      "  rewrought check \"(('fadd', a, 0.0), a)\"\n"
      "  rewrought improve \"('inot', ('iand', a, b))\" --machine intel_gen9");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(kNameColumns);
  app->formatter(formatter);  // subcommands inherit the formatter
  for (const Command& command : kCommands) {
    CLI::App* added = app->add_subcommand(command.name, command.help)->group(command.group);
    command.add(added, context);
  }
  return app;
}

}  // namespace rewrought::cli
