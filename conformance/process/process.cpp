// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "conformance/process/process_mark.hpp"
#include "conformance/process/starter.hpp"

namespace mxcert::process {
namespace {

constexpr auto longest_dying = std::chrono::seconds(10);

[[noreturn]] void fail(int error, const std::string& what) {
    throw std::system_error(error, std::generic_category(), what);
}

/// A close-on-exec copy above the standard descriptors and the inherited one, so that no dup2 of the child overwrites
/// what a later one needs, even if the harness itself was started with its standard streams closed.
FileDescriptor moved_up(FileDescriptor fd) {
    FileDescriptor up(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 16));
    if (!up.is_open()) fail(errno, "cannot duplicate a descriptor");
    return up;
}

/// What a script that is there misses: the system says of it that there is no such file.
std::string missing_interpreter(const std::string& program) {
    std::ifstream file(program);
    std::string line;
    if (!std::getline(file, line) || !line.starts_with("#!")) return {};
    return ", whose first line names the interpreter '" + line.substr(2) + "'";
}

struct Ends {
    FileDescriptor read;
    FileDescriptor write;
};

Ends make_pipe() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) fail(errno, "cannot make a pipe");
    return {FileDescriptor(fds[0]), FileDescriptor(fds[1])};
}

/// A socket instead of a pipe: only send() can be told to raise no SIGPIPE.
Ends make_input() {
    std::array<int, 2> fds{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) fail(errno, "cannot make a socket");
    return {FileDescriptor(fds[0]), FileDescriptor(fds[1])};
}

void set_nonblocking(const FileDescriptor& fd) {
    const int flags = ::fcntl(fd.get(), F_GETFL);
    if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) fail(errno, "cannot set O_NONBLOCK");
}

/// posix_spawn's two records, freed on every way out.
class Actions {
  public:
    Actions() {
        if (const int error = posix_spawn_file_actions_init(&files_)) fail(error, "posix_spawn_file_actions_init");
        if (const int error = posix_spawnattr_init(&attributes_)) {
            posix_spawn_file_actions_destroy(&files_);
            fail(error, "posix_spawnattr_init");
        }
    }
    ~Actions() {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&attributes_);
    }
    Actions(const Actions&) = delete;
    Actions& operator=(const Actions&) = delete;

    void give(int from, int to) { check(posix_spawn_file_actions_adddup2(&files_, from, to)); }
    void close_from(int first) { check(posix_spawn_file_actions_addclosefrom_np(&files_, first)); }
    /// Own process group, no signal blocked or ignored.
    void detach() {
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        // The C library keeps these two for itself and refuses them.
        sigdelset(&all, SIGKILL);
        sigdelset(&all, SIGSTOP);
        check(posix_spawnattr_setsigmask(&attributes_, &none));
        check(posix_spawnattr_setsigdefault(&attributes_, &all));
        check(posix_spawnattr_setpgroup(&attributes_, 0));
        check(posix_spawnattr_setflags(
            &attributes_, static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)));
    }
    [[nodiscard]] int spawn(pid_t& pid, const char* program, char* const* arguments, char* const* environment) const {
        return ::posix_spawn(&pid, program, &files_, &attributes_, arguments, environment);
    }

  private:
    static void check(int error) {
        if (error != 0) fail(error, "cannot prepare a process");
    }
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

/// Calls `start` so that what it starts makes no core dumps and has these limits. The soft limits alone, and inherited:
/// a hard limit set from outside fails the setrlimit() of a child that has just read the one before, as sanitizers do.
/// They are those of the whole program meanwhile. Returns an error code.
template <class Start> int within_limits(std::vector<SoftLimit> limits, const Start& start) {
    static std::mutex one_at_a_time; // or one would put back what another has set
    const std::lock_guard<std::mutex> held(one_at_a_time);
    limits.push_back({RLIMIT_CORE, 0});
    std::vector<std::pair<int, rlimit>> before;
    int code = 0;
    for (const SoftLimit& limit : limits) {
        rlimit had{};
        if (::getrlimit(limit.resource, &had) != 0) code = errno;
        const rlimit wanted{std::min<rlim_t>(limit.most, had.rlim_cur), had.rlim_max};
        if (code == 0 && ::setrlimit(limit.resource, &wanted) != 0) code = errno;
        if (code != 0) break;
        before.emplace_back(limit.resource, had);
    }
    if (code == 0) code = start();
    for (const auto& [resource, had] : before) // cannot fail: it is no more than was allowed
        (void)::setrlimit(resource, &had);
    return code;
}

