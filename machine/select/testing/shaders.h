// Builds shaders by hand and at random, for tests and benchmarks of selection.
#ifndef REWROUGHT_MACHINE_SELECT_TESTING_SHADERS_H_
#define REWROUGHT_MACHINE_SELECT_TESTING_SHADERS_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/op_table.h"
#include "ir/shader.h"

namespace rewrought::machine::select {

// Adds values to a shader. Nodes are scalar by default.
class TestShader {
 public:
  explicit TestShader(int blocks = 1) {
    shader.name = "test";
    shader.blocks.resize(static_cast<size_t>(blocks));
  }

  ir::NodeIndex Opaque(int bits, const std::string& what = "load_input", bool uniform = false, int components = 1) {
    ir::Node node;
    node.name = "x" + std::to_string(shader.values.nodes.size());
    node.bits = static_cast<uint8_t>(bits);
    node.components = static_cast<uint8_t>(components);
    const ir::NodeIndex made = Add(std::move(node));
    shader.info[made].opaque = what;
    shader.info[made].uniform = uniform;
    return made;
  }
  ir::NodeIndex Constant(uint64_t pattern, int bits) {
    ir::Node node;
    node.kind = ir::NodeKind::kConstant;
    node.bits = static_cast<uint8_t>(bits);
    node.values[0] = pattern;
    return Add(std::move(node));
  }
  ir::NodeIndex Op(const std::string& name, int bits, const std::vector<ir::NodeIndex>& sources, uint8_t flags = 0,
                   int components = 1) {
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = ir::FindOp(name);
    node.bits = static_cast<uint8_t>(bits);
    node.components = static_cast<uint8_t>(components);
    node.flags = flags;
    for (const ir::NodeIndex source : sources) node.sources.push_back({source, ir::kIdentitySwizzle});
    return Add(std::move(node));
  }
  // Adds a use of all components of `node` after all existing values, in the current block.
  void Use(ir::NodeIndex node, const std::string& what = "store_output") {
    ir::ShaderUse use{what, block, static_cast<ir::NodeIndex>(shader.values.nodes.size()), {}, {}};
    for (int c = 0; c < shader.values.at(node).components; ++c) use.reads.push_back({node, static_cast<uint8_t>(c)});
    shader.uses.push_back(std::move(use));
  }

  ir::Shader shader;
  uint32_t block = 0;

 private:
  ir::NodeIndex Add(ir::Node node) {
    shader.values.nodes.push_back(std::move(node));
    ir::ShaderValueInfo info;
    info.block = block;
    info.line = static_cast<int>(shader.values.nodes.size());
    shader.info.push_back(info);
    return static_cast<ir::NodeIndex>(shader.values.nodes.size() - 1);
  }
};

// Returns a random shader with `ops` 32-bit ops that every machine supports. Operands are inputs, uniforms, constants,
// textures and registers. Every third block is in a loop. The shader contains shared values, modifiers, compares with
// selects, and exact flags.
inline ir::Shader RandomShader(uint64_t seed, int ops, int blocks) {
  std::mt19937_64 random(seed);
  TestShader shader(blocks);
  for (int b = 0; b < blocks; ++b) shader.shader.blocks[b].loop_depth = b % 3 == 2 ? 1 : 0;
  const char* kBinary[] = {"fadd", "fmul", "fmul", "fadd", "fsub", "fmin", "fmax", "iadd",
                           "isub", "imul", "iand", "ior",  "ixor", "ishl", "ushr", "ishr"};
  const char* kUnary[] = {"fneg", "fabs", "fsat", "ffloor", "frcp", "ineg", "inot", "i2f32"};
  const char* kCompare[] = {"flt", "fge", "feq", "fneu", "ilt", "ige", "ieq", "ult"};
  std::vector<ir::NodeIndex> values = {shader.Opaque(32), shader.Opaque(32), shader.Opaque(32, "load_ubo", true)};
  // Picks mostly recent values, so that chains grow.
  const auto pick = [&]() -> ir::NodeIndex {
    const unsigned kind = random() % 16;
    if (kind == 0) return shader.Constant(random() % 2 ? 0x3f800000 : 0x40490fdb, 32);
    if (kind == 1) return shader.Constant(random() % 40, 32);
    const size_t back = random() % std::min<size_t>(values.size(), kind < 12 ? 6 : values.size());
    return values[values.size() - 1 - back];
  };
  for (int i = 0; i < ops; ++i) {
    shader.block = static_cast<uint32_t>(static_cast<int64_t>(i) * blocks / ops);
    const uint8_t flags = random() % 6 == 0 ? ir::kExact : 0;
    const unsigned kind = random() % 16;
    if (kind == 0) {
      const bool reg = random() % 2 == 0;
      shader.Use(values.back(), reg ? "store_reg" : "tex");
      values.push_back(shader.Opaque(32, reg ? "load_reg" : "tex"));
      if (!reg) shader.shader.uses.back().gives = {values.back()};
    } else if (kind < 4) {
      values.push_back(shader.Op(kUnary[random() % std::size(kUnary)], 32, {pick()}, flags));
    } else if (kind < 6) {
      const ir::NodeIndex test = shader.Op(kCompare[random() % std::size(kCompare)], 1, {pick(), pick()});
      values.push_back(shader.Op("bcsel", 32, {test, pick(), pick()}));
      if (random() % 3 == 0) values.push_back(shader.Op("b2f32", 32, {test}));
    } else {
      values.push_back(shader.Op(kBinary[random() % std::size(kBinary)], 32, {pick(), pick()}, flags));
    }
    if (random() % 8 == 0) shader.Use(values.back());
  }
  shader.Use(values.back());
  return shader.shader;
}

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_TESTING_SHADERS_H_
