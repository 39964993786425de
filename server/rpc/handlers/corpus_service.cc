#include "server/rpc/handlers/corpus_service.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "server/rpc/handlers/pattern_uses.h"
#include "server/rpc/jobs/upload_worker.h"
#include "server/rpc/messages/paging.h"
#include "server/rpc/messages/status.h"
#include "server/rpc/messages/utf8.h"
#include "server/store/corpus_store.h"

namespace rewrought::rpc {
namespace {

// A run or a harvest of another process changes the counts meanwhile.
constexpr absl::Duration kFresh = absl::Seconds(15);
constexpr size_t kMostCached = 64;    // answers, of a few hundred kilobytes at most
constexpr size_t kLongestName = 200;  // bytes; file systems take 255

// Why the call is over.
absl::Status Ended(const Call& call, absl::string_view remedy) {
  const absl::Status ended = call.ended();
  return ended.ok() ? absl::DeadlineExceededError(absl::StrCat("the service's time limit passed; ", remedy)) : ended;
}

// Names become names of files in a folder of the server, and of shaders and sources in the store.
absl::Status CheckName(const std::string& field, absl::string_view name) {
  if (name.empty()) return FieldError(field, "is empty");
  if (name.size() > kLongestName) return FieldError(field, absl::StrCat("is longer than ", kLongestName, " bytes"));
  if (name[0] == '.' || name[0] == '-') return FieldError(field, "starts with a dot or a dash");
  for (const char c : name) {
    if (c == '/' || c == '\\' || absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      return FieldError(field, "holds a slash or a control character; send the last part of the path alone");
    }
  }
  return absl::OkStatus();
}

// A place among all uses: the fragment, and the use within it.
struct UsePlace {
  size_t fragment = 0, use = 0;
};

absl::StatusOr<UsePlace> ReadUsePlace(const std::string& list, const std::string& token) {
  const absl::StatusOr<std::string> text = ReadPageToken(list, token);
  if (!text.ok()) return text.status();
  UsePlace place;
  if (text->empty()) return place;
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(*text, absl::MaxSplits('+', 1));
  if (!absl::SimpleAtoi(parts.first, &place.fragment) || !absl::SimpleAtoi(parts.second, &place.use)) {
    return FieldError("page_token", "is malformed; start without one");
  }
  return place;
}

}  // namespace

grpc::Status CorpusServiceHandler::Compute(grpc::ServerContext* context, Role role, absl::Duration limit,
                                           absl::FunctionRef<absl::Status(const Call&)> work) const {
  if (absl::Status status = backend_.access->Admit(*context, role); !status.ok()) return ToGrpc(status);
  const Call call(backend_.calls, context, limit);
  const absl::StatusOr<Limiter::Pass> pass = backend_.limiter->Enter(call.stop(), backend_.access->ClientOf(*context));
  if (absl::IsCancelled(pass.status())) return ToGrpc(Ended(call, "try again in a few seconds"));
  if (!pass.ok()) return ToGrpc(pass.status());
  return ToGrpc(work(call));
}

grpc::Status CorpusServiceHandler::GetStatistics(grpc::ServerContext* context, const v1::GetStatisticsRequest*,
                                                 v1::GetStatisticsResponse* response) {
  return Compute(context, Role::kRead, backend_.limits.max_call,
                 [&](const Call&) { return Remember("statistics", response, [&] { return Statistics(response); }); });
}

grpc::Status CorpusServiceHandler::ListFragments(grpc::ServerContext* context, const v1::ListFragmentsRequest* request,
                                                 v1::ListFragmentsResponse* response) {
  return Compute(context, Role::kRead, backend_.limits.max_call, [&](const Call& call) {
    const std::string key = absl::StrCat("fragments\n", request->SerializeAsString());
    return Remember(key, response, [&] { return Fragments(call, *request, response); });
  });
}

grpc::Status CorpusServiceHandler::ListUses(grpc::ServerContext* context, const v1::ListUsesRequest* request,
                                            v1::ListUsesResponse* response) {
  return Compute(context, Role::kRead, backend_.limits.max_call,
                 [&](const Call& call) { return Uses(call, *request, response); });
}

grpc::Status CorpusServiceHandler::UploadShaders(grpc::ServerContext* context, const v1::UploadShadersRequest* request,
                                                 v1::UploadShadersResponse* response) {
  return Compute(context, Role::kAdmin, backend_.limits.max_upload,
                 [&](const Call& call) { return Upload(call, *request, response); });
}

absl::Status CorpusServiceHandler::Remember(const std::string& key, google::protobuf::Message* response,
                                            absl::FunctionRef<absl::Status()> count) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(counted_, [](const auto& one) { return absl::Now() - one.second.when > kFresh; });
    const auto found = counted_.find(key);
    if (found != counted_.end() && response->ParseFromString(found->second.answer)) return absl::OkStatus();
  }
  if (absl::Status status = count(); !status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (counted_.size() < kMostCached) counted_[key] = {absl::Now(), response->SerializeAsString()};
  return absl::OkStatus();
}

