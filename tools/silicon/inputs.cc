#include "tools/silicon/inputs.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "ir/scalar.h"
#include "verifier/boundary_lanes.h"

namespace rewrought::silicon {
namespace {

// Generates random numbers with splitmix64. It is a bijection of the counter, so streams with different seeds rarely
// overlap.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t operator()() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }

 private:
  uint64_t state_;
};

constexpr uint64_t k16 = 1u << 16;
constexpr uint64_t kLowHalves[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
// The number of ways to convert a 16-bit value to a word: as the upper half above each of kLowHalves, as a widened
// half-precision float, and sign-extended.
constexpr uint64_t kWidenings = std::size(kLowHalves) + 2;

uint64_t Widened(uint64_t way, uint64_t value16) {
  if (way < std::size(kLowHalves)) return value16 << 16 | kLowHalves[way];
  if (way > std::size(kLowHalves)) return static_cast<uint64_t>(ir::SignExtend(value16, 16)) & ir::MaskOf(32);
  return ir::EvaluatePrimitive(ir::Primitive::kF2f, 32, 16, 0, value16, 0, 0);
}

// Returns words at which operations change their behavior: floats near zero, denormals, one, integer limits, infinity
// and NaN, integers near zero, byte and word boundaries, and shift counts.
std::vector<uint64_t> EdgeWords(bool all) {
  std::set<uint64_t> words;
  const auto both = [&](uint64_t word) {
    words.insert(word);
    words.insert(word ^ 0x80000000u);
  };
  for (const uint64_t word : {0x00000000u, 0x00000001u, 0x007fffffu, 0x00800000u, 0x3f800000u, 0x7f7fffffu, 0x7f800000u,
                              0x7f800001u, 0x7fc00000u, 0x4f000000u, 0x00000020u}) {
    both(word);
  }
  words.insert(0xffffffffu);
  if (!all) return {words.begin(), words.end()};
  for (const uint64_t word :
       {0x00000002u, 0x00400000u, 0x007ffffeu, 0x00800001u, 0x00ffffffu, 0x01000000u, 0x0c000000u, 0x1fffffffu,
        0x20000000u, 0x20000001u, 0x33800000u, 0x34000000u, 0x3effffffu, 0x3f000000u, 0x3f000001u, 0x3f7fffffu,
        0x3f800001u, 0x3fc00000u, 0x40000000u, 0x40200000u, 0x40490fdbu, 0x40c90fdbu, 0x4b000000u, 0x4b000001u,
        0x4b7fffffu, 0x4b800000u, 0x4effffffu, 0x4f7fffffu, 0x4f800000u, 0x5f3504f3u, 0x5f800000u, 0x7e800000u,
        0x7f000000u, 0x7f7ffffeu, 0x7fbfffffu, 0x7fc12345u, 0x7fffffffu}) {
    both(word);
  }
  for (uint32_t bit = 0; bit < 32; bit += 4) {
    const uint64_t power = uint64_t{1} << bit;
    for (const uint64_t word : {power - 1, power, power + 1, ~power & 0xffffffffu}) words.insert(word);
  }
  for (const uint64_t word : {3u, 5u, 24u, 31u, 33u, 63u, 64u, 0x01010101u, 0x7f7f7f7fu, 0x80808080u, 0x55555555u}) {
    words.insert(word);
  }
  return {words.begin(), words.end()};
}

uint64_t HashOf(const std::string& text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325ull ^ seed;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3ull;
  return hash;
}

// Returns a float whose exponent is `exponent` or up to 3 larger, with a random sign.
uint64_t Near(uint64_t exponent, uint64_t bits) {
  return (bits & 0x807fffffu) | std::min<uint64_t>(exponent + (bits >> 40 & 3), 0xff) << 23;
}

}  // namespace

Lanes::Lanes(const Case& one, const ir::Dag* dag, std::vector<ir::ValueIndex> roots, uint64_t seed, uint64_t wanted)
    : inputs_(one.inputs), dag_(dag), roots_(std::move(roots)), seed_(HashOf(one.name(), seed)) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].bits == 32) words_.push_back(i);
  }
  long_list_ = EdgeWords(true);
  short_list_ = EdgeWords(false);
  const uint64_t all = long_list_.size(), few = short_list_.size();
  exhaustive_ = words_.empty();
  if (exhaustive_) {
    edges_ = uint64_t{1} << inputs_.size();
  } else if (words_.size() == 1) {
    edges_ = all + k16 * kWidenings;
  } else if (words_.size() == 2) {
    edges_ = all * all + 2 * k16 * few * 2;
  } else {
    edges_ = few * few * few + 3 * k16 * few;
  }
  count_ = exhaustive_ ? std::min(edges_, wanted) : wanted;
  const uint64_t whole_groups = (edges_ + kLaneGroup - 1) / kLaneGroup * kLaneGroup;
  shown_edges_ = exhaustive_ ? count_ : std::min(whole_groups, wanted / 2 / kLaneGroup * kLaneGroup);
}

