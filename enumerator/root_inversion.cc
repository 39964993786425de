#include "enumerator/root_inversion.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/substitute.h"
#include "ir/text/rule_text.h"

namespace rewrought::enumerator {
namespace {

constexpr uint32_t kAll = ~uint32_t{0};

// The operand that an op must have on one lane: its bits in `mask` must equal those of `value`.
struct Operand {
  uint32_t value = 0, mask = kAll;
};

// Returns the operand for which the op computes `goal`, or nullopt if there is none.
using Inverse = std::optional<Operand> (*)(uint32_t goal, uint32_t constant);

struct Inversion {
  const char* root;  // `$0` is the operand, and `$1` the constant.
  bool shifts = false, reads_constant = true;
  Inverse inverse;
};

std::optional<Operand> If(bool possible, Operand operand) {
  if (!possible) return std::nullopt;
  return operand;
}

const Inversion kInversions[] = {
    {"('ishl@32', $0, $1)", true, true,
     [](uint32_t g, uint32_t c) {
       return If(g >> c << c == g, {g >> c, kAll >> c});
     }},
    {"('ushr@32', $0, $1)", true, true,
     [](uint32_t g, uint32_t c) {
       return If(g << c >> c == g, {g << c, kAll << c});
     }},
    {"('ishr@32', $0, $1)", true, true,
     [](uint32_t g, uint32_t c) {
       const auto back = static_cast<uint32_t>(static_cast<int32_t>(g << c) >> c);
       return If(back == g, {g << c, kAll << c});
     }},
    {"('iand@32', $0, $1)", false, true,
     [](uint32_t g, uint32_t c) {
       return If((g & ~c) == 0, {g, c});
     }},
    {"('ior@32', $0, $1)", false, true,
     [](uint32_t g, uint32_t c) {
       return If((g & c) == c, {g & ~c, ~c});
     }},
    {"('iadd@32', $0, $1)", false, true, [](uint32_t g, uint32_t c) { return If(true, {g - c}); }},
    {"('isub@32', $1, $0)", false, true, [](uint32_t g, uint32_t c) { return If(true, {c - g}); }},
    {"('ineg@32', $0)", false, false, [](uint32_t g, uint32_t) { return If(true, {0 - g}); }},
    {"('inot@32', $0)", false, false, [](uint32_t g, uint32_t) { return If(true, {~g}); }},
};

std::optional<InvertedRoot> Invert(const Inversion& inversion, const LaneBlock& goal, uint32_t constant) {
  InvertedRoot inverted;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::optional<Operand> operand = inversion.inverse(goal.lane[lane], constant);
    if (!operand.has_value()) return std::nullopt;
    inverted.value.lane[lane] = operand->value;
    inverted.mask.lane[lane] = operand->mask;
  }
  return inverted;
}

// Returns the op as a term.
ir::Term RootOf(const Inversion& inversion, uint32_t constant) {
  const std::string operand = absl::StrFormat("'%s@32'", kBeforeRoot), number = absl::StrFormat("0x%08x@32", constant);
  return *ir::ParseTerm(absl::Substitute(inversion.root, operand, number));
}

}  // namespace

std::vector<InvertedRoot> InvertRoot(const LaneBlock& goal, absl::Span<const uint32_t> constants) {
  std::vector<InvertedRoot> found;
  for (const Inversion& inversion : kInversions) {
    const uint32_t none = 0;
    for (const uint32_t constant : inversion.reads_constant ? constants : absl::MakeConstSpan(&none, 1)) {
      if (inversion.shifts && (constant == 0 || constant > 31)) continue;
      std::optional<InvertedRoot> inverted = Invert(inversion, goal, constant);
      if (!inverted.has_value()) continue;
      inverted->root = RootOf(inversion, constant);
      found.push_back(*std::move(inverted));
    }
  }
  return found;
}

}  // namespace rewrought::enumerator
