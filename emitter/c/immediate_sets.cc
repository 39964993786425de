#include "emitter/c/immediate_sets.h"

#include <algorithm>

#include "ir/scalar.h"

namespace rewrought::emitter {
namespace {

class Ranges {
 public:
  explicit Ranges(int width) : width_(width), mask_(ir::MaskOf(width)) {}

  void Add(uint64_t from, uint64_t to) {
    if (from <= mask_) ranges_.emplace_back(from, std::min(to, mask_));
  }

  // Adds a range of signed numbers; negative numbers become the largest unsigned numbers of this width.
  void AddSigned(int64_t from, int64_t to) {
    const auto most = static_cast<int64_t>(mask_ >> 1);
    from = std::max(from, -most - 1), to = std::min(to, most);
    if (from > to) return;
    if (to >= 0) Add(static_cast<uint64_t>(std::max<int64_t>(from, 0)), static_cast<uint64_t>(to));
    if (from < 0) Add(static_cast<uint64_t>(from) & mask_, static_cast<uint64_t>(std::min<int64_t>(to, -1)) & mask_);
  }

  void AddFloat(double value) {
    const uint64_t bits = ir::FloatToBits(value, width_);
    Add(bits, bits);
  }

  std::vector<std::pair<uint64_t, uint64_t>> Take() {
    std::sort(ranges_.begin(), ranges_.end());
    std::vector<std::pair<uint64_t, uint64_t>> apart;
    for (const auto& [from, to] : ranges_) {
      if (!apart.empty() && (apart.back().second == mask_ || from <= apart.back().second + 1)) {
        apart.back().second = std::max(apart.back().second, to);
      } else {
        apart.emplace_back(from, to);
      }
    }
    return apart;
  }

 private:
  const int width_;
  const uint64_t mask_;
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;
};

// Adds the floats with a sign, three exponent bits, and four mantissa bits.
void AddSmallFloats(Ranges* ranges) {
  for (int n = 0; n < 128; ++n) {
    const int exponent = n >> 4, mantissa = n & 15;
    double value = exponent == 0 ? mantissa / 64.0 : 16 + mantissa;
    for (int i = exponent; exponent != 0 && i < 7; ++i) value /= 2;
    ranges->AddFloat(value);
    ranges->AddFloat(-value);
  }
}

void AddSet(const machine::Machine& machine, const v1::ImmediateSet& set, int width, Ranges* ranges) {
  for (const v1::ImmediateSet::Range& range : set.ranges()) {
    if (range.from() < 0) {
      ranges->AddSigned(range.from(), range.to());
    } else {
      ranges->Add(static_cast<uint64_t>(range.from()), static_cast<uint64_t>(range.to()));
    }
  }
  for (const uint64_t pattern : set.patterns()) ranges->Add(pattern, pattern);
  const bool is_float =
      ir::IsFloatWidth(width) && std::any_of(machine.types().begin(), machine.types().end(),
                                             [&](const machine::Type& type) { return type.bits == width; });
  for (int i = 0; is_float && i < set.floats_size(); ++i) {
    ranges->AddFloat(set.floats(i));
    if (set.signs()) ranges->AddFloat(-set.floats(i));
  }
}

}  // namespace

std::vector<std::pair<uint64_t, uint64_t>> RangesOf(const machine::Machine& machine, const machine::OperandRule& rule,
                                                    int type_bits, int width) {
  Ranges ranges(width);
  if (rule.set != nullptr) {
    AddSet(machine, *rule.set, width, &ranges);
  } else if (rule.immediate == v1::Immediate::MINIFLOAT8) {
    if (width == type_bits && ir::IsFloatWidth(width)) AddSmallFloats(&ranges);
  } else {
    ranges.Add(0, rule.immediate == v1::Immediate::UINT8 ? 0xff : 0xffff);
  }
  return ranges.Take();
}

}  // namespace rewrought::emitter
