#include "verifier/verdict_message.h"

#include <initializer_list>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/digest.h"
#include "verifier/explain.h"

namespace rewrought::verifier {
namespace {

std::map<std::string, int> SizesOf(const ir::Term& search) {
  std::map<std::string, int> sizes;
  for (const ir::Node& node : search.nodes) {
    if (node.kind == ir::NodeKind::kVariable) sizes[node.name] = node.bits;
  }
  sizes["root"] = search.root_node().bits;
  return sizes;
}

v1::Tier TierProto(Tier tier) {
  switch (tier) {
    case Tier::kNone:
      return v1::TIER_UNSPECIFIED;
    case Tier::kCanonical:
      return v1::TIER_CANONICAL;
    case Tier::kVectors:
      return v1::TIER_VECTORS;
    case Tier::kExhaustive:
      return v1::TIER_EXHAUSTIVE;
    case Tier::kUninterpreted:
      return v1::TIER_UNINTERPRETED;
    case Tier::kNative:
      return v1::TIER_NATIVE;
    case Tier::kSecondSolver:
      return v1::TIER_SECOND_SOLVER;
    case Tier::kCaseSplit:
      return v1::TIER_CASE_SPLIT;
  }
  return v1::TIER_UNSPECIFIED;
}

// The word of that one of `values` which `to_proto` gives as `wanted`.
template <typename Proto, typename Value>
absl::string_view WordOf(Proto wanted, std::initializer_list<Value> values, Proto (*to_proto)(Value),
                         absl::string_view (*name)(Value)) {
  for (const Value value : values) {
    if (to_proto(value) == wanted) return name(value);
  }
  return "";
}

void FillWitness(const Witness& witness, v1::Witness* proto) {
  for (const WitnessVariable& variable : witness.variables) {
    (*proto->mutable_vars())[variable.name] = SpellHex(variable.value, variable.bits);
  }
  for (std::string& text : AllowedTexts(witness.search, witness.root_bits)) proto->add_search(std::move(text));
  proto->set_replace(absl::StrJoin(witness.replace, ",", [&](std::string* out, uint64_t value) {
    out->append(SpellHex(value, witness.root_bits));
  }));
  for (const uint64_t choice : witness.replace_choices) proto->add_replace_choices(choice);
  proto->set_search_incomplete(!witness.search.complete);
}

void FillCertificate(const Certificate& certificate, const std::string& semantics, v1::Certificate* proto) {
  proto->set_kind(TierProto(certificate.kind));
  for (const std::string& copy : certificate.copies) proto->add_copies(copy);
  for (const auto& [name, instances] : certificate.lemmas) {
    v1::LemmaUse* lemma = proto->add_lemmas();
    lemma->set_name(name);
    lemma->set_instances(static_cast<uint32_t>(instances));
  }
  proto->set_query(certificate.query);
  const bool has_query = !certificate.query.empty();
  proto->set_query_digest(certificate.query_digest.empty() && has_query ? ir::Digest::Of(certificate.query).hex()
                                                                        : certificate.query_digest);
  proto->set_semantics_digest(semantics);
  proto->set_solver(certificate.solver);
  proto->set_timeout_ms(certificate.timeout_ms);
  proto->set_ms(certificate.milliseconds);
  for (const CertificatePart& part : certificate.parts) {
    v1::CertificatePart* shown = proto->add_parts();
    for (const auto& [variable, value] : part.values) {
      shown->add_values(absl::StrCat(variable, "=0x", absl::Hex(value)));
    }
    if (part.certificate.kind == Tier::kNone) continue;
    FillCertificate(part.certificate, semantics, shown->mutable_certificate());
    shown->mutable_certificate()->clear_ms();
  }
}

}  // namespace

v1::DenormMode ModeProto(ir::DenormMode mode) {
  switch (mode) {
    case ir::DenormMode::kNone:
      return v1::DENORM_MODE_NONE;
    case ir::DenormMode::kAny:
      return v1::DENORM_MODE_ANY;
    case ir::DenormMode::kPreserve:
      return v1::DENORM_MODE_PRESERVE;
    case ir::DenormMode::kFlush:
      return v1::DENORM_MODE_FLUSH;
  }
  return v1::DENORM_MODE_UNSPECIFIED;
}

v1::Verdict VerdictProto(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return v1::VERDICT_PROVED;
    case Verdict::kRefuted:
      return v1::VERDICT_REFUTED;
    case Verdict::kUnknown:
      return v1::VERDICT_UNKNOWN;
    case Verdict::kVacuous:
      return v1::VERDICT_VACUOUS;
    case Verdict::kUnsupported:
      return v1::VERDICT_UNSUPPORTED;
  }
  return v1::VERDICT_UNSPECIFIED;
}

