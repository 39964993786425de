// What the handlers of all services share.
#ifndef REWROUGHT_SERVER_RPC_HANDLERS_BACKEND_H_
#define REWROUGHT_SERVER_RPC_HANDLERS_BACKEND_H_

#include <string>

#include "server/rpc/access/access.h"
#include "server/rpc/access/limiter.h"
#include "server/rpc/call.h"
#include "server/rpc/options.h"
#include "server/store/store.h"
#include "verifier/solver.h"

namespace rewrought::rpc {

// Nothing is owned; all of it outlives the handlers and is thread-safe.
struct Backend {
  store::Store* store = nullptr;
  verifier::Solver* solver = nullptr;
  verifier::Solver* second_solver = nullptr;
  CallWatcher* calls = nullptr;
  Limiter* limiter = nullptr;  // for calls that compute
  const Access* access = nullptr;
  Limits limits;
  bool read_only = false;
  std::string packs_folder, audits_folder, program;  // as in ServerOptions
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HANDLERS_BACKEND_H_
