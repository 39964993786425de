#include "pipeline/watch/done_before.h"

#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/digest.h"

namespace rewrought::pipeline {
namespace {

std::string DigestOfFile(const char* path) {
  constexpr size_t kPiece = size_t{1} << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  ir::Digest digest;
  std::vector<char> piece(kPiece);
  while (file) {
    file.read(piece.data(), kPiece);
    digest = ir::Digest::Of(
        absl::StrCat(digest.view(), absl::string_view(piece.data(), static_cast<size_t>(file.gcount()))));
  }
  return file.bad() ? "" : digest.hex();
}

}  // namespace

const std::string& ProgramDigest() {
  static const std::string& digest = *new std::string(DigestOfFile("/proc/self/exe"));
  return digest;
}

WorkLog::Inputs& WorkLog::Inputs::Add(absl::string_view text) {
  absl::StrAppend(&text_, text.size(), " ", text, "\n");
  return *this;
}

std::string WorkLog::ClaimOf(absl::string_view work, const Inputs& inputs, const Inputs& outputs) const {
  Inputs claim;
  return claim.Add("done 1").Add(program_).Add(work).Add(inputs.text()).Add(outputs.text()).text();
}

absl::StatusOr<bool> WorkLog::Has(absl::string_view work, const Inputs& inputs, const Inputs& outputs) {
  if (program_.empty()) return false;
  return verified_.Has(ClaimOf(work, inputs, outputs));
}

absl::Status WorkLog::Note(absl::string_view work, const Inputs& inputs, const Inputs& outputs) {
  if (program_.empty()) return absl::OkStatus();
  return verified_.Put(ClaimOf(work, inputs, outputs));
}

}  // namespace rewrought::pipeline
