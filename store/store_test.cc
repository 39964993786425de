#include "store/store.h"

#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

TEST(StoreTest, CommittedIsKeptAndTheRestUndone) {
  const std::string path = NewPath();
  {
    auto store = OpenStore(path);
    CorpusStore corpus(store.get());
    {
      auto transaction = ScopedTransaction::Begin(store.get());
      ASSERT_OK(transaction.status());
      ASSERT_OK(corpus.PutSource("kept", false));
      ASSERT_OK((*transaction)->Commit());
      EXPECT_TRUE(absl::IsFailedPrecondition((*transaction)->Commit()));
    }
    auto transaction = ScopedTransaction::Begin(store.get());
    ASSERT_OK(corpus.PutSource("undone", false));
    EXPECT_EQ(corpus.Count()->sources, 2);  // the thread sees its own writes
  }
  auto store = OpenStore(path);
  EXPECT_EQ(DumpOf(store.get()), "sources \"kept\" 0\n");
}

TEST(StoreTest, TransactionsDoNotNest) {
  auto store = OpenStore(NewPath());
  auto outer = ScopedTransaction::Begin(store.get());
  ASSERT_OK(outer.status());
  EXPECT_TRUE(absl::IsFailedPrecondition(ScopedTransaction::Begin(store.get()).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(store->WithoutTransaction([](auto&) { return absl::OkStatus(); })));
  ASSERT_OK((*outer)->Commit());
  ASSERT_OK(ScopedTransaction::Begin(store.get()).status());
}

TEST(StoreTest, FailedWriteSpoilsTheTransaction) {
  auto store = OpenStore(NewPath());
  CorpusStore corpus(store.get());
  auto transaction = ScopedTransaction::Begin(store.get());
  ASSERT_OK(corpus.PutSource("before", false));
  EXPECT_TRUE(absl::IsNotFound(corpus.PutShader(Shader("x"), {"no such source", "x.frag"}, {})));
  EXPECT_TRUE(absl::IsNotFound(corpus.PutSource("after", false)));
  EXPECT_TRUE(absl::IsNotFound((*transaction)->Commit()));
  EXPECT_EQ(DumpOf(store.get()), "");
}

TEST(StoreTest, InternedTextsAreForgottenWithTheirTransaction) {
  auto store = OpenStore(NewPath());
  CorpusStore corpus(store.get());
  ASSERT_OK(corpus.PutSource("s", false));
  {
    auto transaction = ScopedTransaction::Begin(store.get());
    ASSERT_OK(corpus.PutShader(Shader("x"), {"s", "x"}, {Site("f", 1, "number")}));
  }
  // If the ids were still cached, these rows would refer to missing strings.
  ASSERT_OK(corpus.PutShader(Shader("x"), {"s", "x"}, {Site("f", 1, "number")}));
  EXPECT_NE(DumpOf(store.get()).find("\"number\""), std::string::npos);
}

TEST(StoreTest, ReadOnlyStoreReadsAndDoesNotWrite) {
  const std::string path = NewPath();
  {
    auto store = OpenStore(path);
    ASSERT_OK(CorpusStore(store.get()).PutSource("s", true));
  }
  StoreOptions options;
  options.mode = OpenMode::kReadOnly;
  auto store = Store::Open(path, options);
  ASSERT_OK(store.status());
  CorpusStore corpus(store->get());
  EXPECT_EQ(corpus.Count()->sources, 1);
  const absl::Status status = corpus.PutSource("t", false);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_NE(status.message().find(path), absl::string_view::npos);
}

TEST(StoreTest, NamesMayHoldAnyBytes) {
  const std::string path = NewPath();
  const std::vector<std::string> names = {"",
                                          "it's",
                                          "\"q\"",
                                          std::string("a\0b", 3),
                                          std::string("a\0c", 3),
                                          "\xff\xfe",
                                          "'; DROP TABLE sources; --",
                                          "\xc3\xa9"};
  {
    auto store = OpenStore(path);
    CorpusStore corpus(store.get());
    for (const std::string& name : names) {
      ASSERT_OK(corpus.PutSource(name, false));
      ASSERT_OK(corpus.PutShader(Shader(name), {name, name}, {Site(name, 1, name)}));
    }
  }
  auto store = OpenStore(path);
  CorpusStore corpus(store.get());
  EXPECT_EQ(corpus.Count()->fragments, static_cast<int64_t>(names.size()));
  for (const std::string& name : names) {
    const auto occurrences = corpus.Occurrences(D(name));
    ASSERT_OK(occurrences.status());
    EXPECT_EQ(*occurrences, std::vector<Occurrence>({{name, name}}));
    int sites = 0;
    ASSERT_OK(corpus.ForEachSite(D(name), Split::kDiscovery, [&](const SiteView& site) {
      EXPECT_EQ(site.facts, name);
      ++sites;
      return absl::OkStatus();
    }));
    EXPECT_EQ(sites, 1);
  }
}

}  // namespace
}  // namespace rewrought::store
