#include "audit/rule_reading.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "proto/parse_limits.h"

namespace rewrought::audit {
namespace {

// Returns the index of the ')' that closes the '(' at `open`, or npos.
size_t Closing(absl::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return absl::string_view::npos;
}

absl::string_view WithoutOuterParentheses(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  while (text.size() >= 2 && text.front() == '(' && Closing(text, 0) == text.size() - 1) {
    text = absl::StripAsciiWhitespace(text.substr(1, text.size() - 2));
  }
  return text;
}

// Calls `visit` with each type of a float result or source of the op, and with the index of the value's node.
template <typename Visit>
void ForEachFloat(const ir::Term& term, ir::NodeIndex index, Visit visit) {
  const ir::Node& node = term.at(index);
  if (node.op->result.base == ir::BaseType::kFloat) visit(node.op->result, index);
  for (size_t k = 0; k < node.sources.size(); ++k) {
    if (node.op->sources[k].base == ir::BaseType::kFloat) visit(node.op->sources[k], node.sources[k].node);
  }
}

// Returns whether the size of each float of the term is one of `sizes` in all assignments of sizes.
bool HasOnlyFloatsOf(const std::vector<int>& sizes, const ir::Rule& rule) {
  const absl::StatusOr<std::vector<ir::SizeAssignment>> assignments = ir::EnumerateSizes(rule);
  if (!assignments.ok()) return false;
  bool only = true;
  for (const ir::SizeAssignment& assignment : *assignments) {
    for (ir::NodeIndex i = 0; i < rule.search.nodes.size(); ++i) {
      if (rule.search.at(i).kind != ir::NodeKind::kOp) continue;
      ForEachFloat(rule.search, i, [&](const ir::OperandType& type, ir::NodeIndex value) {
        const int bits = type.bits != 0 ? type.bits : assignment.search_bits[value];
        only = only && std::find(sizes.begin(), sizes.end(), bits) != sizes.end();
      });
    }
  }
  return only;
}

// Returns the last argument, a size, of `part` if it is exactly a call of `function`, which may begin with `!`.
std::optional<int> SizeInCall(absl::string_view part, absl::string_view function) {
  if (!absl::ConsumePrefix(&part, function) || part.empty() || part.front() != '(') return std::nullopt;
  if (Closing(part, 0) != part.size() - 1) return std::nullopt;
  const std::vector<absl::string_view> arguments = absl::StrSplit(part.substr(1, part.size() - 2), ',');
  int size = 0;
  if (arguments.size() != 2 || !absl::SimpleAtoi(arguments[1], &size)) return std::nullopt;
  return size;
}

bool IsMediumPrecision(const ir::Node& node) {
  return node.kind == ir::NodeKind::kOp && absl::EndsWith(node.op->name, "mp") && node.sources.size() == 1 &&
         node.op->name.size() == 5 && node.op->name[1] == '2';
}

}  // namespace

std::vector<std::string> Conjuncts(absl::string_view condition) {
  // A condition that exceeds the limits is treated as a single part, which is not interpreted.
  if (!proto::CheckBrackets(condition, proto::kTreeTextLimits, proto::Quotes::kDouble, false).ok()) {
    return {std::string(condition)};
  }
  condition = WithoutOuterParentheses(condition);
  std::vector<std::string> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < condition.size(); ++i) {
    if (condition[i] == '(') ++depth;
    if (condition[i] == ')') --depth;
    // In `a || b && c`, the && binds more tightly, so the whole condition is a single part.
    if (depth == 0 && absl::StartsWith(condition.substr(i), "||")) return {std::string(condition)};
    if (depth == 0 && absl::StartsWith(condition.substr(i), "&&")) {
      for (std::string& part : Conjuncts(condition.substr(begin, i - begin))) parts.push_back(std::move(part));
      begin = i + 2;
      ++i;
    }
  }
  if (begin == 0) {
    if (!condition.empty() && condition != "true") parts.emplace_back(condition);
  } else {
    for (std::string& part : Conjuncts(condition.substr(begin))) parts.push_back(std::move(part));
  }
  return parts;
}

ConditionReading ReadCondition(absl::string_view condition) {
  ConditionReading reading;
  for (const std::string& part : Conjuncts(condition)) {
    if (const auto size = SizeInCall(part, "!nir_is_float_control_signed_zero_inf_nan_preserve"); size.has_value())
      reading.loose_sizes.push_back(*size);
    if (const auto size = SizeInCall(part, "nir_is_denorm_flush_to_zero"); size.has_value())
      reading.modes[*size] = ir::DenormMode::kFlush;
    if (const auto size = SizeInCall(part, "nir_is_denorm_preserve"); size.has_value())
      reading.modes[*size] = ir::DenormMode::kPreserve;
    if (absl::StartsWith(part, "nir_is_rounding_mode_rtz(")) reading.only_toward_zero = true;
    if (absl::StrContains(part, "options->lower_") && part[0] != '!') reading.is_lowering = true;
  }
  return reading;
}

bool LoosenFloats(const std::vector<int>& sizes, ir::Rule* rule) {
  if (sizes.empty() || !HasOnlyFloatsOf(sizes, *rule)) return false;
  bool any = false;
  for (ir::NodeIndex i = 0; i < rule->search.nodes.size(); ++i) {
    ir::Node& node = rule->search.nodes[i];
    if (node.kind != ir::NodeKind::kOp) continue;
    bool has_float = false;
    ForEachFloat(rule->search, i, [&](const ir::OperandType&, ir::NodeIndex) { has_float = true; });
    if (!has_float) continue;
    node.flags |= ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;
    any = true;
  }
  return any;
}

