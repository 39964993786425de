#include "emitter/nir/nir_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/match/relation.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/text/generic_ops.h"
#include "ir/text/predicates.h"
#include "ir/text/sizes.h"

namespace rewrought::emitter {
namespace {

absl::Status Blocked(absl::string_view what) { return absl::FailedPreconditionError(what); }

bool IsPredicate(const std::string& name) {
  return name != ir::kManyCommutative && name != ir::kIgnoreExact && name != ir::kEitherZeroMark;
}

bool Has(const ir::Node& node, absl::string_view predicate) {
  return std::find(node.predicates.begin(), node.predicates.end(), predicate) != node.predicates.end();
}

// Returns Python's shortest spelling of a double that parses as the same value.
std::string FloatText(double value) {
  if (std::isinf(value)) return value < 0 ? "float('-inf')" : "float('inf')";
  for (int digits = 1; digits <= 17; ++digits) {
    std::string text = absl::StrFormat("%.*g", digits, value);
    double read = 0;
    if (!absl::SimpleAtod(text, &read) || std::bit_cast<uint64_t>(read) != std::bit_cast<uint64_t>(value)) continue;
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }
  return absl::StrFormat("%.17g", value);
}

// Returns the decimal `number` if it is small, or else `pattern` in hex.
std::string IntegerText(int64_t number, uint64_t pattern) {
  if (number >= -4096 && number <= 4096) return absl::StrCat(number);
  return absl::StrCat("0x", absl::Hex(pattern));
}

// Returns the shortest decimal that rounds to `value` as a double and as a float.
std::string SingleText(float value) {
  for (int digits = 1; digits <= 9; ++digits) {
    double read = 0;
    if (absl::SimpleAtod(absl::StrFormat("%.*g", digits, value), &read) && static_cast<float>(read) == value)
      return FloatText(read);
  }
  return FloatText(value);
}

class Writer {
 public:
  Writer(const ir::Term& term, NirSide side, const NirTarget& target, const std::vector<uint8_t>* bits, NirSizes sizes)
      : term_(term), side_(side), target_(target), bits_(bits), sizes_(sizes), seen_(term.nodes.size(), false) {}

  // Writes a use of a value. `slot` is the type that the user expects.
  absl::StatusOr<std::string> Write(const ir::Source& use, ir::BaseType slot, bool is_root) {
    const ir::Node& node = term_.nodes[use.node];
    if (node.components != 1 || node.write_mask != ir::kWritesAll) {
      return Blocked("Mesa's tuples cannot state a value's number of components");
    }
    switch (node.kind) {
      case ir::NodeKind::kVariable:
        return WriteVariable(use);
      case ir::NodeKind::kConstant:
        return WriteConstant(use, slot);
      case ir::NodeKind::kOp:
        break;
    }
    if (use.swizzle != ir::kIdentitySwizzle) return Blocked("Mesa's tuples cannot express a swizzle of an op's result");
    return WriteOp(use.node, is_root);
  }

 private:
  int BitsOf(ir::NodeIndex index) const { return bits_ != nullptr ? (*bits_)[index] : term_.nodes[index].bits; }

  // Returns the size to write at a variable, or 0.
  int WrittenBitsOf(ir::NodeIndex index) const {
    return sizes_ == NirSizes::kStated ? term_.nodes[index].bits : BitsOf(index);
  }

  absl::StatusOr<std::string> WriteVariable(const ir::Source& use) {
    const ir::Node& node = term_.nodes[use.node];
    const bool letters = !node.name.empty() && std::all_of(node.name.begin(), node.name.end(), absl::ascii_isalpha);
    if (!letters || node.name == "True" || node.name == "False") {
      return Blocked(absl::StrCat("variable name '", absl::CHexEscape(node.name), "' must consist of letters"));
    }
    std::string text = node.name;
    if (side_ == NirSide::kSearch && !seen_[use.node]) {
      absl::StatusOr<std::string> marks = VariableMarks(use.node);
      if (!marks.ok()) return marks;
      text = absl::StrCat(node.constant_only ? "#" : "", text, *marks);
    }
    seen_[use.node] = true;
    if (use.swizzle != ir::kIdentitySwizzle) {
      if (side_ == NirSide::kSearch) return Blocked("Mesa's matcher ignores a swizzle in the search side");
      text += '.';
      for (const uint8_t component : use.swizzle) text += ir::kComponentLetters[component % ir::kMaxComponents];
    }
    return absl::StrCat("'", text, "'");
  }

