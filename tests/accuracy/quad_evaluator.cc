#include "tests/accuracy/quad_evaluator.h"

#include <quadmath.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::accuracy {
namespace {

struct Format {
  int precision, smallest, largest;  // exponents of normal numbers: 2^smallest <= |x| < 2^(largest + 1)
};

Format FormatOf(int width) {
  if (width == 16) return {11, -14, 15};
  if (width == 32) return {24, -126, 127};
  return {53, -1022, 1023};
}

class Compiler {
 public:
  Compiler(const ir::Term& term, std::vector<Variable>* variables) : term_(term), variables_(*variables) {}

  absl::StatusOr<Code> Run() {
    for (const ir::Node& node : term_.nodes) {
      const absl::StatusOr<int> place = Add(node);
      if (!place.ok()) return place.status();
      places_.push_back(*place);
      if (node.kind == ir::NodeKind::kOp) code_.ops.push_back(*place);
    }
    code_.root = places_[term_.root];
    return std::move(code_);
  }

 private:
  static absl::Status Unknown(const std::string& what) {
    return absl::UnimplementedError(absl::StrCat("the quadruple-precision evaluator does not support ", what));
  }

  // Returns the index of the instruction. Equal instructions share an index.
  int Emit(const Instruction& step) {
    const auto place = std::find(code_.steps.begin(), code_.steps.end(), step) - code_.steps.begin();
    if (static_cast<size_t>(place) == code_.steps.size()) code_.steps.push_back(step);
    return static_cast<int>(place);
  }
  int Emit(Op op, int width, std::array<int, 3> operands = {}, bool fusible = false) {
    return Emit({.op = op, .width = width, .operands = operands, .fusible = fusible});
  }

  int Literal(double value, int width) { return Emit({.op = Op::kLiteral, .width = width, .literal = value}); }

  absl::StatusOr<int> Add(const ir::Node& node) {
    if (node.components != 1) return Unknown("vectors");
    switch (node.kind) {
      case ir::NodeKind::kConstant:
        return AddConstant(node);
      case ir::NodeKind::kVariable:
        return AddVariable(node);
      case ir::NodeKind::kOp:
        return AddOp(node);
    }
    return Unknown("this node");
  }

  absl::StatusOr<int> AddConstant(const ir::Node& node) {
    switch (node.literal) {
      case ir::LiteralKind::kFloat:
        return Literal(RoundTo(static_cast<Quad>(std::bit_cast<double>(node.values[0])), node.bits), node.bits);
      case ir::LiteralKind::kBool:
        return Literal(node.values[0] != 0 ? 1 : 0, 1);
      case ir::LiteralKind::kInt:
        if (node.values[0] == 0) return Literal(0, node.bits);
        return Unknown("integers");
      case ir::LiteralKind::kBits:
        if (node.bits == 64) return Literal(std::bit_cast<double>(node.values[0]), 64);
        if (node.bits == 32) return Literal(std::bit_cast<float>(static_cast<uint32_t>(node.values[0])), 32);
        if (node.bits == 1) return Literal(node.values[0] != 0 ? 1 : 0, 1);
        return Unknown("bit patterns");
    }
    return Unknown("this literal");
  }

