#include "emitter/machine/machine_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "emitter/entry_rule.h"
#include "emitter/line_diff.h"
#include "emitter/pack_files.h"
#include "emitter/testing/machine_rules.h"
#include "emitter/testing/sample_rules.h"
#include "machine/machine.h"
#include "machine/program.h"

namespace rewrought::emitter {
namespace {

v1::Pack PackOf(const std::string& machine, const std::vector<std::pair<std::string, std::string>>& rules) {
  v1::Pack pack;
  pack.mutable_manifest()->set_machine(machine);
  for (const auto& [search, program] : rules) *pack.add_entries() = SampleProgram(machine, search, program).entry;
  return pack;
}

// Returns the output of python3 for the file.
std::string RunPython(const std::string& text) {
  const std::string directory = absl::StrCat(::testing::TempDir(), "/machine_writer");
  EXPECT_TRUE(WriteFiles(directory, {{"machine.py", text}}).ok());
  FILE* const pipe = popen(absl::StrCat("python3 -I -B '", directory, "/machine.py' 2>&1").c_str(), "r");
  std::string output;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) output.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << output;
  return output;
}

// Runs the file in Python, which prints its objects, and compares the programs with the pack.
void ExpectPythonPrintsItBack(const v1::Pack& pack) {
  const auto text = WriteMachine(pack);
  ASSERT_TRUE(text.ok()) << text.status();
  const std::vector<std::string> lines = absl::StrSplit(RunPython(*text), '\n', absl::SkipEmpty());
  ASSERT_EQ(static_cast<int>(lines.size()), pack.entries_size()) << *text;
  for (int i = 0; i < pack.entries_size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(lines[i], '\t');
    ASSERT_GE(fields.size(), 2u) << lines[i];
    const auto entry = ParseEntry(pack.entries(i).rule());
    ASSERT_TRUE(entry.ok()) << entry.status();
    const auto program = machine::ParseProgram(*entry->machine, fields[1]);
    ASSERT_TRUE(program.ok()) << program.status() << " in " << fields[1];
    EXPECT_EQ(machine::PrintProgram(*entry->machine, *program),
              machine::PrintProgram(*entry->machine, *entry->program));
  }
}

constexpr char kFsign64[] =
    "[TempReg('t', DF), MOV(t(DF), imm(0.0, DF)), CMP(null(DF), a(DF), t(DF)).cmod(NZ), MOV(r(DF), t(DF)), "
    "AND(r(UD).subscript(1), a(UD).subscript(1), imm(0x80000000, UD)), "
    "OR(r(UD).subscript(1), r(UD).subscript(1), imm(0x3ff00000, UD)).predicate(NORMAL)]";

v1::Pack IntelPack() {
  return PackOf("intel_gen9",
                {{"('fsign', 'a@64')", kFsign64},
                 {"('bcsel', ('ilt', 'a@32', 'b'), 'a', 'b')", "[SEL(r(D), a(D), b(D)).cmod(L)]"},
                 {"('fsat', ('fadd', ('fabs', 'a@32'), ('fneg', 'b')))", "[ADD(r(F), abs(a(F)), -b(F)).sat()]"},
                 {"('fmul', 'a@32', 1e-5)", "[MUL(r(F), a(F), imm(1e-5, F))]"},
                 {"('iand', ('inot', 'a@32'), ('inot', 'b'))", "[AND(r(D), ~a(D), ~b(D))]"}});
}

TEST(MachineWriter, PythonPrintsBackWhatWasWritten) { ExpectPythonPrintsItBack(IntelPack()); }

TEST(MachineWriter, SmallLettersAndTables) {
  ExpectPythonPrintsItBack(
      PackOf("agx_g13", {{"('inot', ('iand', 'a@32', 'b'))", "[bitop(r(UD), a(UD), b(UD)).table(NAND)]"},
                         {"('fneg', ('fmul', 'a@32', 'b'))", "[fmul(r(F), -a(F), b(F))]"}}));
}

TEST(MachineWriter, ReadsLikeAssembly) {
  const std::string text = *WriteMachine(IntelPack());
  EXPECT_NE(text.find("entries += [(('fsign', 'a@64'), InstructionList([\n"
                      "    TempReg(\"t\", DF),\n"
                      "    MOV(t(DF), imm(0.0, DF)),\n"
                      "    CMP(null(DF), a(DF), t(DF)).cmod(NZ),\n"
                      "    MOV(r(DF), t(DF)),\n"
                      "    AND(r(UD).subscript(1), a(UD).subscript(1), imm(0x80000000, UD)),\n"
                      "    OR(r(UD).subscript(1), r(UD).subscript(1), imm(0x3ff00000, UD)).predicate(NORMAL),\n"
                      "]))]\n"),
            std::string::npos)
      << text;
}

// The entries contain relations between constants, families, and conditions.
TEST(MachineWriter, PythonPrintsEveryKindOfEntry) {
  ExpectPythonPrintsItBack(EntriesPack());
  const std::string printed = RunPython(*WriteMachine(EntriesPack()));
  EXPECT_NE(printed.find("('iand', ('ishl', 'a@32', '#b@32'), constant(('ishl@32', -1, 'b')))\t[SHL("),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("\t!options->lower_fsign\n"), std::string::npos) << printed;
}

TEST(MachineWriter, EveryGenerationIsAFileOfItsOwn) {
  for (const std::string generation : {"4", "6", "7", "8", "9", "11", "125"}) {
    SCOPED_TRACE(generation);
    ExpectPythonPrintsItBack(MachinePack(**machine::FindMachine("intel_gen" + generation)));
  }
}

// Returns the entries without the file's header and final table.
std::vector<std::string> EntriesOf(const std::string& machine) {
  const std::string text = *WriteMachine(MachinePack(**machine::FindMachine(machine)));
  const size_t begin = text.find("entries = []");
  return absl::StrSplit(text.substr(begin, text.find("# The rules in the order") - begin), '\n');
}

TEST(MachineWriter, FilesOfTwoGenerationsDifferWhereProgramsDo) {
  const std::vector<std::string> gen8 = EntriesOf("intel_gen8"), gen9 = EntriesOf("intel_gen9");
  const std::vector<std::string> lines = LineDiff(gen8, gen9);
  const auto differ = std::count_if(lines.begin(), lines.end(), [](const std::string& line) { return line[0] != ' '; });
  EXPECT_GT(differ, 20);  // The machines differ in half-precision floats.
  EXPECT_LT(differ, static_cast<ptrdiff_t>(gen9.size() / 5));
  // Equal programs produce no difference.
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "-     ('fadd', 32, ADD, F),"), 0);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "      ('fadd', 32, ADD, F),"), 1);
}

