#include "server/work_pool.h"

#include <algorithm>
#include <utility>

namespace rewrought::rpc {

// The pool and the client of the current thread's active work.
struct WorkPool::Current {
  WorkPool* pool = nullptr;  // null if the work has stepped aside
  Clients::iterator client;
  static thread_local Current of_thread;
};

thread_local WorkPool::Current WorkPool::Current::of_thread;

WorkPool::WorkPool(int threads, int active) : active_limit_(active), client_limit_(std::max(1, active / 2)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

WorkPool::~WorkPool() { Join(); }

void WorkPool::Do(const std::string& client, std::function<void()> work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto place = clients_.try_emplace(client).first;
  if (place->second.waiting.empty()) turns_.push_back(place);
  place->second.waiting.push_back(std::move(work));
  changed_.notify_one();
}

WorkPool::Clients::iterator WorkPool::Next() {
  if (active_ >= active_limit_) return clients_.end();
  for (auto turn = turns_.begin(); turn != turns_.end(); ++turn) {
    const Clients::iterator client = *turn;
    if (client->second.active >= client_limit_) continue;
    turns_.erase(turn);
    if (client->second.waiting.size() > 1) turns_.push_back(client);
    return client;
  }
  return clients_.end();
}

void WorkPool::Release(Clients::iterator client) {
  --active_;
  if (--client->second.active == 0 && client->second.waiting.empty()) clients_.erase(client);
  changed_.notify_one();
}

void WorkPool::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    Clients::iterator client;
    changed_.wait(lock, [&] {
      client = Next();
      return client != clients_.end() || (joining_ && running_ == 0 && turns_.empty());
    });
    if (client == clients_.end()) break;
    std::function<void()> work = std::move(client->second.waiting.front());
    client->second.waiting.pop_front();
    ++active_;
    ++running_;
    ++client->second.active;
    Current::of_thread = {this, client};
    lock.unlock();
    work();
    work = nullptr;  // may destroy objects that use the pool
    lock.lock();
    --running_;
    if (Current::of_thread.pool != nullptr) Release(client);
  }
  changed_.notify_all();
}

void WorkPool::StepAside() {
  WorkPool* const pool = std::exchange(Current::of_thread.pool, nullptr);
  if (pool == nullptr) return;
  const std::lock_guard<std::mutex> lock(pool->mutex_);
  pool->Release(Current::of_thread.client);
}

void WorkPool::Join() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    joining_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace rewrought::rpc
