// Compares the verifier's statements about the accuracy of a rule with errors measured independently.
#ifndef REWROUGHT_TESTS_ACCURACY_RULE_ACCURACY_H_
#define REWROUGHT_TESTS_ACCURACY_RULE_ACCURACY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/accuracy/worst_case.h"

namespace rewrought::accuracy {

// The kinds of drivers: one that fuses no products, one that fuses all products, and Intel's, which fuses no product
// with a constant into a sum with a constant.
enum class Driver : uint8_t { kAsWritten, kFuses, kKeepsConstants };
inline constexpr Driver kDrivers[] = {Driver::kAsWritten, Driver::kFuses, Driver::kKeepsConstants};
const char* NameOf(Driver driver);

// The verifier's statements about a rule on a target. Only the full check, with measurements, determines the accuracy
// class.
struct Statement {
  std::optional<double> growth;     // ErrorGrowth::factor
  std::optional<double> ulp_bound;  // InexactVerdict::ulp_bound
  std::string accuracy = "-";       // the accuracy class, or "-" if it was not requested
};

struct DriverResult {
  Driver driver = Driver::kAsWritten;
  Statement stated;
  WorstCase usual, special;  // over all contractions that the driver may apply

  // Describes the first wrong statement, or returns an empty string.
  std::string Fault(const Sides& sides) const;
};

struct RuleResult {
  Sides sides;
  std::vector<DriverResult> drivers;
};

struct CheckOptions {
  SearchEffort effort;
  bool with_class = false;
  std::optional<Statement> planted;  // replaces the verifier's statements, to test the check
  std::optional<Driver> only;        // checks only this driver
};

// Checks the rule's case at 32 bits. Fails with Unimplemented if a side cannot be evaluated in quadruple precision, and
// with FailedPrecondition if the sides differ over the reals, because nothing is stated about such a rule.
absl::StatusOr<RuleResult> CheckAccuracy(absl::string_view rule, const CheckOptions& options);

}  // namespace rewrought::accuracy

#endif  // REWROUGHT_TESTS_ACCURACY_RULE_ACCURACY_H_
