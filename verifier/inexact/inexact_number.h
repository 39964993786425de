// Evaluates values over the reals at one point, with MPFR at 512 bits. The result is the reference for errors in ULP,
// and it shows whether the two sides of a rule differ at the point.
#ifndef REWROUGHT_VERIFIER_INEXACT_INEXACT_NUMBER_H_
#define REWROUGHT_VERIFIER_INEXACT_INEXACT_NUMBER_H_

#include <mpfr.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "ir/approximate.h"
#include "ir/dag.h"

namespace rewrought::verifier {

inline constexpr int kReferenceBits = 512;

// A real number with kReferenceBits significant bits. Immutable once shared.
class BigNumber {
 public:
  BigNumber() {
    ir::FreeMpfrCachesWithThread();
    mpfr_init2(value_, kReferenceBits);
  }
  ~BigNumber() { mpfr_clear(value_); }
  BigNumber(const BigNumber&) = delete;
  BigNumber& operator=(const BigNumber&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

// The domain of RealReader that computes numbers at one point of the Dag's inputs.
class NumberDomain {
 public:
  struct Real {
    std::shared_ptr<const BigNumber> value;
    bool exists = true;  // whether the number is defined, as in NormalForms
  };
  struct Truth {
    bool truth = false;
    bool exists = true;
  };

  // `point` has one pattern per input of `dag`. Both must outlive this object.
  NumberDomain(const ir::Dag* dag, absl::Span<const uint64_t> point) : dag_(dag), point_(point) {}

  Real Literal(double value);
  Real RealInput(uint32_t input);
  Truth TruthInput(uint32_t input) { return {point_[input] != 0}; }
  Real Apply(const ir::Value& value, absl::Span<const Real> operands);
  Real CopySign(double magnitude, const Real& x);
  Real Select(const Truth& condition, const Real& then, const Real& otherwise);
  Truth SelectTruth(const Truth& condition, const Truth& then, const Truth& otherwise);
  Truth FromBool(bool value) { return {value}; }
  Truth Compare(ir::Primitive comparison, const Real& x, const Real& y);
  Truth Not(const Truth& x) { return {!x.truth, x.exists}; }
  Truth And(const Truth& x, const Truth& y);

  // Returns false if rounding may have decided a comparison or a floor, or if a number left the supported range. The
  // point is then inconclusive.
  bool reliable() const { return reliable_; }

  // Returns whether x and y differ by more than rounding can explain. Both must be defined.
  bool Differ(const Real& x, const Real& y);

 private:
  Real Keep(std::shared_ptr<BigNumber> value, bool exists);
  Real Approximation(ir::Approximation function, absl::Span<const Real> x);
  Real Rounded(const Real& x, mpfr_rnd_t rounding);
  // Returns whether |x - y| is nonzero but tiny compared with the largest number seen.
  bool TooClose(const Real& x, const Real& y);

  const ir::Dag* const dag_;
  const absl::Span<const uint64_t> point_;
  mpfr_exp_t largest_ = 0;  // exponent of the largest number seen
  bool reliable_ = true;
};

// Returns |result - reference| in units in the last place of `reference` in the `width`-bit format. `reference` must
// not be 0, and the float `result` must be finite.
double ErrorInUlp(const BigNumber& reference, double result, int width);

// Formats the value with 12 digits: "0.75".
std::string Spell(const BigNumber& value);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_NUMBER_H_
