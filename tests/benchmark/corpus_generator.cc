// Generates a random corpus that resembles a harvested one: a few fragments are frequent and most are rare. Such
// corpora make it possible to measure merges of more data than any available corpus contains. usage: corpus_generator
// make FILE NUMBER ROWS | count FILE
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "store/sites/site_sql.h"
#include "store/store.h"

namespace rewrought::store {
namespace {

// These numbers are from an earlier corpus of the demo.
constexpr int64_t kRowsPerShader = 1170;
constexpr double kFrequent = 1250;  // so that 400,000 rows have 106,000 distinct fragments
constexpr double kGrowth = 0.62;    // the number of distinct fragments grows with this power of the number of rows

// Returns a fragment's text that is as long as the average.
std::string TextOf(int64_t fragment) {
  return absl::StrCat("(fadd@32 (fmul@32{nsz} (ffma@32 a@32 b@32 0x", absl::Hex(fragment & 0xffffffff, absl::kZeroPad8),
                      "@32) (fmax@32 c@32 d@32)) (bcsel@32 (flt@1 a@32 d@32) (fsqrt@32 b@32) 0x", absl::Hex(fragment),
                      "@32))");
}

struct Drawn {
  int64_t fragment, shader;
  friend auto operator<=>(const Drawn&, const Drawn&) = default;
};

class Generator {
 public:
  Generator(sqlite::Database& writer, int64_t number, int64_t rows) : writer_(writer), number_(number), rows_(rows) {}

  // Fills the database with about `rows_` rows of sites. Databases with different values of `number_` have no shaders
  // in common. Returns the actual number of rows.
  absl::StatusOr<int64_t> Make() {
    absl::Status status = writer_.Run("INSERT INTO sources (name, held_out) VALUES ('generated', 0)");
    for (int i = 0; i < kFacts && status.ok(); ++i) {
      status =
          writer_.Run("INSERT INTO strings (id, text) VALUES (?1, ?2)", {i + 1, absl::StrCat("number finite max=", i)});
    }
    if (status.ok()) status = PutShaders();
    if (status.ok()) status = PutFragments();
    if (!status.ok()) return status;
    return written_;
  }

 private:
  static constexpr int kFacts = 10;

  absl::Status PutShaders() {
    for (int64_t key = 1; key <= shaders_; ++key) {
      const std::string name = absl::StrCat("shader ", number_, " ", key);
      const ir::Digest digest = ir::Digest::Of(name), extraction = ir::Digest::Of("extraction");
      absl::Status status = writer_.Run(
          "INSERT INTO shaders (id, digest, stage, alu_instructions, extraction, sites_key) VALUES (?1, ?2, "
          "'fragment', "
          "200, ?3, ?1)",
          {key, sqlite::Blob{digest.view()}, sqlite::Blob{extraction.view()}});
      if (status.ok()) {
        status = writer_.Run("INSERT INTO occurrences SELECT ?1, id, ?2 FROM sources", {key, digest.hex()});
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status PutFragments() {
    std::mt19937_64 random(static_cast<uint64_t>(number_));
    std::vector<Drawn> drawn;
    drawn.reserve(static_cast<size_t>(rows_));
    for (int64_t i = 0; i < rows_; ++i) {
      const double uniform = std::generate_canonical<double, 53>(random) + 1e-9;
      const double fragment = std::min(kFrequent * std::pow(uniform, -1 / kGrowth), 1e18);
      drawn.push_back({static_cast<int64_t>(fragment), i % shaders_ + 1});
    }
    std::sort(drawn.begin(), drawn.end());
    SiteAppender appender(writer_);
    int64_t id = 0;
    for (size_t i = 0, end = 0; i < drawn.size(); i = end) {
      const bool same = i > 0 && drawn[i - 1].fragment == drawn[i].fragment;
      if (!same) ++id;
      absl::Status status = same ? absl::OkStatus() : PutFragment(id, drawn[i].fragment);
      for (end = i + 1; end < drawn.size() && drawn[end] == drawn[i]; ++end) {
      }
      const auto line = static_cast<int32_t>(random() % 400);
      if (status.ok()) {
        status = appender.Add(id, {drawn[i].shader,
                                   0,
                                   random() % 4,
                                   1 + static_cast<int64_t>(random() % kFacts),
                                   static_cast<int64_t>(end - i),
                                   static_cast<int64_t>(end - i),
                                   {line}});
      }
      if (!status.ok()) return status;
      ++written_;
    }
    return appender.Flush();
  }

  absl::Status PutFragment(int64_t id, int64_t fragment) {
    const std::string text = TextOf(fragment);
    const ir::Digest digest = ir::Digest::Of(text);
    return writer_.Run(
        "INSERT INTO fragments (id, digest, text, nodes, variables, widths) VALUES (?1, ?2, ?3, 7, 4, '32')",
        {id, sqlite::Blob{digest.view()}, text});
  }

  sqlite::Database& writer_;
  const int64_t number_, rows_;
  const int64_t shaders_ = std::max<int64_t>(1, rows_ / kRowsPerShader);
  int64_t written_ = 0;
};

absl::Status MakeShard(const std::string& path, int64_t number, int64_t rows) {
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(path, {.durable = false});
  if (!store.ok()) return store.status();
  return (*store)->Write([&](sqlite::Database& writer) {
    absl::Status status = writer.Run("PRAGMA cache_size = -1048576");
    if (!status.ok()) return status;
    const absl::StatusOr<int64_t> written = Generator(writer, number, rows).Make();
    if (written.ok()) std::printf("%lld\n", static_cast<long long>(*written));
    return written.status();
  });
}

// Reads the whole database and prints "shaders rows fragments".
absl::Status Count(const std::string& path) {
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(path, {.mode = OpenMode::kReadOnly});
  if (!store.ok()) return store.status();
  return (*store)->Read([](sqlite::Database& reader) {
    int64_t rows = 0;
    const absl::Status status = ForEachSiteRow(reader, "SELECT fragment_id, first_key, rows FROM site_blocks", {},
                                               [&rows](const sqlite::Row&, const SiteRow&) {
                                                 ++rows;
                                                 return absl::OkStatus();
                                               });
    std::printf("%lld %lld %lld\n",
                static_cast<long long>(reader.QueryInt("SELECT count(*) FROM shaders").value_or(-1)),
                static_cast<long long>(rows),
                static_cast<long long>(reader.QueryInt("SELECT count(*) FROM fragments").value_or(-1)));
    return status;
  });
}

int Main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  absl::Status status = absl::InvalidArgumentError("usage: corpus_generator make FILE NUMBER ROWS | count FILE");
  if (what == "make" && argc == 5) status = MakeShard(argv[2], std::atoll(argv[3]), std::atoll(argv[4]));
  if (what == "count" && argc == 3) status = Count(argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace rewrought::store

int main(int argc, char** argv) { return rewrought::store::Main(argc, argv); }
