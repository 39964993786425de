// Builds packs from the store's proved rules and their evidence.
#ifndef REWROUGHT_PIPELINE_PACK_BUILD_H_
#define REWROUGHT_PIPELINE_PACK_BUILD_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "pipeline/support.h"
#include "rules/tree_rules.h"
#include "store/store.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct PackBuildOptions {
  std::vector<std::string> formats;     // names for emitter::FindFormats
  verifier::Solvers solvers;            // used for rules that this installation has not verified; named in the manifest
  std::vector<v1::PackWaiver> waivers;  // rules to omit, with reasons
  const emitter::NirTarget* target = &emitter::DefaultNirTarget();
  emitter::TableLimits limits;  // the limits of the pass that contains the NIR rules of both packs
  bool measured = false;        // export only rules from which drivers gain in trials, at the places where they gain
  std::string driver;           // if `measured`, the driver whose trial counts, or empty for any driver
  bool cancelling = false;      // also export inexact rules that may be less accurate than the search side
  SupportLimits support;        // export only rules that reach these limits, lowered for a small corpus
  bool all_stages = false;      // enable inexact rules also in shaders that compute positions (PackEntry.all_stages)
  std::string tree_path;        // the Mesa tree to write a patch for, or empty
  // Rules that loop with the main pass of this tree are put into the pack's late list, and rules that loop with its
  // late pass are blocked. Not owned; may be null.
  const rules::TreeRules* tree = nullptr;
  uint32_t work_ms = 0;  // the budget of each query that verifies a rule (verifier/budget.h); 0 means the default
  std::stop_token stop;
  std::function<void(size_t, size_t)> progress;  // called with the number of rules verified and their total
};

// Reads waivers from a text proto, with entries `waivers { subject: "ID or machine:op" reason: "why" by: "who" }` as in
// v1::PackManifest. Returns NotFound if the file does not exist. Returns InvalidArgument if the file is malformed
// ("FILE:LINE:COLUMN: ...") or has other fields, or if a waiver has no reason or its subject is neither an ID nor
// machine:op.
absl::StatusOr<std::vector<v1::PackWaiver>> ReadWaivers(const std::string& path);

// Returns the inner values of the search side that must have no other user for the rule to save anything. Computing
// such a value in addition to the replacement costs at least as much as the rule saves over tuned baseline selection.
// Values are numbered as in emitter::ProvedRule::multi_use. Omits values that the search side itself uses twice,
// because a tuple cannot forbid other users of them. Returns an empty list if base selection does not cover the search
// side or the rule saves nothing.
std::vector<uint32_t> SingleUsePlaces(const machine::Candidate& candidate);

struct ExportReport {
  size_t exported = 0;           // the number of rules of both classes
  size_t inexact = 0;            // of these, the number of rules with `~`
  size_t verified = 0;           // the number of rules, exported or not, first verified for this export
  emitter::TableFigures tables;  // figures of the pass that contains all exported NIR rules
  uint64_t text_bytes = 0;       // the size of that pass's rules
  std::vector<emitter::BlockedRule> blocked;
  std::vector<std::string> files;  // paths including the folder
};

// Writes the packs of both classes: strict rules to DIRECTORY/<machine>/, and inexact rules, if any, to
// DIRECTORY/<machine>/inexact/. Verifies the rules that this installation has not verified (evidence/verified_rules.h),
// and stores the results if the database is writable. Blocks waived rules, rules that apply too rarely, rules that do
// not hold or have no proof under the current semantics, rules that do not hold in the target's dialect
// (evidence/target_check.h), and rules that loop with the late pass of `tree`. The manifest contains the numbers of
// shaders helped and hurt, by source and split, with the savings relative to tuned baseline selection; where rules
// overlap, each rule's savings are counted in full. If `tree_path` is set, also writes a patch that adds the NIR rules
// of both packs to the tree as one pass: to DIRECTORY/<driver>.patch, with that driver's calls, if `driver` is set, and
// to DIRECTORY/<machine>.patch otherwise. If emitter::TreePatch fails, writes nothing and returns its error. Returns
// InvalidArgument for an unknown format, and Cancelled, without writing anything, if stopped during verification.
absl::StatusOr<ExportReport> ExportPack(store::Store* store, const machine::Machine& machine,
                                        const std::string& directory, const PackBuildOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_PACK_BUILD_H_
