// What the store holds, as plain structs. Texts are bytes: any are kept and given back as they were. Lists come back
// sorted.
#ifndef REWROUGHT_STORE_RECORDS_H_
#define REWROUGHT_STORE_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "corpus/site_record.h"
#include "ir/digest.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::store {

// ---- Corpus

// Where a shader was seen: the same content may occur in several sources under several names.
struct Occurrence {
  std::string source;
  std::string name;
  friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};

struct ShaderRecord {
  ir::Digest digest;  // of the content that was read
  std::string stage;
  int64_t alu_instructions = 0;
  ir::Digest
      extraction;  // of reader, baseline rules and extraction options: what the fragments depend on beside the content
  std::vector<std::pair<std::string, int64_t>> notes;  // what the reader did not know, with counts; no text twice
};

enum class Split : uint8_t { kDiscovery = 1, kHeldOut = 2 };

struct FragmentSummary {
  ir::Digest digest;
  corpus::FragmentRecord fragment;
  int64_t sources = 0;
  int64_t shaders = 0;
  int64_t sites = 0;
  int64_t loop_weight = 0;
};

// One stored site row, with the shader that it is in.
struct SiteView {
  ir::Digest shader;
  int64_t count = 0;
  int64_t loop_weight = 0;
  std::vector<int32_t> lines;
  uint64_t node_flags = 0;
  uint64_t multi_use = 0;
  std::string facts;
};

// ---- Search

// Under one key nothing is tried twice.
struct AttemptKey {
  ir::Digest fragment;
  std::string machine;
  ir::Digest semantics;
  ir::Digest search;  // of the search's configuration
};

// The higher one wins where two databases differ. Numbers are on disk.
enum class AttemptOutcome : uint8_t {
  kCutShort = 1,    // a budget ended it: worth another try with a larger one
  kNothing = 2,     // the space was searched, nothing cheaper was found
  kCandidates = 3,  // something was found
};

struct AttemptRecord {
  AttemptKey key;
  AttemptOutcome outcome = AttemptOutcome::kCutShort;
  int64_t enumerated = 0;
  int64_t candidates = 0;
  double milliseconds = 0;
};

struct CandidateRecord {
  ir::Digest id;  // ir::RuleId(text, machine)
  std::string machine;
  std::optional<ir::Digest> fragment;  // none: enumerated without a corpus
  std::string text;
};

struct VerdictRecord {
  ir::Digest rule;       // ir::RuleId
  std::string case_key;  // sizes and mode as the caller spells them
  ir::Digest semantics;
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;
  std::string tier;
  std::string reason;
  std::string confirmed_by;
  std::string witness;      // bytes
  std::string certificate;  // bytes
  double milliseconds = 0;
};

// ---- Rules

// The numbers of v1::RuleClass, v1::RuleState and v1::RunState are on disk; the higher one wins where two databases
// differ, but for v1::RUN_STATE_PAUSED, which counts as less far than one that runs: merge.cc has the order.

struct RuleRecord {
  ir::Digest id;
  std::string machine;  // empty: a rule of the IR
  std::string search;
  std::string replace;
  std::string program;
  std::string condition;
  uint32_t flags = 0;  // ir::NodeFlag, of the search's root
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  v1::RuleState state = v1::RULE_STATE_NEW;
  std::string reason;  // of a state
  std::optional<ir::Digest> generalised_from;
  std::optional<ir::Digest> fragment;
  ir::Digest semantics;
  std::string created_run;                 // empty: no run
  absl::Time created = absl::UnixEpoch();  // kept in microseconds
  std::string detail;                      // bytes for the caller: generalisation, costs
  std::vector<std::string> ops;            // of the search side, for listing by op
};

struct MeasurementRecord {
  ir::Digest rule;
  Split split = Split::kHeldOut;
  int64_t hits = 0;
  int64_t shaders = 0;
  int64_t sources = 0;
  double naive_instructions = 0;  // saved against one instruction per op
  double naive_cycles = 0;
  double tuned_instructions = 0;  // saved against tuned baseline selection
  double tuned_cycles = 0;
};

struct HitRecord {
  ir::Digest shader;
  int64_t hits = 0;
  double saved_instructions = 0;  // below 0: hurt
  double saved_cycles = 0;
  std::vector<int32_t> lines;  // the first kMaxLines are kept
};

// ---- Runs

struct RunRecord {
  std::string id;    // unique over all databases that will ever be merged
  std::string kind;  // "nightly", "discover", "enumerate"
  std::string config;
  v1::RunState state = v1::RUN_STATE_QUEUED;
  std::string message;
  std::string run_statistics = "{}";       // JSON
  std::string cursor;                      // bytes: where to resume
  absl::Time started = absl::UnixEpoch();  // times are kept in microseconds
  absl::Time updated = absl::UnixEpoch();
  std::optional<absl::Time> ended;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_RECORDS_H_
