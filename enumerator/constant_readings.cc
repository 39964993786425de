#include "enumerator/constant_readings.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/term_order.h"

namespace rewrought::enumerator {
namespace {

// A constant of a term, and the kind of value that its users expect.
struct TermConstant {
  uint64_t bits = 0;
  int width = 32;
  ValueKind kind = ValueKind::kInteger;
  friend auto operator<=>(const TermConstant&, const TermConstant&) = default;
};

// A function of a variable that computes a constant: op(variable), op(number, variable), or the variable itself.
struct Function {
  const char* op = nullptr;
  std::optional<uint64_t> number;
};

struct Written {
  std::string variable;
  Function function;
};

// Replaces the constant node `at` with a function of a variable.
void ReplaceByFunction(const Written& written, ir::NodeIndex at, ir::Term* term) {
  ir::Node variable;
  variable.bits = term->at(at).bits;
  variable.name = written.variable;
  if (written.function.op == nullptr) {
    term->nodes[at] = std::move(variable);
    return;
  }
  ir::WriteAsFunction(at, *ir::FindOp(written.function.op), std::move(variable), written.function.number,
                      /*variable_first=*/false, term);
}

bool IsOf(absl::Span<const Constant> pool, const Constant& constant) {
  return std::find(pool.begin(), pool.end(), constant) != pool.end();
}

class Readings {
 public:
  Readings(const ir::Term& term, absl::Span<const Constant> pool) : term_(term) {
    for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
      const ir::Node& node = term.at(i);
      if (node.kind != ir::NodeKind::kConstant || (node.bits != 16 && node.bits != 32)) continue;
      const TermConstant constant{node.values[0], node.bits,
                                  KindAsRead(term, [&](const ir::Node& other) { return &other == &node; })};
      constants_.emplace_back(i, constant);
      const bool known = IsOf(pool, {constant.bits, {constant.kind, node.bits, false}}) ||
                         std::find(own_.begin(), own_.end(), constant) != own_.end();
      if (!known) own_.push_back(constant);
    }
  }

  std::vector<ConstantReading> All() const {
    std::vector<ConstantReading> readings = {Make({})};
    if (std::optional<ConstantReading> powers = WithPowersOfTwo()) readings.push_back(*std::move(powers));
    for (size_t of = 0; of < own_.size(); ++of) {
      for (size_t other = of + 1; other < own_.size(); ++other) {
        if (std::optional<ConstantReading> related = Related(own_[of], own_[other])) {
          readings.push_back(*std::move(related));
        }
      }
    }
    return readings;
  }

 private:
  std::string NameOf(const TermConstant& constant) const {
    const auto at = std::find(own_.begin(), own_.end(), constant);
    return absl::StrCat("k", at - own_.begin());
  }

  // Returns the reading in which the distinctive constants are replaced by variables, or by the functions in `written`.
  ConstantReading Make(const std::map<TermConstant, Written>& written) const {
    ConstantReading reading;
    reading.term = term_;
    for (auto it = constants_.rbegin(); it != constants_.rend();
         ++it) {  // Backwards, so that earlier indices stay valid.
      const auto& [node, constant] = *it;
      if (const auto other = written.find(constant); other != written.end()) {
        ReplaceByFunction(other->second, node, &reading.term);
      } else if (std::find(own_.begin(), own_.end(), constant) != own_.end()) {
        ReplaceByFunction({NameOf(constant), {}}, node, &reading.term);
        reading.constants[NameOf(constant)] = constant.bits;
      }
    }
    return reading;
  }

  std::optional<ConstantReading> WithPowersOfTwo() const {
    std::map<TermConstant, Written> written;
    std::map<std::string, uint64_t> exponents;
    for (const auto& [node, constant] : constants_) {
      if (constant.kind != ValueKind::kInteger || constant.bits < 2 || !std::has_single_bit(constant.bits)) continue;
      const int exponent = std::countr_zero(constant.bits);
      const std::string name = absl::StrCat("exponent", exponent);
      written[constant] = {name, {"ishl", 1}};
      exponents[name] = static_cast<uint64_t>(exponent);
    }
    if (written.empty()) return std::nullopt;
    ConstantReading reading = Make(written);
    reading.constants.merge(exponents);
    return reading;
  }

