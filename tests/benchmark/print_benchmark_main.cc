// Writes the inputs of nir_algebraic_benchmark.c into FOLDER: the tables of the machine's base rules with their
// runtime, and SHADER.txt, a random shader with OPS ops. usage: print_benchmark_main FOLDER MACHINE OPS
#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "emitter/c/c_writer.h"
#include "emitter/c/rule_tables.h"
#include "emitter/c/testing/compare_cover.h"
#include "machine/select/testing/shaders.h"

namespace {

using namespace rewrought::emitter;  // NOLINT

// Returns one line per node: op, bits, flags, uses, value, sources.
std::string TextOf(const rw_tables& tables, const RuntimeShader& shader) {
  std::string text = absl::StrCat(shader.nodes().size(), "\n");
  for (const rw_node& node : shader.nodes()) {
    const std::string name = node.op == RW_CONSTANT ? "constant"
                             : node.op == RW_OPAQUE ? "opaque"
                                                    : tables.names[tables.ops[node.op].name];
    absl::StrAppend(&text, name, " ", node.bits, " ", node.flags, " ", node.uses, " ", absl::Hex(node.value), " ",
                    node.source_count);
    for (uint32_t k = 0; k < node.source_count; ++k) absl::StrAppend(&text, " ", node.sources[k]);
    text += "\n";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  int ops = 0;
  if (argc != 4 || !absl::SimpleAtoi(argv[3], &ops)) {
    return std::fprintf(stderr, "usage: print_benchmark_main FOLDER MACHINE OPS\n"), 2;
  }
  rewrought::v1::Pack pack;
  pack.mutable_manifest()->set_machine(argv[2]);
  const auto texts = WriteC(pack);
  if (!texts.ok()) return std::fprintf(stderr, "%s\n", texts.status().ToString().c_str()), 1;
  const auto selection = SelectionOf(pack);
  const auto tables = BuildCTables(**selection);
  std::vector<const char*> names, conditions;
  const rw_tables view = ViewOf(*tables, &names, &conditions);
  const auto scalar =
      rewrought::machine::select::Scalarize(rewrought::machine::select::RandomShader(7, ops, /*blocks=*/1));
  const std::string folder = argv[1];
  for (size_t i = 0; i < texts->size(); ++i) {
    std::ofstream(absl::StrCat(folder, "/", kCFiles[i])) << (*texts)[i];
  }
  const RuntimeShader nodes(view, *scalar);
  for (const rw_node& node : nodes.nodes()) {
    if (node.op != RW_UNKNOWN_OP) continue;
    return std::fprintf(stderr, "print_benchmark_main: %s has no rule for an op of the shader\n", argv[2]), 1;
  }
  std::ofstream shader(folder + "/SHADER.txt");
  shader << TextOf(view, nodes);
  return shader.flush().good() ? 0 : 1;
}
