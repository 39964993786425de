// silicon: runs each instruction of a machine's description on an NVIDIA GPU, compares the results with the description
// and with the IR, and records them; see docs/silicon.md. This file contains only flags and wiring.
#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "ir/digest.h"
#include "tools/silicon/campaign.h"
#include "tools/silicon/cuda_device.h"

namespace rewrought::silicon {
namespace {

struct Options {
  std::string instructions, mode, record, replay, ptx;
  bool list = false;
  CampaignOptions campaign;
  CudaOptions cuda;
};

void Complain(cli::Context* context, absl::string_view message) {
  std::cerr << "silicon: " << message << std::endl;
  context->exit_code = cli::kBadInput;
}

// Returns the selected cases in the description's order. Fails with InvalidArgument if a name does not exist.
absl::StatusOr<std::vector<Case>> ChosenCases(const machine::Machine& machine, const Options& options) {
  const absl::StatusOr<PtxRows> rows = BuiltInPtxRows();
  if (!rows.ok()) return rows.status();
  absl::StatusOr<std::vector<Case>> cases = AllCases(machine, *rows);
  if (!cases.ok()) return cases.status();
  std::set<std::string> wanted = absl::StrSplit(options.instructions, ',', absl::SkipEmpty());
  for (const std::string& name : wanted) {
    if (machine.VariantsOf(name).empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--instructions: ", machine.id(), " has no '", name, "'; --list names its instructions"));
    }
  }
  std::erase_if(*cases, [&](const Case& one) {
    return (!wanted.empty() && !wanted.contains(one.instruction)) ||
           (!options.mode.empty() && one.mode != ir::DenormMode::kNone && ir::NameOf(one.mode) != options.mode);
  });
  return cases;
}

void List(const std::vector<Case>& cases) {
  uint64_t without = 0;
  for (const Case& one : cases) {
    std::cout << one.name() << "\n";
    without += one.body.empty();
    std::vector<std::string> lines = absl::StrSplit(one.body, '\n', absl::SkipEmpty());
    if (one.body.empty()) lines = {"none"};
    if (!one.remark.empty()) lines.back() += absl::StrCat("  // ", one.remark);
    for (const std::string& line : lines) std::cout << "    " << line << "\n";
  }
  std::cerr << cases.size() << " cases, " << without << " of which PTX cannot express\n";
}

absl::Status WritePtx(const std::vector<Case>& cases, const std::string& path) {
  std::vector<const Case*> sayable;
  for (const Case& one : cases) {
    if (!one.body.empty()) sayable.push_back(&one);
  }
  std::ofstream file(path, std::ios::binary);
  file << PtxModule(sayable);
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat(path, ": cannot be written"));
  std::cerr << path << ": " << sayable.size() << " kernels\n";
  return absl::OkStatus();
}

// Prints a summary and sets the exit code.
void Finish(const Summary& summary, uint64_t without_ptx, cli::Context* context) {
  std::cout << summary.Text() << "; " << without_ptx << " cases have no PTX\n";
  const bool deviates = summary.deviate + summary.ir_deviate > 0;
  context->exit_code = deviates ? cli::kNo : summary.undecided + summary.refused > 0 ? cli::kUndecided : cli::kYes;
}

void ReplayFile(const machine::Machine& machine, const std::vector<Case>& cases, const Options& options,
                cli::Context* context) {
  const absl::StatusOr<std::string> text = cli::ReadInput(options.replay, proto::kFileLimits);
  if (!text.ok()) return Complain(context, text.status().message());
  const absl::StatusOr<Recording> recording = ParseRecording(*text, options.replay);
  if (!recording.ok()) return Complain(context, recording.status().message());
  std::map<std::string, const Case*> by_name;
  for (const Case& one : cases) by_name[one.name()] = &one;
  const DeviceInfo& device = recording->head.device;
  std::cout << options.replay << ": " << device.name << ", driver " << device.driver << ", capability "
            << device.capability << "\n";
  Summary summary;
  uint64_t others = 0;
  for (const RecordedCase& recorded : recording->cases) {
    const auto one = by_name.find(recorded.name);
    if (one == by_name.end()) {
      ++others;
      continue;
    }
    const absl::StatusOr<CaseResult> result = Replay(machine, *one->second, recorded, options.replay);
    if (!result.ok()) return Complain(context, result.status().message());
    std::cout << ReportOf(*result);
    summary.Add(*result);
    if (context->stop.stop_requested()) return;
  }
  if (others > 0) std::cout << others << " recorded cases were not selected\n";
  if (recording->cases.size() == others)
    return Complain(context, absl::StrCat(options.replay, ": no cases to compare; change --instructions or --mode"));
  Finish(summary, 0, context);
}

class Run {
 public:
  Run(const machine::Machine& machine, const std::vector<Case>& cases, const Options& options, cli::Context* context)
      : machine_(machine), cases_(cases), options_(options), context_(context) {}

  absl::Status Start() {
    absl::StatusOr<std::unique_ptr<Device>> device = OpenCudaDevice(options_.cuda);
    if (!device.ok()) return device.status();
    device_ = *std::move(device);
    std::cerr << "silicon: " << device_->info().name << ", driver " << device_->info().driver << "\n";
    if (options_.record.empty()) return absl::OkStatus();
    const RecordingHead head = {
        device_->info(), absl::StrCat(machine_.id(), " ", ir::Sha256Hex(machine_.description().SerializeAsString())),
        BuiltInPtxRowsDigest(), options_.campaign.seed, options_.campaign.inputs};
    Recording before;
    absl::StatusOr<RecordingFile> file = RecordingFile::Open(options_.record, head, &before);
    if (!file.ok()) return file.status();
    file_.emplace(*std::move(file));
    for (RecordedCase& one : before.cases) before_[one.name] = std::move(one);
    if (!before_.empty()) std::cerr << options_.record << ": " << before_.size() << " cases are already done\n";
    return absl::OkStatus();
  }

