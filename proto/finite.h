// Checks the numbers of messages from files and databases.
#ifndef REWROUGHT_PROTO_FINITE_H_
#define REWROUGHT_PROTO_FINITE_H_

#include <google/protobuf/message.h>

namespace rewrought::proto {

// Returns whether all floating-point numbers of the message and its submessages are finite and within ±1e200. Such
// numbers can be sorted, unlike NaNs, and their sums stay finite.
bool HasOrdinaryNumbers(const google::protobuf::Message& message);

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_FINITE_H_
