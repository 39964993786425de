// Parses user-written textprotos and reports errors by file, line, and column.
#ifndef REWROUGHT_PROTO_TEXT_PROTO_H_
#define REWROUGHT_PROTO_TEXT_PROTO_H_

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::proto {

// Parses `text`, within kTextProtoLimits, into `message`. If `places` is not null, it receives the location of each
// field. Fails with InvalidArgument "FILE:LINE:COLUMN: error" for the first error.
absl::Status ParseTextProto(absl::string_view text, absl::string_view file, google::protobuf::Message* message,
                            google::protobuf::TextFormat::ParseInfoTree* places = nullptr);

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_TEXT_PROTO_H_
