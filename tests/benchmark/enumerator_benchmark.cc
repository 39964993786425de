// Measures how fast one core evaluates candidates on 64 vectors, compared with the machine's limits.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "enumerator/bank.h"
#include "enumerator/instruction_set.h"
#include "enumerator/lanes/kernels.h"
#include "machine/machine.h"

namespace {

using namespace rewrought::enumerator;  // NOLINT

// Measures the CPU seconds of this thread, which depend little on other load.
struct Clock {
  static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
};
double Since(double start) { return Clock::now() - start; }

// Returns the bytes per second that one core loads from its L1 cache, measured by summing 16 KiB repeatedly with the
// kernels' widest loads. The hash kernel is the same code with additional arithmetic.
double L1BytesPerSecond() {
  static AlignedBlock blocks[64];
  std::memset(blocks, 1, sizeof(blocks));
  const KernelSet& kernels = Kernels();
  const Kernel copy = kernels.primitives[static_cast<int>(rewrought::ir::Primitive::kXor)];
  KernelWidths widths;
  AlignedBlock out;
  const int rounds = 4'000'000;
  const auto start = Clock::now();
  for (int i = 0; i < rounds; ++i) copy(widths, blocks[i % 64], blocks[(i * 7 + 1) % 64], blocks[0], &out);
  // Two blocks are read and one is written.
  return 3.0 * sizeof(LaneBlock) * rounds / Since(start);
}

double CallsPerSecond(Kernel kernel) {
  static AlignedBlock x{InputLanes(ValueSet::kFloat32, 0, BlockKind::kOrdinary)};
  static AlignedBlock y{InputLanes(ValueSet::kFloat32, 1, BlockKind::kOrdinary)};
  AlignedBlock out;
  KernelWidths widths;
  const int rounds = 4'000'000;
  const auto start = Clock::now();
  for (int i = 0; i < rounds; ++i) kernel(widths, x, y, y, &out);
  return rounds / Since(start);
}

double HashesPerSecond() {
  static AlignedBlock blocks[16];
  for (int i = 0; i < 16; ++i)
    static_cast<LaneBlock&>(blocks[i]) = InputLanes(ValueSet::kFloat32, i % 4, static_cast<BlockKind>(i / 4));
  const int rounds = 4'000'000;
  uint64_t sum = 0;
  const auto start = Clock::now();
  for (int i = 0; i < rounds; ++i) sum += Kernels().hash(blocks[i % 16], true, kFloatLanes);
  const double rate = rounds / Since(start);
  if (sum == 1) std::printf("\n");
  return rate;
}

void BuildBank(const char* id, int inputs, uint64_t max_candidates, uint64_t max_longer) {
  absl::StatusOr<const rewrought::machine::Machine*> machine = rewrought::machine::FindMachine(id);
  if (!machine.ok()) std::exit(1);
  absl::StatusOr<std::unique_ptr<const InstructionSet>> set = InstructionSet::OfMachine(**machine, {});
  if (!set.ok()) std::exit(1);
  for (const ValueSet kind : {ValueSet::kFloat32, ValueSet::kInteger32}) {
    BankOptions options;
    options.max_candidates = max_candidates;
    if (max_longer != 0) options.max_longer = max_longer;
    uint64_t ones = 0, ones_enumerated = 0;
    options.progress = [&](const BankProgress& p) {
      if (p.size == 1) ones = p.distinct, ones_enumerated = p.enumerated;
    };
    const auto start = Clock::now();
    Bank bank(set->get(), std::vector<ValueSet>(inputs, kind), DefaultConstants(false), options);
    const bool complete = bank.Build();
    const double seconds = Since(start);
    std::printf(
        "%-10s %-4s x%d: %zu steps, 1: %llu of %llu; %llu candidates, %llu kept, %.2f s, %.2f M/s, %.0f MiB%s\n", id,
        std::string(InfoOf(kind).name).c_str(), inputs, (*set)->steps().size(), static_cast<unsigned long long>(ones),
        static_cast<unsigned long long>(ones_enumerated), static_cast<unsigned long long>(bank.progress().enumerated),
        static_cast<unsigned long long>(bank.progress().distinct), seconds,
        static_cast<double>(bank.progress().enumerated) / seconds / 1e6,
        static_cast<double>(bank.peak_bytes()) / (1 << 20), complete ? "" : " (stopped early)");
    std::printf("%-10s %-4s x%d: digest %016llx\n", id, std::string(InfoOf(kind).name).c_str(), inputs,
                static_cast<unsigned long long>(bank.Digest()));
    // Measure only lookups: no program computes the goal's value.
    Goal goal;
    goal.ordinary = InputLanes(kind, 3, BlockKind::kNan);
    goal.type = {InfoOf(kind).kind, 32, false};
    goal.mask = static_cast<uint8_t>((1 << inputs) - 1);
    const uint64_t before = bank.progress().enumerated;
    const auto again = Clock::now();
    bank.FindLonger({&goal, 1}, [](size_t, const Expression&) {});
    const double more = Since(again);
    const double count = static_cast<double>(bank.progress().enumerated - before);
    std::printf("%-10s %-4s x%d: goal search over programs of 3: %.0f candidates, %.2f s, %.2f M/s\n", id,
                std::string(InfoOf(kind).name).c_str(), inputs, count, more, count / more / 1e6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const uint64_t candidates = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 40'000'000;
  const uint64_t longer = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;  // 0 selects discovery's default
  const double bandwidth = L1BytesPerSecond();
  const double add = CallsPerSecond(Kernels().primitives[static_cast<int>(rewrought::ir::Primitive::kFadd)]);
  const double fma = CallsPerSecond(Kernels().primitives[static_cast<int>(rewrought::ir::Primitive::kFfma)]);
  const double hash = HashesPerSecond();
  std::printf("kernels: %s; L1 %.1f GB/s; fadd %.1f M/s, ffma %.1f M/s, hash %.1f M/s (64 lanes each)\n",
              std::string(Kernels().name).c_str(), bandwidth / 1e9, add / 1e6, fma / 1e6, hash / 1e6);
  // Evaluating a candidate reads two blocks and writes one, and hashing reads the written block: 1 KiB in all.
  std::printf("limits of one core: %.1f M candidates/s by L1 bandwidth (1 KiB each), %.1f M/s by fadd and hash alone\n",
              bandwidth / 1024 / 1e6, 1 / (1 / add + 1 / hash) / 1e6);
  for (const char* id : {"intel_gen9", "agx_g13"}) {
    for (const int inputs : {2, 3}) BuildBank(id, inputs, candidates, longer);
  }
  return 0;
}
