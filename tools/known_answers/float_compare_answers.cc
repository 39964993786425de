// Generates the known answers of the float compare family: compares with all Boolean sizes, float results, vector
// compares, and classifications.
#include "tools/known_answers/families.h"
#include "tools/known_answers/float_values.h"

namespace rewrought::known_answers {
namespace {

using Values = std::vector<uint64_t>;
using Predicate = bool (*)(int width, uint64_t a, uint64_t b);

bool Unordered(int w, uint64_t a, uint64_t b) { return IsNan(w, a) || IsNan(w, b); }

struct Compare {
  const char* name;
  Predicate predicate;
  const char* reference;
};

const Compare kCompares[] = {
    {"flt", [](int w, uint64_t a, uint64_t b) { return Less(w, a, b); }, "IEEE 754-2019 5.6.1 less, ordered"},
    {"fge", [](int w, uint64_t a, uint64_t b) { return Less(w, b, a) || Equal(w, a, b); },
     "IEEE 754-2019 5.6.1 greater or equal, ordered"},
    {"feq", [](int w, uint64_t a, uint64_t b) { return Equal(w, a, b); }, "IEEE 754-2019 5.6.1 equal, ordered"},
    {"fneu", [](int w, uint64_t a, uint64_t b) { return !Equal(w, a, b); },
     "IEEE 754-2019 5.6.1 not equal, or unordered"},
    {"fneo", [](int w, uint64_t a, uint64_t b) { return !Equal(w, a, b) && !Unordered(w, a, b); },
     "SPIR-V 1.6 OpFOrdNotEqual"},
    {"fequ", [](int w, uint64_t a, uint64_t b) { return Equal(w, a, b) || Unordered(w, a, b); },
     "SPIR-V 1.6 OpFUnordEqual"},
    {"fltu", [](int w, uint64_t a, uint64_t b) { return Less(w, a, b) || Unordered(w, a, b); },
     "SPIR-V 1.6 OpFUnordLessThan"},
    {"fgeu", [](int w, uint64_t a, uint64_t b) { return !Less(w, a, b); }, "SPIR-V 1.6 OpFUnordGreaterThanEqual"},
    {"ford", [](int w, uint64_t a, uint64_t b) { return !Unordered(w, a, b); }, "SPIR-V 1.6 OpOrdered"},
    {"funord", Unordered, "SPIR-V 1.6 OpUnordered"},
};

const Compare kSets[] = {
    {"slt", kCompares[0].predicate, "docs/nir.md 2.2: 1.0 if less, else 0.0"},
    {"sge", kCompares[1].predicate, "docs/nir.md 2.2: 1.0 if greater or equal, else 0.0"},
    {"seq", kCompares[2].predicate, "docs/nir.md 2.2: 1.0 if equal, else 0.0"},
    {"sne", kCompares[3].predicate, "docs/nir.md 2.2: 1.0 if not equal or unordered, else 0.0"},
};

uint64_t AllOnes(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

std::vector<Values> Pairs(const FloatValues& v) {
  return {{v(1), v(2)},
          {v(2), v(1)},
          {v(1), v(1)},
          {v.zero, v.minus_zero},
          {v.minus_zero, v.zero},
          {v.nan, v(1)},
          {v(1), v.nan},
          {v.nan, v.nan},
          {v.minus_inf, v.inf},
          {v.inf, v.inf},
          {v(-1), v(-2)},
          {v.zero, v.min_denormal},
          {v.min_denormal, v.zero},
          {v.Negated(v.max_denormal), v.minus_zero},
          {v.min_denormal, v.max_denormal},
          {v.max_denormal, v.min_normal},
          {v.nan, v.min_denormal},
          {v.nan, v.inf}};
}

void AddBoolCompares(AnswerTable& table, const Compare& compare) {
  for (int w : kFloatWidths) {
    std::vector<Values> pairs = Pairs(FloatValues(w));
    for (int bool_bits : {1, 8, 16, 32}) {
      std::string name = compare.name;
      if (bool_bits != 1) name += std::to_string(bool_bits);
      OpSpec spec{name, w, {bool_bits, false}, {{w, true}, {w, true}}, Flushing::kMust, compare.reference, {}};
      spec.evaluate = [=](const Inputs& in) {
        return std::vector<Outcome>{Plain(compare.predicate(w, in[0][0], in[1][0]) ? AllOnes(bool_bits) : 0)};
      };
      for (size_t i = 0; i < pairs.size(); ++i) {
        // For the wider Booleans, repeat only a true case, an equal case, a NaN case and a denormal case.
        if (bool_bits == 1 || i == 0 || i == 1 || i == 3 || i == 5 || i == 11) table.AddScalars(spec, pairs[i]);
      }
    }
  }
}

void AddFloatSets(AnswerTable& table, const Compare& set) {
  for (int w : kFloatWidths) {
    FloatValues v(w);
    OpSpec spec = FloatOp(set.name, w, 2, Flushing::kMust, set.reference,
                          [=](const Values& s) { return Plain(set.predicate(w, s[0], s[1]) ? v.one : 0); });
    for (const Values& pair : Pairs(v)) table.AddScalars(spec, pair);
  }
}

// Adds ball_fequalN and bany_fnequalN with every Boolean size, and the float32 forms fall_equalN and fany_nequalN.
void AddVectorCompares(AnswerTable& table, int n) {
  auto add = [&](const std::string& name, int free_size, int w, Operand result, bool any, uint64_t truth) {
    OpSpec spec{name,
                free_size,
                result,
                {{w, true, n}, {w, true, n}},
                Flushing::kMust,
                any ? "GLSL 4.60 5.9 operator != on vectors; IEEE 754-2019 5.6.1"
                    : "GLSL 4.60 5.9 operator == on vectors; IEEE 754-2019 5.6.1",
                {}};
    spec.evaluate = [=](const Inputs& in) {
      bool all_equal = true;
      for (int i = 0; i < n; ++i) all_equal &= Equal(w, in[0][i], in[1][i]);
      return std::vector<Outcome>{Plain(all_equal != any ? truth : 0)};
    };
    FloatValues v(w);
    Values x;
    for (int i = 0; i < n; ++i) x.push_back(v(i + 1));
    table.Add(spec, {x, x});
    for (int i = 0; i < n; ++i) {
      Values y = x;
      y[i] = v(i == 8 ? 1.5 : 9);
      table.Add(spec, {x, y});
    }
    Values zeros(n, v.zero), minus(n, v.minus_zero), tiny(n, v.zero), nans = x;
    tiny[n - 1] = v.min_denormal;
    nans[0] = v.nan;
    table.Add(spec, {zeros, minus});
    table.Add(spec, {zeros, tiny});
    table.Add(spec, {nans, nans});
  };
  std::string count = std::to_string(n);
  for (int w : kFloatWidths) {
    for (int bits : {1, 8, 16, 32}) {
      std::string prefix = bits == 1 ? "b" : "b" + std::to_string(bits);
      add(prefix + "all_fequal" + count, w, w, {bits, false}, false, AllOnes(bits));
      add(prefix + "any_fnequal" + count, w, w, {bits, false}, true, AllOnes(bits));
    }
  }
  add("fall_equal" + count, 0, 32, {32, true}, false, FromDouble(32, 1));
  add("fany_nequal" + count, 0, 32, {32, true}, true, FromDouble(32, 1));
}

void AddClasses(AnswerTable& table) {
  for (int w : kFloatWidths) {
    FloatValues v(w);
    auto add = [&](const char* name, int bits, auto predicate, const char* reference) {
      OpSpec spec{name, w, {bits, false}, {{w, true}}, Flushing::kMust, reference, {}};
      spec.evaluate = [=](const Inputs& in) {
        return std::vector<Outcome>{Plain(predicate(in[0][0]) ? AllOnes(bits) : 0)};
      };
      for (uint64_t x : {v(1), v.zero, v.minus_zero, v.inf, v.minus_inf, v.nan, v.max, v.min_normal}) {
        table.AddScalars(spec, {x});
      }
      table.AddScalars(spec, {v.max_denormal});
    };
    auto finite = [w](uint64_t x) { return !IsNan(w, x) && !IsInf(w, x); };
    add("fisfinite", 1, finite, "IEEE 754-2019 5.7.2 isFinite");
    add("fisfinite32", 32, finite, "IEEE 754-2019 5.7.2 isFinite");
    add(
        "fisnormal", 1, [=](uint64_t x) { return finite(x) && !IsZero(w, x) && !IsDenormal(w, x); },
        "IEEE 754-2019 5.7.2 isNormal");
  }
}

}  // namespace

std::string FloatCompareAnswers() {
  AnswerTable table;
  for (const Compare& compare : kCompares) AddBoolCompares(table, compare);
  for (const Compare& set : kSets) AddFloatSets(table, set);
  for (int n = 2; n <= 4; ++n) AddVectorCompares(table, n);
  AddClasses(table);
  for (int n : {5, 8, 16}) AddVectorCompares(table, n);
  return table.text();
}

}  // namespace rewrought::known_answers
