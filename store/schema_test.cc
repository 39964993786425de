#include "store/schema.h"

#include <fstream>
#include <sstream>
#include <thread>

#include "absl/strings/str_cat.h"
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
    ASSERT_OK(Migrate(*database, 9));
    // Migration 11 cannot encode negative keys.
    ASSERT_OK(database->Script(
        "INSERT INTO shaders (id, digest, stage, alu_instructions, extraction) VALUES (-7, zeroblob(32), '', 1, "
        "zeroblob(32)); INSERT INTO strings (id, text) VALUES (1, ''); INSERT INTO fragments (id, digest, text, nodes, "
        "variables, widths) VALUES (1, zeroblob(32), '', 1, 1, ''); INSERT INTO sites VALUES (1, -7, 0, 0, 1, 1, 1, "
        "'')"));
  }
  EXPECT_FALSE(Store::Open(path).ok());
  auto database = OpenRaw(path);
  EXPECT_EQ(*SchemaVersion(*database), 9);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM sqlite_schema WHERE name = 'counterexamples'"), 1);
}

// Version -1 once made the program abort, and version 0 repeated the migrations of a full database.
TEST(SchemaTest, VersionsBelowOneAreDamage) {
  for (const char* version : {"-1", "-2147483648", "0"}) {
    const std::string path = NewPath();
    OpenStore(path).reset();
    ASSERT_OK(OpenRaw(path)->Script(absl::StrCat("PRAGMA user_version = ", version)));
    for (const OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite, OpenMode::kCreate}) {
      const absl::Status opened = Store::Open(path, {.mode = mode}).status();
      EXPECT_TRUE(absl::IsDataLoss(opened)) << opened;
      EXPECT_NE(opened.message().find(absl::StrCat("its schema version is ", version)), absl::string_view::npos)
          << opened;
    }
  }
}

// A view that recurses without end once filled the disk, because it took the place of a table.
TEST(SchemaTest, ForeignObjectsAreRefusedBeforeTheyRun) {
  const char* const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
  for (const auto& [script, what] : std::initializer_list<std::pair<std::string, const char*>>{
           {absl::StrCat("DROP TABLE notes; CREATE VIEW notes AS ", endless,
                         " SELECT i AS shader_id, 1 AS note_id, 1 AS "
                         "count FROM n"),
            "its view \"notes\" is foreign"},
           {absl::StrCat("DROP VIEW sites; CREATE VIEW sites AS ", endless, " SELECT i AS fragment_id FROM n"),
            "its view \"sites\" was changed"},
           {absl::StrCat("CREATE TRIGGER t AFTER INSERT ON sources BEGIN INSERT INTO strings (text) ", endless,
                         " SELECT i FROM n; END"),
            "its trigger \"t\" is foreign"},
           {"CREATE TABLE more (x)", "its table \"more\" is foreign"},
           {"CREATE VIRTUAL TABLE words USING fts5(x)", "is foreign"},
           {"CREATE INDEX slow ON strings (text || text)", "its index \"slow\" is foreign"},
           {"ALTER TABLE sources ADD COLUMN more INTEGER AS (length(zeroblob(900000000)))",
            "its table \"sources\" was changed"},
           {"DROP INDEX shaders_by_sites_key", "the index \"shaders_by_sites_key\" is missing"}}) {
    SCOPED_TRACE(script);
    const std::string path = NewPath();
    OpenStore(path).reset();
    ASSERT_OK(OpenRaw(path)->Script(script));
    for (const OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
      const absl::Status opened = Store::Open(path, {.mode = mode}).status();
      EXPECT_NE(opened.message().find(what), absl::string_view::npos) << opened;
      EXPECT_NE(opened.message().find("restore a backup"), absl::string_view::npos) << opened;
    }
  }
}

// Comments in the migrations change between versions, and users may run ANALYZE.
TEST(SchemaTest, CommentsAndStatisticsAreNoForeignObjects) {
  const std::string path = NewPath();
  OpenStore(path).reset();
  ASSERT_OK(OpenRaw(path)->Script(
      "INSERT INTO sources (name, held_out) VALUES ('a', 0); ANALYZE; PRAGMA writable_schema = ON; "
      "UPDATE sqlite_schema SET sql = replace(sql, 'CREATE TABLE', 'create  /* a comment; */ table -- more' || "
      "char(10)) || "
      "' -- the end' WHERE name = 'runs'"));
  EXPECT_NE(OpenStore(path), nullptr);
  EXPECT_EQ(SchemaTokens("CREATE TABLE \"A\" (b TEXT DEFAULT 'X  y', -- c\n[d] /* e */)"),
            SchemaTokens("create table a(B text default 'X  y',D)"));
  EXPECT_NE(SchemaTokens("SELECT 'a'"), SchemaTokens("SELECT 'A'"));
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
