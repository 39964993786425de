// Interprets the PTX of silicon's kernels with the host's float unit and <cmath>, for tests only. It is written from
// the PTX ISA document and is independent of the project's evaluators and rows, so that an error in ptx_rows.txt or in
// the description shows up as a mismatch.
#ifndef REWROUGHT_TOOLS_SILICON_TESTING_PTX_INTERPRETER_H_
#define REWROUGHT_TOOLS_SILICON_TESTING_PTX_INTERPRETER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rewrought::silicon {

// Faults that tests inject.
struct Quirks {
  bool keeps_denormals = false;  // .ftz has no effect
  bool nan_maximum = false;      // the maximum of a NaN and a number is NaN
  bool product_one_off = false;  // products of normals are one ULP too big
  bool clamps_at_two = false;    // .sat clamps to 0 and 2
};

class PtxKernel {
 public:
  // Parses the kernel `entry` of the module `text`. On failure, returns false and sets `error` to a log like the
  // driver's.
  bool Parse(const std::string& text, const std::string& entry, const Quirks& quirks, std::string* error);

  // Runs one thread. `parameters` contains each parameter's value; addresses are the host's.
  void Run(uint32_t thread, uint32_t threads_per_block, uint32_t block, const std::vector<uint64_t>& parameters) const;

  size_t parameters() const { return parameters_.size(); }

 private:
  using Function = std::function<uint64_t(const uint64_t* operands)>;
  enum class Kind { kValue, kBranch, kReturn, kLoadParameter, kLoad, kStore };
  struct Operand {
    int register_index = -1;  // -1 if `value` is used
    uint64_t value = 0;
  };
  struct Step {
    Kind kind = Kind::kValue;
    Function function;
    int guard = -1;  // a predicate's register, or -1 for unconditional
    int destination = -1;
    std::vector<Operand> operands;
    size_t target = 0;  // the target step of a branch
    std::string label;
  };

  bool ParseStatement(std::string statement, std::string* error);
  bool ParseOperand(const std::string& text, Operand* operand) const;
  void Declare(const std::string& declaration);

  std::map<std::string, int> parameters_, registers_;
  std::map<std::string, size_t> labels_;
  std::vector<Step> steps_;
  Quirks quirks_;
};

// Returns the function of an opcode such as "add.rn.ftz.f32", or an empty function if the rows do not use the opcode.
std::function<uint64_t(const uint64_t* operands)> PtxFunction(const std::string& opcode, const Quirks& quirks);

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_TESTING_PTX_INTERPRETER_H_
