#include "server/rpc/corpus_service.h"

#include <algorithm>
#include <utility>

#include "server/rpc/page.h"
#include "server/rpc/status.h"
#include "server/rpc/utf8.h"
#include "server/store/corpus_store.h"

namespace rewrought::rpc {

grpc::Status CorpusServiceHandler::GetStatistics(grpc::ServerContext* context, const v1::GetStatisticsRequest*,
                                                 v1::GetStatisticsResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(Statistics(Call(backend_.calls, context, backend_.limits.max_call), response));
}

grpc::Status CorpusServiceHandler::ListFragments(grpc::ServerContext* context, const v1::ListFragmentsRequest* request,
                                                 v1::ListFragmentsResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(Fragments(Call(backend_.calls, context, backend_.limits.max_call), *request, response));
}

// Both read whole tables, so they take a computing place.
absl::Status CorpusServiceHandler::Statistics(const Call& call, v1::GetStatisticsResponse* response) {
  const absl::StatusOr<Gate::Pass> pass = backend_.gate->Enter(call.stop());
  if (!pass.ok()) return pass.status();
  const absl::StatusOr<store::CorpusStore::Counts> counts = store::CorpusStore(backend_.store).Count();
  if (!counts.ok()) return counts.status();
  response->set_sources(static_cast<uint64_t>(counts->sources));
  response->set_shaders(static_cast<uint64_t>(counts->shaders));
  response->set_fragments(static_cast<uint64_t>(counts->fragments));
  response->set_sites(static_cast<uint64_t>(counts->sites));
  return absl::OkStatus();
}

absl::Status CorpusServiceHandler::Fragments(const Call& call, const v1::ListFragmentsRequest& request,
                                             v1::ListFragmentsResponse* response) {
  const absl::StatusOr<Gate::Pass> pass = backend_.gate->Enter(call.stop());
  if (!pass.ok()) return pass.status();
  store::CorpusStore::FragmentQuery query;
  query.split = request.held_out() ? store::Split::kHeldOut : store::Split::kDiscovery;
  query.min_shaders = std::max<int64_t>(1, request.min_shaders());
  query.limit = PageSize(request.limit());
  return store::CorpusStore(backend_.store).ForEachFragment(query, [&](const store::FragmentSummary& summary) {
    if (call.stop().stop_requested()) {
      const absl::Status ended = call.ended();
      return ended.ok() ? absl::DeadlineExceededError("the service's time limit passed; ask for fewer") : ended;
    }
    v1::ListFragmentsResponse::Fragment* fragment = response->add_fragments();
    fragment->set_digest(summary.digest.hex());
    fragment->set_text(ToUtf8(summary.fragment.text));
    fragment->set_sources(static_cast<uint64_t>(summary.sources));
    fragment->set_shaders(static_cast<uint64_t>(summary.shaders));
    fragment->set_sites(static_cast<uint64_t>(summary.sites));
    fragment->set_widths(ToUtf8(summary.fragment.widths));
    return absl::OkStatus();
  });
}

}  // namespace rewrought::rpc
