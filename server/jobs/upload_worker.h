// Reads uploaded shaders in a process of their own: readers and compilers of untrusted bytes may crash, spin or swell,
// and then nothing is stored.
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
  std::string program;  // `rewrought`, whose harvest command does the reading
  std::string source;
  std::vector<std::pair<std::string, std::string>> files;  // name, of one part and checked, and bytes
  std::chrono::milliseconds limit{0};                      // wall clock and CPU time
  uint64_t memory_bytes = 0;
  std::stop_token stop;
};

// Harvests the files into a database of their own and merges that into `store`, all or nothing. Aborted: the process
// crashed or ran past a limit; Cancelled: `stop`; Unavailable: no temporary folder; else the store's errors.
absl::StatusOr<v1::UploadShadersResponse> ReadUpload(store::Store* store, const Upload& upload);

// Removes what uploads left whose server was killed; those of servers that run stay.
void RemoveUploadLeftovers();

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_UPLOAD_WORKER_H_
