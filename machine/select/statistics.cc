#include "machine/select/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "machine/cost.h"

namespace rewrought::machine::select {
namespace {

struct Lifetime {
  int first = -1, last = -1;  // Step positions, counted over all blocks in order.
  uint32_t block = 0;         // The block of the definition.
};

class Lifetimes {
 public:
  explicit Lifetimes(const Selection& selection) : s_(selection), of_(selection.values.size()) {
    int position = 0;
    for (size_t b = 0; b < s_.blocks.size(); ++b) {
      starts_.push_back(position);
      for (const Step& step : s_.blocks[b].steps) Take(step, static_cast<uint32_t>(b), position++);
      ++position;  // Give an empty block a position, too.
    }
    starts_.push_back(position);
    for (const auto& [value, block] : reads_) Extend(value, block);
  }

  int Peak() const {
    std::vector<int> change(static_cast<size_t>(starts_.back()) + 2, 0);
    for (size_t v = 0; v < of_.size(); ++v) {
      if (of_[v].first < 0 || s_.values[v].uniform) continue;
      // A value is live from its definition to its last reader. An unused value is live only when it is written.
      change[of_[v].first] += s_.values[v].units;
      change[std::max(of_[v].last, of_[v].first + 1)] -= s_.values[v].units;
    }
    int alive = 0, peak = 0;
    for (const int by : change) peak = std::max(peak, alive += by);
    return peak;
  }

 private:
  void Take(const Step& step, uint32_t block, int position) {
    for (const ValueId value : step.reads) {
      of_[value].last = std::max(of_[value].last, position);
      if (of_[value].first >= 0 && of_[value].block != block) reads_.emplace_back(value, block);
    }
    for (const ValueId value : step.defines) {
      if (of_[value].first < 0) of_[value].first = position, of_[value].block = block;
      of_[value].last = std::max(of_[value].last, position);
    }
  }

  // Extends a value that is defined outside the loops around `block` to the end of these loops.
  void Extend(ValueId value, uint32_t block) {
    const int outside = s_.blocks[of_[value].block].loop_depth;
    if (s_.blocks[block].loop_depth <= outside) return;
    size_t end = block;
    while (end + 1 < s_.blocks.size() && s_.blocks[end + 1].loop_depth > outside) ++end;
    of_[value].last = std::max(of_[value].last, starts_[end + 1] - 1);
  }

  const Selection& s_;
  std::vector<Lifetime> of_;
  std::vector<int> starts_;
  std::vector<std::pair<ValueId, uint32_t>> reads_;
};

void AddRegisters(const Selection& selection, Statistics* out) {
  out->register_peak = Lifetimes(selection).Peak();
  const auto& files = selection.machine->description().register_files();
  if (files.empty()) return;
  out->register_limit = static_cast<int>(files[0].count());
  for (const v1::OccupancyStep& step : files[0].occupancy()) {
    out->threads = static_cast<int>(step.threads());
    if (static_cast<uint32_t>(out->register_peak) <= step.max_units()) break;
  }
}

}  // namespace

Statistics StatisticsOf(const Selection& selection, bool constants_free) {
  Statistics out;
  const ScalarShader& scalar = selection.scalar;
  for (ir::NodeIndex n = 0; n < scalar.shader.values.nodes.size(); ++n) {
    out.nodes += scalar.shader.values.at(n).kind == ir::NodeKind::kOp && scalar.uses[n] > 0 ? 1 : 0;
  }
  out.uncovered = selection.cover.uncovered;
  for (const SelectedBlock& block : selection.blocks) {
    for (const Step& step : block.steps) {
      if (step.opaque) {
        ++out.opaque;
        continue;
      }
      if (constants_free && LoadsConstant(step)) continue;
      const CostClass& cost = *step.code.variant->cost;
      out.instructions += static_cast<uint64_t>(cost.instructions);
      out.code_bytes += static_cast<uint64_t>(InstructionBytes(*selection.machine, step.code));
      out.issue_cycles += cost.issue_cycles;
      out.issue_by_pipe[cost.pipe] += cost.issue_cycles;
    }
    const Timing timing = TimeBlock(block);
    out.cycles += timing.cycles;
    out.weighted_cycles += timing.cycles * std::pow(kLoopWeight, std::min(block.loop_depth, 8));
    out.idle += timing.idle;
    for (const auto& [pipe, idle] : timing.idle_by_pipe) out.idle_by_pipe[pipe] += idle;
    out.critical_path = std::max(out.critical_path, timing.critical_path);
    out.depth = std::max(out.depth, timing.depth);
  }
  AddRegisters(selection, &out);
  return out;
}

}  // namespace rewrought::machine::select