  absl::Status AllCases() {
    cli::Progress progress("silicon");
    uint64_t number = 0, without_ptx = 0;
    Summary summary;
    for (const Case& one : cases_) {
      ++number;
      if (one.body.empty()) {
        ++without_ptx;
        continue;
      }
      const absl::StatusOr<CaseResult> result = Result(one, [&](const Case& at, uint64_t done, uint64_t lanes) {
        progress.Show(absl::StrFormat("%d of %d, %s, %d %%", number, cases_.size(), at.name(),
                                      lanes == 0 ? 100 : done * 100 / lanes));
      });
      if (absl::IsCancelled(result.status())) break;
      if (!result.ok()) return result.status();
      std::cout << ReportOf(*result) << std::flush;
      summary.Add(*result);
    }
    Finish(summary, without_ptx, context_);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<CaseResult> Result(const Case& one, const OnProgress& progress) {
    if (const auto done = before_.find(one.name()); done != before_.end()) {
      return Recall(machine_, one, done->second, options_.record);
    }
    absl::StatusOr<CaseResult> result =
        RunCase(machine_, one, device_.get(), options_.campaign, context_->stop.get_token(), progress);
    if (!result.ok() || !file_.has_value()) return result;
    if (absl::Status kept = file_->Append(Recorded(*result)); !kept.ok()) return kept;
    return result;
  }

  const machine::Machine& machine_;
  const std::vector<Case>& cases_;
  const Options& options_;
  cli::Context* const context_;
  std::unique_ptr<Device> device_;
  std::optional<RecordingFile> file_;
  std::map<std::string, RecordedCase> before_;
};

void AddOptions(CLI::App* app, Options* options) {
  app->add_option("--instructions", options->instructions, "only these instructions, separated by commas: FADD,MUFU");
  app->add_option("--mode", options->mode, "only this denormal mode")->check(CLI::IsMember({"preserve", "flush"}));
  app->add_option("--inputs", options->campaign.inputs, "number of inputs for each case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app->add_option("--seed", options->campaign.seed, "seed of the random inputs")->capture_default_str();
  app->add_option("--record", options->record, "file to record answers in; recorded cases are not run again");
  app->add_option("--keep", options->campaign.keep, "answers to record for each case, besides deviations")
      ->capture_default_str();
  CLI::Option* const replay =
      app->add_option("--replay", options->replay, "compare a recording with the description; needs no GPU");
  CLI::Option* const list = app->add_flag("--list", options->list, "print each case and its PTX, and exit");
  CLI::Option* const ptx =
      app->add_option("--ptx", options->ptx, "write a module with all kernels to this file, and exit");
  replay->excludes(list)->excludes(ptx);
  list->excludes(ptx);
  app->add_option("--threads", options->campaign.threads, "number of threads; 0 for one per core")
      ->capture_default_str();
  app->add_option("--library", options->cuda.library, "the driver's library")->capture_default_str();
  app->add_option("--device", options->cuda.index, "index of the GPU, starting at 0")->capture_default_str();
  app->footer(
      "Exit codes: 0 all agrees, 1 deviations, 2 wrong usage or no device, 3 undecided or rejected cases,\n"
      "130 interrupted (finished cases are kept in --record; run the same command again to resume).\n"
      "Examples:\n"
      "  silicon --list --instructions FADD\n"
      "  silicon --record v100.txt                          # all cases, a hundred million inputs each\n"
      "  silicon --instructions MUFU --mode flush --inputs 1000000\n"
      "  silicon --replay v100.txt                          # on a machine without a GPU");
}

void Main(const Options& options, cli::Context* context) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine("sm70");
  if (!machine.ok()) return Complain(context, machine.status().message());
  const absl::StatusOr<std::vector<Case>> cases = ChosenCases(**machine, options);
  if (!cases.ok()) return Complain(context, cases.status().message());
  if (options.list) return List(*cases);
  if (!options.ptx.empty()) {
    if (absl::Status written = WritePtx(*cases, options.ptx); !written.ok()) Complain(context, written.message());
    return;
  }
  if (!options.replay.empty()) return ReplayFile(**machine, *cases, options, context);
  Run run(**machine, *cases, options, context);
  absl::Status status = run.Start();
  if (status.ok()) status = run.AllCases();
  if (!status.ok()) Complain(context, status.message());
}

}  // namespace
}  // namespace rewrought::silicon

int main(int argc, char** argv) {
  rewrought::cli::Context* const context = rewrought::cli::ProgramContext();
  CLI::App app{"Compares an NVIDIA GPU with the description of sm70 and with the IR, instruction by instruction."};
  app.name("silicon");
  rewrought::silicon::Options options;
  rewrought::silicon::AddOptions(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? rewrought::cli::kYes : rewrought::cli::kBadInput;
  }
  rewrought::silicon::Main(options, context);
  std::cout.flush();
  if (!std::cout) rewrought::silicon::Complain(context, "standard output cannot be written (disk full or pipe closed)");
  return context->stop.stop_requested() ? rewrought::cli::kInterrupted : context->exit_code;
}
