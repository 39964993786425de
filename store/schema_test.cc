#include "store/schema.h"

#include <fstream>
#include <sstream>
#include <thread>

#include "store/migration_files.h"
#include "store/sites/site_sql.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

const int kNewest = NewestVersion();

std::unique_ptr<sqlite::Database> OpenRaw(const std::string& path) {
  auto database = sqlite::Database::Open(path, OpenMode::kCreate, absl::Seconds(10));
  EXPECT_TRUE(database.ok()) << database.status();
  return *std::move(database);
}

std::string SchemaText(sqlite::Database& database) {
  std::string text;
  EXPECT_TRUE(database
                  .Query("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name", {},
                         [&](const sqlite::Row& row) {
                           text += row.String(0) + " " + row.String(1) + " " + row.String(2) + "\n";
                           return absl::OkStatus();
                         })
                  .ok());
  return text;
}

std::string Bytes(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

TEST(SchemaTest, MigrationsAreNumberedFromOne) {
  ASSERT_GE(kNewest, 2);
  for (int i = 0; i < kNewest; ++i)
    EXPECT_EQ(std::stoi(std::string(MigrationFiles()[i].stem())), i + 1) << MigrationFiles()[i].path;
}

TEST(SchemaTest, EveryOlderVersionIsBroughtUpAndKeepsItsData) {
  const std::string fresh_path = NewPath();
  OpenStore(fresh_path).reset();
  const std::string fresh = SchemaText(*OpenRaw(fresh_path));
  for (int version = 0; version <= kNewest; ++version) {
    SCOPED_TRACE(version);
    const std::string path = NewPath();
    {
      auto database = OpenRaw(path);
      ASSERT_OK(Migrate(*database, version));
      EXPECT_EQ(*SchemaVersion(*database), version);
      if (version >= 1) ASSERT_OK(database->Run("INSERT INTO sources (name, held_out) VALUES ('old', 1)"));
    }
    auto store = OpenStore(path);
    ASSERT_NE(store, nullptr);
    CorpusStore corpus(store.get());
    EXPECT_EQ(corpus.Count()->sources, version >= 1 ? 1 : 0);
    ASSERT_OK(corpus.PutSource("new", false));
    auto database = OpenRaw(path);
    EXPECT_EQ(*SchemaVersion(*database), kNewest);
    EXPECT_EQ(SchemaText(*database), fresh);
  }
}

// Migration 11 packs the rows of the table `sites` into blocks.
TEST(SchemaTest, SitesOfATableBecomeBlocks) {
  const std::string path = NewPath();
  const char* const rows =
      "SELECT fragment_id, shader_id, node_flags, multi_use, facts_id, count, loop_weight, lines FROM sites ORDER BY "
      "1, 2, 3, 4, 5";
  const auto text_of = [&](sqlite::Database& database) {
    std::string text;
    EXPECT_OK(database.Query(rows, {}, [&](const sqlite::Row& row) {
      for (int column = 0; column < row.columns(); ++column) text += row.Printed(column) + " ";
      return absl::OkStatus();
    }));
    return text;
  };
  std::string before;
  {
    auto database = OpenRaw(path);
    ASSERT_OK(Migrate(*database, 10));
    ASSERT_OK(database->Script(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO shaders (id, "
        "digest, "
        "stage, alu_instructions, extraction) SELECT i, randomblob(32), 'fragment', 1, randomblob(32) FROM n;"
        "INSERT INTO strings (id, text) VALUES (1, 'number'), (2, '');"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) INSERT INTO fragments (id, "
        "digest, "
        "text, nodes, variables, widths) SELECT i, randomblob(32), i, 1, 1, '32' FROM n;"
        "INSERT INTO sites SELECT f.id, s.id, CASE s.id % 3 WHEN 0 THEN -1 ELSE f.id END, s.id % 2, t.id, s.id, f.id, "
        "CASE t.id WHEN 1 THEN '' ELSE s.id || ' 7' END FROM fragments f JOIN shaders s ON f.id = 1 OR s.id % f.id = 1 "
        "JOIN strings t"));
    before = text_of(*database);
  }
  OpenStore(path).reset();
  auto database = OpenRaw(path);
  ASSERT_OK(AddSiteFunctions(*database));
  EXPECT_EQ(text_of(*database), before);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM site_blocks"), 5 + 3 + 2);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM sites"), 2 * (300 + 150 + 100));
}

TEST(SchemaTest, NewerVersionIsRefusedAndLeftAlone) {
  const std::string path = NewPath();
  OpenStore(path).reset();
  ASSERT_OK(OpenRaw(path)->Script("PRAGMA user_version = 99"));
  const std::string before = Bytes(path);
  const auto store = Store::Open(path);
  EXPECT_TRUE(absl::IsFailedPrecondition(store.status()));
  EXPECT_NE(store.status().message().find("newer rewrought (schema version 99"), absl::string_view::npos)
      << store.status();
  EXPECT_EQ(Bytes(path), before);
}

TEST(SchemaTest, OtherApplicationsAreRefusedAndLeftAlone) {
  for (const char* script :
       {"CREATE TABLE bookmarks (url TEXT)", "PRAGMA application_id = 7", "PRAGMA user_version = 3"}) {
    SCOPED_TRACE(script);
    const std::string path = NewPath();
    ASSERT_OK(OpenRaw(path)->Script(script));
    const std::string before = Bytes(path);
    const auto store = Store::Open(path);
    EXPECT_TRUE(absl::IsFailedPrecondition(store.status()));
    EXPECT_NE(store.status().message().find("another application"), absl::string_view::npos) << store.status();
    EXPECT_EQ(Bytes(path), before);
  }
}

TEST(SchemaTest, OlderVersionIsNotReadWithoutMigration) {
  const std::string path = NewPath();
  ASSERT_OK(Migrate(*OpenRaw(path), 1));
  StoreOptions options;
  options.mode = OpenMode::kReadOnly;
  const auto store = Store::Open(path, options);
  EXPECT_TRUE(absl::IsFailedPrecondition(store.status()));
  EXPECT_NE(store.status().message().find("older schema version (1"), absl::string_view::npos) << store.status();
}

TEST(SchemaTest, FailedMigrationLeavesNothing) {
  const std::string path = NewPath();
  {
    auto database = OpenRaw(path);
    ASSERT_OK(Migrate(*database, 1));
    ASSERT_OK(database->Script("CREATE TABLE counterexamples (in_the_way TEXT)"));  // makes migration 3 fail
  }
  EXPECT_FALSE(Store::Open(path).ok());
  auto database = OpenRaw(path);
  EXPECT_EQ(*SchemaVersion(*database), 1);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM sqlite_schema WHERE name = 'runs'"), 0);
}

TEST(SchemaTest, ManyMayOpenANewDatabaseAtOnce) {
  const std::string path = NewPath();
  std::vector<std::thread> threads;
  std::vector<absl::Status> statuses(6);
  for (absl::Status& status : statuses) threads.emplace_back([&] { status = Store::Open(path).status(); });
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace rewrought::store
