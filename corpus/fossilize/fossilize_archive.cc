#include "corpus/fossilize/fossilize_archive.h"

#include <zlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/parse_limits.h"

namespace rewrought::corpus {
namespace {

// The format is defined by Fossilize's fossilize_db.cpp (StreamArchive) and fossilize.cpp (shader modules). An archive
// starts with 16 magic bytes, the last of which is the version. Each entry has a name of 40 hexadecimal digits (8
// unused, 16 for the kind, 16 for the hash), four little-endian words (payload size, format, CRC-32 of the payload or
// 0, unpacked size), and the payload.
constexpr absl::string_view kMagic(
    "\x81"
    "FOSSILIZEDB\0\0\0",
    15);
constexpr uint8_t kOldest = 5, kNewest = 6;
constexpr size_t kNameBytes = 40, kHeaderBytes = 16, kTagAt = 8, kHashAt = 24;
constexpr uint64_t kShaderModule = 4;
enum Format : uint32_t { kStored = 1, kDeflate = 2 };

uint32_t WordAt(absl::string_view bytes, size_t at) {
  uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | static_cast<uint8_t>(bytes[at + static_cast<size_t>(i)]);
  return word;
}

struct Entry {
  std::string name;  // the hash of the entry
  uint64_t kind = 0;
  uint32_t format = 0, crc = 0, unpacked = 0;
  absl::string_view payload;
};

absl::StatusOr<std::string> Unpack(const Entry& entry) {
  if (entry.crc != 0) {
    const uLong crc = crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(entry.payload.data()),
                            static_cast<uInt>(entry.payload.size()));
    if (crc != entry.crc) return absl::InvalidArgumentError("damaged: the checksum does not match");
  }
  if (entry.format == kStored) {
    if (entry.payload.size() != entry.unpacked) return absl::InvalidArgumentError("damaged: the sizes differ");
    return std::string(entry.payload);
  }
  if (entry.format != kDeflate) return absl::InvalidArgumentError("unknown compression");
  std::string bytes(entry.unpacked, '\0');
  uLongf size = entry.unpacked;
  const int code = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                              reinterpret_cast<const Bytef*>(entry.payload.data()), entry.payload.size());
  if (code != Z_OK || size != entry.unpacked) return absl::InvalidArgumentError("damaged: the data does not unpack");
  return bytes;
}

