#include "server/work_pool.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <utility>

namespace rewrought::rpc {

struct WorkPool::Threads {
  explicit Threads(int count) : pool(static_cast<size_t>(count)) {}
  boost::asio::thread_pool pool;
};

WorkPool::WorkPool(int threads) : threads_(std::make_unique<Threads>(threads)) {}

WorkPool::~WorkPool() { Join(); }

void WorkPool::Do(std::function<void()> work) { boost::asio::post(threads_->pool, std::move(work)); }

void WorkPool::Join() { threads_->pool.join(); }

}  // namespace rewrought::rpc
