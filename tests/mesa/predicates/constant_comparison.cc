#include "tests/mesa/predicates/constant_comparison.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "ir/batch.h"
#include "ir/dialect/nir26_predicates.h"
#include "ir/scalar.h"
#include "tests/mesa/predicates/predicate_rows.h"

namespace rewrought {
namespace {

using ir::BaseType;

constexpr size_t kRandomValues = 40000;   // single components of 32 and 64 bits
constexpr size_t kRandomVectors = 30000;  // vectors of three and four components
constexpr size_t kPairedValues = 160;     // all pairs of this many values

void Finish(int bits, std::vector<uint64_t>* values) {
  for (uint64_t& value : *values) value &= ir::MaskOf(bits);
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

// Returns values at which a predicate is likely to change.
std::vector<uint64_t> BoundaryValues(int bits) {
  std::vector<uint64_t> values;
  const auto add_around = [&](uint64_t value) {
    for (int offset = -2; offset <= 2; ++offset) {
      values.push_back(value + static_cast<uint64_t>(offset));
      values.push_back(0 - value + static_cast<uint64_t>(offset));
    }
  };
  for (uint64_t small = 0; small < 130; small += 2) add_around(small);
  for (int bit = 0; bit < bits; ++bit) add_around(uint64_t{1} << bit);
  for (int low = 0; low < bits; low += 3) {
    for (int high = low + 1; high < bits; high += 5) {
      values.push_back(uint64_t{1} << high | uint64_t{1} << low);      // two bits
      values.push_back((uint64_t{1} << high) - (uint64_t{1} << low));  // a run of bits
    }
  }
  for (const uint64_t bound : {0x3fffull, 0x4000ull, 0x7fffull, 0x8000ull, 0xffffull, 0xfffc07fcull}) add_around(bound);
  if (ir::IsFloatWidth(bits)) {
    const ir::FloatFormat format = ir::FormatOf(bits);
    for (const uint64_t sign : {uint64_t{0}, format.sign()}) {
      for (const uint64_t magnitude : {uint64_t{0}, format.smallest_normal(), format.one(), format.infinity(),
                                       format.quiet_nan(), format.infinity() - 1, ir::FloatToBits(0.5, bits),
                                       ir::FloatToBits(1.5, bits), ir::FloatToBits(2.5, bits)}) {
        for (int offset = -2; offset <= 2; ++offset)
          values.push_back(sign | (magnitude + static_cast<uint64_t>(offset)));
      }
    }
  }
  Finish(bits, &values);
  return values;
}

std::vector<uint64_t> SingleValues(int bits, std::mt19937_64* random) {
  std::vector<uint64_t> values;
  if (bits <= 16) {
    for (uint64_t value = 0; value <= ir::MaskOf(bits); ++value) values.push_back(value);
    return values;
  }
  values = BoundaryValues(bits);
  for (size_t i = 0; i < kRandomValues; ++i) {
    const uint64_t value = (*random)(), kind = (*random)();
    values.push_back(kind % 3 == 0 ? value >> (kind >> 8) % 64 : kind % 3 == 1 ? ~(value >> (kind >> 8) % 64) : value);
  }
  Finish(bits, &values);
  return values;
}

// Returns the components of vectors. Neighboring values often satisfy the same predicate, so components are often close
// to each other.
std::vector<uint64_t> VectorValues(int bits, uint32_t components, std::mt19937_64* random) {
  std::vector<uint64_t> from = BoundaryValues(bits), values;
  if (from.size() > kPairedValues && components == 2) {
    std::vector<uint64_t> fewer;
    for (size_t i = 0; i < kPairedValues; ++i) fewer.push_back(from[i * from.size() / kPairedValues]);
    from = fewer;
  }
  if (components == 2) {
    for (const uint64_t x : from) {
      for (const uint64_t y : from) values.insert(values.end(), {x, y});
    }
    return values;
  }
  for (size_t i = 0; i < kRandomVectors; ++i) {
    const size_t center = (*random)() % from.size();
    const bool close = i % 4 != 0;
    // A NaN among components of either sign may confuse an analysis.
    if (i % 8 == 1 && ir::IsFloatWidth(bits)) {
      const ir::FloatFormat format = ir::FormatOf(bits);
      const uint64_t numbers[] = {0, format.sign(), format.one(), format.one() | format.sign()};
      for (uint32_t c = 0; c < components; ++c) values.push_back(numbers[(*random)() % 4]);
      values[values.size() - 2] = i % 16 == 1 ? format.infinity() + 1 : format.quiet_nan();
      continue;
    }
    for (uint32_t c = 0; c < components; ++c) {
      const size_t at = close ? center + (*random)() % 7 : (*random)() % from.size();
      values.push_back(from[at % from.size()]);
    }
  }
  return values;
}

// Returns whether the C code of the predicate can run on values of this size.
bool CanRun(ir::Dialect dialect, absl::string_view predicate, int bits) {
  if (ir::IsFloatWidth(bits)) return true;
  if (predicate == "is_nan" || predicate == "is_any_comp_nan" || predicate == "is_negative_zero") return false;
  return dialect == ir::Dialect::kNir25 || !ir::DependsOnReaderIn26(predicate);
}

class Comparison {
 public:
  Comparison(const HelperProgram& program, BaseType type, int bits) : program_(program), type_(type), bits_(bits) {}

  void Run(uint32_t components, uint32_t extra, uint32_t preserves, const std::vector<uint64_t>& values,
           ConstantOutcomes* outcomes) {
    HelperRequest request;
    request.base = static_cast<uint32_t>(NameOf(type_)[0]);
    request.bits = static_cast<uint32_t>(bits_);
    request.components = components;
    request.extra = extra;
    request.preserves = preserves;
    request.lanes = static_cast<uint32_t>(values.size() / components);
    const ReaderFlags flags{(preserves & 1) != 0, (preserves & 2) != 0};
    std::vector<size_t> asked;
    std::vector<ir::ValueIndex> roots;
    ir::Dag dag;
    const ir::ValueIndex value = dag.InputNamed("a", bits_);
    for (size_t i = 0; i < program_.variables().size(); ++i) {
      const std::string& name = program_.variables()[i];
      const bool is_any = name == "is_any_comp_nan";
      if (!is_any && MeaningTextOf(program_.dialect(), name, type_).empty()) continue;
      if (!CanRun(program_.dialect(), name, bits_)) continue;
      const absl::StatusOr<ir::ValueIndex> root = BuildPredicate(&dag, program_.dialect(), name, value, type_, flags);
      if (!root.ok()) continue;  // the predicate does not fit this size, so rules with it are errors
      request.asked.add(i);
      asked.push_back(i);
      roots.push_back(*root);
    }
    if (asked.empty()) return;
    const std::vector<PredicateMask> theirs = program_.Ask(request, values);
    ir::BatchLeaves leaves;
    leaves.inputs.push_back(values);
    const std::vector<std::vector<uint64_t>> ours = ir::EvaluateBatch(dag, roots, leaves, values.size());
    for (size_t k = 0; k < asked.size(); ++k) {
      const std::string& name = program_.variables()[asked[k]];
      ConstantOutcome& outcome = (*outcomes)[{name, type_, bits_}];
      for (size_t lane = 0; lane < request.lanes; ++lane) {
        const auto first = ours[k].begin() + static_cast<std::ptrdiff_t>(lane * components);
        const auto count = std::count(first, first + components, uint64_t{1});
        const bool meant = name == "is_any_comp_nan" ? count > 0 : count == components;
        const bool holds = theirs[lane].has(asked[k]);
        ++outcome.compared;
        outcome.holds += holds;
        if (holds) outcome.components |= 1u << components;
        if (components == 1 && extra == 0 && meant != holds) outcome.is_equal = false;
        if (!holds || meant) continue;
        const auto component = values.begin() + static_cast<std::ptrdiff_t>(lane * components);
        const bool has_nan =
            type_ == BaseType::kFloat && std::any_of(component, component + components, [&](uint64_t one) {
              return ir::IsNan(one, bits_) &&
                     (one & ir::FormatOf(bits_).quiet_nan()) != ir::FormatOf(bits_).quiet_nan();
            });
        outcome.wrong_with_nan += has_nan;
        if (outcome.wrong++ > 0) continue;
        outcome.example = absl::StrFormat("%s of %d bits, reader preserves %d:", NameOf(type_), bits_, preserves);
        for (size_t c = 0; c < components; ++c) {
          absl::StrAppendFormat(&outcome.example, " 0x%x", values[lane * components + c]);
        }
      }
    }
  }

 private:
  const HelperProgram& program_;
  const BaseType type_;
  const int bits_;
};

}  // namespace

ConstantOutcomes CompareConstants(const HelperProgram& program) {
  ConstantOutcomes outcomes;
  const bool is_26 = program.dialect() == ir::Dialect::kNir26;
  std::mt19937_64 random(1);
  for (const BaseType type : kBaseTypes) {
    for (const int bits : {1, 8, 16, 32, 64}) {
      if (type == BaseType::kFloat && !ir::IsFloatWidth(bits)) continue;
      // Mesa 26 has Booleans of 1 and 32 bits.
      if (type == BaseType::kBool && (bits == 64 || (is_26 && bits != 1 && bits != 32))) continue;
      Comparison comparison(program, type, bits);
      const uint32_t least_preserves = is_26 && type == BaseType::kFloat ? 0 : 3;
      for (uint32_t preserves = least_preserves; preserves <= 3; ++preserves) {
        for (uint32_t components = 1; components <= 4; ++components) {
          const std::vector<uint64_t> values =
              components == 1 ? SingleValues(bits, &random) : VectorValues(bits, components, &random);
          for (uint32_t extra = 0; extra <= (components < 4 ? 1 : 0); ++extra)
            comparison.Run(components, extra, preserves, values, &outcomes);
        }
      }
    }
  }
  return outcomes;
}

}  // namespace rewrought
