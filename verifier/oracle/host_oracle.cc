#include "verifier/oracle/host_oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "ir/approximate.h"
#include "ir/evaluate.h"
#include "ir/facts/fact_predicates.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/match/relation.h"
#include "ir/term_order.h"
#include "verifier/vectors.h"

namespace rewrought::verifier {
namespace {

using Word = uint32_t;
using HostOp = Word (*)(Word, Word, Word);

constexpr uint64_t kLargest = 0xffffffff;

float F(Word x) { return std::bit_cast<float>(x); }
Word B(float x) { return std::bit_cast<Word>(x); }
int32_t I(Word x) { return static_cast<int32_t>(x); }

template <ir::Approximation kFunction>
Word Approximated(Word a, Word b, Word) {
  return static_cast<Word>(ir::ApproximateCorrectlyRounded(kFunction, 32, a, b));
}

// Min and Max treat -0 as less than +0, whereas the host's library may return either zero. Unlike the library, they
// treat a signaling NaN like any other NaN.
Word Min(Word a, Word b) {
  if (std::isnan(F(a)) || std::isnan(F(b))) return std::isnan(F(a)) ? b : a;
  return F(a) == 0 && F(b) == 0 ? a | b : B(std::fmin(F(a), F(b)));
}
Word Max(Word a, Word b) {
  if (std::isnan(F(a)) || std::isnan(F(b))) return std::isnan(F(a)) ? b : a;
  return F(a) == 0 && F(b) == 0 ? a & b : B(std::fmax(F(a), F(b)));
}

// Implements ubfe and ibfe bit by bit: extracts `bits` bits starting at bit `offset`, both modulo 32. The bits above
// the field are zeros or copies of its top bit.
Word Field(Word value, Word offset, Word bits, bool is_signed) {
  const Word count = bits & 31, from = offset & 31;
  Word field = 0, last = 0;
  for (Word i = 0; i < count; ++i) {
    if (from + i < 32) {
      last = value >> (from + i) & 1;
    } else if (!is_signed) {
      last = 0;
    }
    field |= last << i;
  }
  return is_signed && last != 0 ? field | ~Word{0} << count : field;
}

// Returns the host's implementation of each op. A function that hardware approximates may be any function, as long as
// both sides use the same one.
const std::map<std::string, HostOp>& HostOps() {
  static const auto& ops = *new std::map<std::string, HostOp>{
      {"fadd", [](Word a, Word b, Word) { return B(F(a) + F(b)); }},
      {"fsub", [](Word a, Word b, Word) { return B(F(a) - F(b)); }},
      {"fmul", [](Word a, Word b, Word) { return B(F(a) * F(b)); }},
      {"fdiv", [](Word a, Word b, Word) { return B(F(a) / F(b)); }},
      {"ffma", [](Word a, Word b, Word c) { return B(std::fma(F(a), F(b), F(c))); }},
      {"fneg", [](Word a, Word, Word) { return a ^ 0x80000000u; }},
      {"fabs", [](Word a, Word, Word) { return a & 0x7fffffffu; }},
      {"fmin", [](Word a, Word b, Word) { return Min(a, b); }},
      {"fmax", [](Word a, Word b, Word) { return Max(a, b); }},
      {"fsat", [](Word a, Word, Word) { return std::isnan(F(a)) ? Word{0} : Min(Max(a, 0), B(1.0f)); }},
      {"flrp", [](Word a, Word b, Word c) { return B(F(a) * (1.0f - F(c)) + F(b) * F(c)); }},
      {"fsqrt", [](Word a, Word, Word) { return B(std::sqrt(F(a))); }},
      {"frcp", Approximated<ir::Approximation::kRcp>},
      {"frsq", Approximated<ir::Approximation::kRsq>},
      {"fexp2", Approximated<ir::Approximation::kExp2>},
      {"flog2", Approximated<ir::Approximation::kLog2>},
      {"fsin", Approximated<ir::Approximation::kSin>},
      {"fcos", Approximated<ir::Approximation::kCos>},
      {"f2i32", [](Word a, Word, Word) { return static_cast<Word>(static_cast<int32_t>(F(a))); }},
      {"f2u32", [](Word a, Word, Word) { return static_cast<Word>(F(a)); }},
      {"ffloor", [](Word a, Word, Word) { return B(std::floor(F(a))); }},
      {"fceil", [](Word a, Word, Word) { return B(std::ceil(F(a))); }},
      {"ftrunc", [](Word a, Word, Word) { return B(std::trunc(F(a))); }},
      {"ffract", [](Word a, Word, Word) { return B(F(a) - std::floor(F(a))); }},
      {"fround_even", [](Word a, Word, Word) { return B(std::nearbyint(F(a))); }},
      {"flt", [](Word a, Word b, Word) { return Word{F(a) < F(b)}; }},
      {"fge", [](Word a, Word b, Word) { return Word{F(a) >= F(b)}; }},
      {"feq", [](Word a, Word b, Word) { return Word{F(a) == F(b)}; }},
      {"fneu", [](Word a, Word b, Word) { return Word{F(a) != F(b)}; }},
      {"b2f32", [](Word a, Word, Word) { return B(a != 0 ? 1.0f : 0.0f); }},
      {"b2i32", [](Word a, Word, Word) { return Word{a != 0}; }},
      {"i2f32", [](Word a, Word, Word) { return B(static_cast<float>(I(a))); }},
      {"u2f32", [](Word a, Word, Word) { return B(static_cast<float>(a)); }},
      {"iadd", [](Word a, Word b, Word) { return a + b; }},
      {"isub", [](Word a, Word b, Word) { return a - b; }},
      {"imul", [](Word a, Word b, Word) { return a * b; }},
      {"ineg", [](Word a, Word, Word) { return 0 - a; }},
      {"iabs", [](Word a, Word, Word) { return I(a) < 0 ? 0 - a : a; }},
      {"isign", [](Word a, Word, Word) { return static_cast<Word>((I(a) > 0) - (I(a) < 0)); }},
      {"umul_high", [](Word a, Word b, Word) { return static_cast<Word>(uint64_t{a} * b >> 32); }},
      {"imul_high", [](Word a, Word b, Word) { return static_cast<Word>(int64_t{I(a)} * I(b) >> 32); }},
      {"uadd_carry", [](Word a, Word b, Word) { return static_cast<Word>((uint64_t{a} + b) >> 32); }},
      {"usub_borrow", [](Word a, Word b, Word) { return Word{a < b}; }},
      {"uadd_sat", [](Word a, Word b, Word) { return static_cast<Word>(std::min(uint64_t{a} + b, kLargest)); }},
      {"usub_sat", [](Word a, Word b, Word) { return a - std::min(a, b); }},
      {"extract_u8", [](Word a, Word b, Word) { return Word{static_cast<uint8_t>(a >> 8 * (b & 3))}; }},
      {"extract_i8", [](Word a, Word b, Word) { return static_cast<Word>(static_cast<int8_t>(a >> 8 * (b & 3))); }},
      {"extract_u16", [](Word a, Word b, Word) { return Word{static_cast<uint16_t>(a >> 16 * (b & 1))}; }},
      {"extract_i16", [](Word a, Word b, Word) { return static_cast<Word>(static_cast<int16_t>(a >> 16 * (b & 1))); }},
      {"inot", [](Word a, Word, Word) { return ~a; }},
      {"iand", [](Word a, Word b, Word) { return a & b; }},
      {"ior", [](Word a, Word b, Word) { return a | b; }},
      {"ixor", [](Word a, Word b, Word) { return a ^ b; }},
      {"ishl", [](Word a, Word b, Word) { return a << (b & 31); }},
      {"ushr", [](Word a, Word b, Word) { return a >> (b & 31); }},
      {"ishr", [](Word a, Word b, Word) { return static_cast<Word>(I(a) >> (b & 31)); }},
      {"ubfe", [](Word a, Word b, Word c) { return Field(a, b, c, false); }},
      {"ibfe", [](Word a, Word b, Word c) { return Field(a, b, c, true); }},
      {"bfm", [](Word a, Word b, Word) { return ((Word{1} << (a & 31)) - 1) << (b & 31); }},
      {"bfi", [](Word a, Word b, Word c) { return a == 0 ? c : ((b << std::countr_zero(a)) & a) | (c & ~a); }},
      {"bitfield_select", [](Word a, Word b, Word c) { return (a & b) | (~a & c); }},
      {"bit_count", [](Word a, Word, Word) { return static_cast<Word>(std::popcount(a)); }},
      {"find_lsb", [](Word a, Word, Word) { return a == 0 ? ~Word{0} : static_cast<Word>(std::countr_zero(a)); }},
      {"ufind_msb", [](Word a, Word, Word) { return static_cast<Word>(31 - std::countl_zero(a)); }},
      {"ilt", [](Word a, Word b, Word) { return Word{I(a) < I(b)}; }},
      {"ige", [](Word a, Word b, Word) { return Word{I(a) >= I(b)}; }},
      {"ult", [](Word a, Word b, Word) { return Word{a < b}; }},
      {"uge", [](Word a, Word b, Word) { return Word{a >= b}; }},
      {"ieq", [](Word a, Word b, Word) { return Word{a == b}; }},
      {"ine", [](Word a, Word b, Word) { return Word{a != b}; }},
      {"imin", [](Word a, Word b, Word) { return I(a) < I(b) ? a : b; }},
      {"imax", [](Word a, Word b, Word) { return I(a) > I(b) ? a : b; }},
      {"umin", [](Word a, Word b, Word) { return std::min(a, b); }},
      {"umax", [](Word a, Word b, Word) { return std::max(a, b); }},
      {"bcsel", [](Word a, Word b, Word c) { return a != 0 ? b : c; }},
      {"mov", [](Word a, Word, Word) { return a; }},
  };
  return ops;
}

class HostTerm {
 public:
  explicit HostTerm(const ir::Term& term)
      : term_(term), names_(ir::VariablesInOrder(term)), values_(term.nodes.size()) {
    for (size_t i = 0; i < term.nodes.size(); ++i) {
      const ir::Node& node = term.nodes[i];
      HostOp op = nullptr;
      covered_ = covered_ && node.components == 1 && (node.bits == 32 || node.bits == 1);
      if (node.kind == ir::NodeKind::kOp) {
        const auto found = HostOps().find(node.op->name);
        covered_ = covered_ && found != HostOps().end() && node.sources.size() <= 3;
        op = found == HostOps().end() ? nullptr : found->second;
      }
      ops_.push_back(op);
    }
  }

