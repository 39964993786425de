// The one place that names enum values: VERDICT_PROVED is "proved" in JSON, on flags, in reports and in the database.
// Found by argument-dependent lookup: NameOf(verdict).
#ifndef REWROUGHT_PROTO_NAMES_H_
#define REWROUGHT_PROTO_NAMES_H_

#include <google/protobuf/generated_enum_reflection.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::v1 {

// The names of all values of an enum by number, "" for number 0, *_UNSPECIFIED, and for gaps: what follows the enum's
// own name, in lower case, but for the words that names.cc lists.
std::vector<std::string> EnumNames(const google::protobuf::EnumDescriptor* descriptor);

template <typename Enum>
requires google::protobuf::is_proto_enum<Enum>::value const std::vector<std::string>& NamesOf() {
  static const auto* const names = new std::vector<std::string>(EnumNames(google::protobuf::GetEnumDescriptor<Enum>()));
  return *names;
}

// "" for a number that has no name: protobuf's enums are open.
template <typename Enum>
requires google::protobuf::is_proto_enum<Enum>::value absl::string_view NameOf(Enum value) {
  const auto number = static_cast<size_t>(value);
  return number < NamesOf<Enum>().size() ? absl::string_view(NamesOf<Enum>()[number]) : absl::string_view();
}

// The value that has the name; *_UNSPECIFIED if none has.
template <typename Enum>
requires google::protobuf::is_proto_enum<Enum>::value Enum Named(absl::string_view name) {
  for (size_t number = 1; number < NamesOf<Enum>().size(); ++number) {
    if (!name.empty() && NamesOf<Enum>()[number] == name) return static_cast<Enum>(number);
  }
  return Enum{};
}

}  // namespace rewrought::v1

#endif  // REWROUGHT_PROTO_NAMES_H_
