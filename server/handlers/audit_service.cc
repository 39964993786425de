// AuditService: serves audits of driver trees from a folder of files that `rewrought audit --json` wrote.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/read_file.h"
#include "proto/rewrought/v1/audit_service.pb.h"
#include "proto/utf8.h"
#include "server/handlers/services.h"
#include "server/jobs/folder.h"
#include "server/messages/audit_file.h"
#include "server/messages/paging.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

// Returns whether the finding contains `text`, which must be lowercase.
bool Holds(const v1::AuditFinding& finding, const std::string& text) {
  if (text.empty()) return true;
  const std::string all = absl::StrCat(finding.search(), "\n", finding.replace(), "\n", finding.condition(), "\n",
                                       finding.id(), "\n", finding.file(), ":", finding.line());
  return absl::StrContains(absl::AsciiStrToLower(all), text);
}

class AuditHandler final : public Service {
 public:
  explicit AuditHandler(const Backend& backend) : Service(backend, "rewrought.v1.AuditService") {
    Serve(&AuditHandler::ListAudits, &AuditHandler::ListAuditFindings, &AuditHandler::GetAuditFinding);
  }

  absl::Status ListAudits(Call& call, const v1::ListAuditsRequest& request, v1::ListAuditsResponse* response);
  absl::Status ListAuditFindings(Call& call, const v1::ListAuditFindingsRequest& request,
                                 v1::ListAuditFindingsResponse* response);
  absl::Status GetAuditFinding(Call& call, const v1::GetAuditFindingRequest& request,
                               v1::GetAuditFindingResponse* response);

 private:
  using Shared = std::shared_ptr<const AuditFile>;
  absl::StatusOr<std::vector<FolderEntry>> Files() const;
  // Returns the file's current contents, rereading the file if it has changed. Reading requires a slot among the calls
  // that compute.
  absl::StatusOr<Shared> Load(Call& call, const FolderEntry& file);
  // Loads the audit called `name`. Fails with NotFound, naming the existing audits, if there is no such audit.
  absl::StatusOr<Shared> LoadByName(Call& call, const std::string& name);

  struct Loaded {
    absl::Time modified;
    uint64_t bytes = 0;
    Shared file;
  };
  std::mutex mutex_;
  std::map<std::string, Loaded> loaded_;  // by path
};

absl::StatusOr<std::vector<FolderEntry>> AuditHandler::Files() const {
  if (backend_.audits_folder.empty()) {
    return absl::FailedPreconditionError("the server has no folder of audits; start it with --audits FOLDER");
  }
  absl::StatusOr<std::vector<FolderEntry>> files = FilesIn(backend_.audits_folder);
  if (!files.ok()) return absl::FailedPreconditionError(files.status().message());
  std::erase_if(*files, [&](const FolderEntry& file) {
    return !(absl::EndsWith(file.name, ".json") || absl::EndsWith(file.name, ".jsonl")) ||
           file.bytes > backend_.limits.audit_bytes;
  });
  return files;
}

absl::StatusOr<AuditHandler::Shared> AuditHandler::Load(Call& call, const FolderEntry& file) {
  const auto find = [&]() -> Shared {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = loaded_.find(file.path);
    const bool same =
        found != loaded_.end() && found->second.modified == file.modified && found->second.bytes == file.bytes;
    return same ? found->second.file : nullptr;
  };
  if (Shared known = find(); known != nullptr) return known;
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_call);
  if (!pass.ok()) return pass.status();
  if (Shared known = find(); known != nullptr) return known;  // another call has read the file in the meantime
  proto::ParseLimits limits = proto::kJsonLimits;
  limits.bytes = backend_.limits.audit_bytes;
  absl::StatusOr<std::string> text = proto::ReadFileIn(backend_.audits_folder, file.name, limits);
  if (!text.ok()) return absl::FailedPreconditionError(text.status().message());
  Shared read = std::make_shared<AuditFile>(*std::move(text), ToUtf8(file.name), file.modified);
  const std::lock_guard<std::mutex> lock(mutex_);
  loaded_[file.path] = {file.modified, file.bytes, read};
  return read;
}

