// RunService: starts, lists, watches, cancels and resumes runs.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_RUN_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_RUN_SERVICE_H_

#include "absl/status/status.h"
#include "proto/rewrought/v1/services.grpc.pb.h"
#include "server/rpc/handlers/backend.h"
#include "server/rpc/jobs/run_queue.h"

namespace rewrought::rpc {

class RunServiceHandler final : public v1::RunService::Service {
 public:
  // `queue` is null where the database is served to read only.
  RunServiceHandler(const Backend& backend, RunQueue* queue) : backend_(backend), queue_(queue) {}

  grpc::Status StartRun(grpc::ServerContext* context, const v1::StartRunRequest* request,
                        v1::StartRunResponse* response) override;
  grpc::Status GetRun(grpc::ServerContext* context, const v1::GetRunRequest* request,
                      v1::GetRunResponse* response) override;
  grpc::Status ListRuns(grpc::ServerContext* context, const v1::ListRunsRequest* request,
                        v1::ListRunsResponse* response) override;
  grpc::Status WatchRun(grpc::ServerContext* context, const v1::WatchRunRequest* request,
                        grpc::ServerWriter<v1::WatchRunResponse>* writer) override;
  grpc::Status CancelRun(grpc::ServerContext* context, const v1::CancelRunRequest* request,
                         v1::CancelRunResponse* response) override;
  grpc::Status ResumeRun(grpc::ServerContext* context, const v1::ResumeRunRequest* request,
                         v1::ResumeRunResponse* response) override;

 private:
  absl::Status Start(const v1::StartRunRequest& request, v1::StartRunResponse* response);
  absl::Status Get(absl::string_view id, v1::Run* run);
  absl::Status List(const v1::ListRunsRequest& request, v1::ListRunsResponse* response);
  absl::Status Watch(const Call& call, const v1::WatchRunRequest& request,
                     grpc::ServerWriter<v1::WatchRunResponse>* writer);
  absl::Status Cancel(const v1::CancelRunRequest& request, v1::CancelRunResponse* response);
  absl::Status Resume(const v1::ResumeRunRequest& request, v1::ResumeRunResponse* response);

  const Backend backend_;
  RunQueue* const queue_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_RUN_SERVICE_H_
