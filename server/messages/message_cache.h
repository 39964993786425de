// Messages that are dear to make, as bytes by the digest of what they follow from; the oldest go first.
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
  // Holds at most `bytes` of messages, what holding them takes included; none that is larger than a sixteenth of it.
  explicit MessageCache(size_t bytes) : may_hold_(bytes) {}

  // Whether there is one, of the type of `message`, which it becomes.
  bool Find(const ir::Digest& key, google::protobuf::MessageLite* message);

  // Of two messages under one key the first stays.
  void Keep(const ir::Digest& key, const google::protobuf::MessageLite& message);

 private:
  const size_t may_hold_;
  std::mutex mutex_;
  std::map<ir::Digest, std::string> messages_;
  std::deque<ir::Digest> order_;  // oldest first
  size_t holds_ = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_MESSAGE_CACHE_H_
