#include "lsp/work_queue.h"

#include <algorithm>
#include <utility>

namespace rewrought::lsp {

WorkQueue::WorkQueue(int threads, std::function<void()> idle) : idle_(std::move(idle)) {
  for (int i = 0; i < std::max(1, threads); ++i) threads_.emplace_back([this] { Work(); });
}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
    for (Running& one : running_) one.stop.request_stop();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkQueue::Replace(const std::string& owner, std::vector<WorkItem> urgent, std::vector<WorkItem> others) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Running& one : running_) {
      if (one.owner != owner) continue;
      const auto is_same = [&](const WorkItem& item) { return item.key == one.item.key; };
      const bool in_urgent = std::erase_if(urgent, is_same) > 0, in_others = std::erase_if(others, is_same) > 0;
      if ((in_urgent || in_others) && !one.stop.stop_requested()) {
        one.urgent = in_urgent;
        continue;
      }
      one.dropped = true;
      one.stop.request_stop();
    }
    std::erase_if(urgent_, [&](const Waiting& waiting) { return waiting.owner == owner; });
    for (WorkItem& item : urgent) urgent_.push_back({owner, std::move(item)});
    std::erase(owners_, owner);
    others_.erase(owner);
    if (!others.empty()) {
      owners_.push_back(owner);
      others_[owner].assign(std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    }
    Preempt();
  }
  changed_.notify_all();
}

void WorkQueue::Preempt() {
  size_t free = threads_.size() - std::min(threads_.size(), running_.size());
  for (const Running& one : running_) free += one.preempted || one.dropped ? 1 : 0;
  for (Running& one : running_) {
    if (free >= urgent_.size()) return;
    if (one.urgent || one.preempted || one.dropped) continue;
    one.preempted = true;
    one.stop.request_stop();
    ++free;
  }
}

size_t WorkQueue::Remaining(const std::string& owner) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = others_.find(owner);
  size_t count = found == others_.end() ? 0 : found->second.size();
  for (const Waiting& one : urgent_) count += one.owner == owner ? 1 : 0;
  for (const Running& one : running_) count += one.owner == owner && !one.dropped ? 1 : 0;
  return count;
}

std::list<WorkQueue::Running>::iterator WorkQueue::TakeNext() {
  if (!urgent_.empty()) {
    Waiting next = std::move(urgent_.front());
    urgent_.pop_front();
    return running_.insert(running_.end(), {std::move(next.owner), std::move(next.item), true});
  }
  if (owners_.empty()) return running_.end();
  const std::string owner = owners_.back();
  std::deque<WorkItem>& items = others_[owner];
  const auto running = running_.insert(running_.end(), {owner, std::move(items.front())});
  items.pop_front();
  if (items.empty()) {
    others_.erase(owner);
    owners_.pop_back();
  }
  return running;
}

void WorkQueue::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ending_) {
    const std::list<Running>::iterator running = TakeNext();
    if (running == running_.end()) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    running->item.run(running->stop.get_token());
    lock.lock();
    if (running->preempted && !running->dropped) {
      if (!others_.contains(running->owner)) owners_.insert(owners_.begin(), running->owner);
      others_[running->owner].push_front(std::move(running->item));
    }
    running_.erase(running);
    if (!running_.empty() || !urgent_.empty() || !owners_.empty()) continue;
    lock.unlock();
    idle_();
    lock.lock();
  }
}

}  // namespace rewrought::lsp
