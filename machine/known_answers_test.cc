// Tests the machines' known answers, machine/known_answers/<id>.txt. Each line contains an instruction and its
// result.
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "ir/evaluate.h"
#include "ir/scalar.h"
#include "machine/program_term.h"

namespace rewrought::machine {
namespace {

// Parses an integer, or a 32-bit float if the text contains a decimal point.
uint64_t Number(absl::string_view text) {
  uint64_t value = 0;
  if (double number; absl::StrContains(text, '.') && absl::SimpleAtod(text, &number))
    return ir::FloatToBits(number, 32);
  const bool ok = absl::StartsWith(text, "0x") ? absl::SimpleHexAtoi(text, &value) : absl::SimpleAtoi(text, &value);
  EXPECT_TRUE(ok) << text;
  return value;
}

// Checks that the line's result is allowed when denormals are preserved, and reports the line otherwise.
void CheckLine(const Machine& machine, const std::string& line, std::set<std::string>* seen) {
  const std::vector<std::string> fields = absl::StrSplit(line, '|');
  ASSERT_EQ(fields.size(), 4u) << line;
  absl::StatusOr<Program> program = ParseProgram(machine, absl::StripAsciiWhitespace(fields[0]));
  ASSERT_TRUE(program.ok()) << line << ": " << program.status();
  absl::StatusOr<ir::Term> term = ProgramTerm(machine, *program);
  ASSERT_TRUE(term.ok()) << line << ": " << term.status();
  ir::Dag dag;
  absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&dag, *term, ir::DenormMode::kPreserve, 0);
  ASSERT_TRUE(lowered.ok()) << line << ": " << lowered.status();
  std::map<std::string, uint64_t> values;  // Vectors are set by component, as in "a.0=1".
  for (absl::string_view assignment : absl::StrSplit(fields[1], ' ', absl::SkipWhitespace())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(assignment, '=');
    values[parts.first] = Number(parts.second);
  }
  std::vector<uint64_t> inputs;
  for (const ir::Input& input : dag.inputs()) {
    ASSERT_TRUE(values.contains(input.name)) << line;
    inputs.push_back(values[input.name]);
  }
  const ir::AllowedSet allowed = ir::AllowedResults(dag, *lowered, inputs, 4);
  ASSERT_EQ(allowed.results.size(), 1u) << line;
  const std::vector<std::string> expected = absl::StrSplit(fields[2], ',');  // The result's components.
  ASSERT_EQ(allowed.results[0].size(), expected.size()) << line;
  for (size_t c = 0; c < expected.size(); ++c) {
    EXPECT_EQ(allowed.results[0][c].kind, ir::AllowedKind::kValue) << line;
    EXPECT_EQ(allowed.results[0][c].value, Number(absl::StripAsciiWhitespace(expected[c])))
        << line << ": 0x" << absl::StrCat(absl::Hex(allowed.results[0][c].value));
  }
  for (const Instruction& instruction : program->instructions) seen->insert(instruction.variant->mnemonic);
}

void CheckFile(const std::string& id, size_t least_lines) {
  const Machine& machine = **FindMachine(id);
  std::ifstream file(absl::StrCat("machine/known_answers/", id, ".txt"));
  ASSERT_TRUE(file.good());
  size_t lines = 0;
  std::set<std::string> seen;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++lines;
    CheckLine(machine, line, &seen);
  }
  EXPECT_GE(lines, least_lines);
  std::printf("%s: %zu known answers for %zu of %d instructions\n", id.c_str(), lines, seen.size(),
              machine.description().instructions_size());
}

// Checks that each machine has at least the listed number of known answers, so that none are lost.
TEST(KnownAnswersTest, EveryMachineGivesThem) {
  const std::map<std::string, size_t> least = {{"intel_gen9", 50}, {"agx_g13", 50},     {"intel_gen125", 250},
                                               {"rdna", 400},      {"valhall", 350},    {"ir3_a6xx", 280},
                                               {"intel_gen8", 65}, {"intel_gen11", 55}, {"intel_gen7", 60}};
  for (const Machine* machine : AllMachines()) {
    const auto known = least.find(machine->id());
    CheckFile(machine->id(), known != least.end() ? known->second : 30);
  }
}

}  // namespace
}  // namespace rewrought::machine
