#include "corpus/fragment.h"

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "corpus/shader_builder.h"
#include "corpus/spirv/spirv_reader.h"
#include "corpus/text/nir_text_reader.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

class Builder {
 public:
  Lanes Variable(absl::string_view what = "load_input", bool uniform = false) {
    return builder_.AddVariable(32, 1, what, uniform);
  }
  Lanes Constant(uint32_t value) { return {{builder_.AddConstant(32, {value}), 0}}; }
  Lanes Op(absl::string_view op, const std::vector<Lanes>& sources, uint8_t flags = 0) {
    const auto node = builder_.AddOp(op, 32, 1, sources, flags);
    EXPECT_TRUE(node.ok()) << node.status();
    return AllLanes(*node, 1);
  }
  ShaderBuilder& operator*() { return builder_; }

 private:
  ShaderBuilder builder_{"shader", "source", "fragment"};
};

std::vector<Fragment> Fragments(const ir::Shader& shader, const FragmentOptions& options = {}) {
  std::vector<Fragment> found;
  ForEachFragment(shader, ShaderFacts(shader), options,
                  [&](Fragment fragment) { found.push_back(std::move(fragment)); });
  return found;
}

std::multiset<std::string> Texts(const ir::Shader& shader, const FragmentOptions& options = {}) {
  std::multiset<std::string> texts;
  for (const Fragment& fragment : Fragments(shader, options)) texts.insert(fragment.text);
  return texts;
}

TEST(Fragment, GivesEveryConeOfAChain) {
  Builder b;
  const Lanes product = b.Op("fmul", {b.Variable(), b.Variable()});
  const Lanes sum = b.Op("fadd", {product, b.Constant(0x3f800000)});
  b.Op("fneg", {sum}, ir::kExact);
  const std::multiset<std::string> wanted = {
      "(fmul@32 a@32 b@32)",
      "(fadd@32 0x3f800000@32 a@32)",
      "(fadd@32 (fmul@32 a@32 b@32) 0x3f800000@32)",
      "(fneg@32! a@32)",
      "(fneg@32! (fadd@32 0x3f800000@32 a@32))",
      "(fneg@32! (fadd@32 (fmul@32 a@32 b@32) 0x3f800000@32))",
  };
  EXPECT_EQ(Texts((*b).Take()), wanted);
}

TEST(Fragment, CanonicalFormForgetsOperandOrderAndNames) {
  // The shaders contain a*b + a*c, written in several ways.
  std::set<std::string> texts;
  for (int way = 0; way < 16; ++way) {
    Builder b;
    const Lanes x = b.Variable(), y = b.Variable(), z = b.Variable();
    const auto either = [&](int bit, Lanes p, Lanes q) {
      return way >> bit & 1 ? std::vector<Lanes>{q, p} : std::vector<Lanes>{p, q};
    };
    const Lanes& common = way & 8 ? z : x;
    const Lanes& other = way & 8 ? x : z;
    const Lanes first = b.Op("fmul", either(0, common, y));
    const Lanes second = b.Op("fmul", either(1, common, other));
    b.Op("fadd", either(2, first, second));
    for (const Fragment& fragment : Fragments((*b).Take())) {
      if (fragment.term.nodes.size() == 6) texts.insert(fragment.text);
    }
  }
  // Values that are read once come before values that are read twice.
  EXPECT_EQ(texts, std::set<std::string>{"(fadd@32 (fmul@32 a@32 b@32) (fmul@32 c@32 b@32))"});
}

// Builds the same random graph twice; the second time, the operands of commutative ops are swapped, and inputs are
// created in another order. All cones must have the same texts.
TEST(Fragment, CanonicalFormOfRandomGraphs) {
  uint64_t state = 12345;
  const auto random = [&state](size_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state >> 33) % bound);
  };
  size_t shared = 0;
  for (int graph = 0; graph < 300; ++graph) {
    const uint64_t start = state;
    std::multiset<std::string> texts[2];
    for (int way = 0; way < 2; ++way) {
      state = start;
      uint64_t swaps = way == 0 ? 0 : start >> 20;
      Builder b;
      std::vector<Lanes> values(4);
      for (size_t i = 0; i < 4; ++i) values[way == 0 ? i : 3 - i] = b.Variable();
      for (int i = 0; i < 6; ++i) {
        const absl::string_view op = random(4) == 0 ? "fneg" : random(2) == 0 ? "fadd" : "fmul";
        const size_t first = random(values.size()), second = random(values.size());
        std::vector<Lanes> sources = {values[first]};
        if (op != "fneg") sources.push_back(values[second]);
        if (op != "fneg" && (swaps >> i & 1u) != 0) std::swap(sources[0], sources[1]);
        values.push_back(b.Op(op, sources, random(8) == 0 ? ir::kExact : 0));
      }
      FragmentOptions options;
      options.max_per_root = 1000;
      texts[way] = Texts((*b).Take(), options);
    }
    EXPECT_EQ(texts[0], texts[1]) << "graph " << graph;
    shared += texts[0].size();
  }
  EXPECT_GT(shared, 3000u);
}

