#include "ir/meaning.h"

#include <cmath>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "ir/scalar.h"
#include "proto/parse_limits.h"

namespace rewrought::ir {
namespace {

absl::Status Malformed(absl::string_view what, size_t column) {
  return absl::InvalidArgumentError(absl::StrCat("column ", column + 1, ": ", what));
}

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t'; }

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<Expression> Read() {
    SkipSpace();
    const proto::ParseLevel level(&budget_);
    if (!level.ok() || !budget_.TakeItems()) return Malformed(budget_.error(), position_);
    if (position_ >= text_.size()) return Malformed("expression expected", position_);
    if (text_[position_] == ')') return Malformed("unexpected ')'", position_);
    if (text_[position_] != '(') return ReadAtom();
    ++position_;
    Expression expression;
    for (;;) {
      SkipSpace();
      if (position_ >= text_.size()) return Malformed("')' missing", position_);
      if (text_[position_] == ')') break;
      absl::StatusOr<Expression> item = Read();
      if (!item.ok()) return item;
      expression.list.push_back(*std::move(item));
    }
    ++position_;
    if (expression.list.empty()) return Malformed("empty list", position_ - 1);
    return expression;
  }

  bool AtEnd() {
    SkipSpace();
    return position_ >= text_.size();
  }
  size_t position() const { return position_; }

 private:
  void SkipSpace() {
    while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
  }
  Expression ReadAtom() {
    const size_t start = position_;
    while (position_ < text_.size() && !IsSpace(text_[position_]) && text_[position_] != '(' &&
           text_[position_] != ')') {
      ++position_;
    }
    Expression atom;
    atom.atom = std::string(text_.substr(start, position_ - start));
    return atom;
  }

  absl::string_view text_;
  size_t position_ = 0;
  proto::ParseBudget budget_{proto::kMeaningLimits};
};

// Builds expressions. Literals take their width from the other operands, so they are built last.
class Builder {
 public:
  Builder(Dag* dag, const MeaningScope& scope) : dag_(dag), scope_(scope) {}

  absl::StatusOr<ValueIndex> Build(const Expression& e, int width);

 private:
  absl::Status Error(const Expression& e, absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(what, " in '", Name(e), "'"));
  }
  static const std::string& Name(const Expression& e) { return e.is_atom() ? e.atom : Name(e.list[0]); }

  static bool IsOpenLiteral(const Expression& e) {
    if (!e.is_atom()) {
      const std::string& head = e.list[0].atom;
      return head == "f" || head == "signbit" || head == "intmax";
    }
    int64_t ignored;
    return e.atom == "w" || ParseInteger(e.atom, &ignored);
  }
  static bool ParseInteger(const std::string& atom, int64_t* value) {
    uint64_t hex;
    if (atom.size() > 2 && atom[0] == '0' && atom[1] == 'x' && absl::SimpleHexAtoi(atom, &hex)) {
      *value = static_cast<int64_t>(hex);
      return true;
    }
    return absl::SimpleAtoi(atom, value);
  }

  absl::StatusOr<int> Width(const Expression& e) {
    int64_t number;
    if (e.is_atom()) {
      if (e.atom == "w") return scope_.free_size;
      if (e.atom == "r") return scope_.result_size;
      if (e.atom.size() == 2 && e.atom[0] == 'w' && e.atom[1] >= 'a' && e.atom[1] <= 'd') {
        const size_t source = static_cast<size_t>(e.atom[1] - 'a');
        if (source < scope_.sources.size()) return static_cast<int>(dag_->at(scope_.sources[source][0]).width);
      }
      if (ParseInteger(e.atom, &number) && number >= 1 && number <= 64) return static_cast<int>(number);
    }
    return Error(e, "expected a width");
  }