// Decodes `bytes`, which must consist of exactly `words` encoded words. Each byte contains seven bits of a word, the
// lowest bits first.
absl::StatusOr<std::string> DecodeWords(absl::string_view bytes, uint64_t words) {
  std::string decoded;
  decoded.reserve(std::min<uint64_t>(words, bytes.size()) * 4);
  size_t at = 0;
  for (uint64_t i = 0; i < words; ++i) {
    uint64_t word = 0;
    for (int shift = 0;; shift += 7) {
      if (at == bytes.size() || shift > 28) return absl::InvalidArgumentError("damaged: the words are cut off");
      const uint8_t byte = static_cast<uint8_t>(bytes[at++]);
      word |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    if (word > UINT32_MAX) return absl::InvalidArgumentError("damaged: a word has more than 32 bits");
    for (int k = 0; k < 4; ++k) decoded.push_back(static_cast<char>(word >> (8 * k) & 0xff));
  }
  if (at != bytes.size()) return absl::InvalidArgumentError("damaged: more words than the size states");
  return decoded;
}

uint64_t Number(const nlohmann::json& module, const char* key) {
  const auto found = module.find(key);
  return found != module.end() && found->is_number_unsigned() ? found->get<uint64_t>() : UINT64_MAX;
}

// Returns the module in a payload, which consists of JSON, a NUL byte, and the encoded words. The JSON has the form
// {"version":6,"shaderModules":{"HASH":{"varintOffset":0,"varintSize":N,"codeSize":N}}}.
absl::StatusOr<std::string> ModuleOf(absl::string_view bytes, const FossilizeLimits& limits) {
  const size_t end = bytes.find('\0');
  const absl::string_view text = bytes.substr(0, end);
  if (text.size() > limits.header_bytes) return absl::InvalidArgumentError("damaged: the description is too long");
  if (!proto::CheckJson(text).ok()) return absl::InvalidArgumentError("damaged: the description is not JSON");
  const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  const auto modules = json.is_object() ? json.find("shaderModules") : json.end();
  if (!json.is_object() || modules == json.end() || !modules->is_object() || modules->size() != 1 ||
      !modules->begin()->is_object()) {
    return absl::InvalidArgumentError("damaged: the description has no module");
  }
  const nlohmann::json& module = *modules->begin();
  if (module.contains("code"))
    return absl::InvalidArgumentError("stored as text; create the archive again with a newer version of Fossilize");
  const absl::string_view words = end == absl::string_view::npos ? absl::string_view() : bytes.substr(end + 1);
  const uint64_t offset = Number(module, "varintOffset"), size = Number(module, "varintSize"),
                 code = Number(module, "codeSize");
  if (offset > words.size() || size > words.size() - offset || code % 4 != 0 || code > limits.module_bytes) {
    return absl::InvalidArgumentError("damaged: the description does not match the data");
  }
  return DecodeWords(words.substr(offset, size), code / 4);
}

// Walks through the entries and tracks the resources that they have used so far.
class Walk {
 public:
  Walk(absl::string_view bytes, const FossilizeLimits& limits) : bytes_(bytes), limits_(limits) {
    const uint64_t most = proto::kArchiveLimits.bytes;
    most_ = bytes.size() > (most - limits.slack) / limits.ratio ? most : bytes.size() * limits.ratio + limits.slack;
  }

  bool at_end() const { return at_ == bytes_.size(); }

  absl::StatusOr<Entry> Next() {
    if (!budget_.TakeItems()) return budget_.status();
    if (bytes_.size() - at_ < kNameBytes + kHeaderBytes) return CutOff();
    Entry entry;
    const absl::string_view name = bytes_.substr(at_, kNameBytes), header = bytes_.substr(at_ + kNameBytes);
    at_ += kNameBytes + kHeaderBytes;
    uint32_t low = 0, high = 0;
    const absl::string_view tag = name.substr(kTagAt, 16);
    const bool known = absl::SimpleHexAtoi(tag.substr(0, 8), &high) && absl::SimpleHexAtoi(tag.substr(8), &low);
    entry.kind = known ? uint64_t{high} << 32 | low : UINT64_MAX;
    entry.name = std::string(name.substr(kHashAt));
    if (entry.name.find_first_not_of("0123456789abcdef") != std::string::npos) entry.kind = UINT64_MAX;
    const uint32_t size = WordAt(header, 0);
    entry.format = WordAt(header, 4);
    entry.crc = WordAt(header, 8);
    entry.unpacked = WordAt(header, 12);
    if (size > bytes_.size() - at_) return CutOff();
    entry.payload = bytes_.substr(at_, size);
    at_ += size;
    return entry;
  }

  // Charges the resources that a module needs. Returns false if the module itself is too large.
  absl::StatusOr<bool> Take(const Entry& entry) {
    if (entry.unpacked > limits_.module_bytes) return false;
    unpacked_ += entry.unpacked;
    if (!budget_.TakeBytes(entry.unpacked)) return budget_.status();
    if (unpacked_ <= most_) return true;
    return absl::ResourceExhaustedError(absl::StrCat("archive exceeds a limit: more than ", most_, " bytes out of ",
                                                     bytes_.size(), ", or ", limits_.ratio, " times; ",
                                                     proto::kArchiveLimits.remedy));
  }

 private:
  absl::Status CutOff() const {
    return absl::InvalidArgumentError(absl::StrCat("cut off at byte ", at_, "; the modules before it were read"));
  }

  const absl::string_view bytes_;
  const FossilizeLimits& limits_;
  proto::ParseBudget budget_{proto::kArchiveLimits};
  size_t at_ = kMagic.size() + 1;
  uint64_t most_ = 0, unpacked_ = 0;
};

}  // namespace

bool LooksLikeFossilize(absl::string_view bytes) {
  return bytes.size() > kMagic.size() && absl::StartsWith(bytes, kMagic);
}

absl::Status ForEachFossilizeModule(absl::string_view archive, const FossilizeLimits& limits,
                                    const std::function<bool(const std::string&, std::string)>& visit,
                                    const std::function<bool(const std::string&, const std::string&)>& skip) {
  if (!LooksLikeFossilize(archive)) return absl::InvalidArgumentError("not a Fossilize archive");
  const uint8_t version = static_cast<uint8_t>(archive[kMagic.size()]);
  if (version < kOldest || version > kNewest) {
    return absl::InvalidArgumentError(absl::StrCat("a Fossilize archive of version ", version, ", but only ", kOldest,
                                                   " and ", kNewest,
                                                   " are supported; convert it with Fossilize's tools"));
  }
  Walk walk(archive, limits);
  bool any = false;
  while (!walk.at_end()) {
    const absl::StatusOr<Entry> entry = walk.Next();
    if (!entry.ok()) return entry.status();
    if (entry->kind != kShaderModule) continue;
    any = true;
    const std::string name = entry->name + ".spv";
    const absl::StatusOr<bool> fits = walk.Take(*entry);
    if (!fits.ok()) return fits.status();
    bool more = true;
    if (!*fits) {
      more = skip(name, absl::StrCat("shader module too large: more than ", limits.module_bytes, " bytes"));
    } else {
      absl::StatusOr<std::string> bytes = Unpack(*entry);
      if (bytes.ok()) bytes = ModuleOf(*bytes, limits);
      more = bytes.ok() ? visit(name, *std::move(bytes))
                        : skip(name, absl::StrCat("damaged shader module: ", bytes.status().message()));
    }
    if (!more) return absl::OkStatus();
  }
  if (any) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "no shader module (a driver's cache contains only compiled code): capture with Fossilize's layer, or with "
      "MESA_SHADER_CAPTURE_PATH");
}

}  // namespace rewrought::corpus
