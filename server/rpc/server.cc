#include "server/rpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/rpc/address.h"
#include "server/rpc/backend.h"
#include "server/rpc/check_service.h"
#include "server/rpc/eval_service.h"
#include "server/rpc/improve_service.h"
#include "server/rpc/instance_lock.h"
#include "server/rpc/pipeline_engines.h"
#include "server/rpc/rule_service.h"
#include "server/rpc/run_queue.h"
#include "server/rpc/run_service.h"
#include "verifier/worker/cvc5_process.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::rpc {
namespace {

// grpc::ServerBuilder takes these from a process-wide switch, which must be set before the first server is made.
void EnableHealthService() {
  static const bool once = [] {
    grpc::EnableDefaultHealthCheckService(true);
    return true;
  }();
  static_cast<void>(once);
}

// Linking gRPC's reflection library adds reflection to every server of the process (its static initialiser installs a
// plugin); this takes it off one server.
class WithoutReflection : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    std::erase_if(*plugins, [](const auto& plugin) { return plugin->name() == "proto_server_reflection"; });
  }
};

absl::StatusOr<std::unique_ptr<store::Store>> OpenStore(const ServerOptions& options) {
  if (options.db.empty()) return absl::InvalidArgumentError("no database is named; say which with --db PATH");
  store::StoreOptions store_options;
  store_options.mode = options.read_only ? store::OpenMode::kReadOnly : store::OpenMode::kReadWrite;
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(options.db, store_options);
  if (absl::IsNotFound(store.status())) {
    return absl::NotFoundError(
        absl::StrCat(store.status().message(), "; `rewrought harvest PATH --db ", options.db, "` makes one"));
  }
  if (!store.ok() || options.read_only) return store;
  // SQLite opens what cannot be written for reading alone, and says so only at the first write.
  const absl::Status writable =
      (*store)->Write([](auto& writer) { return writer.Run("UPDATE runs SET id = id WHERE 0"); });
  if (!writable.ok()) {
    return absl::Status(writable.code(), absl::StrCat(writable.message(), "; or serve it read-only"));
  }
  return store;
}

}  // namespace

// In the order in which they may be used: what stands below uses what stands above, and goes first.
struct Server::Parts {
  ServerOptions options;
  std::unique_ptr<InstanceLock> lock;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<verifier::WorkerPool> pool;
  std::unique_ptr<verifier::Cvc5Process> cvc5;
  std::unique_ptr<Gate> gate;
  std::unique_ptr<CallWatcher> calls;
  std::unique_ptr<PipelineImproveEngine> improve_engine;
  std::unique_ptr<PipelineRunEngine> run_engine;
  std::unique_ptr<RunQueue> runs;
  std::vector<std::unique_ptr<grpc::Service>> services;
  std::unique_ptr<grpc::Server> server;
  HostAndPort address;

  absl::Status Open();
  absl::Status Listen();
  void Drain();
};

absl::Status Server::Parts::Open() {
  absl::StatusOr<std::unique_ptr<store::Store>> opened = OpenStore(options);
  if (!opened.ok()) return opened.status();
  store = *std::move(opened);
  if (!options.read_only) {
    absl::StatusOr<std::unique_ptr<InstanceLock>> taken = InstanceLock::Take(options.db);
    if (!taken.ok()) return taken.status();
    lock = *std::move(taken);
  }
  verifier::WorkerPoolOptions pool_options;
  pool_options.workers = options.workers;
  pool_options.worker_path = options.worker_path;
  absl::StatusOr<std::unique_ptr<verifier::WorkerPool>> created = verifier::WorkerPool::Create(pool_options);
  if (!created.ok()) return created.status();
  pool = *std::move(created);
  cvc5 = std::make_unique<verifier::Cvc5Process>(verifier::Cvc5Options{});
  const int running = options.limits.running_calls > 0 ? options.limits.running_calls : pool->workers();
  gate = std::make_unique<Gate>(running, options.limits.waiting_calls);
  calls = std::make_unique<CallWatcher>();
  improve_engine = std::make_unique<PipelineImproveEngine>(pool.get(), cvc5.get());
  if (options.read_only) return absl::OkStatus();
  run_engine = std::make_unique<PipelineRunEngine>(store.get(), pool.get(), cvc5.get(), options.workers);
  runs = std::make_unique<RunQueue>(store.get(), run_engine.get(), options.limits.queued_runs);
  return absl::OkStatus();
}

absl::Status Server::Parts::Listen() {
  absl::StatusOr<HostAndPort> parsed = ParseAddress(options.address);
  if (!parsed.ok()) return parsed.status();
  address = *std::move(parsed);
  if (absl::Status status = ProbeAddress(address); !status.ok()) return status;
  const Backend backend{store.get(), pool.get(), cvc5.get(), calls.get(), gate.get(), options.limits};
  services.push_back(std::make_unique<RuleServiceHandler>(backend));
  services.push_back(std::make_unique<CheckServiceHandler>(backend));
  services.push_back(std::make_unique<EvalServiceHandler>(backend));
  services.push_back(std::make_unique<ImproveServiceHandler>(backend, improve_engine.get()));
  services.push_back(std::make_unique<RunServiceHandler>(backend, runs.get()));
  EnableHealthService();
  grpc::ServerBuilder builder;
  grpc::ResourceQuota quota("rewrought.v1");
  quota.SetMaxThreads(options.limits.threads);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.limits.message_bytes));
  // Without this a second server would listen on the same port and take some of its calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  if (options.reflection) {
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();  // does nothing when it has been called before
  } else {
    builder.SetOption(std::make_unique<WithoutReflection>());
  }
  int bound = 0;
  builder.AddListeningPort(AddressText(address), grpc::InsecureServerCredentials(), &bound);
  for (const std::unique_ptr<grpc::Service>& service : services) builder.RegisterService(service.get());
  server = builder.BuildAndStart();
  if (server == nullptr || bound == 0) {
    return absl::UnavailableError(
        absl::StrCat(AddressText(address), ": cannot be listened on; choose another address"));
  }
  address.port = bound;
  options.address = AddressText(address);
  grpc::HealthCheckServiceInterface* health = server->GetHealthCheckService();
  for (const char* name : {"RuleService", "CheckService", "EvalService", "ImproveService", "RunService"}) {
    health->SetServingStatus(absl::StrCat("rewrought.v1.", name), true);
  }
  return runs != nullptr ? runs->Resume() : absl::OkStatus();
}

void Server::Parts::Drain() {
  if (server == nullptr) return;
  server->GetHealthCheckService()->Shutdown();
  if (runs != nullptr) runs->Stop();
  // Streams that only watch have nothing to finish, computations get their time: then gRPC cancels what is left, which
  // the watcher sees.
  server->Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(options.drain));
  calls->StopAll();
  server->Wait();
  server = nullptr;
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() { parts_->Drain(); }

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  if (absl::Status status = parts->Open(); !status.ok()) return status;
  if (absl::Status status = parts->Listen(); !status.ok()) return status;
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

const std::string& Server::address() const { return parts_->options.address; }
int Server::port() const { return parts_->address.port; }

void Server::Wait(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock<std::mutex> lock(mutex);
  never.wait(lock, stop, [] { return false; });
  parts_->Drain();
}

}  // namespace rewrought::rpc