/// Whether entries of an environment set the same name.
bool has_same_name(std::string_view a, std::string_view b) {
    return a.substr(0, a.find('=')) == b.substr(0, b.find('='));
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace

Process::Process(const ProcessOptions& options) {
    Ends input = make_input();
    Ends output = make_pipe();
    Ends error = make_pipe();
    input.read = moved_up(std::move(input.read));
    output.write = moved_up(std::move(output.write));
    error.write = moved_up(std::move(error.write));
    set_nonblocking(output.read);
    set_nonblocking(error.read);

    Actions actions;
    FileDescriptor inherited;
    actions.give(input.read.get(), 0);
    actions.give(output.write.get(), 1);
    actions.give(error.write.get(), 2);
    int first_closed = 3;
    if (options.inherited_fd >= 0) {
        inherited = FileDescriptor(::fcntl(options.inherited_fd, F_DUPFD_CLOEXEC, 16));
        if (!inherited.is_open()) fail(errno, "cannot duplicate the inherited descriptor");
        actions.give(inherited.get(), options.inherited_as);
        first_closed = options.inherited_as + 1;
    }
    actions.close_from(first_closed);
    actions.detach();

    std::vector<std::string> words{options.program.string()};
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    mark_ = new_mark();
    std::vector<std::string> environment{mark_};
    environment.insert(environment.end(), options.environment.begin(), options.environment.end());
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (!is_mark(*entry) && std::none_of(options.environment.begin(), options.environment.end(),
                                             [&](const std::string& set) { return has_same_name(set, *entry); }))
            environment.emplace_back(*entry);
    std::vector<char*> arguments = pointers_to(words);
    std::vector<char*> entries = pointers_to(environment);
    const auto spawn = [&] { return actions.spawn(pid_, words.front().c_str(), arguments.data(), entries.data()); };
    starter_ = options.starter ? options.starter : Starter::common();
    // The thread that starts it may not be allowed to change its limits.
    if (const int code = within_limits(options.limits, [&] { return starter_->start(spawn); }))
        fail(code, "cannot start " + words.front() + (code == ENOENT ? missing_interpreter(words.front()) : ""));

    // From here on the destructor does not run if something throws: the child must not be left behind.
    // Not pidfd_open(): glibc 2.36 declares it without C linkage.
    pidfd_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!pidfd_.is_open()) {
        const int code = errno;
        ::kill(-pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        fail(code, "cannot watch " + words.front());
    }
    // If the machine runs out of memory, this is what the system ends, and neither the harness nor anything else.
    std::ofstream("/proc/" + std::to_string(pid_) + "/oom_score_adj") << 1000;
    input_ = std::move(input.write);
    output_ = std::move(output.read);
    error_ = std::move(error.read);
}

Process::~Process() { kill(std::chrono::milliseconds(0)); }

Ready Process::wait(std::chrono::milliseconds timeout, bool want_input) {
    const short input_events = want_input ? POLLOUT : short{0};
    // poll() passes over negative descriptors.
    std::array<pollfd, 4> fds{{{at_end_ ? -1 : output_.get(), POLLIN, 0},
                               {error_.get(), POLLIN, 0},
                               {exited_ ? -1 : pidfd_.get(), POLLIN, 0},
                               {want_input ? input_.get() : -1, input_events, 0}}};
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    Ready ready;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        const int count =
            ::poll(fds.data(), fds.size(), static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
        if (count < 0 && errno != EINTR) fail(errno, "poll");
        if (count > 0) {
            if (fds[1].revents != 0) drain_stderr();
            fds[1].fd = error_.get();
            if (fds[2].revents != 0) reap();
            ready = {fds[0].revents != 0, fds[3].revents != 0, fds[2].revents != 0};
            if (ready.output || ready.input || ready.exited) return ready;
        }
        // A child that does nothing but print would otherwise keep us here for ever.
        if (std::chrono::steady_clock::now() >= deadline) return ready;
    }
}

std::size_t Process::read_some(std::span<std::byte> buffer) {
    if (at_end_ || buffer.empty()) return 0;
    for (;;) {
        const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
        if (count > 0) return static_cast<std::size_t>(count);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            // A grandchild may hold the pipe open after the child has gone: what is empty then stays empty.
            if (exited_) at_end_ = true;
            return 0;
        }
        at_end_ = true;
        return 0;
    }
}

