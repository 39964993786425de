// Parses arbitrary text as an expression and as the pattern of a search. Neither parser may crash.
#include <cstddef>
#include <cstdint>

#include "server/handlers/pattern_uses.h"
#include "server/handlers/rule_search.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  (void)rpc::ReadPattern(text);
  const auto term = rpc::ReadExpression(text);
  if (!term.ok()) return 0;
  store::RuleRecord rule;
  rule.search = "('fadd', 'a@32', 0.0)";
  rule.replace = "a";
  (void)rpc::MatchesOf(rule, *term);
  return 0;
}
