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
#include "rules/tree_rules.h"
#include "store/store.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct PackBuildOptions {
  std::vector<std::string> formats;     // as for emitter::FindFormats
  verifier::Solvers solvers;            // for rules not yet verified here; named in the manifest
  std::vector<v1::PackWaiver> waivers;  // rules to omit, with reasons
  const emitter::NirTarget* target = &emitter::NewestNirTarget();
  emitter::TableLimits limits;  // of the pass that the NIR rules of both packs form
  bool measured = false;        // only rules that drivers gain from in trials, at those places
  std::string driver;           // with `measured`, the driver whose trial counts; empty: any
  bool cancelling = false;      // also inexact rules that may lose digits that the search side keeps
  bool all_stages = false;      // inexact rules also for shaders that compute positions (PackEntry.all_stages)
  std::string tree_path;        // the Mesa tree to write a patch for; empty: none
  // A rule that loops with this tree's main pass goes to the late list, and one that loops with its late pass is
  // blocked. Not owned; may be null.
  const rules::TreeRules* tree = nullptr;
  uint32_t work_ms = 0;  // per query that verifies a rule again (verifier/budget.h); 0: the default
  std::stop_token stop;
  std::function<void(size_t, size_t)> progress;  // rules verified again, and their total
};

// Reads waivers from a text proto, `waivers { subject: "ID or machine:op" reason: "why" by: "who" }` as in
// v1::PackManifest. Returns NotFound if the file does not exist. Returns InvalidArgument "FILE:LINE:COLUMN: ..." for
// a malformed file, a waiver without a reason, any other subject, or other fields.
absl::StatusOr<std::vector<v1::PackWaiver>> ReadWaivers(const std::string& path);

// Returns the inner values of the search that must have no other user if the rule is to save anything: computed
// beside the right side, they cost as much as the rule saves over tuned baseline selection. Values are numbered as in
// emitter::ProvedRule::multi_use. Omits values that the search itself uses twice, because a tuple cannot require
// this. Returns none if base selection does not cover the search or the rule saves nothing.
std::vector<uint32_t> SingleUsePlaces(const machine::Candidate& candidate);

struct ExportReport {
  size_t exported = 0;           // rules of both classes
  size_t inexact = 0;            // of these, rules with `~`
  size_t verified = 0;           // of all rules considered, those first verified for this export
  emitter::TableFigures tables;  // of one pass with all NIR rules
  uint64_t text_bytes = 0;       // the size of that pass's rules
  std::vector<emitter::BlockedRule> blocked;
  std::vector<std::string> files;  // paths including the folder
};

// Writes the packs of both classes: strict rules to DIRECTORY/<machine>/, and inexact rules, if any, to
// DIRECTORY/<machine>/inexact/. Verifies rules that this installation has not verified (evidence/verified_rules.h),
// and stores the result if the database is writable. Blocks waived rules, rules that do not hold or have no proof
// under the current semantics, and rules that loop with the tree's late pass. The manifest has the helped/HURT table
// by source and split, with savings against tuned baseline selection; overlapping rules are each counted. With a
// tree, writes the patch that adds the NIR rules of both packs as one pass to DIRECTORY/<machine>.patch, or to
// DIRECTORY/<driver>.patch with that driver's calls. Writes nothing if emitter::TreePatch fails, and returns its
// error. Returns InvalidArgument for an unknown format, and Cancelled, without writing, if stopped during
// verification.
absl::StatusOr<ExportReport> ExportPack(store::Store* store, const machine::Machine& machine,
                                        const std::string& directory, const PackBuildOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_PACK_BUILD_H_
