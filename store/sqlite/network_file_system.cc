#include "store/sqlite/network_file_system.h"

#include <sys/vfs.h>

#include <filesystem>

#include "absl/strings/str_cat.h"

namespace rewrought::store::sqlite {

// The numbers are from statfs(2), from Linux's include/uapi/linux/magic.h, and from the file systems' own sources. FUSE
// is omitted because it also serves local disks, and 9p because, in a virtual machine, it also serves folders of the
// host.
const char* NetworkFileSystem(uint64_t type) {
  switch (type & 0xffffffff) {
    case 0x6969:
      return "NFS";
    case 0x517b:
    case 0xff534d42:
    case 0xfe534d42:
      return "SMB";
    case 0x5346414f:
    case 0x6b414653:
      return "AFS";
    case 0x00c36400:
      return "Ceph";
    case 0x0bd00bd0:
      return "Lustre";
    case 0x47504653:
      return "GPFS";
    case 0x19830326:
      return "BeeGFS";
    case 0x7461636f:
      return "OCFS2";
    case 0x01161970:
      return "GFS2";
    case 0xaad7aaea:
      return "PanFS";
    case 0x73757245:
      return "Coda";
    case 0x564c:
      return "NCP";
  }
  return nullptr;
}

const char* NetworkFileSystemOf(const std::string& path) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(path, error);
  struct statfs about = {};
  while (statfs(place.c_str(), &about) != 0) {
    if (!place.has_relative_path()) return nullptr;
    place = place.parent_path();
  }
  return NetworkFileSystem(static_cast<uint64_t>(about.f_type));
}

absl::Status CheckLocalDisk(const std::string& path) {
  const char* const name = NetworkFileSystemOf(path);
  if (name == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": is on a network file system (", name,
                   "), where SQLite's locks and log are not safe; keep the database on a local disk, such as "
                   "below $TMPDIR, and copy it there with `rewrought db backup` and `rewrought db restore`"));
}

}  // namespace rewrought::store::sqlite
