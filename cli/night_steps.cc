#include "cli/night_steps.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "emitter/pack_files.h"
#include "proto/read_file.h"

namespace rewrought::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNights = 30;   // the number of files kept in nights/
constexpr size_t kLogLines = 5;  // the number of log lines per failed step in the mail
constexpr char kAuditJson[] = "last_audit.json";

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string LastLines(const std::string& path) {
  const absl::StatusOr<std::string> text = proto::ReadFile(path, proto::kFileLimits);
  if (!text.ok()) return absl::StrCat("    ", text.status().message(), "\n");
  const std::vector<absl::string_view> lines = absl::StrSplit(absl::StripSuffix(*text, "\n"), '\n');
  std::string last;
  for (size_t i = lines.size() > kLogLines ? lines.size() - kLogLines : 0; i < lines.size(); ++i) {
    absl::StrAppend(&last, "    ", lines[i], "\n");
  }
  return last;
}

// Executes the step's command in the forked process. `words` ends with a null pointer. Does not allocate memory,
// because another thread may have held the allocator's lock during the fork.
[[noreturn]] void BecomeStep(char* const* words, const char* out, const char* log) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // the step ends when this process dies
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const auto redirect = [](const char* path, int flags, int to) {
    const int file = open(path, flags, 0666);
    if (file < 0 || dup2(file, to) < 0) _exit(127);
  };
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(log, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  execv(words[0], words);
  _exit(127);
}

void AddWords(const char* name, const std::vector<std::string>& values, std::vector<std::string>* words) {
  if (values.empty()) return;
  words->push_back(name);
  words->insert(words->end(), values.begin(), values.end());
}

std::string MachineLine(const Json& machine) {
  const std::string ended_by = machine["ended_by"];
  std::string line =
      absl::StrFormat("%s: %d rules; new %d, lost %d, refuted %d, savings changed %d; exported %d%s.\n",
                      machine["machine"].get<std::string>(), machine["rules"].get<int64_t>(), machine["new"].size(),
                      machine["lost"].size(), machine["refuted"].size(), machine["changed"].size(),
                      machine["exported"].get<int64_t>(), ended_by.empty() ? "" : "; ended by " + ended_by);
  for (const char* kind : {"lost", "refuted"}) {
    for (const Json& rule : machine[kind]) absl::StrAppend(&line, "  ", kind, ": ", rule.get<std::string>(), "\n");
  }
  return line;
}

}  // namespace

