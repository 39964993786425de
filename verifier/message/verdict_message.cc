#include "verifier/message/verdict_message.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/digest.h"
#include "proto/names.h"
#include "proto/utf8.h"
#include "verifier/certificate.h"
#include "verifier/message/explain.h"

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

void FillWitness(const Witness& witness, v1::Witness* proto) {
  for (const WitnessVariable& variable : witness.variables) {
    (*proto->mutable_vars())[variable.name] = FormatHex(variable.value, variable.bits);
  }
  for (std::string& text : AllowedTexts(witness.search, witness.root_bits)) proto->add_search(std::move(text));
  proto->set_replace(absl::StrJoin(witness.replace, ",", [&](std::string* out, uint64_t value) {
    out->append(FormatHex(value, witness.root_bits));
  }));
  for (const uint64_t choice : witness.replace_choices) proto->add_replace_choices(choice);
  proto->set_search_incomplete(!witness.search.complete);
}

void FillCertificate(const Certificate& certificate, const std::string& semantics, v1::Certificate* proto) {
  proto->set_kind(certificate.kind);
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
  for (const Certificate& coinciding : certificate.coinciding) {
    v1::Certificate* shown = proto->add_coinciding();
    if (coinciding.kind != v1::TIER_UNSPECIFIED) FillCertificate(coinciding, semantics, shown);
    shown->clear_ms();
  }
  for (const CertificatePart& part : certificate.parts) {
    v1::CertificatePart* shown = proto->add_parts();
    for (const auto& [variable, value] : part.values) {
      shown->add_values(absl::StrCat(variable, "=0x", absl::Hex(value)));
    }
    if (part.certificate.kind == v1::TIER_UNSPECIFIED) continue;
    FillCertificate(part.certificate, semantics, shown->mutable_certificate());
    shown->mutable_certificate()->clear_ms();
  }
}

// Returns a certificate that has only the kind and the copies of `proto` and of its coinciding cases.
Certificate KindAndCopies(const v1::Certificate& proto) {
  Certificate way;
  way.kind = proto.kind();
  way.copies.assign(proto.copies().begin(), proto.copies().end());
  for (const v1::Certificate& coinciding : proto.coinciding()) {
    Certificate& shown = way.coinciding.emplace_back();
    shown.kind = coinciding.kind();
    shown.copies.assign(coinciding.copies().begin(), coinciding.copies().end());
  }
  return way;
}

}  // namespace

v1::DenormMode ModeProto(ir::DenormMode mode) { return v1::Named<v1::DenormMode>(ir::NameOf(mode)); }

std::optional<ir::DenormMode> ModeOf(v1::DenormMode mode) {
  for (const ir::DenormMode known :
       {ir::DenormMode::kNone, ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush}) {
    if (ModeProto(known) == mode) return known;
  }
  return std::nullopt;
}

v1::Dialect DialectProto(ir::Dialect dialect) { return v1::Named<v1::Dialect>(ir::NameOf(dialect)); }

std::optional<ir::Dialect> DialectOf(v1::Dialect dialect) {
  const absl::StatusOr<ir::Dialect> parsed = ir::ParseDialect(v1::NameOf(dialect));
  return parsed.ok() ? std::optional(*parsed) : std::nullopt;
}

absl::StatusOr<std::vector<ir::DenormMode>> ParseModes(absl::string_view words) {
  std::vector<ir::DenormMode> modes;
  for (const absl::string_view word : absl::StrSplit(words, ',')) {
    const std::optional<ir::DenormMode> mode = ModeOf(v1::Named<v1::DenormMode>(word));
    if (!mode.has_value() || mode == ir::DenormMode::kNone) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", word, "' is not a denormal mode; use any, preserve or flush"));
    }
    modes.push_back(*mode);
  }
  std::sort(modes.begin(), modes.end());
  modes.erase(std::unique(modes.begin(), modes.end()), modes.end());
  return modes;
}

