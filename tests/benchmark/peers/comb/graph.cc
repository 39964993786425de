#include "tests/benchmark/peers/comb/graph.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_set.h"

namespace rewrought::peers {
namespace {

constexpr uint8_t kUnnamed = 0xff;

bool IsStep(uint8_t source) { return source >= kFirstStep; }
int StepOf(uint8_t source) { return source - kFirstStep; }
uint8_t SourceOf(int step) { return static_cast<uint8_t>(kFirstStep + step); }

// Enumerates all orders of a graph's steps and of their sources, and keeps the smallest text.
class KeyFinder {
 public:
  KeyFinder(const Graph& graph, absl::Span<const CombOp> ops, bool rename) : graph_(graph), ops_(ops) {
    for (uint8_t i = 0; i < kFirstStep; ++i) inputs_[i] = rename ? kUnnamed : i;
    placed_.fill(kUnnamed);
  }

  std::string Find() {
    Place(0, 0);
    return best_;
  }

 private:
  void Place(int count, uint8_t named) {
    if (count == graph_.size) {
      if (best_.empty() || text_ < best_) best_ = text_;
      return;
    }
    for (int step = 0; step < graph_.size; ++step) {
      const Step& chosen = graph_.steps[static_cast<size_t>(step)];
      const int sources = ops_[chosen.op].sources;
      if (placed_[static_cast<size_t>(step)] != kUnnamed) continue;
      const bool ready = std::all_of(chosen.sources.begin(), chosen.sources.begin() + sources, [&](uint8_t source) {
        return !IsStep(source) || placed_[static_cast<size_t>(StepOf(source))] != kUnnamed;
      });
      if (ready) PlaceStep(step, count, named);
    }
  }

  // Places the step with each permitted order of its sources.
  void PlaceStep(int step, int count, uint8_t named) {
    const Step& chosen = graph_.steps[static_cast<size_t>(step)];
    const CombOp& op = ops_[chosen.op];
    std::array<uint8_t, kMostSources> order = {0, 1, 2};
    const auto end = order.begin() + op.sources;
    do {
      bool allowed = true;
      for (int i = 0; i < op.sources; ++i)
        allowed = allowed && op.alike[static_cast<size_t>(i)] == op.alike[order[static_cast<size_t>(i)]];
      if (!allowed) continue;
      const size_t length = text_.size();
      const auto inputs = inputs_;
      uint8_t names = named;
      text_.push_back(static_cast<char>(chosen.op));
      for (int i = 0; i < op.sources; ++i) {
        const uint8_t source = chosen.sources[order[static_cast<size_t>(i)]];
        if (!IsStep(source) && inputs_[source] == kUnnamed) inputs_[source] = names++;
        text_.push_back(static_cast<char>(IsStep(source) ? SourceOf(placed_[static_cast<size_t>(StepOf(source))])
                                                         : inputs_[source]));
      }
      placed_[static_cast<size_t>(step)] = static_cast<uint8_t>(count);
      if (best_.empty() || text_.compare(0, text_.size(), best_, 0, text_.size()) <= 0) Place(count + 1, names);
      placed_[static_cast<size_t>(step)] = kUnnamed;
      inputs_ = inputs;
      text_.resize(length);
    } while (std::next_permutation(order.begin(), end));
  }

  const Graph& graph_;
  const absl::Span<const CombOp> ops_;
  std::array<uint8_t, kFirstStep> inputs_;
  std::array<uint8_t, kMostSteps> placed_;
  std::string text_, best_;
};

// Enumerates the graphs whose inputs are first read in ascending order, by adding steps in all possible ways.
class GraphLister {
 public:
  GraphLister(absl::Span<const CombOp> ops, int size) : ops_(ops), size_(size) {}

  std::vector<Graph> List() {
    AddStep();
    return std::move(found_);
  }

 private:
  void AddStep() {
    if (graph_.size == size_) {
      if (graph_.inputs > 0 && unread_ == 1u << (size_ - 1) && keys_.insert(KeyOf(graph_, ops_)).second)
        found_.push_back(graph_);
      return;
    }
    for (size_t op = 0; op < ops_.size(); ++op) {
      graph_.steps[graph_.size] = {static_cast<uint8_t>(op), {}};
      AddSource(0, unread_);
    }
  }

  void AddSource(int source, uint32_t unread) {
    Step& step = graph_.steps[graph_.size];
    if (source == ops_[step.op].sources) {
      const uint32_t before = unread_;
      const Step kept = step;
      unread_ = unread | 1u << graph_.size;
      ++graph_.size;
      AddStep();
      --graph_.size;
      unread_ = before;
      step = kept;
      return;
    }
    const uint8_t known = graph_.inputs;
    for (uint8_t input = 0; input <= known && input < kMostInputs; ++input) {
      graph_.inputs = std::max<uint8_t>(known, input + 1);
      step.sources[static_cast<size_t>(source)] = input;
      AddSource(source + 1, unread);
      graph_.inputs = known;
    }
    for (int other = 0; other < graph_.size; ++other) {
      step.sources[static_cast<size_t>(source)] = SourceOf(other);
      AddSource(source + 1, unread & ~(1u << other));
    }
  }

