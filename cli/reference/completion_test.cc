#include "cli/reference/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rewrought::cli {
namespace {

using ::testing::HasSubstr;

ReferenceCommand Sample() {
  ReferenceCommand program, paint;
  program.path = {"tool"};
  paint.path = {"tool", "paint"};
  paint.description = "Paints: it's [wet]";
  ReferenceOption file, color, name;
  file.names = {"FILE"};
  file.positional = file.takes_value = file.required = true;
  color.names = {"-c", "--color"};
  color.takes_value = true;
  color.value = "TEXT";
  color.values = {"blue", "red"};
  color.description = "its color";
  name.names = {"--name"};
  name.takes_value = name.repeated = true;
  name.value = "TEXT";
  name.description = "a name";
  paint.options = {file, color, name};
  program.commands = {paint};
  return program;
}

TEST(Completion, Bash) {
  const std::string script = BashCompletion(Sample());
  EXPECT_THAT(script, HasSubstr("'tool paint') path+="));
  EXPECT_THAT(script, HasSubstr("'tool') commands='paint' options='' ;;\n"));
  EXPECT_THAT(script, HasSubstr("'tool paint') commands='' options='-c --color --name' ;;\n"));
  EXPECT_THAT(script, HasSubstr("'tool paint --color') words='blue red' ;;\n"));
  EXPECT_THAT(script, HasSubstr("'tool paint --name') words=files ;;\n"));
  EXPECT_THAT(script, HasSubstr("complete -F _tool tool\n"));
}

TEST(Completion, Zsh) {
  const std::string script = ZshCompletion(Sample());
  EXPECT_THAT(script, HasSubstr("#compdef tool\n"));
  EXPECT_THAT(script, HasSubstr("'paint:Paints\\: it'\\''s \\[wet\\]'\n"));
  EXPECT_THAT(script, HasSubstr("'(-c --color)'{-c,--color}'[its color]:TEXT:(blue red)'"));
  EXPECT_THAT(script, HasSubstr("'*--name''[a name]:TEXT:_files'"));
  EXPECT_THAT(script, HasSubstr("'1:FILE:_files'"));
}

}  // namespace
}  // namespace rewrought::cli
