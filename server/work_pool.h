// A pool of threads that do the service's work. A call that waits for a client or a run does not occupy a thread.
#ifndef REWROUGHT_SERVER_WORK_POOL_H_
#define REWROUGHT_SERVER_WORK_POOL_H_

#include <functional>
#include <memory>

namespace rewrought::rpc {

class WorkPool {
 public:
  explicit WorkPool(int threads);
  ~WorkPool();  // calls Join
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // Runs `work` on one of the threads. Work starts in the order of the calls to Do. Thread-safe.
  void Do(std::function<void()> work);

  // Returns when all work is done. Do must not be called afterwards.
  void Join();

 private:
  struct Threads;
  const std::unique_ptr<Threads> threads_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_WORK_POOL_H_