  absl::StatusOr<std::string> VariableMarks(ir::NodeIndex index) const {
    const ir::Node& node = term_.nodes[index];
    std::string text;
    const int bits = WrittenBitsOf(index);
    if (node.typed) {
      constexpr absl::string_view kNames[] = {"uint", "int", "float", "bool"};
      const bool plain_bool = node.type == ir::BaseType::kBool && bits == 1;
      text = absl::StrCat("@", kNames[static_cast<int>(node.type)], bits == 0 || plain_bool ? "" : absl::StrCat(bits));
      if (node.constant_only) return Blocked("`#` and a type never match together, because a constant has no type");
    } else if (bits != 0) {
      text = absl::StrCat("@", bits);
    }
    absl::StatusOr<std::vector<std::string>> conditions = Conditions(node);
    if (!conditions.ok()) return conditions.status();
    if (!conditions->empty()) absl::StrAppend(&text, "(", absl::StrJoin(*conditions, ","), ")");
    return text;
  }

  absl::StatusOr<std::vector<std::string>> Conditions(const ir::Node& node) const {
    std::vector<std::string> conditions;
    const std::pair<uint8_t, const char*> flags[] = {
        {ir::kNoSignedZero, "nsz"}, {ir::kNoNan, "nnan"}, {ir::kNoInf, "ninf"}};
    for (const auto& [flag, name] : flags) {
      if (!(node.flags & flag)) continue;
      if (!target_.HasNodeFlags()) return Blocked(absl::StrCat(target_.name(), " has no mark ", name));
      conditions.push_back(name);
    }
    int predicates = 0;
    for (const std::string& predicate : node.predicates) {
      if (predicate == ir::kIgnoreExact)
        return Blocked("ignore_exact is reserved for lowering rules in Mesa's own tree");
      if (IsPredicate(predicate)) {
        const ir::PredicateInfo* info = ir::FindPredicate(predicate);
        if (info == nullptr || !target_.HasPredicate(predicate)) {
          return Blocked(absl::StrCat(target_.name(), " has no predicate ", predicate));
        }
        const bool of_op = info->kind == ir::PredicateKind::kExpression;
        if (of_op != (node.kind == ir::NodeKind::kOp)) {
          return Blocked(absl::StrCat("predicate ", predicate, " does not apply to this kind of value"));
        }
        if (++predicates > 1)
          return Blocked(
              absl::StrCat("two predicates at one node; ", predicate, " is the second, but Mesa allows only one"));
      }
      conditions.push_back(predicate);
    }
    return conditions;
  }

  absl::StatusOr<std::string> WriteConstant(const ir::Source& use, ir::BaseType slot) {
    const ir::Node& node = term_.nodes[use.node];
    const int bits = BitsOf(use.node);
    const uint64_t value = node.values[use.swizzle[0]];
    if (Has(node, ir::kEitherZeroMark)) return std::string("0.0");
    switch (node.literal) {
      case ir::LiteralKind::kBool:
        if (bits > 1) return Blocked("Mesa has no literal for a multi-bit Boolean");
        return std::string(value != 0 ? "True" : "False");
      case ir::LiteralKind::kInt:
        return IntegerText(static_cast<int64_t>(value), value);
      case ir::LiteralKind::kFloat:
        break;
      case ir::LiteralKind::kBits:
        return PatternText(value, bits, slot);
    }
    const double number = std::bit_cast<double>(value);
    if (std::isnan(number)) {
      return Blocked(side_ == NirSide::kSearch ? "a NaN literal in the search side never matches"
                                               : "the payload of a NaN literal is unspecified");
    }
    // At a known size, use the proved value, which is rounded to that size.
    const bool rounds = bits_ != nullptr && (bits == 16 || bits == 32 || bits == 64);
    if (!rounds) return FloatText(number);
    const double rounded = ir::BitsToFloat(ir::LiteralBits(node, bits), bits);
    // Mesa rounds a literal of the replacement to 32 bits once, so the shortest decimal suffices there.
    return side_ == NirSide::kReplace && bits == 32 ? SingleText(static_cast<float>(rounded)) : FloatText(rounded);
  }

