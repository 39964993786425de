// Builds a pack: selects the proved rules that may be exported, orders them, and records a reason for each other rule.
#ifndef REWROUGHT_EMITTER_PACK_H_
#define REWROUGHT_EMITTER_PACK_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pass/automaton.h"
#include "emitter/pass/pass_order.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// A rule offered to a pack, with its evidence.
struct ProvedRule {
  v1::PackEntry entry;  // An empty rule.id is filled in.
  // Values of the search side with other users at some site, in prefix order (the root is 0).
  std::vector<uint32_t> multi_use;
  std::string objection;        // If nonempty, why the rule must stay out of packs.
  bool literals_exact = false;  // The proofs distinguish 0.0 from -0.0 in the search side.
};

struct PackOptions {
  std::string machine;  // Id; its cost model orders the pack.
  const NirTarget* target = &NewestNirTarget();
  // Rules of the other class are set aside.
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  // Requires a second solver or exhaustion, 10^5 vectors through another encoding, and a refuted mutant.
  bool require_confirmations = true;
  // Limits for the pass of the pack's NIR rules and of `beside`, which the pass already contains.
  TableLimits limits;
  std::vector<v1::PackEntry> beside;
  v1::PackManifest manifest;  // Provides corpus, solver_versions, waivers, effects, and uncovered_ops.
  std::vector<std::pair<std::string, std::string>> peers;  // Names with results of the comparison.
};

struct BlockedRule {
  std::string id;
  std::string rule;  // As offered.
  std::string reason;
};

// Facts about the pass of a pack's NIR rules.
struct PassFacts {
  TableFigures tables;      // Including the entries beside the pack.
  uint64_t text_bytes = 0;  // Of the rules as tuples.
  OpWeights weights;        // Of the order in first passes; 0 in second passes.
};

struct Pack {
  v1::Pack message;    // Without manifest.files until the pack is written.
  std::string target;  // NirTarget::name()
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<BlockedRule> blocked;  // Sorted by rule, then by reason.
  uint64_t set_aside = 0;            // Rules of the other class.
  std::vector<std::pair<std::string, std::string>> peers;
  PassFacts pass;
};

// Builds the pack of `candidates`. Rules are tried in order of cycles saved, then of search size, both largest first,
// then of text. Every rule lowers (cycles, number of ops or instructions, text) by the machine's model. A NIR rule also
// lowers the order of one of its place's passes (docs/passes.md), which may require marking inner ops is_used_once. NIR
// rules beyond the table limits are blocked, least useful first. The result does not depend on the order of candidates.
// Fails with NotFound for an unknown machine.
absl::StatusOr<Pack> BuildPack(std::vector<ProvedRule> candidates, const PackOptions& options);

// Returns the SHA-256 of the entries' machine, ids, texts, preconditions, and stages, in order.
std::string PackDigest(const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_H_
