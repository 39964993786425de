// The server that the tests of the service talk to: makes a small database, serves it on a free port, and drains
// on SIGTERM.
#include <csignal>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/pipeline/case_record.h"
#include "server/rpc/server.h"
#include "server/store/corpus_store.h"
#include "server/store/rule_store.h"
#include "server/store/search_store.h"

namespace rewrought {
namespace {

using store::Digest;

struct Sample {
  const char* search;
  const char* replace;
  const char* program;
  const char* op;
  double cycles;
};

// The second one's worth is the highest, the last one has none.
constexpr Sample kSamples[] = {
    {"('fadd', 'a', ('fneg', 'b'))", "('fsub', 'a', 'b')", "", "fadd", 5},
    {"('fmul', 'a', 2.0)", "('fadd', 'a', 'a')", "", "fmul", 9},
    {"('iadd', 'a', ('ineg', 'b'))", "('isub', 'a', 'b')", "", "iadd", 3},
    {"('fneg', ('fneg', 'a'))", "'a'", "", "fneg", 7},
    {"('fsat@32', ('fadd@32', 'a@32', 'b@32'))", "", "[ADD(r(F), a(F), b(F)).sat()]", "fsat", 0},
};

store::RuleRecord RuleOf(const Sample& sample) {
  store::RuleRecord rule;
  rule.machine = *sample.program == 0 ? "" : "intel_gen9";
  rule.search = sample.search;
  rule.replace = sample.replace;
  rule.program = sample.program;
  rule.id = store::RuleId(absl::StrCat(rule.search, rule.replace, rule.program), rule.machine);
  rule.semantics = Digest::Of("semantics");
  rule.created = absl::FromUnixSeconds(1700000000);
  rule.ops = {sample.op};
  return rule;
}

absl::Status PutRule(store::Store* store, const Sample& sample, const Digest& shader) {
  const store::RuleRecord rule = RuleOf(sample);
  store::RuleStore rules(store);
  absl::Status status = rules.PutRule(rule);
  if (status.ok() && sample.cycles > 0) {
    status = rules.PutMeasurement({rule.id, store::Split::kHeldOut, 4, 1, 1, 2, sample.cycles + 1, 1, sample.cycles});
  }
  if (status.ok()) status = rules.PutHits(rule.id, {{shader, 4, 1.0, sample.cycles, {7, 11}}});
  v1::CaseVerdict proof;
  proof.set_width(32);
  proof.set_mode(v1::DENORM_MODE_ANY);
  proof.set_verdict(v1::VERDICT_PROVED);
  proof.set_tier(v1::TIER_UNINTERPRETED);
  if (!status.ok()) return status;
  return store::SearchStore(store).PutVerdict(pipeline::RecordOf(rule.id, rule.semantics, "a:32 root:32 any", proof));
}

absl::Status FillDatabase(const std::string& path) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(path);
  if (!store.ok()) return store.status();
  store::CorpusStore corpus(store->get());
  absl::Status status = corpus.PutSource("sample", false);
  const store::ShaderRecord shader{Digest::Of("shader"), "fragment", 12, Digest::Of("extraction"), {}};
  store::SiteRecord site;
  site.fragment = {"('fadd@32', 'a@32', ('fneg@32', ('fneg@32', 'b@32')))", 3, 2, "a:32 b:32 root:32"};
  site.count = 3;
  if (status.ok()) status = corpus.PutShader(shader, {"sample", "caf\xe9.frag"}, {site});  // no UTF-8: names are bytes
  for (const Sample& sample : kSamples) {
    if (status.ok()) status = PutRule(store->get(), sample, shader.digest);
  }
  return status;
}

// "--name=value" of the arguments, or `otherwise`.
std::string Argument(int argc, char** argv, const std::string& name, const std::string& otherwise) {
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i], prefix = "--" + name + "=";
    if (text.compare(0, prefix.size(), prefix) == 0) return text.substr(prefix.size());
  }
  return otherwise;
}

int Number(int argc, char** argv, const std::string& name, int otherwise) {
  int value = otherwise;
  return absl::SimpleAtoi(Argument(argc, argv, name, ""), &value) ? value : otherwise;
}

int Main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  rpc::ServerOptions options;
  options.db = Argument(argc, argv, "db", "");
  options.address = Argument(argc, argv, "address", "127.0.0.1:0");
  options.read_only = Number(argc, argv, "read_only", 0) != 0;
  options.reflection = Number(argc, argv, "reflection", 0) != 0;
  options.workers = 2;
  options.limits.running_calls = Number(argc, argv, "running_calls", 2);
  options.limits.waiting_calls = Number(argc, argv, "waiting_calls", 64);
  options.limits.max_call = absl::Milliseconds(Number(argc, argv, "max_call_ms", 60000));
  options.limits.message_bytes = 64 << 10;
  options.drain = absl::Seconds(1);
  if (Number(argc, argv, "fill", 0) != 0) {
    const absl::Status filled = FillDatabase(options.db);
    if (!filled.ok()) {
      std::cerr << filled << std::endl;
      return 3;
    }
  }
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(options);
  if (!server.ok()) {
    std::cerr << server.status().message() << std::endl;
    return 2;
  }
  std::cout << "listening " << (*server)->address() << std::endl;
  std::stop_source stop;
  std::thread waiter([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    stop.request_stop();
  });
  (*server)->Wait(stop.get_token());
  waiter.join();
  std::cout << "drained" << std::endl;
  return 0;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) { return rewrought::Main(argc, argv); }
