#include "pipeline/harvest.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/formats/input_kind.h"
#include "corpus/glsl/glsl_compilers.h"
#include "corpus/reader.h"
#include "corpus/site_record.h"
#include "ir/semantics.h"
#include "pipeline/harvest_prepare.h"
#include "store/corpus_store.h"

namespace rewrought::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

// The time and the number of shaders after which the writer commits. A killed process loses at most this much work.
constexpr auto kCommitEvery = std::chrono::milliseconds(500);
constexpr size_t kCommitShaders = 32;
// The maximum number of units, and of bytes in these units, between the file reader and the store writer.
constexpr size_t kMaxUnits = 256;
constexpr size_t kMaxBytes = size_t{256} << 20;

// Returns the digest under which a shader of a unit is stored. All shaders of a unit are stored together, so the digest
// of its first shader shows whether the unit is stored.
ir::Digest ShaderDigest(const ir::Digest& content, size_t ordinal) {
  return ordinal == 0 ? content : ir::Digest::Of(absl::StrCat(content.hex(), "#", ordinal));
}
std::string ShaderName(const std::string& unit, size_t ordinal) {
  return ordinal == 0 ? unit : absl::StrCat(unit, "#", ordinal);
}

// A unit being harvested. Its bytes are freed once its shaders have been read.
struct Work {
  corpus::HarvestUnit unit;
  size_t bytes = 0;
  ir::Digest content;
  std::vector<PreparedShader> shaders;  // empty if the unit is already stored
  uint64_t rewritten = 0;
  corpus::ReadReport report;
};

// Works in three stages: one thread reads files, several threads read shaders and extract their fragments, and the
// calling thread writes the results in file order.
class Harvester {
 public:
  Harvester(store::Store* store, const HarvestOptions& options, const std::vector<corpus::HarvestFile>& files)
      : corpus_(store),
        store_(store),
        options_(options),
        files_(files),
        extraction_(ExtractionDigest(options.fragments, options.baseline)) {}

  absl::StatusOr<HarvestReport> Run();

 private:
  // The first two stages. Each function returns when it has no more work.
  void ReadFiles();
  void ReadShaders();
  bool Push(corpus::HarvestUnit unit);
  absl::Status Read(ShaderPreparer* preparer, Work* work);

  // The third stage, which runs on the calling thread.
  absl::Status WriteAll();
  std::optional<Work> NextDone(std::optional<Clock::time_point> deadline, bool* end);
  absl::Status Write(const Work& work);
  absl::StatusOr<size_t> NoteOccurrences(const ir::Digest& content, const corpus::HarvestFile& file,
                                         const std::string& name);
  absl::Status Begin();
  absl::Status Commit();
  void Count(const Work& work);

  std::string NameOf(const corpus::HarvestUnit& unit) const {
    const std::string& name = files_[unit.file].name;
    return unit.member.empty() ? name : absl::StrCat(name, "/", unit.member);
  }

  store::CorpusStore corpus_;
  store::Store* const store_;
  const HarvestOptions& options_;
  const std::vector<corpus::HarvestFile>& files_;
  const ir::Digest extraction_;
  corpus::GlslCompilers compilers_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<size_t, Work>> waiting_;    // units for the second stage, with their numbers
  std::map<size_t, Work> done_;                    // finished units for the third stage, by number
  size_t pushed_ = 0, written_ = 0;                // the numbers of the next units to push and to write
  size_t bytes_ = 0;                               // the total bytes of all units whose shaders have not been read
  int running_ = 0;                                // the number of threads in the second stage
  bool all_pushed_ = false, interrupted_ = false;  // interrupted_: at least one unit was not read
  absl::Status failure_;                           // a failure ends all stages
  absl::flat_hash_set<std::string> stored_;  // digests of the contents that this harvest has written, committed or not

  // Used only by the third stage.
  HarvestReport report_;
  std::vector<uint64_t> bytes_before_;      // for each file, the size of all files before it
  absl::flat_hash_set<std::string> texts_;  // the text of each fragment in the new shaders
  std::map<std::string, uint64_t> noted_;   // the number of places that the report names for each note
  std::unique_ptr<store::ScopedTransaction> transaction_;
  Clock::time_point commit_at_;
  size_t uncommitted_ = 0;  // the number of shaders since the last commit
};

// ---- First stage

bool Harvester::Push(corpus::HarvestUnit unit) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] {
    const bool room = pushed_ - written_ < kMaxUnits && (bytes_ == 0 || bytes_ + unit.bytes.size() <= kMaxBytes);
    return room || !failure_.ok() || options_.stop.stop_requested();
  });
  if (!failure_.ok() || options_.stop.stop_requested()) return false;
  Work work;
  work.bytes = unit.bytes.size();
  work.unit = std::move(unit);
  bytes_ += work.bytes;
  waiting_.emplace_back(pushed_++, std::move(work));
  changed_.notify_all();
  return true;
}

