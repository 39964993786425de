#include "corpus/glsl/lockdown.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"

namespace {

std::atomic<bool> locked_down = false;

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
// LeakSanitizer is turned off: it stops threads with ptrace, which the filter forbids, so it would wait for them
// forever.
extern "C" int __lsan_is_turned_off() { return locked_down; }
#endif

namespace rewrought::corpus {
namespace {

constexpr int kKilled[] = {
    // Calls for networking and other communication.
    SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept),
    SCMP_SYS(accept4), SCMP_SYS(mq_open), SCMP_SYS(shmget), SCMP_SYS(msgget), SCMP_SYS(semget),
    // Calls that start programs or access other processes.
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(kcmp), SCMP_SYS(setns),
    SCMP_SYS(unshare), SCMP_SYS(personality), SCMP_SYS(memfd_create),
    // Calls that modify the file system by path.
    SCMP_SYS(creat), SCMP_SYS(truncate), SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(mknod), SCMP_SYS(mknodat),
    SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link), SCMP_SYS(linkat), SCMP_SYS(symlink),
    SCMP_SYS(symlinkat), SCMP_SYS(chmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(lchown), SCMP_SYS(fchownat),
    SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(utimensat),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
    SCMP_SYS(open_tree), SCMP_SYS(move_mount), SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(swapon), SCMP_SYS(acct),
    // Calls that configure the kernel or use rarely needed parts of it.
    SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup), SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(keyctl), SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load), SCMP_SYS(reboot), SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime), SCMP_SYS(sethostname)};

constexpr int kRefused[] = {SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(rmdir)};

constexpr int kSignals[] = {SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)};

// A filter cannot read the arguments of these calls, which are in memory. The calls therefore fail as if they did not
// exist, and the C library falls back to older calls.
constexpr int kMissing[] = {SCMP_SYS(clone3), SCMP_SYS(openat2)};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {
    if (context_ == nullptr) error_ = ENOMEM;
  }

  template <typename... Conditions>
  void Add(uint32_t action, int call, Conditions... conditions) {
    const int error = seccomp_rule_add(context_.get(), action, call, sizeof...(conditions), conditions...);
    // Some architectures do not have all of the calls.
    if (error_ == 0 && error != -EDOM && error != 0) error_ = -error;
  }

  // Kills the process if `call` opens a file for writing. `place` is the index of the call's `flags` argument.
  void KillWritingOpens(int call, unsigned place) {
    for (const int mode : {O_WRONLY, O_RDWR, O_ACCMODE}) {
      Add(SCMP_ACT_KILL_PROCESS, call, SCMP_CMP64(place, SCMP_CMP_MASKED_EQ, O_ACCMODE, static_cast<uint64_t>(mode)));
    }
    for (const uint64_t flag : {O_CREAT, O_TRUNC}) {
      Add(SCMP_ACT_KILL_PROCESS, call, SCMP_CMP64(place, SCMP_CMP_MASKED_EQ, flag, flag));
    }
  }

  int Load() {
    if (error_ == 0) error_ = -seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_TSYNC, 1);
    if (error_ == 0) error_ = -seccomp_load(context_.get());
    return error_;
  }

 private:
  std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, void (*)(scmp_filter_ctx)> context_;
  int error_ = 0;
};

}  // namespace

absl::Status LockDown(Forks forks) {
  Filter filter;
  for (const int call : kKilled) filter.Add(SCMP_ACT_KILL_PROCESS, call);
  for (const int call : kRefused) filter.Add(SCMP_ACT_ERRNO(EPERM), call);
  for (const int call : kMissing) filter.Add(SCMP_ACT_ERRNO(ENOSYS), call);
  filter.KillWritingOpens(SCMP_SYS(open), 1);
  filter.KillWritingOpens(SCMP_SYS(openat), 2);
  if (forks == Forks::kNo) {
    filter.Add(SCMP_ACT_KILL_PROCESS, SCMP_SYS(fork));
    filter.Add(SCMP_ACT_KILL_PROCESS, SCMP_SYS(vfork));
    filter.Add(SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), SCMP_CMP64(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    // A process may send signals only to itself, as abort() does.
    for (const int call : kSignals) filter.Add(SCMP_ACT_ERRNO(EPERM), call);
    filter.Add(SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), SCMP_CMP64(0, SCMP_CMP_NE, static_cast<uint64_t>(getpid())));
  }
  const int error = filter.Load();
  locked_down = error == 0;
  if (locked_down) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("this system has no seccomp filters: ", strerror(error)));
}

}  // namespace rewrought::corpus
