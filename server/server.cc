#include "server/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "pipeline/watch/worker_board.h"
#include "server/access/access.h"
#include "server/access/address.h"
#include "server/access/memory_budget.h"
#include "server/access/tls.h"
#include "server/database_watch.h"
#include "server/handlers/services.h"
#include "server/http/grpc_front_end.h"
#include "server/http/http_front_end.h"
#include "server/jobs/pack_making.h"
#include "server/jobs/pipeline_engines.h"
#include "server/jobs/run_queue.h"
#include "server/jobs/upload_worker.h"
#include "server/metrics.h"
#include "server/work_metrics.h"
#include "server/work_pool.h"
#include "store/database_lock.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::rpc {
namespace {

constexpr std::chrono::seconds kTrimInterval{30};
constexpr std::chrono::seconds kWatchInterval{1};
constexpr int kSolverNiceness = 5;     // gives reads priority over proofs
constexpr int kReflectionThreads = 8;  // for gRPC's own reflection service, the only one that blocks threads
constexpr int kScans = 2;              // calls that read large parts of the database at the same time

// Under the thread sanitizer, a server that is sending 300 streams takes longer to read the first bytes of a new
// connection.
#if defined(REWROUGHT_THREAD_SANITIZER)
constexpr absl::Duration kGreeting = absl::Minutes(1);
#else
constexpr absl::Duration kGreeting = absl::Seconds(5);
#endif

// Enables gRPC's health service. The switch is process-wide and must be set before the first server is created.
void EnableHealthService() {
  static const bool once = [] {
    grpc::EnableDefaultHealthCheckService(true);
    return true;
  }();
  static_cast<void>(once);
}

// Linking gRPC's reflection library adds reflection to every server of the process, because its static initializer
// installs a plugin. This option removes the plugin from one server.
class WithoutReflection : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    std::erase_if(*plugins, [](const auto& plugin) { return plugin->name() == "proto_server_reflection"; });
  }
};

absl::StatusOr<std::unique_ptr<store::Store>> OpenStore(const ServerOptions& options) {
  if (options.db.empty()) return absl::InvalidArgumentError("no database specified; pass --db PATH");
  store::StoreOptions store_options;
  // The readers' own caches are small: many readers read the same pages, and the operating system caches each page only
  // once.
  store_options.reader_cache_bytes = 2 << 20;
  store_options.mode = options.read_only ? store::OpenMode::kReadOnly : store::OpenMode::kReadWrite;
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(options.db, store_options);
  if (absl::IsNotFound(store.status())) {
    return absl::NotFoundError(
        absl::StrCat(store.status().message(), "; `rewrought harvest PATH --db ", options.db, "` creates one"));
  }
  if (!store.ok() || options.read_only) return store;
  // If the file is not writable, SQLite opens it as read-only, and reports this only on the first write.
  const absl::Status writable =
      (*store)->Write([](auto& writer) { return writer.Run("UPDATE runs SET id = id WHERE 0"); });
  if (!writable.ok()) {
    return absl::Status(writable.code(), absl::StrCat(writable.message(), "; or serve the database read-only"));
  }
  return store;
}

// Returns a channel whose responses may have any length. Clients limit the length themselves.
std::shared_ptr<grpc::Channel> InProcessChannel(grpc::Server* server) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return server->InProcessChannel(arguments);
}

// Allows only one server per database, because two servers would resume each other's runs.
absl::StatusOr<std::unique_ptr<store::DatabaseLock>> LockDatabase(const std::string& db) {
  absl::StatusOr<std::unique_ptr<store::DatabaseLock>> taken = store::DatabaseLock::Take(db, "serve", {});
  if (!absl::IsFailedPrecondition(taken.status())) return taken;
  return absl::FailedPreconditionError(absl::StrCat(db,
                                                    ": another server serves this database: ", taken.status().message(),
                                                    "; stop it, or serve the database read-only"));
}

