// CorpusService: serves corpus statistics, the most frequent fragments, and the uses of a pattern, and accepts uploads.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/rewrought/v1/corpus_service.pb.h"
#include "proto/utf8.h"
#include "server/handlers/pattern_uses.h"
#include "server/handlers/services.h"
#include "server/jobs/upload_worker.h"
#include "server/messages/paging.h"
#include "server/messages/status.h"
#include "store/corpus_store.h"

namespace rewrought::rpc {
namespace {

// Cached counts expire, because a run or a harvest in another process may change them.
constexpr absl::Duration kFresh = absl::Seconds(15);
constexpr size_t kMostCached = 64;    // maximum number of cached responses, each of a few hundred kilobytes at most
constexpr size_t kLongestName = 200;  // maximum length in bytes; file systems allow 255

// Checks a name from a request. The server uses the name as a file name, and the store uses it as the name of a shader
// or source.
absl::Status CheckName(const std::string& field, absl::string_view name) {
  if (name.empty()) return FieldError(field, "is empty");
  if (name.size() > kLongestName) return FieldError(field, absl::StrCat("is longer than ", kLongestName, " bytes"));
  if (name[0] == '.' || name[0] == '-') return FieldError(field, "starts with a dot or a dash");
  for (const char c : name) {
    if (c == '/' || c == '\\' || absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      return FieldError(field, "contains a slash or a control character; send only the last part of the path");
    }
  }
  return absl::OkStatus();
}

class CorpusHandler final : public Service {
 public:
  explicit CorpusHandler(const Backend& backend) : Service(backend, "rewrought.v1.CorpusService") {
    Serve(&CorpusHandler::GetStatistics, &CorpusHandler::ListFragments, &CorpusHandler::ListUses,
          &CorpusHandler::UploadShaders);
  }

  absl::Status GetStatistics(Call& call, const v1::GetStatisticsRequest& request, v1::GetStatisticsResponse* response);
  absl::Status ListFragments(Call& call, const v1::ListFragmentsRequest& request, v1::ListFragmentsResponse* response);
  absl::Status ListUses(Call& call, const v1::ListUsesRequest& request, v1::ListUsesResponse* response);
  absl::Status UploadShaders(Call& call, const v1::UploadShadersRequest& request, v1::UploadShadersResponse* response);

 private:
  // Sets `response` to a cached response with the same key that is at most kFresh old, or calls `count`. Caching helps
  // because counting reads whole tables.
  absl::Status Cached(const std::string& key, google::protobuf::Message* response,
                      absl::FunctionRef<absl::Status()> count);

