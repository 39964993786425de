#include "ir/text/literal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/scalar.h"
#include "ir/text/predicates.h"

namespace rewrought::ir {
namespace {

Node Constant(LiteralKind literal, uint64_t value) {
  Node node;
  node.kind = NodeKind::kConstant;
  node.literal = literal;
  node.values.fill(value);
  return node;
}

Node FloatConstant(double value) { return Constant(LiteralKind::kFloat, std::bit_cast<uint64_t>(value)); }

bool IsHex(absl::string_view text) { return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'); }

bool ParseMagnitude(absl::string_view text, uint64_t* value) {
  const int base = IsHex(text) ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return code == std::errc() && end == text.data() + text.size();
}

bool ParseInteger(absl::string_view text, Node* node, std::string* message) {
  const bool negative = !text.empty() && text[0] == '-';
  uint64_t magnitude = 0;
  if (!ParseMagnitude(text.substr(negative ? 1 : 0), &magnitude) || (negative && magnitude > uint64_t{1} << 63)) {
    *message = absl::StrCat("'", text.substr(0, 40), "' is not a 64-bit integer");
    return false;
  }
  *node = Constant(LiteralKind::kInt, negative ? 0 - magnitude : magnitude);
  return true;
}

bool ParsePattern(absl::string_view text, uint64_t* value) { return IsHex(text) && ParseMagnitude(text, value); }

std::string FloatText(double value) {
  if (std::isnan(value)) return "'nan'";
  if (std::isinf(value)) return value < 0 ? "'-inf'" : "'inf'";
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, result.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string PatternText(const Node& node, const Swizzle& swizzle, int lanes) {
  std::string text;
  for (int c = 0; c < node.components; ++c) {
    const auto digits = static_cast<absl::PadSpec>(absl::kZeroPad2 + std::max(0, (node.bits + 3) / 4 - 2));
    const uint64_t value = node.values[c];
    absl::StrAppend(&text, c == 0 ? "" : ",", "0x",
                    node.bits >= 8 ? absl::StrCat(absl::Hex(value, digits)) : absl::StrCat(absl::Hex(value)));
  }
  absl::StrAppend(&text, ShapeText(node));
  const std::string letters = SwizzleText(swizzle, lanes);
  if (node.components == 1 && letters.empty()) return text;
  return absl::StrCat("'", text, letters.empty() ? "" : ".", letters, "'");
}

}  // namespace

bool ParseNumber(absl::string_view text, Node* node, std::string* message) {
  const bool is_float = !IsHex(text.substr(!text.empty() && text[0] == '-' ? 1 : 0)) &&
                        text.find_first_of(".eE") != absl::string_view::npos;
  if (!is_float) return ParseInteger(text, node, message);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  // For a number beyond the range of double, from_chars leaves `value` unchanged, while Python returns inf or 0.
  if (end != text.data() + text.size() || (code != std::errc() && code != std::errc::result_out_of_range)) {
    *message = absl::StrCat("'", text.substr(0, 40), "' is not a number");
    return false;
  }
  if (code == std::errc::result_out_of_range && !absl::SimpleAtod(text, &value)) {
    *message = absl::StrCat("'", text.substr(0, 40), "' is beyond the range of a double; write 'inf' for infinity");
    return false;
  }
  if (std::isinf(value)) {
    *message = absl::StrCat("'", text.substr(0, 40), "' is beyond the range of a double; write 'inf' for infinity");
    return false;
  }
  *node = FloatConstant(value);
  return true;
}

bool ApplyShape(absl::string_view shape, bool is_pattern, Node* node, NameError* error) {
  AnnotatedName parsed;
  if (!ParseShape(shape, &parsed, error)) return false;
  if (node->literal == LiteralKind::kFloat && parsed.bits < 16) {
    *error = {0, "a float must have 16, 32 or 64 bits"};
    return false;
  }
  if (is_pattern && node->literal == LiteralKind::kInt) {
    if (node->values[0] & ~MaskOf(parsed.bits)) {
      *error = {0, absl::StrCat("the pattern has more than ", static_cast<int>(parsed.bits), " bits")};
      return false;
    }
    node->literal = LiteralKind::kBits;
    for (int c = std::max<int>(1, parsed.components); c < kMaxComponents; ++c) node->values[c] = 0;
  }
  node->bits = parsed.bits;
  node->components = std::max<uint8_t>(1, parsed.components);
  node->write_mask = parsed.write_mask;
  return true;
}

bool ParseQuotedConstant(absl::string_view text, Node* node, Source* use, bool* handled, NameError* error) {
  *handled = true;
  const double infinity = std::numeric_limits<double>::infinity();
  if (text == "inf" || text == "-inf" || text == "nan") {
    *node = FloatConstant(text == "nan"   ? std::numeric_limits<double>::quiet_NaN()
                          : text == "inf" ? infinity
                                          : -infinity);
    return true;
  }
  *handled = IsHex(text) && text.find('@') != absl::string_view::npos;
  if (!*handled) return false;
  const size_t at = text.find('@');
  *node = Constant(LiteralKind::kInt, 0);
  size_t count = 0;
  uint64_t all_bits = 0;
  for (const absl::string_view part : absl::StrSplit(text.substr(0, at), ',')) {
    if (count == kMaxComponents || !ParsePattern(part, &node->values[count])) {
      *error = {0, "expected 1 to 16 patterns like 0x3f800000 before '@'"};
      return false;
    }
    all_bits |= node->values[count++];
  }
  absl::string_view shape = text.substr(at + 1);
  const size_t dot = shape.find('.');
  if (dot != absl::string_view::npos) {
    if (!ParseSwizzle(shape.substr(dot + 1), &use->swizzle)) {
      *error = {at + 2 + dot, "a swizzle consists of 1 to 16 letters, each one of x, y, z, w or e to p"};
      return false;
    }
    shape = shape.substr(0, dot);
  }
  std::array<uint64_t, kMaxComponents> values = node->values;
  node->values.fill(all_bits);
  if (!ApplyShape(shape, true, node, error)) {
    error->offset += at + 1;
    return false;
  }
  if (node->components != count) {
    *error = {at, absl::StrCat("the number of patterns, ", count, ", is not the number of components, ",
                               static_cast<int>(node->components))};
    return false;
  }
  node->values = values;  // entries beyond `count` are 0
  return true;
}

std::string LiteralText(const Node& node, const Swizzle& swizzle, int lanes) {
  if (!node.name.empty()) return node.name;  // set by ir/text/display.cc; parsed constants have no name
  // Write a zero that matches either sign as the float literal from which it was parsed.
  if (std::find(node.predicates.begin(), node.predicates.end(), kEitherZeroMark) != node.predicates.end()) {
    return absl::StrCat("0.0", ShapeText(node));
  }
  if (node.literal == LiteralKind::kBits) return PatternText(node, swizzle, lanes);
  std::string text;
  if (node.literal == LiteralKind::kBool) {
    text = node.values[0] ? "True" : "False";
  } else if (node.literal == LiteralKind::kInt) {
    text = absl::StrCat(static_cast<int64_t>(node.values[0]));
  } else {
    text = FloatText(std::bit_cast<double>(node.values[0]));
  }
  if (node.bits != 0) absl::StrAppend(&text, ShapeText(node));
  return text;
}

}  // namespace rewrought::ir
