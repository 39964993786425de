// PackService: packs in the server's folder, and their building from the stored rules.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_PACK_SERVICE_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_PACK_SERVICE_H_

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/packs.grpc.pb.h"
#include "server/rpc/handlers/backend.h"
#include "server/rpc/jobs/folder.h"

namespace rewrought::rpc {

class PackServiceHandler final : public v1::PackService::Service {
 public:
  explicit PackServiceHandler(const Backend& backend) : backend_(backend) {}
  ~PackServiceHandler() override;  // waits for what is being built

  grpc::Status ListPacks(grpc::ServerContext* context, const v1::ListPacksRequest* request,
                         v1::ListPacksResponse* response) override;
  grpc::Status GetPack(grpc::ServerContext* context, const v1::GetPackRequest* request,
                       v1::GetPackResponse* response) override;
  grpc::Status ListPackEntries(grpc::ServerContext* context, const v1::ListPackEntriesRequest* request,
                               v1::ListPackEntriesResponse* response) override;
  grpc::Status BuildPack(grpc::ServerContext* context, const v1::BuildPackRequest* request,
                         grpc::ServerWriter<v1::BuildPackResponse>* writer) override;
  grpc::Status VerifyPack(grpc::ServerContext* context, const v1::VerifyPackRequest* request,
                          v1::VerifyPackResponse* response) override;
  grpc::Status DiffPacks(grpc::ServerContext* context, const v1::DiffPacksRequest* request,
                         v1::DiffPacksResponse* response) override;
  grpc::Status DownloadPackFile(grpc::ServerContext* context, const v1::DownloadPackFileRequest* request,
                                grpc::ServerWriter<v1::DownloadPackFileResponse>* writer) override;

 private:
  absl::Status List(const v1::ListPacksRequest& request, v1::ListPacksResponse* response) const;
  absl::Status Get(const v1::GetPackRequest& request, v1::GetPackResponse* response) const;
  absl::Status Entries(const v1::ListPackEntriesRequest& request, v1::ListPackEntriesResponse* response) const;
  absl::Status Build(const Call& call, const v1::BuildPackRequest& request,
                     grpc::ServerWriter<v1::BuildPackResponse>* writer);
  absl::Status Diff(const v1::DiffPacksRequest& request, v1::DiffPacksResponse* response) const;
  absl::Status Download(const v1::DownloadPackFileRequest& request,
                        grpc::ServerWriter<v1::DownloadPackFileResponse>* writer) const;
  absl::StatusOr<std::vector<FolderEntry>> Packs() const;
  absl::StatusOr<FolderEntry> Find(const std::string& field, const std::string& name) const;

  const Backend backend_;
  std::mutex build_mutex_;  // of the two below
  bool building_ = false;
  std::thread builder_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_PACK_SERVICE_H_
