#include "server/jobs/upload_worker.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "emitter/files/scratch_folder.h"
#include "proto/json_text.h"
#include "proto/utf8.h"
#include "server/jobs/own_command.h"
#include "store/shards/merge.h"

namespace rewrought::rpc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr char kScratchPrefix[] = "rewrought-upload-";

std::string TemporaryFolder() {
  std::error_code error;
  return fs::temp_directory_path(error).string();
}

absl::Status Put(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError("the server has no disk space for the upload");
}

uint64_t Number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

absl::StatusOr<std::string> Harvest(const Upload& upload, const std::string& folder) {
  OwnCommand command;
  command.program = upload.program;
  command.arguments = {"harvest",  absl::StrCat(folder, "/files"),
                       "--db",     absl::StrCat(folder, "/upload.db"),
                       "--source", upload.source,
                       "--json",   "--confined"};
  command.limit = command.cpu = upload.limit;
  command.memory_bytes = upload.memory_bytes;
  command.stop = upload.stop;
  absl::StatusOr<CommandResult> end = Run(command);
  if (absl::IsDeadlineExceeded(end.status())) {
    return absl::AbortedError("reading the shaders exceeded the server's time limit; send fewer at once");
  }
  if (!end.ok()) return end.status();
  // The command fails if none of the files is a shader. Its report then states why.
  const Json report = proto::ParseJson(end->output);
  const bool nothing_read = report.is_object() && Number(report, "shaders") == 0 && Number(report, "skipped") > 0;
  if (end->process.clean || nothing_read) return std::move(end->output);
  return absl::AbortedError(absl::StrCat("reading the shaders failed with ", end->process.text,
                                         "; nothing was stored; send the shaders one by one to find the cause"));
}

template <typename Map>
void Counts(const Json& object, const char* key, Map* counts) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return;
  for (const auto& [name, count] : found->items()) {
    if (count.is_number_unsigned()) (*counts)[ToUtf8(name)] = count.template get<uint64_t>();
  }
}

}  // namespace

void RemoveUploadLeftovers() { emitter::ScratchFolder::RemoveLeftovers(TemporaryFolder(), kScratchPrefix); }

absl::StatusOr<v1::UploadShadersResponse> ReadUpload(store::Store* store, const Upload& upload) {
  std::error_code error;
  const emitter::ScratchFolder scratch(TemporaryFolder(), kScratchPrefix);
  if (!scratch.made() || !fs::create_directory(absl::StrCat(scratch.path(), "/files"), error)) {
    return absl::UnavailableError("the server has no temporary folder");
  }
  for (const auto& [name, bytes] : upload.files) {
    if (absl::Status status = Put(absl::StrCat(scratch.path(), "/files/", name), bytes); !status.ok()) return status;
  }
  const absl::StatusOr<std::string> output = Harvest(upload, scratch.path());
  if (!output.ok()) return output.status();
  const Json report = proto::ParseJson(*output);
  if (!report.is_object()) return absl::AbortedError("the harvest process printed no report; nothing was stored");
  // The child has parsed untrusted input, so the proofs and rules in its database are ignored.
  const absl::StatusOr<store::MergeReport> merged =
      store::Merge(store, absl::StrCat(scratch.path(), "/upload.db"), {.corpus_only = true});
  if (absl::IsFailedPrecondition(merged.status())) {
    return absl::AbortedError(
        absl::StrCat("the harvest process wrote an invalid database: ", merged.status().message()));
  }
  if (!merged.ok()) return merged.status();
  v1::UploadShadersResponse response;
  response.set_shaders(Number(report, "shaders"));
  response.set_added(static_cast<uint64_t>(merged->shaders));
  response.set_skipped(Number(report, "skipped"));
  Counts(report, "reasons", response.mutable_reasons());
  response.set_fragments(static_cast<uint64_t>(merged->sites));
  response.set_distinct(static_cast<uint64_t>(merged->fragments));
  Counts(report, "ops", response.mutable_ops());
  return response;
}

}  // namespace rewrought::rpc
