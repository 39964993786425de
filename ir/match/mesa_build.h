// The term that Mesa builds where a rule is applied, from the tuple that says it.
#ifndef REWROUGHT_IR_MATCH_MESA_BUILD_H_
#define REWROUGHT_IR_MATCH_MESA_BUILD_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

// Makes `replace` what Mesa builds from a tuple: an instruction for each op as written, also where a subexpression is
// repeated, so that each makes its own choices; all with the fast-math flags of the search's root (Mesa 25.0.7
// nir_search.c:473-480). A tree of more than kMaxBuiltNodes nodes becomes an empty term, which no case accepts.
inline constexpr size_t kMaxBuiltNodes = 4096;
void BuildAsMesa(const Term& search, Term* replace);

// The base type as which `variable` is used first in `term`; Mesa's predicates on constants depend on it.
BaseType TypeOfUse(const Term& term, absl::string_view variable);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_MESA_BUILD_H_
