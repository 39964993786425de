// Runs verification in the background. Urgent work, such as the rule that a user is editing, interrupts other work.
#ifndef REWROUGHT_LSP_WORK_QUEUE_H_
#define REWROUGHT_LSP_WORK_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace rewrought::lsp {

struct WorkItem {
  std::string key;  // identifies the work among the items of its owner
  // Must return soon after a stop is requested. May run again after it was stopped.
  std::function<void(std::stop_token)> run;
};

class WorkQueue {
 public:
  // `idle` is called, without a lock, each time the last item has ended.
  WorkQueue(int threads, std::function<void()> idle);
  // Stops the running items and drops the others.
  ~WorkQueue();

  // Replaces all items of `owner`. Urgent items run before all other items, and stop items that are not urgent if no
  // thread is idle; a stopped item runs again later. The other items of the owner that called last run first. A running
  // item of this owner continues if one of the lists has its key; otherwise, it is stopped and dropped.
  void Replace(const std::string& owner, std::vector<WorkItem> urgent, std::vector<WorkItem> others);

  // Stops and drops all items of `owner`.
  void Drop(const std::string& owner) { Replace(owner, {}, {}); }

  // Returns the number of items of `owner` that have not ended.
  size_t Remaining(const std::string& owner) const;

 private:
  struct Waiting {
    std::string owner;
    WorkItem item;
  };
  struct Running {
    std::string owner;
    WorkItem item;
    bool urgent = false, dropped = false, preempted = false;
    std::stop_source stop = {};
  };

  void Work();
  // Moves the next item to `running_`. Returns running_.end() if no item is waiting.
  std::list<Running>::iterator TakeNext();
  void Preempt();

  const std::function<void()> idle_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::deque<Waiting> urgent_;
  std::map<std::string, std::deque<WorkItem>> others_;  // by owner
  std::vector<std::string> owners_;                     // the most recent caller of Replace is last
  std::list<Running> running_;
  std::vector<std::thread> threads_;
};

}  // namespace rewrought::lsp

#endif  // REWROUGHT_LSP_WORK_QUEUE_H_
