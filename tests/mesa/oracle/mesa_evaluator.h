// Loads Mesa's constant evaluator (built by build.sh), draws values for testing it, and reads the table of known
// differences.
#ifndef REWROUGHT_TESTS_MESA_ORACLE_MESA_EVALUATOR_H_
#define REWROUGHT_TESTS_MESA_ORACLE_MESA_EVALUATOR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "ir/op_row.h"

namespace rewrought {

inline constexpr size_t kMesaComponents = 16;  // the size of the evaluator's vectors

// The functions that generate.py appends to the evaluator; generate.py also describes their arguments.
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

// Loads the library built by build.sh, or exits the process if that fails.
Mesa LoadMesa(const char* library);

// Returns a random value of `bits` bits for the type `base`, biased toward corner cases.
uint64_t DrawValue(std::mt19937_64* random, ir::BaseType base, int bits);

// Returns the reasons in differences.txt that apply to `version`, by "op[@size]".
std::map<std::string, std::string> ReadKnown(const char* path, const std::string& version);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_MESA_ORACLE_MESA_EVALUATOR_H_
