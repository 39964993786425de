// Gathers a machine's discovery results from the store, and formats them as text and HTML.
#ifndef REWROUGHT_PIPELINE_REPORT_REPORT_H_
#define REWROUGHT_PIPELINE_REPORT_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "pipeline/report/driver_report.h"
#include "pipeline/report/rule_families.h"
#include "pipeline/report/savings_over_time.h"
#include "pipeline/sites/measure.h"
#include "pipeline/trial/measured_worth.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/corpus_store.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct ReportOptions {
  size_t max_families = 200;  // the maximum number of families to describe; all of them are counted
  size_t max_shaders = 5;     // the maximum number of shaders to name for each family
};

struct SourceReport {
  std::string name;
  bool held_out = false;
  int64_t shaders = 0;
  int64_t instructions = 0;            // the number of ALU instructions in its shaders
  std::map<std::string, int64_t> ops;  // the number of occurrences by op name
};

struct ShaderHit {
  std::string name;  // the source and the name under which the shader was harvested
  int64_t hits = 0;
  double cycles = 0;  // saved relative to tuned baseline selection; negative if the rule hurts
};

// A family of rules, with details of its first rule.
struct FamilyDetail : ReportedFamily {
  v1::PackEntry detail;  // contains costs, confirmations, mutants, and the generalization
  std::vector<v1::CaseVerdict> proofs;
  std::vector<ShaderHit> shaders;  // best first
};

struct Report {
  std::string machine;
  store::CorpusStore::Counts corpus;
  std::vector<SourceReport> sources;       // sorted by name
  std::string run;                         // the id of the last run; empty if none
  std::string run_state;                   // "done", "not finished", ..., followed by the run's message
  v1::RunStatistics run_statistics;        // the statistics of the last run
  std::vector<SavingsAt> savings;          // over all runs for the machine
  std::map<std::string, uint64_t> states;  // the number of rules by state: "new", "kept", "derived", ...
  size_t ranked = 0, beat_tuned_baseline = 0, beat_held_out = 0;
  size_t all_families = 0;             // the number of families of ranked rules
  std::vector<FamilyDetail> families;  // best first, at most max_families
  std::vector<MeasuredRule> measured;  // the rules tried on drivers (`rewrought trial`), best first
  std::vector<DriverReport> drivers;   // the results of the drivers for `measured`
};

// Returns the report for the machine with this id. Propagates store errors. Missing shaders, runs, or rules are not
// errors.
absl::StatusOr<Report> MakeReport(store::Store* store, const std::string& machine, const ReportOptions& options);

// Returns the report as text for a terminal. The text ends with a hint if data is missing.
std::string ReportText(const Report& report);

// Returns the report as one HTML page without scripts or external resources. All text from the store is escaped.
std::string ReportHtml(const Report& report);

// Returns one HTML page with the reports of several machines, in the given order.
std::string ReportHtml(const std::vector<Report>& reports);

// Returns a line such as "3 of 3 cases proved; confirmed by cvc5 1.0.3, ...; mutants 9 refuted, 0 equivalent, 1
// undecided".
std::string EvidenceLine(const FamilyDetail& family);

// Returns a sentence that names the missing data and the command that adds it, or "" if nothing is missing.
std::string MissingParts(const Report& report);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_REPORT_H_