  bool covered() const { return covered_; }
  const std::vector<std::string>& names() const { return names_; }

  // Returns the possible values of the root, with both signs for each zero whose sign is free. Returns an empty vector
  // if a flag or conversion permits any result here, or if there are too many choices.
  std::vector<Word> Results(const std::vector<Word>& inputs) {
    std::vector<Word> results;
    int choices = 0;
    for (unsigned taken = 0; taken < (1u << choices) || taken == 0; ++taken) {
      int met = 0;
      if (!Run(inputs, taken, &met) || met > kMostChoices) return {};
      choices = std::max(choices, met);
      results.push_back(values_[term_.root]);
    }
    return results;
  }

 private:
  static constexpr int kMostChoices = 6;
  static constexpr Word kCanonicalNan = 0x7fc00000;

  // Evaluates all nodes. Returns false if some node's result may be any value. The k-th zero with a free sign is
  // negative iff bit k of `taken` is set.
  bool Run(const std::vector<Word>& inputs, unsigned taken, int* met) {
    for (size_t i = 0; i < term_.nodes.size(); ++i) {
      const ir::Node& node = term_.nodes[i];
      if (node.kind == ir::NodeKind::kVariable) {
        values_[i] = inputs[static_cast<size_t>(std::find(names_.begin(), names_.end(), node.name) - names_.begin())];
        continue;
      }
      if (node.kind == ir::NodeKind::kConstant) {
        values_[i] = static_cast<Word>(node.values[0]);
        continue;
      }
      Word operand[3] = {};
      for (size_t s = 0; s < node.sources.size(); ++s) {
        operand[s] = values_[node.sources[s].node];
        if (node.op->sources[s].base == ir::BaseType::kFloat && IsAnything(node, operand[s])) return false;
      }
      if (!Converts(node.op->name, operand[0])) return false;
      values_[i] = ops_[i](operand[0], operand[1], operand[2]) & (node.bits == 1 ? 1u : ~0u);
      if (node.op->result.base != ir::BaseType::kFloat) continue;
      if (IsAnything(node, values_[i])) return false;
      // If an arithmetic result is a NaN, it may be any NaN. The host returns an operand's NaN; use the canonical NaN,
      // like the replacement's default choice.
      if (std::isnan(F(values_[i]))) values_[i] = kCanonicalNan;
      const bool free = (node.flags & ir::kNoSignedZero) != 0 || (node.op->name == "fsat" && operand[0] == 0x80000000u);
      if (F(values_[i]) == 0 && free) values_[i] = (taken >> (*met)++ & 1) != 0 ? 0x80000000u : 0;
    }
    return true;
  }

