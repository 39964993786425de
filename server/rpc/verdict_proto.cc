#include "server/rpc/verdict_proto.h"

#include "server/pipeline/case_record.h"
#include "server/rpc/status.h"
#include "server/rpc/utf8.h"

namespace rewrought::rpc {
namespace {

v1::CaseVerdict ToProto(const verifier::CheckedCase& checked, const std::string& semantics, bool with_certificate) {
  v1::CaseVerdict proto;
  if (checked.rule_case.search.nodes.empty()) {  // the case could not be stated
    proto.set_mode(pipeline::ModeProto(checked.mode));
    proto.set_verdict(v1::VERDICT_UNSUPPORTED);
    proto.set_reason(checked.result.reason);
  } else {
    proto = pipeline::CaseProto(checked.rule_case.search, checked.mode, checked.result, semantics);
  }
  proto.set_width(static_cast<uint32_t>(checked.width));
  for (const auto& [name, bits] : checked.sizes) (*proto.mutable_sizes())[name] = static_cast<uint32_t>(bits);
  if (!with_certificate) proto.clear_certificate();
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

v1::RuleVerdict ToProto(const verifier::CheckedEntry& entry, const std::string& semantics, bool with_certificates) {
  v1::RuleVerdict proto;
  proto.set_line(static_cast<uint32_t>(entry.line));
  proto.set_rule(ToUtf8(entry.rule));
  if (!entry.error.empty()) {
    proto.set_verdict(v1::VERDICT_ERROR);
    proto.mutable_error()->set_column(static_cast<uint32_t>(entry.error_column));
    proto.mutable_error()->set_message(ToUtf8(entry.error));
    return proto;
  }
  proto.set_verdict(pipeline::VerdictProto(entry.verdict.verdict));
  for (const verifier::CheckedCase& checked : entry.verdict.cases) {
    *proto.add_cases() = ToProto(checked, semantics, with_certificates);
  }
  for (const verifier::Assumptions& alternative : entry.verdict.weakest) {
    v1::AssumptionSet* set = proto.add_weakest();
    for (const std::string& assumption : alternative) set->add_assumptions(assumption);
  }
  proto.set_licensed(entry.licensed());
  if (entry.inexact.has_value()) *proto.mutable_inexact() = pipeline::InexactProto(*entry.inexact);
  proto.set_ms(entry.verdict.milliseconds);
  return proto;
}

}  // namespace rewrought::rpc
