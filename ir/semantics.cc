#include "ir/semantics.h"

#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/float_contract.h"
#include "ir/match/matcher_model.h"
#include "ir/op_table.h"
#include "ir/smt/smt.h"

namespace rewrought::ir {
namespace {

// Increment this version when the coincidences of a rule change (verifier/mesa/coincidence.h), because certificates
// list them.
constexpr absl::string_view kCoincidencesVersion = "coincidences-2";

std::string TextOf(const OperandType& type) {
  return absl::StrCat(static_cast<int>(type.base), "/", type.bits, "/", type.components);
}

}  // namespace

std::string DigestOfRow(const OpRow& row) {
  std::string text = absl::StrCat(row.name, "\n", TextOf(row.result), "\n");
  for (const OperandType& source : row.sources) absl::StrAppend(&text, TextOf(source), "\n");
  absl::StrAppend(&text, static_cast<int>(row.contract), "\n", row.meaning, "\n", row.poison, "\n", row.free_zero, "\n",
                  row.tiny, "\n", row.properties, "\n");
  for (uint8_t size : row.free_sizes) absl::StrAppend(&text, size, "\n");
  if (!row.signed_wrap.empty()) absl::StrAppend(&text, "wraps ", row.signed_wrap, "\n", row.unsigned_wrap, "\n");
  return Sha256Hex(text);
}

const std::string& SemanticsDigest() {
  static const std::string& digest = *new std::string([] {
    std::string text = absl::StrCat(kFloatContractVersion, "\n", kMatcherModelVersion, "\n", kLoweringVersion, "\n",
                                    kCoincidencesVersion, "\n", PredicateRowsText());
    for (const OpRow* row : AllOps()) absl::StrAppend(&text, DigestOfRow(*row));
    for (int width : {16, 32, 64}) {
      absl::StrAppend(&text, FloatPrelude(width, FloatEncoding::kUninterpreted),
                      FloatPrelude(width, FloatEncoding::kNative));
    }
    for (const Lemma& lemma : AllLemmas()) absl::StrAppend(&text, lemma.name, lemma.text);
    return Sha256Hex(text);
  }());
  return digest;
}

std::string SemanticsDigestIn(Dialect dialect) {
  return dialect == Dialect::kNir25 ? SemanticsDigest()
                                    : Sha256Hex(absl::StrCat(SemanticsDigest(), "\n", kNir26Version));
}

}  // namespace rewrought::ir
