// CorpusService: how much has been harvested, and what it holds most.
#ifndef REWROUGHT_SERVER_RPC_CORPUS_SERVICE_H_
#define REWROUGHT_SERVER_RPC_CORPUS_SERVICE_H_

#include "absl/status/status.h"
#include "server/rpc/backend.h"
#include "server/rpc/catalogue.grpc.pb.h"

namespace rewrought::rpc {

class CorpusServiceHandler final : public v1::CorpusService::Service {
 public:
  explicit CorpusServiceHandler(const Backend& backend) : backend_(backend) {}

  grpc::Status GetStatistics(grpc::ServerContext* context, const v1::GetStatisticsRequest* request,
                             v1::GetStatisticsResponse* response) override;
  grpc::Status ListFragments(grpc::ServerContext* context, const v1::ListFragmentsRequest* request,
                             v1::ListFragmentsResponse* response) override;

 private:
  absl::Status Statistics(const Call& call, v1::GetStatisticsResponse* response);
  absl::Status Fragments(const Call& call, const v1::ListFragmentsRequest& request,
                         v1::ListFragmentsResponse* response);

  const Backend backend_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_CORPUS_SERVICE_H_
