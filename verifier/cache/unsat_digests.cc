#include "verifier/cache/unsat_digests.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

namespace rewrought::verifier {

std::string ShortForm(const ir::Digest& digest) { return absl::WebSafeBase64Escape(digest.view().substr(0, 12)); }

std::string ShortDigest(absl::string_view content) { return ShortForm(ir::Digest::Of(content)); }

bool IsShortDigest(absl::string_view text) {
  return text.size() == kShortDigestLength && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
         });
}

SolverAnswer UnsatRecorder::Solve(const SolverQuery& query) {
  SolverAnswer answer = behind_->Solve(query);
  if (answer.answer != Answer::kUnsat) return answer;
  std::string digest = ShortDigest(query.text);
  const std::lock_guard<std::mutex> lock(*mutex_);
  digests_->insert(std::move(digest));
  return answer;
}

SolverAnswer RecordedSolver::Solve(const SolverQuery& query) {
  SolverAnswer answer;
  answer.solver = name_and_version();
  if (is_known_(ShortDigest(query.text))) {
    answer.answer = Answer::kUnsat;
  } else {
    answer.reason = "not recorded";
  }
  return answer;
}

}  // namespace rewrought::verifier