TEST(MachineWriter, WordsOfComponentsAndModifiersAreNamesInPython) {
  ExpectPythonPrintsItBack(
      PackOf("i915", {{"('fadd', 'a@32', 'b')", "[ADD(r(F).mask(x), a(F).swizzle(-x), b(F).swizzle(y0))]"}}));
  ExpectPythonPrintsItBack(PackOf("r300", {{"('fadd', 'a@32', 'b')", "[MAD(r(F), inverse(a(F)), b(F), c(F))]"}}));
}

TEST(MachineWriter, GivesTheSameBytesTwice) { EXPECT_EQ(*WriteMachine(IntelPack()), *WriteMachine(IntelPack())); }

TEST(MachineWriter, DoctoredTextIsNamedByEntry) {
  v1::Pack pack = IntelPack();
  for (int i = 0; i < pack.entries_size(); ++i) pack.mutable_entries(i)->mutable_rule()->set_id(absl::StrCat("id", i));
  const std::string text = *WriteMachine(pack);
  EXPECT_TRUE(CheckMachineText(text, pack).ok());
  const struct {
    const char *from, *to, *says;
  } kCases[] = {{"\"t\", DF", "\"t\", UD", "entry id0: its declarations"},
                {".cmod(L)", ".cmod(GE)", "entry id1: its program is"},
                {"abs(a(F))", "a(F)", "entry id2: its program is"},
                {"('fsign', 'a@64')", "('fabs', 'a@64')", "entry id0: its search is"},
                {"imm(1e-05, F)", "imm(1e-06, F)", "entry id3"},
                {"~a(D)", "a(D)", "entry id4"},
                {"SEL(", "SOL(", "entry id1: 1:2: intel_gen9 has no instruction SOL"}};
  for (const auto& one : kCases) {
    const std::string doctored = absl::StrReplaceAll(text, {{one.from, one.to}});
    ASSERT_NE(doctored, text) << one.from;
    const absl::Status status = CheckMachineText(doctored, pack);
    EXPECT_NE(status.message().find(one.says), absl::string_view::npos) << status;
  }
}

