#include "corpus/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/fossilize/fossilize_archive.h"
#include "proto/parse_limits.h"

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

double ThreadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Walks through an archive and tracks the resources that it has used so far.
class Walk {
 public:
  Walk(absl::string_view bytes, const ArchiveLimits& limits) : bytes_(bytes), limits_(limits) {
    const uint64_t packed = std::max<uint64_t>(bytes.size(), 1);
    most_ = packed > (proto::kArchiveLimits.bytes - limits.slack) / limits.ratio ? proto::kArchiveLimits.bytes
                                                                                 : packed * limits.ratio + limits.slack;
  }

  absl::Status Open();
  // Returns the next member, or null at the end of the archive.
  absl::StatusOr<archive_entry*> Next();
  // Reads the current member completely. Bytes beyond the limit for a member are counted, but not stored. Returns false
  // and sets `reason` if the member must be skipped.
  absl::StatusOr<bool> ReadMember(std::string* bytes, std::string* reason);

 private:
  absl::Status TooMuch(absl::string_view what) const {
    return absl::ResourceExhaustedError(
        absl::StrCat("archive exceeds a limit: ", what, "; ", proto::kArchiveLimits.remedy));
  }

  const absl::string_view bytes_;
  const ArchiveLimits& limits_;
  const Reader reader_{archive_read_new(), archive_read_free};
  proto::ParseBudget budget_{proto::kArchiveLimits};
  uint64_t most_ = 0, unpacked_ = 0;
  double seconds_ = 0;
};

absl::Status Walk::Open() {
  if (reader_ == nullptr) return absl::InternalError("libarchive is out of memory");
  archive_read_support_filter_all(reader_.get());
  archive_read_support_format_tar(reader_.get());
  archive_read_support_format_zip(reader_.get());
  archive_read_support_format_7zip(reader_.get());
  // A compressed file that does not contain a tar archive is a single member.
  if (IsCompressed(bytes_)) archive_read_support_format_raw(reader_.get());
  if (archive_read_open_memory(reader_.get(), bytes_.data(), bytes_.size()) != ARCHIVE_OK) {
    return absl::InvalidArgumentError("not a readable archive");
  }
  // The last filter only reads from memory. Each further filter multiplies the ratio between unpacked and packed bytes,
  // so at most one is allowed.
  if (archive_filter_count(reader_.get()) > 2) {
    return absl::ResourceExhaustedError("compressed more than once; unpack it and harvest the folder");
  }
  return absl::OkStatus();
}

absl::StatusOr<archive_entry*> Walk::Next() {
  archive_entry* entry = nullptr;
  const double start = ThreadSeconds();
  const int code = archive_read_next_header(reader_.get(), &entry);
  seconds_ += ThreadSeconds() - start;
  if (code == ARCHIVE_EOF) return nullptr;
  if (code < ARCHIVE_WARN || entry == nullptr) return absl::InvalidArgumentError("damaged archive");
  if (!budget_.TakeItems()) return budget_.status();
  return entry;
}

absl::StatusOr<bool> Walk::ReadMember(std::string* bytes, std::string* reason) {
  char buffer[1 << 16];
  while (true) {
    const double start = ThreadSeconds();
    const la_ssize_t count = archive_read_data(reader_.get(), buffer, sizeof(buffer));
    seconds_ += ThreadSeconds() - start;
    if (seconds_ > limits_.seconds) return TooMuch(absl::StrCat("more than ", limits_.seconds, " s of unpacking"));
    if (count == 0) return reason->empty();
    if (count < 0) {
      *reason = "damaged archive member";
      return false;
    }
    unpacked_ += static_cast<uint64_t>(count);
    if (!budget_.TakeBytes(static_cast<uint64_t>(count))) return budget_.status();
    if (unpacked_ > most_) {
      return TooMuch(
          absl::StrCat("more than ", most_, " bytes out of ", bytes_.size(), ", or ", limits_.ratio, " times"));
    }
    if (bytes->size() + static_cast<uint64_t>(count) > limits_.member_bytes) {
      *reason = absl::StrCat("archive member too large: more than ", limits_.member_bytes, " bytes");
      std::string().swap(*bytes);
    }
    if (reason->empty()) bytes->append(buffer, static_cast<size_t>(count));
  }
}

}  // namespace

bool LooksLikeArchive(absl::string_view bytes) {
  if (LooksLikeFossilize(bytes)) return true;
  const bool tar = bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
  return tar || IsCompressed(bytes) || absl::StartsWith(bytes, "PK\x03\x04") ||
         absl::StartsWith(bytes, absl::string_view("7z\xbc\xaf\x27\x1c", 6));
}

absl::Status ForEachMember(absl::string_view bytes, const ArchiveLimits& limits,
                           const std::function<bool(const std::string&, std::string)>& visit,
                           const std::function<bool(const std::string&, const std::string&)>& skip) {
  if (LooksLikeFossilize(bytes)) {
    FossilizeLimits fossilize;
    fossilize.module_bytes = limits.member_bytes;
    fossilize.ratio = limits.ratio;
    fossilize.slack = limits.slack;
    return ForEachFossilizeModule(bytes, fossilize, visit, skip);
  }
  Walk walk(bytes, limits);
  if (absl::Status opened = walk.Open(); !opened.ok()) return opened;
  for (int members = 1;; ++members) {
    const absl::StatusOr<archive_entry*> entry = walk.Next();
    if (!entry.ok()) return entry.status();
    if (*entry == nullptr) return absl::OkStatus();
    const char* const path = archive_entry_pathname(*entry);
    const std::string name = path != nullptr ? path : absl::StrCat("member ", members);
    const auto type = archive_entry_filetype(*entry);
    std::string content, reason;
    // Also read the data of entries that are not regular files. If the data were skipped, libarchive would unpack it
    // anyway, but its bytes would not be counted.
    const absl::StatusOr<bool> complete = walk.ReadMember(&content, &reason);
    if (!complete.ok()) return complete.status();
    if (type != 0 && type != AE_IFREG) continue;
    const bool more = *complete ? visit(name, std::move(content)) : skip(name, reason);
    if (!more) return absl::OkStatus();
  }
}

}  // namespace rewrought::corpus
