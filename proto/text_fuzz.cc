// Fuzzes the JSON and textproto parsers, with a recursive and a nonrecursive schema. No input may crash them, and every
// parsed value must be printable.
#include <google/protobuf/struct.pb.h>

#include <cstddef>
#include <cstdint>

#include "proto/json_text.h"
#include "proto/rewrought/v1/run.pb.h"
#include "proto/text_proto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const nlohmann::json json = proto::ParseJson(text);
  (void)json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  google::protobuf::Value value;
  if (proto::ParseTextProto(text, "fuzz", &value).ok()) (void)value.DebugString();
  v1::NightlyConfig config;
  if (proto::ParseTextProto(text, "fuzz", &config).ok()) (void)config.DebugString();
  return 0;
}
