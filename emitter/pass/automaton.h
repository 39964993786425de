// How large the tables are that Mesa's generator (nir_algebraic.py) makes of a set of search sides, and how long it
// takes: counted by building the same tree automaton, without Mesa.
#ifndef REWROUGHT_EMITTER_PASS_AUTOMATON_H_
#define REWROUGHT_EMITTER_PASS_AUTOMATON_H_

#include <cstdint>
#include <vector>

#include "ir/term.h"

namespace rewrought::emitter {

// One tuple, or several alike: sizes and values of constants are no part of the automaton.
struct SearchPattern {
  const ir::Rule* rule = nullptr;
  uint64_t copies = 1;
};

struct TableFigures {
  bool complete = true;  // false: counting stopped at a limit, and the figures are what it came to
  uint64_t tuples = 0;
  uint64_t states = 0;   // of the automaton; Mesa's tables hold them in 16 bits
  uint64_t entries = 0;  // of the transition tables
  uint64_t bytes = 0;    // of generated C
  double seconds = 0;    // of processor time that python3 generates for
};

struct TableLimits {
  uint64_t bytes = 2'000'000;
  double seconds = 5;
};

// The figures of one pass made of `patterns`. Stops as soon as `limits` are surely passed.
TableFigures CountTables(const std::vector<SearchPattern>& patterns, const TableLimits& limits);

// Whether the figures are within `limits`.
bool Within(const TableFigures& figures, const TableLimits& limits);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_AUTOMATON_H_