// Sets `values` to edge case number `lane`. The first edge cases combine values of the lists. In the rest, one word
// takes widened 16-bit values, and the other words take values of the short list.
void Lanes::Edge(uint64_t lane, std::vector<uint64_t>* values) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].bits == 1) (*values)[i] = (exhaustive_ ? lane >> i : lane >> (i % 3)) & 1;
  }
  if (exhaustive_) return;
  const uint64_t all = long_list_.size(), few = short_list_.size();
  if (words_.size() == 1) {
    const uint64_t rest = lane - all;
    (*values)[words_[0]] = lane < all ? long_list_[lane] : Widened(rest / k16, rest % k16);
  } else if (words_.size() == 2 && lane < all * all) {
    (*values)[words_[0]] = long_list_[lane % all];
    (*values)[words_[1]] = long_list_[lane / all];
  } else if (words_.size() == 2) {
    uint64_t rest = lane - all * all;
    const uint64_t value = rest % k16;
    rest /= k16;
    const uint64_t place = rest % 2, way = rest / 2 % 2 == 0 ? std::size(kLowHalves) : 0;
    (*values)[words_[place]] = Widened(way, value);
    (*values)[words_[1 - place]] = short_list_[rest / 4];
  } else if (lane < few * few * few) {
    for (const size_t word : words_) {
      (*values)[word] = short_list_[lane % few];
      lane /= few;
    }
  } else {
    uint64_t rest = lane - few * few * few;
    const uint64_t value = rest % k16;
    rest /= k16;
    const uint64_t place = rest % 3;
    rest /= 3;
    (*values)[words_[place]] = Widened(value % 2 == 0 ? std::size(kLowHalves) : 0, value);
    (*values)[words_[(place + 1) % 3]] = short_list_[rest];
    (*values)[words_[(place + 2) % 3]] = short_list_[(rest * 7 + value) % few];
  }
}

void Lanes::OnBoundaries(uint64_t seed, std::vector<std::vector<uint64_t>>* values) const {
  if (dag_ == nullptr || dag_->inputs().empty()) return;
  ir::BatchLeaves leaves;
  std::vector<size_t> from(dag_->inputs().size());
  for (size_t i = 0; i < from.size(); ++i) {
    while (from[i] < inputs_.size() && inputs_[from[i]].name != dag_->inputs()[i].name) ++from[i];
    if (from[i] == inputs_.size()) return;
    leaves.inputs.push_back((*values)[from[i]]);
  }
  Random random(seed ^ 0x5bd1e995u);
  if (!verifier::MoveToBoundaries(*dag_, roots_, leaves.inputs[0].size(), std::ref(random), &leaves)) return;
  for (size_t i = 0; i < from.size(); ++i) (*values)[from[i]] = std::move(leaves.inputs[i]);
}

// Generates one group of lanes. Groups cycle through these kinds: random bits, clusters of exponents, factors of
// products near the smallest normal, an edge value combined with random values, small integers, and values with few
// mantissa bits. Every fourth group consists of boundary values.
void Lanes::RandomGroup(uint64_t group, size_t lanes, std::vector<std::vector<uint64_t>>* values) const {
  const uint64_t seed = seed_ + group * 0xd1342543de82ef95ull;
  Random random(seed);
  const uint64_t kind = group % 8;
  for (size_t lane = 0; lane < lanes; ++lane) {
    const uint64_t shared = random();
    const uint64_t exponent = shared & 0xff;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const uint64_t bits = random();
      uint64_t& value = (*values)[i][lane];
      if (inputs_[i].bits == 1) {
        value = bits >> 63;
        continue;
      }
      switch (kind) {
        case 1:
        case 3:
          value = Near(exponent, bits);
          break;
        case 2:  // the exponents of the first two inputs add up to about that of the smallest normal
          value = i == 0   ? Near(exponent / 2, bits)
                  : i == 1 ? Near(127 - std::min<uint64_t>(exponent / 2, 126), bits)
                           : Near(shared >> 8 & 3, bits);
          break;
        case 4:
          value = (shared >> 16) % inputs_.size() == i ? long_list_[bits % long_list_.size()] : bits & 0xffffffffu;
          break;
        case 5:
          value = static_cast<uint64_t>(ir::SignExtend(bits, 1 + static_cast<int>(bits >> 58) % 32)) & 0xffffffffu;
          break;
        case 6:  // their sums and products are often ties
          value = bits & (0xffffffffu << (12 + (shared >> 32) % 11)) & 0xffffffffu;
          break;
        default:
          value = bits & 0xffffffffu;
      }
    }
  }
  if (kind == 3 || kind == 7) {
    for (std::vector<uint64_t>& column : *values) column.resize(lanes);
    OnBoundaries(seed, values);
  }
}

std::vector<std::vector<uint64_t>> Lanes::Fill(uint64_t first, size_t lanes) const {
  std::vector<std::vector<uint64_t>> values(inputs_.size(), std::vector<uint64_t>(lanes));
  std::vector<uint64_t> edge(inputs_.size());
  // If not all edge cases fit, select them evenly, with a step that is coprime to their number.
  uint64_t step = 1;
  if (shown_edges_ < edges_ && !exhaustive_) {
    step = edges_ * 5 / 8 | 1;
    while (std::gcd(step, edges_) != 1) step += 2;
  }
  for (size_t start = 0; start < lanes; start += kLaneGroup) {
    const size_t count = std::min(kLaneGroup, lanes - start);
    if (first + start >= shown_edges_) {
      std::vector<std::vector<uint64_t>> group(inputs_.size(), std::vector<uint64_t>(count));
      RandomGroup((first + start) / kLaneGroup, count, &group);
      for (size_t i = 0; i < inputs_.size(); ++i) {
        std::copy(group[i].begin(), group[i].end(), values[i].begin() + static_cast<std::ptrdiff_t>(start));
      }
      continue;
    }
    for (size_t lane = start; lane < start + count; ++lane) {
      Edge((first + lane) * step % edges_, &edge);
      for (size_t i = 0; i < inputs_.size(); ++i) values[i][lane] = edge[i];
    }
  }
  return values;
}

}  // namespace rewrought::silicon
