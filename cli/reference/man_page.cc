#include "cli/reference/man_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace rewrought::cli {
namespace {

// Escapes the characters that roff would interpret or print as typographic characters.
std::string Escaped(absl::string_view text) {
  const std::string escaped = absl::StrReplaceAll(
      text, {{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}, {"`", "\\(ga"}, {"^", "\\(ha"}, {"~", "\\(ti"}});
  return absl::StartsWith(escaped, ".") ? absl::StrCat("\\&", escaped) : escaped;
}

std::string Bold(absl::string_view text) { return absl::StrCat("\\fB", Escaped(text), "\\fR"); }
std::string Italic(absl::string_view text) { return absl::StrCat("\\fI", Escaped(text), "\\fR"); }

std::string Section(absl::string_view name) { return absl::StrCat(".SH ", name, "\n"); }

std::string Reference(const std::string& page) { return absl::StrCat(".BR ", Escaped(page), " (1)"); }

// Returns the text with indented lines as they are, and other lines as paragraphs.
std::string Paragraphs(const std::vector<std::string>& lines) {
  std::string page;
  bool literal = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool indented = absl::StartsWith(lines[i], " ");
    if (indented && !literal) absl::StrAppend(&page, ".PP\n.RS 4\n.nf\n");
    if (!indented && literal) absl::StrAppend(&page, ".fi\n.RE\n.PP\n");
    literal = indented;
    const absl::string_view shown =
        indented ? absl::StripPrefix(absl::string_view(lines[i]), "  ") : absl::string_view(lines[i]);
    if (!shown.empty()) {
      absl::StrAppend(&page, Escaped(shown), "\n");
    } else if (i > 0 && i + 1 < lines.size()) {
      absl::StrAppend(&page, ".PP\n");
    }
  }
  if (literal) absl::StrAppend(&page, ".fi\n.RE\n");
  return page;
}

std::string OptionText(const ReferenceOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(option.positional ? Italic(name) : Bold(name));
  std::string text = absl::StrCat(".TP\n", absl::StrJoin(names, ", "));
  if (option.takes_value && !option.positional) {
    absl::StrAppend(&text, " ", Italic(option.values.empty() ? option.value : absl::StrJoin(option.values, "|")));
    if (option.repeated) absl::StrAppend(&text, " ...");
  }
  absl::StrAppend(&text, "\n", Escaped(absl::StrReplaceAll(option.description, {{"\n", " "}})), "\n");
  if (option.required && !option.positional) absl::StrAppend(&text, ".br\nThis option is required.\n");
  if (!option.default_value.empty() && !absl::StrContains(option.description, "default: ")) {
    absl::StrAppend(&text, ".br\nDefault: ", Escaped(option.default_value), "\n");
  }
  return text;
}

std::string Synopsis(const ReferenceCommand& command) {
  std::string text = absl::StrCat(Bold(absl::StrJoin(command.path, " ")));
  for (const ReferenceOption& option : command.options) {
    if (option.positional || !option.required) continue;
    absl::StrAppend(&text, " ", Bold(option.names.back()), " ", Italic(option.value));
  }
  absl::StrAppend(&text, " [", Italic("OPTION"), "...]");
  if (!command.commands.empty()) absl::StrAppend(&text, " ", Italic("COMMAND"), " ...");
  for (const ReferenceOption& option : command.options) {
    if (!option.positional) continue;
    const std::string name = absl::StrCat(Italic(option.names[0]), option.repeated ? "..." : "");
    absl::StrAppend(&text, option.required ? absl::StrCat(" ", name) : absl::StrCat(" [", name, "]"));
  }
  return absl::StrCat(text, "\n");
}

// Returns the list of commands with their groups as headings.
std::string CommandList(const ReferenceCommand& command) {
  std::string text = Section("COMMANDS"), group;
  for (const ReferenceCommand& child : command.commands) {
    if (child.group != group) {
      group = child.group;
      absl::StrAppend(&text, ".SS ", Escaped(group), "\n");
    }
    absl::StrAppend(&text, ".TP\n", Reference(ManPageName(child)), "\n", Escaped(child.description), "\n");
  }
  return text;
}

std::string Notes(const std::string& footer) {
  std::vector<std::string> notes, examples;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(footer, '\n'))) {
    const bool heading = examples.empty() && (line == "Example:" || line == "Examples:");
    if (heading) {
      examples.push_back("");
    } else {
      (examples.empty() ? notes : examples).push_back(line);
    }
  }
  std::string text;
  if (!notes.empty()) absl::StrAppend(&text, Section("NOTES"), Paragraphs(notes));
  if (!examples.empty()) {
    examples.erase(examples.begin());
    absl::StrAppend(&text, Section("EXAMPLES"), Paragraphs(examples));
  }
  return text;
}

}  // namespace

std::string ManPageName(const ReferenceCommand& command) { return absl::StrJoin(command.path, "-"); }

std::string ManPage(const ReferenceCommand& command, const std::string& source, const std::string& date) {
  const std::string name = ManPageName(command);
  std::string page = absl::StrCat(".TH ", Escaped(absl::AsciiStrToUpper(name)), " 1 ", date, " \"", Escaped(source),
                                  "\" \"User Commands\"\n");
  std::string brief = command.description.substr(0, command.description.find('\n'));
  absl::StrAppend(&page, Section("NAME"), Escaped(name), " \\- ", Escaped(brief), "\n");
  absl::StrAppend(&page, Section("SYNOPSIS"), Synopsis(command));
  if (brief.size() < command.description.size()) {
    absl::StrAppend(&page, Section("DESCRIPTION"), Paragraphs(absl::StrSplit(command.description, '\n')));
  }
  bool arguments = false, options = false;
  for (const ReferenceOption& option : command.options) {
    bool* const shown = option.positional ? &arguments : &options;
    if (!*shown) absl::StrAppend(&page, Section(option.positional ? "ARGUMENTS" : "OPTIONS"));
    *shown = true;
    absl::StrAppend(&page, OptionText(option));
  }
  if (!command.commands.empty()) absl::StrAppend(&page, CommandList(command));
  if (!command.footer.empty()) absl::StrAppend(&page, Notes(command.footer));
  if (command.path.size() > 1) {
    ReferenceCommand parent;
    parent.path = {command.path.begin(), command.path.end() - 1};
    absl::StrAppend(&page, Section("SEE ALSO"), Reference(ManPageName(parent)), "\n");
  }
  return page;
}

}  // namespace rewrought::cli