void Harvester::ReadFiles() {
  const bool all = corpus::ForEachUnit(files_, options_.file_bytes, options_.shard, options_.stop,
                                       [this](corpus::HarvestUnit unit) { return Push(std::move(unit)); });
  const std::lock_guard<std::mutex> lock(mutex_);
  interrupted_ = interrupted_ || (!all && options_.stop.stop_requested());
  all_pushed_ = true;
  changed_.notify_all();
}

// ---- Second stage

absl::Status Harvester::Read(ShaderPreparer* preparer, Work* work) {
  const std::string name = NameOf(work->unit);
  if (!work->unit.skipped.empty()) {
    work->report.skipped.push_back({name, work->unit.skipped});
    return absl::OkStatus();
  }
  work->content = ir::Digest::Of(work->unit.bytes);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stored_.contains(work->content.view())) return absl::OkStatus();
  }
  const absl::StatusOr<bool> known = corpus_.HasShader(work->content, extraction_);
  if (!known.ok()) return known.status();
  if (*known) return absl::OkStatus();
  corpus::ReadOptions read;
  read.source = files_[work->unit.file].source;
  read.in_archive = !work->unit.member.empty();
  read.glsl = options_.glsl;
  if (read.glsl.compilers == nullptr) read.glsl.compilers = &compilers_;
  const bool as_printed = corpus::KindOf(name, work->unit.bytes) == corpus::InputKind::kNirText;
  corpus::ReadBytes(
      name, work->unit.bytes, read,
      [&](ir::Shader shader) {
        if (options_.baseline != nullptr && !as_printed) work->rewritten += options_.baseline->Normalise(&shader);
        const ir::Digest digest = ShaderDigest(work->content, work->shaders.size());
        work->shaders.push_back(preparer->Prepare(shader, digest, extraction_));
      },
      &work->report);
  return absl::OkStatus();
}

void Harvester::ReadShaders() {
  ShaderPreparer preparer(options_.fragments);
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || all_pushed_ || !failure_.ok(); });
    if (waiting_.empty() || !failure_.ok()) return;
    auto [number, work] = std::move(waiting_.front());
    waiting_.pop_front();
    if (options_.stop.stop_requested()) {
      // This unit never reaches the writer, which skips its number.
      interrupted_ = true;
      bytes_ -= work.bytes;
      changed_.notify_all();
      continue;
    }
    lock.unlock();
    const absl::Status status = Read(&preparer, &work);
    std::string().swap(work.unit.bytes);
    lock.lock();
    bytes_ -= work.bytes;
    if (!status.ok() && failure_.ok()) failure_ = status;
    done_.emplace(number, std::move(work));
    changed_.notify_all();
  }
}

// ---- Third stage

absl::Status Harvester::Begin() {
  if (transaction_ != nullptr) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<store::ScopedTransaction>> begun = store::ScopedTransaction::Begin(store_);
  if (!begun.ok()) return begun.status();
  transaction_ = *std::move(begun);
  commit_at_ = Clock::now() + kCommitEvery;
  return absl::OkStatus();
}

absl::Status Harvester::Commit() {
  if (transaction_ == nullptr) return absl::OkStatus();
  uncommitted_ = 0;
  const std::unique_ptr<store::ScopedTransaction> ended = std::move(transaction_);
  return ended->Commit();
}

// Records that the stored shaders with this content also occur in `file` as `name`, and returns their number.
absl::StatusOr<size_t> Harvester::NoteOccurrences(const ir::Digest& content, const corpus::HarvestFile& file,
                                                  const std::string& name) {
  for (size_t ordinal = 0;; ++ordinal) {
    const ir::Digest digest = ShaderDigest(content, ordinal);
    const absl::StatusOr<bool> known = corpus_.HasShader(digest, extraction_);
    if (!known.ok()) return known.status();
    if (!*known) return ordinal;
    const absl::Status added = corpus_.AddOccurrence(digest, {file.source, ShaderName(name, ordinal)});
    if (!added.ok()) return added;
  }
}

absl::Status Harvester::Write(const Work& work) {
  const corpus::HarvestFile& file = files_[work.unit.file];
  const std::string name = NameOf(work.unit);
  absl::Status status = Begin();
  if (!status.ok()) return status;
  report_.bytes_done = bytes_before_[work.unit.file];
  // Another unit with the same content may have been written after this unit was read.
  if (work.unit.skipped.empty()) {
    const absl::StatusOr<size_t> known = NoteOccurrences(work.content, file, name);
    if (!known.ok()) return known.status();
    report_.shaders += *known;
    if (*known > 0) return absl::OkStatus();
  }
  for (size_t i = 0; i < work.shaders.size(); ++i) {
    const PreparedShader& shader = work.shaders[i];
    status = corpus_.PutShader(shader.record, {file.source, ShaderName(name, i)}, shader.sites);
    if (!status.ok()) return status;
  }
  if (!work.shaders.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    stored_.insert(std::string(work.content.view()));
  }
  uncommitted_ += work.shaders.size();
  Count(work);
  return absl::OkStatus();
}