TEST(Fragment, DoesNotCommuteOthers) {
  Builder b;
  const Lanes x = b.Variable(), y = b.Variable();
  b.Op("fsub", {b.Op("fneg", {x}), y});
  b.Op("fsub", {y, b.Op("fneg", {x})});
  const auto texts = Texts((*b).Take());
  EXPECT_EQ(texts.count("(fsub@32 (fneg@32 a@32) b@32)"), 1u);
  EXPECT_EQ(texts.count("(fsub@32 a@32 (fneg@32 b@32))"), 1u);
}

TEST(Fragment, ShowsSharedValuesOnce) {
  Builder b;
  const Lanes x = b.Variable();
  const Lanes square = b.Op("fmul", {x, x});
  b.Op("fadd", {square, square});
  for (const Fragment& fragment : Fragments((*b).Take())) {
    if (fragment.text != "(fadd@32 (fmul@32 a@32 a@32) (fmul@32 a@32 a@32))") continue;
    EXPECT_EQ(fragment.term.nodes.size(), 3u);
    return;
  }
  FAIL() << "no such fragment";
}

TEST(Fragment, UndefinedValuesAreNeverEqual) {
  Builder b;
  const Lanes undefined = b.Variable("undef");
  b.Op("fsub", {undefined, undefined});
  EXPECT_EQ(Texts((*b).Take()).count("(fsub@32 a@32 b@32)"), 1u);
}

TEST(Fragment, FindsMultiUseIntermediates) {
  Builder b;
  const Lanes product = b.Op("fmul", {b.Variable(), b.Variable()});
  const Lanes sum = b.Op("fadd", {product, b.Variable()});
  b.Op("fneg", {product});
  const ir::Shader shader = (*b).Take();
  std::map<std::string, bool> survives;
  for (const Fragment& fragment : Fragments(shader)) {
    for (size_t i = 0; i < fragment.term.nodes.size(); ++i) {
      const bool inner = fragment.term.nodes[i].kind == ir::NodeKind::kOp && i != fragment.term.root;
      if (inner) survives[fragment.text] = fragment.multi_use[i];
      EXPECT_TRUE(inner || !fragment.multi_use[i]);
    }
  }
  EXPECT_TRUE(survives.at("(fadd@32 (fmul@32 a@32 b@32) c@32)"));
  EXPECT_TRUE(survives.at("(fneg@32 (fmul@32 a@32 b@32))"));
}

TEST(Fragment, InnerValuesOfOneUseDoNotSurvive) {
  Builder b;
  const Lanes product = b.Op("fmul", {b.Variable(), b.Variable()});
  b.Op("fadd", {product, product});
  for (const Fragment& fragment : Fragments((*b).Take())) {
    for (bool multi_use_value : fragment.multi_use) EXPECT_FALSE(multi_use_value);
  }
}

TEST(Fragment, StoresMakeMultiUseIntermediates) {
  Builder b;
  const Lanes product = b.Op("fmul", {b.Variable(), b.Variable()});
  (*b).Read((*b).AddUse("store_output"), product);
  b.Op("fneg", {product});
  bool found = false;
  for (const Fragment& fragment : Fragments((*b).Take())) {
    for (bool multi_use_value : fragment.multi_use) found = found || multi_use_value;
  }
  EXPECT_TRUE(found);
}

TEST(Fragment, StaysInOneLoopDepth) {
  Builder b;
  const Lanes product = b.Op("fmul", {b.Variable(), b.Variable()});
  (*b).BeginBlock(1);
  b.Op("fneg", {product});
  const auto texts = Texts((*b).Take());
  EXPECT_EQ(texts.count("(fneg@32 (fmul@32 a@32 b@32))"), 0u);
  EXPECT_EQ(texts.count("(fneg@32 a@32)"), 1u);
}

TEST(Fragment, KeepsItsBounds) {
  Builder b;
  // A balanced sum of 16 different variables has 15 ops.
  std::vector<Lanes> level;
  for (int i = 0; i < 16; ++i) level.push_back(b.Variable());
  while (level.size() > 1) {
    std::vector<Lanes> next;
    for (size_t i = 0; i < level.size(); i += 2) next.push_back(b.Op("fadd", {level[i], level[i + 1]}));
    level = next;
  }
  const ir::Shader shader = (*b).Take();
  FragmentOptions options;
  options.max_ops = 3;
  options.max_variables = 3;
  for (const Fragment& fragment : Fragments(shader, options)) {
    int ops = 0, variables = 0;
    for (const ir::Node& node : fragment.term.nodes) {
      ops += node.kind == ir::NodeKind::kOp;
      variables += node.kind == ir::NodeKind::kVariable;
    }
    EXPECT_LE(ops, 3);
    EXPECT_LE(variables, 3);
    EXPECT_EQ(fragment.facts.size(), static_cast<size_t>(variables));
  }
  // If only one cone per root is visited, each fragment is a single op.
  options.max_per_root = 1;
  EXPECT_EQ(Texts(shader, options).size(), 15u);
  EXPECT_EQ(Texts(shader, options).count("(fadd@32 a@32 b@32)"), 15u);
}

