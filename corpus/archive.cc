#include "corpus/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::corpus {
namespace {

bool IsCompressed(absl::string_view bytes) {
  return absl::StartsWith(bytes, absl::string_view("\xfd"
                                                   "7zXZ\0",
                                                   6)) ||
         absl::StartsWith(bytes, "\x1f\x8b") || absl::StartsWith(bytes, "BZh") ||
         absl::StartsWith(bytes, "\x28\xb5\x2f\xfd");
}

using Reader = std::unique_ptr<archive, int (*)(archive*)>;

// Reads the open member; false if it is larger than the limit or damaged, with the reason.
bool ReadMember(archive* reader, const ArchiveLimits& limits, std::string* bytes, std::string* reason) {
  char buffer[1 << 16];
  while (true) {
    const la_ssize_t count = archive_read_data(reader, buffer, sizeof(buffer));
    if (count == 0) return true;
    if (count < 0) {
      *reason = "damaged archive member";
      return false;
    }
    bytes->append(buffer, static_cast<size_t>(count));
    if (bytes->size() > limits.member_bytes) {
      *reason = "archive member too large";
      return false;
    }
  }
}

}  // namespace

bool LooksLikeArchive(absl::string_view bytes) {
  const bool tar = bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
  return tar || IsCompressed(bytes) || absl::StartsWith(bytes, "PK\x03\x04") ||
         absl::StartsWith(bytes, absl::string_view("7z\xbc\xaf\x27\x1c", 6));
}

absl::Status ForEachMember(absl::string_view bytes, const ArchiveLimits& limits,
                           const std::function<bool(const std::string&, std::string)>& visit,
                           const std::function<bool(const std::string&, const std::string&)>& skip) {
  const Reader reader(archive_read_new(), archive_read_free);
  if (reader == nullptr) return absl::InternalError("libarchive has no memory");
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_zip(reader.get());
  archive_read_support_format_7zip(reader.get());
  // One compressed file without a tar in it is a single member.
  if (IsCompressed(bytes)) archive_read_support_format_raw(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return absl::InvalidArgumentError("not an archive that can be read");
  }
  uint64_t total = 0;
  for (int members = 0; members < limits.members; ++members) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader.get(), &entry);
    if (code == ARCHIVE_EOF) return absl::OkStatus();
    if (code < ARCHIVE_WARN || entry == nullptr) return absl::InvalidArgumentError("damaged archive");
    const char* const path = archive_entry_pathname(entry);
    const std::string name = path != nullptr ? path : absl::StrCat("member ", members + 1);
    const bool typed = archive_entry_filetype(entry) != 0;
    if (typed && archive_entry_filetype(entry) != AE_IFREG) continue;
    std::string content, reason;
    const bool complete = ReadMember(reader.get(), limits, &content, &reason);
    total += content.size();
    if (total > limits.total_bytes) return absl::ResourceExhaustedError("archive unpacks to too much");
    const bool more = complete ? visit(name, std::move(content)) : skip(name, reason);
    if (!more) return absl::OkStatus();
  }
  return absl::ResourceExhaustedError("archive has too many members");
}

}  // namespace rewrought::corpus
