// Records which claims this installation has verified itself. A database may have any origin, so its verdicts cannot be
// trusted. Each record is a MAC under a secret that never leaves this installation.
#ifndef REWROUGHT_STORE_VERIFIED_STORE_H_
#define REWROUGHT_STORE_VERIFIED_STORE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/store.h"

namespace rewrought::store {

// Returns the 32 bytes of the file `folder`/secret. The first call creates the file, which only its owner may read.
// Fails with FailedPrecondition if the file has another length or if others may read it, and with Unavailable if it
// cannot be created or read. Each error names a remedy.
absl::StatusOr<std::string> SecretIn(const std::string& folder);

// Returns the folder for SecretIn: the first of $REWROUGHT_STATE_DIR, $XDG_STATE_HOME/rewrought, and
// $HOME/.local/state/rewrought whose variable is set, or "" if none is set.
std::string StateFolder();

// Returns the secret in StateFolder(). If that secret is unavailable, returns random bytes that are valid only in this
// process, so that everything is verified again. Sets `why` (may be null) to the reason, or clears it.
const std::string& InstallationSecret(std::string* why = nullptr);

// All functions can fail with the errors of Store::Write and Store::Read. Thread-safe.
class VerifiedStore {
 public:
  explicit VerifiedStore(Store* store, absl::string_view secret = InstallationSecret())
      : store_(store), secret_(secret) {}

  // Returns whether Put has recorded exactly this claim in this database under this secret.
  absl::StatusOr<bool> Has(absl::string_view claim);

  absl::Status Put(absl::string_view claim);

 private:
  Store* const store_;
  const std::string secret_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_VERIFIED_STORE_H_