  // Returns the text of a bit pattern. On the search side, Mesa compares integers bit by bit and floats as doubles, so
  // zeros and NaNs are written as integers there to keep their bits.
  absl::StatusOr<std::string> PatternText(uint64_t value, int bits, ir::BaseType slot) const {
    if (slot == ir::BaseType::kBool) {
      if (bits > 1) return Blocked("Mesa has no literal for a multi-bit Boolean");
      return std::string(value != 0 ? "True" : "False");
    }
    if (slot == ir::BaseType::kFloat && bits >= 16) {
      const double number = ir::BitsToFloat(value, bits);
      const bool plain = !std::isnan(number) && (number != 0 || side_ == NirSide::kReplace);
      if (plain) return FloatText(number);
      return value == 0 ? "0" : absl::StrCat("0x", absl::Hex(value));
    }
    return IntegerText(bits >= 8 ? ir::SignExtend(value, bits) : static_cast<int64_t>(value), value);
  }

  absl::StatusOr<std::string> WriteOp(ir::NodeIndex index, bool is_root) {
    const ir::Node& node = term_.nodes[index];
    const ir::OpRow* op = node.op;
    if (bits_ != nullptr && ir::IsGenericConversion(op)) {
      op = ir::SizedConversion(op, BitsOf(index), &ir::FindOp);
      if (op == nullptr) return Blocked(absl::StrCat(node.op->name, " has no variant with ", BitsOf(index), " bits"));
    }
    if (!ir::IsGenericConversion(op) && !target_.HasOp(op->name)) {
      return Blocked(absl::StrCat(target_.name(), " has no op ", op->name));
    }
    if (node.sources.size() > kMaxSearchSources) return Blocked(absl::StrCat(op->name, " has more than 4 sources"));
    std::string text = absl::StrCat("('", node.flags & ir::kInexact ? "~" : "", node.flags & ir::kExact ? "!" : "",
                                    op->name, SizeMark(index, op, is_root));
    absl::StatusOr<std::vector<std::string>> conditions = Conditions(node);
    if (!conditions.ok()) return conditions.status();
    if (!conditions->empty()) absl::StrAppend(&text, "(", absl::StrJoin(*conditions, ","), ")");
    text += '\'';
    for (size_t i = 0; i < node.sources.size(); ++i) {
      absl::StatusOr<std::string> source = Write(node.sources[i], op->sources[i].base, false);
      if (!source.ok()) return source;
      absl::StrAppend(&text, ", ", *source);
    }
    return absl::StrCat(text, ")");
  }

  // Returns the size, such as "@32", if the rule states it, or if it is known but cannot be inferred from a source.
  std::string SizeMark(ir::NodeIndex index, const ir::OpRow* op, bool is_root) const {
    if (op->result.bits != 0 || ir::IsGenericConversion(op)) return "";
    const ir::Node& node = term_.nodes[index];
    if (node.bits != 0 || bits_ == nullptr || sizes_ == NirSizes::kStated)
      return node.bits != 0 ? absl::StrCat("@", static_cast<int>(node.bits)) : "";
    if (is_root && side_ == NirSide::kReplace) return "";
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const bool fixes = term_.nodes[node.sources[i].node].kind != ir::NodeKind::kConstant;
      if (op->sources[i].bits == 0 && fixes) return "";
    }
    return absl::StrCat("@", BitsOf(index));
  }