absl::Status CheckNightOptions(const NightOptions& options) {
  if (options.drivers.empty() != options.shaders.empty())
    return absl::InvalidArgumentError("--trial-driver requires --trial-shaders, and vice versa");
  const bool steps = !options.backup.empty() || options.keep_runs > 0 || !options.tree.empty() ||
                     !options.drivers.empty() || !options.waivers.empty();
  if (options.out.empty() && steps)
    return absl::InvalidArgumentError("steps around the search require --out, the folder for their output");
  if (options.tree.empty() && (!options.waivers.empty() || !options.audit_words.empty()))
    return absl::InvalidArgumentError("--waivers and --audit-option require --tree");
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<NightSteps>> NightSteps::Take(NightOptions options, std::string program,
                                                             Context* context) {
  std::error_code error;
  fs::create_directories(options.out, error);
  const int lock = open(absl::StrCat(options.out, "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) return absl::UnavailableError(absl::StrCat(options.out, ": ", std::strerror(errno)));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    close(lock);
    return absl::FailedPreconditionError(
        absl::StrCat(options.out, ": another nightly run is in progress; wait for it or stop it"));
  }
  return std::unique_ptr<NightSteps>(new NightSteps(std::move(options), std::move(program), context, lock));
}

NightSteps::~NightSteps() { close(lock_); }

int NightSteps::Run(const std::string& name, const std::vector<std::string>& arguments, const std::set<int>& good) {
  if (context_->stop.stop_requested()) return kInterrupted;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> command = {program_};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  const std::string out = Path(name + (json ? ".json" : ".txt")), part = out + ".part", log = Path(name + ".log");
  std::cerr << "nightly: running " << name << "; progress in " << log << "\n";
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) BecomeStep(words.data(), part.c_str(), log.c_str());
  int code = 127;
  if (child > 0) {
    const std::stop_callback stopped(context_->stop.get_token(), [child] { kill(child, SIGTERM); });
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::error_code error;
  fs::rename(part, out, error);
  const bool is_good = good.contains(code);
  steps_.push_back({name, code, is_good, SecondsSince(start), is_good ? "" : LastLines(log)});
  return code;
}

bool NightSteps::Check() {
  // If the database is damaged, the results of all later steps are worthless, and backing it up would overwrite a good
  // backup.
  return !fs::exists(context_->db) ||
         Run("check", {"db", "check", "--quick", "--db", context_->db, "--json"}, {0}) == 0;
}

bool NightSteps::Search(const std::function<absl::StatusOr<Json>()>& search) {
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<Json> night = search();
  const int code = night.ok() ? context_->exit_code : kBadInput;
  const bool good = code == kYes || code == kNo;
  steps_.push_back({"nightly", code, good, SecondsSince(start), ""});
  if (!night.ok()) {
    std::cerr << "rewrought: " << night.status().message() << "\n";
    steps_.back().said = absl::StrCat("    ", night.status().message(), "\n");
    return false;
  }
  nightly_ = *std::move(night);
  const absl::Status kept =
      emitter::WriteFile(Path("nightly.json"), nightly_.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  if (!kept.ok()) std::cerr << "rewrought: " << kept.message() << "\n";
  return good;
}

void NightSteps::Trial() {
  if (options_.drivers.empty()) return;
  std::vector<std::string> words = {"trial", "--db", context_->db, "--out", Path("trial")};
  AddWords("--driver", options_.drivers, &words);
  AddWords("--shaders", options_.shaders, &words);
  AddWords("--held-out", options_.held_out, &words);
  AddWords("--build-drivers", options_.build_drivers, &words);
  if (!options_.build.empty()) AddWords("--build", {options_.build}, &words);
  if (!options_.rig.empty()) AddWords("--rig", {options_.rig}, &words);
  words.insert(words.end(), options_.trial_words.begin(), options_.trial_words.end());
  Run("trial", words, {0});
  std::error_code error;
  for (fs::directory_iterator at(Path("trial"), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (absl::EndsWith(name, ".trial.json")) trials_.push_back(name);
  }
  std::sort(trials_.begin(), trials_.end());
}

void NightSteps::Audit() {
  if (options_.tree.empty()) return;
  const std::string last = Path(kAuditJson);
  const bool first = !fs::exists(last);
  std::vector<std::string> words = {"audit",  options_.tree,      "--db",  context_->db,
                                    "--html", Path("audit.html"), "--json"};
  if (!first) AddWords("--since", {last}, &words);
  if (!options_.waivers.empty()) AddWords("--waivers", {options_.waivers}, &words);
  words.insert(words.end(), options_.audit_words.begin(), options_.audit_words.end());
  // In the first audit, refuted rules are not a regression.
  const int code = Run("audit", words, {kYes, kNo, kUndecided});
  if (code != kYes && code != kNo && code != kUndecided) return;
  audit_ = {{"exit", code}, {"first", first}};
  std::error_code error;
  fs::rename(Path("audit.json"), last, error);
}

void NightSteps::Compact() {
  if (options_.keep_runs <= 0) return;
  Run("compact", {"db", "compact", "--db", context_->db, "--keep-runs", absl::StrCat(options_.keep_runs), "--json"},
      {0});
}

void NightSteps::Backup() {
  if (!options_.backup.empty()) Run("backup", {"db", "backup", options_.backup, "--db", context_->db, "--json"}, {0});
}

int NightSteps::Code() const {
  const auto any = [&](auto predicate) { return std::any_of(steps_.begin(), steps_.end(), predicate); };
  if (context_->stop.stop_requested() || any([](const Step& step) { return step.exit == kInterrupted; }))
    return kInterrupted;
  if (any([](const Step& step) { return step.exit == kBadInput; })) return kBadInput;
  if (any([](const Step& step) { return !step.good; })) return kUndecided;
  if (any([](const Step& step) { return step.name == "nightly" && step.exit == kNo; })) return kNo;
  const bool compared = !audit_.empty() && !audit_["first"].get<bool>();
  return compared ? audit_["exit"].get<int>() : kYes;
}

std::string NightSteps::MailOf(int code) const {
  const char* const what = code == kYes         ? "all went well"
                           : code == kNo        ? "RULES WERE LOST OR REFUTED"
                           : code == kBadInput  ? "COULD NOT RUN"
                           : code == kUndecided ? "a step failed or a result is unknown"
                                                : "stopped";
  std::string mail = absl::StrCat("Subject: rewrought: ", what, "\n\n");
  if (nightly_.contains("harvest")) {
    const Json& harvest = nightly_["harvest"];
    absl::StrAppendFormat(&mail, "Shaders: %d, new %d, skipped %d.\n", harvest["shaders"].get<int64_t>(),
                          harvest["new"].get<int64_t>(), harvest["skipped"].get<int64_t>());
    for (const Json& machine : nightly_["machines"]) absl::StrAppend(&mail, MachineLine(machine));
  }
  if (!trials_.empty()) {
    absl::StrAppend(
        &mail, "Tried on drivers: ",
        absl::StrJoin(trials_, ", ",
                      [](std::string* out, const std::string& name) { absl::StrAppend(out, "trial/", name); }),
        ".\n");
  }
  if (!audit_.empty()) {
    const int exit = audit_["exit"];
    absl::StrAppend(&mail, "The tree: ",
                    audit_["first"].get<bool>() ? "audited for the first time"
                    : exit == kYes              ? "no rule became refuted"
                    : exit == kNo               ? "RULES BECAME REFUTED"
                                                : "some rules are unknown",
                    " (audit.html).\n");
  }
  absl::StrAppend(&mail, "\nSteps:\n");
  for (const Step& step : steps_) {
    absl::StrAppendFormat(&mail, "  %-8s %8.1f s  exit %d\n%s", step.name, step.seconds, step.exit, step.said);
  }
  return mail;
}

absl::Status NightSteps::SaveNight(const std::string& json) const {
  const absl::Time now = absl::Now();
  const std::string name = absl::FormatTime("%Y-%m-%dT%H%M", now, absl::UTCTimeZone()) +
                           absl::FormatTime("%E3S", now, absl::UTCTimeZone()) + ".json";
  if (absl::Status kept = emitter::WriteFile(Path("nights/" + name), json + "\n"); !kept.ok()) return kept;
  std::vector<std::string> nights;
  std::error_code error;
  for (fs::directory_iterator at(Path("nights"), error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".json") nights.push_back(at->path());
  }
  std::sort(nights.begin(), nights.end());
  for (size_t i = 0; i + kNights < nights.size(); ++i) fs::remove(nights[i], error);
  return absl::OkStatus();
}

absl::StatusOr<int> NightSteps::Report() {
  const int code = Code();
  mail_ = MailOf(code);
  Json steps = Json::array();
  for (const Step& step : steps_) {
    steps.push_back({{"step", step.name},
                     {"exit", step.exit},
                     {"good", step.good},
                     {"seconds", std::round(step.seconds * 10) / 10}});
  }
  const Json night = {{"exit", code}, {"steps", steps}, {"nightly", nightly_}, {"audit", audit_}, {"trials", trials_}};
  json_ = night.dump(-1, ' ', false, Json::error_handler_t::replace);
  absl::Status kept =
      emitter::WriteFile(Path("night.json"), night.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  if (kept.ok()) kept = emitter::WriteFile(Path("mail.txt"), mail_);
  if (kept.ok()) kept = SaveNight(json_);
  if (!kept.ok()) return kept;
  return code;
}

}  // namespace rewrought::cli
