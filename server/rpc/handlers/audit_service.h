// AuditService: audits of driver trees, from the folder of files that `rewrought audit --json` wrote.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_AUDIT_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_AUDIT_SERVICE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/audits.grpc.pb.h"
#include "server/rpc/handlers/audit_file.h"
#include "server/rpc/handlers/backend.h"
#include "server/rpc/jobs/folder.h"

namespace rewrought::rpc {

class AuditServiceHandler final : public v1::AuditService::Service {
 public:
  explicit AuditServiceHandler(const Backend& backend) : backend_(backend) {}

  grpc::Status ListAudits(grpc::ServerContext* context, const v1::ListAuditsRequest* request,
                          v1::ListAuditsResponse* response) override;
  grpc::Status ListAuditFindings(grpc::ServerContext* context, const v1::ListAuditFindingsRequest* request,
                                 v1::ListAuditFindingsResponse* response) override;
  grpc::Status GetAuditFinding(grpc::ServerContext* context, const v1::GetAuditFindingRequest* request,
                               v1::GetAuditFindingResponse* response) override;

 private:
  using Shared = std::shared_ptr<const AuditFile>;
  absl::Status List(grpc::ServerContext* context, const v1::ListAuditsRequest& request,
                    v1::ListAuditsResponse* response);
  absl::Status Findings(grpc::ServerContext* context, const v1::ListAuditFindingsRequest& request,
                        v1::ListAuditFindingsResponse* response);
  absl::Status Finding(grpc::ServerContext* context, const v1::GetAuditFindingRequest& request,
                       v1::GetAuditFindingResponse* response);
  // The audits' files, by name.
  absl::StatusOr<std::vector<FolderEntry>> Files() const;
  // As it is now; read again if it has changed. A file takes a computing place while it is read.
  absl::StatusOr<Shared> Load(grpc::ServerContext* context, const FolderEntry& file);
  // NotFound, naming the field `audit`'s choices.
  absl::StatusOr<Shared> LoadByName(grpc::ServerContext* context, const std::string& name);

  const Backend backend_;
  struct Loaded {
    absl::Time modified;
    uint64_t bytes = 0;
    Shared file;
  };
  std::mutex mutex_;
  std::map<std::string, Loaded> loaded_;  // by path
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_AUDIT_SERVICE_H_
