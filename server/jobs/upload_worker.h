// Reads uploaded shaders in a separate process. If a reader or a compiler crashes, loops, or runs out of memory on
// untrusted input, nothing is stored.
#ifndef REWROUGHT_SERVER_JOBS_UPLOAD_WORKER_H_
#define REWROUGHT_SERVER_JOBS_UPLOAD_WORKER_H_

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/corpus_service.pb.h"
#include "store/store.h"

namespace rewrought::rpc {

struct Upload {
  std::string program;  // path of `rewrought`, whose harvest command reads the files
  std::string source;
  std::vector<std::pair<std::string, std::string>> files;  // the checked name of each file, without a folder, and its
                                                           // bytes
  std::chrono::milliseconds limit{0};                      // limit on wall-clock time and on CPU time
  uint64_t memory_bytes = 0;
  std::stop_token stop;
};

// Harvests the files into a separate database and merges that database into `store`, entirely or not at all. Fails with
// Aborted if the process crashes or exceeds a limit, with Cancelled if `stop` is requested, with Unavailable if there
// is no temporary folder, and with the store's errors.
absl::StatusOr<v1::UploadShadersResponse> ReadUpload(store::Store* store, const Upload& upload);

// Removes the upload folders that killed servers left behind, but not those of running servers.
void RemoveUploadLeftovers();

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_UPLOAD_WORKER_H_
