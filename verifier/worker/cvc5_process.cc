#include "verifier/worker/cvc5_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/own_files.h"
#include "verifier/budget.h"
#include "verifier/worker/process.h"
#include "verifier/worker/script.h"

namespace rewrought::verifier {
namespace {

constexpr size_t kMaxOutputBytes = 16u << 20;
constexpr size_t kMaxReasonBytes = 200;
constexpr size_t kMaxErrorBytes = 1u << 20;
constexpr char kNotFound[] = "cvc5 not found: apt-get install cvc5";
constexpr std::chrono::milliseconds kEndPatience(200);

SolverAnswer Unknown(std::string reason) {
  SolverAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

std::string FindProgram(const std::string& given) {
  if (!given.empty()) return given;
  const std::string chosen = proto::VariableOrEmpty("REWROUGHT_CVC5");
  if (!chosen.empty()) return chosen;
  // A package that bundles its libraries also bundles cvc5.
  std::vector<std::string> places = proto::PlacesOfProgram("verifier/worker", "cvc5");
  const char* path = getenv("PATH");
  const std::string folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  for (absl::string_view folder : absl::StrSplit(folders, ':', absl::SkipEmpty())) {
    places.push_back(absl::StrCat(folder, "/cvc5"));
  }
  for (const std::string& place : places) {
    if (proto::IsProgram(place)) return place;
  }
  return "";
}

// Returns an in-memory file that contains `text`, positioned at its start. A pipe would have to be filled while the
// output is read.
FileDescriptor MemoryFile(absl::string_view text) {
  FileDescriptor file(memfd_create("query", MFD_CLOEXEC));
  while (file.get() >= 0 && !text.empty()) {
    const ssize_t written = write(file.get(), text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return FileDescriptor();
    }
  }
  if (file.get() >= 0) lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string ReadFile(const FileDescriptor& file) {
  std::string text(kMaxErrorBytes, '\0');
  const ssize_t count = pread(file.get(), text.data(), text.size(), 0);
  text.resize(std::max<ssize_t>(count, 0));
  return text;
}

std::string OneLine(absl::string_view text) {
  std::string line(absl::StripAsciiWhitespace(text.substr(0, kMaxReasonBytes)));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// Returns cvc5's error output without the statistics, which are lines of the form "name = value".
absl::string_view WithoutStatistics(absl::string_view errors) {
  const size_t first = errors.find(" = ");
  if (first == absl::string_view::npos) return errors;
  const size_t end = errors.rfind('\n', first);
  return end == absl::string_view::npos ? absl::string_view() : errors.substr(0, end);
}

// Returns the resource units in cvc5's statistics, or 0 if they are missing.
uint64_t UnitsIn(absl::string_view errors) {
  constexpr absl::string_view kName = "resource::resourceUnitsUsed = ";
  const size_t start = errors.find(kName);
  uint64_t units = 0;
  if (start == absl::string_view::npos) return 0;
  const absl::string_view rest = errors.substr(start + kName.size());
  return absl::SimpleAtoi(rest.substr(0, rest.find('\n')), &units) ? units : 0;
}

// Returns the reason why the result of an unclean exit is unusable. cvc5 reports the same message at the limits on
// processor time (LimitCpu) and on wall-clock time; `clock_over` tells whether the wall-clock limit was reached.
std::string Diagnose(const std::string& end, absl::string_view output, absl::string_view errors, bool clock_over) {
  const std::string said = OneLine(absl::StrContains(output, "(error") ? output : WithoutStatistics(errors));
  if (end == "signal 24" || absl::StrContains(said, "timeout")) return clock_over ? kOutOfTime : kOutOfProcessor;
  // cvc5 1.0.3 dies with this message from CaDiCaL if it exceeds its resource limit inside CaDiCaL.
  if (absl::StrContains(said, "can only get value in satisfied state")) return kOutOfBudget;
  if (absl::StrContains(said, "emory") || absl::StrContains(said, "bad_alloc")) return "memory";
  if (absl::StrContains(said, "Parse Error") || absl::StrContains(said, "(error")) return absl::StrCat("parse: ", said);
  return absl::StrCat("cvc5 died: ", end, said.empty() ? "" : ": ", said);
}

}  // namespace

bool NeedsExperimentalFloats(absl::string_view text) {
  for (absl::string_view sign : {"Float16", " 5 11", "(fp "}) {
    if (absl::StrContains(text, sign)) return true;
  }
  return false;
}

SolverAnswer ReadCvc5Output(absl::string_view output, const std::vector<std::string>& wanted) {
  output = absl::StripAsciiWhitespace(output);
  SolverAnswer answer;
  if (output == "unsat") {
    answer.answer = Answer::kUnsat;
    return answer;
  }
  if (output == "unknown" || absl::StartsWith(output, "unknown\n")) return Unknown("solver: gave up");
  if (!absl::ConsumePrefix(&output, "sat") || (!output.empty() && output.front() != '\n')) {
    return Unknown(absl::StrCat("cvc5: bad reply: ", OneLine(output)));
  }
  answer.answer = Answer::kSat;
  if (wanted.empty() && output.empty()) return answer;
  const std::optional<std::map<std::string, std::string>> model = ParseModel(output);
  if (!model.has_value()) return Unknown("cvc5: bad model");
  for (const std::string& name : wanted) {
    const auto value = model->find(name);
    if (value != model->end()) answer.model.insert(*value);
  }
  return answer;
}

Cvc5Process::Cvc5Process(const Cvc5Options& options)
    : path_(FindProgram(options.path)), memory_bytes_(options.memory_bytes), niceness_(options.niceness) {}

Cvc5Process::Run Cvc5Process::Execute(const std::vector<std::string>& arguments, absl::string_view input,
                                      const QueryLimits& allowed, const std::stop_token& cancel) const {
  Run run;
  int ends[2];
  const FileDescriptor script = MemoryFile(input);
  const FileDescriptor errors = MemoryFile("");
  if (script.get() < 0 || errors.get() < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    run.trouble = absl::StrCat("cvc5: ", strerror(errno));
    return run;
  }
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const IoLimits io = {Clock::now() + std::chrono::milliseconds(allowed.wall_ms + 1000), cancel};
  absl::StatusOr<ChildProcess> process =
      ChildProcess::Start({path_, arguments, script.get(), writing.get(), errors.get(), memory_bytes_, niceness_});
  if (!process.ok()) {
    run.trouble = absl::StrCat(std::string(process.status().message()), " (apt-get install cvc5)");
    return run;
  }
  const auto start = Clock::now();
  process->LimitCpu(allowed.processor_ms);
  writing.Close();
  const IoResult result = ReceiveAll(reading.get(), kMaxOutputBytes, io, run.output);
  const ProcessEnd end = process->Finish(result == IoResult::kDone ? kEndPatience : std::chrono::milliseconds(0));
  run.errors = ReadFile(errors);
  if (result == IoResult::kCancelled) {
    run.trouble = "cancelled";
  } else if (result == IoResult::kDeadline) {
    run.trouble = "time (cvc5 killed)";
  } else if (result == IoResult::kClosed) {
    run.trouble = "cvc5: bad reply: too long";
  } else if (!end.clean) {
    const bool clock_over = Clock::now() - start >= std::chrono::milliseconds(allowed.wall_ms);
    run.trouble = Diagnose(end.text, run.output, run.errors, clock_over);
  }
  return run;
}

SolverAnswer Cvc5Process::Solve(const SolverQuery& query) {
  if (path_.empty()) return Unknown(kNotFound);
  if (query.cancel.stop_requested()) return Unknown("cancelled");
  const absl::Status script = CheckScript(query.text);
  if (!script.ok()) return Unknown(absl::StrCat("parse: ", std::string(script.message())));
  const Counting counting = CountingOfCvc5(query.text);
  const QueryLimits allowed = LimitsOf(query, counting);
  std::vector<std::string> arguments = {"--lang", "smt2", "--stats-internal",
                                        absl::StrCat("--rlimit-per=", allowed.units),
                                        absl::StrCat("--tlimit=", allowed.wall_ms)};
  if (NeedsExperimentalFloats(query.text)) arguments.push_back("--fp-exp");
  if (!query.wanted.empty()) arguments.push_back("--dump-models");  // get-value would be an error after "unsat"
  const auto start = Clock::now();
  const std::string text = absl::StrCat(HasLogic(query.text) ? "" : "(set-logic ALL)\n", query.text, "\n(check-sat)\n");
  const Run run = Execute(arguments, text, allowed, query.cancel);
  SolverAnswer answer = run.trouble.empty() ? ReadCvc5Output(run.output, query.wanted) : Unknown(run.trouble);
  const uint64_t units = UnitsIn(run.errors);
  // Also check the count, because cvc5 1.0.3's answers beyond its resource limit are unreliable.
  if (units >= allowed.units && run.trouble != "cancelled") answer = Unknown(kOutOfBudget);
  answer.work_ms = answer.reason == kOutOfBudget ? WorkOf(query) : static_cast<double>(units) / counting.units_per_ms;
  answer.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (run.trouble.empty()) answer.solver = name_and_version();
  return answer;
}

std::string Cvc5Process::QueryVersion() const {
  if (path_.empty()) return absl::StrCat("unknown (", kNotFound, ")");
  const Run run = Execute({"--version"}, "", {0, 2000, 10'000}, {});
  if (!run.trouble.empty()) return absl::StrCat("unknown (", run.trouble, ")");
  // The output is "This is cvc5 version 1.0.3", followed by build details.
  const std::string first = std::string(absl::string_view(run.output).substr(0, run.output.find('\n')));
  const std::vector<std::string> words = absl::StrSplit(first, ' ', absl::SkipEmpty());
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "version") return absl::StrCat("cvc5 ", words[i + 1]);
  }
  return absl::StrCat("cvc5 (", OneLine(first), ")");
}

std::string Cvc5Process::name_and_version() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (name_and_version_.empty()) name_and_version_ = QueryVersion();
  return name_and_version_;
}

}  // namespace rewrought::verifier
