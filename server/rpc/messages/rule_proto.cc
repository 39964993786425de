#include "server/rpc/messages/rule_proto.h"

#include "ir/text/rule_text.h"
#include "server/pipeline/rule_message.h"
#include "server/store/rule_store.h"

namespace rewrought::rpc {
namespace {

v1::ValueType ToProto(ir::BaseType type) {
  switch (type) {
    case ir::BaseType::kUint:
      return v1::VALUE_TYPE_UINT;
    case ir::BaseType::kInt:
      return v1::VALUE_TYPE_INT;
    case ir::BaseType::kFloat:
      return v1::VALUE_TYPE_FLOAT;
    case ir::BaseType::kBool:
      return v1::VALUE_TYPE_BOOL;
  }
  return v1::VALUE_TYPE_UNSPECIFIED;
}

v1::LiteralForm ToProto(ir::LiteralKind kind) {
  switch (kind) {
    case ir::LiteralKind::kBits:
      return v1::LITERAL_FORM_BITS;
    case ir::LiteralKind::kBool:
      return v1::LITERAL_FORM_BOOL;
    case ir::LiteralKind::kInt:
      return v1::LITERAL_FORM_INT;
    case ir::LiteralKind::kFloat:
      return v1::LITERAL_FORM_FLOAT;
  }
  return v1::LITERAL_FORM_UNSPECIFIED;
}

void Fill(const ir::Node& node, v1::TermNode* proto) {
  proto->set_bits(node.bits);
  proto->set_components(node.components);
  const uint32_t all = (1u << node.components) - 1;
  if ((node.write_mask & all) != all) proto->set_write_mask(node.write_mask & all);
  pipeline::AddNodeFlags(node.flags, proto->mutable_flags());
  for (const std::string& predicate : node.predicates) proto->add_predicates(predicate);
  switch (node.kind) {
    case ir::NodeKind::kVariable:
      proto->mutable_variable()->set_name(node.name);
      proto->mutable_variable()->set_constant_only(node.constant_only);
      if (node.typed) proto->mutable_variable()->set_type(ToProto(node.type));
      break;
    case ir::NodeKind::kConstant:
      proto->mutable_constant()->set_form(ToProto(node.literal));
      for (int c = 0; c < node.components; ++c) proto->mutable_constant()->add_values(node.values[c]);
      break;
    case ir::NodeKind::kOp:
      proto->mutable_op()->set_name(std::string(node.op->name));
      for (const ir::Source& source : node.sources) {
        v1::TermSource* use = proto->mutable_op()->add_sources();
        use->set_node(source.node);
        if (source.swizzle == ir::kIdentitySwizzle) continue;
        for (const uint8_t lane : source.swizzle) use->add_swizzle(lane);
      }
      break;
  }
}

}  // namespace

v1::Term ToProto(const ir::Term& term) {
  v1::Term proto;
  for (const ir::Node& node : term.nodes) Fill(node, proto.add_nodes());
  proto.set_root(term.root);
  proto.set_text(ir::PrintTerm(term));
  return proto;
}

absl::StatusOr<v1::RewriteRule> ToProto(store::Store* store, const store::RuleRecord& record) {
  const absl::StatusOr<std::vector<store::MeasurementRecord>> measurements =
      store::RuleStore(store).Measurements(record.id);
  if (!measurements.ok()) return measurements.status();
  return pipeline::RuleMessage(record, *measurements);
}

void AddTerms(v1::RewriteRule* rule) {
  const absl::StatusOr<ir::Term> search = ir::ParseTerm(rule->search());
  if (search.ok()) *rule->mutable_search_term() = ToProto(*search);
  if (rule->replace().empty()) return;
  const absl::StatusOr<ir::Term> replace = ir::ParseTerm(rule->replace());
  if (replace.ok()) *rule->mutable_replace_term() = ToProto(*replace);
}

}  // namespace rewrought::rpc
