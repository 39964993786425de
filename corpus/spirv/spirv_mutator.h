// Mutants of SPIR-V modules that keep to its grammar, so that most get past the validator and reach the reader: for the
// fuzzer, and for the test that measures it.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// `module` after one to four changes to whole instructions: an id for another of its type, an opcode or extended
// instruction for one of the same shape, operands exchanged, a literal changed, an instruction copied under a new id or
// taken out. Header and word counts stay right. The same seed gives the same bytes. What does not parse as SPIR-V, or
// would grow beyond `max_bytes`, comes back with one word changed.
std::string MutateSpirv(absl::string_view module, size_t max_bytes, uint64_t seed);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_
