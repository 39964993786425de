// Answers requests with Z3, in the worker process only: the one place that knows the solver's interface.
#ifndef REWROUGHT_VERIFIER_WORKER_Z3_SESSION_H_
#define REWROUGHT_VERIFIER_WORKER_Z3_SESSION_H_

#include <memory>

#include "verifier/worker/protocol.h"

namespace rewrought::verifier {

class Z3Session {
 public:
  Z3Session();
  ~Z3Session();

  // Decides one request. Trouble with the text is kUnknown, "parse: ..."; trouble with memory sets `retire`: Z3 is in
  // no known state then, and the process must end without another call. What Z3 does beyond that (exit, abort) is the
  // parent's to notice.
  WorkerReply Answer(const WorkerRequest& request);

  // To be called after each reply has been sent: a new context for the next request. Takes milliseconds; may end the
  // process if Z3 is out of memory.
  void Tidy();

 private:
  struct Context;

  std::unique_ptr<Context> context_;  // null: to be made
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_Z3_SESSION_H_
