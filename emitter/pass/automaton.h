// Estimates the size of the tables that Mesa's generator (nir_algebraic.py) creates for search sides, and the
// generation time, by building the same tree automaton without Mesa.
#ifndef REWROUGHT_EMITTER_PASS_AUTOMATON_H_
#define REWROUGHT_EMITTER_PASS_AUTOMATON_H_

#include <cstdint>
#include <vector>

#include "ir/term.h"

namespace rewrought::emitter {

// One or more tuples with the same automaton. The automaton depends neither on sizes nor on the values of constants.
struct SearchPattern {
  const ir::Rule* rule = nullptr;
  uint64_t copies = 1;
};

struct TableFigures {
  bool complete = true;  // False if counting stopped at a limit.
  uint64_t tuples = 0;
  uint64_t states = 0;   // States of the automaton. Mesa's tables store a state in 16 bits.
  uint64_t entries = 0;  // Entries of the transition tables.
  uint64_t bytes = 0;    // Size of the generated C.
  double seconds = 0;    // CPU time that python3 needs to generate the code.
};

struct TableLimits {
  uint64_t bytes = 2'000'000;
  double seconds = 5;
};

// Returns the table sizes of one pass. Stops as soon as they are certain to exceed `limits`.
TableFigures CountTables(const std::vector<SearchPattern>& patterns, const TableLimits& limits);

bool Within(const TableFigures& figures, const TableLimits& limits);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_AUTOMATON_H_
