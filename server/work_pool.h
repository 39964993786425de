// The threads on which the service works. Who waits for a client or for a run holds none of them.
#ifndef REWROUGHT_SERVER_WORK_POOL_H_
#define REWROUGHT_SERVER_WORK_POOL_H_

#include <functional>
#include <memory>

namespace rewrought::rpc {

class WorkPool {
 public:
  explicit WorkPool(int threads);
  ~WorkPool();  // Join
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // Has a thread do it, in the order of arrival. Thread-safe.
  void Do(std::function<void()> work);

  // Returns when all that was given is done; nothing may be given afterwards.
  void Join();

 private:
  struct Threads;
  const std::unique_ptr<Threads> threads_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_WORK_POOL_H_
