#include "server/rpc/messages/run_proto.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <string>

#include "absl/time/time.h"
#include "ir/digest.h"
#include "machine/machine.h"
#include "server/pipeline/run_record.h"
#include "server/rpc/messages/utf8.h"
#include "server/store/rule_store.h"

namespace rewrought::rpc {
namespace {

// Says nothing where protobuf's default would print: the text may be from another version.
class Silent : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

std::string TimeText(absl::Time time) { return absl::FormatTime(absl::RFC3339_full, time, absl::UTCTimeZone()); }

}  // namespace

bool HasEnded(store::RunState state) { return state != store::RunState::kQueued && state != store::RunState::kRunning; }

absl::StatusOr<v1::Run> ToProto(store::Store* store, const store::RunRecord& record) {
  v1::Run proto;
  proto.set_id(record.id);
  proto.set_kind(record.kind);
  proto.set_state(static_cast<v1::RunState>(record.state));  // the numbers are equal
  google::protobuf::TextFormat::Parser parser;
  Silent silent;
  parser.RecordErrorsTo(&silent);
  if (!parser.ParseFromString(record.config, proto.mutable_config())) {
    // The command line's runs are named by their machine and what else distinguishes them.
    proto.clear_config();
    const std::string machine = record.config.substr(0, record.config.find(' '));
    if (machine::FindMachine(machine).ok()) proto.mutable_config()->add_machines(machine);
  }
  *proto.mutable_statistics() = pipeline::RunStatisticsOfJson(record.run_statistics);
  proto.set_started(TimeText(record.started));
  if (record.ended.has_value()) proto.set_ended(TimeText(*record.ended));
  proto.set_updated(TimeText(record.updated));
  proto.set_message(ToUtf8(record.message));
  absl::Status status =
      store::RuleStore(store).ForEachChange(record.id, [&](const ir::Digest& rule, store::RuleState state) {
        if (state == store::RuleState::kNew) proto.add_new_rules(rule.hex());
        if (state == store::RuleState::kLost) proto.add_lost_rules(rule.hex());
        if (state == store::RuleState::kRefuted) proto.add_refuted_rules(rule.hex());
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return proto;
}

static_assert(static_cast<int>(store::RunState::kQueued) == v1::RUN_STATE_QUEUED);
static_assert(static_cast<int>(store::RunState::kRunning) == v1::RUN_STATE_RUNNING);
static_assert(static_cast<int>(store::RunState::kCancelled) == v1::RUN_STATE_CANCELLED);
static_assert(static_cast<int>(store::RunState::kFailed) == v1::RUN_STATE_FAILED);
static_assert(static_cast<int>(store::RunState::kDone) == v1::RUN_STATE_DONE);
static_assert(static_cast<int>(store::RunState::kPaused) == v1::RUN_STATE_PAUSED);

}  // namespace rewrought::rpc
