// Runs cases on a device, on many threads, and compares; or compares what a recording holds.
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
  uint64_t inputs = 100'000'000;  // lanes of a case
  uint64_t seed = 1;
  size_t keep = 32;  // answers of a case that are recorded, besides those that deviate
  int threads = 0;   // 0: as many as there are cores
};

// What one case came to.
struct CaseResult {
  const Case* one = nullptr;
  Tally tally;
  std::string ir_text;            // empty: no op of the IR stands for it
  bool deviation_listed = false;  // of that op, by the description
  std::string refused;            // the driver's compiler did not take the PTX: its log
  std::vector<Answer> kept;
  std::string outputs;  // digest of all outputs
  std::string file;     // of the recording that the answers come from; empty: from the device
};

// Called with what a case is at: lanes done of all.
using OnProgress = std::function<void(const Case& one, uint64_t done, uint64_t lanes)>;

// One case, whole. Cancelled when stopped before its end; Internal when the device failed.
absl::StatusOr<CaseResult> RunCase(const machine::Machine& machine, const Case& one, Device* device,
                                   const CampaignOptions& options, std::stop_token stop, const OnProgress& progress);

// The case as a recording keeps it.
RecordedCase Recorded(const CaseResult& result);

// Compares the answers of a case recorded in `file` with the description as it is now. `lane` of an example is its
// line. InvalidArgument "file:line: ..." when the answers do not fit the case.
absl::StatusOr<CaseResult> Replay(const machine::Machine& machine, const Case& one, const RecordedCase& recorded,
                                  const std::string& file);

// As Replay, with the counts that the run had which recorded the case: for a run that goes on.
absl::StatusOr<CaseResult> Recall(const machine::Machine& machine, const Case& one, const RecordedCase& recorded,
                                  const std::string& file);

// Text for people: what deviates, a line for each kind and one for each example, and how far an approximation is off.
// Empty where all agrees.
std::string ReportOf(const CaseResult& result);

struct Summary {
  uint64_t agree = 0, deviate = 0, ir_deviate = 0, ir_listed = 0, undecided = 0, refused = 0, without_ir = 0;

  void Add(const CaseResult& result);
  std::string Text() const;
};

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_CAMPAIGN_H_
