// rewrought check: verifies rules from the command line or from files, either in this process or on a server.
#include <atomic>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/check_input.h"
#include "cli/check_text.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/server_option.h"
#include "cli/verify_options.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "proto/names.h"
#include "server/client.h"
#include "server/messages/time_proto.h"
#include "server/messages/verdict_proto.h"
#include "verifier/entry_check.h"
#include "verifier/message/verdict_json.h"
#include "verifier/message/verdict_message.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> rules;
  bool json = false, infer = false, explain = false, confirm = false;
  std::string widths = "all", modes = "any", machine, literals = "either", dialect;
  uint32_t timeout_ms = 0;
  int jobs = 0;
  rpc::ClientOptions server;
};

constexpr int kServerCalls = 4;  // the number of concurrent calls to the server if --jobs is not set

// A rule entry and the argument that contains it.
struct Item {
  const CheckInput* input;
  const ir::RuleEntry* entry;
};

// Prints results in input order, even if the threads finish in a different order.
class OrderedOutput {
 public:
  // If `named` is true, each result names the argument that contains its rule.
  OrderedOutput(const std::vector<Item>& items, bool json, bool named) : items_(items), json_(json), named_(named) {}

  void Add(size_t index, v1::RuleVerdict verdict) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(index, std::move(verdict));
    for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
      Print(items_[next_], waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }

  int exit_code() const {
    const auto has = [&](v1::Verdict verdict) { return counts_.contains(verdict); };
    if (has(v1::VERDICT_ERROR)) return kBadInput;
    if (has(v1::VERDICT_REFUTED)) return kNo;
    const size_t good = has(v1::VERDICT_PROVED) + has(v1::VERDICT_INEXACT);
    return counts_.size() > good ? kUndecided : kYes;
  }

  // Returns a string such as "2 proved, 1 refuted".
  std::string Summary() const {
    return absl::StrJoin(counts_, ", ", [](std::string* out, const auto& count) {
      absl::StrAppend(out, count.second, " ", v1::NameOf(count.first));
    });
  }

  const std::set<v1::DenormMode>& modes() const { return modes_; }

 private:
  void Print(const Item& item, const v1::RuleVerdict& verdict) {
    ++counts_[verdict.verdict()];
    if (json_) {
      Json object = verifier::ToJson(verdict);
      if (named_) object["input"] = item.input->name;
      return PrintJson(object);
    }
    const std::string& name = item.input->name;
    if (verdict.has_error()) {
      std::cout << ErrorText(verdict, name) << std::flush;
      return;
    }
    const std::string place = !item.input->is_rule ? absl::StrCat(name, ":", verdict.line()) : named_ ? name : "";
    std::cout << CheckText(verdict, item.entry->rule.value_or(ir::Rule()), place, &modes_) << std::flush;
  }

  const std::vector<Item>& items_;
  const bool json_, named_;
  std::mutex mutex_;
  std::map<size_t, v1::RuleVerdict> waiting_;
  size_t next_ = 0;
  std::map<v1::Verdict, int> counts_;
  std::set<v1::DenormMode> modes_;
};

// Verifies one rule, in this process or on a server. Up to `threads` threads may call `verify` concurrently.
struct RuleVerifier {
  std::function<absl::StatusOr<v1::RuleVerdict>(const ir::RuleEntry&)> verify;
  int threads = 1;
};

absl::StatusOr<RuleVerifier> LocalVerifier(const Options& options, const verifier::RuleCheckOptions& check,
                                           Context* context) {
  const machine::Machine* machine = nullptr;
  if (!options.machine.empty()) {
    absl::StatusOr<const machine::Machine*> found = machine::FindMachine(options.machine);
    if (!found.ok()) return found.status();
    machine = *found;
  }
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({.workers = options.jobs});
  if (!solvers.ok()) return solvers.status();
  verifier::ProverOptions prover_options = ProverOptionsOf(options.timeout_ms, context->stop.get_token());
  prover_options.confirm = options.confirm;
  const auto prover = std::make_shared<verifier::Prover>(*solvers, prover_options);
  const verifier::VerdictDetail detail{.explain = options.explain};
  return RuleVerifier{[=](const ir::RuleEntry& entry) {
                        return verifier::RuleProto(verifier::CheckEntry(entry, *prover, check, machine), "", detail);
                      },
                      solvers->parallel()};
}

absl::StatusOr<RuleVerifier> ServerVerifier(const Options& options, const verifier::RuleCheckOptions& check,
                                            Context* context) {
  if (options.confirm) {
    return absl::InvalidArgumentError(
        "--confirm: a server decides which proofs a second solver confirms; omit --confirm with --server");
  }
  absl::StatusOr<std::unique_ptr<rpc::Client>> client = rpc::Client::Create(options.server);
  if (!client.ok()) return client.status();
  v1::CheckRuleRequest request;
  request.set_machine(options.machine);
  request.set_dialect(verifier::DialectProto(check.dialect));
  for (const int width : check.widths) request.add_widths(static_cast<uint32_t>(width));
  for (const ir::DenormMode mode : check.modes) request.add_modes(verifier::ModeProto(mode));
  *request.mutable_time_limit() = rpc::ToProto(absl::Milliseconds(options.timeout_ms));
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
        const absl::Status answered = CheckAnsweredDialect(request.dialect(), verdict->dialect());
        if (!verdict->has_error() && !answered.ok()) return answered;
        // The server received only this entry, so convert the positions in its response to positions in the file.
        if (verdict->has_error() && verdict->line() == 1) {
          verdict->mutable_error()->set_column(verdict->error().column() + static_cast<uint32_t>(entry.column) - 1);
        }
        verdict->set_line(verdict->line() + static_cast<uint32_t>(entry.line) - 1);
        return verdict;
      },
      options.jobs > 0 ? options.jobs : kServerCalls};
}

