#include "corpus/text/nir_text_syntax.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/term.h"

namespace rewrought::corpus {
namespace {

// The maximum number of components of a NIR value (NIR_MAX_VEC_COMPONENTS).
constexpr int kMaxNirComponents = 16;

void TakeDivergence(TextCursor& cursor) {
  if (!cursor.Take("con ")) cursor.Take("div ");
  cursor.SkipSpaces();
}

bool IsSize(uint32_t bits) { return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64; }

// Parses "32x3", or "vec3 32" of Mesa 22.3.
bool TakeType(TextCursor& cursor, NirDefinition* definition) {
  std::optional<uint32_t> components = 1;
  const bool old = cursor.Take("vec");
  if (old) components = cursor.TakeNumber();
  if (old) cursor.SkipSpaces();
  const std::optional<uint32_t> bits = cursor.TakeNumber();
  if (!old && cursor.Take("x")) components = cursor.TakeNumber();
  if (!bits || !IsSize(*bits) || !components || *components < 1 || *components > kMaxNirComponents) return false;
  definition->bits = static_cast<uint8_t>(*bits);
  definition->components = static_cast<int>(*components);
  return true;
}

// Consumes "." and the name of a variable if " =" follows the name.
absl::string_view TakeDefinedName(TextCursor& cursor) {
  const size_t end = cursor.rest().find(" = ");
  if (!absl::StartsWith(cursor.rest(), ".") || end == absl::string_view::npos) return "";
  const absl::string_view name = cursor.rest().substr(1, end - 1);
  cursor = TextCursor(cursor.rest().substr(end));
  return name;
}

bool TakeEquals(TextCursor& cursor) {
  cursor.SkipSpaces();
  if (!cursor.Take("=")) return false;
  cursor.SkipSpaces();
  return true;
}

// Consumes a register, such as "r5", "r5.xy", or "r5[0 + ssa_3]".
bool TakeRegister(TextCursor& cursor) {
  if (!cursor.Take("r") || !cursor.TakeNumber()) return false;
  if (cursor.Take("[")) {
    const size_t end = cursor.rest().find(']');
    if (end == absl::string_view::npos) return false;
    cursor = TextCursor(cursor.rest().substr(end + 1));
  }
  if (cursor.Take(".")) cursor.TakeWord();
  return true;
}

}  // namespace

std::optional<int> NirComponent(char letter, int live_components) {
  if (live_components <= 4) {
    const size_t position = absl::string_view("xyzw").find(letter);
    if (position == absl::string_view::npos) return std::nullopt;
    return static_cast<int>(position);
  }
  if (letter < 'a' || letter > 'p') return std::nullopt;
  return letter - 'a';
}

std::optional<uint32_t> TakeNirNumber(TextCursor& cursor) {
  TextCursor copy = cursor;
  if (!copy.Take("%") && !copy.Take("ssa_")) return std::nullopt;
  const std::optional<uint32_t> number = copy.TakeNumber();
  if (number) cursor = copy;
  return number;
}

std::optional<uint32_t> TakeNirValue(TextCursor& cursor, const NirNames& names) {
  TextCursor copy = cursor;
  const std::optional<uint32_t> number = TakeNirNumber(copy);
  if (!number) return std::nullopt;
  const auto name = names.find(*number);
  if (name != names.end() && !(copy.Take(".") && copy.Take(name->second))) return std::nullopt;
  cursor = copy;
  return number;
}

void TakeNirConstant(TextCursor& cursor) {
  TextCursor copy = cursor;
  copy.SkipSpaces();
  const bool comment = copy.Take("/*");
  absl::string_view inside;
  if (!copy.TakeParenthesised(&inside)) return;
  // The values of a vector are printed twice: "(0x1, 0x2) = (0.0, 0.0)".
  if (comment && copy.Take(" = ") && !copy.TakeParenthesised(&inside)) return;
  if (comment && !copy.Take("*/")) return;
  cursor = copy;
}

std::optional<NirDefinition> TakeNirDefinition(TextCursor& cursor) {
  TextCursor copy = cursor;
  NirDefinition definition;
  TakeDivergence(copy);
  if (!TakeType(copy, &definition)) return std::nullopt;
  copy.SkipSpaces();
  TakeDivergence(copy);
  const std::optional<uint32_t> index = TakeNirNumber(copy);
  if (!index) return std::nullopt;
  definition.index = *index;
  definition.name = TakeDefinedName(copy);
  if (!TakeEquals(copy)) return std::nullopt;
  cursor = copy;
  return definition;
}

bool TakeNirRegister(TextCursor& cursor) {
  TextCursor copy = cursor;
  TakeDivergence(copy);
  if (!TakeRegister(copy) || !TakeEquals(copy)) return false;
  cursor = copy;
  return true;
}

bool ContainsNirDefinition(absl::string_view line) {
  const size_t equals = line.find(" =");
  if (equals == absl::string_view::npos) return false;
  const absl::string_view left = absl::StripAsciiWhitespace(line.substr(0, equals));
  TextCursor last_word(left.substr(left.rfind(' ') + 1));  // npos + 1 is 0
  return TakeNirNumber(last_word).has_value();
}

bool IsNirLoop(absl::string_view line) {
  return line == "loop {" || line == "loop  // unroll {" || line == "loop  // don't unroll {";
}

bool IsNirIf(absl::string_view line, const NirNames& names) {
  TextCursor cursor(line);
  if (!cursor.Take("if ")) return false;
  if (!TakeNirValue(cursor, names) && !TakeRegister(cursor)) return false;
  TakeNirConstant(cursor);
  if (cursor.rest() == " {") return true;
  for (const absl::string_view control : {"flatten", "don't flatten", "divergent always taken"}) {
    if (cursor.rest() == absl::StrCat("  // ", control, " {")) return true;
    if (cursor.rest() == absl::StrCat(" /* ", control, " */ {")) return true;
  }
  return false;
}

bool IsNirLineComment(absl::string_view line) {
  for (const absl::string_view start : {"// succs:", "// 0x", "/* succs:", "/* preds:"}) {
    if (absl::StartsWith(line, start)) return true;
  }
  return false;
}

std::optional<NirFloatFlags> ParseNirFloatFlags(absl::string_view text) {
  NirFloatFlags flags;
  TextCursor cursor(text);
  for (const absl::string_view word : {"exact", "no-contract", "no-reassoc", "no-transform"}) {
    if (!flags.exact) flags.exact = cursor.Take(word);
  }
  if (flags.exact && cursor.empty()) return flags;
  if (flags.exact && !cursor.Take(", ")) return std::nullopt;
  if (!cursor.Take("preserve:")) return std::nullopt;
  do {
    const absl::string_view word = cursor.TakeWord();
    uint8_t flag = 0;
    if (word == "sz") flag = ir::kNoSignedZero;
    if (word == "inf") flag = ir::kNoInf;
    if (word == "nan") flag = ir::kNoNan;
    if (flag == 0 || (flags.preserved & flag) != 0) return std::nullopt;
    flags.preserved |= flag;
  } while (cursor.Take(","));
  if (!cursor.empty()) return std::nullopt;
  return flags;
}

absl::string_view WithoutPassFlags(absl::string_view line) {
  const size_t begin = line.rfind(" (pass_flags: 0x");
  if (begin != absl::string_view::npos && absl::EndsWith(line, ")") && line.find(')', begin) + 1 == line.size()) {
    line = line.substr(0, begin);
  }
  return absl::StripTrailingAsciiWhitespace(line);
}

}  // namespace rewrought::corpus
