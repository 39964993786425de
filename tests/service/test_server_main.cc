// The server for the service's tests. Creates a small database, serves it on a free port, and drains on SIGTERM.
#include <csignal>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "ir/digest.h"
#include "server/server.h"
#include "store/store.h"
#include "tests/service/sample_database.h"

namespace rewrought {
namespace {

absl::Status FillDatabase(const std::string& path) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(path);
  if (!store.ok()) return store.status();
  ir::Digest shader;
  // Names are bytes, so use one that is not UTF-8.
  absl::Status status = PutSampleShader(store->get(), "sample", "caf\xe9.frag", &shader);
  std::vector<SampleRule> rules = CommonSampleRules();
  rules.push_back({"('iadd', 'a', ('ineg', 'b'))", "('isub', 'a', 'b')", "", "iadd", 3});
  rules.push_back(
      {"('fsat@32', ('fadd@32', 'a@32', 'b@32'))", "", "[ADD(r(F), a(F), b(F)).sat()]", "fsat", 0, "intel_gen9"});
  for (const SampleRule& rule : rules) {
    if (status.ok()) status = PutSampleRule(store->get(), rule, shader);
  }
  return status;
}

// Returns VALUE if the arguments contain "--name=VALUE", else `otherwise`.
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
  options.limits.max_verify_pack = absl::Milliseconds(Number(argc, argv, "max_verify_pack_ms", 60000));
  options.packs_folder = Argument(argc, argv, "packs", "");
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
