// Draws a shader as Graphviz text: its DAG before selection, and the selected tiles.
#ifndef REWROUGHT_MACHINE_SELECT_DOT_H_
#define REWROUGHT_MACHINE_SELECT_DOT_H_

#include <string>

#include "machine/select/selection.h"

namespace rewrought::machine::select {

// Returns a digraph with two clusters. "before" contains the values, grouped by block. "after" contains one box per
// tile, with the tile's rule, its instructions and the ops that it covers; ops that several tiles compute are red.
// Special characters in names are escaped. At most kMaxDrawnNodes needed values are drawn, and a note in the drawing
// reports any omission.
inline constexpr size_t kMaxDrawnNodes = 2000;
std::string DrawSelection(const Selection& selection);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_DOT_H_
