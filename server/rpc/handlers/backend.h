// What the handlers of all services share.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_BACKEND_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_BACKEND_H_

#include <string>

#include "server/rpc/access/access.h"
#include "server/rpc/access/limiter.h"
#include "server/rpc/call.h"
#include "server/rpc/jobs/engines.h"
#include "server/rpc/jobs/run_queue.h"
#include "server/rpc/options.h"
#include "server/rpc/work_pool.h"
#include "server/store/store.h"
#include "verifier/solvers.h"

namespace rewrought::rpc {

// Nothing but the solvers is owned; all of it outlives the handlers and is thread-safe.
struct Backend {
  store::Store* store = nullptr;
  verifier::Solvers solvers;
  CallWatcher* calls = nullptr;
  Limiter* limiter = nullptr;  // for calls that compute
  Limiter *open_calls = nullptr, *open_streams = nullptr;
  WorkPool* pool = nullptr;
  const Access* access = nullptr;
  ImproveEngine* improve = nullptr;
  RunQueue* runs = nullptr;  // null where the database is served to read only
  Limits limits;
  bool read_only = false;
  std::string packs_folder, audits_folder, program;  // as in ServerOptions
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_BACKEND_H_
