// Builds a pack: selects the proved rules that may be exported, orders them, and records why the other rules are
// omitted.
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
  // Values of the search side that have other users at some site, numbered in prefix order (the root is 0).
  std::vector<uint32_t> multi_use;
  std::string objection;        // If nonempty, the reason to keep the rule out of packs.
  bool literals_exact = false;  // The proofs distinguish 0.0 from -0.0 on the search side.
};

struct PackOptions {
  std::string machine;  // The machine's id. Its cost model orders the pack.
  const NirTarget* target = &DefaultNirTarget();
  // The class of the pack. Rules of the other class are set aside.
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  // Requires that a second solver or an exhaustive test confirm the proofs, that another encoding agree on 10^5
  // vectors, and that a mutant be refuted.
  bool require_confirmations = true;
  // Limits for the pass of the pack's NIR rules. The pass already contains the entries `beside`.
  TableLimits limits;
  std::vector<v1::PackEntry> beside;
  v1::PackManifest manifest;  // Provides the fields corpus, solver_versions, waivers, effects, and uncovered_ops.
  std::vector<std::pair<std::string, std::string>> peers;  // Each peer's name and the result of the comparison.
};

struct BlockedRule {
  std::string id;
  std::string rule;  // The text of the rule as offered.
  std::string reason;
};

// Facts about the pass of a pack's NIR rules.
struct PassFacts {
  TableFigures tables;      // Including the entries beside the pack.
  uint64_t text_bytes = 0;  // The size of the rules as tuples.
  OpWeights weights;        // The weights for the measure of first passes; second passes use 0.
};

struct Pack {
  v1::Pack message;    // Its manifest.files is empty until the pack is rendered.
  std::string target;  // NirTarget::name()
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<BlockedRule> blocked;  // Sorted by rule, then by reason.
  uint64_t set_aside = 0;            // The number of rules of the other class.
  std::vector<std::pair<std::string, std::string>> peers;
  PassFacts pass;
};

// Builds the pack of `candidates`. Its rules are sorted by cycles saved and then by search size, both in descending
// order, and then by text. According to the machine's model, every rule decreases the tuple (cycles, number of ops or
// instructions, text). A NIR rule also decreases the measure of one of the passes at its place (docs/passes.md); this
// may require marking inner ops is_used_once. If the NIR rules exceed the table limits, the least useful rules are
// blocked. The result does not depend on the order of `candidates`. Fails with NotFound if the machine is unknown.
absl::StatusOr<Pack> BuildPack(std::vector<ProvedRule> candidates, const PackOptions& options);

// Returns the SHA-256 of the entries' machine, ids, texts, preconditions, and stages, in order.
std::string PackDigest(const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_H_
