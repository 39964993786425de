// Runs the steps that precede and follow the search in a nightly run. Each step runs a command of this program in a
// separate process, whose output goes to files in the run's folder. One mail and one JSON object summarize all steps.
#ifndef REWROUGHT_CLI_NIGHT_STEPS_H_
#define REWROUGHT_CLI_NIGHT_STEPS_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/command.h"
#include "cli/json_output.h"

namespace rewrought::cli {

// Options for the steps that the NightlyConfig does not describe. A step is skipped if its option is empty.
struct NightOptions {
  std::string out;  // the folder for all output, which the next nightly run reads; if empty, no step runs
  std::string backup;
  int keep_runs = 0;  // the number of days for which runs are kept; 0 means forever
  std::string tree, waivers;
  std::vector<std::string> audit_words;
  std::vector<std::string> drivers, shaders, held_out, build_drivers, trial_words;
  std::string build, rig;
};

// Returns InvalidArgument if an option is given without another option that it requires.
absl::Status CheckNightOptions(const NightOptions& options);

class NightSteps {
 public:
  // Creates and locks the folder. Returns FailedPrecondition if another nightly run is using the folder, and
  // Unavailable if the folder cannot be created. `program` is the path of this executable. Does not take ownership of
  // `context`.
  static absl::StatusOr<std::unique_ptr<NightSteps>> Take(NightOptions options, std::string program, Context* context);
  ~NightSteps();
  NightSteps(const NightSteps&) = delete;
  NightSteps& operator=(const NightSteps&) = delete;

  // Runs `db check --quick` if the database exists. Returns false if the check fails or the run was stopped.
  bool Check();
  // Calls `search`, which returns a JSON object and sets the context's exit code. Returns false if the remaining steps
  // must be skipped.
  bool Search(const std::function<absl::StatusOr<Json>()>& search);
  void Trial();
  void Audit();
  void Compact();
  void Backup();

  // Writes night.json, mail.txt, and a file in nights/, where the files of the last 30 runs are kept. Returns the exit
  // code (docs/nightly.md, section 1).
  absl::StatusOr<int> Report();
  const std::string& mail() const { return mail_; }
  const std::string& json() const { return json_; }

 private:
  struct Step {
    std::string name;
    int exit = 0;
    bool good = false;
    double seconds = 0;
    std::string said;  // the last lines of the step's log if the step failed
  };
  NightSteps(NightOptions options, std::string program, Context* context, int lock)
      : options_(std::move(options)), program_(std::move(program)), context_(context), lock_(lock) {}

  std::string Path(const std::string& name) const { return options_.out + "/" + name; }
  // Runs a command of this program, waits for it, and returns its exit code. The step succeeds if `good` contains this
  // code. Returns 130 without running the command if the run was stopped.
  int Run(const std::string& name, const std::vector<std::string>& arguments, const std::set<int>& good);
  int Code() const;
  std::string MailOf(int code) const;
  absl::Status SaveNight(const std::string& json) const;

  const NightOptions options_;
  const std::string program_;
  Context* const context_;
  const int lock_;
  std::vector<Step> steps_;
  Json nightly_ = Json::object(), audit_ = Json::object();
  std::vector<std::string> trials_;
  std::string mail_, json_;
};

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_NIGHT_STEPS_H_
