#include "emitter/files/plain_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace rewrought::emitter {
namespace {

bool MadeOf(absl::string_view text, absl::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || others.find(c) != absl::string_view::npos;
  });
}

}  // namespace

absl::Status CheckPlainId(absl::string_view id) {
  if (MadeOf(id, "")) return absl::OkStatus();
  return absl::FailedPreconditionError("its id must consist of letters and digits");
}

absl::Status CheckPlainCondition(absl::string_view condition) {
  // "/" and "*" are excluded because they can start or end a comment.
  if (MadeOf(condition, " _-><=!&|(),+")) return absl::OkStatus();
  return absl::FailedPreconditionError("its condition must consist of names, numbers, and operators");
}

}  // namespace rewrought::emitter
