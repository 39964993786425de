// Admits calls from network clients. A call is admitted or refused before its message is read.
#ifndef REWROUGHT_SERVER_HTTP_ADMISSION_H_
#define REWROUGHT_SERVER_HTTP_ADMISSION_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/access/access.h"
#include "server/metrics.h"

namespace rewrought::rpc {

class Admission {
 public:
  using Method = google::protobuf::MethodDescriptor;

  // `services` lists the full names of the reachable services. `access` and `metrics` must outlive this object.
  Admission(Protocol protocol, std::vector<std::string> services, const Access* access, Metrics* metrics)
      : protocol_(protocol), services_(std::move(services)), access_(access), metrics_(metrics) {}

  // Returns the method for a path such as "/rewrought.v1.RuleService/GetRule", or null if there is none.
  const Method* Find(absl::string_view path) const;

  // Returns the caller, or fails with Access::Admit's errors if the caller may not call the method. Counts refused
  // calls.
  absl::StatusOr<Caller> Admit(const Method* method, const std::vector<std::string>& authorizations,
                               absl::string_view address) const;

  // Counts a call that ended with `status` before it reached its handler.
  void CountRefused(absl::string_view path, const absl::Status& status) const;

 private:
  const Protocol protocol_;
  const std::vector<std::string> services_;
  const Access* const access_;
  Metrics* const metrics_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_ADMISSION_H_
