#include "verifier/query.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/facts/polynomial.h"
#include "ir/scalar.h"
#include "ir/smt/smt_integer.h"

namespace rewrought::verifier {
namespace {

using ir::Primitive;
using ir::ValueIndex;

template <typename Writer>
Query Finish(const Writer& writer) {
  Query query;
  query.text = writer.Text();
  for (const auto& [name, width] : writer.declared()) query.wanted.push_back(name);
  if constexpr (std::is_same_v<Writer, ir::SmtWriter>) query.lemmas = writer.lemmas_used();
  return query;
}

std::vector<ValueIndex> RootsOf(const PreparedCase& prepared, const std::vector<CopyRoots>& copies) {
  std::vector<ValueIndex> roots = prepared.replace().lowered.root;
  for (const CopyRoots& copy : copies) roots.insert(roots.end(), copy.begin(), copy.end());
  roots.push_back(prepared.assumption());
  return roots;
}

template <typename Writer>
Query StateWith(Writer writer, const PreparedCase& prepared, const std::vector<CopyRoots>& copies) {
  const std::vector<ValueIndex>& target = prepared.replace().lowered.root;
  writer.Define(RootsOf(prepared, copies));
  writer.Assert(writer.NameOf(prepared.assumption()));
  for (const CopyRoots& copy : copies) {
    std::string different;
    for (size_t c = 0; c < target.size(); ++c) {
      absl::StrAppend(&different, " (not (= ", writer.NameOf(target[c]), " ", writer.NameOf(copy[c]), "))");
    }
    writer.Assert(target.size() == 1 ? different.substr(1) : absl::StrCat("(or", different, ")"));
  }
  return Finish(writer);
}

bool ReadHex(const std::string& text, int width, uint64_t* value) {
  return !text.empty() && text.size() <= 16 && absl::SimpleHexAtoi(text, value) && (*value & ~ir::MaskOf(width)) == 0;
}

bool ReadConstant(const SolverAnswer& answer, const std::string& name, int width, uint64_t* value) {
  *value = 0;
  const auto found = answer.model.find(name);
  return found == answer.model.end() || ReadHex(found->second, width, value);
}

}  // namespace

Query StateQuery(const PreparedCase& prepared, const std::vector<CopyRoots>& copies, ir::FloatEncoding encoding) {
  return StateWith(ir::SmtWriter(prepared.dag(), encoding), prepared, copies);
}

Query StateIntegerQuery(const PreparedCase& prepared, const std::vector<CopyRoots>& copies) {
  return StateWith(ir::IntegerWriter(prepared.dag()), prepared, copies);
}

bool HasSameValues(const PreparedCase& prepared, const std::vector<CopyRoots>& copies) {
  return std::find(copies.begin(), copies.end(), prepared.replace().lowered.root) != copies.end();
}

bool AreEqualByConstruction(const PreparedCase& prepared, const std::vector<CopyRoots>& copies) {
  const CopyRoots& target = prepared.replace().lowered.root;
  return std::any_of(copies.begin(), copies.end(),
                     [&](const CopyRoots& copy) { return ir::AreEqualPolynomials(prepared.dag(), copy, target); });
}

bool SuitsIntegers(const PreparedCase& prepared, const std::vector<CopyRoots>& copies) {
  return ir::SuitsIntegers(prepared.dag(), RootsOf(prepared, copies));
}

Query StateAdmission(const PreparedCase& prepared) {
  ir::SmtWriter writer(prepared.dag(), ir::FloatEncoding::kNative);
  writer.Define({prepared.assumption()});
  writer.Assert(writer.NameOf(prepared.assumption()));
  return Finish(writer);
}

Query StateMembership(const PreparedCase& prepared, absl::Span<const uint64_t> inputs,
                      absl::Span<const uint64_t> target) {
  ir::SmtWriter writer(prepared.dag(), ir::FloatEncoding::kNative);
  const std::vector<ValueIndex>& roots = prepared.search().lowered.root;
  writer.Define(roots);
  for (const auto& [name, width] : writer.declared()) {
    uint64_t index;
    if (name[0] != 'i' || !absl::SimpleAtoi(name.substr(1), &index)) continue;
    writer.Assert(absl::StrCat("(= ", name, " ", ir::SmtLiteral(inputs[index], width), ")"));
  }
  for (size_t c = 0; c < roots.size(); ++c) {
    const int width = prepared.dag().at(roots[c]).width;
    writer.Assert(absl::StrCat("(= ", writer.NameOf(roots[c]), " ", ir::SmtLiteral(target[c], width), ")"));
  }
  return Finish(writer);
}

std::optional<Point> ReadPoint(const PreparedCase& prepared, const SolverAnswer& answer) {
  Point point;
  const auto& inputs = prepared.dag().inputs();
  point.inputs.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!ReadConstant(answer, absl::StrCat("i", i), inputs[i].width, &point.inputs[i])) return std::nullopt;
  }
  const auto& choices = prepared.replace().choices;
  point.choices.resize(choices.size());
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!ReadConstant(answer, absl::StrCat("c", i), choices[i].width, &point.choices[i])) return std::nullopt;
  }
  return point;
}

std::optional<std::vector<uint64_t>> ReadSearchChoices(const PreparedCase& prepared, const SolverAnswer& answer) {
  const ir::ChoiceTerm& search = prepared.search();
  std::vector<uint64_t> values(search.choices.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!ReadConstant(answer, absl::StrCat("c", search.first_choice + i), search.choices[i].width, &values[i])) {
      return std::nullopt;
    }
  }
  return values;
}

bool NeedsFloatTheory(const ir::Dag& dag) {
  for (ValueIndex i = 0; i < dag.size(); ++i) {
    switch (dag.at(i).primitive) {
      case Primitive::kFadd:
      case Primitive::kFmul:
      case Primitive::kFfma:
      case Primitive::kFdiv:
      case Primitive::kFsqrt:
      case Primitive::kF2f:
      case Primitive::kF2fRtz:
      case Primitive::kI2f:
      case Primitive::kU2f:
      case Primitive::kF2i:
      case Primitive::kF2u:
      case Primitive::kFmulTiny:
      case Primitive::kFfmaTiny:
      case Primitive::kFdivTiny:
      case Primitive::kF2fTiny:
        return true;
      default:
        break;
    }
  }
  return false;
}

}  // namespace rewrought::verifier
