// Models the term that Mesa builds when it applies a rule.
#ifndef REWROUGHT_IR_MATCH_MESA_BUILD_H_
#define REWROUGHT_IR_MATCH_MESA_BUILD_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

// Changes `replace` to the term that Mesa builds from the tuple. Mesa builds an instruction for each written op, even
// for a repeated subexpression, so that each makes its own nondeterministic choices. All ops get the fast-math flags of
// the search's root (Mesa 25.0.7 nir_search.c:473-480). A tree of more than kMaxBuiltNodes nodes becomes an empty term,
// which no case accepts.
inline constexpr size_t kMaxBuiltNodes = 4096;
void BuildAsMesa(const Term& search, Term* replace);

// Returns the base type of the first use of `variable` in `term`; Mesa's predicates on constants depend on it.
BaseType TypeOfUse(const Term& term, absl::string_view variable);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_MESA_BUILD_H_
