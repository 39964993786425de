// Evaluates a reading over the reals at one point, with MPFR at 512 bits: the reference for errors in ULP, and what
// finds points where two sides differ.
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

// A real number to kReferenceBits significant bits. Immutable once shared.
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
    bool exists = true;  // as NormalForms has it
  };
  struct Truth {
    bool truth = false;
    bool exists = true;
  };

  // `point` holds one pattern per input of `dag`, and both outlive this.
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

  // False where rounding may have decided a comparison or a floor, or numbers left MPFR's useful range: then the point
  // tells nothing.
  bool reliable() const { return reliable_; }

  // Whether x and y differ by more than rounding explains. Both must exist.
  bool Differ(const Real& x, const Real& y);

 private:
  Real Keep(std::shared_ptr<BigNumber> value, bool exists);
  Real Approximation(ir::Approximation function, absl::Span<const Real> x);
  Real Rounded(const Real& x, mpfr_rnd_t rounding);
  // Whether |x - y| is tiny against the largest number seen, and not 0.
  bool TooClose(const Real& x, const Real& y);

  const ir::Dag* const dag_;
  const absl::Span<const uint64_t> point_;
  mpfr_exp_t largest_ = 0;  // exponent of the largest number seen
  bool reliable_ = true;
};

// |result - reference| in units of the last place of `reference` in the format of `width` bits. `reference` is not 0
// and the float `result` is finite.
double ErrorInUlp(const BigNumber& reference, double result, int width);

// "0.75", to 12 digits.
std::string Spell(const BigNumber& value);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_NUMBER_H_
