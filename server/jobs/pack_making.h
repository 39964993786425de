// Builds one pack into the folder of packs: built and checked under a name that nobody lists, then moved into place. By
// commands of the command line, in processes of their own: a build takes minutes, and is to stop when nobody waits.
#ifndef REWROUGHT_SERVER_JOBS_PACK_MAKING_H_
#define REWROUGHT_SERVER_JOBS_PACK_MAKING_H_

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::rpc {

struct MadePack {
  std::string name;                   // of its folder below the folder of packs: the machine and the pack's digest
  std::vector<std::string> findings;  // of `rewrought pack verify`
};

struct PackWish {
  std::string program;  // `rewrought`
  std::string db;
  std::string machine;               // a known id
  std::vector<std::string> formats;  // as `rewrought export` takes them; empty: its own choice
  std::string packs_folder;
  std::stop_token stop;
};

// `doing` is told of each step, in the calling thread, which must outlive the call's processes. What lies under the
// pack's name already is replaced. Cancelled: `stop`, within a tenth of a second, and nothing is left; Unavailable: the
// folder cannot be written; Aborted, with what the command said: it failed.
absl::StatusOr<MadePack> MakePack(const PackWish& wish, const std::function<void(const std::string&)>& doing);

// Removes from a folder of packs what builds left whose server was killed.
void RemovePackLeftovers(const std::string& packs_folder);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_PACK_MAKING_H_
