// Provides random inexact rules. A rule consists of a random expression and the result of rewriting it with identities
// over the reals.
#ifndef REWROUGHT_TESTS_ACCURACY_RANDOM_RULES_H_
#define REWROUGHT_TESTS_ACCURACY_RANDOM_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rewrought::accuracy {

// Returns `count` distinct rules at 32 bits. The sides of each are equal over the reals wherever both are defined. The
// result is deterministic for a given seed.
std::vector<std::string> RandomRules(size_t count, uint64_t seed);

}  // namespace rewrought::accuracy

#endif  // REWROUGHT_TESTS_ACCURACY_RANDOM_RULES_H_
