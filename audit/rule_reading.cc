#include "audit/rule_reading.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
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

bool TouchesFloatOf(const ir::Term& term, const ir::Node& node, const std::vector<int>& sizes) {
  const auto is_wanted = [&](ir::BaseType base, int type_bits, int node_bits) {
    const int bits = type_bits != 0 ? type_bits : node_bits;
    return base == ir::BaseType::kFloat && (bits == 0 || std::find(sizes.begin(), sizes.end(), bits) != sizes.end());
  };
  if (is_wanted(node.op->result.base, node.op->result.bits, node.bits)) return true;
  for (size_t k = 0; k < node.sources.size(); ++k) {
    if (is_wanted(node.op->sources[k].base, node.op->sources[k].bits, term.at(node.sources[k].node).bits)) return true;
  }
  return false;
}

// Returns the sizes in the term that a float can have, that is, those of at least 16 bits.
std::set<int> NamedSizes(const ir::Term& term) {
  std::set<int> sizes;
  for (const ir::Node& node : term.nodes) {
    if (node.bits >= 16) sizes.insert(node.bits);
    if (node.kind == ir::NodeKind::kOp && node.op->result.bits >= 16) sizes.insert(node.op->result.bits);
  }
  return sizes;
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
    constexpr absl::string_view kLoose = "!nir_is_float_control_signed_zero_inf_nan_preserve(";
    if (absl::StartsWith(part, kLoose)) {
      int size = 0;
      const std::string arguments = part.substr(kLoose.size(), part.size() - kLoose.size() - 1);
      const size_t comma = arguments.rfind(',');
      if (comma != std::string::npos && absl::SimpleAtoi(arguments.substr(comma + 1), &size))
        reading.loose_sizes.push_back(size);
    }
    if (absl::StartsWith(part, "nir_is_denorm_flush_to_zero(")) reading.only_mode = ir::DenormMode::kFlush;
    if (absl::StartsWith(part, "nir_is_denorm_preserve(")) reading.only_mode = ir::DenormMode::kPreserve;
    if (absl::StartsWith(part, "nir_is_rounding_mode_rtz(")) reading.only_toward_zero = true;
    if (absl::StrContains(part, "options->lower_") && part[0] != '!') reading.is_lowering = true;
  }
  return reading;
}

bool LoosenFloats(const std::vector<int>& sizes, ir::Rule* rule) {
  if (sizes.empty()) return false;
  for (const int named : NamedSizes(rule->search)) {
    if (std::find(sizes.begin(), sizes.end(), named) == sizes.end()) return false;
  }
  if (NamedSizes(rule->search).empty()) return false;
  bool any = false;
  for (ir::Node& node : rule->search.nodes) {
    if (node.kind != ir::NodeKind::kOp || !TouchesFloatOf(rule->search, node, sizes)) continue;
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