  absl::StatusOr<ValueIndex> BuildAtom(const Expression& e, int width);
  absl::StatusOr<ValueIndex> BuildOpenLiteral(const Expression& e, int width);
  absl::StatusOr<ValueIndex> BuildLet(const Expression& e, int width);
  absl::StatusOr<ValueIndex> BuildByWidth(const Expression& e, int width);
  absl::StatusOr<ValueIndex> BuildResize(const Expression& e);
  absl::StatusOr<ValueIndex> BuildExtract(const Expression& e);
  absl::StatusOr<ValueIndex> BuildApprox(const Expression& e, int width);
  absl::StatusOr<ValueIndex> BuildPrimitive(const Expression& e, Primitive primitive, int width);
  // Builds operands of equal width; `width` is the expected width, or 0 if it is unknown.
  absl::StatusOr<std::vector<ValueIndex>> BuildSame(const Expression& e, absl::Span<const Expression> operands,
                                                    int width);

  Dag* dag_;
  const MeaningScope& scope_;
  std::vector<std::pair<std::string, ValueIndex>> names_;  // the variables of let
};

absl::StatusOr<ValueIndex> Builder::BuildOpenLiteral(const Expression& e, int width) {
  if (width == 0) return Error(e, "the width of the literal is unknown; write (lit WIDTH literal)");
  if (e.is_atom()) {
    int64_t value = scope_.free_size;
    if (e.atom != "w") ParseInteger(e.atom, &value);
    const int64_t least = -(int64_t{1} << (std::min(width, 63) - 1));
    if (width < 64 && (value < least || value > static_cast<int64_t>(MaskOf(width))))
      return Error(e, absl::StrCat("the literal does not fit ", width, " bits"));
    return dag_->Literal(static_cast<uint64_t>(value), width);
  }
  const std::string& head = e.list[0].atom;
  if (head == "signbit") return dag_->Literal(uint64_t{1} << (width - 1), width);
  if (head == "intmax") return dag_->Literal(MaskOf(width) >> 1, width);
  double value;
  if (e.list.size() != 2 || !absl::SimpleAtod(e.list[1].atom, &value)) return Error(e, "expected a single number");
  if (!IsFloatWidth(width)) return Error(e, absl::StrCat("a float cannot have ", width, " bits; use 16, 32 or 64"));
  return dag_->Literal(FloatToBits(value, width), width);
}

absl::StatusOr<ValueIndex> Builder::BuildAtom(const Expression& e, int width) {
  for (auto name = names_.rbegin(); name != names_.rend(); ++name) {
    if (name->first == e.atom) return name->second;
  }
  if (IsOpenLiteral(e)) return BuildOpenLiteral(e, width);
  const size_t source = static_cast<size_t>(e.atom[0] - 'a');
  size_t component = 0;
  if (e.atom.size() == 3 && e.atom[1] == '.') {
    component = absl::string_view(kComponentLetters).find(e.atom[2]);
  } else if (e.atom.size() != 1) {
    return Error(e, "unknown name");
  }
  if (source >= scope_.sources.size() || component >= scope_.sources[source].size()) return Error(e, "no such source");
  return scope_.sources[source][component];
}

absl::StatusOr<ValueIndex> Builder::BuildLet(const Expression& e, int width) {
  if (e.list.size() != 4 || !e.list[1].is_atom()) return Error(e, "(let name term body) is expected");
  absl::StatusOr<ValueIndex> value = Build(e.list[2], 0);
  if (!value.ok()) return value;
  names_.emplace_back(e.list[1].atom, *value);
  absl::StatusOr<ValueIndex> body = Build(e.list[3], width);
  names_.pop_back();
  return body;
}

// Builds (by_width (16 T1) (32 T2) (else T3)), using the first case whose size is `w`.
absl::StatusOr<ValueIndex> Builder::BuildByWidth(const Expression& e, int width) {
  for (size_t i = 1; i < e.list.size(); ++i) {
    const Expression& part = e.list[i];
    if (part.is_atom() || part.list.size() != 2 || !part.list[0].is_atom()) return Error(e, "expected (size term)");
    if (part.list[0].atom == "else" || part.list[0].atom == absl::StrCat(scope_.free_size)) {
      return Build(part.list[1], width);
    }
  }
  return Error(e, "no case for this size");
}

