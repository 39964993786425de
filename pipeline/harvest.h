// Reads shaders from files, folders and archives into the store, each content once.
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
#include "ir/digest.h"
#include "store/store.h"

namespace rewrought::pipeline {

// The result of a harvest. The fields are those of `rewrought harvest --json`.
struct HarvestReport {
  uint64_t shaders = 0;  // all shaders, including those stored before
  uint64_t added = 0;    // stored by this harvest; "new" in JSON
  uint64_t skipped = 0;  // files and members without a readable shader
  std::map<std::string, uint64_t> reasons;
  std::vector<std::string> skipped_inputs;      // "path: reason: details", up to kMaxSkippedNames per reason
  uint64_t fragments = 0;                       // fragment sites of the new shaders
  uint64_t distinct = 0;                        // distinct fragments of the new shaders
  std::map<std::string, uint64_t> ops, opaque;  // counts in the new shaders, as read
  uint64_t rewritten = 0;                       // rewrites by the baseline's rules in the new shaders
  bool interrupted = false;
  uint64_t bytes_done = 0, bytes = 0;  // of the files read completely, and of all files
};

inline constexpr uint64_t kMaxSkippedNames = 50;

struct HarvestOptions {
  corpus::FragmentOptions fragments;
  corpus::GlslOptions glsl;
  // Rewrites shaders before they are split into fragments, except NIR text, which drivers print after their own
  // rules. Not owned; null for none.
  const corpus::Baseline* baseline = nullptr;
  int threads = 0;                 // shader readers, besides the file reader and the store writer; 0: one per core
  uint64_t file_bytes = 1u << 30;  // larger files are skipped
  corpus::HarvestShard shard;      // the part of the inputs to read
  std::stop_token stop;
  std::function<void(const HarvestReport&)> progress;  // called on the calling thread after each file or member
};

// Reads `inputs` into `store` in input order, with any number of threads: two harvests of the same inputs into new
// databases produce the same rows and ids. Content stored with the same extraction is not read again. The contents of
// a file never cause an error. Commits twice per second and after every 32 shaders. Returns NotFound if a path does
// not exist, or store errors. If stopped, keeps the shaders read so far and sets `interrupted`.
absl::StatusOr<HarvestReport> Harvest(store::Store* store, const std::vector<corpus::HarvestInput>& inputs,
                                      const HarvestOptions& options);

// Identifies the reader, flags, options and baseline of fragments. Shaders stored with another digest are read again.
ir::Digest ExtractionDigest(const corpus::FragmentOptions& options, const corpus::Baseline* baseline);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_HARVEST_H_
