// One server per database: two would each resume the other's runs.
#ifndef REWROUGHT_SERVER_RPC_ACCESS_INSTANCE_LOCK_H_
#define REWROUGHT_SERVER_RPC_ACCESS_INSTANCE_LOCK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace rewrought::rpc {

class InstanceLock {
 public:
  // Takes the lock of a database, a file beside it that the system frees when the process ends, however it ends.
  // FailedPrecondition: another process has it; PermissionDenied: the file cannot be made.
  static absl::StatusOr<std::unique_ptr<InstanceLock>> Take(const std::string& db);
  ~InstanceLock();
  InstanceLock(const InstanceLock&) = delete;
  InstanceLock& operator=(const InstanceLock&) = delete;

 private:
  explicit InstanceLock(int file) : file_(file) {}
  const int file_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_ACCESS_INSTANCE_LOCK_H_