absl::StatusOr<ValueIndex> Builder::BuildResize(const Expression& e) {
  if (e.list.size() != 3) return Error(e, "expected a width and a term");
  absl::StatusOr<int> width = Width(e.list[1]);
  if (!width.ok()) return width.status();
  absl::StatusOr<ValueIndex> x = Build(e.list[2], 0);
  if (!x.ok()) return x;
  const std::string& head = e.list[0].atom;
  const int from = dag_->at(*x).width;
  if (*width < from && (head == "zext" || head == "sext")) return Error(e, "cannot extend to fewer bits");
  if (*width > from && head == "trunc") return Error(e, "cannot truncate to more bits");
  if (*width <= from) return dag_->Make(Primitive::kExtract, *width, {*x}, 0);
  const bool is_signed = head == "sext" || head == "sresize";
  return dag_->Make(is_signed ? Primitive::kSext : Primitive::kZext, *width, {*x});
}

absl::StatusOr<ValueIndex> Builder::BuildExtract(const Expression& e) {
  int64_t high, low;
  if (e.list.size() != 4 || !ParseInteger(e.list[1].atom, &high) || !ParseInteger(e.list[2].atom, &low)) {
    return Error(e, "(extract HI LO x) is expected");
  }
  absl::StatusOr<ValueIndex> x = Build(e.list[3], 0);
  if (!x.ok()) return x;
  if (low < 0 || high < low || high >= dag_->at(*x).width) return Error(e, "no such bits");
  return dag_->Make(Primitive::kExtract, static_cast<int>(high - low + 1), {*x}, static_cast<uint64_t>(low));
}

absl::StatusOr<ValueIndex> Builder::BuildApprox(const Expression& e, int width) {
  if (e.list.size() < 3) return Error(e, "(approx NAME x) is expected");
  const std::optional<Approximation> function = FindApproximation(e.list[1].atom);
  if (!function.has_value()) return Error(e.list[1], "unknown approximation");
  absl::StatusOr<std::vector<ValueIndex>> operands = BuildSame(e, absl::MakeConstSpan(e.list).subspan(2), width);
  if (!operands.ok()) return operands.status();
  if (static_cast<int>(operands->size()) != ArityOf(*function)) return Error(e, "wrong number of operands");
  const int operand_width = dag_->at((*operands)[0]).width;
  if (!IsFloatWidth(operand_width)) return Error(e, "the operands are not floats");
  return dag_->Make(Primitive::kApprox, operand_width, *operands, static_cast<uint64_t>(*function));
}

absl::StatusOr<std::vector<ValueIndex>> Builder::BuildSame(const Expression& e, absl::Span<const Expression> operands,
                                                           int width) {
  std::vector<ValueIndex> values(operands.size());
  int common = width;
  for (const bool literals : {false, true}) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (IsOpenLiteral(operands[i]) != literals) continue;
      absl::StatusOr<ValueIndex> value = Build(operands[i], common);
      if (!value.ok()) return value.status();
      values[i] = *value;
      const int own = dag_->at(*value).width;
      if (common != 0 && own != common)
        return Error(e, absl::StrCat("the operands have ", common, " and ", own, " bits"));
      common = own;
    }
  }
  return values;
}

