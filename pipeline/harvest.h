// Harvest: shaders from files, folders and archives into the store, each content once.
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

// What a harvest read; the fields are those of `rewrought harvest --json`.
struct HarvestReport {
  uint64_t shaders = 0;  // met, those stored before included
  uint64_t added = 0;    // "new": stored now
  uint64_t skipped = 0;  // files and members without a shader that could be read
  std::map<std::string, uint64_t> reasons;
  std::vector<std::string> skipped_inputs;      // "path: reason: particulars", the first kMaxSkippedNames of a reason
  uint64_t fragments = 0;                       // sites of the new shaders
  uint64_t distinct = 0;                        // fragments of the new shaders
  std::map<std::string, uint64_t> ops, opaque;  // of the new shaders, as read
  uint64_t rewritten = 0;                       // applications of the baseline's rules in the new shaders
  bool interrupted = false;
  uint64_t bytes_done = 0, bytes = 0;  // of files: of those that are all read, and of all
};

inline constexpr uint64_t kMaxSkippedNames = 50;

struct HarvestOptions {
  corpus::FragmentOptions fragments;
  corpus::GlslOptions glsl;
  // Not owned; null: none. Shaders are normalised by it before fragments are taken, but not NIR text, which a driver
  // has printed after its own rules.
  const corpus::Baseline* baseline = nullptr;
  int threads = 0;  // that read shaders, beside those that read files and write the store; 0: one per core
  uint64_t file_bytes = 1u << 30;  // a larger file is skipped
  corpus::HarvestShard shard;      // what of the inputs is read
  std::stop_token stop;
  std::function<void(const HarvestReport&)> progress;  // after each file or member, from the calling thread
};

// Reads `inputs` into `store`, in the order of the inputs, whatever the number of threads: two harvests of the same
// into new databases give the same rows with the same ids. What is stored already under the same extraction costs one
// look at its bytes; nothing in a file is an error. Commits twice a second, and after every 32 shaders. NotFound: there
// is no such path; else the store's errors. Stopped: what was read is kept and the report says so.
absl::StatusOr<HarvestReport> Harvest(store::Store* store, const std::vector<corpus::HarvestInput>& inputs,
                                      const HarvestOptions& options);

// Names how fragments are made: reader, flags, options, baseline. Shaders stored under another digest are read again.
ir::Digest ExtractionDigest(const corpus::FragmentOptions& options, const corpus::Baseline* baseline);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_HARVEST_H_