TEST(Fragment, TellsWhatMadeAnInputWhereThatMatters) {
  Builder b;
  const Lanes x = b.Variable(), y = b.Variable();
  const Lanes product = b.Op("fneg", {b.Op("fmul", {x, y})}), sum = b.Op("fadd", {product, x});
  const Lanes shared = b.Op("fadd", {x, y});
  b.Op("fmul", {b.Op("fsat", {sum}), b.Op("fsat", {shared})});
  b.Op("fmul", {shared, product});
  int seen = 0;
  for (const Fragment& fragment : Fragments((*b).Take())) {
    const bool adds = fragment.text == "(fadd@32 a@32 b@32)", saturates = fragment.text == "(fsat@32 a@32)";
    for (const ir::ValueFacts& facts : fragment.facts) {
      // Only fadd uses this fact.
      EXPECT_TRUE(!facts.product || fragment.text.find("fadd") != std::string::npos) << fragment.text;
      EXPECT_TRUE(saturates || !facts.saturable || fragment.text.find("fsat") != std::string::npos) << fragment.text;
      seen += adds && facts.product ? 1 : 0;
      seen += saturates && facts.saturable ? 10 : 0;  // false for the sum, because it has other users
    }
  }
  EXPECT_EQ(seen, 11);
}

TEST(Fragment, CarriesFactsOfInputs) {
  Builder b;
  const Lanes positive = b.Op("fmax", {b.Variable(), b.Constant(0)});
  (*b).BeginBlock(1);
  b.Op("fsqrt", {positive});
  for (const Fragment& fragment : Fragments((*b).Take())) {
    if (fragment.text != "(fsqrt@32 a@32)") continue;
    EXPECT_TRUE(fragment.facts[0].not_negative());
    EXPECT_TRUE(fragment.facts[0].number);
    return;
  }
  FAIL() << "no such fragment";
}

TEST(Fragment, ReadsVectorsAsWholesAndByComponent) {
  std::ifstream file("corpus/samples/nir/vec4_vertex.nir", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto shaders = ReadNirText(text, "x", "test");
  ASSERT_TRUE(shaders.ok());
  const auto texts = Texts(shaders->front());
  const std::string node_flags = "{nsz}{nnan}{ninf}";
  // If all reads have the same swizzle, it becomes part of the variable.
  EXPECT_EQ(texts.count("(fmul@32x3" + node_flags + " a@32x3 b@32x3)"), 1u);
  // `place` is read as .xxx and .yyy, so it is one variable with swizzles.
  EXPECT_EQ(
      texts.count("(ffma@32x3" + node_flags + " a@32x3 b@32x4.xxx (fmul@32x3" + node_flags + " a@32x3 b@32x4.yyy))"),
      1u)
      << *texts.begin();
}

TEST(ForEachFragment, SaysHowDeepInLoopsItStands) {
  Builder b;
  b.Op("fneg", {b.Op("fmul", {b.Variable(), b.Variable()})});
  (*b).BeginBlock(1);
  b.Op("fmul", {b.Variable(), b.Variable()});
  const ir::Shader shader = (*b).Take();
  std::vector<std::pair<std::string, int>> found;
  ForEachFragment(shader, ShaderFacts(shader), {},
                  [&](Fragment fragment) { found.emplace_back(fragment.text, fragment.loop_depth); });
  const std::vector<std::pair<std::string, int>> expected = {{"(fmul@32 a@32 b@32)", 0},
                                                             {"(fneg@32 a@32)", 0},
                                                             {"(fneg@32 (fmul@32 a@32 b@32))", 0},
                                                             {"(fmul@32 a@32 b@32)", 1}};
  EXPECT_EQ(found, expected);
}

TEST(ForEachFragment, IsTheSameEveryTime) {
  std::ifstream file("corpus/samples/spirv/pixi-filters__adjustment_adjustment_frag.spv", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> first;
  for (int run = 0; run < 2; ++run) {
    const auto shader = ReadSpirv(bytes, "x", "test");
    ASSERT_TRUE(shader.ok());
    std::vector<std::string> texts;
    ForEachFragment(*shader, ShaderFacts(*shader), {}, [&](Fragment fragment) { texts.push_back(fragment.text); });
    EXPECT_GT(texts.size(), 50u);
    if (run == 0) first = texts;
    EXPECT_EQ(texts, first);
  }
}

}  // namespace
}  // namespace rewrought::corpus
