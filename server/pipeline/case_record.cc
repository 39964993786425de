#include "server/pipeline/case_record.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/digest.h"

namespace rewrought::pipeline {
store::VerdictRecord RecordOf(const ir::Digest& rule, const ir::Digest& semantics, const std::string& case_key,
                              const v1::CaseVerdict& proto) {
  store::VerdictRecord record;
  record.rule = rule;
  record.case_key = case_key;
  record.semantics = semantics;
  record.verdict = proto.verdict();
  record.tier = v1::Tier_Name(proto.tier());
  record.reason = proto.reason();
  record.confirmed_by = absl::StrJoin(proto.confirmed_by(), ", ");
  record.witness = proto.has_witness() ? proto.witness().SerializeAsString() : "";
  record.certificate = proto.SerializeAsString();
  record.milliseconds = proto.ms();
  return record;
}

absl::StatusOr<v1::CaseVerdict> ProtoOfRecord(const store::VerdictRecord& record) {
  v1::CaseVerdict proto;
  if (!proto.ParseFromString(record.certificate)) {
    return absl::DataLossError(absl::StrCat("the stored verdict of rule ", record.rule.hex(), " does not parse"));
  }
  return proto;
}

}  // namespace rewrought::pipeline