absl::string_view NameOf(v1::DenormMode mode) {
  using ir::DenormMode;
  return WordOf<v1::DenormMode, DenormMode>(
      mode, {DenormMode::kAny, DenormMode::kPreserve, DenormMode::kFlush, DenormMode::kNone}, ModeProto, ir::NameOf);
}

absl::string_view NameOf(v1::Verdict verdict) {
  if (verdict == v1::VERDICT_ERROR) return "error";
  if (verdict == v1::VERDICT_INEXACT) return "inexact";
  return WordOf<v1::Verdict, Verdict>(
      verdict, {Verdict::kProved, Verdict::kRefuted, Verdict::kUnknown, Verdict::kVacuous, Verdict::kUnsupported},
      VerdictProto, verifier::NameOf);
}

absl::string_view NameOf(v1::AccuracyClass accuracy) {
  switch (accuracy) {
    case v1::ACCURACY_CLASS_NOT_LESS_ACCURATE:
      return "not_less_accurate";
    case v1::ACCURACY_CLASS_CANCELLING:
      return "cancelling";
    default:
      return "";
  }
}

absl::string_view NameOf(v1::Tier tier) {
  return WordOf<v1::Tier, Tier>(tier,
                                {Tier::kNone, Tier::kCanonical, Tier::kVectors, Tier::kExhaustive, Tier::kUninterpreted,
                                 Tier::kNative, Tier::kSecondSolver, Tier::kCaseSplit},
                                TierProto, verifier::NameOf);
}

std::vector<std::string> AllowedTexts(const ir::AllowedSet& set, int bits) {
  std::vector<std::string> texts;
  for (const ir::AllowedResult& result : set.results) {
    texts.push_back(absl::StrJoin(result, ",", [&](std::string* out, const ir::AllowedComponent& component) {
      switch (component.kind) {
        case ir::AllowedKind::kValue:
          out->append(SpellHex(component.value, bits));
          break;
        case ir::AllowedKind::kAnyNan:
          out->append("nan");
          break;
        case ir::AllowedKind::kAnyValue:
          out->append("any");
          break;
      }
    }));
  }
  return texts;
}

std::string CaseKey(const ir::Term& search, ir::DenormMode mode) {
  return absl::StrCat(absl::StrJoin(SizesOf(search), " ", absl::PairFormatter(":")), " ", ir::NameOf(mode));
}

v1::CaseVerdict CaseProto(const ir::Term& search, ir::DenormMode mode, const CaseResult& result,
                          const std::string& semantics) {
  v1::CaseVerdict proto;
  proto.set_width(search.root_node().bits);
  for (const auto& [name, bits] : SizesOf(search)) (*proto.mutable_sizes())[name] = static_cast<uint32_t>(bits);
  proto.set_mode(ModeProto(mode));
  proto.set_verdict(VerdictProto(result.verdict));
  proto.set_tier(TierProto(result.tier));
  for (const std::string& by : result.confirmed_by) proto.add_confirmed_by(by);
  proto.set_reason(result.reason);
  if (result.witness.has_value()) FillWitness(*result.witness, proto.mutable_witness());
  if (result.certificate.has_value()) FillCertificate(*result.certificate, semantics, proto.mutable_certificate());
  proto.set_ms(result.milliseconds);
  return proto;
}

v1::InexactStatement InexactProto(const InexactVerdict& over_reals) {
  v1::InexactStatement proto;
  // The first word is the verdict (verifier/inexact/inexact.h).
  proto.set_reals(absl::StartsWith(over_reals.reals, "proved")    ? v1::VERDICT_PROVED
                  : absl::StartsWith(over_reals.reals, "refuted") ? v1::VERDICT_REFUTED
                                                                  : v1::VERDICT_UNKNOWN);
  proto.set_reason(over_reals.reals);
  if (over_reals.ulp_bound.has_value()) proto.set_ulp_bound(*over_reals.ulp_bound);
  if (over_reals.ulp_before_max.has_value()) proto.set_ulp_worst_before(*over_reals.ulp_before_max);
  if (over_reals.ulp_after_max.has_value()) proto.set_ulp_worst_after(*over_reals.ulp_after_max);
  if (over_reals.ulp_before_median.has_value()) proto.set_ulp_typical_before(*over_reals.ulp_before_median);
  if (over_reals.ulp_after_median.has_value()) proto.set_ulp_typical_after(*over_reals.ulp_after_median);
  if (over_reals.holds) {
    proto.set_accuracy_class(NotLessAccurate(over_reals) ? v1::ACCURACY_CLASS_NOT_LESS_ACCURATE
                                                         : v1::ACCURACY_CLASS_CANCELLING);
  }
  for (const auto& [input, results] : over_reals.special) (*proto.mutable_special())[input] = results;
  return proto;
}

}  // namespace rewrought::verifier
