#include "store/corpus_store.h"

#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

class CorpusStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(corpus_.PutSource("a", false));
    ASSERT_OK(corpus_.PutSource("b", false));
    ASSERT_OK(corpus_.PutSource("held", true));
  }

  std::vector<std::string> Fragments(const CorpusStore::FragmentQuery& query) {
    std::vector<std::string> texts;
    const absl::Status status = corpus_.ForEachFragment(query, [&](const FragmentSummary& f) {
      texts.push_back(absl::StrCat(f.fragment.text, " ", f.sources, " ", f.shaders, " ", f.sites));
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return texts;
  }

  std::unique_ptr<Store> store_ = OpenStore(NewPath());
  CorpusStore corpus_{store_.get()};
};

TEST_F(CorpusStoreTest, ShaderComesBack) {
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x.frag"}, {Site("f", 3, "number"), Site("f", 1, "")}));
  const auto shader = corpus_.GetShader(D("x"));
  ASSERT_OK(shader.status());
  EXPECT_EQ(shader->stage, "fragment");
  EXPECT_EQ(shader->alu_instructions, 12);
  EXPECT_EQ(shader->notes, Shader("x").notes);
  EXPECT_TRUE(*corpus_.HasShader(D("x"), D("extraction 1")));
  EXPECT_FALSE(*corpus_.HasShader(D("x"), D("extraction 2")));
  EXPECT_FALSE(*corpus_.HasShader(D("y"), D("extraction 1")));
  std::vector<SiteView> sites;
  ASSERT_OK(corpus_.ForEachSite(D("f"), Split::kDiscovery, [&](const SiteView& site) {
    sites.push_back(site);
    return absl::OkStatus();
  }));
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[1].facts, "number");
  EXPECT_EQ(sites[1].count, 3);
  EXPECT_EQ(sites[1].loop_weight, 24);
  EXPECT_EQ(sites[1].node_flags, 0x8000000000000001);
  EXPECT_EQ(sites[1].lines, std::vector<int32_t>({7, 11}));
  EXPECT_TRUE(absl::IsNotFound(corpus_.GetShader(D("y")).status()));
}

TEST_F(CorpusStoreTest, PuttingTwiceChangesNothing) {
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x.frag"}, {Site("f", 3)}));
  const std::string once = DumpOf(store_.get());
  ASSERT_OK(corpus_.PutSource("a", false));
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x.frag"}, {Site("f", 3)}));
  EXPECT_EQ(DumpOf(store_.get()), once);
}

TEST_F(CorpusStoreTest, OtherExtractionReplacesSites) {
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x.frag"}, {Site("f", 3), Site("g", 1)}));
  ASSERT_OK(corpus_.PutShader(Shader("x", "extraction 2"), {"a", "x.frag"}, {Site("g", 5)}));
  EXPECT_EQ(Fragments({}), std::vector<std::string>({"g 1 1 5"}));
  EXPECT_EQ(corpus_.Count()->shaders, 1);
  EXPECT_EQ(corpus_.Count()->sites, 5);
  ASSERT_OK(corpus_.DropStaleSites());
  EXPECT_EQ(Fragments({}), std::vector<std::string>({"g 1 1 5"}));
}

TEST_F(CorpusStoreTest, LinesAreBounded) {
  corpus::SiteRecord site = Site("f", 100);
  site.lines.assign(100, 1234567);
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x.frag"}, {site}));
  ASSERT_OK(corpus_.ForEachSite(D("f"), Split::kDiscovery, [&](const SiteView& view) {
    EXPECT_EQ(view.lines.size(), corpus::kMaxLines);
    return absl::OkStatus();
  }));
}

TEST_F(CorpusStoreTest, RankedBySourcesThenShadersThenSites) {
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x"}, {Site("many sites", 100), Site("two sources", 1)}));
  ASSERT_OK(corpus_.PutShader(Shader("y"), {"b", "y"}, {Site("two sources", 1), Site("two shaders", 1)}));
  ASSERT_OK(corpus_.PutShader(Shader("z"), {"b", "z"}, {Site("two shaders", 1), Site("two shaders", 2, "fact")}));
  EXPECT_EQ(Fragments({}), std::vector<std::string>({"two sources 2 2 2", "two shaders 1 2 4", "many sites 1 1 100"}));
  CorpusStore::FragmentQuery query;
  query.min_shaders = 2;
  query.limit = 1;
  EXPECT_EQ(Fragments(query), std::vector<std::string>({"two sources 2 2 2"}));
}

