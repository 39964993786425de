#include "ir/facts/value_facts.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace rewrought::ir {
namespace {

void SayWord(absl::string_view word, ValueFacts* facts) {
  constexpr double kMax = std::numeric_limits<double>::max();
  uint64_t bound = 0;
  if (word == "number") facts->number = true;
  if (word == "finite") {
    facts->number = true;
    facts->low = std::max(facts->low, -kMax);
    facts->high = std::min(facts->high, kMax);
  }
  if (word == "=0" || word == ">=0" || word == ">0" || word == "0..1") facts->low = std::max(facts->low, 0.0);
  if (word == "=0" || word == "<=0" || word == "<0") facts->high = std::min(facts->high, 0.0);
  if (word == "0..1") facts->high = std::min(facts->high, 1.0);
  if (word == ">0" || word == "<0" || word == "!=0") facts->nonzero = true;
  if (word == "integral") facts->integral = true;
  if (word == "from_bool") facts->from_bool = true;
  if (word == "uniform") facts->uniform = true;
  if (word == "product") facts->product = true;
  if (word == "saturable") facts->saturable = true;
  if (absl::StartsWith(word, "chains=")) (void)absl::SimpleAtoi(word.substr(7), &facts->chains);
  if (absl::StartsWith(word, "second_chains=")) (void)absl::SimpleAtoi(word.substr(14), &facts->second_chains);
  if (absl::StartsWith(word, "max=") && absl::SimpleAtoi(word.substr(4), &bound)) facts->max_unsigned = bound;
}

}  // namespace

ValueFacts Join(const ValueFacts& a, const ValueFacts& b) {
  ValueFacts joined;
  joined.number = a.number && b.number;
  joined.low = std::min(a.low, b.low);
  joined.high = std::max(a.high, b.high);
  joined.nonzero = a.nonzero && b.nonzero;
  joined.integral = a.integral && b.integral;
  joined.known_zero = a.known_zero & b.known_zero;
  joined.known_one = a.known_one & b.known_one;
  joined.max_unsigned = std::max(a.max_unsigned, b.max_unsigned);
  joined.from_bool = a.from_bool && b.from_bool;
  joined.uniform = a.uniform && b.uniform;
  joined.product = a.product && b.product;
  joined.saturable = a.saturable && b.saturable;
  joined.chains = std::min(a.chains, b.chains);
  joined.second_chains = std::min(a.second_chains, b.second_chains);
  return joined;
}

std::string FactsText(const ValueFacts& facts) {
  std::string text;
  const auto say = [&text](bool holds, absl::string_view word) {
    if (holds) absl::StrAppend(&text, text.empty() ? "" : " ", word);
  };
  say(facts.number, "number");
  say(facts.finite(), "finite");
  if (facts.low >= 0 || facts.high <= 0) {
    if (facts.low >= 0 && facts.high <= 0) {
      say(true, "=0");
    } else if (facts.low >= 0) {
      say(true, facts.nonzero ? ">0" : ">=0");
    } else {
      say(true, facts.nonzero ? "<0" : "<=0");
    }
  } else {
    say(facts.nonzero, "!=0");
  }
  say(facts.zero_to_one(), "0..1");
  say(facts.integral, "integral");
  say(facts.from_bool, "from_bool");
  // Larger bounds do not help any rule, and most of them come from the bit patterns of floats.
  say(facts.max_unsigned < (1u << 24), absl::StrCat("max=", facts.max_unsigned));
  say(facts.uniform, "uniform");
  say(facts.product, "product");
  say(facts.saturable, "saturable");
  say(facts.chains > 0, absl::StrCat("chains=", facts.chains));
  say(facts.second_chains > 0, absl::StrCat("second_chains=", facts.second_chains));
  return text;
}

std::string FactsSummary(const std::vector<ValueFacts>& facts) {
  return absl::StrJoin(facts, ";", [](std::string* out, const ValueFacts& of) { out->append(FactsText(of)); });
}

std::vector<ValueFacts> ParseFactsSummary(absl::string_view text) {
  std::vector<ValueFacts> facts;
  for (absl::string_view words : absl::StrSplit(text, ';')) {
    ValueFacts& of = facts.emplace_back();
    for (absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty())) SayWord(word, &of);
  }
  return facts;
}

}  // namespace rewrought::ir
