// Derives the places of an entry from the trials of its rule.
#ifndef REWROUGHT_EMITTER_PASS_TRIAL_PLACES_H_
#define REWROUGHT_EMITTER_PASS_TRIAL_PLACES_H_

#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// Sets `places` and `position_places` of the entry to the places that the trials of its rule chose, in the order of
// kPlaces. Both are empty if there are no trials.
void TakePlacesOfTrials(v1::PackEntry* entry);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_TRIAL_PLACES_H_
