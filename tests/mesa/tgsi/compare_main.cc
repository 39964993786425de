// Runs random programs of the machine `vec4` with Mesa's tgsi_exec.c. The interpreter's results must be among the
// results that the machine's rows allow. Excludes Booleans, and instructions that call the host's math library (RSQ
// EX2 LG2 SIN COS POW).
// usage: compare_main RUN_TGSI SCRATCH [PROGRAMS]
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/evaluate.h"
#include "ir/scalar.h"
#include "ir/term.h"
#include "machine/program_term.h"

namespace rewrought {
namespace {

using machine::Instruction;
using machine::Operand;
using machine::OperandKind;

constexpr int kInputs = 4, kVectors = 24;
using Words = std::array<uint32_t, 4 * kInputs>;

std::string Components(uint8_t mask) {
  std::string text;
  for (int c = 0; c < 4; ++c) {
    if ((mask >> c & 1) != 0) text += "xyzw"[c];
  }
  return text;
}

// Generates random straight-line programs as text. Every component is written once and read only afterwards.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string Program() {
    written_.clear();
    std::string text = "[";
    const int count = 1 + static_cast<int>(random_() % 8);
    for (int i = 0; i < count; ++i) absl::StrAppend(&text, Instruction(absl::StrCat("t", i)), ", ");
    return absl::StrCat(text, "MOV(r(F), ", Operand(), ")]");
  }

 private:
  struct Shape {
    const char* name;
    int sources;
    int across;  // components that each source reads; 0 means the components that are written
    bool saturates;
  };

  std::string Instruction(const std::string& name) {
    static constexpr Shape kShapes[] = {
        {"MOV", 1, 0, true},   {"ADD", 2, 0, true},  {"MUL", 2, 0, true},  {"MAD", 3, 0, true},  {"MIN", 2, 0, true},
        {"MAX", 2, 0, true},   {"SLT", 2, 0, false}, {"SGE", 2, 0, false}, {"SEQ", 2, 0, false}, {"SNE", 2, 0, false},
        {"SGT", 2, 0, false},  {"SLE", 2, 0, false}, {"FLR", 1, 0, true},  {"CEIL", 1, 0, true}, {"TRUNC", 1, 0, true},
        {"ROUND", 1, 0, true}, {"FRC", 1, 0, true},  {"RCP", 1, 1, true},  {"SQRT", 1, 1, true}, {"CMP", 3, 0, true},
        {"LRP", 3, 0, true},   {"DIV", 2, 0, true},  {"DP2", 2, 2, true},  {"DP3", 2, 3, true},  {"DP4", 2, 4, true},
    };
    const Shape& shape = kShapes[random_() % std::size(kShapes)];
    const uint8_t mask = static_cast<uint8_t>(1 + random_() % 15);
    std::string text = absl::StrCat(shape.name, "(", name, "(F).mask(", Components(mask), ")");
    for (int i = 0; i < shape.sources; ++i) absl::StrAppend(&text, ", ", Operand(i > 0 || shape.across == 0));
    text += ")";
    if (shape.saturates && random_() % 4 == 0) text += ".sat()";
    written_.emplace_back(name, mask);
    return text;
  }

  std::string Operand(bool immediate = false) {
    if (immediate && random_() % 8 == 0) {
      const char* kNumbers[] = {"0.0", "1.0", "0.5", "2.0", "-3.0", "100.25"};
      return absl::StrCat("imm(", kNumbers[random_() % std::size(kNumbers)], ", F)");
    }
    std::string name = absl::StrCat("i", random_() % kInputs);
    std::string from = "xyzw";
    if (!written_.empty() && random_() % 3 != 0) {
      const auto& [reg, mask] = written_[random_() % written_.size()];
      name = reg, from = Components(mask);
    }
    std::string order;
    for (int c = 0; c < 4; ++c) order += from[random_() % from.size()];
    std::string text = absl::StrCat(name, "(F).swizzle(", order, ")");
    if (random_() % 4 == 0) text = absl::StrCat("abs(", text, ")");
    return random_() % 3 == 0 ? "-" + text : text;
  }

  std::mt19937_64 random_;
  std::vector<std::pair<std::string, uint8_t>> written_;
};

// Returns the program in TGSI syntax.
std::string Tgsi(const machine::Machine& machine, const machine::Program& program) {
  std::string text = "VERT\n", code;
  for (int i = 0; i < kInputs; ++i) absl::StrAppend(&text, "DCL IN[", i, "]\n");
  text += "DCL OUT[0], POSITION\nDCL TEMP[0..31]\n";
  int immediates = 0, line = 0;
  const auto operand = [&](const Operand& source) {
    std::string name;
    if (source.kind == OperandKind::kImmediate) {
      absl::StrAppend(&text, "IMM[", immediates, "] UINT32 {", source.bits, ", 0, 0, 0}\n");
      name = absl::StrCat("IMM[", immediates++, "].xxxx");
    } else {
      const std::string number = source.name.substr(1);
      name = absl::StrCat(source.kind == OperandKind::kVariable ? "IN[" : "TEMP[", number, "].");
      for (int c = 0; c < ir::kShaderComponents; ++c) name += "xyzw"[source.swizzle[c]];
    }
    for (const machine::ModifierIndex m : source.modifiers) {
      name = machine.modifiers()[m].spelling == "-" ? "-" + name : absl::StrCat("|", name, "|");
    }
    return name;
  };
  for (const Instruction& instruction : program.instructions) {
    const Operand& destination = instruction.destination;
    const uint8_t mask = destination.mask == 0 ? 0xf : destination.mask;
    const bool result = destination.name == machine::kResultName;
    absl::StrAppend(&code, line++, ": ", instruction.variant->mnemonic,
                    instruction.destination_modifiers.empty() ? "" : "_SAT", " ",
                    result ? "OUT[0]" : absl::StrCat("TEMP[", destination.name.substr(1), "]"), ".", Components(mask));
    for (const Operand& source : instruction.sources) absl::StrAppend(&code, ", ", operand(source));
    code += "\n";
  }
  return absl::StrCat(text, code, line, ": END\n");
}