// Verifies all items. After an error, starts no further item and returns the error.
absl::Status VerifyAll(const std::vector<Item>& items, const RuleVerifier& rule_verifier, std::stop_token stop,
                       OrderedOutput* output) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  absl::Status failed;
  std::vector<std::thread> threads;
  for (int i = 0; i < rule_verifier.threads; ++i) {
    threads.emplace_back([&] {
      for (size_t index = next++; index < items.size() && !stop.stop_requested(); index = next++) {
        absl::StatusOr<v1::RuleVerdict> verdict = rule_verifier.verify(*items[index].entry);
        if (verdict.ok()) {
          output->Add(index, *std::move(verdict));
          continue;
        }
        next = items.size();
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
  const absl::StatusOr<ir::Dialect> dialect = ReadDialect(options.dialect, !options.machine.empty());
  if (!dialect.ok()) return Fail(context, dialect.status().message());
  check.dialect = *dialect;
  const absl::StatusOr<std::vector<int>> widths = ReadWidths("--widths", options.widths);
  if (!widths.ok()) return Fail(context, widths.status().message());
  check.widths = *widths;
  const absl::StatusOr<std::vector<ir::DenormMode>> modes = ReadModes("--modes", options.modes);
  if (!modes.ok()) return Fail(context, modes.status().message());
  check.modes = *modes;
  const absl::StatusOr<std::vector<CheckInput>> inputs = ReadCheckInputs(options.rules, ir::ResolverOf(check.dialect));
  if (!inputs.ok()) return Fail(context, inputs.status().message());
  std::vector<Item> items;
  for (const CheckInput& input : *inputs) {
    for (const ir::RuleEntry& entry : input.entries) items.push_back({&input, &entry});
  }
  const absl::StatusOr<RuleVerifier> rule_verifier =
      options.server.address.empty() ? LocalVerifier(options, check, context) : ServerVerifier(options, check, context);
  if (!rule_verifier.ok()) return Fail(context, rule_verifier.status().message());
  OrderedOutput output(items, options.json, inputs->size() > 1);
  const absl::Status verified = VerifyAll(items, *rule_verifier, context->stop.get_token(), &output);
  context->exit_code = output.exit_code();
  if (!options.json) std::cout << ModeNotes(output.modes());
  std::cerr << "rewrought check: " << output.Summary() << " (dialect " << ir::NameOf(check.dialect) << ")" << std::endl;
  if (!verified.ok()) FailCall(context, verified);
}

}  // namespace

void AddCheckCommand(CLI::App* command, Context* context) {
  static Options options;
  command
      ->add_option(
          "RULE|FILE", options.rules,
          "a rule '(search, replace)' in Mesa's syntax, a list '[rule, ...]', or a file of such rules; '-' reads "
          "standard input")
      ->required();
  AddJsonOption(command, &options.json, "one JSON object per rule");
  command
      ->add_option("--widths", options.widths,
                   "bit sizes to check, from 1,8,16,32,64; all: every size that the ops allow")
      ->default_val("all");
  AddModesOption(command, &options.modes);
  AddMachineOption(command, &options.machine, "GPU whose programs may replace a search: [ADD(r(F), a(F), b(F))]");
  command->add_option("--timeout-ms", options.timeout_ms,
                      "time limit of each solver query; with --server, of each rule");
  command
      ->add_option("--literals", options.literals,
                   "in dialect nir-25: with either, a literal zero in a search matches both zeros; with exact, only "
                   "the zero with its own sign")
      ->check(CLI::IsMember({"either", "exact"}))
      ->default_val("either");
  AddDialectOption(command, &options.dialect);
  command->add_flag("--infer", options.infer, "find the weakest flags and predicates that make a refuted rule correct");
  command->add_flag("--explain", options.explain, "show the value of every node for the counterexample");
  command->add_flag("--confirm", options.confirm, "have a second solver, cvc5, confirm every proof");
  command
      ->add_option("--jobs", options.jobs,
                   "number of solver processes; 0: one per core. With --server: concurrent rules; 0: 4")
      ->default_val(0);
  AddServerOptions(command, &options.server);
  command->footer(
      "Exit codes: 0 all rules proved (or, if marked ~, equal over the reals), 1 a rule is refuted, 2 a rule is\n"
      "malformed, 3 a rule is neither proved nor refuted.\n"
      "Examples:\n"
      "  rewrought check \"(('fadd', a, 0.0), a)\"\n"
      "  rewrought check \"(('iand', a, ('inot', a)), 0)\" \"(('ishl', ('ushr', a, 4), 4), ('iand', a, -16))\"\n"
      "  rewrought check rules.py --json --modes any,preserve,flush --infer\n"
      "  rewrought check --dialect nir-25 \"(('fadd', 'a@float', -0.0), a)\"\n"
      "  rewrought check \"(('fsub', a, b), [fadd(r(F), a(F), -b(F))])\" --machine agx_g13 --explain\n"
      "  echo \"(('fsub', a, a), 0.0)\" | rewrought check - --server 127.0.0.1:50051");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli
