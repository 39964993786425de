#include "ir/text/value_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

constexpr int64_t kMaxDecimal = 65535;
constexpr int64_t kMaxSmallMask = 127;
constexpr int kMaxDigits = 17;                      // the significant digits that a double needs
constexpr int kMinExponent = -5, kMaxExponent = 9;  // exponents in this range are written without exponent notation

std::string Chars(double value, std::chars_format format, int precision) {
  char buffer[400];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value, format, precision).ptr};
}

bool ReadsBack(const std::string& text, uint64_t pattern, int bits) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && FloatToBits(value, bits) == pattern;
}

}  // namespace

std::string DecimalText(uint64_t pattern, int bits) {
  const double value = BitsToFloat(pattern, bits);
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  int digits = 0;  // digits after the point
  std::string text = Chars(value, std::chars_format::scientific, digits);
  while (digits < kMaxDigits && !ReadsBack(text, pattern, bits)) {
    text = Chars(value, std::chars_format::scientific, ++digits);
  }
  const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
  if (exponent < kMinExponent || exponent > kMaxExponent) return text;
  text = Chars(value, std::chars_format::fixed, std::max(0, digits - exponent));
  return absl::StrContains(text, '.') ? text : text + ".0";
}

std::string IntegerText(uint64_t pattern, int bits, bool is_mask) {
  const int64_t value = SignExtend(pattern, bits);
  if (value >= -kMaxDecimal && value <= (is_mask ? kMaxSmallMask : kMaxDecimal)) return absl::StrCat(value);
  return absl::StrCat("0x", absl::Hex(pattern & MaskOf(bits)));
}

std::string NumberText(uint64_t pattern, int bits, std::optional<BaseType> type) {
  if (type == BaseType::kFloat && IsFloatWidth(bits)) {
    const double value = BitsToFloat(pattern, bits);
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    return DecimalText(pattern, bits);
  }
  if (bits == 1) return pattern != 0 ? "True" : "False";
  return type == BaseType::kInt ? absl::StrCat(SignExtend(pattern, bits)) : absl::StrCat(pattern & MaskOf(bits));
}

}  // namespace rewrought::ir