// Returns the access rules for the two addresses. Fails with InvalidArgument if an address that other machines can
// reach has no TLS or no tokens.
absl::StatusOr<std::unique_ptr<Access>> MakeAccess(const ServerOptions& options, const HostAndPort& grpc_address,
                                                   const std::optional<HostAndPort>& http_address) {
  const auto reachable = [](const HostAndPort& address) { return !IsLoopback(address); };
  const bool guarded = !options.token_file.empty();
  for (const HostAndPort* address : {&grpc_address, http_address.has_value() ? &*http_address : nullptr}) {
    if (address == nullptr || !reachable(*address)) continue;
    if (!guarded || options.tls_certificate.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          AddressText(*address), ": other machines can reach this address; pass --tokens, --tls-cert and --tls-key"));
    }
  }
  // A local user can already do anything with the database file. A browser, in contrast, also sends requests on behalf
  // of whoever wrote the page that it shows.
  Role anonymous_grpc = reachable(grpc_address) ? Role::kNone : guarded ? Role::kCheck : Role::kAdmin;
  Role anonymous_http = http_address.has_value() && reachable(*http_address) ? Role::kNone : Role::kCheck;
  if (!options.anonymous.empty()) {
    const absl::StatusOr<Role> role = ParseRole(options.anonymous);
    if (!role.ok()) return role.status();
    if (*role == Role::kAdmin)
      return absl::InvalidArgumentError("the role admin requires a token; choose none, read or check");
    anonymous_grpc = anonymous_http = *role;
  }
  auto access = std::make_unique<Access>(anonymous_grpc, anonymous_http);
  access->LimitCalls(options.limits.calls_per_second);
  if (guarded) {
    if (absl::Status status = access->AddTokens(options.token_file); !status.ok()) return status;
  }
  return access;
}

}  // namespace

// Members are ordered by dependency: each member uses only earlier members and is destroyed before them.
struct Server::Parts {
  ServerOptions options;
  std::unique_ptr<store::DatabaseLock> lock;
  std::unique_ptr<store::Store> store;
  verifier::Solvers solvers;
  std::unique_ptr<DatabaseWatch> database;
  std::unique_ptr<Limiter> computations, scans, open_calls, open_streams, grpc_calls;
  std::unique_ptr<CallWatcher> calls;
  std::unique_ptr<PipelineImproveEngine> improve_engine;
  std::unique_ptr<PipelineRunEngine> run_engine;
  std::unique_ptr<RunQueue> runs;
  std::unique_ptr<Access> access;
  std::unique_ptr<WorkPool> pool;
  TlsFiles tls;
  Metrics metrics;
  std::unique_ptr<WorkMetrics> work_metrics;
  std::unique_ptr<MemoryBudget> memory;
  std::vector<std::unique_ptr<Service>> services;
  std::unique_ptr<grpc::Server> server;  // has no port; the front ends call it over in-process channels
  std::unique_ptr<GrpcFrontEnd> grpc_front;
  std::unique_ptr<HttpFrontEnd> http_front;
  HostAndPort address;
  std::optional<HostAndPort> http_address;
  absl::Status database_status;  // the state that health checks report

  absl::Status Guard();
  absl::Status Open();
  absl::Status Listen();
  absl::Status ListenGrpc();
  absl::Status ListenHttp();
  std::vector<std::string> ServiceNames() const;
  void SetServing(bool serving);
  void WatchDatabase();
  void Drain();
};

