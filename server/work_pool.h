// A pool of threads that do the service's work. Clients take turns, and only a few pieces of work use the processor at
// the same time, so a client with much work does not delay the others. A call that waits for its client or for a run
// does not occupy a thread.
#ifndef REWROUGHT_SERVER_WORK_POOL_H_
#define REWROUGHT_SERVER_WORK_POOL_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rewrought::rpc {

class WorkPool {
 public:
  // At most `active` pieces of work run at the same time, at most half of them for one client, and up to
  // `threads - active` pieces of work may have stepped aside.
  WorkPool(int threads, int active);
  ~WorkPool();  // calls Join
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // Runs `work` on one of the threads. The work of one client starts in the order of the calls to Do. Thread-safe.
  void Do(const std::string& client, std::function<void()> work);

  // Tells the pool that the remainder of the caller's work waits for something or is bounded in another way, so that
  // other work can start. Has no effect on threads that do not belong to a pool.
  static void StepAside();

  // Returns when all work is done. Do must not be called afterwards.
  void Join();

 private:
  struct Client {
    std::deque<std::function<void()>> waiting;
    int active = 0;
  };
  using Clients = std::map<std::string, Client>;
  struct Current;

  void Run();
  Clients::iterator Next();                // returns the client whose turn it is, or end(); requires the mutex
  void Release(Clients::iterator client);  // requires the mutex

  const int active_limit_, client_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Clients clients_;                     // the clients with waiting or active work
  std::list<Clients::iterator> turns_;  // the clients with waiting work, in the order of their turns
  int active_ = 0, running_ = 0;        // excluding, and including, work that has stepped aside
  bool joining_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_WORK_POOL_H_