  const ir::Term& term_;
  NirSide side_;
  const NirTarget& target_;
  const std::vector<uint8_t>* bits_;
  NirSizes sizes_;
  std::vector<bool> seen_;
};

// Counts the ops whose first two sources are different and can be exchanged. Like Mesa, counts a shared node at each
// use.
int CommutativeOps(const ir::Term& term, ir::NodeIndex index) {
  const ir::Node& node = term.nodes[index];
  if (node.kind != ir::NodeKind::kOp) return 0;
  const bool commutes = (node.op->properties & ir::kCommutative) && node.sources.size() >= 2;
  int count = commutes && node.sources[0] != node.sources[1] ? 1 : 0;
  for (const ir::Source& source : node.sources) count = std::min(count + CommutativeOps(term, source.node), 1000);
  return count;
}

}  // namespace

absl::StatusOr<std::string> NirText(const ir::Term& term, NirSide side, const NirTarget& target,
                                    const std::vector<uint8_t>* bits, NirSizes sizes) {
  return Writer(term, side, target, bits, sizes)
      .Write({term.root},
             term.root_node().kind == ir::NodeKind::kOp ? term.root_node().op->result.base : ir::BaseType::kUint, true);
}

absl::StatusOr<SearchText> NirSearchText(const ir::Term& search, const NirTarget& target,
                                         const std::vector<uint8_t>* bits) {
  SearchText text;
  // Use one writer for both parts, so that marks are written at the first uses.
  Writer writer(search, NirSide::kSearch, target, bits, NirSizes::kComplete);
  const ir::NodeIndex root = ir::MatchedRoot(search);
  const ir::BaseType slot =
      search.at(root).kind == ir::NodeKind::kOp ? search.at(root).op->result.base : ir::BaseType::kUint;
  absl::StatusOr<std::string> part = writer.Write({root}, slot, true);
  if (!part.ok()) return part.status();
  text.searched = *std::move(part);
  if (!ir::HasRelation(search)) return text;
  part = writer.Write(search.root_node().sources[1], ir::BaseType::kBool, false);
  if (!part.ok()) return part.status();
  text.relation = *std::move(part);
  return text;
}

absl::Status CheckNirSearch(const ir::Term& search, bool is_inexact) {
  if (search.root_node().kind != ir::NodeKind::kOp) return Blocked("the search side is not an op");
  std::set<std::string> variables;
  bool many = false, inexact = false;
  for (const ir::Node& node : search.nodes) {
    if (node.kind == ir::NodeKind::kVariable) variables.insert(node.name);
    if (node.kind != ir::NodeKind::kOp) continue;
    many = many || Has(node, ir::kManyCommutative);
    inexact = inexact || (node.flags & ir::kInexact);
    if ((node.flags & ir::kInexact) && !is_inexact)
      return Blocked("`~` is allowed in inexact rules only; this rule is strict");
  }
  if (is_inexact && !inexact) return Blocked("an inexact rule must contain `~`, or it would change exact values");
  if (variables.size() > kMaxSearchVariables)
    return Blocked("more than 16 variables; Mesa's matcher does not check this limit");
  const int commutative = CommutativeOps(search, ir::MatchedRoot(search));
  if (commutative > kMaxCommutativeOps && !many) return Blocked("more than 8 commutative ops without many-comm-expr");
  if (commutative <= kMaxCommutativeOps && many) return Blocked("many-comm-expr with 8 commutative ops or fewer");
  return absl::OkStatus();
}

bool HasZeroLiteral(const ir::Term& search) {
  return std::any_of(search.nodes.begin(), search.nodes.end(), [](const ir::Node& node) {
    if (node.kind != ir::NodeKind::kConstant) return false;
    if (Has(node, ir::kEitherZeroMark)) return true;
    return node.literal == ir::LiteralKind::kFloat && std::bit_cast<double>(node.values[0]) == 0;
  });
}

bool LiteralsFit(const ir::Term& search, const std::vector<uint8_t>& bits) {
  for (size_t i = 0; i < search.nodes.size(); ++i) {
    const ir::Node& node = search.nodes[i];
    if (node.kind != ir::NodeKind::kConstant || node.literal != ir::LiteralKind::kFloat || bits[i] < 16) continue;
    const double number = std::bit_cast<double>(node.values[0]);
    if (ir::BitsToFloat(ir::LiteralBits(node, bits[i]), bits[i]) != number && !std::isnan(number)) return false;
  }
  return true;
}

}  // namespace rewrought::emitter
