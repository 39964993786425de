// Writes a patch that `git am` applies.
#ifndef REWROUGHT_EMITTER_FILES_MAILBOX_PATCH_H_
#define REWROUGHT_EMITTER_FILES_MAILBOX_PATCH_H_

#include <string>

namespace rewrought::emitter {

struct MailboxPatch {
  std::string subject;        // Without "[PATCH]".
  std::string message;        // The commit message below the subject.
  std::string diff;           // In git's format; ends with a newline.
  size_t number = 1, of = 1;  // The position in a series; a series of one patch is not numbered.
};

// Returns the patch in mailbox format. Equal patches produce equal text, because the author and the date are fixed.
std::string MailboxText(const MailboxPatch& patch);

// Returns the file name that `git format-patch` gives the patch, such as "0002-nir-opt_algebraic-fix-shifts.patch".
std::string MailboxFileName(const MailboxPatch& patch);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FILES_MAILBOX_PATCH_H_
