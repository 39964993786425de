// Builds one pack in the folder of packs. The pack is built and checked under a hidden name, then moved into place.
// `rewrought` commands in separate processes do the work, because a build takes minutes and must stop when nobody is
// waiting for it.
#ifndef REWROUGHT_SERVER_JOBS_PACK_MAKING_H_
#define REWROUGHT_SERVER_JOBS_PACK_MAKING_H_

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::rpc {

struct BuiltPack {
  std::string name;                   // name of the pack's folder, which consists of the machine and the digest
  std::vector<std::string> findings;  // findings that `rewrought pack verify` reports
};

struct PackRequest {
  std::string program;  // path of `rewrought`
  std::string db;
  std::string machine;               // the id of a known machine
  std::vector<std::string> formats;  // formats in the syntax of `rewrought export`; empty: the default formats
  std::string packs_folder;
  std::stop_token stop;
};

// Builds a pack. Calls `doing` for each step on the calling thread, which must outlive the processes that it starts.
// Replaces an existing pack of the same name. Fails with Cancelled within 0.1 s if `stop` is requested, with
// Unavailable if the folder cannot be written, and with Aborted, including the command's output, if a command fails. A
// failed build leaves nothing behind.
absl::StatusOr<BuiltPack> MakePack(const PackRequest& wish, const std::function<void(const std::string&)>& doing);

// Removes the unfinished packs that killed servers left behind in a folder of packs.
void RemovePackLeftovers(const std::string& packs_folder);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_PACK_MAKING_H_
