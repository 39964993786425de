// Draws a shader's DAG as Graphviz text: before selection, and after, with the tiles that cover it.
#ifndef REWROUGHT_MACHINE_SELECT_DOT_H_
#define REWROUGHT_MACHINE_SELECT_DOT_H_

#include <string>

#include "machine/select/selection.h"

namespace rewrought::machine::select {

// One digraph with two clusters, "before" (values, one cluster a block) and "after" (one box a tile, with its rule,
// instructions and the ops that it covers; values that several tiles compute are red). Quotes, backslashes and line
// ends of names are escaped. Past kMaxDrawnNodes needed values the rest is left out, and the drawing says so.
inline constexpr size_t kMaxDrawnNodes = 2000;
std::string DrawSelection(const Selection& selection);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_DOT_H_
