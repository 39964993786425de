#include "cli/reference/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rewrought::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ReferenceCommand Sample() {
  ReferenceCommand command;
  command.path = {"tool", "paint"};
  command.description = "Paints a file";
  ReferenceOption file, color;
  file.names = {"FILE"};
  file.positional = file.takes_value = file.required = true;
  file.description = "the file";
  color.names = {"-c", "--color"};
  color.takes_value = true;
  color.value = "TEXT";
  color.values = {"blue", "red"};
  color.default_value = "red";
  color.description = "its 'color'";
  command.options = {file, color};
  command.footer = "Wet paint.\nExample:\n  tool paint -c red a~b\n  .hidden";
  return command;
}

TEST(ManPage, HasAllSections) {
  const std::string page = ManPage(Sample(), "tool 1.0", "2026-11-29");
  EXPECT_THAT(page, HasSubstr(".TH TOOL\\-PAINT 1 2026-11-29 \"tool 1.0\" \"User Commands\"\n"));
  EXPECT_THAT(page, HasSubstr(".SH NAME\ntool\\-paint \\- Paints a file\n"));
  EXPECT_THAT(page, HasSubstr("\\fBtool paint\\fR [\\fIOPTION\\fR...] \\fIFILE\\fR\n"));
  EXPECT_THAT(page, HasSubstr(".SH ARGUMENTS\n.TP\n\\fIFILE\\fR\nthe file\n"));
  EXPECT_THAT(
      page, HasSubstr("\\fB\\-c\\fR, \\fB\\-\\-color\\fR \\fIblue|red\\fR\nits \\(aqcolor\\(aq\n.br\nDefault: red\n"));
  EXPECT_THAT(page, HasSubstr(".SH NOTES\nWet paint.\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXAMPLES\n.PP\n.RS 4\n.nf\ntool paint \\-c red a\\(tib\n\\&.hidden\n.fi\n.RE\n"));
  EXPECT_THAT(page, HasSubstr(".SH SEE ALSO\n.BR tool (1)\n"));
}

TEST(ManPage, ListsCommandsByGroup) {
  ReferenceCommand program;
  program.path = {"tool"};
  program.commands = {Sample()};
  program.commands[0].group = "Work";
  const std::string page = ManPage(program, "tool 1.0", "2026-11-29");
  EXPECT_THAT(page, HasSubstr(".SH COMMANDS\n.SS Work\n.TP\n.BR tool\\-paint (1)\nPaints a file\n"));
  EXPECT_THAT(page, Not(HasSubstr("SEE ALSO")));
}

}  // namespace
}  // namespace rewrought::cli
