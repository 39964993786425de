// Builds a pack: takes proved rules, keeps what may be exported, orders it, and says of everything else why it stays
// out.
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

// One rule offered to a pack, with its evidence.
struct ProvedRule {
  v1::PackEntry entry;  // an empty rule.id is filled in
  // Values of the search that have other users at some site, numbered in prefix order of the search (the root is 0).
  std::vector<uint32_t> multi_use;
  std::string objection;        // not empty: why it stays out of packs
  bool literals_exact = false;  // the proofs told a search's 0.0 and -0.0 apart
};

struct PackOptions {
  std::string machine;  // id; its cost model orders the pack
  const NirTarget* target = &NewestNirTarget();
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;  // a pack holds one class; the other is set aside
  // Whether each rule must come with a second solver (or exhaustion), 10^5 vectors through another encoding, and a
  // refuted mutant.
  bool require_confirmations = true;
  // Tables of the pass that the pack's NIR rules make, together with the entries of `beside`, which are in it already.
  TableLimits limits;
  std::vector<v1::PackEntry> beside;
  v1::PackManifest manifest;  // corpus, solver_versions, waivers, effects, uncovered_ops as they are to stand
  std::vector<std::pair<std::string, std::string>> peers;  // name and what the comparison found
};

struct BlockedRule {
  std::string id;
  std::string rule;  // as it was offered
  std::string reason;
};

// What is known of the pass that a pack's NIR rules make.
struct PassFacts {
  TableFigures tables;      // with the entries beside it
  uint64_t text_bytes = 0;  // of the rules as tuples
  OpWeights weights;        // of the order that the rules of its first passes lower; of second ones all are 0
};

struct Pack {
  v1::Pack message;    // manifest.files is empty until the pack is written
  std::string target;  // NirTarget::name()
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<BlockedRule> blocked;  // by rule, then reason
  uint64_t set_aside = 0;            // rules of the other class
  std::vector<std::pair<std::string, std::string>> peers;
  PassFacts pass;
};

// The pack of `candidates`, in the order in which rules are to be tried: cycles saved, then size of the search, both
// largest first, then text. Every rule lowers (cycles, number of ops or instructions, text) by the machine's model, and
// a NIR rule the order of one of its place's passes (docs/passes.md), for which inner ops may be marked is_used_once.
// NIR rules that the tables' limits leave no room for are blocked, those that saved least on the corpus first. The
// result does not depend on the candidates' order. NotFound for an unknown machine.
absl::StatusOr<Pack> BuildPack(std::vector<ProvedRule> candidates, const PackOptions& options);

// SHA-256 over machine, ids, texts, preconditions and stages of the entries, in order.
std::string PackDigest(const v1::Pack& pack);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_H_
