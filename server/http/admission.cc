#include "server/http/admission.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "proto/rewrought/v1/options.pb.h"

namespace rewrought::rpc {

const Admission::Method* Admission::Find(absl::string_view path) const {
  const size_t slash = path.rfind('/');
  if (!absl::ConsumePrefix(&path, "/") || slash == 0) return nullptr;
  const std::string service(path.substr(0, slash - 1));
  if (std::find(services_.begin(), services_.end(), service) == services_.end()) return nullptr;
  const auto* found = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(service);
  return found == nullptr ? nullptr : found->FindMethodByName(std::string(path.substr(slash)));
}

absl::StatusOr<Caller> Admission::Admit(const Method* method, const std::vector<std::string>& authorizations,
                                        absl::string_view address) const {
  const auto role = static_cast<Role>(method->options().GetExtension(v1::role));
  absl::StatusOr<Caller> caller = access_->Admit(protocol_, authorizations, address, role);
  if (!caller.ok()) {
    CountRefused(absl::StrCat("/", method->service()->full_name(), "/", method->name()), caller.status());
  }
  return caller;
}

void Admission::CountRefused(absl::string_view path, const absl::Status& status) const {
  metrics_->CallStarted();
  metrics_->CallEnded(path, status.raw_code(), absl::ZeroDuration());
}

}  // namespace rewrought::rpc