absl::Status Server::Parts::Open() {
  absl::StatusOr<std::unique_ptr<store::Store>> opened = OpenStore(options);
  if (!opened.ok()) return opened.status();
  store = *std::move(opened);
  database = std::make_unique<DatabaseWatch>(options.db);
  if (!options.read_only) {
    absl::StatusOr<std::unique_ptr<store::DatabaseLock>> taken = LockDatabase(options.db);
    if (!taken.ok()) return taken.status();
    lock = *std::move(taken);
  }
  RemoveUploadLeftovers();
  if (!options.packs_folder.empty()) RemovePackLeftovers(options.packs_folder);
  absl::StatusOr<verifier::Solvers> created =
      verifier::OpenSolvers({options.workers, options.worker_path, kSolverNiceness});
  if (!created.ok()) return created.status();
  solvers = *std::move(created);
  const int running = options.limits.running_calls > 0 ? options.limits.running_calls : solvers.parallel();
  const Limits& limits = options.limits;
  computations = std::make_unique<Limiter>(
      LimiterOptions{.running = running, .waiting = limits.waiting_calls, .client_calls = limits.client_calls});
  scans = std::make_unique<Limiter>(LimiterOptions{.running = kScans,
                                                   .waiting = limits.waiting_calls,
                                                   .client_calls = limits.client_calls,
                                                   .client_running = kScans - 1});
  open_calls = std::make_unique<Limiter>(LimiterOptions{
      .running = limits.open_calls, .client_calls = limits.client_open_calls, .what = "calls of this client are open"});
  open_streams = std::make_unique<Limiter>(LimiterOptions{.running = limits.open_streams,
                                                          .client_calls = limits.client_streams,
                                                          .what = "streams of this client are open"});
  grpc_calls = std::make_unique<Limiter>(
      LimiterOptions{.running = limits.open_calls + limits.open_streams,
                     .client_calls = limits.client_streams == 0 ? 0 : limits.client_open_calls + limits.client_streams,
                     .what = "calls of this client are open"});
  // Every call that has stepped aside has a slot of a limiter, waits for one, or waits for the only pack build.
  const int active = std::max(4, 2 * static_cast<int>(std::thread::hardware_concurrency()));
  pool = std::make_unique<WorkPool>(active + running + kScans + 2 * limits.waiting_calls + 1, active);
  calls = std::make_unique<CallWatcher>();
  improve_engine = std::make_unique<PipelineImproveEngine>(solvers);
  if (!options.read_only) {
    run_engine = std::make_unique<PipelineRunEngine>(store.get(), solvers, options.workers);
    runs = std::make_unique<RunQueue>(store.get(), run_engine.get(), options.limits.queued_runs);
  }
  work_metrics = std::make_unique<WorkMetrics>(store.get(), runs.get(), pipeline::WorkerBoard::OfProcess());
  metrics.Add(work_metrics.get());
  Backend backend;
  backend.store = store.get();
  backend.solvers = solvers;
  backend.calls = calls.get();
  backend.database = database.get();
  backend.computations = computations.get();
  backend.scans = scans.get();
  backend.open_calls = open_calls.get();
  backend.open_streams = open_streams.get();
  backend.pool = pool.get();
  backend.improve = improve_engine.get();
  backend.runs = runs.get();
  backend.limits = options.limits;
  backend.read_only = options.read_only;
  backend.packs_folder = options.packs_folder;
  backend.audits_folder = options.audits_folder;
  backend.program = options.program;
  absl::StatusOr<std::vector<std::unique_ptr<Service>>> made = MakeServices(backend);
  if (!made.ok()) return made.status();
  services = *std::move(made);
  return absl::OkStatus();
}

absl::Status Server::Parts::Guard() {
  absl::StatusOr<HostAndPort> parsed = ParseAddress(options.address);
  if (!parsed.ok()) return parsed.status();
  address = *std::move(parsed);
  if (!options.http_address.empty()) {
    parsed = ParseAddress(options.http_address);
    if (!parsed.ok()) return parsed.status();
    http_address = *std::move(parsed);
  }
  absl::StatusOr<std::unique_ptr<Access>> made = MakeAccess(options, address, http_address);
  if (!made.ok()) return made.status();
  access = *std::move(made);
  absl::StatusOr<TlsFiles> read = ReadTlsFiles(options.tls_certificate, options.tls_key, options.tls_client_ca);
  if (!read.ok()) return read.status();
  tls = *std::move(read);
  return absl::OkStatus();
}

std::vector<std::string> Server::Parts::ServiceNames() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<Service>& service : services) names.push_back(service->name());
  return names;
}

void Server::Parts::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface* const health = server->GetHealthCheckService();
  health->SetServingStatus(serving);  // of the whole server
  for (const std::string& name : ServiceNames()) health->SetServingStatus(name, serving);
}

// Reports a change of the database file's state in the log and in health checks.
void Server::Parts::WatchDatabase() {
  const absl::Status status = database->Check();
  if (status == database_status) return;
  database_status = status;
  std::cerr << "rewrought serve: " << options.db << ": "
            << (status.ok() ? "the database file is back" : status.message()) << std::endl;
  SetServing(status.ok());
}

absl::Status Server::Parts::ListenGrpc() {
  GrpcFrontEndOptions front_end_options;
  front_end_options.address = address;
  front_end_options.connections = options.limits.grpc_connections;
  front_end_options.limits.streams = options.limits.connection_streams;
  front_end_options.limits.message_bytes = static_cast<size_t>(options.limits.message_bytes);
  front_end_options.limits.greeting = kGreeting;
  front_end_options.limits.write = options.limits.write;
  absl::StatusOr<std::unique_ptr<GrpcFrontEnd>> started =
      GrpcFrontEnd::Start(front_end_options, tls,
                          std::make_unique<GrpcGateway>(InProcessChannel(server.get()), ServiceNames(),
                                                        options.reflection, access.get(), grpc_calls.get(), &metrics),
                          memory.get(), &metrics);
  if (!started.ok()) return started.status();
  grpc_front = *std::move(started);
  address = grpc_front->address();
  options.address = AddressText(address);
  return absl::OkStatus();
}

