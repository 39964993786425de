#include "store/sqlite/database.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rewrought::store::sqlite {
namespace {

std::string NewFolder() {
  std::string folder = testing::TempDir() + "/sqlite_XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder;
}

absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path, OpenMode mode = OpenMode::kCreate) {
  return Database::Open(path, mode, absl::Milliseconds(50));
}

TEST(DatabaseTest, BytesComeBackAsTheyWere) {
  auto database = Open(NewFolder() + "/a.db");
  ASSERT_TRUE(database.ok()) << database.status();
  ASSERT_TRUE((*database)->Script("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB) STRICT").ok());
  const std::vector<std::string> texts = {
      "", "plain", "it's \"quoted\"; DROP TABLE t; --", std::string("a\0b\0", 4), "\xff\xfe\x80 not UTF-8", "%_*?1"};
  for (const std::string& text : texts) {
    ASSERT_TRUE((*database)->Run("INSERT INTO t (text, bytes) VALUES (?1, ?2)", {text, Blob{text}}).ok());
  }
  std::vector<std::string> found;
  ASSERT_TRUE((*database)
                  ->Query("SELECT text, bytes FROM t ORDER BY id", {},
                          [&](const Row& row) {
                            EXPECT_EQ(row.Text(0), row.Bytes(1));
                            found.push_back(row.String(0));
                            return absl::OkStatus();
                          })
                  .ok());
  EXPECT_EQ(found, texts);
  for (const std::string& text : texts) {
    EXPECT_EQ(*(*database)->QueryInt("SELECT count(*) FROM t WHERE text = ?1", {text}), 1);
  }
}

TEST(DatabaseTest, NumbersComeBackAsTheyWere) {
  auto database = Open(NewFolder() + "/a.db");
  ASSERT_TRUE(database.ok());
  const uint64_t all_ones = ~uint64_t{0};
  ASSERT_TRUE((*database)
                  ->Query("SELECT ?1, ?2, ?3, ?4", {all_ones, 0.1, nullptr, true},
                          [&](const Row& row) {
                            EXPECT_EQ(static_cast<uint64_t>(row.Int(0)), all_ones);
                            EXPECT_EQ(row.Real(1), 0.1);
                            EXPECT_TRUE(row.IsNull(2));
                            EXPECT_EQ(row.Int(3), 1);
                            EXPECT_EQ(row.Printed(0) + " " + row.Printed(1) + " " + row.Printed(2),
                                      "-1 0.10000000000000001 -");
                            return absl::OkStatus();
                          })
                  .ok());
}

TEST(DatabaseTest, EmptyIsNotNull) {
  auto database = Open(NewFolder() + "/a.db");
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(*(*database)->QueryInt("SELECT typeof(?1) = 'text' AND typeof(?2) = 'blob'",
                                   {absl::string_view(), Blob{absl::string_view()}}),
            1);
}

TEST(DatabaseTest, CallbackMayRunTheSameStatement) {
  auto database = Open(NewFolder() + "/a.db");
  ASSERT_TRUE(database.ok());
  const char* sql = "SELECT value FROM (SELECT 1 AS value UNION SELECT 2) WHERE value >= ?1";
  int rows = 0;
  ASSERT_TRUE((*database)
                  ->Query(sql, {1},
                          [&](const Row&) {
                            return (*database)->Query(sql, {1}, [&](const Row&) {
                              ++rows;
                              return absl::OkStatus();
                            });
                          })
                  .ok());
  EXPECT_EQ(rows, 4);
}

TEST(DatabaseTest, CallbackEndsTheQuery) {
  auto database = Open(NewFolder() + "/a.db");
  ASSERT_TRUE(database.ok());
  int rows = 0;
  const absl::Status status = (*database)->Query("SELECT 1 UNION SELECT 2", {}, [&](const Row&) {
    ++rows;
    return absl::CancelledError("enough");
  });
  EXPECT_EQ(status.message(), "enough");
  EXPECT_EQ(rows, 1);
}

TEST(DatabaseTest, WrongNumberOfParametersIsAnError) {
  auto database = Open(NewFolder() + "/a.db");
  ASSERT_TRUE(database.ok());
  EXPECT_TRUE(absl::IsInternal((*database)->Run("SELECT ?1, ?2", {1})));
  EXPECT_TRUE(absl::IsInternal((*database)->Run("SELECT ?1", {1, 2})));
}

TEST(DatabaseTest, ConstraintsAreEnforced) {
  auto database = Open(NewFolder() + "/a.db");
  ASSERT_TRUE(database.ok());
  ASSERT_TRUE((*database)
                  ->Script("CREATE TABLE p (id INTEGER PRIMARY KEY) STRICT;"
                           "CREATE TABLE c (p INTEGER NOT NULL REFERENCES p) STRICT;")
                  .ok());
  EXPECT_TRUE(absl::IsFailedPrecondition((*database)->Run("INSERT INTO c VALUES (?1)", {1})));
  EXPECT_TRUE(absl::IsFailedPrecondition((*database)->Run("INSERT INTO c VALUES (?1)", {"text"})));
}

TEST(DatabaseTest, OpeningSaysWhatIsWrong) {
  const std::string folder = NewFolder();
  const auto message = [](const auto& result) { return std::string(result.status().message()); };

  const auto missing = Open(folder + "/none.db", OpenMode::kReadOnly);
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_NE(message(missing).find("none.db: no such database"), std::string::npos) << message(missing);
  EXPECT_FALSE(std::filesystem::exists(folder + "/none.db"));

  const auto directory = Open(folder);
  EXPECT_NE(message(directory).find("a folder"), std::string::npos) << message(directory);

  std::ofstream(folder + "/text.db") << std::string(4096, 'x');
  const auto text = Open(folder + "/text.db");
  EXPECT_TRUE(absl::IsInvalidArgument(text.status())) << text.status();
  EXPECT_NE(message(text).find("text.db: not a database"), std::string::npos) << message(text);

  const auto below = Open(folder + "/text.db/a.db");
  EXPECT_TRUE(absl::IsNotFound(below.status())) << below.status();

  EXPECT_TRUE(absl::IsInvalidArgument(Open("").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Open(folder + std::string("/a\0b", 4)).status()));
}

TEST(DatabaseTest, MakesFolders) {
  const auto database = Open(NewFolder() + "/one/two/a.db");
  EXPECT_TRUE(database.ok()) << database.status();
}

TEST(DatabaseTest, DamageIsNamed) {
  const std::string path = NewFolder() + "/a.db";
  {
    auto database = Open(path);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE((*database)->Script("CREATE TABLE t (a TEXT) STRICT").ok());
    for (int i = 0; i < 200; ++i)
      ASSERT_TRUE((*database)->Run("INSERT INTO t VALUES (?1)", {std::string(500, 'a')}).ok());
  }
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(8192, '\x7f');
  }
  auto database = Open(path);
  ASSERT_TRUE(database.ok());
  const auto count = (*database)->QueryInt("SELECT count(a) FROM t");
  EXPECT_TRUE(absl::IsDataLoss(count.status())) << count.status();
}

TEST(DatabaseTest, LockOfAnotherConnectionIsNamed) {
  const std::string path = NewFolder() + "/a.db";
  auto one = Open(path);
  ASSERT_TRUE(one.ok());
  ASSERT_TRUE((*one)->Script("PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER) STRICT; BEGIN IMMEDIATE").ok());
  auto two = Open(path);
  ASSERT_TRUE(two.ok()) << two.status();
  const absl::Status status = (*two)->Run("INSERT INTO t VALUES (1)");
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_NE(status.message().find("another process is writing"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace rewrought::store::sqlite