  absl::StatusOr<int> AddVariable(const ir::Node& node) {
    if (node.bits != 1 && node.bits != 16 && node.bits != 32 && node.bits != 64) return Unknown("this width");
    Variable variable{.name = node.name, .width = node.bits, .constant = node.constant_only};
    for (const std::string& predicate : node.predicates) {
      if (absl::StartsWith(predicate, "is_used")) continue;
      if (predicate == "is_not_negative" || predicate == "is_gt_zero" || predicate == "is_ge_zero") {
        variable.positive = true;
      } else if (predicate == "is_not_const") {
        variable.varies = true;
      } else {
        return Unknown(predicate);
      }
    }
    auto known =
        std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) { return v.name == node.name; });
    if (known == variables_.end()) known = variables_.insert(variables_.end(), variable);
    if (known->width != node.bits) return Unknown("a variable with two widths");
    known->positive |= variable.positive;
    known->constant |= variable.constant;
    known->varies |= variable.varies;
    return Emit({.op = Op::kVariable, .width = node.bits, .variable = static_cast<int>(known - variables_.begin())});
  }

  absl::StatusOr<int> AddOp(const ir::Node& node) {
    for (const std::string& predicate : node.predicates) {
      if (!absl::StartsWith(predicate, "is_used") && !absl::StartsWith(predicate, "is_only_used"))
        return Unknown(predicate);
    }
    std::array<int, 3> x{};
    if (node.sources.size() > 3) return Unknown(std::string(node.op->name));
    for (size_t k = 0; k < node.sources.size(); ++k) x[k] = places_[node.sources[k].node];
    const std::string name(node.op->name);
    const int width = node.bits;
    const bool exact = (node.flags & ir::kExact) != 0;
    static const auto* const kSimple = new std::map<std::string, Op>{{"fadd", Op::kAdd},
                                                                     {"fmul", Op::kMul},
                                                                     {"fmulz", Op::kMul},
                                                                     {"ffma", Op::kFma},
                                                                     {"ffmaz", Op::kFma},
                                                                     {"fdiv", Op::kDiv},
                                                                     {"fsqrt", Op::kSqrt},
                                                                     {"fneg", Op::kNeg},
                                                                     {"fabs", Op::kAbs},
                                                                     {"fmin", Op::kMin},
                                                                     {"fmax", Op::kMax},
                                                                     {"ffloor", Op::kFloor},
                                                                     {"fceil", Op::kCeil},
                                                                     {"ftrunc", Op::kTrunc},
                                                                     {"frcp", Op::kRcp},
                                                                     {"frsq", Op::kRsq},
                                                                     {"fexp2", Op::kExp2},
                                                                     {"flog2", Op::kLog2},
                                                                     {"fpow", Op::kPow},
                                                                     {"fsin", Op::kSin},
                                                                     {"fcos", Op::kCos},
                                                                     {"bcsel", Op::kSelect},
                                                                     {"flt", Op::kLess},
                                                                     {"fge", Op::kAtLeast},
                                                                     {"feq", Op::kEqual},
                                                                     {"inot", Op::kNot},
                                                                     {"iand", Op::kAnd},
                                                                     {"ior", Op::kOr},
                                                                     {"fround_even", Op::kRoundEven}};
    if (const auto simple = kSimple->find(name); simple != kSimple->end()) {
      const bool is_logic = simple->second == Op::kNot || simple->second == Op::kAnd || simple->second == Op::kOr;
      if (is_logic && width != 1) return Unknown("integers");
      if (width == 1 && !is_logic && simple->second < Op::kSelect) return Unknown(name);
      return Emit(simple->second, width, x, !exact);
    }
    if (name == "fneu") return Emit(Op::kNot, 1, {Emit(Op::kEqual, 1, x)});
    if (name == "fsub") return Emit(Op::kAdd, width, {x[0], Emit(Op::kNeg, width, {x[1]})}, !exact);
    if (name == "ffract") {
      return Emit(Op::kAdd, width, {x[0], Emit(Op::kNeg, width, {Emit(Op::kFloor, width, x)})});
    }
    if (name == "fsat") {
      const int above = Emit(Op::kMax, width, {x[0], Literal(0, width)});
      return Emit(Op::kMin, width, {above, Literal(1, width)});
    }
    if (name == "flrp" && width != 16) {
      const int rest = Emit(Op::kAdd, width, {Literal(1, width), Emit(Op::kNeg, width, {x[2]})});
      const int left = Emit(Op::kMul, width, {x[0], rest});
      return Emit(Op::kAdd, width, {left, Emit(Op::kMul, width, {x[1], x[2]})});
    }
    if (absl::StartsWith(name, "b2f")) {
      if (code_.steps[static_cast<size_t>(x[0])].width != 1) return Unknown("integers");
      return Emit(Op::kSelect, width, {x[0], Literal(1, width), Literal(0, width)});
    }
    if (absl::StartsWith(name, "f2f")) return Emit(Op::kConvert, width, x);
    return Unknown(name);
  }

  const ir::Term& term_;
  std::vector<Variable>& variables_;
  Code code_;
  std::vector<int> places_;
};

