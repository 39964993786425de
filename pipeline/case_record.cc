#include "pipeline/case_record.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

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

std::string ClaimOf(v1::CaseVerdict proto) {
  proto.clear_ms();
  if (proto.has_certificate()) proto.mutable_certificate()->clear_ms();
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    proto.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::string ClaimOf(const store::VerdictRecord& record, const v1::CaseVerdict& proto) {
  return absl::StrCat("verdict\n", record.rule.hex(), " ", record.semantics.hex(), " ", record.case_key, "\n",
                      ClaimOf(proto));
}

}  // namespace rewrought::pipeline
