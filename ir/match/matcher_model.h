// Models Mesa's matcher: the guarantees of a flag on a search node, and the flags of the nodes that Mesa builds. Each
// statement cites the C code of Mesa 25.0.7 (src/compiler/nir) that it models; tests/mesa compares the statements with
// that code.
#ifndef REWROUGHT_IR_MATCH_MATCHER_MODEL_H_
#define REWROUGHT_IR_MATCH_MATCHER_MODEL_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

// Returns whether the matcher checks nsz, nnan, and ninf of an instruction whose result has `bits` bits. It checks the
// flags for the size of the *result* (nir.h:1607-1622), and only 16, 32, and 64 bits have flags. At every other size,
// the matcher accepts all instructions, whatever their flags.
bool MatcherReadsFlags(int bits);

// Returns whether a flag that the matcher has checked permits anything at the node. The node's result must be a float,
// or the node must be a selection, whose flags describe the value that it returns. A comparison or a conversion to an
// integer has float operands, but its flags describe only its result (nir.h:1607-1622), so they say nothing about the
// operands.
bool FlagPermits(const OpRow& op, int bits);

// Returns whether the op reads floats and its result is not a float, as for a comparison, a conversion to an integer,
// or a pack_half. The flags of such an instruction apply to its operands: back ends read the flags for the operands'
// size (for example gallivm, lp_bld_nir.c:1068). They have no effect on an exact instruction.
bool FlagsApplyToOperands(const OpRow& op);

// Returns the flags of a node that Mesa builds in place of `root`. The node has the row `op` and a result of `bits`
// bits, and `exact` states whether the rule makes it exact ('!'). The matcher copies the whole flag word of the matched
// root to each node that it builds (nir_search.c:477). However, it has checked only the flags that the rule names, for
// the size of the root's result. The other flags are unknown to the rule; the result represents them as
// kRootNoSignedZero, kRootNoNan, and kRootNoInf.
uint8_t FlagsOfBuiltNode(const Node& root, const OpRow& op, int bits, bool exact);

// Returns the mark that states that a node has `permission`, one of kPermissions, if and only if the matched root has
// it.
uint8_t RootMark(uint8_t permission);

// Makes each node of `replacement` exact ('!') if the root's flags would otherwise apply to the node's operands.
// Returns whether it changed any node.
bool MakeComparisonsExact(Term* replacement);

// Marks the root of `search` with each unknown flag that the nodes of `built` share with it, so that both sides depend
// on the same unknown. Does nothing if flags permit nothing at the root.
void MarkUnknownFlags(const Term& built, Term* search);

// Returns the name of the input that states whether the matched root has `permission` for values of `bits` bits:
// "root_nsz32". If `bits` is 0, returns the name of the input for all sizes: "root_nsz".
std::string RootFlagInput(uint8_t permission, int bits);

// The input that states whether the nodes that Mesa builds are exact because a matched node is (nir_search.c:474).
inline constexpr absl::string_view kRootExactInput = "root_exact";

// Returns "nsz" for the input "root_nsz32" if the root's result has `root_bits` = 32 bits, and "nsz (16-bit)" for
// "root_nsz16". Returns "exact" for kRootExactInput.
std::string RootFlagText(absl::string_view input, int root_bits);

// Returns whether `input` is kRootExactInput or a name that RootFlagInput returns. Names of variables never contain
// '_'.
bool IsRootFlagInput(absl::string_view input);

// Checks that the rule is correct for vectors as well as for scalars. If the root of a search is a per-component op, it
// matches an instruction with any number of components. Mesa builds the replacement with that number
// (nir_search.c:455-500), so each op of the replacement must also act per component. If the search reads an op with a
// fixed number of result components without a swizzle, it matches only instructions with at most that many components
// (nir_search.c:386-391). Fails with InvalidArgument if the replacement reads components that do not exist, or has an
// op or a swizzle that yields a different value for a vector root.
absl::Status CheckVectorRoot(const Rule& rule);

// Checks that the search reads the components of its variables in order. The matcher ignores a swizzle in the search:
// it binds a variable to the components that its reader reads (nir_search.c:300-323; nir_search.h:96 restricts swizzles
// to replacements). Fails with InvalidArgument and the variable's name otherwise.
absl::Status CheckSearchSwizzles(const Term& search);

// Returns the components of the variable that every reader in the search reads; bit i represents component i. The
// matcher checks a variable's predicates only for the components that its first reader reads (nir_search.c:306-308), so
// a predicate is known only for these components. Returns all components if nothing reads the variable.
uint32_t ComponentsOfEveryReader(const Term& search, absl::string_view variable);

// Returns the components of the variable that some reader in the search reads.
uint32_t ComponentsOfAnyReader(const Term& search, absl::string_view variable);

// The version of the model; part of the digest of the semantics. Raise it when a statement changes, when
// verifier/mesa/coincidence.h finds other cases, or when ReadAsMesa (verifier/mesa/mesa_reading.h) changes.
inline constexpr absl::string_view kMatcherModelVersion = "matcher-nir-25-6";

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_MATCHER_MODEL_H_
