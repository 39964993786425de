// CorpusService: how much has been harvested, what it holds most, who uses a pattern, and uploads.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_CORPUS_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_CORPUS_SERVICE_H_

#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "proto/rewrought/v1/corpus.grpc.pb.h"
#include "server/rpc/handlers/backend.h"

namespace rewrought::rpc {

class CorpusServiceHandler final : public v1::CorpusService::Service {
 public:
  explicit CorpusServiceHandler(const Backend& backend) : backend_(backend) {}

  grpc::Status GetStatistics(grpc::ServerContext* context, const v1::GetStatisticsRequest* request,
                             v1::GetStatisticsResponse* response) override;
  grpc::Status ListFragments(grpc::ServerContext* context, const v1::ListFragmentsRequest* request,
                             v1::ListFragmentsResponse* response) override;
  grpc::Status ListUses(grpc::ServerContext* context, const v1::ListUsesRequest* request,
                        v1::ListUsesResponse* response) override;
  grpc::Status UploadShaders(grpc::ServerContext* context, const v1::UploadShadersRequest* request,
                             v1::UploadShadersResponse* response) override;

 private:
  // Admits the caller, takes a computing place and does `work` in it.
  grpc::Status Compute(grpc::ServerContext* context, Role role, absl::Duration limit,
                       absl::FunctionRef<absl::Status(const Call&)> work) const;
  // Answers from what was counted a few seconds ago under the same key, or counts: both lists read whole tables.
  absl::Status Remember(const std::string& key, google::protobuf::Message* response,
                        absl::FunctionRef<absl::Status()> count);
  absl::Status Statistics(v1::GetStatisticsResponse* response) const;
  absl::Status Fragments(const Call& call, const v1::ListFragmentsRequest& request,
                         v1::ListFragmentsResponse* response) const;
  absl::Status Uses(const Call& call, const v1::ListUsesRequest& request, v1::ListUsesResponse* response) const;
  absl::Status Upload(const Call& call, const v1::UploadShadersRequest& request, v1::UploadShadersResponse* response);

  const Backend backend_;
  struct Counted {
    absl::Time when;
    std::string answer;
  };
  std::mutex mutex_;
  std::map<std::string, Counted> counted_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_CORPUS_SERVICE_H_
