// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/filter_rules.hpp"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <array>

#include "conformance/sandbox/system_calls.hpp"

namespace mxcert::sandbox {
namespace {

/// Refused with "Operation not permitted": they change the machine, hand out rights, or reach other processes.
constexpr std::array refused{
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_swapon, SYS_swapoff, SYS_quotactl, SYS_acct,
    call::open_tree, call::move_mount, call::fsopen, call::fsconfig, call::fsmount, call::fspick, call::mount_setattr,
    SYS_name_to_handle_at, SYS_open_by_handle_at,
    // namespaces
    SYS_unshare, SYS_setns,
    // the kernel
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    call::kexec_file_load, SYS_reboot, SYS_syslog, call::iopl, call::ioperm,
    // keys
    SYS_add_key, SYS_request_key, SYS_keyctl,
    // the clock and the names of the machine
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname,
    SYS_vhangup,
    // other processes
    call::process_madvise, call::process_mrelease, SYS_kcmp, SYS_migrate_pages, SYS_move_pages};

/// There are none: programs then do without.
constexpr std::array absent{call::io_uring_setup, call::io_uring_enter, call::io_uring_register,
                            call::clone3}; // io_uring opens sockets; the flags of clone3 are out of sight

/// Rights, owners and times of files: Landlock does not govern them, and any of the user's files could be reached.
/// They succeed and do nothing, because many programs take a refusal for a broken disk.
constexpr std::array without_effect{call::chmod,  call::chown,  call::lchown,    SYS_fchmod,
                                    SYS_fchmodat, SYS_fchown,   SYS_fchownat,    call::fchmodat2,
                                    call::utime,  call::utimes, call::futimesat, SYS_utimensat};

constexpr std::array attributes{SYS_setxattr,     SYS_lsetxattr,    SYS_fsetxattr,    SYS_removexattr,
                                SYS_lremovexattr, SYS_fremovexattr, call::setxattrat, call::removexattrat};

constexpr std::array traces{SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, call::pidfd_getfd};

constexpr std::array<int, 6> namespaces{CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,
                                        CLONE_NEWNET,  CLONE_NEWIPC, CLONE_NEWUTS};

#if defined(__s390x__)
constexpr unsigned flags_of_clone = 1;
#else
constexpr unsigned flags_of_clone = 0;
#endif
constexpr std::uint32_t socketcall_socket = 1;  // SYS_SOCKET of linux/net.h
constexpr std::uint32_t linux_console = 0x541C; // TIOCLINUX, which pastes into a console

template <class Numbers> void add(std::vector<Rule>& rules, const Numbers& numbers, int error) {
    for (const auto number : numbers) rules.push_back({static_cast<int>(number), error});
}

/// Signals by number of the process; the filter knows the numbers of two that are not the backend's.
void add_signals(std::vector<Rule>& rules, pid_t harness) {
    constexpr std::array by_process{SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo};
    for (const auto number : by_process)
        for (const int process : {static_cast<int>(harness), -static_cast<int>(harness), -1, 1})
            rules.push_back({static_cast<int>(number), EPERM, {{0, static_cast<std::uint32_t>(process)}}});
    // Which process a thread or a descriptor is of is out of sight.
    rules.push_back({SYS_tkill, EPERM});
    rules.push_back({call::pidfd_send_signal, EPERM});
}

} // namespace

std::vector<Rule> filter_rules(const StandIn& stand_in) {
    std::vector<Rule> rules;
    // Sockets of every kind: by those of the file system one can ask a service of the user to start a program.
    // socketpair() gives only what a pipe does.
    rules.push_back({SYS_socket, EACCES});
    rules.push_back({call::socketcall, EACCES, {{0, socketcall_socket}}});
    add(rules, refused, EPERM);
    add(rules, absent, ENOSYS);
    add(rules, without_effect, 0);
    add(rules, attributes, ENOTSUP);
    for (const int flag : namespaces)
        rules.push_back(
            {SYS_clone,
             EPERM,
             {{flags_of_clone, static_cast<std::uint32_t>(flag), true, false, static_cast<std::uint32_t>(flag)}}});
    // Both type for the user at the terminal.
    rules.push_back({SYS_ioctl, EPERM, {{1, TIOCSTI}}});
    rules.push_back({SYS_ioctl, EPERM, {{1, linux_console}}});
    // The limits of other processes, and its own limit of processes.
    rules.push_back({SYS_prlimit64, EPERM, {{0, 0, false}}});
    for (const bool upper : {false, true}) // a pointer: any bit
        rules.push_back({SYS_prlimit64, EPERM, {{1, RLIMIT_NPROC}, {2, 0, false, upper}}});
    rules.push_back({call::setrlimit, EPERM, {{0, RLIMIT_NPROC}}});
    if (stand_in.ptrace) add(rules, traces, EPERM);
    if (stand_in.signals) add_signals(rules, stand_in.harness);
    std::erase_if(rules, [](const Rule& rule) { return rule.number < 0; });
    return rules;
}

} // namespace mxcert::sandbox
