// RunService: starts, lists, watches, cancels, and resumes runs.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "machine/machine.h"
#include "pipeline/report/savings_over_time.h"
#include "proto/rewrought/v1/run_service.pb.h"
#include "server/handlers/run_watch.h"
#include "server/handlers/services.h"
#include "server/jobs/run_queue.h"
#include "server/messages/paging.h"
#include "server/messages/run_config.h"
#include "server/messages/run_proto.h"
#include "server/messages/status.h"
#include "store/run_store.h"

namespace rewrought::rpc {
namespace {

absl::Status ReadOnlyError() {
  return absl::FailedPreconditionError("the database is served read-only; use a server that can write it");
}

class RunHandler final : public Service {
 public:
  explicit RunHandler(const Backend& backend) : Service(backend, "rewrought.v1.RunService") {
    Serve(&RunHandler::StartRun, &RunHandler::GetRun, &RunHandler::ListRuns, &RunHandler::WatchRun,
          &RunHandler::CancelRun, &RunHandler::ResumeRun, &RunHandler::GetSavings);
  }

  absl::Status StartRun(Call& call, const v1::StartRunRequest& request, v1::StartRunResponse* response);
  absl::Status GetRun(Call& call, const v1::GetRunRequest& request, v1::GetRunResponse* response);
  absl::Status ListRuns(Call& call, const v1::ListRunsRequest& request, v1::ListRunsResponse* response);
  absl::Status WatchRun(Call& call, const v1::WatchRunRequest& request, Stream<v1::WatchRunResponse>* stream);
  absl::Status CancelRun(Call& call, const v1::CancelRunRequest& request, v1::CancelRunResponse* response);
  absl::Status ResumeRun(Call& call, const v1::ResumeRunRequest& request, v1::ResumeRunResponse* response);
  absl::Status GetSavings(Call& call, const v1::GetSavingsRequest& request, v1::GetSavingsResponse* response);

 private:
  absl::Status Tell(const absl::StatusOr<store::RunRecord>& record, v1::Run* run) const;

  RunWatch watch_{backend_.runs, [this](const std::string& id) -> absl::StatusOr<v1::Run> {
                    v1::Run run;
                    absl::Status status = Tell(store::RunStore(backend_.store).GetRun(id), &run);
                    if (!status.ok()) return status;
                    return run;
                  }};
};

absl::Status RunHandler::StartRun(Call&, const v1::StartRunRequest& request, v1::StartRunResponse* response) {
  if (backend_.runs == nullptr) return ReadOnlyError();
  if (request.request_id().size() > 256) return FieldError("request_id", "is longer than 256 bytes");
  if (absl::Status status = CheckRunConfig(request.config()); !status.ok()) return status;
  return Tell(backend_.runs->Start(request.config(), request.request_id()), response->mutable_run());
}

absl::Status RunHandler::GetRun(Call&, const v1::GetRunRequest& request, v1::GetRunResponse* response) {
  return Tell(store::RunStore(backend_.store).GetRun(request.id()), response->mutable_run());
}

absl::Status RunHandler::ListRuns(Call&, const v1::ListRunsRequest& request, v1::ListRunsResponse* response) {
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  std::optional<store::RunStore::Place> place;  // the last run of the previous page: its start time in microseconds,
                                                // and its id
  if (!page->place().empty()) place = {absl::FromUnixMicros(static_cast<int64_t>(page->number())), page->text()};
  const size_t size = page->size();
  const auto records = store::RunStore(backend_.store).ListRuns(place, static_cast<int64_t>(size) + 1);
  if (!records.ok()) return records.status();
  for (size_t i = 0; i < std::min(size, records->size()); ++i) {
    if (absl::Status status = Tell((*records)[i], response->add_runs()); !status.ok()) return status;
  }
  if (records->size() > size) {  // the last row only shows that there are more rows
    const store::RunRecord& last = (*records)[size - 1];
    response->set_next_page_token(page->TokenOf(absl::StrCat(absl::ToUnixMicros(last.started), "+", last.id)));
  }
  return absl::OkStatus();
}

absl::Status RunHandler::WatchRun(Call&, const v1::WatchRunRequest& request, Stream<v1::WatchRunResponse>* stream) {
  const auto watcher = std::make_shared<RunWatch::Watcher>(&watch_, request.id(), stream->Waker());
  stream->Follow([watcher, ended = false](v1::WatchRunResponse* response) mutable -> absl::StatusOr<Next> {
    if (ended) return Next::kEnd;
    const absl::StatusOr<bool> changed = watcher->Changed(response->mutable_run());
    if (!changed.ok()) return changed.status();
    ended = *changed && HasEnded(response->run().state());
    return *changed ? Next::kMessage : Next::kWait;
  });
  return absl::OkStatus();
}

absl::Status RunHandler::CancelRun(Call&, const v1::CancelRunRequest& request, v1::CancelRunResponse* response) {
  if (backend_.runs == nullptr) return ReadOnlyError();
  return Tell(backend_.runs->Cancel(request.id()), response->mutable_run());
}

absl::Status RunHandler::ResumeRun(Call&, const v1::ResumeRunRequest& request, v1::ResumeRunResponse* response) {
  if (backend_.runs == nullptr) return ReadOnlyError();
  return Tell(backend_.runs->ResumeRun(request.id()), response->mutable_run());
}

absl::Status RunHandler::GetSavings(Call&, const v1::GetSavingsRequest& request, v1::GetSavingsResponse* response) {
  constexpr size_t kMostSteps = 500;
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(request.machine());
  if (!machine.ok()) return machine.status();
  const auto steps = pipeline::SavingsOfMachine(backend_.store, (*machine)->id());
  if (!steps.ok()) return steps.status();
  for (const pipeline::SavingsAt& at : pipeline::ThinnedSteps(*steps, kMostSteps)) {
    v1::SavingsStep* step = response->add_steps();
    step->set_seconds(at.seconds);
    step->set_rules(at.rules);
    step->set_discovery_cycles(at.discovery);
    step->set_held_out_cycles(at.held_out);
  }
  return absl::OkStatus();
}

absl::Status RunHandler::Tell(const absl::StatusOr<store::RunRecord>& record, v1::Run* run) const {
  if (!record.ok()) return record.status();
  absl::StatusOr<v1::Run> proto = ToProto(backend_.store, *record);
  if (!proto.ok()) return proto.status();
  *run = *std::move(proto);
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Service> MakeRunService(const Backend& backend) { return std::make_unique<RunHandler>(backend); }

}  // namespace rewrought::rpc
