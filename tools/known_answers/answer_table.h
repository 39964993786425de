// Converts an op's plain meaning and a list of inputs to lines of known answers. Each line lists all results that the
// float contract's denormal modes and free zero signs allow.
#ifndef REWROUGHT_TOOLS_KNOWN_ANSWERS_ANSWER_TABLE_H_
#define REWROUGHT_TOOLS_KNOWN_ANSWERS_ANSWER_TABLE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rewrought::known_answers {

enum class Flushing {
  kNone,      // does not change any bits
  kMust,      // in mode `flush`, every float source and result is flushed
  kOptional,  // in mode `flush`, every flush is a choice
};

// One result component according to the plain meaning.
struct Outcome {
  uint64_t bits = 0;
  bool tiny = false;       // see Rounded
  bool free_zero = false;  // the sign of a zero result is free
  bool poison = false;     // the result may be any value
};

struct Operand {
  int bits = 32;
  bool is_float = false;
  int components = 1;
};

using Inputs = std::vector<std::vector<uint64_t>>;  // by source and component

struct OpSpec {
  std::string name;
  int free_size = 0;  // 0 if the op has no free size
  Operand result;
  std::vector<Operand> sources;
  Flushing flushing = Flushing::kNone;
  std::string reference;  // the document that states the meaning
  std::function<std::vector<Outcome>(const Inputs&)> evaluate;
};

// The lines of one family.
class AnswerTable {
 public:
  // Adds the answers for `inputs` in all three modes, or in only one mode if all modes agree; successive calls rotate
  // through the modes. Ops without floats use mode `none`. Set `preserve_only` if the contract does not define the
  // results in the other modes.
  void Add(const OpSpec& spec, const Inputs& inputs, bool preserve_only = false);
  // Adds answers for scalar sources only.
  void AddScalars(const OpSpec& spec, const std::vector<uint64_t>& values, bool preserve_only = false);
  const std::string& text() const { return text_; }

 private:
  void Write(const OpSpec& spec, const std::string& mode, const Inputs& inputs, const std::string& answer);

  std::string text_;
  int turn_ = 0;
};

}  // namespace rewrought::known_answers

#endif  // REWROUGHT_TOOLS_KNOWN_ANSWERS_ANSWER_TABLE_H_
