// Implements the parser of machine programs.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/scalar.h"
#include "machine/program.h"
#include "proto/parse_limits.h"

namespace rewrought::machine {
namespace {

// The maximum number of operands. No instruction has this many.
constexpr size_t kMaxOperands = 16;
// Messages quote names from the text, which may be long.
constexpr size_t kMaxMessageBytes = 400;

struct Method {
  std::string name;
  std::vector<std::string> arguments;
  size_t position = 0;
};

// An operand of an instruction whose variant is not known yet. Its modifiers are stored as text, innermost first.
struct RawOperand {
  Operand operand;
  std::vector<std::string> spellings;
  size_t position = 0;
};

class Parser {
 public:
  Parser(const Machine& machine, absl::string_view text) : m_(machine), text_(text) {}

  absl::StatusOr<Program> Parse() {
    if (!budget_.TakeBytes(text_.size())) return ErrorAt(0, budget_.error());
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') line_starts_.push_back(i + 1);
    }
    if (!Accept('[')) return Error("expected '[' at the start of the program");
    Program program;
    while (!Accept(']')) {
      if (!program.instructions.empty() || started_) {
        if (!Accept(',')) return Error("expected ',' or ']'");
        if (Accept(']')) break;
      }
      started_ = true;
      if (absl::Status status = ParseItem(&program); !status.ok()) return status;
    }
    SkipSpace();
    if (at_ != text_.size()) return Error("unexpected text after the program");
    return program;
  }