// A fault in a loop is reported for the affected member.
TEST(MachineWriter, PlantedFaultsAreNamed) {
  const v1::Pack pack = EntriesPack();
  const std::string text = *WriteMachine(pack);
  ASSERT_TRUE(CheckMachineText(text, pack).ok());
  const struct {
    const char *from, *to, *says;
  } kFaults[] = {
      // Faults in members: an instruction, a type, a size, an op, a missing member, and a duplicate member.
      {"('fmul', 32, MUL, F)", "('fmul', 32, ADD, F)", "entry id16: its program is [ADD("},
      {"('fmul', 32, MUL, F)", "('fmul', 32, MUL, DF)", "entry id16: its program is [MUL(r(DF)"},
      {"('fmul', 32, MUL, F)", "('fmul', 16, MUL, F)", "entry id16: its search is"},
      {"('fmul', 32, MUL, F)", "('fadd', 32, MUL, F)", "entry id16: its search is"},
      {"('ushr', SHR)", "('ushr', SHL)", "entry id10: its program is [SHL("},
      {"    ('ushr', SHR),\n", "", "entry id10: its search is"},
      {"    ('ior', AND),\n", "    ('ior', AND),\n    ('ior', AND),\n", "entry id23: its search is"},
      {"    ('ushr', SHR),\n", "    ('ushr'),\n", "does not have one value for each loop variable"},
      {"    entries += [(('inot'", "entries += [(('inot'", "is not indented"},
      // Faults in text that all members share.
      {"opcode(r(type), a(type), -abs(b(type)))", "opcode(r(type), a(type), abs(b(type)))", "its program is"},
      {"f'a@{bits}'", "'a@32'", "its search is"},
      {"constant((f'{op}@32', -1, 'b'))", "constant((f'{op}@32', -2, 'b'))", "its search is"},
      {"constant((f'{op}@32', -1, 'b'))", "(f'{op}@32', -1, 'b')", "its search is"},
      // Faults in relations between constants: a different relation, its negation, exchanged operands, or no relation.
      {"('ult', 'b', 'c')", "('ilt', 'b', 'c')", "entry id23: its search is"},
      {"('uge', ('iadd', 'b', 'c'), 32)", "('ult', ('iadd', 'b', 'c'), 32)", "entry id24: its search is"},
      {"('ult', 'b', 'c')", "('ult', 'c', 'b')", "entry id23: its search is"},
      {"('where', ('umin', ('umin', 'a@32', '#b@32'), '#c@32'), ('ult', 'b', 'c'))",
       "('umin', ('umin', 'a@32', '#b@32'), '#c@32')", "entry id23: its search is"},
      {"MUL(r(F), a(F).uniform(), imm(0.1, F)).sat()", "MUL(r(F), a(F).uniform(), imm(0.1, F))", "entry id6"},
      {"MUL(r(F), a(F).uniform(), imm(0.1, F)).sat()", "MUL(r(F), imm(0.1, F), a(F).uniform()).sat()",
       "entry id6: 1:2: rule 'immediate place'"},
      {"AND(r(UW), a(UW)", "AND(r(UW), abs(a(UW))", "entry id3: 1:58: rule 'source modifiers'"},
      {"OR(r(UD), r(UD), imm(0x3f800000, UD)).predicate(NORMAL)", "OR(r(UD), r(UD), imm(0x3f800000, UD)).sat()",
       "has no .sat()"},
      // Faults in the table: an entry, an id, the cycles, and the proof.
      {"([14], \"id0\"", "([13], \"id0\"", "entry id0: its search is"},
      {"([14], \"id0\"", "([99], \"id0\"", "entry id0: '99' is not an entry"},
      {"([0], \"id1\"", "([14], \"id1\"", "entry id1: '14' is not an entry, or belongs to another rule"},
      {"\"id2\", 6, 0", "\"id3\", 6, 0", "entry id2: its id, cycles or proof is \"id3\""},
      {"\"id2\", 6, 0", "\"id2\", 1, 0", "entry id2: its id, cycles or proof is \"id2\", 1, 0"},
      {"\"id2\", 6, 0", "\"id2\", 6, 40", "entry id2: its id, cycles or proof is \"id2\", 6, 40"},
      {"proved (uf) at 1 in any flush", "proved (uf) at 1 in any", "entry id4: its id, cycles or proof"},
      // Faults in the rest of the file.
      {"DF = Word(\"DF\")", "DF = Word(\"F\")", "the text before the entries"},
      {"print(*pattern", "print(pattern", "does not have the expected end"},
      {"entries[number] for", "entries[0] for", "does not have the expected end"}};
  for (const auto& fault : kFaults) {
    const std::string doctored = absl::StrReplaceAll(text, {{fault.from, fault.to}});
    ASSERT_NE(doctored, text) << fault.from;
    const absl::Status status = CheckMachineText(doctored, pack);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << fault.to;
    EXPECT_NE(status.message().find(fault.says), absl::string_view::npos) << fault.to << ": " << status;
  }
}

