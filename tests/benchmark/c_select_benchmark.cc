// Measures the time per thousand instructions of the `c` format's runtime and of the selector that it is modeled on.
// Both run on the same shaders in the same run. usage: c_select_benchmark [MACHINE]...
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "emitter/c/rule_tables.h"
#include "emitter/c/testing/compare_cover.h"
#include "machine/select/cover.h"
#include "machine/select/testing/shaders.h"

namespace {

using namespace rewrought;           // NOLINT
using namespace rewrought::emitter;  // NOLINT

// Returns the CPU time of this thread in seconds, which other load on the machine barely affects.
double Now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Runs `work` `times` times and returns the shortest time in seconds.
template <typename Work>
double Time(int times, const Work& work) {
  double least = 1e9;
  for (int i = 0; i < times; ++i) {
    const double start = Now();
    work();
    least = std::min(least, Now() - start);
  }
  return least;
}

int Measure(const std::string& id) {
  v1::Pack pack;
  pack.mutable_manifest()->set_machine(id);
  const auto selection = SelectionOf(pack);
  if (!selection.ok()) return std::fprintf(stderr, "%s\n", selection.status().ToString().c_str()), 1;
  const auto tables = BuildCTables(**selection);
  if (!tables.ok()) return std::fprintf(stderr, "%s\n", tables.status().ToString().c_str()), 1;
  std::vector<const char*> names, conditions;
  const rw_tables view = ViewOf(*tables, &names, &conditions);
  const rw_driver driver = {};
  for (const int ops : {300, 1000, 10000, 100000}) {
    const auto scalar = machine::select::Scalarize(machine::select::RandomShader(7, ops, 1 + ops / 200));
    const RuntimeShader shader(view, *scalar);
    const auto count = static_cast<uint32_t>(shader.nodes().size());
    std::vector<uint64_t> memory(rw_memory(count) / sizeof(uint64_t) + 1);
    rw_result result = {};
    const int times = ops > 10000 ? 1 : 3;
    const double runtime = Time(times, [&] {
      (void)rw_select(&view, shader.nodes().data(), count, &driver, memory.data(), memory.size() * sizeof(uint64_t),
                      &result);
    });
    const double selector = Time(times, [&] {
      (void)machine::select::CoverShader(*(*selection)->rules, *scalar,
                                         {.kind = machine::select::CoverKind::kTree, .allow_uncovered = true});
    });
    const double thousands = result.instructions / 1000.0;
    std::printf("%-14s %8d %12u %12.3f %12.3f %8.1f %12zu\n", id.c_str(), ops, result.instructions,
                1e3 * runtime / thousands, 1e3 * selector / thousands, selector / runtime, result.memory_used);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%-14s %8s %12s %25s %8s %12s\n%-14s %8s %12s %12s %12s\n", "", "", "", "ms for 1000 instructions", "",
              "bytes of", "machine", "ops", "instructions", "runtime", "selector");
  std::vector<std::string> machines(argv + 1, argv + argc);
  if (machines.empty()) machines = {"agx_g13", "ir3_a6xx", "intel_gen9"};
  return std::any_of(machines.begin(), machines.end(), [](const std::string& id) { return Measure(id) != 0; }) ? 1 : 0;
}
