// rewrought check: verifies every rule of a file, here or by a server.
#include <algorithm>
#include <atomic>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/check_json.h"
#include "cli/command.h"
#include "cli/server_option.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "server/rpc/client.h"
#include "server/rpc/messages/verdict_proto.h"
#include "verifier/entry_check.h"
#include "verifier/verdict_message.h"
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
  rpc::ClientOptions server;
};

constexpr int kServerCalls = 4;  // at a time, where --jobs says nothing

absl::Status ReadWidths(const std::string& text, std::vector<int>* widths) {
  if (text == "all") return absl::OkStatus();
  for (const absl::string_view part : absl::StrSplit(text, ",")) {
    int width = 0;
    if (!absl::SimpleAtoi(part, &width) || (width != 1 && width != 8 && width != 16 && width != 32 && width != 64)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--widths ", text, ": '", part, "' is none of 1, 8, 16, 32, 64, all"));
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
    if (!known)
      return absl::InvalidArgumentError(
          absl::StrCat("--modes ", text, ": '", part, "' is none of any, preserve, flush"));
  }
  // Cases are sorted by mode in this order.
  std::sort(modes->begin(), modes->end());
  modes->erase(std::unique(modes->begin(), modes->end()), modes->end());
  return absl::OkStatus();
}

// Hands results on in input order, whichever thread has them first.
class OrderedOutput {
 public:
  explicit OrderedOutput(const Options& options) : options_(options) {}

  void Add(size_t index, v1::RuleVerdict verdict) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(index, std::move(verdict));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      Print(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++next_;
    }
  }

  int exit_code() const { return error_ ? kBadInput : refuted_ ? kNo : undecided_ ? kUndecided : kYes; }
  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  void Print(const v1::RuleVerdict& verdict) {
    ++counts_[std::string(verifier::NameOf(verdict.verdict()))];
    switch (verdict.verdict()) {
      case v1::VERDICT_PROVED:
      case v1::VERDICT_INEXACT:
        break;
      case v1::VERDICT_REFUTED:
        refuted_ = true;
        break;
      case v1::VERDICT_ERROR:
        error_ = true;
        break;
      default:
        undecided_ = true;
    }
    if (options_.json) {
      std::cout << ToJson(verdict).dump(-1, ' ', false, Json::error_handler_t::replace) << "\n" << std::flush;
    } else {
      std::cout << ToText(verdict, options_.file) << std::flush;
    }
  }

  const Options& options_;
  std::mutex mutex_;
  std::map<size_t, v1::RuleVerdict> waiting_;
  size_t next_ = 0;
  std::map<std::string, int> counts_;
  bool error_ = false, refuted_ = false, undecided_ = false;
};

// How entries are verified: thread-safe, on as many threads as are said.
struct RuleVerifier {
  std::function<absl::StatusOr<v1::RuleVerdict>(const ir::RuleEntry&)> verify;
  int threads = 1;
};

// What a local verifier works with.
struct Solvers {
  std::unique_ptr<verifier::WorkerPool> pool;
  verifier::Cvc5Process cvc5{verifier::Cvc5Options{}};
  std::optional<verifier::Prover> prover;
};

absl::StatusOr<RuleVerifier> LocalVerifier(const Options& options, const verifier::RuleCheckOptions& check,
                                           Context* context) {
  const machine::Machine* machine = nullptr;
  if (!options.machine.empty()) {
    absl::StatusOr<const machine::Machine*> found = machine::FindMachine(options.machine);
    if (!found.ok()) return found.status();
    machine = *found;
  }
  auto solvers = std::make_shared<Solvers>();
  verifier::WorkerPoolOptions pool_options;
  pool_options.workers = options.jobs;
  absl::StatusOr<std::unique_ptr<verifier::WorkerPool>> pool = verifier::WorkerPool::Create(pool_options);
  if (!pool.ok()) return pool.status();
  solvers->pool = *std::move(pool);
  verifier::ProverOptions prover_options;
  prover_options.confirm = options.confirm;
  prover_options.keep_query = false;
  prover_options.cancel = context->stop.get_token();
  if (options.timeout_ms > 0) {
    for (uint32_t& timeout : prover_options.uninterpreted_timeout_ms) timeout = std::min(timeout, options.timeout_ms);
    prover_options.second_solver_timeout_ms = options.timeout_ms;
    for (uint32_t& timeout : prover_options.native_timeout_ms) timeout = options.timeout_ms;
  }
  solvers->prover.emplace(solvers->pool.get(), &solvers->cvc5, prover_options);
  const int threads = solvers->pool->workers();
  const rpc::VerdictDetail detail{.explain = options.explain};
  return RuleVerifier{[=](const ir::RuleEntry& entry) {
                        return rpc::ToProto(verifier::CheckEntry(entry, *solvers->prover, check, machine), "", detail);
                      },
                      threads};
}

