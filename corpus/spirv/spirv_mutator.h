// Mutates SPIR-V modules within its grammar, so that most mutants pass the validator and reach the reader. Used by
// the fuzzer, and by a test that measures the mutator.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// Returns `module` with one to four changes to whole instructions: an id is replaced by another one of the same type,
// an opcode or extended instruction by one with the same operands, operands are swapped, a literal is changed, or an
// instruction is duplicated under a new id or removed. Header and word counts remain consistent. The result is
// deterministic in `seed`. If the module does not parse or the result would exceed `max_bytes`, only one word is
// changed.
std::string MutateSpirv(absl::string_view module, size_t max_bytes, uint64_t seed);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_