 private:
  absl::Status ErrorAt(size_t position, absl::string_view what) const {
    const auto [line, column] = Where(position);
    return absl::InvalidArgumentError(absl::StrCat(line, ":", column, ": ", what.substr(0, kMaxMessageBytes)));
  }
  absl::Status Error(absl::string_view what) {
    SkipSpace();
    return ErrorAt(at_, what);
  }
  std::pair<int, int> Where(size_t position) const {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), position);
    const size_t start = *std::prev(after);
    return {static_cast<int>(after - line_starts_.begin()), static_cast<int>(position - start) + 1};
  }

  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Accept(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  static bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string Word() {
    SkipSpace();
    const size_t start = at_;
    while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  // Parses a number or quoted name, up to ',' or ')'.
  std::string Argument() {
    SkipSpace();
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')') ++at_;
    size_t end = at_;
    while (end > start && std::isspace(static_cast<unsigned char>(text_[end - 1]))) --end;
    return std::string(text_.substr(start, end - start));
  }

  absl::StatusOr<TypeIndex> ParseType() {
    SkipSpace();
    const size_t start = at_;
    const std::string name = Word();
    const TypeIndex type = m_.FindType(name);
    if (type < 0) return ErrorAt(start, absl::StrCat(m_.id(), " has no type '", name, "'"));
    return type;
  }

  absl::StatusOr<uint64_t> ImmediateBits(const std::string& literal, const Type& type, size_t position) const {
    uint64_t hex = 0;
    if (literal.size() > 2 && literal[0] == '0' && (literal[1] == 'x' || literal[1] == 'X')) {
      if (!absl::SimpleHexAtoi(literal, &hex) || (hex & ~ir::MaskOf(type.bits)) != 0) {
        return ErrorAt(position, absl::StrCat("'", literal, "' does not fit ", type.bits, " bits"));
      }
      return hex;
    }
    if (type.base == ir::BaseType::kFloat) {
      double value;
      if (!absl::SimpleAtod(literal, &value)) return ErrorAt(position, absl::StrCat("'", literal, "' is not a number"));
      return ir::FloatToBits(value, type.bits);
    }
    int64_t value;
    if (!absl::SimpleAtoi(literal, &value)) return ErrorAt(position, absl::StrCat("'", literal, "' is not an integer"));
    const uint64_t bits = static_cast<uint64_t>(value) & ir::MaskOf(type.bits);
    const bool fits = value < 0 ? ir::SignExtend(bits, type.bits) == value : bits == static_cast<uint64_t>(value);
    if (!fits) return ErrorAt(position, absl::StrCat("'", literal, "' does not fit ", type.bits, " bits"));
    return bits;
  }

  absl::StatusOr<RawOperand> ParseOperand() {
    SkipSpace();
    const size_t start = at_;
    std::vector<std::string> spellings;  // Outermost first.
    std::string name;
    while (true) {
      if (const char sign = Accept('-') ? '-' : Accept('~') ? '~' : '\0'; sign != '\0') {
        spellings.emplace_back(1, sign);
      } else {
        name = Word();
        if (name.empty()) return Error("expected an operand");
        if (!Accept('(')) return Error("expected '(' and a type");
        if (name != "abs" && !IsSourceFunction(name)) break;
        spellings.push_back(name);
      }
      if (!budget_.Enter()) return Error(budget_.error());
    }
    absl::StatusOr<RawOperand> raw = ParsePlainOperand(start, name);
    if (!raw.ok()) return raw;
    for (auto spelling = spellings.rbegin(); spelling != spellings.rend(); ++spelling) {
      budget_.Leave();
      const bool is_sign = *spelling == "-" || *spelling == "~";
      if (!is_sign && !Accept(')')) return Error("expected ')'");
      raw->spellings.push_back(*std::move(spelling));
    }
    return raw;
  }

  // Parses the rest of the operand at `start` after `name` and '(', without modifiers.
  absl::StatusOr<RawOperand> ParsePlainOperand(size_t start, const std::string& name) {
    RawOperand raw;
    raw.position = start;
    std::string literal;
    if (name == "imm") {
      literal = Argument();
      if (!Accept(',')) return Error("expected imm(value, type)");
    }
    absl::StatusOr<TypeIndex> type = ParseType();
    if (!type.ok()) return type.status();
    if (!Accept(')')) return Error("expected ')'");
    raw.operand.type = *type;
    raw.operand.column = Where(start).second;
    if (name == "imm") {
      absl::StatusOr<uint64_t> bits = ImmediateBits(literal, m_.types()[*type], start);
      if (!bits.ok()) return bits.status();
      raw.operand.kind = OperandKind::kImmediate;
      raw.operand.bits = *bits;
    } else if (name != "null") {
      raw.operand.kind = defined_.contains(name) ? OperandKind::kRegister : OperandKind::kVariable;
      raw.operand.name = name;
    }
    return ParseOperandMethods(std::move(raw));
  }

  absl::StatusOr<RawOperand> ParseOperandMethods(RawOperand raw) {
    while (Accept('.')) {
      absl::StatusOr<Method> method = ParseMethod();
      if (!method.ok()) return method.status();
      int part;
      if (method->name == "uniform" && method->arguments.empty()) {
        raw.operand.uniform = true;
      } else if (method->name == "subscript" && method->arguments.size() == 1 &&
                 absl::SimpleAtoi(method->arguments[0], &part) && part >= 0 && part < 8) {
        raw.operand.subscript = part;
      } else if (method->name == "swizzle" && method->arguments.size() == 1 && m_.components() > 1 &&
                 ReadSwizzle(method->arguments[0], &raw.operand)) {
      } else if (method->name == "mask" && method->arguments.size() == 1 && m_.components() > 1 &&
                 ReadMask(method->arguments[0], &raw.operand)) {
      } else {
        return ErrorAt(method->position, absl::StrCat("unknown method '", method->name, "', or invalid arguments"));
      }
    }
    return raw;
  }

  // Parses a swizzle such as "x-y0h"; the last component repeats.
  static bool ReadSwizzle(absl::string_view text, Operand* operand) {
    int count = 0;
    for (size_t i = 0; i < text.size(); ++i, ++count) {
      const bool negated = text[i] == '-';
      i += negated ? 1 : 0;
      const size_t component = i < text.size() ? absl::string_view("xyzw01h").find(text[i]) : absl::string_view::npos;
      if (component == absl::string_view::npos || count == ir::kShaderComponents) return false;
      for (int c = count; c < ir::kShaderComponents; ++c) {
        operand->swizzle[c] = static_cast<uint8_t>(component);
        operand->negated = static_cast<uint8_t>((operand->negated & ~(1 << c)) | (negated ? 1 << c : 0));
      }
    }
    return count > 0;
  }

  // Parses a mask such as "xz"; components must be in order, without repetition.
  static bool ReadMask(absl::string_view text, Operand* operand) {
    for (const char c : text) {
      const size_t component = absl::string_view("xyzw").find(c);
      if (component == absl::string_view::npos || operand->mask >> component != 0) return false;
      operand->mask |= static_cast<uint8_t>(1 << component);
    }
    return operand->mask != 0;
  }

  absl::StatusOr<Method> ParseMethod() {
    Method method;
    SkipSpace();
    method.position = at_;
    method.name = Word();
    if (method.name.empty() || !Accept('(')) return Error("expected a method");
    if (Accept(')')) return method;
    do {
      if (method.arguments.size() == kMaxOperands) return Error("too many arguments");
      method.arguments.push_back(Argument());
      if (method.arguments.back().empty()) return Error("expected an argument");
    } while (Accept(','));
    if (!Accept(')')) return Error("expected ')'");
    return method;
  }

  absl::Status ParseItem(Program* program) {
    SkipSpace();
    const size_t start = at_;
    if (!budget_.TakeItems()) return Error(budget_.error());
    const std::string mnemonic = Word();
    if (mnemonic.empty() || !Accept('(')) return Error("expected an instruction");
    if (mnemonic == "TempReg") {  // Registers are virtual and need no declaration.
      Argument();
      if (!Accept(',')) return Error("expected TempReg('name', type)");
      if (absl::StatusOr<TypeIndex> type = ParseType(); !type.ok()) return type.status();
      return Accept(')') ? absl::OkStatus() : Error("expected ')'");
    }
    if (m_.VariantsOf(mnemonic).empty()) return ErrorAt(start, absl::StrCat(m_.id(), " has no instruction ", mnemonic));
    std::vector<RawOperand> operands;
    do {
      if (operands.size() == kMaxOperands) return Error("too many operands");
      absl::StatusOr<RawOperand> operand = ParseOperand();
      if (!operand.ok()) return operand.status();
      operands.push_back(*std::move(operand));
    } while (Accept(','));
    if (!Accept(')')) return Error("expected ',' or ')'");
    std::vector<Method> methods;
    while (Accept('.')) {
      absl::StatusOr<Method> method = ParseMethod();
      if (!method.ok()) return method.status();
      if (methods.size() == kMaxOperands) return ErrorAt(method->position, "too many methods");
      methods.push_back(*std::move(method));
    }
    Instruction instruction;
    std::tie(instruction.line, instruction.column) = Where(start);
    absl::Status status = Resolve(mnemonic, start, std::move(operands), methods, &instruction);
    if (!status.ok()) return status;
    if (instruction.destination.kind != OperandKind::kNull) {
      instruction.destination.kind = OperandKind::kRegister;
      defined_.insert(instruction.destination.name);
    }
    program->instructions.push_back(std::move(instruction));
    return absl::OkStatus();
  }

  // Returns true if the operand types fit the variant. If `exact`, does not allow widening or narrowing.
  bool TypesMatch(const Variant& variant, const std::vector<RawOperand>& operands, bool exact) const {
    if (variant.sources.size() + 1 != operands.size()) return false;
    const ModifierIndex narrowing = NarrowingOf(m_, variant, operands[0].operand.type);
    if (narrowing == -2 || (exact && narrowing != -1)) return false;
    for (size_t i = 0; i < variant.sources.size(); ++i) {
      const ModifierIndex widening = WideningOf(m_, variant, static_cast<int>(i), operands[i + 1].operand.type);
      if (widening == -2 || (exact && widening != -1)) return false;
    }
    return true;
  }

  static const Method* Find(const std::vector<Method>& methods, absl::string_view name) {
    for (const Method& method : methods) {
      if (method.name == name) return &method;
    }
    return nullptr;
  }

  // Returns true if `name` is a source modifier with function syntax.
  bool IsSourceFunction(absl::string_view name) const {
    return std::any_of(m_.modifiers().begin(), m_.modifiers().end(), [&](const Modifier& modifier) {
      return modifier.place == v1::Modifier::SOURCE && modifier.spelling == name;
    });
  }

  bool IsDestinationModifier(absl::string_view spelling) const {
    return std::any_of(m_.modifiers().begin(), m_.modifiers().end(), [&](const Modifier& modifier) {
      return modifier.place == v1::Modifier::DESTINATION && modifier.spelling == spelling;
    });
  }

  absl::StatusOr<const Variant*> FindVariant(const std::string& mnemonic, size_t start,
                                             const std::vector<RawOperand>& operands,
                                             const std::vector<Method>& methods) const {
    bool types_match = false;
    std::string wanted;
    for (const bool exact : {true, false}) {
      for (const int index : m_.VariantsOf(mnemonic)) {
        const Variant& variant = m_.variants()[index];
        if (!TypesMatch(variant, operands, exact)) continue;
        types_match = true;
        if (variant.selector >= 0 && Find(methods, m_.selectors()[variant.selector].method) == nullptr) {
          wanted = m_.selectors()[variant.selector].method;
          continue;
        }
        if (variant.reads_predicate && Find(methods, "predicate") == nullptr) {
          wanted = "predicate";
          continue;
        }
        // Skip this variant if it lacks one of the methods; another variant may have them all.
        bool knows_all = true;
        for (const Method& method : methods) {
          if (method.name == "sat" || method.name == "predicate" || IsDestinationModifier(method.name)) continue;
          knows_all &= (variant.selector >= 0 && m_.selectors()[variant.selector].method == method.name) ||
                       (variant.result_flag >= 0 && m_.selectors()[variant.result_flag].method == method.name);
        }
        if (knows_all) return &variant;
      }
    }
    if (!types_match) {
      std::vector<std::string> types;
      for (const RawOperand& operand : operands) types.push_back(m_.types()[operand.operand.type].name);
      return ErrorAt(start, absl::StrCat("rule 'operand types': ", m_.id(), " has no ", mnemonic, " of ",
                                         absl::StrJoin(types, " ")));
    }
    if (!wanted.empty())
      return ErrorAt(start, absl::StrCat("rule 'mandatory field': ", mnemonic, " needs .", wanted, "(...)"));
    return ErrorAt(start, absl::StrCat("rule 'fields': ", mnemonic, " of these types does not have this method"));
  }

  absl::Status Resolve(const std::string& mnemonic, size_t start, std::vector<RawOperand> operands,
                       const std::vector<Method>& methods, Instruction* instruction) {
    absl::StatusOr<const Variant*> variant = FindVariant(mnemonic, start, operands, methods);
    if (!variant.ok()) return variant.status();
    instruction->variant = *variant;
    if (!operands[0].spellings.empty() || operands[0].operand.kind == OperandKind::kImmediate) {
      return ErrorAt(operands[0].position, "a destination must be a plain register");
    }
    if (operands[0].operand.swizzle != ir::kIdentitySwizzle) {
      return ErrorAt(operands[0].position, "a destination has a mask, not a swizzle");
    }
    instruction->destination = operands[0].operand;
    for (size_t i = 1; i < operands.size(); ++i) {
      if (operands[i].operand.mask != 0) return ErrorAt(operands[i].position, "a source has a swizzle, not a mask");
      if (operands[i].operand.kind == OperandKind::kNull)
        return ErrorAt(operands[i].position, "a source cannot be null");
      absl::Status status = ResolveModifiers(**variant, static_cast<int>(i) - 1, &operands[i]);
      if (!status.ok()) return status;
      instruction->sources.push_back(operands[i].operand);
    }
    for (const Method& method : methods) {
      if (absl::Status status = ApplyMethod(method, instruction); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Resolves the text of the operand's modifiers. If several modifiers fit, prefers one that the operand accepts.
  absl::Status ResolveModifiers(const Variant& variant, int source, RawOperand* raw) const {
    const TypeIndex type = variant.sources[source];
    for (const std::string& spelling : raw->spellings) {
      ModifierIndex found = -1;
      for (size_t i = 0; i < m_.modifiers().size(); ++i) {
        const Modifier& modifier = m_.modifiers()[i];
        if (modifier.place != v1::Modifier::SOURCE || modifier.spelling != spelling || !modifier.rows.contains(type))
          continue;
        const std::vector<ModifierIndex>& allowed = variant.operands[source].modifiers;
        const bool takes = std::find(allowed.begin(), allowed.end(), static_cast<int>(i)) != allowed.end();
        if (takes || found < 0) found = static_cast<int>(i);
        if (takes) break;
      }
      if (found < 0) {
        return ErrorAt(raw->position, absl::StrCat("rule 'source modifiers': no modifier '", spelling, "' for type ",
                                                   m_.types()[type].name));
      }
      raw->operand.modifiers.push_back(found);
    }
    return absl::OkStatus();
  }

  absl::Status ApplyMethod(const Method& method, Instruction* instruction) {
    const Variant& variant = *instruction->variant;
    if (method.name == "sat" && variant.saturated != nullptr) {
      instruction->saturated = true;
      return absl::OkStatus();
    }
    for (size_t i = 0; i < m_.modifiers().size(); ++i) {
      const Modifier& modifier = m_.modifiers()[i];
      if (modifier.place != v1::Modifier::DESTINATION || modifier.spelling != method.name) continue;
      if (!modifier.rows.contains(variant.result)) continue;
      instruction->destination_modifiers.push_back(static_cast<int>(i));
      return absl::OkStatus();
    }
    if (method.name == "predicate") return ApplyPredicate(method, instruction);
    const bool mandatory = variant.selector >= 0 && m_.selectors()[variant.selector].method == method.name;
    const bool tests =
        !mandatory && variant.result_flag >= 0 && m_.selectors()[variant.result_flag].method == method.name;
    if (!mandatory && !tests) {
      return ErrorAt(method.position,
                     absl::StrCat("rule 'fields': ", variant.mnemonic, " of these types has no .", method.name, "()"));
    }
    const Selector& selector = m_.selectors()[mandatory ? variant.selector : variant.result_flag];
    int* const choice = mandatory ? &instruction->choice : &instruction->flag_choice;
    for (size_t i = 0; i < selector.choices.size() && !method.arguments.empty(); ++i) {
      if (selector.choices[i].first == method.arguments[0]) *choice = static_cast<int>(i);
    }
    if (*choice < 0) {
      return ErrorAt(method.position, absl::StrCat("rule '", selector.id, "': ", variant.mnemonic, " has no .",
                                                   method.name, "(", absl::StrJoin(method.arguments, ", "), ")"));
    }
    const bool writes_flag = tests || !variant.flag_rows.empty();
    if (method.arguments.size() > (writes_flag ? 2u : 1u)) return ErrorAt(method.position, "too many arguments");
    if (writes_flag) {
      instruction->flag = method.arguments.size() == 2 ? method.arguments[1] : std::string(kDefaultFlag);
      defined_.insert(instruction->flag);
    }
    return absl::OkStatus();
  }

  absl::Status ApplyPredicate(const Method& method, Instruction* instruction) const {
    const bool normal = !method.arguments.empty() && method.arguments[0] == "NORMAL";
    const bool inverted = !method.arguments.empty() && method.arguments[0] == "INVERT";
    if ((!normal && !inverted) || method.arguments.size() > 2) {
      return ErrorAt(method.position, "expected .predicate(NORMAL[, flag]) or .predicate(INVERT[, flag])");
    }
    instruction->predicate_inverted = inverted;
    instruction->predicate = method.arguments.size() == 2 ? method.arguments[1] : std::string(kDefaultFlag);
    return absl::OkStatus();
  }

  const Machine& m_;
  absl::string_view text_;
  proto::ParseBudget budget_{proto::kProgramLimits};
  std::vector<size_t> line_starts_ = {0};
  size_t at_ = 0;
  bool started_ = false;
  absl::flat_hash_set<std::string> defined_;
};

}  // namespace

absl::StatusOr<Program> ParseProgram(const Machine& machine, absl::string_view text) {
  return Parser(machine, text).Parse();
}

}  // namespace rewrought::machine
