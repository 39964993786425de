#include "corpus/shader_inputs.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/glsl/glsl_compilers.h"
#include "corpus/harvest_files.h"

namespace rewrought::corpus {

absl::Status ForEachShader(const std::string& path, std::stop_token stop, const std::function<bool(ir::Shader)>& visit,
                           ReadReport* report) {
  std::vector<HarvestFile> files;
  if (absl::Status status = ListFiles({path, "", false}, &files); !status.ok()) return status;
  GlslCompilers compilers;
  ReadOptions read;
  read.glsl.compilers = &compilers;
  bool going = true;
  ForEachUnit(files, read.file_bytes, stop, [&](HarvestUnit unit) {
    if (stop.stop_requested()) return false;
    const HarvestFile& file = files[unit.file];
    const std::string name = unit.member.empty() ? file.name : absl::StrCat(file.name, "/", unit.member);
    if (!unit.skipped.empty()) {
      report->skipped.push_back({name, unit.skipped});
      ++report->reasons[ReasonKey(unit.skipped)];
      return true;
    }
    read.source = file.source;
    read.in_archive = !unit.member.empty();
    ReadBytes(
        name, unit.bytes, read, [&](ir::Shader shader) { going = going && visit(std::move(shader)); }, report);
    return going;
  });
  return absl::OkStatus();
}

}  // namespace rewrought::corpus
