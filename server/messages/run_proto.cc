#include "server/messages/run_proto.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <string>

#include "ir/digest.h"
#include "machine/machine.h"
#include "pipeline/run_record.h"
#include "proto/utf8.h"
#include "server/messages/time_proto.h"
#include "store/rule_store.h"

namespace rewrought::rpc {
namespace {

// Discards the errors that protobuf would print by default, because another version may have written the text.
class Silent : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

}  // namespace

bool HasEnded(v1::RunState state) { return state != v1::RUN_STATE_QUEUED && state != v1::RUN_STATE_RUNNING; }

absl::StatusOr<v1::Run> ToProto(store::Store* store, const store::RunRecord& record) {
  v1::Run proto;
  proto.set_id(record.id);
  proto.set_kind(record.kind);
  proto.set_state(record.state);
  google::protobuf::TextFormat::Parser parser;
  Silent silent;
  parser.RecordErrorsTo(&silent);
  if (!parser.ParseFromString(record.config, proto.mutable_config())) {
    // The `config` of a run from the command line does not parse: it consists of the machine and words that distinguish
    // the run.
    proto.clear_config();
    const std::string machine = record.config.substr(0, record.config.find(' '));
    if (machine::FindMachine(machine).ok()) proto.mutable_config()->add_machines(machine);
  }
  *proto.mutable_statistics() = pipeline::RunStatisticsOfJson(record.run_statistics);
  *proto.mutable_started() = ToProto(record.started);
  if (record.ended.has_value()) *proto.mutable_ended() = ToProto(*record.ended);
  *proto.mutable_updated() = ToProto(record.updated);
  proto.set_message(ToUtf8(record.message));
  absl::Status status =
      store::RuleStore(store).ForEachChange(record.id, [&](const ir::Digest& rule, v1::RuleState state) {
        if (state == v1::RULE_STATE_NEW) proto.add_new_rules(rule.hex());
        if (state == v1::RULE_STATE_LOST) proto.add_lost_rules(rule.hex());
        if (state == v1::RULE_STATE_REFUTED) proto.add_refuted_rules(rule.hex());
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return proto;
}

}  // namespace rewrought::rpc
