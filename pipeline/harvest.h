// Reads shaders from files, folders, and archives into the store. The same content is read only once.
#ifndef REWROUGHT_PIPELINE_HARVEST_H_
#define REWROUGHT_PIPELINE_HARVEST_H_

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/baseline.h"
#include "corpus/fragment.h"
#include "corpus/glsl/glsl_reader.h"
#include "corpus/harvest_files.h"
#include "corpus/reader.h"
#include "ir/digest.h"
#include "store/store.h"

namespace rewrought::pipeline {

// The result of a harvest. `rewrought harvest --json` prints these fields.
struct HarvestReport {
  uint64_t shaders = 0;  // all shaders, including those stored before
  uint64_t added = 0;    // stored by this harvest; "new" in JSON
  uint64_t skipped = 0;  // files and archive members without a readable shader
  std::map<std::string, uint64_t> reasons;
  std::vector<corpus::SkippedInput> skipped_inputs;  // with full paths; at most kMaxSkippedNames per reason
  uint64_t fragments = 0;                            // fragment sites of the new shaders
  uint64_t distinct = 0;                             // distinct fragments of the new shaders
  std::map<std::string, uint64_t> ops, opaque;       // how often each occurs in the new shaders, before rewriting
  std::map<std::string, uint64_t> notes;             // how often each note (ir::ShaderNote) occurs in the new shaders
  std::vector<corpus::NotedPlace> noted;             // with full paths; at most corpus::kMaxNotedPlaces per note
  std::map<std::string, uint64_t> versions;  // new shaders from NIR text, by the Mesa versions that print such text
  uint64_t rewritten = 0;                    // the number of rewrites that the baseline made in the new shaders
  bool interrupted = false;
  uint64_t bytes_done = 0, bytes = 0;  // the sizes of the files read completely, and of all files
};

inline constexpr uint64_t kMaxSkippedNames = 50;

struct HarvestOptions {
  corpus::FragmentOptions fragments;
  corpus::GlslOptions glsl;
  // The rules applied to shaders before they are split into fragments. They are not applied to NIR text, which drivers
  // print after applying such rules. Not owned; may be null.
  const corpus::Baseline* baseline = nullptr;
  int threads = 0;  // threads that read shaders, besides one for files and one for the store; 0 means one per core
  uint64_t file_bytes = 1u << 30;  // larger files are skipped
  corpus::HarvestShard shard;      // the part of the inputs to read
  std::stop_token stop;
  // Called on the caller's thread after each file or archive member.
  std::function<void(const HarvestReport&)> progress;
};

// Reads `inputs` into `store`. The rows are in the order of the inputs, regardless of the number of threads, so two
// harvests of the same inputs into new databases produce the same rows and ids. Content already stored with the same
// ExtractionDigest is not read again. The contents of a file never cause an error. Commits twice per second and after
// every 32 shaders. Returns NotFound if a path does not exist. Propagates store errors. If stopped, keeps the shaders
// read so far and sets `interrupted`.
absl::StatusOr<HarvestReport> Harvest(store::Store* store, const std::vector<corpus::HarvestInput>& inputs,
                                      const HarvestOptions& options);

// Returns a digest of the reader's version, the options, and the baseline, which determine the fragments of a shader.
// Shaders stored with another digest are read again.
ir::Digest ExtractionDigest(const corpus::FragmentOptions& options, const corpus::Baseline* baseline);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_HARVEST_H_
