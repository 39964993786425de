// Answers requests with Z3. Used only in the worker process; no other code uses Z3's interface.
#ifndef REWROUGHT_VERIFIER_WORKER_Z3_SESSION_H_
#define REWROUGHT_VERIFIER_WORKER_Z3_SESSION_H_

#include <memory>

#include "verifier/worker/protocol.h"

namespace rewrought::verifier {

class Z3Session {
 public:
  Z3Session();
  ~Z3Session();

  // Decides one request. If the text has errors, returns kUnknown with a reason that starts with "parse:". Sets
  // `retire` if memory runs out; Z3's state is then undefined, and the process must end without another call. The
  // parent must detect other failures of Z3 (exit, abort).
  WorkerReply Answer(const WorkerRequest& request);

  // Creates a new context for the next request. Call it after sending each reply, because it takes milliseconds. May
  // end the process if Z3 is out of memory.
  void Tidy();

 private:
  struct Context;

  std::unique_ptr<Context> context_;  // null until created
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_Z3_SESSION_H_