absl::StatusOr<ValueIndex> Builder::BuildPrimitive(const Expression& e, Primitive primitive, int width) {
  const PrimitiveInfo& info = InfoOf(primitive);
  absl::Span<const Expression> operands = absl::MakeConstSpan(e.list).subspan(1);
  uint64_t immediate = 0;
  int written = 0;
  if (info.width_rule == WidthRule::kWritten || info.width_rule == WidthRule::kWrittenTruth) {
    if (operands.empty()) return Error(e, "expected a width");
    absl::StatusOr<int> parsed = Width(operands[0]);
    if (!parsed.ok()) return parsed.status();
    written = *parsed;
    operands.remove_prefix(1);
    if (info.width_rule == WidthRule::kWrittenTruth) immediate = static_cast<uint64_t>(written);
  }
  const bool variadic = primitive == Primitive::kAnd || primitive == Primitive::kOr || primitive == Primitive::kXor ||
                        primitive == Primitive::kAdd;
  const int count = static_cast<int>(operands.size());
  if (count != info.arity && !(variadic && count > 2)) {
    return Error(e, absl::StrCat(info.arity, " operands are required"));
  }
  if (primitive == Primitive::kIte) {
    absl::StatusOr<ValueIndex> condition = Build(operands[0], 1);
    if (!condition.ok()) return condition;
    if (dag_->at(*condition).width != 1) return Error(e, "the condition is not a Boolean");
    absl::StatusOr<std::vector<ValueIndex>> branches = BuildSame(e, operands.subspan(1), width);
    if (!branches.ok()) return branches.status();
    return dag_->Ite(*condition, (*branches)[0], (*branches)[1]);
  }
  if (primitive == Primitive::kConcat) {
    absl::StatusOr<ValueIndex> high = Build(operands[0], 0), low = Build(operands[1], 0);
    if (!high.ok()) return high;
    if (!low.ok()) return low;
    const int sum = dag_->at(*high).width + dag_->at(*low).width;
    if (sum > 64) return Error(e, "the result has more than 64 bits");
    return dag_->Make(primitive, sum, {*high, *low});
  }
  const bool same = info.width_rule == WidthRule::kSame;
  absl::StatusOr<std::vector<ValueIndex>> values = BuildSame(e, operands, same ? width : 0);
  if (!values.ok()) return values.status();
  const int operand_width = dag_->at((*values)[0]).width;
  if (info.is_float && !IsFloatWidth(operand_width))
    return Error(e, absl::StrCat("a float cannot have ", operand_width, " bits; use 16, 32 or 64"));
  const int result = same ? operand_width : info.width_rule == WidthRule::kWritten ? written : 1;
  if ((primitive == Primitive::kF2f || primitive == Primitive::kF2fRtz || primitive == Primitive::kI2f ||
       primitive == Primitive::kU2f) &&
      !IsFloatWidth(result)) {
    return Error(e, absl::StrCat("a float cannot have ", result, " bits; use 16, 32 or 64"));
  }
  ValueIndex value = dag_->Make(
      primitive, result, absl::MakeConstSpan(*values).first(std::min<size_t>(info.arity, values->size())), immediate);
  for (size_t i = static_cast<size_t>(info.arity); i < values->size(); ++i) {
    value = dag_->Make(primitive, result, {value, (*values)[i]});
  }
  return value;
}

absl::StatusOr<ValueIndex> Builder::Build(const Expression& e, int width) {
  if (e.is_atom()) return BuildAtom(e, width);
  if (IsOpenLiteral(e)) return BuildOpenLiteral(e, width);
  if (!e.list[0].is_atom()) return Error(e, "expected the name of a primitive");
  const std::string& head = e.list[0].atom;
  if (head == "let") return BuildLet(e, width);
  if (head == "by_width") return BuildByWidth(e, width);
  if (head == "zext" || head == "sext" || head == "trunc" || head == "resize" || head == "sresize")
    return BuildResize(e);
  if (head == "extract") return BuildExtract(e);
  if (head == "approx") return BuildApprox(e, width);
  if (head == "lit") {
    if (e.list.size() != 3) return Error(e, "(lit W v) is expected");
    absl::StatusOr<int> written = Width(e.list[1]);
    if (!written.ok()) return written.status();
    return Build(e.list[2], *written);
  }
  const std::optional<Primitive> primitive = FindPrimitive(head);
  if (!primitive.has_value()) return Error(e, "unknown primitive");
  return BuildPrimitive(e, *primitive, width);
}

MeaningScope ScopeOfInputs(Dag* dag, const OpRow& row, int free_size) {
  MeaningScope scope;
  scope.free_size = free_size;
  scope.result_size = row.result.bits ? row.result.bits : free_size;
  for (size_t i = 0; i < row.sources.size(); ++i) {
    const OperandType& type = row.sources[i];
    std::vector<ValueIndex> components;
    for (int c = 0; c < std::max<int>(1, type.components); ++c) {
      components.push_back(dag->InputNamed(absl::StrCat(i, ".", c), type.bits ? type.bits : free_size));
    }
    scope.sources.push_back(std::move(components));
  }
  return scope;
}

