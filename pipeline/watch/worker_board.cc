#include "pipeline/watch/worker_board.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace rewrought::pipeline {

WorkerBoard* WorkerBoard::OfProcess() {
  static WorkerBoard& board = *new WorkerBoard;
  return &board;
}

WorkerBoard::Worker::Worker(WorkerBoard* board, std::string name)
    : board_(board), id_([&] {
        const std::lock_guard<std::mutex> lock(board->mutex_);
        const uint64_t id = board->next_++;
        Entry& entry = board->entries_[id];
        entry.state.name = std::move(name);
        entry.since = board->now_();
        return id;
      }()) {}

WorkerBoard::Worker::~Worker() {
  const std::lock_guard<std::mutex> lock(board_->mutex_);
  board_->entries_.erase(id_);
}

void WorkerBoard::Change(uint64_t id, const std::function<void(State*)>& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[id];
  change(&entry.state);
  entry.since = now_();
}

void WorkerBoard::Worker::Begin(std::string what) {
  board_->Change(id_, [&](State* state) {
    state->idle = false;
    state->what = std::move(what);
  });
}

void WorkerBoard::Worker::Result() {
  board_->Change(id_, [](State* state) { ++state->results; });
}

void WorkerBoard::Worker::Idle() {
  board_->Change(id_, [](State* state) {
    state->idle = true;
    state->what.clear();
  });
}

std::vector<WorkerBoard::State> WorkerBoard::All() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Clock::time_point now = now_();
  std::vector<State> states;
  for (const auto& [id, entry] : entries_) {
    states.push_back(entry.state);
    states.back().seconds = std::chrono::duration<double>(now - entry.since).count();
  }
  return states;
}

std::vector<WorkerBoard::State> WorkerBoard::Starved(double seconds) const {
  std::vector<State> states = All();
  std::erase_if(states, [&](const State& state) { return state.seconds < seconds; });
  std::stable_sort(states.begin(), states.end(), [](const State& a, const State& b) { return a.seconds > b.seconds; });
  return states;
}

std::string StarvedText(const std::vector<WorkerBoard::State>& starved) {
  return absl::StrJoin(starved, "; ", [](std::string* out, const WorkerBoard::State& state) {
    absl::StrAppendFormat(out, "%s: %s for %.0f s", state.name, state.idle ? "nothing to do" : "no result",
                          state.seconds);
    if (!state.what.empty()) absl::StrAppend(out, ", at ", state.what);
  });
}

}  // namespace rewrought::pipeline
