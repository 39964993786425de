#include "verifier/worker/locate_worker.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/own_files.h"

namespace rewrought::verifier {

absl::StatusOr<std::string> LocateWorker(const std::string& given) {
  const std::string chosen = given.empty() ? proto::VariableOrEmpty("REWROUGHT_WORKER") : given;
  const std::vector<std::string> places =
      chosen.empty() ? proto::PlacesOfProgram("verifier/worker", "rewrought_worker") : std::vector<std::string>{chosen};
  for (const std::string& place : places) {
    if (proto::IsProgram(place)) return place;
  }
  return absl::NotFoundError(absl::StrCat("no worker binary at ", absl::StrJoin(places, ", "),
                                          "; set REWROUGHT_WORKER to the path of rewrought_worker"));
}

}  // namespace rewrought::verifier