// Returns the number of operands that an operation reads.
int Arity(Op op) {
  switch (op) {
    case Op::kLiteral:
    case Op::kVariable:
      return 0;
    case Op::kFma:
    case Op::kSelect:
      return 3;
    case Op::kAdd:
    case Op::kMul:
    case Op::kDiv:
    case Op::kMin:
    case Op::kMax:
    case Op::kPow:
    case Op::kLess:
    case Op::kAtLeast:
    case Op::kEqual:
    case Op::kAnd:
    case Op::kOr:
      return 2;
    default:
      return 1;
  }
}

bool IsZero(Quad x) { return x == 0; }

// Applies an operation that returns a number, without rounding to its format.
Quad Apply(Op op, Quad a, Quad b, Quad c) {
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kMul:
      return a * b;
    case Op::kFma:
      return fmaq(a, b, c);
    case Op::kDiv:
      return a / b;
    case Op::kSqrt:
      return sqrtq(a);
    case Op::kNeg:
      return -a;
    case Op::kAbs:
      return fabsq(a);
    case Op::kMin:
      return a < b ? a : b;
    case Op::kMax:
      return a < b ? b : a;
    case Op::kFloor:
      return floorq(a);
    case Op::kCeil:
      return ceilq(a);
    case Op::kTrunc:
      return truncq(a);
    case Op::kRoundEven:
      return rintq(a);
    case Op::kRcp:
      return 1 / a;
    case Op::kRsq:
      return 1 / sqrtq(a);
    case Op::kExp2:
      return exp2q(a);
    case Op::kLog2:
      return log2q(a);
    case Op::kPow:
      return a > 0 ? exp2q(b * log2q(a)) : nanq("");
    case Op::kSin:
      return sinq(a);
    case Op::kCos:
      return cosq(a);
    case Op::kSelect:
      return IsZero(a) ? c : b;
    case Op::kLess:
      return a < b;
    case Op::kAtLeast:
      return a >= b;
    case Op::kEqual:
      return a == b;
    case Op::kNot:
      return IsZero(a);
    case Op::kAnd:
      return !IsZero(a) && !IsZero(b);
    case Op::kOr:
      return !IsZero(a) || !IsZero(b);
    case Op::kConvert:
    case Op::kLiteral:
    case Op::kVariable:
      return a;
  }
  return a;
}

// Returns the derivatives of an operation with respect to its operands; `value` is its result.
std::array<Quad, 3> Slopes(Op op, Quad a, Quad b, Quad value) {
  const Quad ln2 = logq(2);
  switch (op) {
    case Op::kAdd:
      return {1, 1, 0};
    case Op::kMul:
      return {b, a, 0};
    case Op::kFma:
      return {b, a, 1};
    case Op::kDiv:
      return {1 / b, -value / b, 0};
    case Op::kSqrt:
      return {1 / (2 * value), 0, 0};
    case Op::kNeg:
      return {-1, 0, 0};
    case Op::kAbs:
      return {static_cast<Quad>(a < 0 ? -1 : 1), 0, 0};
    case Op::kMin:
      return {static_cast<Quad>(a < b), static_cast<Quad>(!(a < b)), 0};
    case Op::kMax:
      return {static_cast<Quad>(!(a < b)), static_cast<Quad>(a < b), 0};
    case Op::kConvert:
      return {1, 0, 0};
    case Op::kRcp:
      return {-value * value, 0, 0};
    case Op::kRsq:
      return {-value / (2 * a), 0, 0};
    case Op::kExp2:
      return {value * ln2, 0, 0};
    case Op::kLog2:
      return {1 / (a * ln2), 0, 0};
    case Op::kPow:
      return {b * value / a, value * logq(a), 0};
    case Op::kSin:
      return {cosq(a), 0, 0};
    case Op::kCos:
      return {-sinq(a), 0, 0};
    case Op::kSelect:
      return {0, static_cast<Quad>(!IsZero(a)), static_cast<Quad>(IsZero(a))};
    default:
      return {};
  }
}

