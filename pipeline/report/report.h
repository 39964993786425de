// What a machine's discovery has come to, gathered from the store: corpus, run statistics, ranked rules with their
// evidence.
#ifndef REWROUGHT_PIPELINE_REPORT_REPORT_H_
#define REWROUGHT_PIPELINE_REPORT_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "pipeline/report/driver_report.h"
#include "pipeline/report/savings_over_time.h"
#include "pipeline/sites/measure.h"
#include "pipeline/trial/measured_worth.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/corpus_store.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct ReportOptions {
  size_t max_rules = 200;  // the best ones are described; all are counted
  size_t max_shaders = 5;  // named under each rule
};

// One part of the corpus.
struct SourceReport {
  std::string name;
  bool held_out = false;
  int64_t shaders = 0;
  int64_t instructions = 0;            // ALU ops of its shaders
  std::map<std::string, int64_t> ops;  // how often each op stands in them, by op name
};

struct ShaderHit {
  std::string name;  // as harvested, with its source
  int64_t hits = 0;
  double cycles = 0;  // saved against tuned baseline selection; below 0: hurt
};

struct RuleReport {
  RankedRule row;
  v1::PackEntry detail;  // costs, confirmations, mutants, generalisation
  std::vector<v1::CaseVerdict> proofs;
  std::vector<ShaderHit> shaders;  // best first
};

struct Report {
  std::string machine;
  store::CorpusStore::Counts corpus;
  std::vector<SourceReport> sources;       // by name
  std::string run;                         // id of the machine's last run; empty: there was none
  std::string run_state;                   // "done", "running", ..., with its message
  v1::RunStatistics run_statistics;        // of that run
  std::vector<SavingsAt> savings;          // of all runs of the machine
  std::map<std::string, uint64_t> states;  // how many rules stand where: "new", "kept", "derived", ...
  size_t ranked = 0, beat_tuned_baseline = 0, beat_held_out = 0;
  std::vector<RuleReport> rules;       // best first, at most max_rules
  std::vector<MeasuredRule> measured;  // that were tried on drivers (`rewrought trial`), best first
  std::vector<DriverReport> drivers;   // of `measured`
};

// Gathers the report of `machine`, an id. The store's errors; a store without shaders, runs or rules is no error.
absl::StatusOr<Report> MakeReport(store::Store* store, const std::string& machine, const ReportOptions& options);

// The report as text for a terminal: corpus, run statistics, one block per rule. Ends with a hint where a part is
// empty.
std::string ReportText(const Report& report);

// The report as one HTML page without scripts or outside resources; every text from the store is escaped.
std::string ReportHtml(const Report& report);

// The same for several machines on one page, in order.
std::string ReportHtml(const std::vector<Report>& reports);

// "3 of 3 cases proved; confirmed by cvc5 1.0.3, ...; mutants 9 refuted, 0 equivalent, 1 undecided": of one rule.
std::string EvidenceLine(const RuleReport& rule);

// What is missing and which command adds it; empty: nothing.
std::string MissingParts(const Report& report);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_REPORT_H_
