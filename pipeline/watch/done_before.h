// Notes that a piece of work over some inputs left some outputs, so that nobody does it again while both are the same.
// A note carries a MAC under the installation's secret (store/verified_store.h): no database can claim one.
#ifndef REWROUGHT_PIPELINE_WATCH_DONE_BEFORE_H_
#define REWROUGHT_PIPELINE_WATCH_DONE_BEFORE_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/store.h"
#include "store/verified_store.h"

namespace rewrought::pipeline {

// Hex digest of this program's own file, so that another build, which may do the work otherwise, does it again. Empty
// where the file cannot be read: then nothing is noted. Computed once; about a second for a gigabyte.
const std::string& ProgramDigest();

// The store's errors. Thread-safe.
class DoneBefore {
 public:
  // Texts with their lengths, so that none can borrow from its neighbour.
  class Inputs {
   public:
    Inputs& Add(absl::string_view text);
    const std::string& text() const { return text_; }

   private:
    std::string text_;
  };

  explicit DoneBefore(store::Store* store, std::string program = ProgramDigest())
      : verified_(store), program_(std::move(program)) {}

  // Whether Note said just this, by the same program.
  absl::StatusOr<bool> Has(absl::string_view work, const Inputs& inputs, const Inputs& outputs);
  // `outputs` may be empty where the work leaves nothing but what the inputs say.
  absl::Status Note(absl::string_view work, const Inputs& inputs, const Inputs& outputs);

 private:
  std::string ClaimOf(absl::string_view work, const Inputs& inputs, const Inputs& outputs) const;

  store::VerifiedStore verified_;
  const std::string program_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_DONE_BEFORE_H_
