// Tests concurrent writers, readers, and connections from other processes on one database.
#include <atomic>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/shards/merge.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

// Each transaction adds two shaders, so a reader that sees an odd number of shaders has seen half a transaction.
absl::Status AddPairs(Store* store, const std::string& name, int pairs) {
  CorpusStore corpus(store);
  for (int i = 0; i < pairs; ++i) {
    auto transaction = ScopedTransaction::Begin(store);
    if (!transaction.ok()) return transaction.status();
    for (const char* half : {"first", "second"}) {
      const std::string content = absl::StrCat(name, i, half);
      absl::Status status = corpus.PutShader(Shader(content), {"a", content}, {Site(content, 1), Site("common", 1)});
      if (!status.ok()) return status;
    }
    if (absl::Status status = (*transaction)->Commit(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

TEST(ConcurrencyTest, ReadersSeeWholeTransactionsOnly) {
  constexpr int kPairs = 60;
  const std::string path = NewPath();
  auto store = OpenStore(path);
  auto other_process = OpenStore(path);  // another writing connection to the same file
  ASSERT_OK(CorpusStore(store.get()).PutSource("a", false));
  std::atomic<bool> done = false;
  std::vector<absl::Status> written(3);
  std::vector<std::thread> writers;
  writers.emplace_back([&] { written[0] = AddPairs(store.get(), "one ", kPairs); });
  writers.emplace_back([&] { written[1] = AddPairs(store.get(), "two ", kPairs); });
  writers.emplace_back([&] { written[2] = AddPairs(other_process.get(), "three ", kPairs); });
  std::atomic<int> reads = 0, odd = 0, failed = 0, backward = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      CorpusStore corpus(store.get());
      int64_t before = 0;
      while (!done) {
        const auto counts = corpus.Count();
        failed += !counts.ok();
        if (!counts.ok()) continue;
        odd += counts->shaders % 2 != 0 || counts->sites != 2 * counts->shaders;
        backward += counts->shaders < before;
        before = counts->shaders;
        ++reads;
      }
    });
  }
  for (std::thread& thread : writers) thread.join();
  done = true;
  for (std::thread& thread : readers) thread.join();
  for (const absl::Status& status : written) EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(odd, 0);
  EXPECT_EQ(backward, 0);
  EXPECT_GT(reads, 10);
  EXPECT_EQ(CorpusStore(store.get()).Count()->shaders, 3 * 2 * kPairs);
}

TEST(ConcurrencyTest, ReadersDoNotWaitForTheWriter) {
  auto store = OpenStore(NewPath());
  CorpusStore corpus(store.get());
  ASSERT_OK(corpus.PutSource("committed", false));
  auto transaction = ScopedTransaction::Begin(store.get());
  ASSERT_OK(transaction.status());
  ASSERT_OK(corpus.PutSource("pending", false));
  int64_t seen = -1;
  std::thread([&] { seen = corpus.Count()->sources; }).join();
  EXPECT_EQ(seen, 1);
  ASSERT_OK((*transaction)->Commit());
  std::thread([&] { seen = corpus.Count()->sources; }).join();
  EXPECT_EQ(seen, 2);
}

TEST(ConcurrencyTest, OneReadSeesOneState) {
  auto store = OpenStore(NewPath());
  CorpusStore corpus(store.get());
  ASSERT_OK(store->Read([&](sqlite::Database& reader) {
    const auto before = reader.QueryInt("SELECT count(*) FROM sources");
    std::thread([&] { EXPECT_TRUE(corpus.PutSource("a", false).ok()); }).join();
    const auto after = reader.QueryInt("SELECT count(*) FROM sources");
    EXPECT_EQ(*before, *after);
    return absl::OkStatus();
  }));
  EXPECT_EQ(corpus.Count()->sources, 1);
}

TEST(ConcurrencyTest, LockedByAnotherProcessIsSaidSo) {
  const std::string path = NewPath();
  auto holder = OpenStore(path);
  auto transaction = ScopedTransaction::Begin(holder.get());
  ASSERT_OK(transaction.status());
  StoreOptions options;
  options.busy_timeout = absl::Milliseconds(50);
  auto waiting = Store::Open(path, options);
  ASSERT_OK(waiting.status());
  const absl::Status status = CorpusStore(waiting->get()).PutSource("a", false);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_NE(status.message().find("locked: another process is writing"), absl::string_view::npos) << status;
  ASSERT_OK((*transaction)->Commit());
  ASSERT_OK(CorpusStore(waiting->get()).PutSource("a", false));
}

TEST(ConcurrencyTest, MergeWhileTheShardIsWritten) {
  const std::string shard_path = NewPath("shard.db");
  auto shard = OpenStore(shard_path);
  ASSERT_OK(CorpusStore(shard.get()).PutSource("a", false));
  absl::Status written;
  std::thread writer([&] { written = AddPairs(shard.get(), "s ", 40); });
  auto store = OpenStore(NewPath());
  for (int i = 0; i < 10; ++i) {
    ASSERT_OK(Merge(store.get(), shard_path).status());
    EXPECT_EQ(CorpusStore(store.get()).Count()->shaders % 2, 0);
  }
  writer.join();
  ASSERT_OK(written);
  ASSERT_OK(Merge(store.get(), shard_path).status());
  ExpectSameDump(DumpOf(store.get()), DumpOf(shard.get()));
}

}  // namespace
}  // namespace rewrought::store
