// Text protos that users write: what is wrong in them is named by file, line and column.
#ifndef REWROUGHT_PROTO_TEXT_PROTO_H_
#define REWROUGHT_PROTO_TEXT_PROTO_H_

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::proto {

// Parses `text`, of at most kTextProtoLimits, into `message`; `places`, if not null, gets where each field stands.
// InvalidArgument "FILE:LINE:COLUMN: what is wrong", the first thing that is.
absl::Status ParseTextProto(absl::string_view text, absl::string_view file, google::protobuf::Message* message,
                            google::protobuf::TextFormat::ParseInfoTree* places = nullptr);

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_TEXT_PROTO_H_
