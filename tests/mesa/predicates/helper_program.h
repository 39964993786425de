// Runs the program that build_helpers.py compiles: the predicates of a Mesa tree.
#ifndef REWROUGHT_TESTS_MESA_PREDICATES_HELPER_PROGRAM_H_
#define REWROUGHT_TESTS_MESA_PREDICATES_HELPER_PROGRAM_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/dialect/dialect.h"

namespace rewrought {

// A set of predicates: bit i stands for predicate number i of the tree.
struct PredicateMask {
  std::array<uint64_t, 2> words = {};
  bool has(size_t i) const { return (words[i / 64] >> (i % 64) & 1) != 0; }
  void add(size_t i) { words[i / 64] |= uint64_t{1} << (i % 64); }
};

// One request of run_helpers.c, where the fields are described.
struct HelperRequest {
  uint32_t base = 'f', bits = 32, components = 1, extra = 0, preserves = 3, lanes = 0;
  PredicateMask asked;
};

class HelperProgram {
 public:
  // `path` is the program, and `version` the version of its tree. Exits the process if the program cannot run.
  HelperProgram(std::string path, absl::string_view version);

  ir::Dialect dialect() const { return dialect_; }
  const std::vector<std::string>& variables() const { return variables_; }  // the predicates on variables, by number
  const std::vector<std::string>& ops() const { return ops_; }              // the predicates on ops

  // Returns the types of the result and the sources of each op, as in "bcsel" -> "ubuu".
  std::map<std::string, std::string> Types() const;

  // Returns the predicates that hold for each lane. `values` contains `components` values per lane.
  std::vector<PredicateMask> Ask(const HelperRequest& request, const std::vector<uint64_t>& values) const;

  // Runs a command that prints masks.
  std::vector<PredicateMask> Masks(const std::string& command) const;

 private:
  std::string Run(const std::string& command) const;

  const std::string path_;
  ir::Dialect dialect_;
  std::vector<std::string> variables_, ops_;
};

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_MESA_PREDICATES_HELPER_PROGRAM_H_
