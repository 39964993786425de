#include "server/handlers/service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/rewrought/v1/options.pb.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

namespace pb = google::protobuf;

static_assert(static_cast<int>(Role::kRead) == v1::ROLE_READ);
static_assert(static_cast<int>(Role::kCheck) == v1::ROLE_CHECK);
static_assert(static_cast<int>(Role::kAdmin) == v1::ROLE_ADMIN);

absl::Status Problem(const pb::MethodDescriptor* method, absl::string_view what) {
  return absl::InternalError(absl::StrCat(method->full_name(), " ", what));
}

}  // namespace

Service::Service(const Backend& backend, const char* name)
    : backend_(backend), schema_(pb::DescriptorPool::generated_pool()->FindServiceByName(name)) {}

absl::Status Service::Check() const {
  if (!problem_.ok()) return problem_;
  for (int i = 0; i < schema_->method_count(); ++i) {
    if (!served_.contains(schema_->method(i))) return Problem(schema_->method(i), "has no handler");
  }
  return absl::OkStatus();
}

const Service::Served* Service::Find(const pb::Descriptor* request, const pb::Descriptor* response, bool streams) {
  for (int i = 0; i < schema_->method_count(); ++i) {
    const pb::MethodDescriptor* method = schema_->method(i);
    if (method->input_type() != request) continue;
    const v1::Role role = method->options().GetExtension(v1::role);
    if (role == v1::ROLE_UNSPECIFIED) {
      problem_.Update(Problem(method, "has no role; add `option (role)` to its schema"));
    } else if (method->output_type() != response || method->server_streaming() != streams) {
      problem_.Update(Problem(method, "has a handler that does not match its schema"));
    } else {
      const std::string path = absl::StrCat("/", name(), "/", method->name());
      return &served_.emplace(method, Served{path, static_cast<Role>(role)}).first->second;
    }
    return nullptr;
  }
  problem_.Update(absl::InternalError(absl::StrCat(name(), " has no method with request ", request->full_name())));
  return nullptr;
}

void Service::Register(const Served& served, RpcMethod::RpcType type, grpc::internal::MethodHandler* handler) {
  AddMethod(new grpc::internal::RpcServiceMethod(served.path.c_str(), type, nullptr));
  MarkMethodCallback(registered_++, handler);
}

}  // namespace rewrought::rpc
