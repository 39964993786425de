// The model of Mesa's matcher: what a flag on a search node guarantees, and which flags the built nodes get. Each
// statement cites the C code of Mesa 25.0.7 (src/compiler/nir) that it models; tests/mesa compares them.
#ifndef REWROUGHT_IR_MATCH_MATCHER_MODEL_H_
#define REWROUGHT_IR_MATCH_MATCHER_MODEL_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

// Whether the matcher reads nsz, nnan, and ninf of an instruction whose result has `bits` bits. It compares the flags
// for the size of the *result* (nir.h:1607-1622), and only 16, 32, and 64 bits have flags. At every other size the
// flags are always satisfied, so that they exclude no instruction.
bool MatcherReadsFlags(int bits);

// Whether a flag that the matcher has read permits anything at the node: its result must be a float, or the node must
// be a selection, whose flags describe the value that it returns. A comparison or a conversion to an integer has float
// operands, but the flags describe only its result (nir.h:1607-1622), so nothing is known about the operands.
bool FlagPermits(const OpRow& op, int bits);

// The flags of a node with a result of `bits` bits that Mesa builds in the place of `root`. The matcher copies the
// whole flag word of the matched root to each node (nir_search.c:477). It has checked only the flags that the rule
// names, for the size of the root's result. All other flags are unknown to the rule, and are returned as
// kRootNoSignedZero, kRootNoNan, and kRootNoInf. `op` is the row of the built node.
uint8_t FlagsOfBuiltNode(const Node& root, const OpRow& op, int bits);

// The mark that a node has if the matched root has `permission`, one of kPermissions.
uint8_t RootMark(uint8_t permission);

// Marks the root of a search with each unknown flag that the nodes of `built` share with it, so that both sides depend
// on the same unknown. Does nothing if flags permit nothing at the root (FlagPermits).
void MarkUnknownFlags(const Term& built, Node* root);

// The name of the input that tells whether the matched root has `permission` for values of `bits` bits: "root_nsz32".
std::string RootFlagInput(uint8_t permission, int bits);

// "nsz" for the input "root_nsz32" where the root's result has `root_bits` = 32 bits, and "nsz (16-bit)" for
// "root_nsz16".
std::string RootFlagText(absl::string_view input, int root_bits);

// Whether `input` is such a name. No variable's name contains '_'.
bool IsRootFlagInput(absl::string_view input);

// Whether the rule is right for vectors as well as for scalars. The root of a search that is a per-component op matches
// an instruction with any number of components, and Mesa builds the replacement with that number
// (nir_search.c:455-500): each op of the replacement must then act per component as well. A search that contains an op
// with a fixed number of result components, read whole, matches at most that number (nir_search.c:386-391).
// InvalidArgument: the replacement has an op or a swizzle for which a vector root gives another value, or reads
// components that do not exist.
absl::Status CheckVectorRoot(const Rule& rule);

// Names the model; part of the digest of the semantics. Raise it when a statement changes.
inline constexpr absl::string_view kMatcherModelVersion = "matcher-nir-25-1";

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_MATCHER_MODEL_H_