  // Returns the reading in which one of the constants is a function of the other, or nullopt if they are not related.
  std::optional<ConstantReading> Related(const TermConstant& a, const TermConstant& b) const {
    if (const std::optional<Function> of_a = FunctionOf(a, b)) return Make({{b, {NameOf(a), *of_a}}});
    if (const std::optional<Function> of_b = FunctionOf(b, a)) return Make({{a, {NameOf(b), *of_b}}});
    return std::nullopt;
  }

  // Returns a function that maps `of` to `other`, or nullopt if there is none.
  static std::optional<Function> FunctionOf(const TermConstant& of, const TermConstant& other) {
    if (of.width != other.width || of.kind != other.kind) return std::nullopt;
    const uint64_t mask = ir::MaskOf(of.width);
    if (of.kind == ValueKind::kFloat) {
      const ir::FloatFormat format = ir::FormatOf(of.width);
      if (other.bits == (of.bits ^ format.sign())) return Function{"fneg", {}};
      if (ir::BitsToFloat(other.bits, of.width) == 2 * ir::BitsToFloat(of.bits, of.width)) {
        return Function{"fmul", ir::FloatToBits(2, of.width)};
      }
      return std::nullopt;
    }
    if (other.bits == ((0 - of.bits) & mask)) return Function{"ineg", {}};
    if (other.bits == (~of.bits & mask)) return Function{"inot", {}};
    const auto width = static_cast<uint64_t>(of.width);
    if (other.bits == ((width - of.bits) & mask)) return Function{"isub", width};
    if (other.bits == ((2 * of.bits) & mask)) return Function{"imul", 2};
    return std::nullopt;
  }

  const ir::Term& term_;
  std::vector<std::pair<ir::NodeIndex, TermConstant>> constants_;
  std::vector<TermConstant> own_;  // The constants that are not in banks, named "k0", "k1", ...
};

bool IsShift(const ir::OpRow& op) { return op.name == "ishl" || op.name == "ishr" || op.name == "ushr"; }

// Returns true if the node is used only as a shift amount.
bool IsShiftAmount(const ir::Term& term, ir::NodeIndex node) {
  bool shifts = false;
  for (const ir::Node& user : term.nodes) {
    for (size_t s = 0; s < user.sources.size(); ++s) {
      if (user.sources[s].node != node) continue;
      if (s != 1 || !IsShift(*user.op) || user.bits != 32) return false;
      shifts = true;
    }
  }
  return shifts;
}

}  // namespace

ValueKind KindAsRead(const ir::Term& term, const std::function<bool(const ir::Node&)>& is_it) {
  ValueKind kind = ValueKind::kInteger;
  for (const ir::Node& node : term.nodes) {
    for (size_t s = 0; s < node.sources.size(); ++s) {
      const ir::Node& source = term.at(node.sources[s].node);
      if (!is_it(source)) continue;
      const ValueKind read = KindOf(node.op->sources[s].base, source.bits);
      if (read != ValueKind::kInteger) kind = read;
    }
  }
  return kind;
}

std::vector<ConstantReading> ReadingsOf(const ir::Term& term, absl::Span<const Constant> pool) {
  return Readings(term, pool).All();
}

std::optional<std::vector<uint32_t>> NearConstants(const ir::Term& term, absl::Span<const Constant> pool) {
  std::set<uint32_t> near;
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.at(i);
    if (node.kind != ir::NodeKind::kConstant || node.bits == 1) continue;
    const auto value = static_cast<uint32_t>(node.values[0]);
    if (IsShiftAmount(term, i) && value > 0 && value < 32) {
      near.insert({value, 32 - value, (uint32_t{1} << value) - 1});
      continue;
    }
    const ValueKind kind = KindAsRead(term, [&](const ir::Node& other) { return &other == &node; });
    if (kind == ValueKind::kInteger && node.bits == 32 && value > 2 && std::has_single_bit(value)) {
      near.insert({value, value - 1, static_cast<uint32_t>(std::countr_zero(value))});
      continue;
    }
    if (!IsOf(pool, {node.values[0], {kind, node.bits, false}})) return std::nullopt;
  }
  return std::vector<uint32_t>(near.begin(), near.end());
}

}  // namespace rewrought::enumerator
