#include "server/messages/verdict_proto.h"

#include <utility>

#include "machine/cost_message.h"
#include "server/messages/rule_proto.h"
#include "server/messages/status.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::rpc {

absl::StatusOr<ir::DenormMode> ModeFromProto(int mode, absl::string_view field) {
  if (mode == v1::DENORM_MODE_UNSPECIFIED) return ir::DenormMode::kAny;
  const std::optional<ir::DenormMode> read = verifier::ModeOf(static_cast<v1::DenormMode>(mode));
  if (read.has_value() && read != ir::DenormMode::kNone) return *read;
  return FieldError(field, "must be DENORM_MODE_ANY, DENORM_MODE_FLUSH or DENORM_MODE_PRESERVE");
}

absl::StatusOr<ir::Dialect> DialectFromProto(int dialect, bool has_machine) {
  if (dialect == v1::DIALECT_UNSPECIFIED) return ir::DefaultDialect(has_machine);
  const std::optional<ir::Dialect> read = verifier::DialectOf(static_cast<v1::Dialect>(dialect));
  if (read.has_value()) return *read;
  return FieldError("dialect", "must be DIALECT_NIR_25 or DIALECT_NIR_26");
}

v1::ImproveResponse ToProto(const pipeline::Improvement& improvement) {
  v1::ImproveResponse proto;
  proto.set_program(improvement.program);
  *proto.mutable_cost() = machine::CostMessage(improvement.cost);
  *proto.mutable_base() = machine::CostMessage(improvement.base);
  proto.set_verdict(improvement.verdict);
  proto.set_inexact(improvement.inexact);
  proto.set_id(improvement.id);
  return proto;
}

}  // namespace rewrought::rpc
