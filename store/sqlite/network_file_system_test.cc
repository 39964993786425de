#include "store/sqlite/network_file_system.h"

#include <gtest/gtest.h>
#include <linux/magic.h>

namespace rewrought::store::sqlite {
namespace {

TEST(NetworkFileSystemTest, NamesThoseThatOtherMachinesChange) {
  EXPECT_STREQ(NetworkFileSystem(NFS_SUPER_MAGIC), "NFS");
  EXPECT_STREQ(NetworkFileSystem(SMB_SUPER_MAGIC), "SMB");
  EXPECT_STREQ(NetworkFileSystem(static_cast<uint64_t>(int64_t{int32_t(0xff534d42)})), "SMB");  // f_type is signed
  EXPECT_STREQ(NetworkFileSystem(AFS_SUPER_MAGIC), "AFS");
  EXPECT_STREQ(NetworkFileSystem(CODA_SUPER_MAGIC), "Coda");
}

TEST(NetworkFileSystemTest, LeavesDisksAlone) {
  for (const uint64_t type : {uint64_t{EXT4_SUPER_MAGIC}, uint64_t{BTRFS_SUPER_MAGIC}, uint64_t{XFS_SUPER_MAGIC},
                              uint64_t{TMPFS_MAGIC}, uint64_t{OVERLAYFS_SUPER_MAGIC}, uint64_t{0}}) {
    EXPECT_EQ(NetworkFileSystem(type), nullptr) << type;
  }
}

TEST(NetworkFileSystemTest, AsksForTheNearestFolderThatExists) {
  EXPECT_EQ(NetworkFileSystemOf(testing::TempDir() + "/not/yet/there.db"), nullptr);
  EXPECT_TRUE(CheckLocalDisk(testing::TempDir() + "/there.db").ok());
}

}  // namespace
}  // namespace rewrought::store::sqlite
