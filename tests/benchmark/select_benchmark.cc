// Measures how fast instructions are selected for whole shaders, step by step, and how the time grows with their size.
// usage: select_benchmark [MACHINE]
#include <cstdio>
#include <ctime>
#include <string>

#include "machine/select/emulate.h"
#include "machine/select/schedule.h"
#include "machine/select/statistics.h"
#include "machine/select/testing/shaders.h"

namespace {

using namespace rewrought::machine;          // NOLINT
using namespace rewrought::machine::select;  // NOLINT

// Returns the CPU seconds that this thread has used, which depend little on other load.
double Now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Returns the seconds that `work` takes.
template <typename Work>
double Time(const Work& work) {
  const double start = Now();
  work();
  return Now() - start;
}

int Measure(const Machine& machine) {
  const absl::StatusOr<RuleSet> rules = RuleSet::Create(machine, nullptr, true);
  if (!rules.ok()) return 1;
  std::printf("%s\n%9s %9s %9s %9s %9s %9s %9s %11s\n", machine.id().c_str(), "ops", "scalar", "tree", "noltis", "emit",
              "schedule", "emulate", "nodes/s");
  for (const int ops : {100, 300, 1000, 3000, 10000, 30000, 100000}) {
    const rewrought::ir::Shader shader = RandomShader(7, ops, 1 + ops / 200);
    ScalarShader scalar;
    Cover cover;
    Selection selection;
    const double scalarize = Time([&] { scalar = *Scalarize(shader); });
    const double tree =
        Time([&] { (void)*CoverShader(*rules, scalar, {.kind = CoverKind::kTree, .allow_uncovered = true}); });
    const double noltis = Time([&] { cover = *CoverShader(*rules, scalar, {.allow_uncovered = true}); });
    const double emit = Time([&] { selection = *Emit(*rules, std::move(scalar), std::move(cover)); });
    const double schedule = Time([&] { Schedule(&selection); });
    const uint64_t nodes = StatisticsOf(selection).nodes;
    const double emulate = Time([&] { (void)*Emulate(selection, {.runs = 1}); });
    const double select = scalarize + noltis + emit + schedule;
    std::printf("%9d %9.4f %9.4f %9.4f %9.4f %9.4f %9.4f %11.0f\n", ops, scalarize, tree, noltis, emit, schedule,
                emulate, static_cast<double>(nodes) / select);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* id : {"agx_g13", "ir3_a6xx", "intel_gen9"}) {
    if (argc > 1 && std::string(argv[1]) != id) continue;
    const absl::StatusOr<const Machine*> machine = FindMachine(id);
    if (!machine.ok() || Measure(**machine) != 0) return 1;
  }
  return 0;
}