absl::StatusOr<AuditHandler::Shared> AuditHandler::LoadByName(Call& call, const std::string& name) {
  const absl::StatusOr<std::vector<FolderEntry>> files = Files();
  if (!files.ok()) return files.status();
  for (const FolderEntry& file : *files) {
    if (ToUtf8(file.name) == name) return Load(call, file);
  }
  std::vector<std::string> names;
  for (const FolderEntry& file : *files) names.push_back(file.name);
  if (names.size() > 20) names.resize(20);
  return absl::NotFoundError(
      absl::StrCat("audit: no audit with this name; choose one of ", absl::StrJoin(names, ", ")));
}

absl::Status AuditHandler::ListAudits(Call& call, const v1::ListAuditsRequest& request,
                                      v1::ListAuditsResponse* response) {
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  const absl::StatusOr<std::vector<FolderEntry>> files = Files();
  if (!files.ok()) return files.status();
  for (size_t i = page->number(); i < files->size(); ++i) {
    if (i - page->number() == page->size()) {
      response->set_next_page_token(page->TokenOf(absl::StrCat(i)));
      break;
    }
    const absl::StatusOr<Shared> audit = Load(call, (*files)[i]);
    if (!audit.ok()) return audit.status();
    if ((*audit)->size() > 0) *response->add_audits() = (*audit)->summary();  // the folder may contain other JSON files
  }
  return absl::OkStatus();
}

absl::Status AuditHandler::ListAuditFindings(Call& call, const v1::ListAuditFindingsRequest& request,
                                             v1::ListAuditFindingsResponse* response) {
  std::vector<bool> wanted(v1::AuditClass_ARRAYSIZE, request.classes_size() == 0);
  for (int i = 0; i < request.classes_size(); ++i) {
    if (request.classes(i) == v1::AUDIT_CLASS_UNSPECIFIED || !v1::AuditClass_IsValid(request.classes(i))) {
      return FieldError(absl::StrCat("classes[", i, "]"), "is not an AuditClass");
    }
    wanted[static_cast<size_t>(request.classes(i))] = true;
  }
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  const absl::StatusOr<Shared> audit = LoadByName(call, request.audit());
  if (!audit.ok()) return audit.status();
  const std::string text = absl::AsciiStrToLower(request.text());
  uint64_t total = 0;
  for (size_t i = 0; i < (*audit)->size(); ++i) {
    const v1::AuditFinding& finding = (*audit)->finding(i);
    if (!wanted[static_cast<size_t>(finding.audit_class())] ||
        (!request.pass().empty() && finding.pass() != request.pass()) ||
        (!request.op().empty() && !(*audit)->HasOp(i, request.op())) || !Holds(finding, text)) {
      continue;
    }
    ++total;
    if (i < page->number()) continue;
    if (static_cast<size_t>(response->findings_size()) < page->size()) {
      *response->add_findings() = finding;
    } else if (response->next_page_token().empty()) {
      response->set_next_page_token(page->TokenOf(absl::StrCat(i)));
    }
  }
  response->set_total(total);
  return absl::OkStatus();
}

absl::Status AuditHandler::GetAuditFinding(Call& call, const v1::GetAuditFindingRequest& request,
                                           v1::GetAuditFindingResponse* response) {
  const absl::StatusOr<Shared> audit = LoadByName(call, request.audit());
  if (!audit.ok()) return audit.status();
  if (request.number() >= (*audit)->size()) {
    return absl::NotFoundError(absl::StrCat("number: the audit has findings 0 to ", (*audit)->size() - 1));
  }
  *response = (*audit)->Whole(request.number());
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Service> MakeAuditService(const Backend& backend) { return std::make_unique<AuditHandler>(backend); }

}  // namespace rewrought::rpc
