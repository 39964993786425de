// Measures how fast one core reads shaders. Covers compiling GLSL with persistent compiler processes (compared with
// starting one process per source), reading SPIR-V and NIR text into shaders and fragments, and harvesting a folder
// into a database. This is not a test; run it with `bazel run -c opt //tests/benchmark:harvest_benchmark`. Input paths
// are relative to the repository's root.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "corpus/fragment.h"
#include "corpus/glsl/glsl_reader.h"
#include "corpus/spirv/spirv_reader.h"
#include "corpus/text/nir_text_reader.h"
#include "pipeline/harvest.h"
#include "store/store.h"

namespace rewrought {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ReadAll(const std::string& folder) {
  std::vector<std::string> contents;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return contents;
}

const std::vector<std::string>& Spirv() {
  static const auto* const contents = new std::vector<std::string>(ReadAll("corpus/samples/spirv"));
  return *contents;
}

const std::vector<std::string>& NirText() {
  static const auto* const contents = new std::vector<std::string>(ReadAll("corpus/samples/nir"));
  return *contents;
}

int64_t Bytes(const std::vector<std::string>& contents) {
  int64_t bytes = 0;
  for (const std::string& content : contents) bytes += static_cast<int64_t>(content.size());
  return bytes;
}

// Measures the baseline, which scans every byte for line ends.
void CountLines(benchmark::State& state) {
  const auto& contents = NirText();
  int64_t lines = 0;
  for (auto _ : state) {
    for (const std::string& content : contents) {
      const char* at = content.data();
      const char* const end = at + content.size();
      while (at != end && (at = static_cast<const char*>(memchr(at, '\n', static_cast<size_t>(end - at)))) != nullptr)
        ++lines, ++at;
    }
  }
  benchmark::DoNotOptimize(lines);
  state.SetBytesProcessed(state.iterations() * Bytes(contents));
}
BENCHMARK(CountLines)->Unit(benchmark::kMicrosecond);

// Returns the undamaged shaders in a file.
std::vector<ir::Shader> Read(const std::string& content, bool spirv) {
  if (!spirv) {
    auto shaders = corpus::ReadNirText(content, "benchmark", "benchmark");
    return shaders.ok() ? *std::move(shaders) : std::vector<ir::Shader>();
  }
  std::vector<ir::Shader> shaders;
  auto shader = corpus::ReadSpirv(content, "benchmark", "benchmark");
  if (shader.ok()) shaders.push_back(*std::move(shader));
  return shaders;
}

void ReadShaders(benchmark::State& state, bool spirv) {
  const auto& contents = spirv ? Spirv() : NirText();
  int64_t shaders = 0, values = 0;
  for (auto _ : state) {
    for (const std::string& content : contents) {
      for (const ir::Shader& shader : Read(content, spirv))
        ++shaders, values += static_cast<int64_t>(shader.values.nodes.size());
    }
  }
  state.SetBytesProcessed(state.iterations() * Bytes(contents));
  state.counters["shaders/s"] = benchmark::Counter(static_cast<double>(shaders), benchmark::Counter::kIsRate);
  state.counters["values/s"] = benchmark::Counter(static_cast<double>(values), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(ReadShaders, spirv, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ReadShaders, nir_text, false)->Unit(benchmark::kMillisecond);

void Fragments(benchmark::State& state, bool spirv) {
  const auto& contents = spirv ? Spirv() : NirText();
  std::vector<ir::Shader> shaders;
  for (const std::string& content : contents) {
    for (ir::Shader& shader : Read(content, spirv)) shaders.push_back(std::move(shader));
  }
  int64_t sites = 0;
  for (auto _ : state) {
    corpus::ConeCache cache;
    for (const ir::Shader& shader : shaders) {
      corpus::ForEachFragmentPlace(shader, corpus::ShaderFacts(shader), {}, &cache,
                                   [&sites](const corpus::FragmentPlace&) { ++sites; });
    }
  }
  state.SetBytesProcessed(state.iterations() * Bytes(contents));
  state.counters["sites/s"] = benchmark::Counter(static_cast<double>(sites), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(Fragments, spirv, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Fragments, nir_text, false)->Unit(benchmark::kMillisecond);

// Compiles GLSL to SPIR-V with the workers. "times_faster" is the speedup over one process per source, measured in the
// same run.
void CompileShaders(benchmark::State& state) {
  constexpr char kText[] =
      "precision mediump float; uniform sampler2D t; uniform float a; varying vec2 p;\n"
      "void main() { vec4 c = texture2D(t, p * a); gl_FragColor = vec4(pow(c.rgb, vec3(2.2)) * a + c.a, 1.0); }\n";
  constexpr int kTexts = 20;
  corpus::GlslCompilers compilers;
  corpus::GlslOptions options;
  bool failed = false;
  const auto compile = [&](corpus::GlslCompilers* through) {
    options.compilers = through;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kTexts; ++i) {
      failed = failed || !corpus::CompileGlsl(kText, corpus::GlslStage::kFragment, options).ok();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  compile(&compilers);
  double by_program = 0, by_worker = 0;
  for (auto _ : state) {
    by_worker += compile(&compilers);
    state.PauseTiming();
    by_program += compile(nullptr);
    state.ResumeTiming();
  }
  if (failed) state.SkipWithError("a source does not compile");
  state.SetItemsProcessed(state.iterations() * kTexts);
  state.counters["times_faster"] = by_program / by_worker;
}
BENCHMARK(CompileShaders)->UseRealTime()->Unit(benchmark::kMillisecond);

// Harvests a folder into a database that is empty each time, or, with `again`, already contains everything.
void Harvest(benchmark::State& state, const char* folder, bool again) {
  const fs::path path = fs::temp_directory_path() / ("rewrought_benchmark_" + std::to_string(getpid()) + ".db");
  const auto remove = [&] {
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(path.string() + end);
  };
  pipeline::HarvestOptions options;
  options.threads = 1;
  bool failed = false;
  for (auto _ : state) {
    state.PauseTiming();
    if (!again) remove();
    {
      auto store = store::Store::Open(path.string());
      if (store.ok() && again)
        failed = failed || !pipeline::Harvest(store->get(), {{folder, "benchmark", false}}, options).ok();
      state.ResumeTiming();
      failed = failed || !store.ok() || !pipeline::Harvest(store->get(), {{folder, "benchmark", false}}, options).ok();
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  remove();
  if (failed) state.SkipWithError("the harvest failed");
  state.SetBytesProcessed(state.iterations() *
                          Bytes(std::string(folder).find("nir") == std::string::npos ? Spirv() : NirText()));
}
BENCHMARK_CAPTURE(Harvest, spirv, "corpus/samples/spirv", false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Harvest, nir_text, "corpus/samples/nir", false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Harvest, spirv_again, "corpus/samples/spirv", true)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rewrought
