#include "machine/semantics.h"

#include <map>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/semantics.h"

namespace rewrought::machine {

ir::Digest SemanticsOf(const Machine& machine) {
  static std::mutex mutex;
  static auto& digests = *new std::map<const Machine*, ir::Digest>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, added] = digests.try_emplace(&machine);
  if (added) {
    std::string rows;
    for (const ir::OpRow& row : machine.rows()) absl::StrAppend(&rows, ir::DigestOfRow(row), "\n");
    v1::Machine description = machine.description();
    description.clear_coverage();  // Coverage does not affect proofs.
    found->second = ir::Digest::Of(
        absl::StrCat(ir::SemanticsDigest(), " ", machine.id(), "\n", rows, description.SerializeAsString()));
  }
  return found->second;
}

}  // namespace rewrought::machine
