#include "proto/text_proto.h"

#include <google/protobuf/io/tokenizer.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "proto/parse_limits.h"

namespace rewrought::proto {
namespace {

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

}  // namespace

absl::Status ParseTextProto(absl::string_view text, absl::string_view file, google::protobuf::Message* message,
                            google::protobuf::TextFormat::ParseInfoTree* places) {
  const absl::Status bounded = CheckBrackets(text, kTextProtoLimits, Quotes::kDoubleAndSingle, /*comments=*/true);
  if (!bounded.ok()) return absl::InvalidArgumentError(absl::StrCat(file, ":", bounded.message()));
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (places != nullptr) parser.WriteLocationsTo(places);
  if (parser.ParseFromString(std::string(text), message)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(file, ":", error.text));
}

}  // namespace rewrought::proto
