// Defines the records of the store as plain structs. Strings may contain any bytes and are returned unchanged. Lists
// are returned sorted.
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

// A place where a shader was found. The same content may occur in several sources under several names.
struct Occurrence {
  std::string source;
  std::string name;
  friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};

struct ShaderRecord {
  ir::Digest digest;  // digest of the shader's content
  std::string stage;
  int64_t alu_instructions = 0;
  ir::Digest
      // The digest of the reader, the baseline rules, and the extraction options, which together with the shader's
      // content determine the fragments.
      extraction;
  std::vector<std::pair<std::string, int64_t>> notes;  // unknown constructs and their counts; no construct occurs twice
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

// At most one attempt is stored for each key.
struct AttemptKey {
  ir::Digest fragment;
  std::string machine;
  ir::Digest semantics;
  ir::Digest search;  // digest of the search's configuration
};

// If the outcomes in two databases differ, a merge keeps the higher one. The numbers are stored on disk.
enum class AttemptOutcome : uint8_t {
  kCutShort = 1,    // a budget ended the attempt; a larger budget may find more
  kNothing = 2,     // the whole space was searched, and nothing cheaper was found
  kCandidates = 3,  // at least one candidate was found
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
  std::optional<ir::Digest> fragment;  // nullopt if enumerated without a corpus
  std::string text;
};

struct VerdictRecord {
  ir::Digest rule;       // the id that ir::RuleId returns
  std::string case_key;  // the case's sizes and mode in the caller's notation
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

// The numbers of v1::RuleClass, v1::RuleState, and v1::RunState are stored on disk. If the numbers in two databases
// differ, a merge keeps the higher one, except that v1::RUN_STATE_PAUSED ranks the same as the running state (see
// merge_steps.h).

struct RuleRecord {
  ir::Digest id;
  std::string machine;  // empty if the rule does not depend on a machine
  std::string search;
  std::string replace;
  std::string program;
  std::string condition;
  uint32_t flags = 0;  // ir::NodeFlag bits of the search's root
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  v1::RuleState state = v1::RULE_STATE_NEW;
  std::string reason;  // why the rule is in this state
  std::optional<ir::Digest> generalised_from;
  std::optional<ir::Digest> fragment;
  ir::Digest semantics;
  std::string created_run;                 // empty if no run found the rule
  absl::Time created = absl::UnixEpoch();  // stored in microseconds
  std::string detail;                      // bytes that only the caller interprets: generalization, costs
  std::vector<std::string> ops;            // ops of the search side, used to list rules by op
};

struct MeasurementRecord {
  ir::Digest rule;
  Split split = Split::kHeldOut;
  int64_t hits = 0;
  int64_t shaders = 0;
  int64_t sources = 0;
  double naive_instructions = 0;  // instructions saved relative to one instruction per op
  double naive_cycles = 0;
  double tuned_instructions = 0;  // instructions saved relative to tuned baseline selection
  double tuned_cycles = 0;
};

struct HitRecord {
  ir::Digest shader;
  int64_t hits = 0;
  double saved_instructions = 0;  // negative if the rule hurts
  double saved_cycles = 0;
  std::vector<int32_t> lines;  // only the first kMaxLines are stored
};

// ---- Runs

struct RunRecord {
  std::string id;    // unique across all databases that may be merged
  std::string kind;  // "nightly", "discover", "enumerate"
  std::string config;
  v1::RunState state = v1::RUN_STATE_QUEUED;
  std::string message;
  std::string run_statistics = "{}";       // JSON
  std::string cursor;                      // bytes that only the caller interprets: where to resume
  absl::Time started = absl::UnixEpoch();  // all times are stored in microseconds
  absl::Time updated = absl::UnixEpoch();
  std::optional<absl::Time> ended;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_RECORDS_H_
