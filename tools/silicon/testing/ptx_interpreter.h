// An interpreter of the PTX that silicon's kernels consist of, on the host's float unit and <cmath>: for tests only,
// and no device. Written from the PTX ISA document; it shares nothing with the project's evaluators and rows, so that a
// row of ptx_rows.txt or of the description that is wrong contradicts it.
#ifndef REWROUGHT_TOOLS_SILICON_TESTING_PTX_INTERPRETER_H_
#define REWROUGHT_TOOLS_SILICON_TESTING_PTX_INTERPRETER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rewrought::silicon {

// Faults that tests plant.
struct Quirks {
  bool keeps_denormals = false;  // .ftz does nothing
  bool nan_maximum = false;      // max of a NaN and a number is NaN
  bool product_one_off = false;  // products of normals are one ULP too big
  bool clamps_at_two = false;    // .sat clamps to 0 and 2
};

class PtxKernel {
 public:
  // The kernel `entry` of the module `text`; false with a log like the driver's in `error`.
  bool Parse(const std::string& text, const std::string& entry, const Quirks& quirks, std::string* error);

  // One thread. `parameters` hold each parameter's value; addresses are the host's.
  void Run(uint32_t thread, uint32_t threads_per_block, uint32_t block, const std::vector<uint64_t>& parameters) const;

  size_t parameters() const { return parameters_.size(); }

 private:
  using Function = std::function<uint64_t(const uint64_t* operands)>;
  enum class Kind { kValue, kBranch, kReturn, kLoadParameter, kLoad, kStore };
  struct Operand {
    int register_index = -1;  // -1: `value`
    uint64_t value = 0;
  };
  struct Step {
    Kind kind = Kind::kValue;
    Function function;
    int guard = -1;  // a predicate's register; -1: always
    int destination = -1;
    std::vector<Operand> operands;
    size_t target = 0;  // of a branch, a step
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

// The function of an opcode like "add.rn.ftz.f32"; empty if it is not among those that the rows use.
std::function<uint64_t(const uint64_t* operands)> PtxFunction(const std::string& opcode, const Quirks& quirks);

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_TESTING_PTX_INTERPRETER_H_
