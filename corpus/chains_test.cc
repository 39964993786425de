#include "corpus/chains.h"

#include <vector>

#include "corpus/shader_builder.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

// Builds scalar shaders of 32-bit values and queries ShaderChains::Shared.
class ChainsTest : public testing::Test {
 protected:
  Lanes Variable() { return builder_.AddVariable(32, 1, "load_input", false); }
  Lanes Op(absl::string_view op, const Lanes& x, const Lanes& y, uint8_t flags = 0) {
    const auto node = builder_.AddOp(op, 32, 1, {x, y}, flags);
    EXPECT_TRUE(node.ok()) << node.status();
    return {{*node, 0}};
  }
  void Store(const Lanes& value) { builder_.Read(builder_.AddUse("store"), value); }
  // Calls Shared for source `source` of the instruction that computes `value`.
  int Shared(const Lanes& value, size_t source, int levels) {
    if (shader_.values.nodes.empty()) {
      shader_ = builder_.Take();
      users_ = ir::ReadersOf(shader_);
      outside_uses_ = ir::OutsideUses(shader_);
    }
    return ShaderChains(shader_, users_, outside_uses_).Shared(value[0].node, source, levels);
  }

  ShaderBuilder builder_{"shader", "source", "fragment"};
  ir::Shader shader_;
  std::vector<std::vector<ir::NodeIndex>> users_;
  std::vector<uint32_t> outside_uses_;
};

TEST_F(ChainsTest, TwoFactorsOfThreeProducts) {
  const Lanes x = Variable(), y = Variable(), z = Variable(), s = Variable(), t = Variable();
  const Lanes xs = Op("fmul", x, s), ty = Op("fmul", t, y), zs = Op("fmul", z, s);
  Store(Op("fmul", xs, t));
  Store(Op("fmul", s, ty));  // a different grouping
  Store(Op("fmul", t, zs));
  EXPECT_EQ(Shared(xs, 1, 1), 3);  // the pair of s and t
  EXPECT_EQ(Shared(xs, 0, 1), 0);  // the pair of x and t is in only one chain
  EXPECT_EQ(Shared(ty, 0, 1), 3);
  EXPECT_EQ(Shared(zs, 1, 1), 3);
  EXPECT_EQ(Shared(xs, 1, 2), 0);  // the chain has only one further instruction
}

TEST_F(ChainsTest, TwoOn) {
  const Lanes a = Variable(), b = Variable(), c = Variable(), d = Variable(), e = Variable();
  const Lanes ab = Op("iadd", a, b), be = Op("iadd", b, e);
  const Lanes abc = Op("iadd", ab, c);
  Store(Op("iadd", abc, d));
  Store(Op("iadd", be, d));
  EXPECT_EQ(Shared(ab, 1, 2), 2);  // the pair of b and d
  EXPECT_EQ(Shared(ab, 1, 1), 0);  // the pair of b and c
  EXPECT_EQ(Shared(be, 0, 1), 2);
  EXPECT_EQ(Shared(abc, 1, 1), 0);  // the pair of c and d is in only one chain
}

TEST_F(ChainsTest, PairsThatAreAlreadyGroupedStay) {
  const Lanes a = Variable(), b = Variable(), c = Variable(), d = Variable();
  const Lanes ab = Op("fmul", a, b), dc = Op("fmul", d, c);
  // The pair of a and b occurs in three chains, and the pair of b and c in two.
  Store(Op("fmul", ab, c));
  Store(Op("fmul", dc, b));
  const Lanes other = Op("fmul", b, a, ir::kNoNan);  // not merged with ab, because its flags differ
  Store(Op("fmul", other, Variable()));
  Store(Op("fmul", Op("fmul", a, Variable()), b));
  EXPECT_EQ(Shared(ab, 1, 1), 0);
  EXPECT_EQ(Shared(dc, 1, 1), 2);
}

TEST_F(ChainsTest, ExactAndMultiUseInstructionsEndAChain) {
  const Lanes a = Variable(), b = Variable(), c = Variable(), d = Variable();
  const Lanes exact = Op("fmul", a, b, ir::kExact), read_twice = Op("fmul", d, b);
  Store(Op("fmul", exact, c));
  Store(Op("fmul", read_twice, c));
  Store(read_twice);
  const Lanes e = Variable();
  const Lanes eb = Op("fmul", e, b);
  Store(Op("fmul", eb, c));
  EXPECT_EQ(Shared(exact, 1, 1), 0);
  EXPECT_EQ(Shared(read_twice, 1, 1), 0);
  EXPECT_EQ(Shared(eb, 1, 1), 0);  // only this chain contains b and c
}

TEST_F(ChainsTest, OnlyOpsThatMayBeGroupedAnew) {
  const Lanes a = Variable(), b = Variable(), c = Variable(), d = Variable();
  const Lanes first = Op("isub", a, b), second = Op("isub", d, b);
  Store(Op("isub", first, c));
  Store(Op("isub", second, c));
  EXPECT_EQ(Shared(first, 1, 1), 0);
}

}  // namespace
}  // namespace rewrought::corpus
