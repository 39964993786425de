// Runs cases on a device and compares the results with the description and the IR, in many threads. Also compares the
// answers of a recording with the description and the IR.
#ifndef REWROUGHT_TOOLS_SILICON_CAMPAIGN_H_
#define REWROUGHT_TOOLS_SILICON_CAMPAIGN_H_

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "tools/silicon/cases.h"
#include "tools/silicon/device.h"
#include "tools/silicon/judge.h"
#include "tools/silicon/recording.h"

namespace rewrought::silicon {

struct CampaignOptions {
  uint64_t inputs = 100'000'000;  // lanes per case
  uint64_t seed = 1;
  size_t keep = 32;  // answers to record per case, in addition to deviations
  int threads = 0;   // 0 for one per core
};

// The result of one case.
struct CaseResult {
  const Case* one = nullptr;
  Tally tally;
  std::string ir_text;            // empty if no op of the IR corresponds to the case
  bool deviation_listed = false;  // whether the description lists the op as deviating from the IR
  std::string refused;            // the log of the driver's compiler if it rejected the PTX
  std::vector<Answer> kept;
  std::string outputs;  // digest of all outputs
  std::string file;     // the recording with the answers; empty for a device
};

// Reports the progress of a case: `done` of its `lanes` lanes are finished.
using OnProgress = std::function<void(const Case& one, uint64_t done, uint64_t lanes)>;

// Runs one case completely. Fails with Cancelled if it is stopped early, and with Internal if the device fails.
absl::StatusOr<CaseResult> RunCase(const machine::Machine& machine, const Case& one, Device* device,
                                   const CampaignOptions& options, std::stop_token stop, const OnProgress& progress);

// Returns the case in the form that a recording stores.
RecordedCase Recorded(const CaseResult& result);

// Compares the answers of a case recorded in `file` with the current description. The `lane` of an example is the line
// number of its answer in `file`. Fails with InvalidArgument "file:line: ..." if the answers do not fit the case.
absl::StatusOr<CaseResult> Replay(const machine::Machine& machine, const Case& one, const RecordedCase& recorded,
                                  const std::string& file);

// Like Replay, but restores the counts of the run that recorded the case. Used to resume a run.
absl::StatusOr<CaseResult> Recall(const machine::Machine& machine, const Case& one, const RecordedCase& recorded,
                                  const std::string& file);

// Returns a readable report: the deviations, with a line for each kind and for each example, and the worst error of an
// approximation. Returns "" if everything agrees.
std::string ReportOf(const CaseResult& result);

struct Summary {
  uint64_t agree = 0, deviate = 0, ir_deviate = 0, ir_listed = 0, undecided = 0, refused = 0, without_ir = 0;

  void Add(const CaseResult& result);
  std::string Text() const;
};

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_CAMPAIGN_H_
