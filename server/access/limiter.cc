#include "server/access/limiter.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace rewrought::rpc {

absl::StatusOr<Limiter::Pass> Limiter::Enter(std::stop_token stop, const std::string& client) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto [place, added] = clients_.try_emplace(client);
  Client& state = place->second;
  if (added) state.turn = 2 * turns_ - 1;  // before the client that has just had its turn, but after all others
  if (options_.client_calls > 0 && !client.empty() && state.calls >= options_.client_calls) {
    return absl::ResourceExhaustedError(
        absl::StrCat(options_.client_calls, " ", options_.what, " already; try again when one has ended"));
  }
  // Calls wait while slots are free only if the clients of all waiting calls have reached client_running.
  if (free_ > 0 && MayRun(client, state)) {
    ++state.calls;
    ++state.running;
    --free_;
    state.turn = 2 * ++turns_;
    return Pass(this, client);
  }
  if (waiting_ >= options_.waiting) {
    if (added) clients_.erase(place);
    return absl::ResourceExhaustedError(
        "the server has reached its limit on concurrent calls; try again in a few seconds");
  }
  ++state.calls;
  Waiter waiter;
  state.waiting.push_back(&waiter);
  ++waiting_;
  if (waiter.turn.wait(lock, stop, [&] { return waiter.admitted; })) return Pass(this, client);
  --waiting_;
  std::erase(state.waiting, &waiter);
  Forget(client);
  return absl::CancelledError("the call ended while it was waiting for its turn");
}

bool Limiter::MayRun(const std::string& name, const Client& client) const {
  return options_.client_running == 0 || name.empty() || client.running < options_.client_running;
}

void Limiter::Admit() {
  while (free_ > 0 && waiting_ > 0) {
    const auto place = [](const Client& client) { return std::tuple(client.running, client.turn); };
    Client* next = nullptr;
    for (auto& [name, client] : clients_) {
      if (client.waiting.empty() || !MayRun(name, client)) continue;
      if (next == nullptr || place(client) < place(*next)) next = &client;
    }
    if (next == nullptr) return;
    Waiter* const waiter = next->waiting.front();
    next->waiting.pop_front();
    --waiting_;
    --free_;
    ++next->running;
    next->turn = 2 * ++turns_;
    waiter->admitted = true;
    waiter->turn.notify_one();
  }
}

void Limiter::Forget(const std::string& name) {
  const auto found = clients_.find(name);
  if (--found->second.calls == 0) clients_.erase(found);
}

void Limiter::Leave(const std::string& client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++free_;
  --clients_.at(client).running;
  Forget(client);
  Admit();
}

}  // namespace rewrought::rpc
