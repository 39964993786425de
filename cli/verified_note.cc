#include "cli/verified_note.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "store/verified_store.h"

namespace rewrought::cli {

std::function<void(size_t, size_t)> ShowVerified(Progress* progress) {
  return [progress](size_t done, size_t all) { progress->Show(absl::StrFormat("%d of %d rules verified", done, all)); };
}

std::string SecretNote() {
  std::string why;
  store::InstallationSecret(&why);
  return why.empty() ? "" : absl::StrCat("; they must be verified again next time: ", why);
}

}  // namespace rewrought::cli
