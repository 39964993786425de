#include "corpus/cone_cache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "corpus/spirv/spirv_reader.h"
#include "corpus/text/nir_text_reader.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

std::vector<ir::Shader> Samples() {
  std::vector<ir::Shader> shaders;
  for (const char* folder : {"corpus/samples/spirv", "corpus/samples/nir"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      auto shader = ReadSpirv(bytes, "test", "test");
      if (shader.ok()) shaders.push_back(*std::move(shader));
      auto texts = ReadNirText(bytes, "test", "test");
      if (texts.ok()) std::move(texts->begin(), texts->end(), std::back_inserter(shaders));
    }
  }
  return shaders;
}

// Returns cones at `root`. Each cone extends the previous cone by one of the ops that it reads, chosen by `pick` modulo
// their number.
std::vector<std::vector<ir::NodeIndex>> ConesAt(const ir::Shader& shader, ir::NodeIndex root, size_t pick) {
  std::vector<std::vector<ir::NodeIndex>> cones = {{root}};
  while (cones.size() < 6) {
    std::vector<ir::NodeIndex> cone = cones.back(), below;
    for (ir::NodeIndex member : cone) {
      for (const ir::Source& source : shader.values.nodes[member].sources) {
        const bool inside = std::binary_search(cone.begin(), cone.end(), source.node);
        if (!inside && shader.values.nodes[source.node].kind == ir::NodeKind::kOp) below.push_back(source.node);
      }
    }
    if (below.empty()) break;
    const ir::NodeIndex next = below[pick % below.size()];
    cone.insert(std::upper_bound(cone.begin(), cone.end(), next), next);
    cones.push_back(cone);
  }
  return cones;
}

TEST(ConeCache, GivesWhatIsBuiltAnew) {
  ConeCache cache;
  size_t looks = 0;
  uint64_t most = 0;
  for (const ir::Shader& shader : Samples()) {
    for (ir::NodeIndex root = 0; root < shader.values.nodes.size(); ++root) {
      if (shader.values.nodes[root].kind != ir::NodeKind::kOp) continue;
      for (const auto& cone : ConesAt(shader, root, looks % 5)) {
        ++looks;
        const ConeTerm expected = BuildConeTerm(shader, cone, root);
        std::vector<ir::NodeIndex> outside;
        const ConeCache::Built& built = cache.Get(shader, cone, root, &outside);
        most = std::max(most, built.form->id);
        ASSERT_EQ(built.form->text, expected.text);
        ASSERT_EQ(built.form->term.root, expected.term.root);
        ASSERT_EQ(built.form->term.nodes.size(), expected.term.nodes.size());
        ASSERT_EQ(built.variables.size(), expected.variables.size());
        for (size_t i = 0; i < expected.variables.size(); ++i) {
          EXPECT_EQ(outside[built.variables[i].node], expected.variables[i].node) << expected.text;
          EXPECT_EQ(built.variables[i].components, expected.variables[i].components);
          EXPECT_EQ(built.variables[i].swizzle, expected.variables[i].swizzle);
        }
        for (size_t i = 0; i < expected.term.nodes.size(); ++i) {
          const ir::Node& node = expected.term.nodes[i];
          EXPECT_EQ(built.form->term.nodes[i].sources, node.sources) << expected.text;
          EXPECT_EQ(built.form->term.nodes[i].flags, node.flags);
          EXPECT_EQ(built.form->term.nodes[i].values, node.values);
          if (node.kind != ir::NodeKind::kOp) continue;
          EXPECT_EQ(cone[built.origins[i]], expected.origins[i]) << expected.text;
        }
      }
    }
  }
  EXPECT_GT(looks, 2000u);
  // Most cones have a form that has occurred before.
  EXPECT_LT(most, looks / 2);
}

}  // namespace
}  // namespace rewrought::corpus
