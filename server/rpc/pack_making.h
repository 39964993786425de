// Builds one pack into the folder of packs: built and checked under a name that nobody lists, then moved into place.
#ifndef REWROUGHT_SERVER_RPC_PACK_MAKING_H_
#define REWROUGHT_SERVER_RPC_PACK_MAKING_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "server/store/store.h"

namespace rewrought::rpc {

struct MadePack {
  std::string name;                   // of its folder below the folder of packs: the machine and the pack's digest
  std::vector<std::string> findings;  // of emitter::VerifyPack
};

struct PackWish {
  std::vector<std::string> formats;          // as emitter::RenderPack takes them
  std::vector<std::string> solver_versions;  // for the manifest
};

// `doing` is told of each step, in the calling thread. What lies under the
// pack's name already is replaced. Errors of pipeline::ExportPack; Unavailable where the folder cannot be written.
absl::StatusOr<MadePack> MakePack(store::Store* store, const machine::Machine& machine,
                                  const PackWish& wish, const std::string& packs_folder,
                                  const std::function<void(const std::string&)>& doing);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_PACK_MAKING_H_
