// Mesa's constant evaluator as build.sh makes it, values to try it on, and the table of its known differences.
#ifndef REWROUGHT_TESTS_MESA_ORACLE_MESA_EVALUATOR_H_
#define REWROUGHT_TESTS_MESA_ORACLE_MESA_EVALUATOR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "ir/op_row.h"

namespace rewrought {

inline constexpr size_t kMesaComponents = 16;  // the evaluator's vectors

// The functions that generate.py appends, which says what they take.
struct Mesa {
  int (*count)();
  const char* (*name)(int);
  int (*find)(const char*);
  int (*source_components)(int, int);
  int (*source_bits)(int, int);
  int (*result_components)(int);
  int (*result_bits)(int);
  void (*evaluate)(int, unsigned, unsigned, unsigned, unsigned, const uint64_t* const*, uint64_t*, unsigned char*);
};

// Ends the program where the library cannot be loaded.
Mesa LoadMesa(const char* library);

// A value of `bits` bits, read as `base`, that meets corner cases often.
uint64_t DrawValue(std::mt19937_64* random, ir::BaseType base, int bits);

// The reasons of differences.txt by "op[@size]", of those that hold for `version`.
std::map<std::string, std::string> ReadKnown(const char* path, const std::string& version);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_MESA_ORACLE_MESA_EVALUATOR_H_
