// The steps around a night's search, each a command of this program in a process of its own: what each writes goes to
// files of the night's folder, how each ended is known, and one mail and one JSON object tell all of it.
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

// What a night does beside its NightlyConfig; an empty part is left out.
struct NightOptions {
  std::string out;  // folder of reports, and of what the next night compares with; empty: no step is done
  std::string backup;
  int keep_runs = 0;  // days; 0: forever
  std::string tree, waivers;
  std::vector<std::string> audit_words;
  std::vector<std::string> drivers, shaders, held_out, build_drivers, trial_words;
  std::string build, rig;
};

// InvalidArgument: a part that takes another one is there without it.
absl::Status CheckNightOptions(const NightOptions& options);

class NightSteps {
 public:
  // Makes the folder and takes it: FailedPrecondition if another night is at work in it, Unavailable if it cannot be
  // made. `program` is this one. Nothing else is owned.
  static absl::StatusOr<std::unique_ptr<NightSteps>> Take(NightOptions options, std::string program, Context* context);
  ~NightSteps();
  NightSteps(const NightSteps&) = delete;
  NightSteps& operator=(const NightSteps&) = delete;

  // The database's quick check, where there is one; false: it is damaged, or the night was stopped.
  bool Check();
  // The search itself, in this process: `search` gives its JSON object and leaves its exit code in the context; what is
  // said otherwise goes to standard error. False: the rest makes no sense.
  bool Search(const std::function<absl::StatusOr<Json>()>& search);
  void Trial();
  void Audit();
  void Compact();
  void Backup();

  // Writes night.json, mail.txt and nights/, of which the last 30 stay. The exit code (docs/nightly.md 1).
  absl::StatusOr<int> Report();
  const std::string& mail() const { return mail_; }
  const std::string& json() const { return json_; }

 private:
  struct Step {
    std::string name;
    int exit = 0;
    bool good = false;
    double seconds = 0;
    std::string said;  // the end of its messages, where it is not good
  };
  NightSteps(NightOptions options, std::string program, Context* context, int lock)
      : options_(std::move(options)), program_(std::move(program)), context_(context), lock_(lock) {}

  std::string Path(const std::string& name) const { return options_.out + "/" + name; }
  // Runs a command to its end; 130 without it once the night is stopped.
  int Run(const std::string& name, const std::vector<std::string>& arguments, const std::set<int>& good);
  int Code() const;
  std::string MailOf(int code) const;
  absl::Status KeepNight(const std::string& json) const;

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
