#include "pipeline/nightly/nightly_config.h"

#include "absl/strings/str_cat.h"
#include "emitter/formats.h"
#include "pipeline/discovery/discover.h"
#include "proto/text_proto.h"
#include "store/database_lock.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::pipeline {

absl::StatusOr<v1::NightlyConfig> ParseNightlyConfig(absl::string_view text, absl::string_view file) {
  v1::NightlyConfig config;
  if (absl::Status status = proto::ParseTextProto(text, file, &config); !status.ok()) return status;
  const auto wrong = [&](absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat(file, ": ", what)); };
  if (config.machines().empty()) return wrong("machines: name at least one, such as machines: \"intel_gen9\"");
  for (const v1::CorpusPath& path : config.corpus()) {
    if (path.path().empty()) return wrong("corpus: each entry needs a path");
  }
  const auto formats = emitter::FindFormats({config.export_formats().begin(), config.export_formats().end()});
  if (!formats.ok()) return wrong(absl::StrCat("export_formats: ", formats.status().message()));
  if (!config.export_formats().empty() && config.export_dir().empty())
    return wrong("export_formats: requires export_dir");
  if (config.shards() > 0 && config.shard() >= config.shards()) return wrong("shard: must be below shards");
  if (config.shards() > store::DatabaseLock::kSlots) {
    return wrong(absl::StrCat("shards: must be at most ", store::DatabaseLock::kSlots));
  }
  if (config.budget().seconds() < 0) return wrong("budget.seconds: must not be negative");
  return config;
}

std::vector<ir::DenormMode> ModesOf(const v1::NightlyConfig& config) {
  std::vector<ir::DenormMode> modes;
  for (const int mode : config.modes()) {
    if (const auto read = verifier::ModeOf(static_cast<v1::DenormMode>(mode));
        read.value_or(ir::DenormMode::kNone) != ir::DenormMode::kNone)
      modes.push_back(*read);
  }
  return modes.empty() ? DiscoverOptions().modes : modes;
}

}  // namespace rewrought::pipeline