std::size_t Process::write_some(std::span<const std::byte> bytes) {
    if (!input_.is_open()) input_broken_ = true;
    if (input_broken_ || bytes.empty()) return 0;
    for (;;) {
        const ssize_t count = ::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno == EINTR) continue;
        if (errno != EAGAIN) input_broken_ = true;
        return 0;
    }
}

void Process::drain_stderr() {
    std::array<char, 16 * 1024> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    // Bounded: a child that writes faster than this reads must not keep the harness here.
    for (int i = 0; i < 16 && error_.is_open(); ++i) {
        const ssize_t count = ::read(error_.get(), buffer.data(), buffer.size());
        if (count > 0) {
            stderr_.append(buffer.data(), static_cast<std::size_t>(count));
            if (stderr_.size() > 2 * kept_stderr) stderr_.erase(0, stderr_.size() - kept_stderr);
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else if (count < 0 && errno == EAGAIN) {
            return;
        } else {
            error_.close();
        }
    }
}

std::string Process::stderr_tail() {
    drain_stderr();
    if (stderr_.size() > kept_stderr) stderr_.erase(0, stderr_.size() - kept_stderr);
    return stderr_;
}

void Process::reap() {
    if (exited_) return;
    siginfo_t info{};
    // The dead leader is kept until its group is gone: its number cannot be given to another process before that.
    if (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return;
    ::kill(-pid_, SIGKILL);
    ::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED);
    kill_marked(mark_);
    exited_ = true;
    killed_by_signal_ = info.si_code != CLD_EXITED;
    exit_code_ = info.si_status;
}

std::uint64_t Process::resident_bytes() const {
    if (exited_) return 0;
    std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    if (!(file >> all >> resident)) return 0;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string Process::how_it_ended() const {
    if (!exited_) return "running";
    if (!killed_by_signal_) return "exit " + std::to_string(exit_code_);
    const char* name = ::sigabbrev_np(exit_code_);
    return "signal " + std::to_string(exit_code_) + (name != nullptr ? std::string(" (SIG") + name + ")" : "");
}

void Process::kill(std::chrono::milliseconds grace) {
    if (left_behind_) return;
    reap();
    input_.close();
    if (!exited_ && grace.count() > 0) {
        ::kill(-pid_, SIGTERM);
        const auto deadline = std::chrono::steady_clock::now() + grace;
        while (!exited_ && std::chrono::steady_clock::now() < deadline) {
            pollfd fd{pidfd_.get(), POLLIN, 0};
            ::poll(&fd, 1, static_cast<int>(grace.count()));
            drain_stderr();
            reap();
        }
    }
    if (!exited_) {
        ::kill(-pid_, SIGKILL);
        pollfd fd{pidfd_.get(), POLLIN, 0};
        // A process that waits in the kernel, for a device perhaps, dies when that lets it go. Nobody waits for that.
        const auto deadline = std::chrono::steady_clock::now() + longest_dying;
        while (std::chrono::steady_clock::now() < deadline && ::poll(&fd, 1, 100) <= 0) {
        }
        reap();
        left_behind_ = !exited_;
    }
}

} // namespace mxcert::process
