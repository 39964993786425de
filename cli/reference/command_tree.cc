#include "cli/reference/command_tree.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace rewrought::cli {
namespace {

// CLI11 appends the accepted values to the kind of value: "TEXT:{a,b}".
void SplitValues(ReferenceOption* option) {
  const size_t open = option->value.find(":{"), close = option->value.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return;
  const std::string list = option->value.substr(open + 2, close - open - 2);
  option->values = absl::StrSplit(list, ',');
  option->value.resize(open);
}

ReferenceOption ReadOption(const CLI::Option& option) {
  ReferenceOption read;
  read.positional = option.get_positional();
  if (read.positional) {
    read.names.push_back(option.get_name(true, false));
  } else {
    for (const std::string& name : option.get_snames()) read.names.push_back(absl::StrCat("-", name));
    for (const std::string& name : option.get_lnames()) read.names.push_back(absl::StrCat("--", name));
  }
  read.takes_value = option.get_items_expected_max() > 0;
  read.required = option.get_required();
  read.repeated = option.get_items_expected_max() > 1;
  if (read.takes_value) {
    read.value = option.get_type_name();
    read.default_value = option.get_default_str();
  }
  read.description = option.get_description();
  SplitValues(&read);
  return read;
}

// Adds the options of a command, and those of its option groups, which CLI11 represents as commands without a name and
// with a --help option.
void AddOptions(const CLI::App& app, ReferenceCommand* command) {
  for (const CLI::Option* option : app.get_options()) {
    const bool help_of_group = app.get_name().empty() && option == app.get_help_ptr();
    if (!option->get_group().empty() && !help_of_group) command->options.push_back(ReadOption(*option));
  }
  for (const CLI::App* child : app.get_subcommands({})) {
    if (child->get_name().empty()) AddOptions(*child, command);
  }
}

ReferenceCommand Read(const CLI::App& app, const ReferenceCommand* parent, const std::string& parent_footer) {
  ReferenceCommand command;
  if (parent != nullptr) command.path = parent->path;
  command.path.push_back(app.get_name());
  command.group = app.get_group();
  command.description = app.get_description();
  command.footer = app.get_footer() == parent_footer ? "" : app.get_footer();
  AddOptions(app, &command);
  std::stable_partition(command.options.begin(), command.options.end(),
                        [](const ReferenceOption& option) { return option.positional; });
  for (const CLI::App* child : app.get_subcommands({})) {
    if (!child->get_name().empty() && !child->get_group().empty())
      command.commands.push_back(Read(*child, &command, app.get_footer()));
  }
  return command;
}

}  // namespace

ReferenceCommand ReadCommands(const CLI::App& program) { return Read(program, nullptr, ""); }

std::vector<const ReferenceCommand*> AllCommands(const ReferenceCommand& command) {
  std::vector<const ReferenceCommand*> all = {&command};
  for (const ReferenceCommand& child : command.commands) {
    for (const ReferenceCommand* below : AllCommands(child)) all.push_back(below);
  }
  return all;
}

}  // namespace rewrought::cli
