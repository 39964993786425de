#include "store/lock_holder.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace rewrought::store {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostCommandBytes = 300;

std::string ReadProc(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Parses a line of /proc/PID/fdinfo/N of the form "lock:\t1: OFDLCK ADVISORY WRITE -1 fe:00:123 FIRST LAST" where LAST
// is a number or EOF, and returns whether the lock overlaps `bytes`.
bool Overlaps(absl::string_view line, const LockedBytes& bytes) {
  if (!absl::ConsumePrefix(&line, "lock:")) return false;
  const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  int64_t first = 0, last = 0;
  if (words.size() != 8 || words[1] != "OFDLCK" || !absl::SimpleAtoi(words[6], &first)) return false;
  if (!absl::SimpleAtoi(words[7], &last)) last = INT64_MAX;
  return first <= bytes.last && last >= bytes.first;
}

bool Holds(const fs::path& process, const LockedBytes& bytes) {
  std::error_code error;
  for (fs::directory_iterator place(process / "fd", error), end; !error && place != end; place.increment(error)) {
    struct stat about = {};
    if (stat(place->path().c_str(), &about) != 0) continue;
    if (about.st_dev != bytes.device || about.st_ino != bytes.inode) continue;
    const std::string info = ReadProc(process / "fdinfo" / place->path().filename());
    const std::vector<absl::string_view> lines = absl::StrSplit(info, '\n');
    if (std::any_of(lines.begin(), lines.end(), [&](absl::string_view line) { return Overlaps(line, bytes); })) {
      return true;
    }
  }
  return false;
}

// Returns ", since DATE TIME" in this machine's time zone, or an empty string if the system does not report it.
std::string Since(const fs::path& process) {
  const std::string stat = ReadProc(process / "stat");
  const size_t name_end = stat.rfind(')');  // the second field may contain any characters
  if (name_end == std::string::npos) return "";
  const std::vector<absl::string_view> fields =
      absl::StrSplit(absl::string_view(stat).substr(name_end + 1), ' ', absl::SkipEmpty());
  constexpr size_t kStart = 19;  // field 22 of proc(5): start time in ticks since boot
  int64_t ticks = 0;
  timespec up = {};
  if (fields.size() <= kStart || !absl::SimpleAtoi(fields[kStart], &ticks) || clock_gettime(CLOCK_BOOTTIME, &up) != 0) {
    return "";
  }
  const absl::Duration age =
      absl::DurationFromTimespec(up) - absl::Seconds(1) * (static_cast<double>(ticks) / sysconf(_SC_CLK_TCK));
  return absl::StrCat(", since ", absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::Now() - age, absl::LocalTimeZone()));
}

std::string Describe(const fs::path& process, absl::string_view number) {
  std::string command = ReadProc(process / "cmdline");
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  if (command.size() > kMostCommandBytes) command = absl::StrCat(command.substr(0, kMostCommandBytes), "…");
  return absl::StrCat("process ", number,
                      command.empty() ? "" : absl::StrCat(" (", absl::Utf8SafeCHexEscape(command), ")"),
                      Since(process));
}

}  // namespace

std::string LockHolder(const LockedBytes& bytes) {
  std::error_code error;
  for (fs::directory_iterator place("/proc", error), end; !error && place != end; place.increment(error)) {
    const std::string number = place->path().filename().string();
    int64_t process = 0;
    if (absl::SimpleAtoi(number, &process) && Holds(place->path(), bytes)) return Describe(place->path(), number);
  }
  return "a process of another user or container";
}

}  // namespace rewrought::store