// Returns a random word that is not a signaling NaN, because the host's fmaxf turns these into NaN.
uint32_t RandomWord(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0: {
      const uint32_t specials[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                   0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff};
      return specials[random() % std::size(specials)];
    }
    case 1: {
      const uint32_t word = static_cast<uint32_t>(random());
      return ir::IsNan(word, 32) ? word | 0x00400000 : word;
    }
    case 2:
      return static_cast<uint32_t>(ir::FloatToBits(static_cast<double>(random() % 9) - 4, 32));
    default:
      return static_cast<uint32_t>(ir::FloatToBits((static_cast<double>(random() % 20001) - 10000) / 997, 32));
  }
}

struct Case {
  std::string text;
  machine::Program program;
  std::vector<Words> inputs;
};

// Returns whether the machine's rows allow `output`; if not, prints the rows' results.
ir::Membership Verify(const machine::Machine& machine, const Case& one, const Words& words,
                      const std::array<uint64_t, 4>& output) {
  const absl::StatusOr<ir::Term> term = machine::ProgramTerm(machine, one.program);
  ir::Dag dag;
  absl::StatusOr<ir::ChoiceTerm> lowered = absl::UnknownError("no term");
  if (term.ok()) lowered = ir::LowerWithChoices(&dag, *term, ir::DenormMode::kPreserve, 0);
  if (!lowered.ok()) {
    std::cerr << one.text << ": " << lowered.status() << "\n";
    return ir::Membership::kNotMember;
  }
  std::vector<uint64_t> inputs;
  for (const ir::Input& input : dag.inputs()) {
    const size_t dot = input.name.find('.');
    const int component = dot == std::string::npos ? 0 : input.name[dot + 1] - '0';
    inputs.push_back(input.name[0] == 'i' ? words[4 * (input.name[1] - '0') + component] : 0);
  }
  // The program may have negated a NaN, so also try the other sign.
  std::vector<uint64_t> hints(output.begin(), output.end());
  for (const uint64_t word : output) hints.push_back(word ^ 0x80000000);
  const ir::Membership membership = ir::IsAllowed(dag, *lowered, inputs, output, hints).membership;
  if (membership != ir::Membership::kNotMember) return membership;
  std::cerr << one.text << "\n  inputs";
  for (const uint32_t word : words) std::cerr << absl::StrFormat(" %08x", word);
  std::cerr << "\n  tgsi_exec";
  for (const uint64_t word : output) std::cerr << absl::StrFormat(" %08x", word);
  std::cerr << "\n  machine";
  ir::Evaluator evaluator(&dag);
  evaluator.Start(inputs, [](uint32_t) { return 0; });
  for (const ir::ValueIndex root : lowered->lowered.root)
    std::cerr << absl::StrFormat(" %08x", evaluator.Evaluate(root));
  std::cerr << "\n";
  return membership;
}

int Run(const std::string& run_tgsi, const std::string& scratch, int programs) {
  const machine::Machine& machine = **machine::FindMachine("vec4");
  Generator generator(1);
  std::mt19937_64 random(2);
  std::vector<Case> cases;
  const std::string asked = scratch + "/programs.txt", answered = scratch + "/results.txt";
  std::ofstream out(asked);
  for (int i = 0; i < programs; ++i) {
    Case one{generator.Program(), {}, {}};
    absl::StatusOr<machine::Program> program = machine::ParseProgram(machine, one.text);
    if (!program.ok()) {
      std::cerr << one.text << ": " << program.status() << "\n";
      return 2;
    }
    one.program = *std::move(program);
    out << "PROGRAM\n" << Tgsi(machine, one.program) << "INPUTS " << kVectors << "\n";
    for (int v = 0; v < kVectors; ++v) {
      Words words;
      for (uint32_t& word : words) word = RandomWord(random), out << absl::StrFormat("%08x ", word);
      out << "\n";
      one.inputs.push_back(words);
    }
    cases.push_back(std::move(one));
  }
  out.close();
  if (std::system(absl::StrCat("'", run_tgsi, "' < '", asked, "' > '", answered, "'").c_str()) != 0) return 2;
  std::ifstream in(answered);
  int compared = 0, different = 0, undecided = 0;
  for (const Case& one : cases) {
    for (const Words& words : one.inputs) {
      std::array<uint64_t, 4> output;
      for (uint64_t& word : output) in >> std::hex >> word;
      if (!in) {
        std::cerr << "results are missing\n";
        return 2;
      }
      ++compared;
      const ir::Membership membership = Verify(machine, one, words, output);
      undecided += membership == ir::Membership::kNotFound ? 1 : 0;
      if (membership == ir::Membership::kNotMember && ++different > 10) return 1;
    }
  }
  std::printf("%d programs, %d runs compared with tgsi_exec.c, %d different, %d undecided\n", programs, compared,
              different, undecided);
  // A few results with NaNs and zeros may remain undecided, but many would mean that little was compared.
  return different == 0 && compared > 0 && undecided * 20 < compared ? 0 : 1;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int programs = 400;
  if (argc > 3 && !absl::SimpleAtoi(argv[3], &programs)) return 2;
  return rewrought::Run(argv[1], argv[2], programs);
}
