#include "pipeline/rule_message.h"

#include <regex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ir/term.h"
#include "pipeline/case_record.h"
#include "proto/finite.h"
#include "store/search_store.h"

namespace rewrought::pipeline {
namespace {

void FillMeasurement(const store::MeasurementRecord& record, v1::RuleMeasurement* message) {
  message->set_split(record.split == store::Split::kHeldOut ? v1::CORPUS_SPLIT_HELD_OUT : v1::CORPUS_SPLIT_DISCOVERY);
  message->set_hits(static_cast<uint64_t>(record.hits));
  message->set_shaders(static_cast<uint64_t>(record.shaders));
  message->set_sources(static_cast<uint64_t>(record.sources));
  message->set_naive_saved_instructions(record.naive_instructions);
  message->set_naive_saved_cycles(record.naive_cycles);
  message->set_tuned_saved_instructions(record.tuned_instructions);
  message->set_tuned_saved_cycles(record.tuned_cycles);
}

}  // namespace

v1::PackEntry DetailOf(const store::RuleRecord& record) {
  v1::PackEntry detail;
  if (!detail.ParseFromString(record.detail) || !proto::HasOrdinaryNumbers(detail)) detail.Clear();
  return detail;
}

void AddNodeFlags(uint32_t flags, google::protobuf::RepeatedField<int>* message) {
  constexpr std::pair<uint32_t, v1::NodeFlag> kFlags[] = {{ir::kExact, v1::NODE_FLAG_EXACT},
                                                          {ir::kInexact, v1::NODE_FLAG_INEXACT},
                                                          {ir::kNoSignedZero, v1::NODE_FLAG_NO_SIGNED_ZERO},
                                                          {ir::kNoNan, v1::NODE_FLAG_NO_NAN},
                                                          {ir::kNoInf, v1::NODE_FLAG_NO_INF}};
  for (const auto& [bit, flag] : kFlags) {
    if (flags & bit) message->Add(flag);
  }
}

v1::RewriteRule RuleMessage(const store::RuleRecord& record, absl::Span<const store::MeasurementRecord> measurements) {
  v1::RewriteRule rule = std::move(*DetailOf(record).mutable_rule());
  rule.set_id(record.id.hex());
  rule.set_machine(record.machine);
  rule.set_search(record.search);
  rule.set_replace(record.replace);
  rule.set_program(record.program);
  rule.set_condition(record.condition);
  rule.clear_flags();
  AddNodeFlags(record.flags, rule.mutable_flags());
  rule.set_rule_class(record.rule_class);
  rule.set_state(record.state);
  rule.set_reason(record.reason);
  rule.clear_ops();
  for (const std::string& op : record.ops) rule.add_ops(op);
  if (record.generalised_from.has_value()) {
    rule.mutable_generalisation()->set_generalised_from(record.generalised_from->hex());
  }
  v1::Provenance* provenance = rule.mutable_provenance();
  provenance->set_run(record.created_run);
  if (record.fragment.has_value()) provenance->set_fragment(record.fragment->hex());
  provenance->set_semantics_digest(record.semantics.hex());
  provenance->set_created(absl::FormatTime(absl::RFC3339_full, record.created, absl::UTCTimeZone()));
  rule.clear_measurements();
  for (const store::MeasurementRecord& measurement : measurements)
    FillMeasurement(measurement, rule.add_measurements());
  return rule;
}

absl::StatusOr<std::vector<v1::CaseVerdict>> ProofsOf(store::Store* store, const store::RuleRecord& record) {
  std::vector<v1::CaseVerdict> proofs;
  const absl::Status status =
      store::SearchStore(store).ForEachVerdict(record.id, record.semantics, [&](const store::VerdictRecord& verdict) {
        absl::StatusOr<v1::CaseVerdict> proof = ProtoOfRecord(verdict);
        if (!proof.ok()) return proof.status();
        proofs.push_back(*std::move(proof));
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return proofs;
}

ir::DisplayedSides SidesText(const store::RuleRecord& record) {
  ir::DisplayedSides sides = ir::DisplayTexts(record.search, record.replace);
  if (!record.program.empty()) sides.replace = record.program;
  return sides;
}

std::string TupleText(const store::RuleRecord& record) {
  const ir::DisplayedSides sides = SidesText(record);
  return absl::StrCat("(", sides.search, ", ", sides.replace,
                      record.condition.empty() ? "" : absl::StrCat(", '", record.condition, "'"), ")");
}

std::string TextWithoutSizes(const store::RuleRecord& record) {
  const ir::DisplayedSides sides = SidesText(record);
  static const std::regex& size = *new std::regex("@[0-9]+");
  return std::regex_replace(absl::StrCat(sides.search, ", ", sides.replace), size, "");
}

}  // namespace rewrought::pipeline
