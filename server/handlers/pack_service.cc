// PackService: serves the packs in the server's folder, and builds packs from the stored rules.
#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "emitter/formats.h"
#include "emitter/json_writer.h"
#include "emitter/pack_diff.h"
#include "emitter/pack_files.h"
#include "emitter/pack_folder.h"
#include "emitter/verify.h"
#include "machine/machine.h"
#include "pipeline/evidence/pack_verifier.h"
#include "proto/read_file.h"
#include "proto/rewrought/v1/pack_service.pb.h"
#include "proto/utf8.h"
#include "server/handlers/services.h"
#include "server/jobs/folder.h"
#include "server/jobs/pack_making.h"
#include "server/messages/paging.h"
#include "server/messages/status.h"
#include "server/messages/time_proto.h"

namespace rewrought::rpc {
namespace {

constexpr int kMostListed = 1000;
constexpr size_t kPageBytes = 1 << 20;    // a page of entries ends when it exceeds this size
constexpr size_t kPieceBytes = 64 << 10;  // bytes per message of a download

void Summarise(const FolderEntry& pack, const emitter::PackFolder& folder, v1::PackSummary* summary) {
  const emitter::Manifest& manifest = folder.manifest;
  summary->set_rules(static_cast<uint64_t>(folder.pack.entries_size()));
  summary->set_name(ToUtf8(pack.name));
  summary->set_machine(manifest.message.machine());
  summary->set_digest(manifest.message.digest());
  summary->set_target(manifest.target);
  summary->set_blocked(manifest.blocked.size());
  summary->set_shaders(manifest.message.corpus().shaders());
  *summary->mutable_modified() = ToProto(pack.modified);
  for (const v1::EffectRow& row : manifest.message.effects()) {
    if (row.split() != v1::CORPUS_SPLIT_HELD_OUT) continue;
    summary->set_helped(summary->helped() + row.helped());
    summary->set_hurt(summary->hurt() + row.hurt());
  }
}

// The state that a build shares with the call that watches it.
struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  std::string doing = "waiting";
  std::optional<absl::StatusOr<BuiltPack>> result;
};

class PackHandler final : public Service {
 public:
  explicit PackHandler(const Backend& backend) : Service(backend, "rewrought.v1.PackService") {
    Serve(&PackHandler::ListPacks, &PackHandler::GetPack, &PackHandler::ListPackEntries, &PackHandler::BuildPack,
          &PackHandler::VerifyPack, &PackHandler::WatchPackVerification, &PackHandler::DiffPacks,
          &PackHandler::DownloadPackFile);
  }
  ~PackHandler() override {  // waits until a build in progress has stopped
    if (builder_.joinable()) builder_.join();
  }

  absl::Status ListPacks(Call& call, const v1::ListPacksRequest& request, v1::ListPacksResponse* response);
  absl::Status GetPack(Call& call, const v1::GetPackRequest& request, v1::GetPackResponse* response);
  absl::Status ListPackEntries(Call& call, const v1::ListPackEntriesRequest& request,
                               v1::ListPackEntriesResponse* response);
  absl::Status BuildPack(Call& call, const v1::BuildPackRequest& request, Stream<v1::BuildPackResponse>* stream);
  absl::Status VerifyPack(Call& call, const v1::VerifyPackRequest& request, v1::VerifyPackResponse* response);
  absl::Status WatchPackVerification(Call& call, const v1::WatchPackVerificationRequest& request,
                                     Stream<v1::WatchPackVerificationResponse>* stream);
  absl::Status DiffPacks(Call& call, const v1::DiffPacksRequest& request, v1::DiffPacksResponse* response);
  absl::Status DownloadPackFile(Call& call, const v1::DownloadPackFileRequest& request,
                                Stream<v1::DownloadPackFileResponse>* stream);

 private:
  absl::StatusOr<std::vector<FolderEntry>> Packs() const;
  absl::StatusOr<FolderEntry> Find(const std::string& field, const std::string& name) const;
  // Proves the rules of the pack called `name` again. Calls `report` with the number of verified rules and the number
  // of all rules at the start and after each rule.
  absl::Status Verify(Call& call, const std::string& name, const std::function<void(size_t, size_t)>& report,
                      v1::VerifyPackResponse* response);

