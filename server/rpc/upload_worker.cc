#include "server/rpc/upload_worker.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "server/rpc/utf8.h"
#include "server/store/merge.h"
#include "verifier/worker/process.h"

namespace rewrought::rpc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kMostOutput = 4 << 20;

// A new folder that only we may read, and that goes with everything in it.
class Scratch {
 public:
  Scratch() {
    std::error_code error;
    path_ = absl::StrCat(fs::temp_directory_path(error).string(), "/rewrought-upload-XXXXXX");
    made_ = !error && mkdtemp(path_.data()) != nullptr;
  }
  ~Scratch() {
    std::error_code ignored;
    if (made_) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  bool made() const { return made_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

absl::Status Put(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError("the server has no room for the upload");
}

// Runs the harvest; gives what it printed.
absl::StatusOr<std::string> Run(const Upload& upload, const std::string& folder) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError("the server is out of file descriptors");
  const verifier::FileDescriptor reading(ends[0]);
  verifier::FileDescriptor writing(ends[1]);
  verifier::ProcessSpec spec;
  spec.path = upload.program;
  spec.arguments = {"harvest", absl::StrCat(folder, "/files"), "--db", absl::StrCat(folder, "/upload.db"), "--source",
                    upload.source, "--json"};
  spec.standard_output = writing.get();
  spec.memory_bytes = upload.memory_bytes;
  absl::StatusOr<verifier::ChildProcess> child = verifier::ChildProcess::Start(spec);
  if (!child.ok()) return child.status();
  child->LimitCpu(static_cast<uint64_t>(upload.limit.count()));
  writing.Close();
  std::string output;
  const verifier::IoLimits limits{verifier::Clock::now() + upload.limit, upload.stop};
  const verifier::IoResult result = verifier::ReceiveAll(reading.get(), kMostOutput, limits, output);
  if (result == verifier::IoResult::kCancelled) return absl::CancelledError("the call has ended");
  if (result != verifier::IoResult::kDone) {
    child->Kill();
    return absl::AbortedError("reading the shaders took longer than the server allows; send fewer at once");
  }
  const verifier::ProcessEnd end = child->Finish(std::chrono::seconds(2));
  if (end.clean) return output;
  return absl::AbortedError(absl::StrCat("the process that reads shaders ended with ", end.text,
                                         "; nothing was stored; send them one by one to find which"));
}

uint64_t Number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
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

absl::StatusOr<v1::UploadShadersResponse> ReadUpload(store::Store* store, const Upload& upload) {
  const Scratch scratch;
  std::error_code error;
  if (!scratch.made() || !fs::create_directory(absl::StrCat(scratch.path(), "/files"), error)) {
    return absl::UnavailableError("the server has no temporary folder");
  }
  for (const auto& [name, bytes] : upload.files) {
    if (absl::Status status = Put(absl::StrCat(scratch.path(), "/files/", name), bytes); !status.ok()) return status;
  }
  const absl::StatusOr<std::string> output = Run(upload, scratch.path());
  if (!output.ok()) return output.status();
  const Json report = Json::parse(*output, nullptr, false);
  if (!report.is_object()) return absl::AbortedError("the process that reads shaders said nothing; nothing was stored");
  const absl::StatusOr<store::MergeReport> merged =
      store::Merge(store, absl::StrCat(scratch.path(), "/upload.db"));
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
