// Fuzzes the parser of programs for the machine selected by the first byte. The parser must not crash, a parsed program
// must survive a round trip through its text, and evaluating the term of a legal program must not crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "machine/evaluate_text.h"
#include "machine/legality.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "machine/program_term.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought;
  constexpr const char* kMachines[] = {"intel_gen9", "vec4", "r300", "ir3_a6xx", "nv40", "rdna", "agx_g13", "valhall"};
  if (size == 0) return 0;
  const machine::Machine& machine = **machine::FindMachine(kMachines[data[0] % std::size(kMachines)]);
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)machine::ParseHexValue(text);
  const auto program = machine::ParseProgram(machine, text);
  if (!program.ok()) return 0;
  const auto again = machine::ParseProgram(machine, machine::PrintProgram(machine, *program));
  if (!again.ok() || !(*again == *program)) std::abort();
  if (!machine::CheckLegal(machine, *program).ok()) return 0;
  const auto term = machine::ProgramTerm(machine, *program);
  if (!term.ok()) return 0;
  machine::NamedValues values;
  for (const ir::Node& node : term->nodes) {
    if (node.kind == ir::NodeKind::kVariable) values[node.name] = {1, node.bits == 0 ? 32 : node.bits};
  }
  (void)machine::EvaluateTerm(*term, ir::Dialect::kNir25, ir::DenormMode::kAny, values);
  return 0;
}