bool IsDecision(Op op) {
  return op == Op::kLess || op == Op::kAtLeast || op == Op::kEqual || op == Op::kFloor || op == Op::kCeil ||
         op == Op::kTrunc || op == Op::kRoundEven;
}

// Computes the operation in the format of its result.
double Compute(const Instruction& step, double a, double b, double c) {
  if (step.width == 32) {
    const auto x = static_cast<float>(a), y = static_cast<float>(b), z = static_cast<float>(c);
    if (step.op == Op::kAdd) return static_cast<double>(x + y);
    if (step.op == Op::kMul) return static_cast<double>(x * y);
    if (step.op == Op::kFma) return static_cast<double>(std::fma(x, y, z));
    if (step.op == Op::kDiv) return static_cast<double>(x / y);
    if (step.op == Op::kSqrt) return static_cast<double>(std::sqrt(x));
  }
  if (step.width == 64) {
    if (step.op == Op::kAdd) return a + b;
    if (step.op == Op::kMul) return a * b;
    if (step.op == Op::kFma) return std::fma(a, b, c);
    if (step.op == Op::kDiv) return a / b;
    if (step.op == Op::kSqrt) return std::sqrt(a);
  }
  return RoundTo(Apply(step.op, a, b, c), step.width);
}

}  // namespace

double UnitRoundoff(int width) { return std::ldexp(1.0, -FormatOf(width).precision); }

double RoundTo(Quad value, int width) {
  if (width == 1 || width == 64) return static_cast<double>(value);
  if (width == 32) return static_cast<double>(static_cast<float>(value));
  if (IsZero(value) || !finiteq(value)) return static_cast<double>(value);
  const Format format = FormatOf(width);
  int exponent = 0;
  frexpq(value, &exponent);
  const int unit = std::max(exponent - format.precision, format.smallest - format.precision + 1);
  const Quad rounded = scalbnq(rintq(scalbnq(value, -unit)), unit);
  if (fabsq(rounded) >= scalbnq(1, format.largest + 1)) return value > 0 ? HUGE_VAL : -HUGE_VAL;
  return static_cast<double>(rounded);
}

double Neighbor(double value, int64_t steps, int width) {
  if (width == 64 || value == 0 || !std::isfinite(value)) {
    return value == 0 ? value : std::bit_cast<double>(std::bit_cast<int64_t>(value) + steps);
  }
  if (width == 32) {
    const auto bits = std::bit_cast<int32_t>(static_cast<float>(value));
    return static_cast<double>(std::bit_cast<float>(bits + static_cast<int32_t>(steps)));
  }
  int exponent = 0;
  std::frexp(value, &exponent);
  return RoundTo(static_cast<Quad>(value + std::ldexp(static_cast<double>(steps), exponent - 11)), width);
}

absl::StatusOr<Code> Compile(const ir::Term& term, std::vector<Variable>* variables) {
  return Compiler(term, variables).Run();
}