  const absl::Span<const CombOp> ops_;
  const int size_;
  Graph graph_;
  uint32_t unread_ = 0;  // bit i: no step reads step i yet
  absl::flat_hash_set<std::string> keys_;
  std::vector<Graph> found_;
};

void AddPartitions(const Graph& graph, absl::Span<const CombOp> ops, uint32_t left, std::vector<Graph>* parts,
                   std::vector<std::vector<Graph>>* all) {
  if (left == 0) {
    if (parts->size() > 1) all->push_back(*parts);
    return;
  }
  const uint32_t first = left & -left;
  for (uint32_t others = left & ~first;; others = (others - 1) & left & ~first) {
    Graph part;
    std::vector<uint8_t> sources;
    if (TakePart(graph, ops, first | others, &part, &sources)) {
      parts->push_back(part);
      AddPartitions(graph, ops, left & ~first & ~others, parts, all);
      parts->pop_back();
    }
    if (others == 0) break;
  }
}

}  // namespace

std::string KeyOf(const Graph& graph, absl::Span<const CombOp> ops) { return KeyFinder(graph, ops, true).Find(); }

std::string KeyWithInputs(const Graph& graph, absl::Span<const CombOp> ops) {
  return KeyFinder(graph, ops, false).Find();
}

bool TakePart(const Graph& graph, absl::Span<const CombOp> ops, uint32_t members, Graph* part,
              std::vector<uint8_t>* sources) {
  sources->clear();
  uint32_t outputs = members & 1u << (graph.size - 1);
  std::array<uint8_t, kFirstStep + kMostSteps> names;
  names.fill(kUnnamed);
  *part = Graph();
  for (int i = 0; i < graph.size; ++i) {
    const Step& step = graph.steps[static_cast<size_t>(i)];
    const bool inside = (members >> i & 1) != 0;
    Step copy = step;
    for (int j = 0; j < ops[step.op].sources; ++j) {
      const uint8_t source = step.sources[static_cast<size_t>(j)];
      if (!inside) {
        if (IsStep(source)) outputs |= members & 1u << StepOf(source);
        continue;
      }
      if (names[source] == kUnnamed) {
        names[source] = part->inputs++;
        sources->push_back(source);
      }
      copy.sources[static_cast<size_t>(j)] = names[source];
    }
    if (!inside) continue;
    names[SourceOf(i)] = SourceOf(part->size);
    part->steps[part->size++] = copy;
  }
  return (outputs & (outputs - 1)) == 0 && part->inputs <= kMostInputs;
}

std::vector<Graph> AllGraphs(absl::Span<const CombOp> ops, int size) { return GraphLister(ops, size).List(); }

std::vector<uint8_t> OpsOf(const Graph& graph) {
  std::vector<uint8_t> ops;
  for (int i = 0; i < graph.size; ++i) ops.push_back(graph.steps[static_cast<size_t>(i)].op);
  std::sort(ops.begin(), ops.end());
  return ops;
}

std::vector<std::vector<Graph>> PartsOf(const Graph& graph, absl::Span<const CombOp> ops) {
  std::vector<std::vector<Graph>> all;
  std::vector<Graph> parts;
  AddPartitions(graph, ops, (1u << graph.size) - 1, &parts, &all);
  return all;
}

std::vector<Graph> Generalizations(const Graph& graph, absl::Span<const CombOp> ops) {
  std::vector<Graph> all;
  if (graph.inputs == kMostInputs) return all;
  for (uint8_t input = 0; input < graph.inputs; ++input) {
    std::vector<uint8_t*> reads;
    Graph copy = graph;
    for (int i = 0; i < graph.size; ++i) {
      Step& step = copy.steps[static_cast<size_t>(i)];
      for (int j = 0; j < ops[step.op].sources; ++j) {
        if (step.sources[static_cast<size_t>(j)] == input) reads.push_back(&step.sources[static_cast<size_t>(j)]);
      }
    }
    copy.inputs = graph.inputs + 1;
    for (uint32_t other = 1; other + 1 < 1u << reads.size(); ++other) {  // all splits in which both inputs are read
      for (size_t i = 0; i < reads.size(); ++i) *reads[i] = (other >> i & 1) != 0 ? graph.inputs : input;
      all.push_back(copy);
    }
  }
  return all;
}

std::vector<uint8_t> ValuesOf(const Graph& graph, absl::Span<const CombOp> ops,
                              absl::Span<const std::vector<uint8_t>> inputs, size_t lanes) {
  std::vector<std::vector<uint8_t>> values(graph.size, std::vector<uint8_t>(lanes));
  for (size_t i = 0; i < graph.size; ++i) {
    const Step& step = graph.steps[i];
    const CombOp& op = ops[step.op];
    std::array<const uint8_t*, kMostSources> sources = {};
    for (size_t j = 0; j < static_cast<size_t>(op.sources); ++j) {
      const uint8_t source = step.sources[j];
      sources[j] = IsStep(source) ? values[static_cast<size_t>(StepOf(source))].data() : inputs[source].data();
    }
    for (size_t lane = 0; lane < lanes; ++lane) {
      size_t index = 0;
      for (size_t j = 0; j < static_cast<size_t>(op.sources); ++j) index = index << kTableBits | sources[j][lane];
      values[i][lane] = op.results[index];
    }
  }
  return std::move(values.back());
}

std::vector<std::vector<uint8_t>> AllValues(int inputs) {
  const size_t lanes = size_t{1} << (kTableBits * inputs);
  std::vector<std::vector<uint8_t>> values(static_cast<size_t>(inputs), std::vector<uint8_t>(lanes));
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t lane = 0; lane < lanes; ++lane)
      values[i][lane] = static_cast<uint8_t>(lane >> (kTableBits * i) & ((1u << kTableBits) - 1));
  }
  return values;
}

bool SameFunction(const Graph& a, absl::Span<const CombOp> a_ops, const Graph& b, absl::Span<const CombOp> b_ops,
                  int inputs) {
  const std::vector<std::vector<uint8_t>> values = AllValues(inputs);
  const size_t lanes = values.empty() ? 1 : values[0].size();
  return ValuesOf(a, a_ops, values, lanes) == ValuesOf(b, b_ops, values, lanes);
}

}  // namespace rewrought::peers
