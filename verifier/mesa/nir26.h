// Reads rules as Mesa 26 applies them. File names and lines refer to Mesa 26.2.0-rc1, src/compiler/nir.
#ifndef REWROUGHT_VERIFIER_MESA_NIR26_H_
#define REWROUGHT_VERIFIER_MESA_NIR26_H_

#include "absl/status/status.h"
#include "ir/dialect/dialect.h"
#include "ir/term.h"

namespace rewrought::verifier {

// Checks that every flag, predicate, and type of the rule exists in the dialect. Fails with InvalidArgument, naming the
// first one that does not exist. Ops are resolved when the rule is parsed (ir::ResolverOf).
absl::Status CheckDialect(const ir::Rule& rule, ir::Dialect dialect);

// Returns whether the rule, whose sizes are fixed, contains an 8-bit or 16-bit Boolean, which Mesa 26 does not have.
bool HasSizeGoneIn26(const ir::Rule& rule);

// Sets the flags of both sides as Mesa 26 does; sizes must be fixed. `replace` becomes the tree that Mesa builds.
//  - A flag in the search is a condition only if the op can carry the preserve bit (nir_search.c:332). Where there is
//    no such condition, the matched instruction may or may not carry the bit.
//  - A replacement node has the preserve bits of all matched instructions, as far as its op can carry them, plus the
//    bits that the rule adds (nir_search.c:335, 423).
void SetFlagsAsMesa26(ir::Term* search, ir::Term* replace);

// Returns whether the search requires that some instruction is not exact: whether a node with `~`, or a node below it,
// can be exact. On other nodes, `~` has no effect, so that the rule also changes the results of precise shaders.
bool RequiresInexactIn26(const ir::Term& search);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESA_NIR26_H_
