// Uses arbitrary bytes as the body of a call (in JSON and in binary; the first byte selects the method), a frame, a
// header, and error details. Nothing may crash, and each parsed message must survive a round trip.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "proto/rewrought/v1/audit_service.pb.h"
#include "proto/rewrought/v1/check_service.pb.h"
#include "proto/rewrought/v1/corpus_service.pb.h"
#include "proto/rewrought/v1/eval_service.pb.h"
#include "proto/rewrought/v1/improve_service.pb.h"
#include "proto/rewrought/v1/machine_service.pb.h"
#include "proto/rewrought/v1/pack_service.pb.h"
#include "proto/rewrought/v1/rule_service.pb.h"
#include "proto/rewrought/v1/run_service.pb.h"
#include "server/http/connect_text.h"

namespace {

namespace v1 = rewrought::v1;

std::vector<const google::protobuf::Descriptor*> Requests() {
  std::vector<const google::protobuf::Descriptor*> requests;
  for (const google::protobuf::Descriptor* message :
       {v1::ListAuditsRequest::descriptor(), v1::CheckRuleRequest::descriptor(), v1::GetStatisticsRequest::descriptor(),
        v1::EvaluateRequest::descriptor(), v1::ImproveRequest::descriptor(), v1::ListMachinesRequest::descriptor(),
        v1::ListPacksRequest::descriptor(), v1::GetRuleRequest::descriptor(), v1::StartRunRequest::descriptor()}) {
    const google::protobuf::FileDescriptor* const file = message->file();
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        requests.push_back(file->service(s)->method(m)->input_type());
      }
    }
  }
  return requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::rpc;
  static const auto& requests = *new std::vector(Requests());
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto* const type = requests[data[0] % requests.size()];
  auto* const factory = google::protobuf::MessageFactory::generated_factory();
  for (const Encoding encoding : {Encoding::kJson, Encoding::kProto}) {
    const std::unique_ptr<google::protobuf::Message> message(factory->GetPrototype(type)->New());
    if (!Decode(encoding, text, message.get()).ok()) continue;
    std::string written;
    if (Encode(encoding, *message, &written).ok() && !Decode(encoding, written, message.get()).ok()) std::abort();
  }
  (void)ReadFrame(text);
  (void)ReadTimeout(text);
  (void)ErrorJson(grpc::Status(static_cast<grpc::StatusCode>(data[0] % 20), text, text));
  return 0;
}