absl::Status Server::Parts::ListenHttp() {
  if (!http_address.has_value()) return absl::OkStatus();
  HttpFrontEndOptions front_end_options;
  front_end_options.address = *http_address;
  front_end_options.loopback = IsLoopback(*http_address);
  front_end_options.page_folder = options.page_folder;
  front_end_options.limits.body_bytes = static_cast<size_t>(options.limits.message_bytes);
  front_end_options.limits.connections = options.http_connections;
  // The server is healthy even if a worker is starved, because restarting the server would only lose work.
  front_end_options.health = [this]() -> absl::StatusOr<std::string> {
    if (absl::Status status = database->Check(); !status.ok()) return status;
    return HealthText(*pipeline::WorkerBoard::OfProcess());
  };
  absl::StatusOr<std::unique_ptr<HttpFrontEnd>> started =
      HttpFrontEnd::Start(front_end_options, tls, InProcessChannel(server.get()), ServiceNames(), access.get(),
                          memory.get(), &metrics, pool.get());
  if (!started.ok()) return started.status();
  http_front = *std::move(started);
  http_address = http_front->address();
  options.http_address = AddressText(*http_address);
  return absl::OkStatus();
}

absl::Status Server::Parts::Listen() {
  EnableHealthService();
  grpc::ServerBuilder builder;
  grpc::ResourceQuota quota("rewrought.v1");
  quota.SetMaxThreads(kReflectionThreads);
  builder.SetResourceQuota(quota);
  if (options.reflection) {
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();  // does nothing after the first call
  } else {
    builder.SetOption(std::make_unique<WithoutReflection>());
  }
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(CountingInterceptors(&metrics));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  for (const std::unique_ptr<Service>& service : services) builder.RegisterService(service.get());
  server = builder.BuildAndStart();
  if (server == nullptr) return absl::InternalError("gRPC cannot start the services");
  SetServing(true);
  memory = std::make_unique<MemoryBudget>(options.limits.request_bytes);
  if (absl::Status status = ListenGrpc(); !status.ok()) return status;
  if (absl::Status status = ListenHttp(); !status.ok()) return status;
  return runs != nullptr ? runs->Resume() : absl::OkStatus();
}

void Server::Parts::Drain() {
  if (server == nullptr) return;
  server->GetHealthCheckService()->Shutdown();
  if (runs != nullptr) runs->Stop();
  if (http_front != nullptr) http_front->Stop();
  if (grpc_front != nullptr) grpc_front->Stop();
  // Streams that only watch have nothing to finish, but computations get options.drain to finish. Then gRPC cancels the
  // remaining calls, and the watcher ends their work.
  server->Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(options.drain));
  calls->StopAll();
  if (http_front != nullptr) http_front->Join();
  if (grpc_front != nullptr) grpc_front->Join();
  server->Wait();
  http_front = nullptr;  // must be destroyed before the server that its channel connects to
  grpc_front = nullptr;
  server = nullptr;
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() { parts_->Drain(); }

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  if (absl::Status status = parts->Guard(); !status.ok()) return status;
  if (absl::Status status = parts->Open(); !status.ok()) return status;
  if (absl::Status status = parts->Listen(); !status.ok()) return status;
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

const std::string& Server::address() const { return parts_->options.address; }
const std::string& Server::http_address() const { return parts_->options.http_address; }
int Server::port() const { return parts_->address.port; }

void Server::Wait(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock<std::mutex> lock(mutex);
  // The memory that calls have freed is scattered over the arenas of many threads, and the allocator returns it to the
  // system only on request.
  auto trimmed = std::chrono::steady_clock::now();
  while (!never.wait_for(lock, stop, kWatchInterval, [&] { return stop.stop_requested(); })) {
    parts_->WatchDatabase();
    const auto now = std::chrono::steady_clock::now();
    if (now - trimmed < kTrimInterval) continue;
    trimmed = now;
    malloc_trim(0);
  }
  parts_->Drain();
}

}  // namespace rewrought::rpc