  Limiter verifying_{{}};   // packs are verified one at a time, because each verification takes minutes and a slot for
                            // calls that compute
  std::mutex build_mutex_;  // guards the following members
  bool building_ = false;
  std::thread builder_;
};

absl::StatusOr<std::vector<FolderEntry>> PackHandler::Packs() const {
  if (backend_.packs_folder.empty()) {
    return absl::FailedPreconditionError("the server has no folder of packs; start it with --packs FOLDER");
  }
  absl::StatusOr<std::vector<FolderEntry>> packs =
      FoldersWith(backend_.packs_folder, std::string(emitter::kManifestFile));
  if (!packs.ok()) return absl::FailedPreconditionError(packs.status().message());
  return packs;
}

absl::StatusOr<FolderEntry> PackHandler::Find(const std::string& field, const std::string& name) const {
  absl::StatusOr<std::vector<FolderEntry>> packs = Packs();
  if (!packs.ok()) return packs.status();
  std::vector<std::string> names;
  for (FolderEntry& pack : *packs) {
    if (ToUtf8(pack.name) == name) return std::move(pack);
    if (names.size() < 20) names.push_back(pack.name);
  }
  return absl::NotFoundError(absl::StrCat(field, ": no pack with this name; the packs are: ",
                                          names.empty() ? "none (BuildPack creates one)" : absl::StrJoin(names, ", ")));
}

absl::Status PackHandler::ListPacks(Call&, const v1::ListPacksRequest& request, v1::ListPacksResponse* response) {
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  const absl::StatusOr<std::vector<FolderEntry>> packs = Packs();
  if (!packs.ok()) return packs.status();
  for (size_t i = page->number(); i < packs->size(); ++i) {
    if (i - page->number() == page->size()) {
      response->set_next_page_token(page->TokenOf(absl::StrCat(i)));
      break;
    }
    const absl::StatusOr<emitter::PackFolder> pack = emitter::ReadPackFolder((*packs)[i].path);
    if (!pack.ok()) continue;  // the folder is not a pack, or is still being written
    Summarise((*packs)[i], *pack, response->add_packs());
  }
  return absl::OkStatus();
}

absl::Status PackHandler::GetPack(Call&, const v1::GetPackRequest& request, v1::GetPackResponse* response) {
  const absl::StatusOr<FolderEntry> entry = Find("name", request.name());
  if (!entry.ok()) return entry.status();
  absl::StatusOr<emitter::PackFolder> pack = emitter::ReadPackFolder(entry->path);
  if (!pack.ok()) return pack.status();
  Summarise(*entry, *pack, response->mutable_summary());
  for (const emitter::BlockedRule& blocked : pack->manifest.blocked) {
    if (response->blocked_size() == kMostListed) break;
    v1::GetPackResponse::Blocked* added = response->add_blocked();
    added->set_id(ToUtf8(blocked.id));
    added->set_rule(ToUtf8(blocked.rule));
    added->set_reason(ToUtf8(blocked.reason));
  }
  *response->mutable_manifest() = std::move(pack->manifest.message);
  return absl::OkStatus();
}

absl::Status PackHandler::ListPackEntries(Call&, const v1::ListPackEntriesRequest& request,
                                          v1::ListPackEntriesResponse* response) {
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  const absl::StatusOr<FolderEntry> entry = Find("name", request.name());
  if (!entry.ok()) return entry.status();
  absl::StatusOr<emitter::PackFolder> pack = emitter::ReadPackFolder(entry->path);
  if (!pack.ok()) return pack.status();
  size_t bytes = 0;
  const int count = pack->pack.entries_size();
  for (int i = static_cast<int>(std::min<size_t>(page->number(), static_cast<size_t>(count))); i < count; ++i) {
    if (static_cast<size_t>(response->entries_size()) == page->size() || bytes > kPageBytes) {
      response->set_next_page_token(page->TokenOf(absl::StrCat(i)));
      break;
    }
    v1::PackEntry* added = response->add_entries();
    *added = std::move(*pack->pack.mutable_entries(i));
    for (v1::CaseVerdict& proof : *added->mutable_proofs()) proof.clear_certificate();
    bytes += added->ByteSizeLong();
  }
  return absl::OkStatus();
}

absl::Status PackHandler::BuildPack(Call& call, const v1::BuildPackRequest& request,
                                    Stream<v1::BuildPackResponse>* stream) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(request.machine());
  if (!machine.ok()) return FieldError("machine", machine.status().message());
  const std::vector<std::string> formats(request.formats().begin(), request.formats().end());
  if (const auto known = emitter::FindFormats(formats); !known.ok()) {
    return FieldError("formats", known.status().message());
  }
  const absl::StatusOr<std::vector<FolderEntry>> packs = Packs();
  if (!packs.ok()) return packs.status();
  if (backend_.program.empty())
    return absl::FailedPreconditionError("this server cannot build packs; start it with `rewrought serve`");
  if (static_cast<int64_t>(packs->size()) >= backend_.limits.packs) {
    return absl::ResourceExhaustedError(absl::StrCat("the folder contains ", packs->size(), " packs; remove some"));
  }
  const auto progress = std::make_shared<Progress>();
  std::stop_source client_left;
  const absl::Cleanup leave = [&client_left] { client_left.request_stop(); };
  {
    const std::lock_guard<std::mutex> lock(build_mutex_);
    if (building_) return absl::ResourceExhaustedError("another pack is being built; try again when it is done");
    building_ = true;
    if (builder_.joinable()) builder_.join();  // the thread has ended
    PackRequest wish{backend_.program, backend_.store->path(), (*machine)->id(),
                     formats,          backend_.packs_folder,  client_left.get_token()};
    builder_ = std::thread([this, progress, wish = std::move(wish)] {
      absl::StatusOr<BuiltPack> made = MakePack(wish, [&](const std::string& doing) {
        const std::lock_guard<std::mutex> told(progress->mutex);
        progress->doing = doing;
        progress->changed.notify_all();
      });
      {
        const std::lock_guard<std::mutex> done(build_mutex_);
        building_ = false;
      }
      const std::lock_guard<std::mutex> told(progress->mutex);
      progress->result = std::move(made);
      progress->changed.notify_all();
    });
  }
  const absl::Time start = absl::Now();
  WorkPool::StepAside();  // another thread builds the pack
  std::unique_lock<std::mutex> lock(progress->mutex);
  while (!progress->result.has_value()) {
    if (call.stop().stop_requested()) return call.ended();  // the build stops as well
    v1::BuildPackResponse response;
    response.set_doing(progress->doing);
    *response.mutable_elapsed() = ToProto(absl::Now() - start);
    lock.unlock();
    if (!stream->Write(response)) return absl::CancelledError("the client has disconnected");
    lock.lock();
    const std::string doing = progress->doing;
    progress->changed.wait_for(lock, std::chrono::milliseconds(250),
                               [&] { return progress->result.has_value() || progress->doing != doing; });
  }
  const absl::StatusOr<BuiltPack>& made = *progress->result;
  if (!made.ok()) return made.status();
  v1::BuildPackResponse last;
  last.set_doing("done");
  *last.mutable_elapsed() = ToProto(absl::Now() - start);
  for (const std::string& finding : made->findings) last.add_findings(ToUtf8(finding));
  const absl::StatusOr<FolderEntry> entry = Find("name", made->name);
  if (!entry.ok()) return entry.status();
  const absl::StatusOr<emitter::PackFolder> pack = emitter::ReadPackFolder(entry->path);
  if (!pack.ok()) return pack.status();
  Summarise(*entry, *pack, last.mutable_pack());
  stream->Write(last);
  return absl::OkStatus();
}

