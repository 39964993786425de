#include "proto/finite.h"

#include <cmath>
#include <vector>

namespace rewrought::proto {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsOrdinary(double number) { return std::abs(number) <= 1e200; }

bool IsOrdinary(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& reflection = *message.GetReflection();
  const bool repeated = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return IsOrdinary(repeated ? reflection.GetRepeatedDouble(message, field, index)
                                 : reflection.GetDouble(message, field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return IsOrdinary(repeated ? reflection.GetRepeatedFloat(message, field, index)
                                 : reflection.GetFloat(message, field));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return HasOrdinaryNumbers(repeated ? reflection.GetRepeatedMessage(message, field, index)
                                         : reflection.GetMessage(message, field));
    default:
      return true;
  }
}

}  // namespace

bool HasOrdinaryNumbers(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (!IsOrdinary(message, field, i)) return false;
    }
  }
  return true;
}

}  // namespace rewrought::proto
