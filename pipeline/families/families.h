// Groups the rules of a database into families: a few general rules, each of which covers many discovered ones.
#ifndef REWROUGHT_PIPELINE_FAMILIES_FAMILIES_H_
#define REWROUGHT_PIPELINE_FAMILIES_FAMILIES_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "emitter/nir/nir_target.h"
#include "ir/digest.h"
#include "ir/term.h"
#include "pipeline/support.h"
#include "rules/tree_rules.h"
#include "store/store.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {

// The discovery shaders in which rules apply, according to the stored measurements (sites/measure.h).
struct Support {
  std::set<ir::Digest> shaders;
  std::set<std::string> sources;
  int64_t sites = 0;

  void Add(const Support& other);
};

// A NIR rule that discovery found for one or more machines.
struct DiscoveredRule {
  ir::Rule rule;                      // in the target's dialect, with the condition that its new ops require
  std::string text;                   // in display form
  std::vector<std::string> machines;  // sorted
  Support support;
};

struct RuleFamily {
  // The general rule at one or more sizes, and then the other rules of the family, all of them proved.
  std::vector<ir::Rule> members;
  size_t own_sizes = 1;  // the number of leading members that are the general rule
  bool late = false;     // the rules belong after the tree's main pass
  // The discovered rules that the members cover, in descending order of the number of shaders. The first of them was
  // generalized.
  std::vector<DiscoveredRule> instances;
  Support support;  // of all instances
};

struct FamilyOptions {
  std::vector<std::string> machines;                                // ids; empty means every machine of the database
  const emitter::NirTarget* target = &emitter::DefaultNirTarget();  // the version of Mesa
  // The tree's rules. Not owned; may be null.
  const rules::TreeRules* tree = nullptr;
  std::chrono::milliseconds limit = std::chrono::seconds(10);  // for each generalization
  SupportLimits support;                                       // of each family
  bool cancelling = false;                                     // use `~` rules that may be less accurate
  size_t threads = 0;                                          // 0 means one per core
  std::stop_token stop = {};
  std::function<void(size_t done, size_t all)> progress = nullptr;  // called with numbers of discovered rules
};

// A rule that is in no family, and the reason.
struct LeftOut {
  DiscoveredRule rule;
  std::string reason;
};

struct FamilyReport {
  std::vector<RuleFamily> families;  // in descending order of the number of shaders
  std::vector<LeftOut> left_out;
  bool stopped = false;  // a stop was requested before all rules had been considered
};

// Generalizes the rules of the databases that hold, are NIR rules, and save cycles on the discovery shaders. Considers
// them in descending order of the number of shaders: a rule that an existing family covers becomes its instance, and
// every other rule founds a family. Marks an inner value of a rule `is_used_once` if the rule saves nothing where the
// value has other users; the generalization drops the marks that it does not need. Every general rule is proved in mode
// `any` (see Generalize).
//
// Leaves out rules that need a predicate or an op that the target lacks, `~` rules that are not shown to be as accurate
// as the code that they replace unless `cancelling` is set, rules whose saving the tree's own rules achieve already,
// and families that the tree's rules undo or that have less support than required. The result depends on the number of
// threads and on the load only through time limits. Propagates store errors.
absl::StatusOr<FamilyReport> FindFamilies(absl::Span<store::Store* const> stores, const verifier::Prover& prover,
                                          const FamilyOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_FAMILIES_FAMILIES_H_
