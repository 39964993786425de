// Tests the runtime on small shaders: errors, early stops, and values without code.
#include "emitter/c/runtime/select.h"

#include <gtest/gtest.h>

#include <cstring>

#include "emitter/c/rule_tables.h"
#include "emitter/c/testing/compare_cover.h"

namespace rewrought::emitter {
namespace {

class Select : public ::testing::Test {
 protected:
  Select() {
    v1::Pack pack;
    pack.mutable_manifest()->set_machine("ir3_a6xx");
    selection_ = *SelectionOf(pack);
    tables_ = *BuildCTables(*selection_);
    view_ = ViewOf(tables_, &names_, &conditions_);
  }

  // Returns a shader that needs the sum of two inputs.
  std::vector<rw_node> Sum() {
    std::vector<rw_node> nodes(3);
    nodes[0].op = nodes[1].op = RW_OPAQUE;
    nodes[2].op = rw_find_op(&view_, "fadd"), nodes[2].source_count = 2, nodes[2].sources = sources_;
    for (rw_node& node : nodes) node.bits = 32, node.uses = 1;
    nodes[2].flags = RW_NEEDED;
    return nodes;
  }

  rw_status Run(const std::vector<rw_node>& nodes, size_t memory, const rw_driver& driver = {}) {
    // The memory has exactly the documented size, so that sanitizers detect writes beyond it.
    std::unique_ptr<uint64_t[]> bytes(new uint64_t[memory / 8 + 1]);
    std::memset(bytes.get(), 0xcd, memory);
    return rw_select(&view_, nodes.data(), static_cast<uint32_t>(nodes.size()), &driver, bytes.get(), memory, &result_);
  }

  std::unique_ptr<const PackSelection> selection_;
  CTables tables_;
  std::vector<const char*> names_, conditions_;
  rw_tables view_ = {};
  rw_result result_ = {};
  const uint32_t sources_[2] = {0, 1};
};

TEST_F(Select, TooLittleMemoryIsAnErrorAtEachSize) {
  const size_t enough = rw_memory(3);
  for (size_t memory = 0; memory < enough; memory += 61) EXPECT_EQ(Run(Sum(), memory), RW_NO_MEMORY) << memory;
  EXPECT_EQ(Run(Sum(), enough - 1), RW_NO_MEMORY);
  EXPECT_EQ(Run(Sum(), enough), RW_OK);
  EXPECT_EQ(result_.instructions, 1u);
  EXPECT_EQ(result_.memory_used, enough);
  EXPECT_EQ(rw_select(&view_, nullptr, 0, nullptr, nullptr, 0, &result_), RW_NO_MEMORY);
}

TEST_F(Select, ShadersThatContradictThemselvesAreAnError) {
  const auto with = [&](auto change) {
    std::vector<rw_node> nodes = Sum();
    change(&nodes);
    return Run(nodes, rw_memory(3));
  };
  static const uint32_t kItself[] = {0, 2}, kBeyond[] = {0, 0xffffffff};
  EXPECT_EQ(with([](auto* nodes) { (*nodes)[2].sources = kItself; }), RW_BAD_SHADER);
  EXPECT_EQ(with([](auto* nodes) { (*nodes)[2].sources = kBeyond; }), RW_BAD_SHADER);
  EXPECT_EQ(with([](auto* nodes) { (*nodes)[1].bits = 0; }), RW_BAD_SHADER);
  EXPECT_EQ(with([](auto* nodes) { (*nodes)[1].bits = 65; }), RW_BAD_SHADER);
  EXPECT_EQ(with([](auto* nodes) { (*nodes)[1].bits = 7; }), RW_BAD_SHADER);
  EXPECT_EQ(with([&](auto* nodes) { (*nodes)[2].op = view_.op_count; }), RW_BAD_SHADER);
  EXPECT_EQ(with([&](auto* nodes) { (*nodes)[1].source_count = 1; }), RW_BAD_SHADER);
  EXPECT_EQ(with([](auto*) {}), RW_OK);
}

TEST_F(Select, OpsWithoutARuleAreGivenToTheDriver) {
  std::vector<rw_node> nodes = Sum();
  nodes[2].op = RW_UNKNOWN_OP;
  EXPECT_EQ(Run(nodes, rw_memory(3)), RW_OK);
  EXPECT_EQ(result_.uncovered, 1u);
  rw_driver driver = {};
  uint32_t named = 0;
  driver.context = &named;
  driver.uncovered = [](void* context, uint32_t node) { return *static_cast<uint32_t*>(context) = node, 0; };
  EXPECT_EQ(Run(nodes, rw_memory(3), driver), RW_OK);
  EXPECT_EQ(named, 2u);
  driver.uncovered = [](void*, uint32_t) { return 1; };
  EXPECT_EQ(Run(nodes, rw_memory(3), driver), RW_STOPPED);
}

TEST_F(Select, TheDriverMayStop) {
  rw_driver driver = {};
  driver.emit = [](void*, uint32_t, const rw_instruction*) { return 1; };
  EXPECT_EQ(Run(Sum(), rw_memory(3), driver), RW_STOPPED);
}

TEST_F(Select, DeadValuesGiveNoCode) {
  std::vector<rw_node> nodes = Sum();
  nodes[2].flags = 0, nodes[2].uses = 0;
  EXPECT_EQ(Run(nodes, rw_memory(3)), RW_OK);
  EXPECT_EQ(result_.instructions, 0u);
}

TEST_F(Select, FindsOpsByName) {
  EXPECT_STREQ(view_.names[view_.ops[rw_find_op(&view_, "fmul")].name], "fmul");
  EXPECT_EQ(rw_find_op(&view_, "no such op"), RW_UNKNOWN_OP);
}

}  // namespace
}  // namespace rewrought::emitter