std::optional<ir::Rule> WithoutMediumPrecision(const ir::Rule& rule) {
  ir::Rule plain = rule;
  bool any = false;
  for (ir::Term* side : {&plain.search, &plain.replace}) {
    std::vector<ir::Source> stands_for(side->nodes.size());
    for (ir::NodeIndex i = 0; i < side->nodes.size(); ++i) {
      ir::Node& node = side->nodes[i];
      stands_for[i] = {i, ir::kIdentitySwizzle};
      for (ir::Source& source : node.sources) {
        // Handle only identity swizzles; these rules use no others.
        if (source.swizzle == ir::kIdentitySwizzle) source = stands_for[source.node];
      }
      if (!IsMediumPrecision(node)) continue;
      any = true;
      if (node.op->name[0] == node.op->name[2]) {
        stands_for[i] = node.sources[0];
        continue;
      }
      // Without medium precision, f2imp becomes f2i32.
      node.op = ir::FindOp(absl::StrCat(node.op->name.substr(0, 3), "32"));
      if (node.op == nullptr) return std::nullopt;
      node.bits = 32;
    }
    side->root = stands_for[side->root].node;
  }
  if (!any) return std::nullopt;
  return plain;
}

bool FixSourceSizes(const SourceSizes& sizes, ir::Rule* rule) {
  bool any = false;
  for (ir::Term* side : {&rule->search, &rule->replace}) {
    for (const ir::Node& node : side->nodes) {
      if (node.kind != ir::NodeKind::kOp) continue;
      const auto fixed = sizes.find(node.op->name);
      if (fixed == sizes.end() || fixed->second.size() != node.sources.size()) continue;
      for (size_t k = 0; k < node.sources.size(); ++k) {
        ir::Node& source = side->nodes[node.sources[k].node];
        if (fixed->second[k] == 0 || node.op->sources[k].bits != 0 || source.bits != 0) continue;
        source.bits = static_cast<uint8_t>(fixed->second[k]);
        any = true;
      }
    }
  }
  return any;
}

std::string WithTodaysOps(std::string tuple) {
  if (!proto::CheckLength(tuple, proto::kTreeTextLimits).ok()) return tuple;
  tuple = absl::StrReplaceAll(tuple, {{"'fsat_signed_mali", "'fsat_signed"}, {"'fclamp_pos_mali", "'fclamp_pos"}});
  for (const absl::string_view old : {"i2b", "f2b"}) {
    for (size_t at = tuple.find(absl::StrCat("'", old)); at != std::string::npos;
         at = tuple.find(absl::StrCat("'", old), at + 1)) {
      if (at == 0 || tuple[at - 1] != '(') continue;
      const size_t open = at - 1, close = Closing(tuple, open), quote = tuple.find('\'', at + 1);
      if (close == absl::string_view::npos || quote == std::string::npos) return tuple;
      // In 'i2b32@32(is_used_once)', the size and the remaining marks follow the name.
      size_t end = at + 1 + old.size();
      while (end < quote && absl::ascii_isdigit(static_cast<unsigned char>(tuple[end]))) ++end;
      if (absl::ascii_isalpha(static_cast<unsigned char>(tuple[end]))) continue;  // another op, such as f2bf
      std::string size = tuple.substr(at + 1 + old.size(), end - at - 1 - old.size());
      if (size == "1") size.clear();
      const bool is_float = old[0] == 'f';
      tuple.insert(close, is_float ? ", 0.0" : ", 0");
      tuple.replace(at + 1, end - at - 1, absl::StrCat(is_float ? "fneu" : "ine", size));
    }
  }
  return tuple;
}

std::string WithoutUnknownPredicates(std::string rule, std::vector<std::string>* dropped) {
  constexpr absl::string_view kMessage = "unknown predicate '";
  constexpr int kMost = 16;
  for (int i = 0; i < kMost; ++i) {
    ir::ParseError error;
    if (ir::ParseRule(rule, 1, &error).ok() || !absl::StartsWith(error.message, kMessage)) break;
    const std::string rest = error.message.substr(kMessage.size());
    const std::string name = rest.substr(0, rest.find('\''));
    const std::string before = rule;
    rule = absl::StrReplaceAll(rule, {{absl::StrCat("(", name, ")"), ""},
                                      {absl::StrCat("(", name, ","), "("},
                                      {absl::StrCat(",", name, ","), ","},
                                      {absl::StrCat(",", name, ")"), ")"}});
    if (rule == before) break;
    dropped->push_back(name);
  }
  return rule;
}

std::string WithoutLaterPredicates(std::string rule, std::vector<std::string>* dropped) {
  constexpr absl::string_view kBegin = "the marks of '", kEnd = "' must appear at its first use";
  constexpr int kMost = 16;
  for (int i = 0; i < kMost; ++i) {
    ir::ParseError error;
    if (ir::ParseRule(rule, 1, &error).ok() || !absl::StartsWith(error.message, kBegin)) break;
    const std::string rest = error.message.substr(kBegin.size());
    if (!absl::StrContains(rest, kEnd)) break;
    const std::string name = rest.substr(0, rest.find('\''));
    const std::string marked = absl::StrCat("'", name, "(");
    const size_t open = rule.find(marked), close = open == std::string::npos ? open : rule.find(')', open);
    if (close == std::string::npos) break;
    rule.erase(open + marked.size() - 1, close - (open + marked.size() - 1) + 1);
    dropped->push_back(name);
  }
  return rule;
}

bool MatchesNothing(const std::string& search) {
  const absl::StatusOr<ir::Term> term = ir::ParseTerm(search);
  if (!term.ok()) return false;
  ir::Rule alone;
  alone.search = *term;
  return absl::IsInvalidArgument(ir::EnumerateSizes(alone).status());
}

}  // namespace rewrought::audit
