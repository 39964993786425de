// Packs from the store: the proved rules of a machine with their evidence, handed to the emitter and written.
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
  std::vector<std::string> formats;     // as emitter::FindFormats takes them
  verifier::Solvers solvers;            // that verify again what was not verified here; the manifest names them
  std::vector<v1::PackWaiver> waivers;  // rules that are left out, with a reason
  const emitter::NirTarget* target = &emitter::NewestNirTarget();
  emitter::TableLimits limits;  // of the pass that both packs' NIR rules make
  bool measured = false;        // only rules that drivers were measured to gain from, at the places where they do
  std::string driver;           // with `measured`: the one whose trial counts; empty: any
  bool cancelling = false;      // also inexact rules that are not shown to keep the search side's digits
  bool all_stages = false;      // inexact rules also for shaders that compute positions (PackEntry.all_stages)
  std::string tree_path;        // the root of a Mesa tree that a patch is written for; empty: none
  const rules::TreeRules* tree =
      nullptr;           // of the driver: rules that loop with it go to the late list, or nowhere. Not owned
  uint32_t work_ms = 0;  // of each query that verifies a rule again (verifier/budget.h); 0: the usual
  std::stop_token stop;
  std::function<void(size_t, size_t)> progress;  // rules verified again, and how many are to be
};

// The waivers of a maintainer's file: text proto, `waivers { subject: "ID or machine:op" reason: "why" by: "who" }`,
// the field of v1::PackManifest. NotFound: no such file; InvalidArgument "FILE:LINE:COLUMN: ...", also for a waiver
// without a reason, a subject that is neither, and other fields.
absl::StatusOr<std::vector<v1::PackWaiver>> ReadWaivers(const std::string& path);

// Inner values of the search, numbered as emitter::ProvedRule::multi_use, that must have no other user for the rule to
// save anything: computed beside the right side, they cost as much as it saves over tuned baseline selection. Values
// that the search itself uses twice are not among them, as no tuple can ask that of them. Empty where base selection
// does not cover the search, or where the rule saves nothing to begin with.
std::vector<uint32_t> SingleUsePlaces(const machine::Candidate& candidate);

struct ExportReport {
  size_t exported = 0;           // of both classes
  size_t inexact = 0;            // of these, those with `~`
  size_t verified = 0;           // of all offered, those that were not known here and were verified for this export
  emitter::TableFigures tables;  // of one pass of all
  uint64_t text_bytes = 0;       // of its rules
  std::vector<emitter::BlockedRule> blocked;
  std::vector<std::string> files;  // with their folder
};

// Builds the packs of both classes and writes them, strict rules to DIRECTORY/<machine>/, inexact ones, if there are
// any, to DIRECTORY/<machine>/inexact/. What the database says of a rule is believed if this installation verified it
// (evidence/verified_rules.h); else it is verified now, and noted if the database can be written. A rule that does not
// hold then, or without a proof of the present semantics, is left out; a waived one is blocked, and so is what loops
// with the late pass of the tree. The manifest has the helped/HURT table by source and split (savings against tuned
// baseline selection, rules that overlap counted each). With a tree, the patch that puts both packs' NIR rules into it
// as one pass is DIRECTORY/<machine>.patch, or DIRECTORY/<driver>.patch with that driver's calls; errors as
// emitter::TreePatch, nothing is written then. InvalidArgument: an unknown format; Cancelled: stopped while rules were
// verified, nothing is written.
absl::StatusOr<ExportReport> ExportPack(store::Store* store, const machine::Machine& machine,
                                        const std::string& directory, const PackBuildOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_PACK_BUILD_H_