absl::StatusOr<RuleVerifier> ServerVerifier(const Options& options, const verifier::RuleCheckOptions& check,
                                            Context* context) {
  if (options.confirm) {
    return absl::InvalidArgumentError(
        "--confirm: a server decides by itself what a second solver confirms; leave it out");
  }
  absl::StatusOr<std::unique_ptr<rpc::Client>> client = rpc::Client::Create(options.server);
  if (!client.ok()) return client.status();
  v1::CheckRuleRequest request;
  request.set_machine(options.machine);
  for (const int width : check.widths) request.add_widths(static_cast<uint32_t>(width));
  for (const ir::DenormMode mode : check.modes) request.add_modes(verifier::ModeProto(mode));
  request.set_timeout_ms(options.timeout_ms);
  request.set_infer(check.infer);
  request.set_exact_literals(check.literals_exact);
  request.set_explain(options.explain);
  const std::shared_ptr<rpc::Client> shared = *std::move(client);
  return RuleVerifier{
      [=, stop = context->stop.get_token()](const ir::RuleEntry& entry) -> absl::StatusOr<v1::RuleVerdict> {
        v1::CheckRuleRequest mine = request;
        mine.set_rule(std::string(entry.text));
        absl::StatusOr<v1::RuleVerdict> verdict = shared->Check(mine, stop);
        if (!verdict.ok()) return verdict;
        // The server saw this one entry; the places are of the file.
        if (verdict->has_error() && verdict->line() == 1) {
          verdict->mutable_error()->set_column(verdict->error().column() + static_cast<uint32_t>(entry.column) - 1);
        }
        verdict->set_line(verdict->line() + static_cast<uint32_t>(entry.line) - 1);
        return verdict;
      },
      options.jobs > 0 ? options.jobs : kServerCalls};
}

// Verifies all entries; what ended it early is the result.
absl::Status VerifyAll(const std::vector<ir::RuleEntry>& entries, const RuleVerifier& rule_verifier,
                       std::stop_token stop, OrderedOutput* output) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  absl::Status failed;
  std::vector<std::thread> threads;
  for (int i = 0; i < rule_verifier.threads; ++i) {
    threads.emplace_back([&] {
      for (size_t index = next++; index < entries.size() && !stop.stop_requested(); index = next++) {
        absl::StatusOr<v1::RuleVerdict> verdict = rule_verifier.verify(entries[index]);
        if (verdict.ok()) {
          output->Add(index, *std::move(verdict));
          continue;
        }
        next = entries.size();
        const std::lock_guard<std::mutex> lock(mutex);
        failed.Update(verdict.status());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failed;
}

void Run(const Options& options, Context* context) {
  verifier::RuleCheckOptions check;
  check.infer = options.infer;
  check.literals_exact = options.literals == "exact";
  for (const absl::Status& status :
       {ReadWidths(options.widths, &check.widths), ReadModes(options.modes, &check.modes)}) {
    if (!status.ok()) return Fail(context, status.message());
  }
  std::string text;
  if (absl::Status status = ReadAll(options.file, &text); !status.ok()) return Fail(context, status.message());
  const std::vector<ir::RuleEntry> entries = ir::ParseRules(text);
  if (entries.empty()) {
    return Fail(context, absl::StrCat(options.file, ":1:1: no rules; expected one '(search, replace)' per line"));
  }
  const absl::StatusOr<RuleVerifier> rule_verifier =
      options.server.address.empty() ? LocalVerifier(options, check, context) : ServerVerifier(options, check, context);
  if (!rule_verifier.ok()) return Fail(context, rule_verifier.status().message());
  OrderedOutput output(options);
  const absl::Status verified = VerifyAll(entries, *rule_verifier, context->stop.get_token(), &output);
  context->exit_code = output.exit_code();
  std::string summary;
  for (const auto& [word, count] : output.counts())
    absl::StrAppend(&summary, summary.empty() ? "" : ", ", count, " ", word);
  std::cerr << "rewrought check: " << summary << std::endl;
  if (!verified.ok()) FailCall(context, verified);
}

}  // namespace

void AddCheckCommand(CLI::App* app, Context* context) {
  static Options options;
  CLI::App* command =
      app->add_subcommand("check", "Is this rewrite right? Proves or refutes rules, each with a witness");
  command->add_option("FILE", options.file, "rules as Mesa's tuples, one per line; '-' reads standard input")
      ->required();
  command->add_flag("--json", options.json, "one JSON object per rule on standard output");
  command->add_option("--widths", options.widths, "all, or some of 1,8,16,32,64")->default_val("all");
  command->add_option("--modes", options.modes, "denormal modes: any, preserve, flush")->default_val("any");
  command->add_option("--machine", options.machine, "machine whose program the right side may be");
  command->add_option("--timeout-ms", options.timeout_ms, "budget of one solver query; with --server, of one rule");
  command->add_option("--literals", options.literals, "0.0 in a search matches either zero, or exact")
      ->check(CLI::IsMember({"either", "exact"}))
      ->default_val("either");
  command->add_flag("--infer", options.infer, "what a refuted rule lacks: flags and predicates");
  command->add_flag("--explain", options.explain, "values of every node on the witness");
  command->add_flag("--confirm", options.confirm, "have cvc5 confirm every proof");
  command->add_option("--jobs", options.jobs, "solver processes; 0: one per core. With --server: rules at a time; 0: 4")
      ->default_val(0);
  AddServerOptions(command, &options.server);
  command->footer(
      "Examples:\n"
      "  echo \"(('fadd', a, ('fneg', a)), 0.0)\" | rewrought check -\n"
      "  rewrought check rules.py --json --modes any,preserve,flush --infer\n"
      "  rewrought check agx.rules --machine agx_g13 --explain\n"
      "  rewrought check rules.py --server 127.0.0.1:50051");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
