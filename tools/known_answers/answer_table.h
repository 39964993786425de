// Turns an op's plain meaning and a list of inputs into lines of known answers: applies the float contract's denormal
// modes and free zero signs around the meaning, and writes the set of allowed results.
#ifndef REWROUGHT_TOOLS_KNOWN_ANSWERS_ANSWER_TABLE_H_
#define REWROUGHT_TOOLS_KNOWN_ANSWERS_ANSWER_TABLE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rewrought::known_answers {

enum class Flushing {
  kNone,      // passes bits through
  kMust,      // in mode `flush` every float source and result is flushed
  kOptional,  // in mode `flush` every flush is a choice
};

// What the meaning says of one result component.
struct Outcome {
  uint64_t bits = 0;
  bool tiny = false;       // see Rounded
  bool free_zero = false;  // if the result is a zero, its sign is free
  bool poison = false;     // any value
};

struct Operand {
  int bits = 32;
  bool is_float = false;
  int components = 1;
};

using Inputs = std::vector<std::vector<uint64_t>>;  // per source, per component

struct OpSpec {
  std::string name;
  int free_size = 0;  // 0: the op has none
  Operand result;
  std::vector<Operand> sources;
  Flushing flushing = Flushing::kNone;
  std::string reference;  // where the meaning is stated
  std::function<std::vector<Outcome>(const Inputs&)> evaluate;
};

// Lines of one family, and how many each op got.
class AnswerTable {
 public:
  // Adds `inputs` in the modes whose answers differ; where all three agree, in one of them by turns. Ops without floats
  // get mode `none`. `preserve_only`: the contract does not say what the other modes give.
  void Add(const OpSpec& spec, const Inputs& inputs, bool preserve_only = false);
  // Scalar sources only.
  void AddScalars(const OpSpec& spec, const std::vector<uint64_t>& values, bool preserve_only = false);
  const std::string& text() const { return text_; }

 private:
  void Write(const OpSpec& spec, const std::string& mode, const Inputs& inputs, const std::string& answer);

  std::string text_;
  int turn_ = 0;
};

}  // namespace rewrought::known_answers

#endif  // REWROUGHT_TOOLS_KNOWN_ANSWERS_ANSWER_TABLE_H_
