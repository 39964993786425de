// The state that the handlers of all services share.
#ifndef REWROUGHT_SERVER_HANDLERS_BACKEND_H_
#define REWROUGHT_SERVER_HANDLERS_BACKEND_H_

#include <string>

#include "server/access/limiter.h"
#include "server/call.h"
#include "server/database_watch.h"
#include "server/jobs/engines.h"
#include "server/jobs/run_queue.h"
#include "server/options.h"
#include "server/work_pool.h"
#include "store/store.h"
#include "verifier/solvers.h"

namespace rewrought::rpc {

// Owns only the solvers. All other objects outlive the handlers and are thread-safe.
struct Backend {
  store::Store* store = nullptr;
  const DatabaseWatch* database = nullptr;  // may be null
  verifier::Solvers solvers;
  CallWatcher* calls = nullptr;
  Limiter* computations = nullptr;  // bounds the calls that compute and require a role above kRead
  Limiter* scans = nullptr;         // bounds the calls that require only kRead but read large parts of the database
  Limiter *open_calls = nullptr, *open_streams = nullptr;
  WorkPool* pool = nullptr;
  ImproveEngine* improve = nullptr;
  RunQueue* runs = nullptr;  // null if the database is served read-only
  Limits limits;
  bool read_only = false;
  std::string packs_folder, audits_folder, program;  // the same as in ServerOptions
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_BACKEND_H_
