// Records that some work on certain inputs produced certain outputs, so that the work is not repeated while the inputs
// and the outputs stay the same. Each record has a MAC keyed with the installation's secret (store/verified_store.h),
// so a database from elsewhere cannot contain valid records.
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

// Returns the hex digest of this program's own file, which is part of each record because another build may work
// differently. Returns "" if the file cannot be read; nothing is then recorded. The digest is computed once, which
// takes about a second per gigabyte.
const std::string& ProgramDigest();

// Thread-safe. All functions propagate store errors.
class WorkLog {
 public:
  // A list of strings, stored with their lengths so that different lists never have the same `text`.
  class Inputs {
   public:
    Inputs& Add(absl::string_view text);
    const std::string& text() const { return text_; }

   private:
    std::string text_;
  };

  explicit WorkLog(store::Store* store, std::string program = ProgramDigest())
      : verified_(store), program_(std::move(program)) {}

  // Returns whether the same program has called Note with the same arguments.
  absl::StatusOr<bool> Has(absl::string_view work, const Inputs& inputs, const Inputs& outputs);
  // Records that `work` on `inputs` produced `outputs`, which may be empty if the inputs determine them.
  absl::Status Note(absl::string_view work, const Inputs& inputs, const Inputs& outputs);

 private:
  std::string ClaimOf(absl::string_view work, const Inputs& inputs, const Inputs& outputs) const;

  store::VerifiedStore verified_;
  const std::string program_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_WATCH_DONE_BEFORE_H_
