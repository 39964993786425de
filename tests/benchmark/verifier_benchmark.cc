// Measures how fast one core verifies rules: each tier separately, solver queries, and the time to the first verdict
// of each rule of tests/rules. This is not a test; run it with `bazel run -c opt //tests/benchmark:verifier_benchmark`.
// Input paths are relative to the repository's root.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/text/rule_text.h"
#include "verifier/prover.h"
#include "verifier/query.h"
#include "verifier/rule_check.h"
#include "verifier/vectors.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::verifier {
namespace {

constexpr const char* kRuleFiles[] = {"flags", "float_false", "float_true", "integer_false", "integer_true", "modes"};
constexpr size_t kCasesPerTier = 24;

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Use one worker, because all results are for a single core.
WorkerPool* Pool() {
  static WorkerPool* const pool = [] {
    WorkerPoolOptions options;
    options.workers = 1;
    auto created = WorkerPool::Create(options);
    if (!created.ok()) {
      fprintf(stderr, "%s\n", std::string(created.status().message()).c_str());
      exit(2);
    }
    return created->release();
  }();
  return pool;
}

ProverOptions Options() {
  ProverOptions options;
  options.budget_scale = 0.5;
  options.keep_query = false;
  return options;
}

struct RulesRun {
  std::vector<double> first, whole;  // milliseconds per rule, for its first case and for all its cases
  std::vector<CheckedCase> cases;
  int undecided = 0;
};

// Verifies every well-formed rule of tests/rules once in mode any; all benchmarks draw their cases from this run.
const RulesRun& Rules() {
  static const RulesRun* const run = [] {
    auto* run = new RulesRun;
    const Prover prover(Pool(), Options());
    for (const char* file : kRuleFiles) {
      std::ifstream input(std::string("tests/rules/") + file + ".rules");
      const std::string text((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
      for (const ir::RuleEntry& entry : ir::ParseRules(text)) {
        if (!entry.rule.ok()) continue;
        absl::StatusOr<RuleVerdict> verdict = CheckRule(prover, *entry.rule, {});
        if (!verdict.ok() || verdict->cases.empty()) continue;
        run->first.push_back(verdict->cases.front().result.milliseconds);
        run->whole.push_back(verdict->milliseconds);
        for (CheckedCase& checked : verdict->cases) {
          run->undecided += checked.result.verdict == v1::VERDICT_UNKNOWN;
          run->cases.push_back(std::move(checked));
        }
      }
    }
    return run;
  }();
  return *run;
}

// Returns cases that `tier` proved, distributed over the rules.
std::vector<const CheckedCase*> ProvedBy(v1::Tier tier) {
  std::vector<const CheckedCase*> found, spread;
  for (const CheckedCase& checked : Rules().cases) {
    if (checked.result.verdict == v1::VERDICT_PROVED && checked.result.tier == tier) found.push_back(&checked);
  }
  const size_t step = std::max<size_t>(1, found.size() / kCasesPerTier);
  for (size_t i = 0; i < found.size(); i += step) spread.push_back(found[i]);
  return spread;
}

// Returns the seconds that a trivial query takes. This is the overhead of any query and the baseline for tiers with
// solvers.
double SecondsOfTrivialQuery() {
  static const double seconds = [] {
    const SolverQuery query{Tactic::kNative, "(declare-const a (_ BitVec 8))\n(assert (distinct a a))\n", 1000, {}, {}};
    Pool()->Solve(query);
    const int rounds = 200;
    const double start = Now();
    for (int i = 0; i < rounds; ++i) Pool()->Solve(query);
    return (Now() - start) / rounds;
  }();
  return seconds;
}

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(q * static_cast<double>(values.size())))];
}

void FirstVerdict(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Rules().cases.data());
  const RulesRun& run = Rules();
  state.counters["rules"] = static_cast<double>(run.first.size());
  state.counters["cases"] = static_cast<double>(run.cases.size());
  state.counters["undecided"] = run.undecided;
  state.counters["first_median_ms"] = Quantile(run.first, 0.5);
  state.counters["first_p95_ms"] = Quantile(run.first, 0.95);
  state.counters["rule_median_ms"] = Quantile(run.whole, 0.5);
  state.counters["rule_p95_ms"] = Quantile(run.whole, 0.95);
}
BENCHMARK(FirstVerdict)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);

