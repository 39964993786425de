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

absl::StatusOr<std::optional<v1::CaseVerdict>> OwnVerdict(const store::VerdictRecord& record,
                                                          store::VerifiedStore* verified) {
  absl::StatusOr<v1::CaseVerdict> proto = ProtoOfRecord(record);
  if (!proto.ok()) return std::nullopt;
  // The MAC covers only the message, but merges and checks read the other columns, so those columns must agree with the
  // message. The witness is not compared, because nothing reads it and its bytes are not deterministic.
  const store::VerdictRecord own = RecordOf(record.rule, record.semantics, record.case_key, *proto);
  if (own.verdict != record.verdict || own.tier != record.tier || own.reason != record.reason ||
      own.confirmed_by != record.confirmed_by) {
    return std::nullopt;
  }
  const absl::StatusOr<bool> has = verified->Has(ClaimOf(record, *proto));
  if (!has.ok()) return has.status();
  return *has ? std::optional<v1::CaseVerdict>(*std::move(proto)) : std::nullopt;
}

}  // namespace rewrought::pipeline
