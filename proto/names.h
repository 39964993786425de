// Names enum values: VERDICT_PROVED is "proved" in JSON, flags, reports, and the database. All names come from this
// file. Callers can write NameOf(verdict), which argument-dependent lookup finds.
#ifndef REWROUGHT_PROTO_NAMES_H_
#define REWROUGHT_PROTO_NAMES_H_

#include <google/protobuf/generated_enum_reflection.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::v1 {

// Returns the names of all values of an enum, indexed by number; "" for number 0 (*_UNSPECIFIED) and for gaps. A name
// is the value's lower-case identifier without the enum's prefix, unless names.cc lists a different word.
std::vector<std::string> EnumNames(const google::protobuf::EnumDescriptor* descriptor);

template <typename Enum>
requires google::protobuf::is_proto_enum<Enum>::value const std::vector<std::string>& NamesOf() {
  static const auto* const names = new std::vector<std::string>(EnumNames(google::protobuf::GetEnumDescriptor<Enum>()));
  return *names;
}

// Returns the name of `value`, or "" if its number has no name, which is possible because protobuf enums are open.
template <typename Enum>
requires google::protobuf::is_proto_enum<Enum>::value absl::string_view NameOf(Enum value) {
  const auto number = static_cast<size_t>(value);
  return number < NamesOf<Enum>().size() ? absl::string_view(NamesOf<Enum>()[number]) : absl::string_view();
}

// Returns the value with the given name, or *_UNSPECIFIED.
template <typename Enum>
requires google::protobuf::is_proto_enum<Enum>::value Enum Named(absl::string_view name) {
  for (size_t number = 1; number < NamesOf<Enum>().size(); ++number) {
    if (!name.empty() && NamesOf<Enum>()[number] == name) return static_cast<Enum>(number);
  }
  return Enum{};
}

}  // namespace rewrought::v1

#endif  // REWROUGHT_PROTO_NAMES_H_
