#include "corpus/fossilize/fossilize_archive.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rewrought::corpus {
namespace {

std::string Word(uint32_t word) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(word >> (8 * i)));
  return bytes;
}

std::string Magic(int version = 6) {
  return absl::StrCat("\x81", "FOSSILIZEDB", std::string(3, '\0'), std::string(1, static_cast<char>(version)));
}

std::string Varints(const std::vector<uint32_t>& words) {
  std::string bytes;
  for (uint32_t word : words) {
    for (; word >= 0x80; word >>= 7) bytes.push_back(static_cast<char>((word & 0x7f) | 0x80));
    bytes.push_back(static_cast<char>(word));
  }
  return bytes;
}

std::string Module(const std::vector<uint32_t>& words) {
  const std::string varints = Varints(words);
  return absl::StrCat(
      absl::StrFormat("{\"version\":6,\"shaderModules\":{\"00000000000000ab\":{\"varintOffset\":0,\"varintSize\":%d,"
                      "\"codeSize\":%d,\"flags\":0}}}",
                      varints.size(), words.size() * 4),
      std::string(1, '\0'), varints);
}

struct Options {
  int kind = 4;
  bool deflate = false, checksum = true;
  int64_t unpacked = -1, payload = -1;  // wrong sizes to write into the header
  uint32_t format = 0;
};

std::string Entry(uint64_t hash, const std::string& content, const Options& options = {}) {
  std::string payload = content;
  if (options.deflate) {
    uLongf size = compressBound(content.size());
    payload.assign(size, '\0');
    EXPECT_EQ(compress(reinterpret_cast<Bytef*>(payload.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
                       content.size()),
              Z_OK);
    payload.resize(size);
  }
  const auto crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(payload.data()), static_cast<uInt>(payload.size())));
  return absl::StrCat(absl::StrFormat("%024x%016x", options.kind, hash),
                      Word(static_cast<uint32_t>(options.payload < 0 ? payload.size() : options.payload)),
                      Word(options.format != 0 ? options.format
                           : options.deflate   ? 2
                                               : 1),
                      Word(options.checksum ? crc : 0),
                      Word(static_cast<uint32_t>(options.unpacked < 0 ? content.size() : options.unpacked)), payload);
}

struct Seen {
  std::vector<std::pair<std::string, std::string>> modules, skipped;
  absl::Status status;
};

Seen Walk(const std::string& archive, const FossilizeLimits& limits = {}) {
  Seen seen;
  seen.status = ForEachFossilizeModule(
      archive, limits,
      [&](const std::string& name, std::string bytes) {
        seen.modules.emplace_back(name, std::move(bytes));
        return true;
      },
      [&](const std::string& name, const std::string& reason) {
        seen.skipped.emplace_back(name, reason);
        return true;
      });
  return seen;
}

const std::vector<uint32_t> kWords = {0x07230203, 0, 127, 128, 0xffffffff, 1u << 28};
const std::string kBytes = Word(0x07230203) + Word(0) + Word(127) + Word(128) + Word(0xffffffff) + Word(1u << 28);

TEST(FossilizeArchiveTest, GivesTheModulesInOrder) {
  const std::string archive =
      absl::StrCat(Magic(), Entry(0xab, Module(kWords)), Entry(1, "{\"pipeline\":1}", {.kind = 6}),
                   Entry(0xcd, Module({1}), {.deflate = true}), Entry(0xef, Module({2}), {.checksum = false}));
  EXPECT_TRUE(LooksLikeFossilize(archive));
  const Seen seen = Walk(archive);
  EXPECT_TRUE(seen.status.ok()) << seen.status;
  ASSERT_EQ(seen.modules.size(), 3u);
  EXPECT_EQ(seen.modules[0], std::make_pair(std::string("00000000000000ab.spv"), kBytes));
  EXPECT_EQ(seen.modules[1].second, Word(1));
  EXPECT_EQ(seen.modules[2].second, Word(2));
  EXPECT_TRUE(seen.skipped.empty());
}

