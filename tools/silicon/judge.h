// Compares a device's results for a case with the machine's description and with the corresponding op of the IR. Uses
// the float contract's sets of results (docs/float_contract.md), and the row's bound for approximations.
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

inline constexpr size_t kExamples = 4;  // number of examples for each kind of deviation

struct Answer {
  uint64_t lane = 0;
  std::vector<uint64_t> inputs;  // one for each of the case's inputs
  uint64_t output = 0;

  friend auto operator<=>(const Answer&, const Answer&) = default;
};

struct Example {
  Answer answer;
  std::string allowed;  // the values that the description allows: "0x3f800000", "{0x00000000, 0x80000000}", "nan"

  friend bool operator<(const Example& x, const Example& y) { return x.answer < y.answer; }
};

// Deviations by kind ("denormal kept", "off by 1 ULP", "NaN", "clamp", "sign of zero", ...).
struct Deviations {
  struct Kind {
    uint64_t count = 0;
    std::vector<Example> examples;  // the examples of the lowest lanes, sorted
  };
  std::map<std::string, Kind> kinds;
  uint64_t undecided = 0;  // results for which the evaluator could not decide membership

  uint64_t count() const;
  void Add(const std::string& kind, Example example);
  void Merge(const Deviations& other);
};

struct Tally {
  uint64_t lanes = 0;
  Deviations description, ir;
  // For approximations: the worst error among finite results to which the bound applies, as a fraction of the bound.
  double worst_error = 0;
  Answer worst;

  void Merge(const Tally& other);
};

class Side;

class Judge {
 public:
  // Creates a judge for a case. Fails with InvalidArgument if a meaning cannot be built. `one` must outlive the judge.
  static absl::StatusOr<std::unique_ptr<Judge>> Create(const machine::Machine& machine, const Case& one);
  ~Judge();

  // Compares the lanes from `first` on, with the inputs in the case's order. Thread-safe.
  void Compare(uint64_t first, const std::vector<std::vector<uint64_t>>& inputs, absl::Span<const uint32_t> outputs,
               Tally* tally) const;

  // Returns the IR's side as text, "fadd(a, b)", or "" if no op of the IR corresponds to the case.
  const std::string& ir_text() const { return ir_text_; }
  // Returns whether the description lists a deviation from the IR in its selection of this op.
  bool deviation_listed() const { return deviation_listed_; }

  // Returns the meaning, which is used to generate inputs on its boundaries.
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
