#include "server/rpc/pack_making.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "emitter/pack_folder.h"
#include "emitter/verify.h"
#include "server/pipeline/pack_build.h"

namespace rewrought::rpc {
namespace {

namespace fs = std::filesystem;

// A new folder that goes with everything in it.
class Scratch {
 public:
  explicit Scratch(const std::string& folder) : path_(absl::StrCat(folder, "/.building-XXXXXX")) {
    made_ = mkdtemp(path_.data()) != nullptr;
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

absl::Status MoveIntoPlace(const std::string& from, const std::string& to, const Scratch& scratch) {
  std::error_code error;
  if (fs::exists(to)) fs::rename(to, absl::StrCat(scratch.path(), "/replaced"), error);
  if (!error) fs::rename(from, to, error);
  return error ? absl::UnavailableError(absl::StrCat(to, ": cannot be written: ", error.message())) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<MadePack> MakePack(store::Store* store, const machine::Machine& machine,
                                  const PackWish& wish, const std::string& packs_folder,
                                  const std::function<void(const std::string&)>& doing) {
  const Scratch scratch(packs_folder);
  if (!scratch.made()) {
    return absl::UnavailableError("the folder of packs cannot be written; see the server's --packs");
  }
  doing("building");
  pipeline::PackBuildOptions options;
  options.formats = wish.formats;
  options.solver_versions = wish.solver_versions;
  const absl::StatusOr<pipeline::ExportReport> built = pipeline::ExportPack(store, machine, scratch.path(), options);
  if (!built.ok()) return built.status();
  doing("checking");
  const std::string folder = absl::StrCat(scratch.path(), "/", machine.id());
  const absl::StatusOr<std::vector<emitter::Finding>> findings = emitter::VerifyPack(folder);
  if (!findings.ok()) return findings.status();
  const absl::StatusOr<emitter::PackFolder> pack = emitter::ReadPackFolder(folder);
  if (!pack.ok()) return pack.status();
  MadePack made;
  made.name = absl::StrCat(machine.id(), "-", pack->manifest.message.digest().substr(0, 12));
  for (const emitter::Finding& finding : *findings) {
    made.findings.push_back(absl::StrCat(finding.entry.empty() ? finding.file : finding.entry, ": ", finding.what));
  }
  absl::Status moved = MoveIntoPlace(folder, absl::StrCat(packs_folder, "/", made.name), scratch);
  if (!moved.ok()) return moved;
  return made;
}

}  // namespace rewrought::rpc
