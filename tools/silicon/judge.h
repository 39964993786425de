// Compares what a device gave for a case with the machine's description and with the op of the IR that the instruction
// stands for: by the float contract's sets of results (docs/float_contract.md), approximations by the row's bound.
#ifndef REWROUGHT_TOOLS_SILICON_JUDGE_H_
#define REWROUGHT_TOOLS_SILICON_JUDGE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/evaluate.h"
#include "tools/silicon/cases.h"

namespace rewrought::silicon {

inline constexpr size_t kExamples = 4;  // kept of each kind of deviation

struct Answer {
  uint64_t lane = 0;
  std::vector<uint64_t> inputs;  // by the case's inputs
  uint64_t output = 0;

  friend auto operator<=>(const Answer&, const Answer&) = default;
};

struct Example {
  Answer answer;
  std::string allowed;  // what the description allows: "0x3f800000", "{0x00000000, 0x80000000}", "nan"

  friend bool operator<(const Example& x, const Example& y) { return x.answer < y.answer; }
};

// Deviations by kind ("denormal kept", "off by 1 ULP", "NaN", "clamp", "sign of zero", ...).
struct Deviations {
  struct Kind {
    uint64_t count = 0;
    std::vector<Example> examples;  // of the lowest lanes, sorted
  };
  std::map<std::string, Kind> kinds;
  uint64_t undecided = 0;  // the evaluator could not say whether the result is allowed

  uint64_t count() const;
  void Add(const std::string& kind, Example example);
  void Merge(const Deviations& other);
};

struct Tally {
  uint64_t lanes = 0;
  Deviations description, ir;
  // Of approximations: the worst error among finite results where the bound holds, as a fraction of the bound.
  double worst_error = 0;
  Answer worst;

  void Merge(const Tally& other);
};

class Side;

class Judge {
 public:
  // InvalidArgument where a meaning does not build. `one` must outlive the judge.
  static absl::StatusOr<std::unique_ptr<Judge>> Create(const machine::Machine& machine, const Case& one);
  ~Judge();

  // Compares lanes `first`...; `inputs` by the case's inputs. Thread-safe.
  void Compare(uint64_t first, const std::vector<std::vector<uint64_t>>& inputs, absl::Span<const uint32_t> outputs,
               Tally* tally) const;

  // Text of the IR's side, "fadd(a, b)"; empty where no op of the IR stands for the case.
  const std::string& ir_text() const { return ir_text_; }
  // Whether the description lists that its selection of this op deviates from the IR.
  bool deviation_listed() const { return deviation_listed_; }

  // For inputs that land on boundaries of the meaning.
  const ir::Dag& dag() const;
  const std::vector<ir::ValueIndex>& roots() const;

 private:
  Judge() = default;

  std::unique_ptr<Side> description_, ir_;
  std::string ir_text_;
  bool deviation_listed_ = false;
};

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_JUDGE_H_