std::vector<std::string> AllowedTexts(const ir::AllowedSet& set, int bits) {
  std::vector<std::string> texts;
  for (const ir::AllowedResult& result : set.results) {
    texts.push_back(absl::StrJoin(result, ",", [&](std::string* out, const ir::AllowedComponent& component) {
      switch (component.kind) {
        case ir::AllowedKind::kValue:
          out->append(FormatHex(component.value, bits));
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
  proto.set_verdict(result.verdict);
  proto.set_tier(result.tier);
  for (const std::string& by : result.confirmed_by) proto.add_confirmed_by(by);
  proto.set_reason(result.reason);
  if (result.witness.has_value()) FillWitness(*result.witness, proto.mutable_witness());
  if (result.certificate.has_value()) FillCertificate(*result.certificate, semantics, proto.mutable_certificate());
  proto.set_ms(result.milliseconds);
  return proto;
}

absl::StatusOr<Certificate> RecipeOf(const v1::Certificate& proto) {
  Certificate way = KindAndCopies(proto);
  for (const v1::CertificatePart& shown : proto.parts()) {
    if (shown.certificate().parts_size() > 0) return absl::InvalidArgumentError("a part must not be split again");
    CertificatePart& part = way.parts.emplace_back();
    for (const std::string& text : shown.values()) {
      const std::pair<absl::string_view, absl::string_view> value = absl::StrSplit(text, absl::MaxSplits("=0x", 1));
      uint64_t number = 0;
      if (!absl::SimpleHexAtoi(value.second, &number))
        return absl::InvalidArgumentError(absl::StrCat("malformed value in a part: ", text));
      part.values.emplace_back(value.first, number);
    }
    part.certificate = KindAndCopies(shown.certificate());
  }
  return way;
}

v1::InexactStatement InexactProto(const InexactVerdict& over_reals) {
  v1::InexactStatement proto;
  // The first word of the reason is the verdict (verifier/inexact/inexact.h).
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
    proto.set_accuracy_class(over_reals.accuracy);
    const ErrorGrowth &written = over_reals.growth_as_written, &fused = over_reals.growth_fused;
    if (written.factor.has_value()) proto.set_growth_as_written(*written.factor);
    if (fused.factor.has_value()) proto.set_growth_fused(*fused.factor);
    proto.set_growth_unknown(written.factor.has_value() ? fused.reason : written.reason);
    proto.set_hardest_input(over_reals.hardest);
  }
  for (const auto& [input, results] : over_reals.special) (*proto.mutable_special())[input] = results;
  return proto;
}

namespace {

void Explain(const CheckedCase& checked, v1::CaseVerdict* proto) {
  const auto nodes = ExplainWitness(checked.rule_case, *checked.result.witness);
  if (!nodes.ok()) return;
  for (const ExplainedNode& node : *nodes) {
    v1::ExplainedNode* shown = proto->add_explain();
    shown->set_side(node.in_search ? "search" : "replace");
    shown->set_node(ToUtf8(node.text));
    shown->set_index(node.index);
    for (const uint64_t value : node.values) shown->add_values(FormatHex(value, node.bits));
  }
}

v1::CaseVerdict CaseProto(const CheckedCase& checked, const std::string& semantics, VerdictDetail detail) {
  v1::CaseVerdict proto;
  if (checked.rule_case.search.nodes.empty()) {  // the case could not be stated
    proto.set_mode(ModeProto(checked.mode));
    proto.set_verdict(v1::VERDICT_UNSUPPORTED);
    proto.set_reason(checked.result.reason);
  } else {
    proto = CaseProto(checked.rule_case.search, checked.mode, checked.result, semantics);
  }
  proto.set_width(static_cast<uint32_t>(checked.width));
  for (const auto& [name, bits] : checked.sizes) (*proto.mutable_sizes())[name] = static_cast<uint32_t>(bits);
  if (checked.result.certificate.has_value()) {
    for (std::string& lemma : ArguedLemmas(*checked.result.certificate)) {
      proto.add_argued_lemmas(std::move(lemma));
    }
  }
  if (detail.explain && checked.result.witness.has_value()) Explain(checked, &proto);
  if (!detail.certificates) proto.clear_certificate();
  return proto;
}

}  // namespace

v1::RuleVerdict RuleProto(const CheckedEntry& entry, const std::string& semantics, VerdictDetail detail) {
  v1::RuleVerdict proto;
  proto.set_line(static_cast<uint32_t>(entry.line));
  proto.set_rule(ToUtf8(entry.rule));
  proto.set_dialect(DialectProto(entry.dialect));
  if (!entry.error.empty()) {
    proto.set_verdict(v1::VERDICT_ERROR);
    proto.mutable_error()->set_column(static_cast<uint32_t>(entry.error_column));
    proto.mutable_error()->set_message(ToUtf8(entry.error));
    return proto;
  }
  proto.set_verdict(entry.IsInexact() ? v1::VERDICT_INEXACT : entry.verdict.verdict);
  for (const CheckedCase& checked : entry.verdict.cases) {
    *proto.add_cases() = CaseProto(checked, semantics, detail);
  }
  for (const Assumptions& alternative : entry.verdict.weakest) {
    v1::AssumptionSet* set = proto.add_weakest();
    for (const std::string& assumption : alternative) set->add_assumptions(assumption);
  }
  for (const std::string& assumed : entry.verdict.assumes) proto.add_assumes(assumed);
  if (entry.inexact.has_value()) *proto.mutable_inexact() = InexactProto(*entry.inexact);
  proto.set_ms(entry.verdict.milliseconds);
  return proto;
}

}  // namespace rewrought::verifier
