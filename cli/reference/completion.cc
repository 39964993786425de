#include "cli/reference/completion.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace rewrought::cli {
namespace {

// Returns the text as one word of a shell.
std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::vector<std::string> ChildNames(const ReferenceCommand& command) {
  std::vector<std::string> names;
  for (const ReferenceCommand& child : command.commands) names.push_back(child.path.back());
  return names;
}

std::vector<std::string> OptionNames(const ReferenceCommand& command) {
  std::vector<std::string> names;
  for (const ReferenceOption& option : command.options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string Path(const ReferenceCommand& command) { return absl::StrJoin(command.path, " "); }

// Escapes text within a specification of zsh's _arguments or _describe.
std::string ZshText(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}, {"\n", " "}});
}

std::string ZshFunction(const ReferenceCommand& command) { return absl::StrCat("_", absl::StrJoin(command.path, "_")); }

// Returns the part of a specification that describes the value of an option or a positional.
std::string ZshValue(const ReferenceOption& option) {
  const std::string kind = option.positional ? option.names[0] : option.value;
  if (option.values.empty()) return absl::StrCat(":", ZshText(kind), ":_files");
  return absl::StrCat(":", ZshText(kind), ":(", absl::StrJoin(option.values, " "), ")");
}

std::string ZshOption(const ReferenceOption& option) {
  const std::string text =
      Quoted(absl::StrCat("[", ZshText(option.description), "]", option.takes_value ? ZshValue(option) : ""));
  const std::string repeated = option.repeated ? "*" : "";
  if (option.names.size() == 1) return absl::StrCat(Quoted(repeated + option.names[0]), text);
  return absl::StrCat(option.repeated ? Quoted("*") : Quoted(absl::StrCat("(", absl::StrJoin(option.names, " "), ")")),
                      "{", absl::StrJoin(option.names, ","), "}", text);
}

// Returns the function of a command and those of the commands below it.
std::string ZshFunctions(const ReferenceCommand& command) {
  std::vector<std::string> words;
  for (const ReferenceOption& option : command.options) {
    if (!option.positional) words.push_back(ZshOption(option));
  }
  int position = 0;
  for (const ReferenceOption& option : command.options) {
    if (!option.positional) continue;
    const std::string place = option.repeated ? "*" : absl::StrCat(++position);
    words.push_back(Quoted(absl::StrCat(place, option.required ? "" : ":", ZshValue(option))));
  }
  std::string text = absl::StrCat(ZshFunction(command), "() {\n");
  if (command.commands.empty()) {
    return absl::StrCat(text, "  _arguments -s \\\n    ", absl::StrJoin(words, " \\\n    "), "\n}\n\n");
  }
  words.push_back("'1:command:->command'");
  words.push_back("'*::argument:->argument'");
  absl::StrAppend(&text,
                  "  local curcontext=\"$curcontext\" state line\n  typeset -A opt_args\n  local -a commands=(\n");
  for (const ReferenceCommand& child : command.commands) {
    absl::StrAppend(&text, "    ", Quoted(absl::StrCat(child.path.back(), ":", ZshText(child.description))), "\n");
  }
  absl::StrAppend(&text, "  )\n  _arguments -C \\\n    ", absl::StrJoin(words, " \\\n    "), "\n");
  absl::StrAppend(&text, "  case $state in\n    command) _describe -t commands command commands ;;\n",
                  "    argument)\n      case $words[1] in\n");
  for (const ReferenceCommand& child : command.commands) {
    absl::StrAppend(&text, "        ", child.path.back(), ") ", ZshFunction(child), " ;;\n");
  }
  absl::StrAppend(&text, "      esac ;;\n  esac\n}\n\n");
  for (const ReferenceCommand& child : command.commands) absl::StrAppend(&text, ZshFunctions(child));
  return text;
}

}  // namespace

std::string BashCompletion(const ReferenceCommand& program) {
  std::vector<std::string> below;
  std::string commands, values, files;
  for (const ReferenceCommand* command : AllCommands(program)) {
    if (command->path.size() > 1) below.push_back(Quoted(Path(*command)));
    absl::StrAppend(&commands, "    ", Quoted(Path(*command)), ") commands='", absl::StrJoin(ChildNames(*command), " "),
                    "' options='", absl::StrJoin(OptionNames(*command), " "), "' ;;\n");
    for (const ReferenceOption& option : command->options) {
      if (option.positional || !option.takes_value) continue;
      for (const std::string& name : option.names) {
        const std::string place = Quoted(absl::StrCat(Path(*command), " ", name));
        if (option.values.empty()) {
          absl::StrAppend(&files, files.empty() ? "" : " | ", place);
        } else {
          absl::StrAppend(&values, "    ", place, ") words=", Quoted(absl::StrJoin(option.values, " ")), " ;;\n");
        }
      }
    }
  }
  const std::string& name = program.path[0];
  return absl::StrCat("# Completes the commands and options of ", name,
                      " in bash. Generated from the program's options.\n_", name,
                      "() {\n"
                      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path=",
                      name,
                      "\n"
                      "  local commands= options= words= i\n"
                      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
                      "    case \"$path ${COMP_WORDS[i]}\" in\n      ",
                      absl::StrJoin(below, " | "),
                      ") path+=\" ${COMP_WORDS[i]}\" ;;\n"
                      "    esac\n  done\n"
                      "  case \"$path\" in\n",
                      commands,
                      "  esac\n"
                      "  case \"$path $previous\" in\n",
                      values, files.empty() ? "" : absl::StrCat("    ", files, ") words=files ;;\n"),
                      "  esac\n"
                      "  COMPREPLY=()\n"
                      "  if [[ $words == files || ( -z $words && -z $commands && $current != -* ) ]]; then\n"
                      "    compopt -o filenames 2>/dev/null\n"
                      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                      "  elif [[ -z $words && $current == -* ]]; then\n"
                      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
                      "  else\n"
                      "    mapfile -t COMPREPLY < <(compgen -W \"${words:-$commands}\" -- \"$current\")\n"
                      "  fi\n"
                      "}\n"
                      "complete -F _",
                      name, " ", name, "\n");
}

std::string ZshCompletion(const ReferenceCommand& program) {
  const std::string& name = program.path[0];
  return absl::StrCat("#compdef ", name, "\n# Completes the commands and options of ", name,
                      " in zsh. Generated from the program's options.\n\n", ZshFunctions(program), "_", name,
                      " \"$@\"\n");
}

}  // namespace rewrought::cli
