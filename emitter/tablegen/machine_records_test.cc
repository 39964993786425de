#include "emitter/tablegen/machine_records.h"

#include <gtest/gtest.h>

namespace rewrought::emitter {
namespace {

const machine::Machine& Machine(const char* id) { return **machine::FindMachine(id); }

// Checks every instruction with the types of its own form.
TEST(InstructionShape, NamesReadBack) {
  int names = 0;
  for (const machine::Machine* machine : machine::AllMachines()) {
    for (const machine::Variant& variant : machine->variants()) {
      InstructionShape shape;
      shape.mnemonic = variant.mnemonic;
      shape.types = {variant.result};
      shape.types.insert(shape.types.end(), variant.sources.begin(), variant.sources.end());
      shape.chooses = variant.selector >= 0;
      shape.predicated = variant.predicable;
      shape.keeps = variant.predicable;
      shape.gives = variant.flag_rows.empty() ? Gives::kValue : Gives::kFlag;
      const std::string name = shape.Name(*machine);
      const auto read = ShapeNamed(*machine, name);
      ASSERT_TRUE(read.ok()) << name << ": " << read.status();
      EXPECT_EQ(read->mnemonic, shape.mnemonic) << name;
      EXPECT_EQ(read->types, shape.types) << name;
      EXPECT_EQ(read->Name(*machine), name);
      ++names;
    }
  }
  EXPECT_GT(names, 1000);
}

TEST(InstructionShape, OtherNamesAreRefused) {
  for (const char* name : {"", "ADD", "ADD_F", "ADD_F_F_X", "NOSUCH_F_F_F", "ADD_F_F_F_twice"}) {
    EXPECT_EQ(ShapeNamed(Machine("intel_gen9"), name).status().code(), absl::StatusCode::kDataLoss) << name;
  }
}

TEST(MachineRecords, FieldsHaveNames) {
  machine::Operand operand;
  operand.swizzle = {0, 0, machine::kSwizzleOne, 3};
  operand.negated = 2;
  EXPECT_EQ(SwizzleName(operand), "swizzle_xnx1w");
  EXPECT_EQ(MaskName(0), "mask_whole");
  EXPECT_EQ(MaskName(5), "mask_xz");
}

}  // namespace
}  // namespace rewrought::emitter
