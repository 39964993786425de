#include "server/rpc/handlers/run_service.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "server/rpc/messages/paging.h"
#include "server/rpc/messages/run_config.h"
#include "server/rpc/messages/run_proto.h"
#include "server/rpc/messages/status.h"
#include "server/store/run_store.h"

namespace rewrought::rpc {
namespace {

constexpr char kListRuns[] = "ListRuns";
// How soon a watcher sees what another process stored.
constexpr absl::Duration kLookAgain = absl::Milliseconds(500);

absl::Status ReadOnlyError() {
  return absl::FailedPreconditionError("the database is served read-only; ask a server that may write it");
}

// "1700000000000000+serve-12ab": start in microseconds, id.
std::string PlaceText(const store::RunRecord& run) {
  return absl::StrCat(absl::ToUnixMicros(run.started), "+", run.id);
}

absl::StatusOr<std::optional<store::RunStore::Place>> ReadPlace(absl::string_view token) {
  const absl::StatusOr<std::string> text = ReadPageToken(kListRuns, token);
  if (!text.ok()) return text.status();
  if (text->empty()) return std::optional<store::RunStore::Place>();
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(*text, absl::MaxSplits('+', 1));
  int64_t micros = 0;
  if (!absl::SimpleAtoi(parts.first, &micros)) return FieldError("page_token", "is malformed; start without one");
  return std::optional<store::RunStore::Place>({absl::FromUnixMicros(micros), std::string(parts.second)});
}

}  // namespace

grpc::Status RunServiceHandler::StartRun(grpc::ServerContext* context, const v1::StartRunRequest* request,
                                         v1::StartRunResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kAdmin); !status.ok()) return ToGrpc(status);
  return ToGrpc(Start(*request, response));
}

grpc::Status RunServiceHandler::GetRun(grpc::ServerContext* context, const v1::GetRunRequest* request,
                                       v1::GetRunResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(Get(request->id(), response->mutable_run()));
}

grpc::Status RunServiceHandler::ListRuns(grpc::ServerContext* context, const v1::ListRunsRequest* request,
                                         v1::ListRunsResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(List(*request, response));
}

grpc::Status RunServiceHandler::WatchRun(grpc::ServerContext* context, const v1::WatchRunRequest* request,
                                         grpc::ServerWriter<v1::WatchRunResponse>* writer) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  const Call call(backend_.calls, context, absl::InfiniteDuration());
  return ToGrpc(Watch(call, *request, writer));
}

grpc::Status RunServiceHandler::CancelRun(grpc::ServerContext* context, const v1::CancelRunRequest* request,
                                          v1::CancelRunResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kAdmin); !status.ok()) return ToGrpc(status);
  return ToGrpc(Cancel(*request, response));
}

grpc::Status RunServiceHandler::ResumeRun(grpc::ServerContext* context, const v1::ResumeRunRequest* request,
                                          v1::ResumeRunResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kAdmin); !status.ok()) return ToGrpc(status);
  return ToGrpc(Resume(*request, response));
}

absl::Status RunServiceHandler::Start(const v1::StartRunRequest& request, v1::StartRunResponse* response) {
  if (queue_ == nullptr) return ReadOnlyError();
  if (request.request_id().size() > 256) return FieldError("request_id", "is longer than 256 bytes");
  if (absl::Status status = CheckRunConfig(request.config()); !status.ok()) return status;
  const absl::StatusOr<store::RunRecord> record = queue_->Start(request.config(), request.request_id());
  if (!record.ok()) return record.status();
  absl::StatusOr<v1::Run> run = ToProto(backend_.store, *record);
  if (!run.ok()) return run.status();
  *response->mutable_run() = *std::move(run);
  return absl::OkStatus();
}

absl::Status RunServiceHandler::Get(absl::string_view id, v1::Run* run) {
  const absl::StatusOr<store::RunRecord> record = store::RunStore(backend_.store).GetRun(id);
  if (!record.ok()) return record.status();
  absl::StatusOr<v1::Run> proto = ToProto(backend_.store, *record);
  if (!proto.ok()) return proto.status();
  *run = *std::move(proto);
  return absl::OkStatus();
}

absl::Status RunServiceHandler::List(const v1::ListRunsRequest& request, v1::ListRunsResponse* response) {
  const absl::StatusOr<std::optional<store::RunStore::Place>> place = ReadPlace(request.page_token());
  if (!place.ok()) return place.status();
  const int64_t page_size = PageSize(request.page_size());
  const auto records = store::RunStore(backend_.store).ListRuns(*place, page_size + 1);
  if (!records.ok()) return records.status();
  for (const store::RunRecord& record : *records) {
    if (response->runs_size() == page_size) {  // the row beyond only says that there is more
      response->set_next_page_token(MakePageToken(kListRuns, PlaceText((*records)[page_size - 1])));
      break;
    }
    absl::StatusOr<v1::Run> run = ToProto(backend_.store, record);
    if (!run.ok()) return run.status();
    *response->add_runs() = *std::move(run);
  }
  return absl::OkStatus();
}

absl::Status RunServiceHandler::Watch(const Call& call, const v1::WatchRunRequest& request,
                                      grpc::ServerWriter<v1::WatchRunResponse>* writer) {
  std::string last;
  while (!call.stop().stop_requested()) {
    const uint64_t seen = queue_ != nullptr ? queue_->changes() : 0;
    v1::WatchRunResponse response;
    if (absl::Status status = Get(request.id(), response.mutable_run()); !status.ok()) return status;
    std::string text = response.run().SerializeAsString();
    if (text != last && !writer->Write(response)) break;
    last = std::move(text);
    if (HasEnded(static_cast<store::RunState>(response.run().state()))) return absl::OkStatus();
    if (queue_ != nullptr) {
      queue_->WaitForChange(seen, call.stop(), kLookAgain);
    } else {
      absl::SleepFor(kLookAgain);
    }
  }
  const absl::Status ended = call.ended();
  return ended.ok() ? absl::CancelledError("the client no longer listens") : ended;
}

absl::Status RunServiceHandler::Cancel(const v1::CancelRunRequest& request, v1::CancelRunResponse* response) {
  if (queue_ == nullptr) return ReadOnlyError();
  const absl::StatusOr<store::RunRecord> record = queue_->Cancel(request.id());
  if (!record.ok()) return record.status();
  absl::StatusOr<v1::Run> run = ToProto(backend_.store, *record);
  if (!run.ok()) return run.status();
  *response->mutable_run() = *std::move(run);
  return absl::OkStatus();
}

absl::Status RunServiceHandler::Resume(const v1::ResumeRunRequest& request, v1::ResumeRunResponse* response) {
  if (queue_ == nullptr) return ReadOnlyError();
  const absl::StatusOr<store::RunRecord> record = queue_->ResumeRun(request.id());
  if (!record.ok()) return record.status();
  absl::StatusOr<v1::Run> run = ToProto(backend_.store, *record);
  if (!run.ok()) return run.status();
  *response->mutable_run() = *std::move(run);
  return absl::OkStatus();
}

}  // namespace rewrought::rpc
