// Ends the process with a message if a file that is mapped into memory shrinks.
#ifndef REWROUGHT_STORE_SQLITE_BUS_ERROR_H_
#define REWROUGHT_STORE_SQLITE_BUS_ERROR_H_

namespace rewrought::store::sqlite {

// The exit status of a process that ended because a mapped file shrank.
inline constexpr int kBusErrorStatus = 2;

// Installs a handler for SIGBUS, unless the process has its own handler. In WAL mode, all processes that use a database
// map its -shm file. If another process truncates this file, the next access raises SIGBUS, in any thread. SQLite
// cannot continue then: a private copy of the index would let two processes write the same part of the log. Committed
// data is in the log and not affected, so the handler prints a message and ends the process.
void InstallBusErrorHandler();

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_BUS_ERROR_H_
