#include "store/sites/site_sql.h"

#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

class SiteSqlTest : public testing::Test {
 protected:
  void SetUp() override {
    store_ = OpenStore(NewPath());
    ASSERT_OK(Write([](sqlite::Database& writer) {
      for (int64_t id = 1; id <= 3; ++id) {
        absl::Status put = writer.Run(
            "INSERT INTO fragments (id, digest, text, nodes, variables, widths) VALUES (?1, randomblob(32), ?1, 1, 1, "
            "'')",
            {id});
        if (!put.ok()) return put;
      }
      return absl::OkStatus();
    }));
  }

  absl::Status Write(absl::FunctionRef<absl::Status(sqlite::Database&)> write) { return store_->Write(write); }

  std::vector<SiteRow> RowsOf(int64_t fragment) {
    std::vector<SiteRow> rows;
    EXPECT_OK(Write([&](sqlite::Database& writer) {
      return ForEachSiteRow(writer,
                            "SELECT fragment_id, first_key, rows FROM site_blocks WHERE fragment_id = ?1 ORDER BY 2",
                            {fragment}, [&](const sqlite::Row&, const SiteRow& row) {
                              rows.push_back(row);
                              return absl::OkStatus();
                            });
    }));
    return rows;
  }

  int64_t Ask(const std::string& sql) {
    int64_t answer = -1;
    EXPECT_OK(Write([&](sqlite::Database& writer) {
      const auto found = writer.QueryInt(sql);
      answer = found.value_or(-1);
      return found.status();
    }));
    return answer;
  }

  std::unique_ptr<Store> store_;
};

SiteRow RowOf(int64_t key, int64_t facts = 1) { return {key, 0, 3, facts, 1, 2, {static_cast<int32_t>(key), 70000}}; }

// Appending rows in many small calls stores the same rows as a single call does, in blocks of bounded size.
TEST_F(SiteSqlTest, AppendedRowsAreThereInOrder) {
  std::mt19937 random(1);
  std::map<int64_t, std::vector<SiteRow>> expected;
  for (int64_t key = 1; key < 400;) {
    ASSERT_OK(Write([&](sqlite::Database& writer) {
      SiteAppender appender(writer);
      for (int64_t end = key + 1 + static_cast<int64_t>(random() % 60); key < end; ++key) {
        for (int64_t fragment = 1; fragment <= 3; ++fragment) {
          for (int64_t facts = 0; facts < static_cast<int64_t>(random() % 3); ++facts) {
            expected[fragment].push_back(RowOf(key, facts));
            if (absl::Status added = appender.Add(fragment, expected[fragment].back()); !added.ok()) return added;
          }
        }
      }
      return appender.Flush();
    }));
  }
  for (const auto& [fragment, rows] : expected) EXPECT_EQ(RowsOf(fragment), rows);
  // A full block may also contain the rest of its last shader's rows, at most two rows of ten bytes here.
  EXPECT_LE(Ask("SELECT max(length(rows)) FROM site_blocks"), static_cast<int64_t>(kBlockBytes) + 20);
  EXPECT_GE(Ask("SELECT count(*) FROM site_blocks"), 6);
}

TEST_F(SiteSqlTest, RowsThatDoNotFollowAreRefused) {
  for (const SiteRow& row : {RowOf(5), RowOf(4)}) {
    const absl::Status added = Write([&](sqlite::Database& writer) {
      SiteAppender appender(writer);
      absl::Status status = appender.Add(1, RowOf(5));
      if (status.ok()) status = appender.Add(1, row);
      return status;
    });
    EXPECT_EQ(added.code(), absl::StatusCode::kAlreadyExists) << added;
  }
}

TEST_F(SiteSqlTest, StaleRowsGo) {
  std::vector<SiteRow> kept;
  ASSERT_OK(Write([&](sqlite::Database& writer) {
    SiteAppender appender(writer);
    for (int64_t key = 1; key < 3000; ++key) {
      if (absl::Status added = appender.Add(key < 2500 ? 1 : 2, RowOf(key)); !added.ok()) return added;
      const bool stale = key % 3 == 0 || (key > 100 && key < 1700) || key >= 2500;
      if (!stale) kept.push_back(RowOf(key));
      if (stale) {
        if (absl::Status put = writer.Run("INSERT INTO stale_sites VALUES (?1)", {key}); !put.ok()) return put;
      }
    }
    absl::Status status = appender.Flush();
    if (status.ok()) status = DropStaleSites(writer);
    return status;
  }));
  EXPECT_EQ(RowsOf(1), kept);
  EXPECT_TRUE(RowsOf(2).empty());
  EXPECT_EQ(Ask("SELECT count(*) FROM stale_sites"), 0);
  EXPECT_EQ(Ask("SELECT count(*) FROM site_blocks WHERE fragment_id = 2"), 0);
}

TEST_F(SiteSqlTest, SqlPacksAndUnpacks) {
  EXPECT_EQ(Ask("SELECT count(*) FROM unpack_sites(7, pack_sites('9,-1,4,3,2,8,12 40;7,0,0,5,1,1,')) WHERE "
                "(sites_key, node_flags, multi_use, facts_id, count, loop_weight, lines) IN "
                "((9, -1, 4, 3, 2, 8, '12 40'), (7, 0, 0, 5, 1, 1, ''))"),
            2);
  for (const char* sql : {"SELECT count(*) FROM unpack_sites(1, x'00')", "SELECT pack_sites('1,2,3')",
                          "SELECT pack_sites('-1,0,0,1,1,1,')", "SELECT count(*) FROM unpack_sites(1)",
                          "SELECT count(*) FROM unpack_sites"}) {
    SCOPED_TRACE(sql);
    EXPECT_FALSE(Write([&](sqlite::Database& writer) { return writer.QueryInt(sql).status(); }).ok());
  }
}

TEST_F(SiteSqlTest, DamagedBlocksAreTold) {
  ASSERT_OK(Write([](sqlite::Database& writer) { return writer.Run("INSERT INTO site_blocks VALUES (2, 1, x'08')"); }));
  const absl::Status appended = Write([](sqlite::Database& writer) { return SiteAppender(writer).Add(2, RowOf(5)); });
  EXPECT_EQ(appended.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(appended.message().find("of fragment 2"), absl::string_view::npos) << appended;
  EXPECT_EQ(CorpusStore(store_.get()).Count().status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace rewrought::store
