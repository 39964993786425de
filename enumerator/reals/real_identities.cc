#include "enumerator/reals/real_identities.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::enumerator {

const std::vector<absl::string_view>& RealIdentityTexts() {
  static const auto& texts = *new std::vector<absl::string_view>{
      // Sums and products.
      "(('fadd', ('fadd', a, b), c), ('fadd', a, ('fadd', b, c)))",
      "(('fmul', ('fmul', a, b), c), ('fmul', a, ('fmul', b, c)))",
      "(('fadd', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))",
      "(('fmul', a, ('fadd', b, c)), ('fadd', ('fmul', a, b), ('fmul', a, c)))",
      "(('fadd', ('fmul', a, b), a), ('fmul', a, ('fadd', b, 1.0)))",
      "(('fadd', a, 0.0), a)",
      "(('fmul', a, 0.0), 0.0)",
      "(('fmul', a, 1.0), a)",
      "(('fmul', a, -1.0), ('fneg', a))",
      "(('fadd', a, a), ('fmul', a, 2.0))",
      "(('fmul', a, 2.0), ('fadd', a, a))",
      "(('ffma', a, b, c), ('fadd', ('fmul', a, b), c))",
      "(('fadd', ('fmul', a, b), c), ('ffma', a, b, c))",
      "(('flrp', a, b, c), ('fadd', a, ('fmul', c, ('fadd', b, ('fneg', a)))))",
      "(('fadd', a, ('fmul', c, ('fadd', b, ('fneg', a)))), ('flrp', a, b, c))",
      // Signs.
      "(('fsub', a, b), ('fadd', a, ('fneg', b)))",
      "(('fneg', ('fneg', a)), a)",
      "(('fadd', a, ('fneg', a)), 0.0)",
      "(('fneg', ('fadd', a, b)), ('fadd', ('fneg', a), ('fneg', b)))",
      "(('fadd', ('fneg', a), ('fneg', b)), ('fneg', ('fadd', a, b)))",
      "(('fneg', ('fmul', a, b)), ('fmul', ('fneg', a), b))",
      "(('fmul', ('fneg', a), b), ('fneg', ('fmul', a, b)))",
      "(('fabs', ('fneg', a)), ('fabs', a))",
      "(('fabs', ('fabs', a)), ('fabs', a))",
      "(('fabs', ('fmul', a, a)), ('fmul', a, a))",
      "(('fmul', ('fabs', a), ('fabs', b)), ('fabs', ('fmul', a, b)))",
      "(('fabs', ('fmul', a, b)), ('fmul', ('fabs', a), ('fabs', b)))",
      "(('fmul', ('fabs', a), ('fabs', a)), ('fmul', a, a))",
      "(('fmul', ('fsign', a), a), ('fabs', a))",
      "(('fmul', ('fsign', a), ('fabs', a)), a)",
      // Quotients.
      "(('fdiv', a, b), ('fmul', a, ('frcp', b)))",
      "(('frcp', ('frcp', a)), a)",
      "(('frcp', ('fneg', a)), ('fneg', ('frcp', a)))",
      "(('fneg', ('frcp', a)), ('frcp', ('fneg', a)))",
      "(('fabs', ('frcp', a)), ('frcp', ('fabs', a)))",
      "(('frcp', ('fmul', a, b)), ('fmul', ('frcp', a), ('frcp', b)))",
      "(('fmul', ('frcp', a), ('frcp', b)), ('frcp', ('fmul', a, b)))",
      "(('fmul', ('frcp', a), a), 1.0)",
      // Roots.
      "(('frcp', ('fsqrt', a)), ('frsq', a))",
      "(('frcp', ('frsq', a)), ('fsqrt', a))",
      "(('fsqrt', ('frcp', a)), ('frsq', a))",
      "(('frsq', ('frcp', a)), ('fsqrt', a))",
      "(('fmul', ('frsq', a), a), ('fsqrt', a))",
      "(('fabs', ('fsqrt', a)), ('fsqrt', a))",
      "(('fabs', ('frsq', a)), ('frsq', a))",
      "(('fabs', ('fexp2', a)), ('fexp2', a))",
      "(('fmul', ('frsq', a), ('fsqrt', a)), 1.0)",
      "(('fmul', ('fsqrt', a), ('fsqrt', a)), a)",
      "(('fmul', ('frsq', a), ('frsq', a)), ('frcp', a))",
      "(('fmul', ('fsqrt', a), ('fsqrt', b)), ('fsqrt', ('fmul', a, b)))",
      "(('fmul', ('frsq', a), ('frsq', b)), ('frsq', ('fmul', a, b)))",
      "(('fmul', ('fsqrt', a), ('frsq', b)), ('fsqrt', ('fmul', a, ('frcp', b))))",
      "(('fsqrt', ('fmul', a, a)), ('fabs', a))",
      "(('frsq', ('fmul', a, a)), ('frcp', ('fabs', a)))",
      // Powers.
      "(('fpow', a, b), ('fexp2', ('fmul', ('flog2', a), b)))",
      "(('fexp2', ('fmul', ('flog2', a), b)), ('fpow', a, b))",
      "(('fexp2', ('flog2', a)), a)",
      "(('flog2', ('fexp2', a)), a)",
      "(('fmul', ('fexp2', a), ('fexp2', b)), ('fexp2', ('fadd', a, b)))",
      "(('frcp', ('fexp2', a)), ('fexp2', ('fneg', a)))",
      "(('flog2', ('frcp', a)), ('fneg', ('flog2', a)))",
      "(('flog2', ('fsqrt', a)), ('fmul', ('flog2', a), 0.5))",
      "(('flog2', ('frsq', a)), ('fmul', ('flog2', a), -0.5))",
      "(('fsqrt', ('fexp2', a)), ('fexp2', ('fmul', a, 0.5)))",
      "(('frsq', ('fexp2', a)), ('fexp2', ('fmul', a, -0.5)))",
      "(('fadd', ('flog2', a), ('flog2', b)), ('flog2', ('fmul', a, b)))",
      "(('fmul', ('fpow', a, c), ('fpow', b, c)), ('fpow', ('fmul', a, b), c))",
      "(('fpow', a, 1.0), a)",
      "(('fpow', a, -1.0), ('frcp', a))",
      "(('fpow', a, 0.5), ('fsqrt', a))",
      "(('fpow', a, -0.5), ('frsq', a))",
      "(('fpow', a, 2.0), ('fmul', a, a))",
      "(('fpow', a, 3.0), ('fmul', ('fmul', a, a), a))",
      "(('fpow', a, 4.0), ('fmul', ('fmul', a, a), ('fmul', a, a)))",
      "(('fpow', a, 5.0), ('fmul', ('fmul', ('fmul', a, a), ('fmul', a, a)), a))",
      "(('fpow', a, 6.0), ('fmul', ('fmul', ('fmul', a, a), a), ('fmul', ('fmul', a, a), a)))",
      "(('fpow', a, 8.0), ('fmul', ('fmul', ('fmul', a, a), ('fmul', a, a)), ('fmul', ('fmul', a, a), ('fmul', a, "
      "a))))",
      "(('fpow', a, 1.5), ('fmul', a, ('fsqrt', a)))",
      "(('fmul', ('fpow', a, b), a), ('fpow', a, ('fadd', b, 1.0)))",
      "(('fmul', ('fpow', a, b), ('fpow', a, c)), ('fpow', a, ('fadd', b, c)))",
      "(('fpow', ('fpow', a, b), c), ('fpow', a, ('fmul', b, c)))",
      "(('frcp', ('fpow', a, b)), ('fpow', a, ('fneg', b)))",
      "(('fpow', ('frcp', a), b), ('fpow', a, ('fneg', b)))",
      "(('fpow', ('fsqrt', a), b), ('fpow', a, ('fmul', b, 0.5)))",
      "(('fpow', ('fexp2', a), b), ('fexp2', ('fmul', a, b)))",
      // Minima, maxima, and bounds.
      "(('fmax', a, a), a)",
      "(('fmin', a, a), a)",
      "(('fmax', a, ('fneg', a)), ('fabs', a))",
      "(('fmin', a, ('fneg', a)), ('fneg', ('fabs', a)))",
      "(('fmax', ('fmax', a, b), c), ('fmax', a, ('fmax', b, c)))",
      "(('fmin', ('fmin', a, b), c), ('fmin', a, ('fmin', b, c)))",
      "(('fmax', ('fmin', a, b), a), a)",
      "(('fmin', ('fmax', a, b), a), a)",
      "(('fneg', ('fmax', a, b)), ('fmin', ('fneg', a), ('fneg', b)))",
      "(('fneg', ('fmin', a, b)), ('fmax', ('fneg', a), ('fneg', b)))",
      "(('fmin', ('fneg', a), ('fneg', b)), ('fneg', ('fmax', a, b)))",
      "(('fmax', ('fneg', a), ('fneg', b)), ('fneg', ('fmin', a, b)))",
      "(('fmax', ('fadd', a, c), ('fadd', b, c)), ('fadd', ('fmax', a, b), c))",
      "(('fmin', ('fadd', a, c), ('fadd', b, c)), ('fadd', ('fmin', a, b), c))",
      "(('fadd', ('fmax', a, '#b'), '#c'), ('fmax', ('fadd', a, c), ('fadd', b, c)))",
      "(('fadd', ('fmin', a, '#b'), '#c'), ('fmin', ('fadd', a, c), ('fadd', b, c)))",
      "(('fadd', ('fmax', a, b), ('fmin', a, b)), ('fadd', a, b))",
      "(('fmul', ('fmax', a, b), ('fmin', a, b)), ('fmul', a, b))",
      "(('fmin', ('fmax', a, 0.0), 1.0), ('fsat', a))",
      "(('fmax', ('fmin', a, 1.0), 0.0), ('fsat', a))",
      "(('fmax', ('fsat', a), 0.0), ('fsat', a))",
      "(('fmin', ('fsat', a), 1.0), ('fsat', a))",
      "(('fsat', ('fsat', a)), ('fsat', a))",
      "(('fsat', ('fmax', a, 0.0)), ('fsat', a))",
      "(('fsat', ('fmin', a, 1.0)), ('fsat', a))",
      "(('fabs', ('fsat', a)), ('fsat', a))",
      "(('fadd', 1.0, ('fneg', ('fsat', a))), ('fsat', ('fadd', 1.0, ('fneg', a))))",
      "(('fsat', ('fadd', 1.0, ('fneg', ('fsat', a)))), ('fsat', ('fadd', 1.0, ('fneg', a))))",
      // Selects.
      "(('b2f', a), ('bcsel', a, 1.0, 0.0))",
      "(('bcsel', a, 1.0, 0.0), ('b2f', a))",
      "(('bcsel', a, 0.0, 1.0), ('b2f', ('inot', a)))",
      "(('bcsel', ('inot', a), b, c), ('bcsel', a, c, b))",
      "(('bcsel', a, b, b), b)",
      "(('bcsel', ('flt', a, b), a, b), ('fmin', a, b))",
      "(('bcsel', ('flt', a, b), b, a), ('fmax', a, b))",
      "(('bcsel', ('fge', a, b), a, b), ('fmax', a, b))",
      "(('bcsel', ('fge', a, b), b, a), ('fmin', a, b))",
      "(('bcsel', ('flt', a, 0.0), ('fneg', a), a), ('fabs', a))",
      "(('bcsel', ('fge', a, 0.0), a, ('fneg', a)), ('fabs', a))",
      "(('bcsel', a, ('fneg', b), ('fneg', c)), ('fneg', ('bcsel', a, b, c)))",
      "(('bcsel', a, ('fadd', b, d), ('fadd', c, d)), ('fadd', ('bcsel', a, b, c), d))",
      "(('bcsel', a, ('fmul', b, d), ('fmul', c, d)), ('fmul', ('bcsel', a, b, c), d))",
      "(('fadd', ('bcsel', a, b, 0.0), c), ('bcsel', a, ('fadd', b, c), c))",
      "(('fadd', ('bcsel', a, 0.0, b), c), ('bcsel', a, c, ('fadd', b, c)))",
      "(('fmul', ('bcsel', a, '#b', '#c'), '#d'), ('bcsel', a, ('fmul', b, d), ('fmul', c, d)))",
      "(('fadd', ('bcsel', a, '#b', '#c'), '#d'), ('bcsel', a, ('fadd', b, d), ('fadd', c, d)))",
      "(('fneg', ('bcsel', a, '#b', '#c')), ('bcsel', a, ('fneg', b), ('fneg', c)))",
      "(('fmul', ('b2f', a), b), ('bcsel', a, b, 0.0))",
      "(('fmul', ('b2f', a), ('b2f', b)), ('b2f', ('iand', a, b)))",
      "(('fmax', ('b2f', a), ('b2f', b)), ('b2f', ('ior', a, b)))",
      "(('fmin', ('b2f', a), ('b2f', b)), ('b2f', ('iand', a, b)))",
      "(('fadd', 1.0, ('fneg', ('b2f', a))), ('b2f', ('inot', a)))",
      "(('fsat', ('b2f', a)), ('b2f', a))",
      // Integral and fractional parts.
      "(('ffract', a), ('fadd', a, ('fneg', ('ffloor', a))))",
      "(('fadd', a, ('fneg', ('ffloor', a))), ('ffract', a))",
      "(('fmod', a, b), ('fadd', a, ('fneg', ('fmul', b, ('ffloor', ('fmul', a, ('frcp', b)))))))",
      "(('ffloor', ('ffloor', a)), ('ffloor', a))",
      "(('ffloor', ('fceil', a)), ('fceil', a))",
      "(('fceil', ('ffloor', a)), ('ffloor', a))",
      "(('ffloor', ('fneg', a)), ('fneg', ('fceil', a)))",
      "(('fceil', ('fneg', a)), ('fneg', ('ffloor', a)))",
      "(('ffract', ('ffract', a)), ('ffract', a))",
      "(('ffloor', ('ffract', a)), 0.0)",
      "(('ffloor', ('fadd', a, ('ffloor', b))), ('fadd', ('ffloor', a), ('ffloor', b)))",
      "(('ffract', ('fadd', a, ('ffloor', b))), ('ffract', a))",
      // Angles.
      "(('fsin', ('fneg', a)), ('fneg', ('fsin', a)))",
      "(('fneg', ('fsin', a)), ('fsin', ('fneg', a)))",
      "(('fcos', ('fneg', a)), ('fcos', a))",
      "(('fcos', ('fabs', a)), ('fcos', a))",
      // Comparisons.
      "(('flt', ('fadd', a, ('fneg', b)), 0.0), ('flt', a, b))",
      "(('flt', 0.0, ('fadd', a, ('fneg', b))), ('flt', b, a))",
      "(('fge', ('fadd', a, ('fneg', b)), 0.0), ('fge', a, b))",
      "(('fge', 0.0, ('fadd', a, ('fneg', b))), ('fge', b, a))",
      "(('feq', ('fadd', a, ('fneg', b)), 0.0), ('feq', a, b))",
      "(('fneu', ('fadd', a, ('fneg', b)), 0.0), ('fneu', a, b))",
      "(('flt', ('fneg', a), ('fneg', b)), ('flt', b, a))",
      "(('fge', ('fneg', a), ('fneg', b)), ('fge', b, a))",
      "(('flt', ('fadd', a, '#b'), '#c'), ('flt', a, ('fadd', c, ('fneg', b))))",
      "(('flt', '#c', ('fadd', a, '#b')), ('flt', ('fadd', c, ('fneg', b)), a))",
      "(('fge', ('fadd', a, '#b'), '#c'), ('fge', a, ('fadd', c, ('fneg', b))))",
      "(('fge', '#c', ('fadd', a, '#b')), ('fge', ('fadd', c, ('fneg', b)), a))",
  };
  return texts;
}

const std::vector<ir::Rule>& RealIdentities(int bits) {
  static std::mutex mutex;
  static auto& by_bits = *new std::map<int, std::vector<ir::Rule>>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, is_new] = by_bits.try_emplace(bits);
  if (!is_new) return found->second;
  for (const absl::string_view text : RealIdentityTexts()) {
    const absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
    if (!rule.ok()) continue;
    const auto assignments = ir::EnumerateSizes(*rule, {.literals_exact = true});
    if (!assignments.ok()) continue;
    const auto fits = [&](uint8_t size) { return size == bits || size == 1; };
    for (const ir::SizeAssignment& sizes : *assignments) {
      if (!std::all_of(sizes.search_bits.begin(), sizes.search_bits.end(), fits) ||
          !std::all_of(sizes.replace_bits.begin(), sizes.replace_bits.end(), fits)) {
        continue;
      }
      absl::StatusOr<ir::Rule> sized = ir::Instantiate(*rule, sizes, {.literals_exact = true});
      if (!sized.ok()) continue;
      found->second.push_back(*std::move(sized));
      break;
    }
  }
  return found->second;
}

}  // namespace rewrought::enumerator
