#include "emitter/pass/trial_places.h"

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"

namespace rewrought::emitter {

void TakePlacesOfTrials(v1::PackEntry* entry) {
  std::set<std::string> chosen, for_positions;
  for (const v1::RuleTrial& trial : entry->rule().trials()) {
    for (const v1::RuleTrial::Place& place : trial.places()) {
      if (!place.chosen()) continue;
      if (place.stages() != v1::RuleTrial::STAGES_POSITIONS) chosen.insert(place.name());
      if (place.stages() != v1::RuleTrial::STAGES_OTHER) for_positions.insert(place.name());
    }
  }
  entry->clear_places();
  entry->clear_position_places();
  for (const absl::string_view place : kPlaces) {
    if (chosen.contains(std::string(place))) entry->add_places(std::string(place));
    if (for_positions.contains(std::string(place))) entry->add_position_places(std::string(place));
  }
}

}  // namespace rewrought::emitter