absl::Status PackHandler::VerifyPack(Call& call, const v1::VerifyPackRequest& request,
                                     v1::VerifyPackResponse* response) {
  return Verify(
      call, request.name(), [](size_t, size_t) {}, response);
}

absl::Status PackHandler::WatchPackVerification(Call& call, const v1::WatchPackVerificationRequest& request,
                                                Stream<v1::WatchPackVerificationResponse>* stream) {
  v1::WatchPackVerificationResponse message;
  const auto report = [&](size_t done, size_t all) {
    if (message.rules() > 0 && done == message.rules_done()) return;  // this number has been reported
    message.set_rules_done(done);
    message.set_rules(all);
    stream->Write(message);
  };
  v1::VerifyPackResponse result;
  const absl::Status status = Verify(call, request.name(), report, &result);
  if (!status.ok()) return status;
  *message.mutable_result() = std::move(result);
  stream->Write(message);
  return absl::OkStatus();
}

absl::Status PackHandler::Verify(Call& call, const std::string& name, const std::function<void(size_t, size_t)>& report,
                                 v1::VerifyPackResponse* response) {
  const absl::StatusOr<FolderEntry> pack = Find("name", name);
  if (!pack.ok()) return pack.status();
  const absl::StatusOr<Limiter::Pass> alone = verifying_.Enter(call.stop());
  if (!alone.ok()) return absl::ResourceExhaustedError("another pack is being verified; try again when it is done");
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_verify_pack);
  if (!pass.ok()) return pass.status();
  const absl::StatusOr<std::vector<emitter::PackFolder>> read = emitter::ReadPackFolders(pack->path);
  if (!read.ok()) return read.status();
  std::vector<emitter::Finding> findings = emitter::VerifyPacks(pack->path, *read);
  size_t done = 0, rules = 0;
  for (const emitter::PackFolder& folder : *read) rules += static_cast<size_t>(folder.pack.entries_size());
  pipeline::PackVerifierOptions options;
  options.threads = 1;  // the call has only one slot among the calls that compute
  options.stop = call.stop();
  options.progress = [&](size_t so_far, size_t all) {
    done = so_far;
    report(so_far, all);
  };
  report(0, rules);
  const absl::StatusOr<pipeline::PackVerdict> verdict = pipeline::ProvePacksAgain(*read, backend_.solvers, options);
  if (absl::IsCancelled(verdict.status())) {
    return call.Stopped(
        absl::StrCat(done, " of ", rules, " rules were verified; use `rewrought pack verify`, which has no limit"));
  }
  if (!verdict.ok()) return verdict.status();
  findings.insert(findings.end(), verdict->findings.begin(), verdict->findings.end());
  response->set_rules_proved(verdict->proved);
  response->set_cases(verdict->cases);
  response->set_queries(verdict->queries);
  response->set_total(findings.size());
  response->set_rules(rules);
  for (const emitter::Finding& finding : findings) {
    v1::VerifyPackResponse::Finding* added = response->add_findings();
    added->set_entry(ToUtf8(finding.entry));
    added->set_file(ToUtf8(finding.file));
    added->set_what(ToUtf8(finding.what));
    if (response->findings_size() == kMostListed) break;
  }
  return absl::OkStatus();
}