void Harvester::Count(const Work& work) {
  report_.shaders += work.shaders.size();
  report_.added += work.shaders.size();
  report_.skipped += work.report.skipped.size();
  report_.rewritten += work.rewritten;
  const std::string& path = files_[work.unit.file].path;
  const size_t cut = files_[work.unit.file].name.size();
  for (const corpus::SkippedInput& input : work.report.skipped) {
    if (++report_.reasons[corpus::ReasonKey(input.reason)] > kMaxSkippedNames) continue;
    // Show the full path, because the name is relative to the harvested folder.
    report_.skipped_inputs.push_back({absl::StrCat(path, input.name.substr(cut)), input.reason});
  }
  for (const auto& [op, count] : work.report.ops) report_.ops[op] += count;
  for (const auto& [what, count] : work.report.opaque) report_.opaque[what] += count;
  for (const auto& [version, count] : work.report.versions) report_.versions[version] += count;
  for (const corpus::NotedPlace& place : work.report.noted) {
    if (++noted_[place.note] > corpus::kMaxNotedPlaces) continue;
    report_.noted.push_back({absl::StrCat(path, place.name.substr(cut)), place.line, place.note});
  }
  for (const auto& [note, count] : work.report.notes) report_.notes[note] += count;
  for (const PreparedShader& shader : work.shaders) {
    for (const corpus::SiteRecord& site : shader.sites) {
      report_.fragments += static_cast<uint64_t>(site.count);
      texts_.insert(site.fragment.text);
    }
  }
  report_.distinct = texts_.size();
}

// Returns the next unit in order, or nullopt if it is not finished before the deadline. Sets `end` if no units remain.
std::optional<Work> Harvester::NextDone(std::optional<Clock::time_point> deadline, bool* end) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto ready = [&] {
    if (!failure_.ok() || done_.contains(written_)) return true;
    return all_pushed_ && (written_ == pushed_ || running_ == 0);
  };
  if (!deadline.has_value()) {
    changed_.wait(lock, ready);
  } else if (!changed_.wait_until(lock, *deadline, ready)) {
    return std::nullopt;
  }
  *end = !failure_.ok() || done_.empty();
  if (*end) return std::nullopt;
  auto next = done_.extract(done_.begin());
  written_ = next.key() + 1;
  changed_.notify_all();
  return std::move(next.mapped());
}

absl::Status Harvester::WriteAll() {
  for (bool end = false; !end;) {
    const auto deadline = transaction_ == nullptr ? std::nullopt : std::optional<Clock::time_point>(commit_at_);
    const std::optional<Work> work = NextDone(deadline, &end);
    if (work.has_value()) {
      const absl::Status status = Write(*work);
      if (!status.ok()) return status;
      if (options_.progress != nullptr) options_.progress(report_);
    }
    if (transaction_ == nullptr || (uncommitted_ < kCommitShaders && Clock::now() < commit_at_)) continue;
    const absl::Status status = Commit();
    if (!status.ok()) return status;
  }
  return Commit();
}

absl::StatusOr<HarvestReport> Harvester::Run() {
  for (const corpus::HarvestFile& file : files_) {
    bytes_before_.push_back(report_.bytes);
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(file.path, error);
    report_.bytes += error ? 0 : size;
  }
  int threads = options_.threads;
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  running_ = threads;
  std::vector<std::thread> stages;
  stages.emplace_back([this] { ReadFiles(); });
  for (int i = 0; i < threads; ++i) {
    stages.emplace_back([this] {
      ReadShaders();
      const std::lock_guard<std::mutex> lock(mutex_);
      --running_;
      changed_.notify_all();
    });
  }
  const absl::Status written = WriteAll();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.ok()) failure_ = written;
    changed_.notify_all();
  }
  for (std::thread& stage : stages) stage.join();
  transaction_ = nullptr;
  if (!failure_.ok()) return failure_;
  report_.interrupted = interrupted_;
  if (absl::Status dropped = corpus_.DropStaleSites(); !dropped.ok()) return dropped;
  return report_;
}

}  // namespace

ir::Digest ExtractionDigest(const corpus::FragmentOptions& options, const corpus::Baseline* baseline) {
  return ir::Digest::Of(absl::StrCat("fragments-5 ", ir::SemanticsDigest(), " ops=", options.max_ops,
                                     " variables=", options.max_variables, " per_root=", options.max_per_root,
                                     baseline == nullptr ? "" : absl::StrCat(" ", baseline->digest().hex())));
}

absl::StatusOr<HarvestReport> Harvest(store::Store* store, const std::vector<corpus::HarvestInput>& inputs,
                                      const HarvestOptions& options) {
  std::vector<corpus::HarvestFile> files;
  for (const corpus::HarvestInput& input : inputs) {
    const absl::Status listed = corpus::ListFiles(input, &files);
    if (!listed.ok()) return listed;
  }
  std::map<std::string, bool> sources;
  for (const corpus::HarvestFile& file : files) sources[file.source] = sources[file.source] || file.held_out;
  store::CorpusStore corpus(store);
  for (const auto& [name, held_out] : sources) {
    const absl::Status put = corpus.PutSource(name, held_out);
    if (!put.ok()) return put;
  }
  return Harvester(store, options, files).Run();
}

}  // namespace rewrought::pipeline
