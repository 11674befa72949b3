// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers of system calls that some processor does not have, or that came after the headers that mxcert may be built
// with: -1 stands for one that is not there. Those from 424 on are the same on every processor.
#include <sys/syscall.h>

namespace mxcert::sandbox::call {

inline constexpr int none = -1;

#ifdef SYS_chmod
inline constexpr int chmod = SYS_chmod;
inline constexpr int chown = SYS_chown;
inline constexpr int lchown = SYS_lchown;
#else
inline constexpr int chmod = none;
inline constexpr int chown = none;
inline constexpr int lchown = none;
#endif
#ifdef SYS_utime
inline constexpr int utime = SYS_utime;
inline constexpr int utimes = SYS_utimes;
#else
inline constexpr int utime = none;
inline constexpr int utimes = none;
#endif
#ifdef SYS_futimesat
inline constexpr int futimesat = SYS_futimesat;
#else
inline constexpr int futimesat = none;
#endif
#ifdef SYS_socketcall
inline constexpr int socketcall = SYS_socketcall;
#else
inline constexpr int socketcall = none;
#endif
#ifdef SYS_iopl
inline constexpr int iopl = SYS_iopl;
inline constexpr int ioperm = SYS_ioperm;
#else
inline constexpr int iopl = none;
inline constexpr int ioperm = none;
#endif
#ifdef SYS_setrlimit
inline constexpr int setrlimit = SYS_setrlimit;
#else
inline constexpr int setrlimit = none;
#endif
#ifdef SYS_kexec_file_load
inline constexpr int kexec_file_load = SYS_kexec_file_load;
#else
inline constexpr int kexec_file_load = none;
#endif

inline constexpr int pidfd_send_signal = 424;
inline constexpr int io_uring_setup = 425;
inline constexpr int io_uring_enter = 426;
inline constexpr int io_uring_register = 427;
inline constexpr int open_tree = 428;
inline constexpr int move_mount = 429;
inline constexpr int fsopen = 430;
inline constexpr int fsconfig = 431;
inline constexpr int fsmount = 432;
inline constexpr int fspick = 433;
inline constexpr int clone3 = 435;
inline constexpr int pidfd_getfd = 438;
inline constexpr int process_madvise = 440;
inline constexpr int mount_setattr = 442;
inline constexpr int process_mrelease = 448;
inline constexpr int fchmodat2 = 452;
inline constexpr int setxattrat = 463;
inline constexpr int removexattrat = 466;

} // namespace mxcert::sandbox::call