absl::Status PackHandler::DiffPacks(Call& call, const v1::DiffPacksRequest& request, v1::DiffPacksResponse* response) {
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_call);
  if (!pass.ok()) return pass.status();
  const absl::StatusOr<FolderEntry> old_pack = Find("old_name", request.old_name());
  if (!old_pack.ok()) return old_pack.status();
  const absl::StatusOr<FolderEntry> new_pack = Find("new_name", request.new_name());
  if (!new_pack.ok()) return new_pack.status();
  const absl::StatusOr<std::vector<emitter::Difference>> differences =
      emitter::DiffPacks(old_pack->path, new_pack->path);
  if (!differences.ok()) return differences.status();
  response->set_total(differences->size());
  for (const emitter::Difference& one : *differences) {
    if (response->differences_size() == kMostListed) break;
    v1::DiffPacksResponse::Difference* added = response->add_differences();
    added->set_kind(std::string(NameOf(one.kind)));
    added->set_entry(ToUtf8(one.entry));
    added->set_old_entry(ToUtf8(one.old_entry));
    for (const std::string& what : one.what) added->add_what(ToUtf8(what));
    added->set_before(ToUtf8(one.before));
    added->set_after(ToUtf8(one.after));
  }
  return absl::OkStatus();
}

absl::Status PackHandler::DownloadPackFile(Call&, const v1::DownloadPackFileRequest& request,
                                           Stream<v1::DownloadPackFileResponse>* stream) {
  const absl::StatusOr<FolderEntry> pack = Find("name", request.name());
  if (!pack.ok()) return pack.status();
  const absl::StatusOr<std::vector<FolderEntry>> files = FilesIn(pack->path);
  if (!files.ok()) return files.status();
  const auto file =
      std::find_if(files->begin(), files->end(), [&](const FolderEntry& one) { return one.name == request.file(); });
  if (file == files->end()) return absl::NotFoundError("file: the pack has no such file; its manifest lists the files");
  absl::StatusOr<proto::InputFile> opened = proto::InputFile::OpenIn(pack->path, file->name);
  if (!opened.ok()) return absl::NotFoundError("file: cannot be opened");
  const auto content = std::make_shared<proto::InputFile>(*std::move(opened));
  stream->Follow([content](v1::DownloadPackFileResponse* response) -> absl::StatusOr<Next> {
    std::string piece(kPieceBytes, '\0');
    const absl::StatusOr<size_t> count = content->Read(piece.data(), piece.size());
    if (!count.ok()) return absl::DataLossError("file: cannot be read to the end");
    piece.resize(*count);
    if (piece.empty()) return Next::kEnd;
    response->set_content(std::move(piece));
    return Next::kMessage;
  });
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Service> MakePackService(const Backend& backend) { return std::make_unique<PackHandler>(backend); }

}  // namespace rewrought::rpc
