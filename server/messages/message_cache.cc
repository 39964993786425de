#include "server/messages/message_cache.h"

#include <utility>

namespace rewrought::rpc {
namespace {

// The memory that each message needs in addition to its bytes: the map node, the entry in order_, and malloc's
// overhead.
constexpr size_t kOverhead = 192;

}  // namespace

bool MessageCache::Find(const ir::Digest& key, google::protobuf::MessageLite* message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = messages_.find(key);
  return found != messages_.end() && message->ParseFromString(found->second);
}

void MessageCache::Keep(const ir::Digest& key, const google::protobuf::MessageLite& message) {
  std::string value = message.SerializeAsString();
  const size_t size = kOverhead + value.size();
  if (size > capacity_ / 16) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!messages_.emplace(key, std::move(value)).second) return;
  order_.push_back(key);
  size_ += size;
  while (size_ > capacity_) {
    const auto oldest = messages_.find(order_.front());
    size_ -= kOverhead + oldest->second.size();
    messages_.erase(oldest);
    order_.pop_front();
  }
}

}  // namespace rewrought::rpc
