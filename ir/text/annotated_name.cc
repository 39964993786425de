#include "ir/text/annotated_name.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/text/predicates.h"

namespace rewrought::ir {
namespace {

constexpr size_t kMaxName = 64;
// The length is passed explicitly because g++ 12 with UBSan does not accept an array's address in this constant
// expression.
constexpr absl::string_view kLanes(kComponentLetters, std::size(kComponentLetters) - 1);

bool Fail(size_t offset, std::string message, NameError* error) {
  error->offset = offset;
  error->message = std::move(message);
  return false;
}

struct Word {
  absl::string_view text;
  size_t position = 0;

  bool AtEnd() const { return position >= text.size(); }
  bool Take(char c) {
    if (AtEnd() || text[position] != c) return false;
    ++position;
    return true;
  }
  template <typename Test>
  absl::string_view TakeWhile(Test test) {
    const size_t start = position;
    while (!AtEnd() && test(text[position])) ++position;
    return text.substr(start, position - start);
  }
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Returns whether `c` may occur in a shape, after the '@' and the type: digits, 'x', ':' and lanes.
bool IsShapeCharacter(char c) { return IsDigit(c) || c == ':' || kLanes.find(c) != absl::string_view::npos; }

bool TakeSize(Word* word, bool is_variable, AnnotatedName* name, NameError* error) {
  if (!word->Take('@')) return true;
  const size_t start = word->position;
  for (const auto& [text, type] : {std::pair<absl::string_view, BaseType>{"uint", BaseType::kUint},
                                   {"int", BaseType::kInt},
                                   {"bool", BaseType::kBool},
                                   {"float", BaseType::kFloat}}) {
    if (word->text.substr(start, text.size()) != text) continue;
    if (!is_variable) return Fail(start, "an op has no type; write only a size, as in 'fadd@32'", error);
    name->typed = true;
    name->type = type;
    word->position += text.size();
    break;
  }
  const size_t shape_start = word->position;
  const absl::string_view shape = word->TakeWhile(IsShapeCharacter);
  if (shape.empty()) {
    if (!name->typed) return Fail(start, "expected a size (1, 8, 16, 32, 64) or a type after '@'", error);
    if (name->type == BaseType::kBool) name->bits = 1;  // Mesa: @bool means one bit
    return true;
  }
  if (!ParseShape(shape, name, error)) {
    error->offset += shape_start;
    return false;
  }
  if (name->typed && name->type == BaseType::kFloat && name->bits < 16) {
    return Fail(shape_start, "a float must have 16, 32 or 64 bits", error);
  }
  if (name->typed && name->type == BaseType::kBool && name->bits == 64) {
    return Fail(shape_start, "a bool must have 1, 8, 16 or 32 bits", error);
  }
  return true;
}

uint8_t FastMathFlag(absl::string_view condition) {
  if (condition == "nsz") return kNoSignedZero;
  if (condition == "nnan") return kNoNan;
  if (condition == "ninf") return kNoInf;
  return 0;
}

// Returns whether an op may have `condition` in addition to a predicate.
bool IsFlagMark(absl::string_view condition) {
  return condition == kManyCommutative || condition == kContract || IsPreserveFlag(condition);
}

bool AddCondition(absl::string_view condition, size_t offset, bool is_variable, AnnotatedName* name, NameError* error) {
  if (!is_variable) {
    if (const uint8_t flag = FastMathFlag(condition)) {
      name->flags |= flag;
      return true;
    }
    if (IsFlagMark(condition)) {
      if (std::find(name->predicates.begin(), name->predicates.end(), condition) == name->predicates.end())
        name->predicates.emplace_back(condition);
      return true;
    }
  } else if (FastMathFlag(condition) != 0) {
    return Fail(offset, absl::StrCat(condition, " belongs on an op, not on a variable"), error);
  }
  const PredicateInfo* predicate = FindPredicate(condition);
  if (predicate == nullptr) {
    const absl::string_view known = is_variable
                                        ? "the predicates of Mesa's nir_search_helpers.h"
                                        : "nsz, nnan, ninf, many-comm-expr and Mesa's predicates for expressions";
    return Fail(offset, absl::StrCat("unknown predicate '", condition, "'; use ", known), error);
  }
  const bool for_variables = predicate->kind != PredicateKind::kExpression;
  if (for_variables != is_variable) {
    return Fail(offset,
                absl::StrCat(condition, for_variables ? " is a predicate for variables; write it on a source"
                                                      : " is a predicate for ops; write it on an op"),
                error);
  }
  for (const std::string& other : name->predicates) {
    if (IsFlagMark(other)) continue;
    return Fail(offset,
                absl::StrCat("two predicates, ", other, " and ", condition, "; Mesa accepts at most one per value"),
                error);
  }
  name->predicates.emplace_back(condition);
  return true;
}

bool TakeConditions(Word* word, bool is_variable, AnnotatedName* name, NameError* error) {
  if (!word->Take('(')) return true;
  size_t offset = word->position;
  const absl::string_view inside = word->TakeWhile([](char c) { return c != ')'; });
  if (!word->Take(')')) return Fail(word->position, "missing ')' after the conditions", error);
  for (absl::string_view condition : absl::StrSplit(inside, ',')) {
    if (condition.size() > kMaxName ||
        !std::all_of(condition.begin(), condition.end(), [](char c) { return IsNameCharacter(c) || c == '-'; })) {
      return Fail(offset, "expected a word like is_used_once; separate conditions by ',' without spaces", error);
    }
    if (condition.empty()) return Fail(offset, "empty condition; omit the parentheses", error);
    if (!AddCondition(condition, offset, is_variable, name, error)) return false;
    offset += condition.size() + 1;
  }
  // Sort the predicates so that equal sets print the same text.
  std::sort(name->predicates.begin(), name->predicates.end());
  return true;
}

bool TakeSwizzle(Word* word, AnnotatedName* name, NameError* error) {
  if (!word->Take('.')) return true;
  const size_t start = word->position;
  const absl::string_view letters = word->TakeWhile(IsNameCharacter);
  if (!ParseSwizzle(letters, &name->swizzle)) {
    return Fail(start, "a swizzle consists of 1 to 16 of the letters x, y, z, w and e to p", error);
  }
  name->has_swizzle = true;
  return true;
}

bool TakeRest(Word* word, bool is_variable, AnnotatedName* name, NameError* error) {
  if (!TakeSize(word, is_variable, name, error) || !TakeConditions(word, is_variable, name, error)) return false;
  if (!TakeSwizzle(word, name, error)) return false;
  if (word->AtEnd()) return true;
  const bool late_size = word->text[word->position] == '@';
  return Fail(word->position,
              late_size ? "the size belongs before the parentheses, as in 'fadd@32(nsz)'"
                        : "unexpected character; the order is name@size(conditions).swizzle",
              error);
}

}  // namespace

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNameCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

bool ParseVariableName(absl::string_view text, AnnotatedName* name, NameError* error) {
  Word word{text};
  name->constant_only = word.Take('#');
  const size_t start = word.position;
  name->name = word.TakeWhile(IsNameCharacter);
  if (name->name.empty()) return Fail(start, "expected a variable name (letters only)", error);
  if (name->name.size() > kMaxName) return Fail(start, "the name is longer than 64 letters", error);
  if (!std::all_of(name->name.begin(), name->name.end(), IsLetter)) {
    const bool number = IsDigit(name->name[0]);
    return Fail(start,
                number ? absl::StrCat("'", text, "' is not a variable; write numbers without quotes")
                       : "a variable's name may contain only letters, no digits and no '_'",
                error);
  }
  if (name->name == "True" || name->name == "False") {
    return Fail(start, absl::StrCat("write ", name->name, " without quotes"), error);
  }
  return TakeRest(&word, true, name, error);
}

bool ParseOpName(absl::string_view text, AnnotatedName* name, NameError* error) {
  Word word{text};
  if (word.Take('~')) name->flags |= kInexact;
  if (word.Take('!')) name->flags |= kExact;
  if ((name->flags & kInexact) && (name->flags & kExact)) {
    return Fail(0, "an op is either inexact (~) or exact (!); drop one of the marks", error);
  }
  const size_t start = word.position;
  name->name = word.TakeWhile(IsNameCharacter);
  if (name->name.empty()) return Fail(start, "expected an op name, as in 'fadd'", error);
  if (name->name.size() > kMaxName) return Fail(start, "the name is longer than 64 characters", error);
  return TakeRest(&word, false, name, error);
}

bool ParseSwizzle(absl::string_view letters, Swizzle* swizzle) {
  if (letters.empty() || letters.size() > kMaxComponents) return false;
  uint8_t lane = 0;
  bool in_order = letters.size() >= kShaderComponents;
  for (size_t i = 0; i < kMaxComponents; ++i) {
    if (i < letters.size()) {
      size_t found = kLanes.find(letters[i]);
      if (found == absl::string_view::npos) found = absl::string_view("abcd").find(letters[i]);
      if (found == absl::string_view::npos) return false;
      lane = static_cast<uint8_t>(found);
      in_order = in_order && lane == i;
    }
    (*swizzle)[i] = lane;
  }
  if (in_order) *swizzle = kIdentitySwizzle;
  return true;
}

std::string SwizzleText(const Swizzle& swizzle, int lanes) {
  size_t length = static_cast<size_t>(lanes <= kShaderComponents ? kShaderComponents : kMaxComponents);
  if (std::equal(swizzle.begin(), swizzle.begin() + static_cast<std::ptrdiff_t>(length), kIdentitySwizzle.begin()))
    return "";
  while (length > 1 && swizzle[length - 1] == swizzle[length - 2]) --length;
  std::string letters;
  for (size_t i = 0; i < length; ++i) letters.push_back(kLanes[swizzle[i] % kMaxComponents]);
  return letters;
}

bool ParseShape(absl::string_view text, AnnotatedName* name, NameError* error) {
  Word word{text};
  const absl::string_view digits = word.TakeWhile(IsDigit);
  for (const int bits : {1, 4, 8, 16, 32, 64}) {
    if (digits == absl::StrCat(bits)) name->bits = static_cast<uint8_t>(bits);
  }
  if (name->bits == 0)
    return Fail(0, absl::StrCat("no value has '", digits, "' bits; sizes are 1, 8, 16, 32, 64"), error);
  if (word.Take('x')) {
    int count = 0;
    if (!absl::SimpleAtoi(word.TakeWhile(IsDigit), &count) || count < 1 || count > kMaxComponents) {
      return Fail(word.position, "expected 1 to 16 components after 'x'", error);
    }
    name->components = static_cast<uint8_t>(count);
  }
  if (word.Take(':')) {
    name->write_mask = 0;
    for (const char c : word.TakeWhile(IsLetter)) {
      const size_t lane = kLanes.find(c);
      if (lane == absl::string_view::npos)
        return Fail(word.position, "a write mask consists of the letters x, y, z, w, then e to p for further lanes",
                    error);
      name->write_mask |= static_cast<uint16_t>(1u << lane);
    }
  }
  return word.AtEnd() || Fail(word.position, "expected a size such as '@32' or '@32x3'", error);
}

std::string ShapeText(const Node& node) {
  if (node.bits == 0) return "";
  std::string text = absl::StrCat("@", static_cast<int>(node.bits));
  if (node.components != 1) absl::StrAppend(&text, "x", static_cast<int>(node.components));
  if (node.write_mask != kWritesAll) {
    text.push_back(':');
    for (size_t lane = 0; lane < kMaxComponents; ++lane) {
      if (node.write_mask >> lane & 1) text.push_back(kLanes[lane]);
    }
  }
  return text;
}

}  // namespace rewrought::ir
