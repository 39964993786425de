#include "emitter/files/mailbox_patch.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rewrought::emitter {
namespace {

constexpr size_t kFileNameColumns = 52;  // of the subject, as in `git format-patch`

}  // namespace

std::string MailboxText(const MailboxPatch& patch) {
  const std::string position = patch.of > 1 ? absl::StrCat(" ", patch.number, "/", patch.of) : "";
  return absl::StrCat("From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n",
                      "From: Rewrought <rewrought@localhost>\nDate: Thu, 1 Jan 1970 00:00:00 +0000\nSubject: [PATCH",
                      position, "] ", patch.subject, "\n\n", patch.message, "\n---\n", patch.diff, "-- \n2.0\n");
}

std::string MailboxFileName(const MailboxPatch& patch) {
  std::string name;
  for (const char c : patch.subject) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.resize(std::min(name.size(), kFileNameColumns));
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return absl::StrFormat("%04d-%s.patch", patch.number, name);
}

}  // namespace rewrought::emitter