void TrivialQuery(benchmark::State& state) {
  const SolverQuery query{Tactic::kNative, "(declare-const a (_ BitVec 8))\n(assert (distinct a a))\n", 1000, {}, {}};
  for (auto _ : state) benchmark::DoNotOptimize(Pool()->Solve(query).answer);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(TrivialQuery)->UseRealTime()->Unit(benchmark::kMicrosecond);

// Measures only queries that are already prepared, without lowering, test vectors, or the search for copies.
void WorkerQueries(benchmark::State& state, v1::Tier tier, ir::FloatEncoding encoding, Tactic tactic) {
  std::vector<SolverQuery> queries;
  for (const CheckedCase* checked : ProvedBy(tier)) {
    auto prepared = PreparedCase::Create(checked->rule_case);
    if (!prepared.ok()) continue;
    auto copy = (*prepared)->SearchCopy({}, CopyPolicy{});
    if (copy.ok()) queries.push_back({tactic, StateQuery(**prepared, {*copy}, encoding).text, 2000, {}, {}});
  }
  if (queries.empty()) return state.SkipWithError("no such case");
  size_t next = 0;
  const double start = Now();
  for (auto _ : state) benchmark::DoNotOptimize(Pool()->Solve(queries[next++ % queries.size()]).answer);
  state.SetItemsProcessed(state.iterations());
  state.counters["of_trivial_query"] =
      (Now() - start) / static_cast<double>(state.iterations()) / SecondsOfTrivialQuery();
}
BENCHMARK_CAPTURE(WorkerQueries, uf, v1::TIER_UNINTERPRETED, ir::FloatEncoding::kUninterpreted, Tactic::kUninterpreted)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(WorkerQueries, native, v1::TIER_NATIVE, ir::FloatEncoding::kNative, Tactic::kNative)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Measures only the vector tier, on cases that it cannot refute, so that all lanes are evaluated.
void VectorsOnly(benchmark::State& state) {
  std::vector<const CheckedCase*> cases = ProvedBy(v1::TIER_UNINTERPRETED);
  if (cases.empty()) return state.SkipWithError("no such case");
  VectorOptions options;
  options.lanes = static_cast<size_t>(state.range(0));
  size_t next = 0;
  for (auto _ : state) {
    auto prepared = PreparedCase::Create(cases[next++ % cases.size()]->rule_case);
    if (prepared.ok()) benchmark::DoNotOptimize(TryVectors(prepared->get(), options).ok());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["lanes/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)), benchmark::Counter::kIsRate);
}
BENCHMARK(VectorsOnly)->Arg(64)->Arg(8192)->Unit(benchmark::kMicrosecond);

// Measures the baseline of the vector tier: plain host code that computes the same number of sums and products.
void HostLanes(benchmark::State& state) {
  std::vector<float> x(8192), y(8192), z(8192);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i), y[i] = 1.0f / static_cast<float>(i + 1);
  for (auto _ : state) {
    for (size_t i = 0; i < x.size(); ++i) z[i] = (x[i] + y[i]) * x[i];
    benchmark::DoNotOptimize(z.data());
    benchmark::ClobberMemory();
  }
  state.counters["lanes/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * 8192), benchmark::Counter::kIsRate);
}
BENCHMARK(HostLanes)->Unit(benchmark::kMicrosecond);

// Measures how long refuting a case by vectors takes, including its witness.
void Refutations(benchmark::State& state) {
  std::vector<const CheckedCase*> cases;
  for (const CheckedCase& checked : Rules().cases) {
    if (checked.result.verdict == v1::VERDICT_REFUTED && checked.result.tier == v1::TIER_VECTORS)
      cases.push_back(&checked);
  }
  if (cases.empty()) return state.SkipWithError("no such case");
  const Prover prover({}, Options());
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(prover.Prove(cases[next++ % cases.size()]->rule_case).verdict);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Refutations)->Unit(benchmark::kMicrosecond);

// Measures the elapsed time of whole proofs that end in `tier`, including all earlier tiers and the worker's time.
void Proofs(benchmark::State& state, v1::Tier tier) {
  const std::vector<const CheckedCase*> cases = ProvedBy(tier);
  if (cases.empty()) return state.SkipWithError("no such case");
  const Prover prover(Pool(), Options());
  size_t next = 0, proved = 0;
  const double start = Now();
  for (auto _ : state) proved += prover.Prove(cases[next++ % cases.size()]->rule_case).verdict == v1::VERDICT_PROVED;
  const double seconds = (Now() - start) / static_cast<double>(state.iterations());
  state.SetItemsProcessed(static_cast<int64_t>(proved));
  state.counters["cases"] = static_cast<double>(cases.size());
  state.counters["of_trivial_query"] = seconds / SecondsOfTrivialQuery();
}
BENCHMARK_CAPTURE(Proofs, canonical, v1::TIER_CANONICAL)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Proofs, exhaustive, v1::TIER_EXHAUSTIVE)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Proofs, uf, v1::TIER_UNINTERPRETED)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Proofs, native, v1::TIER_NATIVE)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rewrought::verifier