  struct Counted {
    absl::Time when;
    std::string answer;
  };
  std::mutex mutex_;
  std::map<std::string, Counted> counted_;
};

absl::Status CorpusHandler::Cached(const std::string& key, google::protobuf::Message* response,
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

absl::Status CorpusHandler::GetStatistics(Call& call, const v1::GetStatisticsRequest&,
                                          v1::GetStatisticsResponse* response) {
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_call);
  if (!pass.ok()) return pass.status();
  return Cached("statistics", response, [&] {
    const absl::StatusOr<store::CorpusStore::Counts> counts = store::CorpusStore(backend_.store).Count();
    if (!counts.ok()) return counts.status();
    response->set_sources(static_cast<uint64_t>(counts->sources));
    response->set_shaders(static_cast<uint64_t>(counts->shaders));
    response->set_fragments(static_cast<uint64_t>(counts->fragments));
    response->set_sites(static_cast<uint64_t>(counts->sites));
    return absl::OkStatus();
  });
}

absl::Status CorpusHandler::ListFragments(Call& call, const v1::ListFragmentsRequest& request,
                                          v1::ListFragmentsResponse* response) {
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_call);
  if (!pass.ok()) return pass.status();
  store::CorpusStore::FragmentQuery query;
  query.split = request.held_out() ? store::Split::kHeldOut : store::Split::kDiscovery;
  query.min_shaders = std::max<int64_t>(1, request.min_shaders());
  query.limit = static_cast<int64_t>(page->number() + page->size() + 1);
  size_t before = page->number();
  return Cached(absl::StrCat("fragments\n", request.SerializeAsString()), response, [&] {
    return store::CorpusStore(backend_.store).ForEachFragment(query, [&](const store::FragmentSummary& summary) {
      if (call.stop().stop_requested()) return call.Stopped("request fewer fragments");
      if (before > 0) {
        --before;
        return absl::OkStatus();
      }
      if (static_cast<size_t>(response->fragments_size()) == page->size()) {  // this row only shows that there are more
                                                                              // rows
        response->set_next_page_token(page->TokenOf(absl::StrCat(page->number() + page->size())));
        return absl::OkStatus();
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
  });
}

absl::Status CorpusHandler::ListUses(Call& call, const v1::ListUsesRequest& request, v1::ListUsesResponse* response) {
  const absl::StatusOr<ir::CompiledRule> pattern = ReadPattern(request.pattern());
  if (!pattern.ok()) return pattern.status();
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  size_t first_use = 0;  // index of the page's first use within the page's first fragment
  if (!page->text().empty() && !absl::SimpleAtoi(page->text(), &first_use)) return Page::Malformed();
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_call);
  if (!pass.ok()) return pass.status();
  const absl::StatusOr<std::vector<pipeline::MatchedFragment>> fragments =
      pipeline::FragmentsMatching(backend_.store, *pattern, call.stop());
  if (absl::IsCancelled(fragments.status())) return call.Stopped("choose a more specific pattern");
  if (!fragments.ok()) return fragments.status();
  response->set_fragments(fragments->size());
  for (size_t f = page->number(); f < fragments->size(); ++f) {
    if (call.stop().stop_requested()) return call.Stopped("request fewer uses");
    absl::StatusOr<std::vector<v1::ListUsesResponse::Use>> uses = UsesOf(backend_.store, (*fragments)[f]);
    if (!uses.ok()) return uses.status();
    for (size_t u = f == page->number() ? first_use : 0; u < uses->size(); ++u) {
      if (static_cast<size_t>(response->uses_size()) == page->size()) {
        response->set_next_page_token(page->TokenOf(absl::StrCat(f, "+", u)));
        return absl::OkStatus();
      }
      *response->add_uses() = std::move((*uses)[u]);
    }
  }
  return absl::OkStatus();
}

absl::Status CorpusHandler::UploadShaders(Call& call, const v1::UploadShadersRequest& request,
                                          v1::UploadShadersResponse* response) {
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_upload);
  if (!pass.ok()) return pass.status();
  if (backend_.read_only) {
    return absl::FailedPreconditionError("the database is served read-only; use a server that can write it");
  }
  if (backend_.program.empty())
    return absl::UnimplementedError("this server does not accept uploads; start it with `rewrought serve`");
  if (absl::Status status = CheckName("source", request.source()); !status.ok()) return status;
  if (request.files_size() == 0) return FieldError("files", "is empty");
  if (request.files_size() > backend_.limits.upload_files) {
    return absl::ResourceExhaustedError(
        absl::StrCat("files: more than ", backend_.limits.upload_files, " in one call; split them over several calls"));
  }
  rpc::Upload upload;
  upload.program = backend_.program;
  upload.source = request.source();
  std::set<std::string> names;
  for (int i = 0; i < request.files_size(); ++i) {
    const v1::UploadShadersRequest::File& file = request.files(i);
    const std::string field = absl::StrCat("files[", i, "]");
    if (absl::Status status = CheckName(field + ".name", file.name()); !status.ok()) return status;
    if (!names.insert(file.name()).second) return FieldError(field + ".name", "is listed twice");
    if (file.content().empty()) return FieldError(field + ".content", "is empty");
    upload.files.emplace_back(file.name(), file.content());
  }
  upload.limit = std::chrono::milliseconds(std::max<int64_t>(1, absl::ToInt64Milliseconds(call.remaining())));
  upload.memory_bytes = backend_.limits.upload_memory;
  upload.stop = call.stop();
  absl::StatusOr<v1::UploadShadersResponse> read = ReadUpload(backend_.store, upload);
  if (absl::IsCancelled(read.status())) return call.Stopped("send fewer shaders at once");
  if (!read.ok()) return read.status();
  *response = *std::move(read);
  const std::lock_guard<std::mutex> lock(mutex_);
  counted_.clear();
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Service> MakeCorpusService(const Backend& backend) { return std::make_unique<CorpusHandler>(backend); }

}  // namespace rewrought::rpc
