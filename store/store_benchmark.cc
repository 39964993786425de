// Measures how fast fragments and sites are stored, visited, and merged.
// usage: store_benchmark [SHADERS] [FOLDER]
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "corpus/site_record.h"
#include "ir/digest.h"
#include "store/corpus_store.h"
#include "store/shards/merge.h"

namespace rewrought::store {
namespace {

constexpr int kSitesPerShader = 100;
constexpr int kShadersPerBatch = 100;

// Picks a fragment. As in shaders, few fragments are frequent, and many are rare.
int PickFragment(std::mt19937& random) {
  const double u = (random() + 0.5) / 4294967296.0;
  return static_cast<int>(1.0 / (u * u));
}

absl::Status Fill(Store* store, int shaders) {
  CorpusStore corpus(store);
  std::mt19937 random(1);
  absl::Status status = corpus.PutSource("benchmark", false);
  for (int first = 0; first < shaders && status.ok(); first += kShadersPerBatch) {
    auto transaction = ScopedTransaction::Begin(store);
    if (!transaction.ok()) return transaction.status();
    for (int i = first; i < first + kShadersPerBatch && status.ok(); ++i) {
      std::vector<corpus::SiteRecord> sites(kSitesPerShader);
      for (int k = 0; k < kSitesPerShader; ++k) {
        sites[k].fragment = {
            absl::StrCat("(fadd@32 (fmul@32{nsz} a@32 0x", absl::Hex(PickFragment(random)), "@32) b@32)"), 5, 2, "32"};
        sites[k].count = 1;
        sites[k].node_flags = k;  // ensures that no two sites are equal
        sites[k].facts = absl::StrCat("number finite max=", k % 10);
        sites[k].lines = {i, k};
      }
      const std::string name = absl::StrCat("shader ", i);
      status = corpus.PutShader({ir::Digest::Of(name), "fragment", 200, ir::Digest::Of("options"), {}},
                                {"benchmark", name}, sites);
    }
    if (status.ok()) status = (*transaction)->Commit();
  }
  return status;
}

int Main(int argc, char** argv) {
  const int shaders = argc > 1 ? std::atoi(argv[1]) : 5000;
  std::string folder = absl::StrCat(argc > 2 ? argv[2] : "/tmp", "/store_benchmark_XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) return 2;
  const auto run = [&]() -> absl::Status {
    auto store = Store::Open(folder + "/a.db");
    if (!store.ok()) return store.status();
    absl::Time start = absl::Now();
    if (absl::Status status = Fill(store->get(), shaders); !status.ok()) return status;
    double seconds = absl::ToDoubleSeconds(absl::Now() - start);
    const auto counts = CorpusStore(store->get()).Count();
    std::printf(
        "stored %d shaders, %ld sites, %ld fragments in %.2f s: %.0f sites/s, %.1f MB\n", shaders,
        static_cast<long>(counts->sites), static_cast<long>(counts->fragments), seconds, counts->sites / seconds,
        (std::filesystem::file_size(folder + "/a.db") + std::filesystem::file_size(folder + "/a.db-wal")) / 1e6);
    start = absl::Now();
    int64_t fragments = 0;
    absl::Status status = CorpusStore(store->get()).ForEachFragment({}, [&](const FragmentSummary&) {
      ++fragments;
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    std::printf("ranked %ld fragments in %.2f s\n", static_cast<long>(fragments),
                absl::ToDoubleSeconds(absl::Now() - start));
    auto merged = Store::Open(folder + "/b.db");
    if (!merged.ok()) return merged.status();
    for (const char* what : {"into an empty one", "again"}) {
      start = absl::Now();
      if (const auto report = Merge(merged->get(), folder + "/a.db"); !report.ok()) return report.status();
      std::printf("merged %s in %.2f s\n", what, absl::ToDoubleSeconds(absl::Now() - start));
    }
    return absl::OkStatus();
  };
  const absl::Status status = run();
  std::filesystem::remove_all(folder);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace rewrought::store

int main(int argc, char** argv) { return rewrought::store::Main(argc, argv); }
