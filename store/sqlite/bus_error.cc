#include "store/sqlite/bus_error.h"

#include <signal.h>
#include <unistd.h>

#include <mutex>

namespace rewrought::store::sqlite {
namespace {

// Only functions that are safe in signal handlers may be called here.
void HandleBusError(int) {
  constexpr char kMessage[] =
      "rewrought: another process truncated a file that this process had mapped into memory, probably the -shm file of "
      "the database; committed data is kept. Run the command again\n";
  // If standard error is closed, nothing more can be done.
  if (write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1) < 0) _exit(kBusErrorStatus);
  _exit(kBusErrorStatus);
}

}  // namespace

void InstallBusErrorHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction before = {};
    if (sigaction(SIGBUS, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
    struct sigaction handler = {};
    handler.sa_handler = HandleBusError;
    sigemptyset(&handler.sa_mask);
    sigaction(SIGBUS, &handler, nullptr);
  });
}

}  // namespace rewrought::store::sqlite
