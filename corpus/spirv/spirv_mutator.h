// Mutates SPIR-V modules within SPIR-V's grammar, so that most mutants pass the validator and reach the reader. Used by
// the fuzzer, and by a test that measures the mutants.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// Returns `module` with one to four changes to whole instructions: an id is replaced by another id of the same type, an
// opcode or extended instruction is replaced by one that has the same kinds of operands, operands are swapped, a
// literal is changed, or an instruction is duplicated under a new id or removed. The header and the word counts remain
// consistent. The result depends only on the arguments. If the module does not parse or the result would exceed
// `max_bytes`, only one word is changed.
std::string MutateSpirv(absl::string_view module, size_t max_bytes, uint64_t seed);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_MUTATOR_H_