TEST_F(CorpusStoreTest, HeldOutIsKeptApart) {
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x"}, {Site("f", 1)}));
  ASSERT_OK(corpus_.PutShader(Shader("y"), {"held", "y"}, {Site("f", 10), Site("g", 1)}));
  CorpusStore::FragmentQuery held;
  held.split = Split::kHeldOut;
  EXPECT_EQ(Fragments({}), std::vector<std::string>({"f 1 1 1"}));
  EXPECT_EQ(Fragments(held), std::vector<std::string>({"f 1 1 10", "g 1 1 1"}));
  // A shader that is also in a discovery source is no longer held out.
  ASSERT_OK(corpus_.AddOccurrence(D("y"), {"b", "copy of y"}));
  EXPECT_EQ(Fragments({}), std::vector<std::string>({"f 2 2 11", "g 1 1 1"}));
  EXPECT_EQ(Fragments(held), std::vector<std::string>());
  EXPECT_TRUE(absl::IsNotFound(corpus_.AddOccurrence(D("none"), {"b", "n"})));
}

TEST_F(CorpusStoreTest, TriedFragmentsAreLeftOut) {
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x"}, {Site("done", 3), Site("cut", 2), Site("new", 1)}));
  SearchStore search(store_.get());
  AttemptRecord attempt;
  attempt.key = {D("done"), "intel_gen9", D("semantics"), D("search")};
  attempt.outcome = AttemptOutcome::kNothing;
  ASSERT_OK(search.PutAttempt(attempt));
  attempt.key.fragment = D("cut");
  attempt.outcome = AttemptOutcome::kCutShort;
  ASSERT_OK(search.PutAttempt(attempt));
  CorpusStore::FragmentQuery query;
  query.untried = attempt.key;
  EXPECT_EQ(Fragments(query), std::vector<std::string>({"new 1 1 1"}));
  query.retry_cut_short = true;
  EXPECT_EQ(Fragments(query), std::vector<std::string>({"cut 1 1 2", "new 1 1 1"}));
  query.untried->semantics = D("other semantics");
  EXPECT_EQ(Fragments(query).size(), 3u);
  query.untried->machine = "a machine that nothing knows";
  EXPECT_EQ(Fragments(query).size(), 3u);
}

TEST_F(CorpusStoreTest, LargerFragmentsAreLeftOut) {
  corpus::SiteRecord small = Site("small", 1), large = Site("large", 1);
  small.fragment.nodes = 2;
  large.fragment.nodes = 3;
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x"}, {small, large}));
  CorpusStore::FragmentQuery query;
  EXPECT_EQ(Fragments(query).size(), 2u);
  query.max_nodes = 2;
  EXPECT_EQ(Fragments(query), std::vector<std::string>({"small 1 1 1"}));
  query.max_nodes = 1;
  EXPECT_TRUE(Fragments(query).empty());
}

TEST_F(CorpusStoreTest, ShadersArePaged) {
  for (const char* name : {"p", "q", "r", "s", "t"}) ASSERT_OK(corpus_.PutShader(Shader(name), {"a", name}, {}));
  ASSERT_OK(corpus_.PutShader(Shader("unseen"), {"held", "u"}, {}));
  std::vector<ir::Digest> seen;
  std::optional<ir::Digest> after;
  for (int page = 0; page < 4; ++page) {
    ASSERT_OK(corpus_.ForEachShader(Split::kDiscovery, after, 2, [&](const ShaderRecord& shader) {
      seen.push_back(shader.digest);
      return absl::OkStatus();
    }));
    after = seen.back();
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_F(CorpusStoreTest, CallbacksMayWrite) {
  ASSERT_OK(corpus_.PutShader(Shader("x"), {"a", "x"}, {Site("f", 3), Site("g", 2)}));
  SearchStore search(store_.get());
  int seen = 0;
  ASSERT_OK(corpus_.ForEachFragment({}, [&](const FragmentSummary& fragment) {
    ++seen;
    return search.PutAttempt({.key = {fragment.digest, "intel_gen9", D("semantics"), D("search")}});
  }));
  EXPECT_EQ(seen, 2);
  EXPECT_TRUE(search.FindAttempt({D("g"), "intel_gen9", D("semantics"), D("search")})->has_value());
}

}  // namespace
}  // namespace rewrought::store
