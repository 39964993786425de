// A bounded cache of serialized messages that are expensive to compute. It evicts the oldest message first.
#ifndef REWROUGHT_SERVER_MESSAGES_MESSAGE_CACHE_H_
#define REWROUGHT_SERVER_MESSAGES_MESSAGE_CACHE_H_

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "google/protobuf/message_lite.h"
#include "ir/digest.h"

namespace rewrought::rpc {

// Thread-safe.
class MessageCache {
 public:
  // Stores at most `bytes` bytes, including overhead, and no message larger than a sixteenth of this limit.
  explicit MessageCache(size_t bytes) : capacity_(bytes) {}

  // Parses the message stored under `key` into `message`. Returns false if there is none.
  bool Find(const ir::Digest& key, google::protobuf::MessageLite* message);

  // Stores `message` unless `key` is already present.
  void Keep(const ir::Digest& key, const google::protobuf::MessageLite& message);

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::map<ir::Digest, std::string> messages_;
  std::deque<ir::Digest> order_;  // oldest first
  size_t size_ = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_MESSAGE_CACHE_H_