// The file is truncated at many positions.
TEST(MachineWriter, TruncatedFilesAreDetected) {
  const v1::Pack pack = EntriesPack();
  const std::string text = *WriteMachine(pack);
  for (size_t size = 0; size < text.size(); size += size < text.find("entries = []") ? 500 : 7) {
    EXPECT_EQ(CheckMachineText(text.substr(0, size), pack).code(), absl::StatusCode::kDataLoss) << size;
  }
  EXPECT_FALSE(CheckMachineText(text.substr(0, text.size() - 1), pack).ok());
  EXPECT_FALSE(CheckMachineText(text + "\n", pack).ok());
}

// The patterns follow the pack's order, whereas the order of the sorted entries does not depend on the pack's order.
TEST(MachineWriter, OrderIsThePacksAndEntriesAreSorted) {
  const v1::Pack pack = IntelPack();
  v1::Pack reversed = pack;
  std::reverse(reversed.mutable_entries()->begin(), reversed.mutable_entries()->end());
  const auto entries_of = [](const std::string& text) {
    const size_t begin = text.find("entries = []");
    return text.substr(begin, text.find("rules = [") - begin);
  };
  EXPECT_EQ(entries_of(*WriteMachine(pack)), entries_of(*WriteMachine(reversed)));
  std::vector<std::string> lines = absl::StrSplit(RunPython(*WriteMachine(pack)), '\n', absl::SkipEmpty());
  std::reverse(lines.begin(), lines.end());
  EXPECT_EQ(lines,
            (std::vector<std::string>(absl::StrSplit(RunPython(*WriteMachine(reversed)), '\n', absl::SkipEmpty()))));
}

// The result is a flag in one pattern and a register in the other.
TEST(MachineWriter, FlagsAreRegisters) {
  v1::Pack pack =
      PackOf("intel_gen9", {{"('fge', ('fsub', 'a@32', 'b@32'), 0.0)", "[ADD(null(F), a(F), -b(F)).cmod(GE, r)]"},
                            {"('fneg', ('fmul', 'a@32', 'b@32'))", "[MUL(r(F), a(F), -b(F))]"}});
  for (int i = 0; i < pack.entries_size(); ++i) pack.mutable_entries(i)->mutable_rule()->set_id(absl::StrCat("id", i));
  const absl::StatusOr<std::string> text = WriteMachine(pack);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_NE(text->find(".cmod(GE, r)"), std::string::npos);
  EXPECT_NE(text->find("r = Register(\"r\")"), std::string::npos);
  EXPECT_TRUE(CheckMachineText(*text, pack).ok());
}

TEST(MachineWriter, NamesThatMeanTwoThingsAreRefused) {
  const auto twice =
      WriteMachine(PackOf("intel_gen9", {{"('ineg', ('iadd', 'D@32', 'b'))", "[ADD(r(D), -D(D), -b(D))]"}}));
  EXPECT_NE(twice.status().message().find("'D' names a register and something else"), absl::string_view::npos)
      << twice.status();
  const auto keyword =
      WriteMachine(PackOf("intel_gen9", {{"('ineg', ('iadd', 'is@32', 'b'))", "[ADD(r(D), -is(D), -b(D))]"}}));
  EXPECT_NE(keyword.status().message().find("cannot be a name in Python"), absl::string_view::npos) << keyword.status();
  const auto taken =
      WriteMachine(PackOf("intel_gen9", {{"('ineg', ('iadd', 'map@32', 'b'))", "[ADD(r(D), -map(D), -b(D))]"}}));
  EXPECT_NE(taken.status().message().find("cannot be a name in Python"), absl::string_view::npos) << taken.status();
}

TEST(MachineWriter, IllegalProgramsAreRefused) {
  const auto text = WriteMachine(PackOf("intel_gen9", {{"('iadd', 'b@32', 7)", "[ADD(r(D), imm(7, D), b(D))]"}}));
  EXPECT_NE(text.status().message().find("rule '"), absl::string_view::npos) << text.status();
}

}  // namespace
}  // namespace rewrought::emitter