TEST(FossilizeArchiveTest, ADamagedModuleIsPassedOver) {
  std::string flipped = Module(kWords);
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  std::string bad_crc = Entry(2, Module(kWords));
  bad_crc.back() = static_cast<char>(bad_crc.back() ^ 1);
  const auto with = [](const char* json) { return absl::StrCat(json, std::string(1, '\0'), Varints({1, 2})); };
  const struct {
    std::string entry;
    const char* reason;
  } cases[] = {
      {bad_crc, "checksum"},
      {Entry(2, Module(kWords), {.unpacked = 5}), "sizes differ"},
      {Entry(2, Module(kWords), {.deflate = true, .unpacked = 5}), "does not unpack"},
      {Entry(2, Module(kWords), {.deflate = true, .unpacked = 60 << 20}), "does not unpack"},
      {Entry(2, Module(kWords), {.format = 9}), "unknown compression"},
      {Entry(2, "{"), "no module"},
      {Entry(2, std::string(2'000'000, '[')), "too long"},
      {Entry(2, std::string(1000, '[')), "not JSON"},
      {Entry(2, "{\"shaderModules\":[]}"), "no module"},
      {Entry(2, "{\"shaderModules\":{\"a\":3}}"), "no module"},
      {Entry(2, "{\"shaderModules\":{\"a\":{\"code\":\"AAAA\"}}}"), "stored as text"},
      {Entry(2, with("{\"shaderModules\":{\"a\":{\"varintOffset\":0,\"varintSize\":3,\"codeSize\":8}}}")),
       "does not match the data"},
      {Entry(2, with("{\"shaderModules\":{\"a\":{\"varintOffset\":3,\"varintSize\":0,\"codeSize\":8}}}")),
       "does not match the data"},
      {Entry(2, with("{\"shaderModules\":{\"a\":{\"varintOffset\":1,\"varintSize\":18446744073709551615,"
                     "\"codeSize\":8}}}")),
       "does not match the data"},
      {Entry(2, with("{\"shaderModules\":{\"a\":{\"varintOffset\":0,\"varintSize\":2,\"codeSize\":7}}}")),
       "does not match the data"},
      {Entry(2, with("{\"shaderModules\":{\"a\":{\"varintOffset\":0,\"varintSize\":2,\"codeSize\":-8}}}")),
       "does not match the data"},
      {Entry(2, with("{\"shaderModules\":{\"a\":{\"varintOffset\":0,\"varintSize\":2,\"codeSize\":12}}}")), "cut off"},
      {Entry(2, with("{\"shaderModules\":{\"a\":{\"varintOffset\":0,\"varintSize\":2,\"codeSize\":4}}}")),
       "more words"},
      {Entry(2, absl::StrCat("{\"shaderModules\":{\"a\":{\"varintOffset\":0,\"varintSize\":5,\"codeSize\":4}}}",
                             std::string(1, '\0'), "\xff\xff\xff\xff\x7f")),
       "more than 32 bits"},
  };
  for (const auto& [entry, reason] : cases) {
    SCOPED_TRACE(reason);
    const Seen seen = Walk(absl::StrCat(Magic(), entry, Entry(3, Module({3}))));
    EXPECT_TRUE(seen.status.ok()) << seen.status;
    ASSERT_EQ(seen.skipped.size(), 1u);
    EXPECT_TRUE(absl::StrContains(seen.skipped[0].second, reason)) << seen.skipped[0].second;
    ASSERT_EQ(seen.modules.size(), 1u);  // the module after the damaged one
    EXPECT_EQ(seen.modules[0].second, Word(3));
  }
}

TEST(FossilizeArchiveTest, TruncatedArchivesGiveEarlierModules) {
  const std::string whole = absl::StrCat(Magic(), Entry(1, Module({1})), Entry(2, Module({2})));
  const size_t first = Magic().size() + Entry(1, Module({1})).size();
  for (size_t size = Magic().size(); size < whole.size(); ++size) {
    const Seen seen = Walk(whole.substr(0, size));
    EXPECT_EQ(seen.modules.size(), size >= first ? 1u : 0u) << size;
    EXPECT_EQ(seen.status.ok(), size == first) << size << " " << seen.status;
  }
  const Seen lying = Walk(Magic() + Entry(1, Module({1}), {.payload = 0xffffffff}));
  EXPECT_TRUE(absl::StrContains(lying.status.message(), "cut off at byte ")) << lying.status;
}

TEST(FossilizeArchiveTest, KeepsToItsLimits) {
  FossilizeLimits limits;
  limits.module_bytes = 1 << 20;
  const Seen large = Walk(Magic() + Entry(1, "x", {.deflate = true, .unpacked = 1 << 21}), limits);
  ASSERT_EQ(large.skipped.size(), 1u);
  EXPECT_TRUE(absl::StrContains(large.skipped[0].second, "too large")) << large.skipped[0].second;
  // Many entries claim large sizes. The sum of these sizes is limited relative to the archive's size.
  limits.slack = 3 << 20;
  std::string bomb = Magic();
  for (int i = 0; i < 100; ++i) bomb += Entry(1, std::string(1 << 20, ' '), {.deflate = true});
  limits.ratio = 2;
  EXPECT_TRUE(absl::IsResourceExhausted(Walk(bomb, limits).status));
  // Entries count toward the limit regardless of their content.
  std::string many = Magic();
  for (int i = 0; i < 1'000'001; ++i) many += Entry(1, "", {.kind = 6});
  EXPECT_TRUE(absl::IsResourceExhausted(Walk(many).status));
}

TEST(FossilizeArchiveTest, OtherFilesAreTold) {
  EXPECT_FALSE(LooksLikeFossilize("FOSSILIZEDB"));
  EXPECT_FALSE(Walk("").status.ok());
  for (const int version : {0, 4, 7, 255}) {
    const Seen seen = Walk(Magic(version) + Entry(1, Module({1})));
    EXPECT_TRUE(absl::StrContains(seen.status.message(), absl::StrCat("of version ", version, ", but only 5 and 6")))
        << seen.status;
    EXPECT_TRUE(seen.modules.empty());
  }
  EXPECT_EQ(Walk(Magic(5) + Entry(1, Module({1}))).modules.size(), 1u);
  // The names do not contain a kind, as in Mesa's shader cache.
  std::string cache = Entry(1, "compiled");
  cache.replace(0, 40, "0123456789abcdef0123456789abcdef01234567");
  EXPECT_TRUE(
      absl::StrContains(Walk(Magic() + cache).status.message(), "a driver's cache contains only compiled code"));
  EXPECT_FALSE(Walk(Magic()).status.ok());
}

}  // namespace
}  // namespace rewrought::corpus
