#include "enumerator/candidate_search.h"

namespace rewrought::enumerator {}  // namespace rewrought::enumerator
