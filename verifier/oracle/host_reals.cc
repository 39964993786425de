#include "verifier/oracle/host_reals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ir/scalar.h"

namespace rewrought::verifier {
namespace {

using Float = long double;
constexpr Float kRounding = std::numeric_limits<Float>::epsilon();
constexpr Float kLn2 = 0.693147180559945309417232121458L;
// The safety factor of the first-order error bound.
constexpr Float kSlack = 16;

// A number with an error bound. A missing number is undefined, or too close to a decision boundary.
struct Number {
  Float value = 0, error = 0;
};
using Maybe = std::optional<Number>;
using Operands = std::vector<Number>;

Maybe Made(Float value, Float error) {
  if (!std::isfinite(value) || !std::isfinite(error)) return std::nullopt;
  return Number{value, error + kRounding * std::fabs(value)};
}

Maybe Add(const Number& a, const Number& b) { return Made(a.value + b.value, a.error + b.error); }
Maybe Negative(const Number& a) { return Made(-a.value, a.error); }
Maybe Multiply(const Number& a, const Number& b) {
  return Made(a.value * b.value, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error);
}
Maybe Reciprocal(const Number& a) {
  if (std::fabs(a.value) <= 2 * a.error) return std::nullopt;
  return Made(1 / a.value, 2 * a.error / (a.value * a.value));
}
Maybe Root(const Number& a) {
  if (a.value == 0 && a.error == 0) return Made(0, 0);
  if (a.value <= 2 * a.error) return std::nullopt;
  return Made(std::sqrt(a.value), a.error / std::sqrt(a.value));
}
Maybe Logarithm(const Number& a) {
  if (a.value <= 2 * a.error) return std::nullopt;
  return Made(std::log2(a.value), 2 * a.error / (a.value * kLn2));
}
Maybe Exponential(const Number& a) {
  const Float value = std::exp2(a.value);
  return Made(value, 2 * value * kLn2 * a.error);
}
Maybe Floor(const Number& a) {
  const Float value = std::floor(a.value);
  const Float room = std::min(a.value - value, value + 1 - a.value);
  if (a.error != 0 && room <= kSlack * a.error) return std::nullopt;
  return Made(value, 0);
}
Maybe Then(const Maybe& a, Maybe (*next)(const Number&)) { return a.has_value() ? next(*a) : std::nullopt; }

Maybe Least(const Number& a, const Number& b) { return Made(std::fmin(a.value, b.value), std::fmax(a.error, b.error)); }
Maybe Greatest(const Number& a, const Number& b) {
  return Made(std::fmax(a.value, b.value), std::fmax(a.error, b.error));
}

Maybe Power(const Number& a, const Number& b) {
  const Maybe logarithm = Logarithm(a);
  const Maybe product = logarithm.has_value() ? Multiply(*logarithm, b) : std::nullopt;
  return Then(product, Exponential);
}

Maybe Mix(const Number& a, const Number& b, const Number& c) {
  const Maybe range = Add(b, *Negative(a));
  const Maybe part = range.has_value() ? Multiply(*range, c) : std::nullopt;
  return part.has_value() ? Add(a, *part) : std::nullopt;
}

Maybe Fraction(const Number& a) {
  const Maybe floor = Floor(a);
  return floor.has_value() ? Add(a, *Negative(*floor)) : std::nullopt;
}

Maybe Sign(const Number& a) {
  if (a.error != 0 && std::fabs(a.value) <= kSlack * a.error) return std::nullopt;
  return Made(a.value > 0 ? 1 : a.value < 0 ? -1 : 0, 0);
}

// Returns the truth of a < b, a >= b, a == b or a != b, or nullopt if the error could change the outcome.
Maybe Compare(const std::string& op, const Number& a, const Number& b) {
  const Float error = a.error + b.error;
  if (error != 0 && std::fabs(a.value - b.value) <= kSlack * error) return std::nullopt;
  const bool truth = op == "flt"   ? a.value < b.value
                     : op == "fge" ? a.value >= b.value
                     : op == "feq" ? a.value == b.value
                                   : a.value != b.value;
  return Made(truth ? 1 : 0, 0);
}

using HostOp = Maybe (*)(const Operands&);

const std::map<std::string, HostOp>& HostOps() {
  static const auto& ops = *new std::map<std::string, HostOp>{
      {"mov", [](const Operands& x) { return Maybe(x[0]); }},
      {"fadd", [](const Operands& x) { return Add(x[0], x[1]); }},
      {"fsub", [](const Operands& x) { return Add(x[0], *Negative(x[1])); }},
      {"fmul", [](const Operands& x) { return Multiply(x[0], x[1]); }},
      {"ffma",
       [](const Operands& x) {
         const Maybe product = Multiply(x[0], x[1]);
         return product.has_value() ? Add(*product, x[2]) : std::nullopt;
       }},
      {"fdiv",
       [](const Operands& x) {
         const Maybe reciprocal = Reciprocal(x[1]);
         return reciprocal.has_value() ? Multiply(x[0], *reciprocal) : std::nullopt;
       }},
      {"flrp", [](const Operands& x) { return Mix(x[0], x[1], x[2]); }},
      {"fneg", [](const Operands& x) { return Negative(x[0]); }},
      {"fabs", [](const Operands& x) { return Made(std::fabs(x[0].value), x[0].error); }},
      {"fsign", [](const Operands& x) { return Sign(x[0]); }},
      {"fmin", [](const Operands& x) { return Least(x[0], x[1]); }},
      {"fmax", [](const Operands& x) { return Greatest(x[0], x[1]); }},
      {"fsat", [](const Operands& x) { return Made(std::fmin(std::fmax(x[0].value, 0), 1), x[0].error); }},
      {"frcp", [](const Operands& x) { return Reciprocal(x[0]); }},
      {"fsqrt", [](const Operands& x) { return Root(x[0]); }},
      {"frsq", [](const Operands& x) { return Then(Root(x[0]), Reciprocal); }},
      {"fexp2", [](const Operands& x) { return Exponential(x[0]); }},
      {"flog2", [](const Operands& x) { return Logarithm(x[0]); }},
      {"fpow", [](const Operands& x) { return Power(x[0], x[1]); }},
      {"fsin", [](const Operands& x) { return Made(std::sin(x[0].value), x[0].error); }},
      {"fcos", [](const Operands& x) { return Made(std::cos(x[0].value), x[0].error); }},
      {"ffloor", [](const Operands& x) { return Floor(x[0]); }},
      {"fceil", [](const Operands& x) { return Then(Then(Negative(x[0]), Floor), Negative); }},
      {"ffract", [](const Operands& x) { return Fraction(x[0]); }},
      {"flt", [](const Operands& x) { return Compare("flt", x[0], x[1]); }},
      {"fge", [](const Operands& x) { return Compare("fge", x[0], x[1]); }},
      {"feq", [](const Operands& x) { return Compare("feq", x[0], x[1]); }},
      {"fneu", [](const Operands& x) { return Compare("fneu", x[0], x[1]); }},
      {"b2f16", [](const Operands& x) { return Maybe(x[0]); }},
      {"b2f32", [](const Operands& x) { return Maybe(x[0]); }},
      {"b2f64", [](const Operands& x) { return Maybe(x[0]); }},
      {"bcsel", [](const Operands& x) { return Maybe(x[0].value != 0 ? x[1] : x[2]); }},
      {"inot", [](const Operands& x) { return Made(1 - x[0].value, 0); }},
      {"iand", [](const Operands& x) { return Made(x[0].value * x[1].value, 0); }},
      {"ior", [](const Operands& x) { return Made(std::fmax(x[0].value, x[1].value), 0); }},
      {"ixor", [](const Operands& x) { return Made(x[0].value == x[1].value ? 0 : 1, 0); }},
  };
  return ops;
}

bool IsLogic(const std::string& op) { return op == "inot" || op == "iand" || op == "ior" || op == "ixor"; }

bool IsCovered(const ir::Term& term) {
  return std::all_of(term.nodes.begin(), term.nodes.end(), [](const ir::Node& node) {
    if (node.components != 1 || (node.bits != 1 && !ir::IsFloatWidth(node.bits))) return false;
    if (node.kind != ir::NodeKind::kOp) return true;
    return HostOps().contains(node.op->name) && (!IsLogic(node.op->name) || node.bits == 1);
  });
}

Number NumberOf(uint64_t bits, int width) {
  return {width == 1 ? static_cast<Float>(bits) : static_cast<Float>(ir::BitsToFloat(bits, width)), 0};
}

Maybe Evaluate(const ir::Term& term, const std::map<std::string, Number>& inputs) {
  std::vector<Number> values;
  for (const ir::Node& node : term.nodes) {
    if (node.kind == ir::NodeKind::kVariable) {
      values.push_back(inputs.at(node.name));
      continue;
    }
    if (node.kind == ir::NodeKind::kConstant) {
      values.push_back(NumberOf(node.values[0], node.bits));
      continue;
    }
    Operands operands;
    for (const ir::Source& source : node.sources) operands.push_back(values[source.node]);
    const Maybe value = HostOps().at(node.op->name)(operands);
    if (!value.has_value()) return std::nullopt;
    values.push_back(*value);
  }
  return values[term.root];
}

std::vector<Number> PoolFor(const ir::Node& variable, std::mt19937* random) {
  constexpr size_t kPool = 4096;
  std::vector<Number> pool;
  if (variable.bits == 1) return {{0, 0}, {1, 0}};
  const auto offer = [&](double number) {
    const uint64_t bits = ir::FloatToBits(number, variable.bits);
    if (MeetsPredicates(variable, bits)) pool.push_back(NumberOf(bits, variable.bits));
  };
  for (const double number : {0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5}) offer(number);
  std::uniform_real_distribution<double> unit(0, 1), exponent(-8, 8);
  for (size_t tries = 0; pool.size() < kPool && tries < 8 * kPool; ++tries) {
    const double magnitude = std::exp2(exponent(*random));
    offer(tries % 2 == 0 ? unit(*random) : tries % 4 == 1 ? magnitude : -magnitude);
  }
  return pool;
}

}  // namespace

OracleTally CompareOverHostReals(const ir::Term& search, const ir::Term& replace, uint64_t wanted) {
  OracleTally tally;
  tally.covered = IsCovered(search) && IsCovered(replace);
  if (!tally.covered) return tally;
  std::mt19937 random(54321);
  std::map<std::string, std::vector<Number>> pools;
  for (const ir::Node& node : search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || pools.contains(node.name)) continue;
    std::vector<Number> pool = PoolFor(node, &random);
    if (pool.empty()) return tally;
    pools[node.name] = std::move(pool);
  }
  std::map<std::string, Number> inputs;
  for (uint64_t tries = 0; tries < 8 * wanted && tally.agreed < wanted; ++tries) {
    for (const auto& [name, pool] : pools) inputs[name] = pool[random() % pool.size()];
    const Maybe before = Evaluate(search, inputs);
    if (!before.has_value()) {
      ++tally.set_aside;
      continue;
    }
    const Maybe after = Evaluate(replace, inputs);
    if (!after.has_value()) {
      // The replacement is undefined where the search is defined, or one of its comparisons is too close to decide.
      // Both are rare for a correct rule.
      ++tally.set_aside;
      continue;
    }
    const bool agrees = std::fabs(before->value - after->value) <= kSlack * (before->error + after->error);
    ++(agrees ? tally.agreed : tally.disagreed);
  }
  return tally;
}

}  // namespace rewrought::verifier