absl::Status CorpusServiceHandler::Statistics(v1::GetStatisticsResponse* response) const {
  const absl::StatusOr<store::CorpusStore::Counts> counts = store::CorpusStore(backend_.store).Count();
  if (!counts.ok()) return counts.status();
  response->set_sources(static_cast<uint64_t>(counts->sources));
  response->set_shaders(static_cast<uint64_t>(counts->shaders));
  response->set_fragments(static_cast<uint64_t>(counts->fragments));
  response->set_sites(static_cast<uint64_t>(counts->sites));
  return absl::OkStatus();
}

absl::Status CorpusServiceHandler::Fragments(const Call& call, const v1::ListFragmentsRequest& request,
                                             v1::ListFragmentsResponse* response) const {
  store::CorpusStore::FragmentQuery query;
  query.split = request.held_out() ? store::Split::kHeldOut : store::Split::kDiscovery;
  query.min_shaders = std::max<int64_t>(1, request.min_shaders());
  query.limit = PageSize(request.limit());
  return store::CorpusStore(backend_.store).ForEachFragment(query, [&](const store::FragmentSummary& summary) {
    if (call.stop().stop_requested()) return Ended(call, "ask for fewer");
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

absl::Status CorpusServiceHandler::Uses(const Call& call, const v1::ListUsesRequest& request,
                                        v1::ListUsesResponse* response) const {
  const absl::StatusOr<ir::CompiledRule> pattern = ReadPattern(request.pattern());
  if (!pattern.ok()) return pattern.status();
  const std::string list = absl::StrCat("ListUses\n", request.pattern());
  const absl::StatusOr<UsePlace> start = ReadUsePlace(list, request.page_token());
  if (!start.ok()) return start.status();
  const absl::StatusOr<std::vector<MatchedFragment>> fragments =
      FragmentsMatching(backend_.store, *pattern, call.stop());
  if (absl::IsCancelled(fragments.status())) return Ended(call, "the corpus is large");
  if (!fragments.ok()) return fragments.status();
  response->set_fragments(fragments->size());
  const int64_t page_size = PageSize(request.page_size());
  for (size_t f = start->fragment; f < fragments->size(); ++f) {
    if (call.stop().stop_requested()) return Ended(call, "ask for fewer");
    absl::StatusOr<std::vector<v1::ListUsesResponse::Use>> uses = UsesOf(backend_.store, (*fragments)[f]);
    if (!uses.ok()) return uses.status();
    for (size_t u = f == start->fragment ? start->use : 0; u < uses->size(); ++u) {
      if (response->uses_size() == page_size) {
        response->set_next_page_token(MakePageToken(list, absl::StrCat(f, "+", u)));
        return absl::OkStatus();
      }
      *response->add_uses() = std::move((*uses)[u]);
    }
  }
  return absl::OkStatus();
}

absl::Status CorpusServiceHandler::Upload(const Call& call, const v1::UploadShadersRequest& request,
                                          v1::UploadShadersResponse* response) {
  if (backend_.read_only) {
    return absl::FailedPreconditionError("the database is served read-only; ask a server that may write it");
  }
  if (backend_.program.empty()) return absl::UnimplementedError("this server takes no uploads; `rewrought serve` does");
  if (absl::Status status = CheckName("source", request.source()); !status.ok()) return status;
  if (request.files_size() == 0) return FieldError("files", "is empty");
  if (request.files_size() > backend_.limits.upload_files) {
    return absl::ResourceExhaustedError(
        absl::StrCat("files: more than ", backend_.limits.upload_files, " at once; send several calls"));
  }
  rpc::Upload upload;
  upload.program = backend_.program;
  upload.source = request.source();
  std::set<std::string> names;
  for (int i = 0; i < request.files_size(); ++i) {
    const v1::UploadShadersRequest::File& file = request.files(i);
    const std::string field = absl::StrCat("files[", i, "]");
    if (absl::Status status = CheckName(field + ".name", file.name()); !status.ok()) return status;
    if (!names.insert(file.name()).second) return FieldError(field + ".name", "is there twice");
    if (file.content().empty()) return FieldError(field + ".content", "is empty");
    upload.files.emplace_back(file.name(), file.content());
  }
  upload.limit = std::chrono::milliseconds(std::max<int64_t>(1, absl::ToInt64Milliseconds(call.remaining())));
  upload.memory_bytes = backend_.limits.upload_memory;
  upload.stop = call.stop();
  absl::StatusOr<v1::UploadShadersResponse> read = ReadUpload(backend_.store, upload);
  if (absl::IsCancelled(read.status())) return Ended(call, "send fewer shaders at once");
  if (!read.ok()) return read.status();
  *response = *std::move(read);
  const std::lock_guard<std::mutex> lock(mutex_);
  counted_.clear();
  return absl::OkStatus();
}

}  // namespace rewrought::rpc
