#include "server/pipeline/harvest.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/archive.h"
#include "corpus/facts.h"
#include "corpus/reader.h"
#include "ir/semantics.h"
#include "server/pipeline/fragment_form.h"
#include "server/store/corpus_store.h"

namespace rewrought::pipeline {
namespace {

namespace fs = std::filesystem;

// A site inside a loop counts ten times per level, three levels at most.
int64_t LoopWeight(int depth) {
  int64_t weight = 1;
  for (int i = 0; i < std::min(depth, 3); ++i) weight *= 10;
  return weight;
}

struct File {
  std::string path, name, source;
  bool held_out = false;
};

std::string PackageOf(absl::string_view path) {
  constexpr absl::string_view kFolder = "node_modules/";
  const size_t found = path.rfind(kFolder);
  if (found == absl::string_view::npos) return "";
  const absl::string_view rest = path.substr(found + kFolder.size());
  size_t end = rest.find('/');
  if (!rest.empty() && rest[0] == '@' && end != absl::string_view::npos) end = rest.find('/', end + 1);
  return end == absl::string_view::npos ? "" : std::string(rest.substr(0, end));
}

std::string SourceFor(const HarvestInput& input, const std::string& path) {
  if (!input.source.empty()) return input.source;
  std::string package = PackageOf(path);
  if (!package.empty()) return package;
  fs::path given(input.path);
  if (!given.has_filename()) given = given.parent_path();
  std::string name = given.filename().string();
  return name.substr(0, name.find('.', 1));
}

absl::Status ListFiles(const HarvestInput& input, std::vector<File>* files) {
  std::error_code error;
  const fs::file_status status = fs::status(input.path, error);
  if (!fs::exists(status)) return absl::NotFoundError(absl::StrCat(input.path, ": no such file or folder"));
  if (!fs::is_directory(status)) {
    const std::string name = fs::path(input.path).filename().string();
    files->push_back({input.path, name, SourceFor(input, input.path), input.held_out});
    return absl::OkStatus();
  }
  const size_t first = files->size();
  fs::recursive_directory_iterator walk(input.path, fs::directory_options::skip_permission_denied, error), end;
  if (error) return absl::PermissionDeniedError(absl::StrCat(input.path, ": ", error.message()));
  for (; walk != end; walk.increment(error)) {
    if (error) break;
    if (!walk->is_regular_file(error)) continue;
    const std::string path = walk->path().string();
    files->push_back(
        {path, walk->path().lexically_relative(input.path).string(), SourceFor(input, path), input.held_out});
  }
  std::sort(files->begin() + static_cast<ptrdiff_t>(first), files->end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return absl::OkStatus();
}

struct PreparedShader {
  store::ShaderRecord record;
  std::vector<store::SiteRecord> sites;
};

// The fragments of a shader, sites equal in everything merged.
PreparedShader Prepare(const ir::Shader& shader, const store::Digest& digest, const store::Digest& extraction,
                       const corpus::FragmentOptions& options) {
  PreparedShader prepared;
  prepared.record.digest = digest;
  prepared.record.stage = shader.stage;
  prepared.record.extraction = extraction;
  std::map<std::string, int64_t> notes;
  for (const std::string& note : shader.notes) ++notes[note];
  prepared.record.notes.assign(notes.begin(), notes.end());
  for (const ir::Node& node : shader.values.nodes) {
    if (node.kind == ir::NodeKind::kOp) ++prepared.record.alu_instructions;
  }
  const corpus::ShaderFacts facts(shader);
  using Key = std::tuple<std::string, uint64_t, uint64_t, std::string>;
  std::map<Key, store::SiteRecord> merged;
  corpus::ForEachFragment(shader, facts, options, [&](corpus::Fragment fragment) {
    absl::StatusOr<store::SiteRecord> site = StoredSite(fragment);
    if (!site.ok()) return;
    site->loop_weight = LoopWeight(fragment.loop_depth);
    Key key(site->fragment.text, site->marks, site->survivors, site->facts);
    const auto [found, added] = merged.try_emplace(std::move(key), *site);
    if (added) return;
    ++found->second.count;
    found->second.loop_weight += site->loop_weight;
    if (found->second.lines.size() < store::kMaxLines) found->second.lines.push_back(fragment.line);
  });
  for (auto& [key, site] : merged) prepared.sites.push_back(std::move(site));
  return prepared;
}

class Harvester {
 public:
  Harvester(store::Store* store, const HarvestOptions& options)
      : store_(store), corpus_(store), options_(options), extraction_(ExtractionDigest(options.fragments)) {}

  absl::StatusOr<HarvestReport> Run(const std::vector<File>& files);

 private:
  absl::Status ReadFile(const File& file);
  absl::Status ReadUnit(const File& file, const std::string& name, absl::string_view bytes);
  absl::StatusOr<bool> SeenBefore(const store::Digest& content, const File& file, const std::string& name);
  absl::StatusOr<size_t> StoreUnit(const File& file, const std::string& name, const std::vector<PreparedShader>& shaders);
  void Count(const std::function<void(HarvestReport*)>& change);
  void CountSkipped(const std::string& name, const std::string& reason);

  store::Store* const store_;
  store::CorpusStore corpus_;
  const HarvestOptions& options_;
  const store::Digest extraction_;
  std::mutex mutex_;
  HarvestReport report_;
  absl::flat_hash_set<std::string> texts_;  // of the new shaders' fragments
};

// A unit that holds several shaders is stored as a whole, so its first shader stands for all.
store::Digest ShaderDigest(const store::Digest& content, size_t ordinal) {
  return ordinal == 0 ? content : store::Digest::Of(absl::StrCat(content.hex(), "#", ordinal));
}
std::string ShaderName(const std::string& unit, size_t ordinal) {
  return ordinal == 0 ? unit : absl::StrCat(unit, "#", ordinal);
}

namespace {

// The names of what was skipped, as many as a person would read.
void NameSkipped(HarvestReport* report, std::string text) {
  if (report->skipped_inputs.size() < kMaxSkippedNames) report->skipped_inputs.push_back(std::move(text));
}

}  // namespace

void Harvester::Count(const std::function<void(HarvestReport*)>& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  change(&report_);
}

void Harvester::CountSkipped(const std::string& name, const std::string& reason) {
  Count([&](HarvestReport* report) {
    ++report->skipped;
    ++report->reasons[reason];
    NameSkipped(report, absl::StrCat(name, ": ", reason));
  });
}

absl::StatusOr<bool> Harvester::SeenBefore(const store::Digest& content, const File& file, const std::string& name) {
  size_t ordinal = 0;
  for (;; ++ordinal) {
    const store::Digest digest = ShaderDigest(content, ordinal);
    absl::StatusOr<bool> known = corpus_.HasShader(digest, extraction_);
    if (!known.ok()) return known.status();
    if (!*known) break;
    const absl::Status added = corpus_.AddOccurrence(digest, {file.source, ShaderName(name, ordinal)});
    if (!added.ok()) return added;
  }
  Count([&](HarvestReport* report) { report->shaders += ordinal; });
  return ordinal > 0;
}

absl::StatusOr<size_t> Harvester::StoreUnit(const File& file, const std::string& name,
                                            const std::vector<PreparedShader>& shaders) {
  absl::StatusOr<std::unique_ptr<store::ScopedTransaction>> transaction = store::ScopedTransaction::Begin(store_);
  if (!transaction.ok()) return transaction.status();
  size_t added = 0;
  for (size_t i = 0; i < shaders.size(); ++i) {
    // Another thread may have read the same content meanwhile.
    absl::StatusOr<bool> known = corpus_.HasShader(shaders[i].record.digest, extraction_);
    if (!known.ok()) return known.status();
    added += *known ? 0 : 1;
    const absl::Status put = corpus_.PutShader(shaders[i].record, {file.source, ShaderName(name, i)}, shaders[i].sites);
    if (!put.ok()) return put;
  }
  const absl::Status committed = (*transaction)->Commit();
  if (!committed.ok()) return committed;
  return added;
}

absl::Status Harvester::ReadUnit(const File& file, const std::string& name, absl::string_view bytes) {
  const store::Digest content = store::Digest::Of(bytes);
  absl::StatusOr<bool> seen = SeenBefore(content, file, name);
  if (!seen.ok()) return seen.status();
  if (*seen) return absl::OkStatus();
  corpus::ReadOptions read;
  read.source = file.source;
  read.glsl = options_.glsl;
  std::vector<PreparedShader> shaders;
  corpus::ReadReport report;
  corpus::ReadBytes(
      name, bytes, read,
      [&](ir::Shader shader) {
        shaders.push_back(Prepare(shader, ShaderDigest(content, shaders.size()), extraction_, options_.fragments));
      },
      &report);
  size_t added = 0;
  if (!shaders.empty()) {
    absl::StatusOr<size_t> stored = StoreUnit(file, name, shaders);
    if (!stored.ok()) return stored.status();
    added = *stored;
  }
  Count([&](HarvestReport* total) {
    total->shaders += shaders.size();
    total->added += added;
    total->skipped += report.skipped.size();
    for (const auto& [reason, count] : report.reasons) total->reasons[reason] += count;
    for (const corpus::SkippedInput& input : report.skipped) NameSkipped(total, absl::StrCat(input.name, ": ", input.reason));
    if (added == 0) return;
    for (const auto& [op, count] : report.ops) total->ops[op] += count;
    for (const auto& [what, count] : report.opaque) total->opaque[what] += count;
    for (const PreparedShader& shader : shaders) {
      for (const store::SiteRecord& site : shader.sites) {
        total->fragments += static_cast<uint64_t>(site.count);
        texts_.insert(site.fragment.text);
      }
    }
    total->distinct = texts_.size();
  });
  return absl::OkStatus();
}

absl::Status Harvester::ReadFile(const File& file) {
  std::error_code error;
  const uint64_t size = fs::file_size(file.path, error);
  if (!error && size > options_.file_bytes) {
    CountSkipped(file.path, "too large");
    return absl::OkStatus();
  }
  std::ifstream stream(file.path, std::ios::binary);
  if (!stream) {
    CountSkipped(file.path, "cannot be opened");
    return absl::OkStatus();
  }
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (corpus::KindOf(file.name, bytes) != corpus::InputKind::kArchive) return ReadUnit(file, file.name, bytes);
  absl::Status status;
  const absl::Status walked = corpus::ForEachMember(
      bytes, corpus::ArchiveLimits{},
      [&](const std::string& member, std::string content) {
        if (!status.ok() || options_.stop.stop_requested()) return;
        status = ReadUnit(file, absl::StrCat(file.name, "/", member), content);
      },
      [&](const std::string& member, const std::string& reason) {
        CountSkipped(absl::StrCat(file.name, "/", member), reason.substr(0, reason.find(": ")));
      });
  if (!walked.ok()) CountSkipped(file.path, "damaged archive");
  return status;
}

absl::StatusOr<HarvestReport> Harvester::Run(const std::vector<File>& files) {
  int threads = options_.threads;
  if (threads <= 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  std::mutex failure_mutex;
  absl::Status failure;
  const auto work = [&] {
    for (size_t i = next++; i < files.size(); i = next++) {
      if (options_.stop.stop_requested()) {
        Count([](HarvestReport* report) { report->interrupted = true; });
        return;
      }
      const absl::Status status = ReadFile(files[i]);
      if (!status.ok()) {
        const std::lock_guard<std::mutex> lock(failure_mutex);
        if (failure.ok()) failure = status;
        next = files.size();
        return;
      }
      if (options_.progress != nullptr) {
        Count([this](HarvestReport* report) { options_.progress(*report); });
      }
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  if (!failure.ok()) return failure;
  return report_;
}

}  // namespace

store::Digest ExtractionDigest(const corpus::FragmentOptions& options) {
  return store::Digest::Of(absl::StrCat("fragments-1 ", ir::SemanticsDigest(), " ops=", options.max_ops,
                                        " variables=", options.max_variables, " per_root=", options.max_per_root));
}

absl::StatusOr<HarvestReport> Harvest(store::Store* store, const std::vector<HarvestInput>& inputs,
                                      const HarvestOptions& options) {
  std::vector<File> files;
  for (const HarvestInput& input : inputs) {
    const absl::Status listed = ListFiles(input, &files);
    if (!listed.ok()) return listed;
  }
  std::map<std::string, bool> sources;
  for (const File& file : files) sources[file.source] = sources[file.source] || file.held_out;
  store::CorpusStore corpus(store);
  for (const auto& [name, held_out] : sources) {
    const absl::Status put = corpus.PutSource(name, held_out);
    if (!put.ok()) return put;
  }
  return Harvester(store, options).Run(files);
}

}  // namespace rewrought::pipeline
