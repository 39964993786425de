// Bounds the memory that the requests of all connections occupy before a handler sees them. A connection may hold at
// most as many bytes as are still free, so any number of greedy connections leaves room for a new one.
#ifndef REWROUGHT_SERVER_ACCESS_MEMORY_BUDGET_H_
#define REWROUGHT_SERVER_ACCESS_MEMORY_BUDGET_H_

#include <atomic>
#include <cstddef>

namespace rewrought::rpc {

// Thread-safe. Must outlive its accounts.
class MemoryBudget {
 public:
  explicit MemoryBudget(size_t bytes) : bytes_(bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // The bytes that one connection holds. The destructor releases them. Only one thread at a time may use an account.
  class Account {
   public:
    explicit Account(MemoryBudget* budget) : budget_(budget) {}
    ~Account() { Return(held_); }
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;

    // Takes `bytes`. Takes nothing and returns false if the account would then hold more bytes than are free.
    bool Take(size_t bytes) {
      const size_t used = budget_->used_.fetch_add(bytes) + bytes;
      if (used > budget_->bytes_ || held_ + bytes > budget_->bytes_ - used) {
        budget_->used_ -= bytes;
        return false;
      }
      held_ += bytes;
      return true;
    }
    void Return(size_t bytes) {
      held_ -= bytes;
      budget_->used_ -= bytes;
    }
    size_t held() const { return held_; }

   private:
    MemoryBudget* const budget_;
    size_t held_ = 0;
  };

  size_t used() const { return used_; }

 private:
  const size_t bytes_;
  std::atomic<size_t> used_{0};
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_MEMORY_BUDGET_H_
