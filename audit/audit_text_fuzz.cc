// Parses arbitrary text as a waiver file, an earlier audit, a verdict file, a driver's condition, and a tree's tuple.
// No parser may crash.
#include <cstddef>
#include <cstdint>

#include "audit/audit_changes.h"
#include "audit/record/tree_verdicts.h"
#include "audit/rule_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::audit;
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)ParseWaivers(text, "fuzz");
  (void)EarlierAudit::Parse(text, "fuzz");
  if (const auto verdicts = TreeVerdicts::Parse(text, "fuzz"); verdicts.ok()) {
    // The text that is written from the lines must be valid, too.
    if (!TreeVerdicts::Parse(verdicts->Text(), "fuzz").ok()) __builtin_trap();
  }
  (void)ReadCondition(text);
  std::vector<std::string> dropped;
  const std::string rule = WithoutLaterPredicates(WithoutUnknownPredicates(WithTodaysOps(text), &dropped), &dropped);
  (void)MatchesNothing(rule);
  return 0;
}
