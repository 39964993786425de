#include "audit/reproducer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace rewrought::audit {

std::string Reproducer(absl::string_view rule, absl::string_view dialect) {
  return absl::StrCat("printf '%s\\n' '", absl::StrReplaceAll(rule, {{"'", "'\\''"}}), "' | rewrought check - ",
                      dialect.empty() ? "" : absl::StrCat("--dialect ", dialect, " "), "--explain");
}

}  // namespace rewrought::audit