Code Contracted(const Code& code, const Contraction& contraction, const std::vector<bool>& constants) {
  if (!contraction.enabled) return code;
  const size_t size = code.steps.size();
  const auto at = [&](int place) -> const Instruction& { return code.steps[static_cast<size_t>(place)]; };
  std::vector<std::vector<size_t>> users(size);
  for (size_t i = 0; i < size; ++i) {
    for (int k = 0; k < Arity(code.steps[i].op); ++k)
      users[static_cast<size_t>(code.steps[i].operands[k])].push_back(i);
  }
  std::vector<bool> folded(size);  // to a constant, before products are contracted
  for (size_t i = 0; i < size; ++i) {
    const Instruction& step = code.steps[i];
    folded[i] = step.op != Op::kVariable || constants[static_cast<size_t>(step.variable)];
    for (int k = 0; k < Arity(step.op); ++k) folded[i] = folded[i] && folded[static_cast<size_t>(step.operands[k])];
  }
  const auto is_constant = [&](int place) { return folded[static_cast<size_t>(place)]; };
  const auto only_added = [&](const auto& self, int place) -> bool {
    if (place == code.root) return false;
    const auto& all = users[static_cast<size_t>(place)];
    if (!contraction.several_uses && all.size() > 1) return false;
    return std::all_of(all.begin(), all.end(), [&](size_t user) {
      const Instruction& step = code.steps[user];
      if (step.op == Op::kNeg || step.op == Op::kAbs) return self(self, static_cast<int>(user));
      return step.op == Op::kAdd && step.fusible;
    });
  };
  struct Found {
    int product = -1;
    bool negated = false, absolute = false;
  };
  const auto product_of = [&](int place) {
    Found found;
    while (at(place).op == Op::kNeg || (at(place).op == Op::kAbs && contraction.through_abs)) {
      if (at(place).op == Op::kAbs) {
        found.absolute = true;
      } else if (!found.absolute) {
        found.negated = !found.negated;
      }
      place = at(place).operands[0];
    }
    const bool is_product = at(place).op == Op::kMul && at(place).fusible && !is_constant(place);
    if (is_product && only_added(only_added, place)) found.product = place;
    return found;
  };
  Code fused;  // without `ops`
  std::vector<int> moved(size);
  const auto emit = [&](Op op, int width, std::array<int, 3> operands) {
    fused.steps.push_back({.op = op, .width = width, .operands = operands});
    return static_cast<int>(fused.steps.size()) - 1;
  };
  for (size_t i = 0; i < size; ++i) {
    Instruction step = code.steps[i];
    if (step.op == Op::kAdd && step.fusible) {
      int side = contraction.second ? 1 : 0;
      Found found = product_of(step.operands[side]);
      if (found.product < 0) found = product_of(step.operands[side = 1 - side]);
      const auto keeps = [&]() {
        const auto& factors = at(found.product).operands;
        return (is_constant(factors[0]) || is_constant(factors[1])) &&
               (is_constant(step.operands[0]) || is_constant(step.operands[1]));
      };
      if (found.product >= 0 && !(contraction.keeps_constants && keeps())) {
        int x = moved[static_cast<size_t>(at(found.product).operands[0])];
        int y = moved[static_cast<size_t>(at(found.product).operands[1])];
        if (found.absolute) x = emit(Op::kAbs, step.width, {x}), y = emit(Op::kAbs, step.width, {y});
        if (found.negated) x = emit(Op::kNeg, step.width, {x});
        moved[i] = emit(Op::kFma, step.width, {x, y, moved[static_cast<size_t>(step.operands[1 - side])]});
        continue;
      }
    }
    for (int k = 0; k < Arity(step.op); ++k) step.operands[k] = moved[static_cast<size_t>(step.operands[k])];
    moved[i] = static_cast<int>(fused.steps.size());
    fused.steps.push_back(step);
  }
  fused.root = moved[static_cast<size_t>(code.root)];
  return fused;
}

