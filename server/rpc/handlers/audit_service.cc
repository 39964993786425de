#include "server/rpc/handlers/audit_service.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/rpc/messages/paging.h"
#include "server/rpc/messages/status.h"
#include "server/rpc/messages/utf8.h"

namespace rewrought::rpc {
namespace {

// `text` is in lower case.
bool Holds(const v1::AuditFinding& finding, const std::string& text) {
  if (text.empty()) return true;
  const std::string all = absl::StrCat(finding.search(), "\n", finding.replace(), "\n", finding.condition(), "\n",
                                       finding.id(), "\n", finding.file(), ":", finding.line());
  return absl::StrContains(absl::AsciiStrToLower(all), text);
}

}  // namespace

grpc::Status AuditServiceHandler::ListAudits(grpc::ServerContext* context, const v1::ListAuditsRequest* request,
                                             v1::ListAuditsResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(List(context, *request, response));
}

grpc::Status AuditServiceHandler::ListAuditFindings(grpc::ServerContext* context,
                                                    const v1::ListAuditFindingsRequest* request,
                                                    v1::ListAuditFindingsResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(Findings(context, *request, response));
}

grpc::Status AuditServiceHandler::GetAuditFinding(grpc::ServerContext* context,
                                                  const v1::GetAuditFindingRequest* request,
                                                  v1::GetAuditFindingResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(Finding(context, *request, response));
}

absl::StatusOr<std::vector<FolderEntry>> AuditServiceHandler::Files() const {
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

absl::StatusOr<AuditServiceHandler::Shared> AuditServiceHandler::Load(grpc::ServerContext* context,
                                                                      const FolderEntry& file) {
  const auto find = [&]() -> Shared {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = loaded_.find(file.path);
    const bool same =
        found != loaded_.end() && found->second.modified == file.modified && found->second.bytes == file.bytes;
    return same ? found->second.file : nullptr;
  };
  if (Shared known = find(); known != nullptr) return known;
  const Call call(backend_.calls, context, backend_.limits.max_call);
  const absl::StatusOr<Limiter::Pass> pass = backend_.limiter->Enter(call.stop(), backend_.access->ClientOf(*context));
  if (!pass.ok()) return pass.status();
  if (Shared known = find(); known != nullptr) return known;  // another call has read it meanwhile
  std::ifstream stream(file.path, std::ios::binary);
  std::string text(file.bytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  Shared read = std::make_shared<AuditFile>(std::move(text), ToUtf8(file.name), TimeText(file.modified));
  const std::lock_guard<std::mutex> lock(mutex_);
  loaded_[file.path] = {file.modified, file.bytes, read};
  return read;
}

absl::StatusOr<AuditServiceHandler::Shared> AuditServiceHandler::LoadByName(grpc::ServerContext* context,
                                                                            const std::string& name) {
  const absl::StatusOr<std::vector<FolderEntry>> files = Files();
  if (!files.ok()) return files.status();
  for (const FolderEntry& file : *files) {
    if (ToUtf8(file.name) == name) return Load(context, file);
  }
  std::vector<std::string> names;
  for (const FolderEntry& file : *files) names.push_back(file.name);
  if (names.size() > 20) names.resize(20);
  return absl::NotFoundError(absl::StrCat("audit: there is no such one; there are ", absl::StrJoin(names, ", ")));
}

absl::Status AuditServiceHandler::List(grpc::ServerContext* context, const v1::ListAuditsRequest& request,
                                       v1::ListAuditsResponse* response) {
  const absl::StatusOr<size_t> offset = ReadOffset("ListAudits", request.page_token());
  if (!offset.ok()) return offset.status();
  const absl::StatusOr<std::vector<FolderEntry>> files = Files();
  if (!files.ok()) return files.status();
  const size_t page_size = static_cast<size_t>(PageSize(request.page_size()));
  for (size_t i = *offset; i < files->size(); ++i) {
    if (i - *offset == page_size) {
      response->set_next_page_token(MakePageToken("ListAudits", absl::StrCat(i)));
      break;
    }
    const absl::StatusOr<Shared> audit = Load(context, (*files)[i]);
    if (!audit.ok()) return audit.status();
    if ((*audit)->size() > 0) *response->add_audits() = (*audit)->summary();  // other JSON may lie there as well
  }
  return absl::OkStatus();
}

absl::Status AuditServiceHandler::Findings(grpc::ServerContext* context, const v1::ListAuditFindingsRequest& request,
                                           v1::ListAuditFindingsResponse* response) {
  std::vector<bool> wanted(v1::AuditClass_ARRAYSIZE, request.classes_size() == 0);
  for (int i = 0; i < request.classes_size(); ++i) {
    if (request.classes(i) == v1::AUDIT_CLASS_UNSPECIFIED || !v1::AuditClass_IsValid(request.classes(i))) {
      return FieldError(absl::StrCat("classes[", i, "]"), "is no AuditClass");
    }
    wanted[static_cast<size_t>(request.classes(i))] = true;
  }
  v1::ListAuditFindingsRequest filters = request;
  filters.clear_page_size();
  filters.clear_page_token();
  const std::string list = absl::StrCat("ListAuditFindings\n", filters.SerializeAsString());
  const absl::StatusOr<size_t> offset = ReadOffset(list, request.page_token());
  if (!offset.ok()) return offset.status();
  const absl::StatusOr<Shared> audit = LoadByName(context, request.audit());
  if (!audit.ok()) return audit.status();
  const int64_t page_size = PageSize(request.page_size());
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
    if (i < *offset) continue;
    if (response->findings_size() < page_size) {
      *response->add_findings() = finding;
    } else if (response->next_page_token().empty()) {
      response->set_next_page_token(MakePageToken(list, absl::StrCat(i)));
    }
  }
  response->set_total(total);
  return absl::OkStatus();
}

absl::Status AuditServiceHandler::Finding(grpc::ServerContext* context, const v1::GetAuditFindingRequest& request,
                                          v1::GetAuditFindingResponse* response) {
  const absl::StatusOr<Shared> audit = LoadByName(context, request.audit());
  if (!audit.ok()) return audit.status();
  if (request.number() >= (*audit)->size()) {
    return absl::NotFoundError(absl::StrCat("number: the audit has findings 0 to ", (*audit)->size() - 1));
  }
  *response = (*audit)->Whole(request.number());
  return absl::OkStatus();
}

}  // namespace rewrought::rpc
