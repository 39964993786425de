#include "server/rpc/messages/verdict_proto.h"

#include <utility>

#include "machine/cost_message.h"
#include "server/rpc/messages/rule_proto.h"
#include "server/rpc/messages/status.h"
#include "server/rpc/messages/utf8.h"
#include "verifier/certificate.h"
#include "verifier/explain.h"
#include "verifier/verdict_message.h"

namespace rewrought::rpc {
namespace {

void Explain(const verifier::CheckedCase& checked, v1::CaseVerdict* proto) {
  const auto nodes = verifier::ExplainWitness(checked.rule_case, *checked.result.witness);
  if (!nodes.ok()) return;
  for (const verifier::ExplainedNode& node : *nodes) {
    v1::ExplainedNode* shown = proto->add_explain();
    shown->set_side(node.in_search ? "search" : "replace");
    shown->set_node(ToUtf8(node.text));
    shown->set_index(node.index);
    for (const uint64_t value : node.values) shown->add_values(verifier::SpellHex(value, node.bits));
  }
  *proto->mutable_search_term() = ToProto(checked.rule_case.search);
  *proto->mutable_replace_term() = ToProto(checked.rule_case.replace, RootType(checked.rule_case.search));
}

v1::CaseVerdict ToProto(const verifier::CheckedCase& checked, const std::string& semantics, VerdictDetail detail) {
  v1::CaseVerdict proto;
  if (checked.rule_case.search.nodes.empty()) {  // the case could not be stated
    proto.set_mode(verifier::ModeProto(checked.mode));
    proto.set_verdict(v1::VERDICT_UNSUPPORTED);
    proto.set_reason(checked.result.reason);
  } else {
    proto = verifier::CaseProto(checked.rule_case.search, checked.mode, checked.result, semantics);
  }
  proto.set_width(static_cast<uint32_t>(checked.width));
  for (const auto& [name, bits] : checked.sizes) (*proto.mutable_sizes())[name] = static_cast<uint32_t>(bits);
  if (checked.result.certificate.has_value()) {
    for (std::string& lemma : verifier::ArguedLemmas(*checked.result.certificate)) {
      proto.add_argued_lemmas(std::move(lemma));
    }
  }
  if (detail.explain && checked.result.witness.has_value()) Explain(checked, &proto);
  if (!detail.certificates) proto.clear_certificate();
  return proto;
}

}  // namespace

absl::StatusOr<ir::DenormMode> ModeFromProto(int mode, absl::string_view field) {
  switch (mode) {
    case v1::DENORM_MODE_UNSPECIFIED:
    case v1::DENORM_MODE_ANY:
      return ir::DenormMode::kAny;
    case v1::DENORM_MODE_FLUSH:
      return ir::DenormMode::kFlush;
    case v1::DENORM_MODE_PRESERVE:
      return ir::DenormMode::kPreserve;
    default:
      return FieldError(field, "is none of DENORM_MODE_ANY, DENORM_MODE_FLUSH, DENORM_MODE_PRESERVE");
  }
}

v1::RuleVerdict ToProto(const verifier::CheckedEntry& entry, const std::string& semantics, VerdictDetail detail) {
  v1::RuleVerdict proto;
  proto.set_line(static_cast<uint32_t>(entry.line));
  proto.set_rule(ToUtf8(entry.rule));
  if (!entry.error.empty()) {
    proto.set_verdict(v1::VERDICT_ERROR);
    proto.mutable_error()->set_column(static_cast<uint32_t>(entry.error_column));
    proto.mutable_error()->set_message(ToUtf8(entry.error));
    return proto;
  }
  proto.set_verdict(entry.IsInexact() ? v1::VERDICT_INEXACT : verifier::VerdictProto(entry.verdict.verdict));
  for (const verifier::CheckedCase& checked : entry.verdict.cases) {
    *proto.add_cases() = ToProto(checked, semantics, detail);
  }
  for (const verifier::Assumptions& alternative : entry.verdict.weakest) {
    v1::AssumptionSet* set = proto.add_weakest();
    for (const std::string& assumption : alternative) set->add_assumptions(assumption);
  }
  if (entry.inexact.has_value()) *proto.mutable_inexact() = verifier::InexactProto(*entry.inexact);
  proto.set_ms(entry.verdict.milliseconds);
  return proto;
}

v1::ImproveResponse ToProto(const pipeline::Improvement& improvement) {
  v1::ImproveResponse proto;
  proto.set_program(improvement.program);
  *proto.mutable_cost() = machine::CostMessage(improvement.cost);
  *proto.mutable_base() = machine::CostMessage(improvement.base);
  proto.set_verdict(verifier::VerdictProto(improvement.verdict));
  proto.set_inexact(improvement.inexact);
  proto.set_id(improvement.id);
  return proto;
}

}  // namespace rewrought::rpc
