// What this installation has verified itself. A database may come from anywhere, and its verdicts say what their author
// pleased; a note made here carries a MAC under a secret that never leaves this installation.
#ifndef REWROUGHT_STORE_VERIFIED_STORE_H_
#define REWROUGHT_STORE_VERIFIED_STORE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/store.h"

namespace rewrought::store {

// 32 bytes. They lie in `folder`/secret, made at the first call, readable by the owner alone. FailedPrecondition: the
// file is of another length, or others may read it; Unavailable: it cannot be made or read. Each names the remedy.
absl::StatusOr<std::string> SecretIn(const std::string& folder);

// Where SecretIn looks for this process: $REWROUGHT_STATE_DIR, $XDG_STATE_HOME/rewrought or
// $HOME/.local/state/rewrought, the first that is set; "" if none is.
std::string StateFolder();

// The secret of StateFolder(); where there is none, bytes that live as long as this process: then what was verified
// before is verified again. `why` (if not null) says why there is none, else it is cleared.
const std::string& InstallationSecret(std::string* why = nullptr);

// All functions give the errors of Store::Write and Store::Read. Thread-safe.
class VerifiedStore {
 public:
  explicit VerifiedStore(Store* store, absl::string_view secret = InstallationSecret())
      : store_(store), secret_(secret) {}

  // Whether Put noted just these bytes in this database, under this secret.
  absl::StatusOr<bool> Has(absl::string_view claim);

  absl::Status Put(absl::string_view claim);

 private:
  Store* const store_;
  const std::string secret_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_VERIFIED_STORE_H_
