#include "server/rpc/jobs/scratch_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace rewrought::rpc {

ScratchFolder::ScratchFolder(absl::string_view parent, absl::string_view prefix)
    : path_(absl::StrCat(parent, "/", prefix, "XXXXXX")) {
  made_ = mkdtemp(path_.data()) != nullptr;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (made_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace rewrought::rpc
