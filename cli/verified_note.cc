#include "cli/verified_note.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "store/verified_store.h"

namespace rewrought::cli {

std::function<void(size_t, size_t)> ShowVerified(Progress* progress) {
  return [progress](size_t done, size_t all) {
    progress->Show(absl::StrFormat("%d of %d rules that were not shown here, or by one solver only", done, all));
  };
}

std::string SecretNote() {
  std::string why;
  store::InstallationSecret(&why);
  return why.empty() ? "" : absl::StrCat("; will be again the next time: ", why);
}

}  // namespace rewrought::cli
