// Evaluates float terms in their own formats and, independently of the verifier, in quadruple precision. Computes a
// first-order error bound from the roundings that actually occur.
#ifndef REWROUGHT_TESTS_ACCURACY_QUAD_EVALUATOR_H_
#define REWROUGHT_TESTS_ACCURACY_QUAD_EVALUATOR_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"

namespace rewrought::accuracy {

using Quad = __float128;  // 113 significant bits

enum class Op : uint8_t {
  kLiteral,
  kVariable,
  kAdd,
  kMul,
  kFma,
  kDiv,
  kSqrt,
  kNeg,
  kAbs,
  kMin,
  kMax,
  kFloor,
  kCeil,
  kTrunc,
  kRoundEven,
  kConvert,
  kRcp,
  kRsq,
  kExp2,
  kLog2,
  kPow,
  kSin,
  kCos,
  kSelect,
  kLess,
  kAtLeast,
  kEqual,
  kNot,
  kAnd,
  kOr,
};

struct Instruction {
  Op op = Op::kLiteral;
  int width = 32;                 // of the result: 1 for a Boolean, otherwise a float's width
  std::array<int, 3> operands{};  // earlier instructions
  double literal = 0;             // kLiteral
  int variable = 0;               // kVariable
  bool fusible = false;           // a whole op of the term, not a step of a compound op such as flrp

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Code {
  std::vector<Instruction> steps;
  std::vector<int> ops;  // the steps that compute the results of the term's ops
  int root = 0;

  friend bool operator==(const Code&, const Code&) = default;
};

struct Variable {
  std::string name;
  int width = 32;
  bool positive = false;  // a predicate excludes zero and negative numbers
  bool constant = false;  // `#a`
  bool varies = false;    // is_not_const
};

// Compiles a scalar term of one rule; `variables` collects the variables of both sides. Fails with Unimplemented if the
// term has an op, a shape, or a predicate that this evaluator does not know.
absl::StatusOr<Code> Compile(const ir::Term& term, std::vector<Variable>* variables);

// Describes how a driver contracts products into sums.
struct Contraction {
  bool enabled = false;
  bool second = false;           // in a sum of two products, fuse the second one
  bool through_abs = true;       // |a b| + c is fused, as |a| |b| + c
  bool several_uses = true;      // a product is fused if all of its users are sums; else only if it has one user
  bool keeps_constants = false;  // a product with a constant is not fused into a sum with a constant
};

// Returns the code that the driver executes. `constants` states for each variable whether it is a constant.
Code Contracted(const Code& code, const Contraction& contraction, const std::vector<bool>& constants);

// Returns whether an operation has only constant operands, some of which are variables.
bool IsFolded(const Code& code, const std::vector<bool>& constants);

// The values of all instructions at one point.
struct Trace {
  std::vector<double> computed;  // in the instruction's own format
  std::vector<Quad> exact;
  std::vector<Quad> doubt;    // an upper bound on the error of `exact`
  std::vector<bool> rounds;   // whether the operation, applied to computed operands, is inexact
  bool in_range = true;       // no value overflows, is denormal, or is undefined
  bool decided_alike = true;  // rounding errors change no comparison and no rounding to an integer
};

Trace Evaluate(const Code& code, const std::vector<double>& point);

// Returns the absolute error bound of the root at `trace`: the sum of |d root / d value| |value| u over the
// instructions whose entry in `rounds` is true.
Quad ErrorBound(const Code& code, const Trace& trace, const std::vector<bool>& rounds);

// Returns 2^-p for a float format with p significant bits.
double UnitRoundoff(int width);

// Returns `value`, rounded to the nearest number of the format.
double RoundTo(Quad value, int width);

// Returns the number that is `steps` numbers above `value` in the format.
double Neighbor(double value, int64_t steps, int width);

}  // namespace rewrought::accuracy

#endif  // REWROUGHT_TESTS_ACCURACY_QUAD_EVALUATOR_H_
