// rewrought check: judges every rule of a file.
#include <atomic>
#include <condition_variable>
#include <algorithm>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "verifier/entry_check.h"
#include "verifier/worker/cvc5_process.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string file;
  bool json = false, infer = false, explain = false, confirm = false;
  std::string widths = "all", modes = "any", machine, literals = "either";
  uint32_t timeout_ms = 0;
  int jobs = 0;
};

absl::Status ReadWidths(const std::string& text, std::vector<int>* widths) {
  if (text == "all") return absl::OkStatus();
  for (const absl::string_view part : absl::StrSplit(text, ",")) {
    int width = 0;
    if (!absl::SimpleAtoi(part, &width) || (width != 1 && width != 8 && width != 16 && width != 32 && width != 64)) {
      return absl::InvalidArgumentError(absl::StrCat("--widths ", text, ": '", part, "' is none of 1, 8, 16, 32, 64, all"));
    }
    widths->push_back(width);
  }
  return absl::OkStatus();
}

absl::Status ReadModes(const std::string& text, std::vector<ir::DenormMode>* modes) {
  modes->clear();
  for (const absl::string_view part : absl::StrSplit(text, ",")) {
    bool known = false;
    for (ir::DenormMode mode : {ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush}) {
      if (ir::NameOf(mode) != part) continue;
      modes->push_back(mode);
      known = true;
    }
    if (!known) return absl::InvalidArgumentError(absl::StrCat("--modes ", text, ": '", part, "' is none of any, preserve, flush"));
  }
  // Cases are sorted by mode in this order.
  std::sort(modes->begin(), modes->end());
  modes->erase(std::unique(modes->begin(), modes->end()), modes->end());
  return absl::OkStatus();
}

// Hands results on in input order, whichever thread has them first.
class OrderedOutput {
 public:
  OrderedOutput(const Options& options, Context* context) : options_(options), context_(context) {}

  void Add(size_t index, CheckedLine checked) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(index, std::move(checked));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      Print(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++next_;
    }
  }

  int exit_code() const { return error_ ? kBadInput : refuted_ ? kNo : undecided_ ? kUndecided : kYes; }
  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  void Print(const CheckedLine& checked) {
    const std::string word = VerdictWord(checked);
    ++counts_[word];
    error_ = error_ || word == "error";
    refuted_ = refuted_ || (word == "refuted" && !checked.licensed());
    undecided_ = undecided_ || (word != "proved" && word != "refuted" && word != "error");
    if (options_.json) {
      std::cout << ToJson(checked).dump(-1, ' ', false, Json::error_handler_t::replace) << "\n" << std::flush;
    } else {
      std::cout << ToText(checked, options_.file) << std::flush;
    }
  }

  const Options& options_;
  Context* context_;
  std::mutex mutex_;
  std::map<size_t, CheckedLine> waiting_;
  size_t next_ = 0;
  std::map<std::string, int> counts_;
  bool error_ = false, refuted_ = false, undecided_ = false;
};

void Run(const Options& options, Context* context) {
  verifier::RuleCheckOptions check;
  check.infer = options.infer;
  check.literals_exact = options.literals == "exact";
  for (const absl::Status& status : {ReadWidths(options.widths, &check.widths), ReadModes(options.modes, &check.modes)}) {
    if (!status.ok()) return Fail(context, status.message());
  }
  const machine::Machine* machine = nullptr;
  if (!options.machine.empty()) {
    absl::StatusOr<const machine::Machine*> found = machine::FindMachine(options.machine);
    if (!found.ok()) return Fail(context, found.status().message());
    machine = *found;
  }
  std::string text;
  if (absl::Status status = ReadAll(options.file, &text); !status.ok()) return Fail(context, status.message());
  const std::vector<ir::RuleEntry> entries = ir::ParseRules(text);
  if (entries.empty()) {
    return Fail(context, absl::StrCat(options.file, ":1:1: no rules; expected one '(search, replace)' per line"));
  }
  verifier::WorkerPoolOptions pool_options;
  pool_options.workers = options.jobs;
  absl::StatusOr<std::unique_ptr<verifier::WorkerPool>> pool = verifier::WorkerPool::Create(pool_options);
  if (!pool.ok()) return Fail(context, pool.status().message());
  verifier::Cvc5Process cvc5{verifier::Cvc5Options{}};
  verifier::ProverOptions prover_options;
  prover_options.confirm = options.confirm;
  prover_options.keep_query = false;
  prover_options.cancel = context->stop.get_token();
  if (options.timeout_ms > 0) {
    for (uint32_t& timeout : prover_options.uninterpreted_timeout_ms) timeout = std::min(timeout, options.timeout_ms);
    prover_options.second_solver_timeout_ms = options.timeout_ms;
    for (uint32_t& timeout : prover_options.native_timeout_ms) timeout = options.timeout_ms;
  }
  const verifier::Prover prover(pool->get(), &cvc5, prover_options);
  OrderedOutput output(options, context);
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < (*pool)->workers(); ++i) {
    threads.emplace_back([&] {
      for (size_t index = next++; index < entries.size(); index = next++) {
        if (context->stop.stop_requested()) return;
        output.Add(index, {verifier::CheckEntry(entries[index], prover, check, machine), options.explain});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  context->exit_code = output.exit_code();
  std::string summary;
  for (const auto& [word, count] : output.counts()) absl::StrAppend(&summary, summary.empty() ? "" : ", ", count, " ", word);
  std::cerr << "rewrought check: " << summary << std::endl;
}

}  // namespace

void AddCheckCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command = app->add_subcommand("check", "Is this rewrite right? Proves or refutes rules, each with a witness");
  command->add_option("FILE", options.file, "rules as Mesa's tuples, one per line; '-' reads standard input")->required();
  command->add_flag("--json", options.json, "one JSON object per rule on standard output");
  command->add_option("--widths", options.widths, "all, or some of 1,8,16,32,64")->default_val("all");
  command->add_option("--modes", options.modes, "denormal modes: any, preserve, flush")->default_val("any");
  command->add_option("--machine", options.machine, "machine whose program the right side may be");
  command->add_option("--timeout-ms", options.timeout_ms, "budget of one solver query");
  command->add_option("--literals", options.literals, "0.0 in a search matches either zero, or exact")
      ->check(CLI::IsMember({"either", "exact"}))
      ->default_val("either");
  command->add_flag("--infer", options.infer, "what a refuted rule lacks: flags and predicates");
  command->add_flag("--explain", options.explain, "values of every node on the witness");
  command->add_flag("--confirm", options.confirm, "have cvc5 confirm every proof");
  command->add_option("--jobs", options.jobs, "solver processes; 0: one per core")->default_val(0);
  command->footer("Examples:\n"
                  "  echo \"(('fadd', a, ('fneg', a)), 0.0)\" | rewrought check -\n"
                  "  rewrought check rules.py --json --modes any,preserve,flush --infer\n"
                  "  rewrought check agx.rules --machine agx_g13 --explain");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