  static bool IsAnything(const ir::Node& node, Word value) {
    const float x = F(value);
    return (std::isnan(x) && (node.flags & ir::kNoNan) != 0) || (std::isinf(x) && (node.flags & ir::kNoInf) != 0);
  }

  static bool Converts(const std::string& op, Word value) {
    if (op == "f2i32") return F(value) >= -2147483648.0f && F(value) < 2147483648.0f;
    return op != "f2u32" || (F(value) > -1.0f && F(value) < 4294967296.0f);
  }

  const ir::Term& term_;
  const std::vector<std::string> names_;
  std::vector<HostOp> ops_;
  std::vector<Word> values_;
  bool covered_ = true;
};

class HostRelation {
 public:
  // `names` lists the search's variables in the order of inputs.
  HostRelation(const ir::Term& relation, const std::vector<std::string>& names) : host_(relation) {
    for (const std::string& name : host_.names()) {
      const auto place = std::find(names.begin(), names.end(), name);
      covered_ = covered_ && place != names.end();
      places_.push_back(static_cast<size_t>(place - names.begin()));
    }
  }

  bool covered() const { return covered_ && host_.covered(); }
  bool Holds(const std::vector<Word>& inputs) {
    std::vector<Word> own;
    for (const size_t place : places_) own.push_back(inputs[place]);
    const std::vector<Word> results = host_.Results(own);
    return results.size() == 1 && results[0] == 1;
  }

