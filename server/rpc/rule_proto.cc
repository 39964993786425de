#include "server/rpc/rule_proto.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ir/text/rule_text.h"
#include "server/pipeline/case_record.h"
#include "server/store/rule_store.h"
#include "server/store/search_store.h"

namespace rewrought::rpc {
namespace {

void AddFlags(uint32_t flags, google::protobuf::RepeatedField<int>* proto) {
  constexpr std::pair<uint32_t, v1::NodeFlag> kFlags[] = {{ir::kExact, v1::NODE_FLAG_EXACT},
                                                          {ir::kInexact, v1::NODE_FLAG_INEXACT},
                                                          {ir::kNoSignedZero, v1::NODE_FLAG_NO_SIGNED_ZERO},
                                                          {ir::kNoNan, v1::NODE_FLAG_NO_NAN},
                                                          {ir::kNoInf, v1::NODE_FLAG_NO_INF}};
  for (const auto& [bit, flag] : kFlags) {
    if (flags & bit) proto->Add(flag);
  }
}

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
  AddFlags(node.flags, proto->mutable_flags());
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

v1::RuleState ToProto(store::RuleState state) {
  switch (state) {
    case store::RuleState::kNew:
      return v1::RULE_STATE_NEW;
    case store::RuleState::kKept:
      return v1::RULE_STATE_KEPT;
    case store::RuleState::kLost:
      return v1::RULE_STATE_LOST;
    case store::RuleState::kWaived:
      return v1::RULE_STATE_WAIVED;
    case store::RuleState::kRefuted:
      return v1::RULE_STATE_REFUTED;
  }
  return v1::RULE_STATE_UNSPECIFIED;
}

void Fill(const store::MeasurementRecord& record, v1::RuleMeasurement* proto) {
  proto->set_split(record.split == store::Split::kHeldOut ? v1::CORPUS_SPLIT_HELD_OUT : v1::CORPUS_SPLIT_DISCOVERY);
  proto->set_hits(record.hits);
  proto->set_shaders(record.shaders);
  proto->set_sources(record.sources);
  proto->set_base_saved_instructions(record.base_instructions);
  proto->set_base_saved_cycles(record.base_cycles);
  proto->set_strong_saved_instructions(record.strong_instructions);
  proto->set_strong_saved_cycles(record.strong_cycles);
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
  v1::RewriteRule proto;
  if (!proto.ParseFromString(record.detail)) proto.Clear();
  proto.set_id(record.id.hex());
  proto.set_machine(record.machine);
  proto.set_search(record.search);
  proto.set_replace(record.replace);
  proto.set_program(record.program);
  proto.set_condition(record.condition);
  proto.clear_flags();
  AddFlags(record.flags, proto.mutable_flags());
  proto.set_rule_class(record.rule_class == store::RuleClass::kLicensed ? v1::RULE_CLASS_LICENSED
                                                                        : v1::RULE_CLASS_STRICT);
  proto.set_state(ToProto(record.state));
  proto.set_reason(record.reason);
  proto.clear_ops();
  for (const std::string& op : record.ops) proto.add_ops(op);
  if (record.generalised_from.has_value()) {
    proto.mutable_generalisation()->set_generalised_from(record.generalised_from->hex());
  }
  v1::Provenance* provenance = proto.mutable_provenance();
  provenance->set_run(record.created_run);
  if (record.fragment.has_value()) provenance->set_fragment(record.fragment->hex());
  provenance->set_semantics_digest(record.semantics.hex());
  provenance->set_created(absl::FormatTime(absl::RFC3339_full, record.created, absl::UTCTimeZone()));
  const absl::StatusOr<std::vector<store::MeasurementRecord>> measurements =
      store::RuleStore(store).Measurements(record.id);
  if (!measurements.ok()) return measurements.status();
  proto.clear_measurements();
  for (const store::MeasurementRecord& measurement : *measurements) Fill(measurement, proto.add_measurements());
  return proto;
}

void AddTerms(v1::RewriteRule* rule) {
  const absl::StatusOr<ir::Term> search = ir::ParseTerm(rule->search());
  if (search.ok()) *rule->mutable_search_term() = ToProto(*search);
  if (rule->replace().empty()) return;
  const absl::StatusOr<ir::Term> replace = ir::ParseTerm(rule->replace());
  if (replace.ok()) *rule->mutable_replace_term() = ToProto(*replace);
}

absl::StatusOr<std::vector<v1::CaseVerdict>> ProofsOf(store::Store* store, const store::RuleRecord& record) {
  std::vector<v1::CaseVerdict> proofs;
  absl::Status status =
      store::SearchStore(store).ForEachVerdict(record.id, record.semantics, [&](const store::VerdictRecord& verdict) {
        absl::StatusOr<v1::CaseVerdict> proof = pipeline::ProtoOfRecord(verdict);
        if (!proof.ok()) return proof.status();
        proofs.push_back(*std::move(proof));
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return proofs;
}

std::string RuleText(const store::RuleRecord& record) {
  return absl::StrCat("(", record.search, ", ", record.program.empty() ? record.replace : record.program,
                      record.condition.empty() ? "" : absl::StrCat(", '", record.condition, "'"), ")");
}

}  // namespace rewrought::rpc