absl::Status CheckTerms(const std::vector<Expression>& terms, const OpRow& row, int free_size, int width) {
  for (const Expression& term : terms) {
    Dag dag;
    const MeaningScope scope = ScopeOfInputs(&dag, row, free_size);
    absl::StatusOr<ValueIndex> value = BuildMeaning(&dag, term, scope, width);
    if (!value.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("op ", row.name, " at size ", free_size, ": ", value.status().message()));
    }
    if (dag.at(*value).width != width) {
      return absl::InvalidArgumentError(
          absl::StrCat("op ", row.name, " at size ", free_size, ": has ", dag.at(*value).width, " bits, not ", width));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Expression>> ParseMeaning(absl::string_view text) {
  std::vector<Expression> expressions;
  if (absl::Status bounded = proto::CheckLength(text, proto::kMeaningLimits); !bounded.ok()) {
    return Malformed(bounded.message(), 0);
  }
  size_t offset = 0;
  for (absl::string_view part : absl::StrSplit(text, ';')) {
    Reader reader(part);
    absl::StatusOr<Expression> expression = reader.Read();
    if (!expression.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("in '", text, "': ", expression.status().message()));
    }
    if (!reader.AtEnd())
      return Malformed(absl::StrCat("text after the expression '", text, "'"), offset + reader.position());
    expressions.push_back(*std::move(expression));
    offset += part.size() + 1;
  }
  return expressions;
}

absl::StatusOr<const RowMeaning*> MeaningOf(const OpRow& row) {
  static std::mutex& mutex = *new std::mutex;
  static auto& cache = *new absl::flat_hash_map<const OpRow*, std::unique_ptr<RowMeaning>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<RowMeaning>& entry = cache[&row];
  if (entry != nullptr) return entry.get();
  auto parsed = std::make_unique<RowMeaning>();
  const std::pair<const std::string*, std::vector<Expression>*> parts[] = {
      {&row.meaning, &parsed->meaning},         {&row.poison, &parsed->poison},
      {&row.signed_wrap, &parsed->signed_wrap}, {&row.unsigned_wrap, &parsed->unsigned_wrap},
      {&row.free_zero, &parsed->free_zero},     {&row.tiny, &parsed->tiny}};
  for (const auto& [text, terms] : parts) {
    if (text->empty()) continue;
    absl::StatusOr<std::vector<Expression>> expressions = ParseMeaning(*text);
    if (!expressions.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("op ", row.name, ": ", expressions.status().message()));
    }
    *terms = *std::move(expressions);
  }
  entry = std::move(parsed);
  return entry.get();
}

absl::StatusOr<ValueIndex> BuildMeaning(Dag* dag, const Expression& expression, const MeaningScope& scope, int width) {
  return Builder(dag, scope).Build(expression, width);
}

std::vector<int> FreeSizesOf(const OpRow& row) {
  if (!row.free_sizes.empty()) return {row.free_sizes.begin(), row.free_sizes.end()};
  const OperandType* first = row.result.bits == 0 ? &row.result : nullptr;
  for (const OperandType& source : row.sources) {
    // A float operand with the free size restricts the size more than an integer operand.
    if (source.bits == 0 && (first == nullptr || source.base == BaseType::kFloat)) first = &source;
  }
  if (first == nullptr) return {0};
  if (first->base == BaseType::kFloat) return {16, 32, 64};
  if (first->base == BaseType::kBool) return {1, 8, 16, 32};
  return {1, 8, 16, 32, 64};
}

absl::Status CheckRow(const OpRow& row) {
  absl::StatusOr<const RowMeaning*> parsed = MeaningOf(row);
  if (!parsed.ok()) return parsed.status();
  const RowMeaning& terms = **parsed;
  const size_t components = std::max<size_t>(1, row.result.components);
  if (terms.meaning.size() != components) {
    return absl::InvalidArgumentError(
        absl::StrCat("op ", row.name, ": ", terms.meaning.size(), " terms for ", components, " components"));
  }
  for (int size : FreeSizesOf(row)) {
    const int result = row.result.bits ? row.result.bits : size;
    absl::Status status = CheckTerms(terms.meaning, row, size, result);
    for (const auto* condition :
         {&terms.poison, &terms.free_zero, &terms.tiny, &terms.signed_wrap, &terms.unsigned_wrap}) {
      if (status.ok()) status = CheckTerms(*condition, row, size, 1);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace rewrought::ir