 private:
  HostTerm host_;
  std::vector<size_t> places_;
  bool covered_ = true;
};

// Returns values of a variable that satisfy its predicates: special values, random patterns, floats of moderate
// magnitude, and integral floats, which all conversions accept.
std::vector<Word> PoolFor(const ir::Term& search, const std::string& name, std::mt19937* random) {
  constexpr size_t kPool = 2048;
  const auto node = std::find_if(search.nodes.begin(), search.nodes.end(), [&](const ir::Node& candidate) {
    return candidate.kind == ir::NodeKind::kVariable && candidate.name == name;
  });
  std::vector<Word> pool;
  const auto offer = [&](Word value) {
    if (node->bits == 1) value &= 1;
    if (MeetsPredicates(*node, value)) pool.push_back(value);
  };
  for (const uint64_t value : SpecialValues(node->bits)) offer(static_cast<Word>(value));
  for (int tries = 0; pool.size() < kPool && tries < 20000; ++tries) {
    const Word bits = (*random)();
    const float whole = static_cast<float>(I(bits) >> 16);
    offer(tries % 3 == 0 ? bits : B(tries % 3 == 1 ? std::ldexp(static_cast<float>(I(bits)), -28) : whole));
  }
  return pool;
}

}  // namespace

bool MeetsPredicates(const ir::Node& variable, uint64_t bits) {
  return std::all_of(variable.predicates.begin(), variable.predicates.end(), [&](const std::string& predicate) {
    return !ir::PredicateAssumesSomething(predicate) ||
           ir::ConstantHas(predicate, bits, variable.bits, ir::BaseType::kFloat);
  });
}

OracleTally CompareWithHost(const ir::Term& whole, const ir::Term& replace, uint64_t wanted) {
  OracleTally tally;
  const ir::Term search = ir::Matched(whole), relation = ir::RelationOf(whole);
  HostTerm host(search);
  std::optional<HostRelation> related;
  if (!relation.nodes.empty()) related.emplace(relation, host.names());
  ir::Dag dag;
  for (const std::string& name : host.names()) {
    for (const ir::Node& node : search.nodes) {
      if (node.kind == ir::NodeKind::kVariable && node.name == name) dag.InputNamed(name, node.bits);
    }
  }
  // The host does not model the unknown flags of the matched root, so this comparison assumes that the root has none.
  ir::Term plain = replace;
  for (ir::Node& node : plain.nodes) node.flags &= static_cast<uint8_t>(~ir::kRootMarks);
  absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&dag, plain, ir::DenormMode::kAny, 0);
  tally.covered = host.covered() && (!related.has_value() || related->covered()) && lowered.ok() &&
                  lowered->lowered.root.size() == 1 && dag.inputs().size() == host.names().size();
  if (!tally.covered) return tally;
  std::mt19937 random(12345);
  std::vector<std::vector<Word>> pools;
  for (const std::string& name : host.names()) {
    pools.push_back(PoolFor(search, name, &random));
    if (pools.back().empty()) return tally;
  }
  const bool float_root = search.root_node().op->contract != ir::Contract::kBits &&
                          search.root_node().op->result.base == ir::BaseType::kFloat;
  ir::Evaluator evaluator(&dag);
  std::vector<Word> words(pools.size());
  std::vector<uint64_t> inputs(pools.size());
  for (uint64_t tries = 0; tries < 4 * wanted && tally.agreed < wanted; ++tries) {
    for (size_t i = 0; i < pools.size(); ++i) inputs[i] = words[i] = pools[i][random() % pools[i].size()];
    const bool asked = !related.has_value() || related->Holds(words);
    const std::vector<Word> expected = asked ? host.Results(words) : std::vector<Word>();
    if (expected.empty()) {
      ++tally.set_aside;
      continue;
    }
    evaluator.Start(inputs, [](uint32_t) { return uint64_t{0}; });
    const Word given = static_cast<Word>(evaluator.Evaluate(lowered->lowered.root[0]));
    const bool agrees = std::any_of(expected.begin(), expected.end(), [&](Word value) {
      return value == given || (float_root && std::isnan(F(value)) && std::isnan(F(given)));
    });
    ++(agrees ? tally.agreed : tally.disagreed);
  }
  return tally;
}

}  // namespace rewrought::verifier
