// Fuzzes the rule parser. No input may crash it, and every rule that parses must round-trip through printing.
// Enumerating the rule's sizes must not crash either.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "ir/text/canonical.h"
#include "ir/text/node_table.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::ir;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  for (const RuleEntry& entry : ParseRules(text)) {
    if (!entry.rule.ok() || !entry.program.empty()) continue;
    const std::string printed = PrintRule(*entry.rule);
    const absl::StatusOr<Rule> again = ParseRule(printed);
    if (!again.ok() || !SameTerm(again->search, entry.rule->search) || !SameTerm(again->replace, entry.rule->replace) ||
        again->condition != entry.rule->condition || PrintRule(*again) != printed) {
      std::abort();
    }
    const auto sizes = EnumerateSizes(*entry.rule);
    if (!sizes.ok()) continue;
    const absl::StatusOr<Rule> sized = Instantiate(*entry.rule, sizes->front());
    if (sized.ok() && !StructurallyEqual(CanonicalRule(*sized), *sized)) std::abort();
  }
  (void)ParseTerm(text);
  return 0;
}