bool IsFolded(const Code& code, const std::vector<bool>& constants) {
  std::vector<bool> constant, varies;  // varies: contains a variable
  for (const Instruction& step : code.steps) {
    const bool is_variable = step.op == Op::kVariable;
    bool all = !is_variable || constants[static_cast<size_t>(step.variable)], any = is_variable;
    for (int k = 0; k < Arity(step.op); ++k) {
      all = all && constant[static_cast<size_t>(step.operands[k])];
      any = any || varies[static_cast<size_t>(step.operands[k])];
    }
    constant.push_back(all), varies.push_back(any);
  }
  return std::any_of(code.ops.begin(), code.ops.end(), [&](int place) {
    return constant[static_cast<size_t>(place)] && varies[static_cast<size_t>(place)];
  });
}

Trace Evaluate(const Code& code, const std::vector<double>& point) {
  Trace trace;
  const size_t size = code.steps.size();
  trace.computed.resize(size), trace.exact.resize(size), trace.doubt.resize(size), trace.rounds.resize(size);
  for (size_t i = 0; i < size; ++i) {
    const Instruction& step = code.steps[i];
    if (step.op == Op::kLiteral || step.op == Op::kVariable) {
      const double value = step.op == Op::kLiteral ? step.literal : point[static_cast<size_t>(step.variable)];
      trace.computed[i] = value, trace.exact[i] = value;
      continue;
    }
    std::array<double, 3> x{};
    std::array<Quad, 3> exact{}, doubt{};
    for (int k = 0; k < Arity(step.op); ++k) {
      const auto place = static_cast<size_t>(step.operands[k]);
      x[k] = trace.computed[place], exact[k] = trace.exact[place], doubt[k] = trace.doubt[place];
    }
    trace.computed[i] = Compute(step, x[0], x[1], x[2]);
    trace.exact[i] = Apply(step.op, exact[0], exact[1], exact[2]);
    if (!finiteq(trace.exact[i])) {
      trace.in_range = false;
      return trace;
    }
    if (IsDecision(step.op)) {
      if (trace.exact[i] != static_cast<Quad>(trace.computed[i])) trace.decided_alike = false;
      continue;
    }
    if (step.width == 1) continue;
    const Quad magnitude = fabsq(trace.exact[i]);
    const Format format = FormatOf(step.width);
    if (!std::isfinite(trace.computed[i]) || magnitude >= scalbnq(1, format.largest)) trace.in_range = false;
    if (!IsZero(magnitude) && magnitude < scalbnq(1, format.smallest + 1)) trace.in_range = false;
    const std::array<Quad, 3> slopes = Slopes(step.op, exact[0], exact[1], trace.exact[i]);
    trace.doubt[i] = magnitude * scalbnq(1, -110);
    for (int k = 0; k < 3; ++k) trace.doubt[i] += fabsq(slopes[k]) * doubt[k];
    if (!finiteq(trace.doubt[i])) trace.in_range = false;
    trace.rounds[i] = static_cast<Quad>(trace.computed[i]) != Apply(step.op, x[0], x[1], x[2]);
  }
  return trace;
}

Quad ErrorBound(const Code& code, const Trace& trace, const std::vector<bool>& rounds) {
  std::vector<Quad> slope(code.steps.size(), 0);
  slope[static_cast<size_t>(code.root)] = 1;
  Quad bound = 0;
  for (size_t i = code.steps.size(); i-- > 0;) {
    const Instruction& step = code.steps[i];
    if (IsZero(slope[i])) continue;
    if (rounds[i]) bound += fabsq(slope[i] * trace.exact[i]) * UnitRoundoff(step.width);
    const int arity = Arity(step.op);
    if (arity == 0) continue;
    const auto operand = [&](int k) { return trace.exact[static_cast<size_t>(step.operands[k])]; };
    const std::array<Quad, 3> slopes = Slopes(step.op, operand(0), arity > 1 ? operand(1) : 0, trace.exact[i]);
    for (int k = 0; k < arity; ++k) {
      if (!IsZero(slopes[k])) slope[static_cast<size_t>(step.operands[k])] += slope[i] * slopes[k];
    }
  }
  return bound;
}

}  // namespace rewrought::accuracy
