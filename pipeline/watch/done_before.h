// Records that some work on given inputs produced given outputs, so that it is not repeated while both stay the same.
// Each record carries a MAC under the installation's secret (store/verified_store.h), so no database can forge one.
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

// Returns the hex digest of this program's own file, because another build may work differently. Returns "", and
// nothing is recorded, if the file cannot be read. Computed once, in about a second per gigabyte.
const std::string& ProgramDigest();

// Thread-safe. Returns store errors.
class WorkLog {
 public:
  // Texts with their lengths, so that different lists never look alike.
  class Inputs {
   public:
    Inputs& Add(absl::string_view text);
    const std::string& text() const { return text_; }

   private:
    std::string text_;
  };

  explicit WorkLog(store::Store* store, std::string program = ProgramDigest())
      : verified_(store), program_(std::move(program)) {}

  // Returns whether the same program recorded exactly this.
  absl::StatusOr<bool> Has(absl::string_view work, const Inputs& inputs, const Inputs& outputs);
  // `outputs` may be empty if the inputs determine them.
  absl::Status Note(absl::string_view work, const Inputs& inputs, const Inputs& outputs);

 private:
  std::string ClaimOf(absl::string_view work, const Inputs& inputs, const Inputs& outputs) const;

  store::VerifiedStore verified_;
  const std::string program_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_DONE_BEFORE_H_
