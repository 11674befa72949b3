// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/line_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h> // NOLINT(modernize-deprecated-headers): sigset_t and kill() are of POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace mxcert::worker {
namespace {

/// A line without an end cannot be kept for ever.
constexpr std::size_t longest_line = 4'096;
constexpr std::size_t read_bytes = 65'536;

int or_throw(int result, const char* call) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), call);
    return result;
}

} // namespace

LineProgram::~LineProgram() { kill(); }

void LineProgram::start() {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    or_throw(::pipe2(to.data(), O_CLOEXEC), "pipe");
    or_throw(::pipe2(from.data(), O_CLOEXEC), "pipe");
    input_ = to[1];
    output_ = from[0];
    for (const int end : {input_, output_}) or_throw(::fcntl(end, F_SETFL, O_NONBLOCK), "pipe");

    // The program says by it which conversion is asked, where one command serves several. One thread, no race.
    ::setenv("MXCERT_CONVERSION", conversion_.c_str(), 1); // NOLINT(concurrency-mt-unsafe)
    ::posix_spawn_file_actions_t streams{};
    ::posix_spawn_file_actions_init(&streams);
    ::posix_spawn_file_actions_adddup2(&streams, to[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&streams, from[1], STDOUT_FILENO);
    // This process ignores SIGPIPE; a program that writes to nobody is to end by it.
    ::posix_spawnattr_t attributes{};
    ::posix_spawnattr_init(&attributes);
    ::sigset_t signals{};
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &signals);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    std::string shell = "sh";
    std::string option = "-c";
    const std::array<char*, 4> arguments{shell.data(), option.data(), command_.data(), nullptr};
    const int error = ::posix_spawn(&process_, "/bin/sh", &streams, &attributes, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&streams);
    ::posix_spawnattr_destroy(&attributes);
    ::close(to[0]);
    ::close(from[1]);
    if (error != 0) {
        process_ = -1;
        close_all();
        throw std::system_error(error, std::generic_category(), "/bin/sh");
    }
    at_end_ = false;
    text_.clear();
    taken_ = 0;
}

LineProgram::Ready LineProgram::wait(bool wants_input, int milliseconds) const {
    std::array<::pollfd, 2> ends{{{output_, POLLIN, 0}, {wants_input ? input_ : -1, POLLOUT, 0}}};
    int count = 0;
    do count = ::poll(ends.data(), ends.size(), milliseconds);
    while (count < 0 && errno == EINTR);
    or_throw(count, "poll");
    return {ends[1].revents != 0, ends[0].revents != 0};
}

std::size_t LineProgram::write(std::string_view text) {
    const ::ssize_t count = ::write(input_, text.data(), text.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EAGAIN && errno != EINTR) close_input();
    return 0;
}

void LineProgram::close_input() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
}

bool LineProgram::read() {
    text_.erase(0, taken_);
    taken_ = 0;
    const std::size_t had = text_.size();
    text_.resize(had + read_bytes);
    ::ssize_t count = 0;
    do count = ::read(output_, text_.data() + had, read_bytes);
    while (count < 0 && errno == EINTR);
    const int error = errno;
    text_.resize(had + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count < 0 && error != EAGAIN) throw std::system_error(error, std::generic_category(), "read");
    at_end_ = count == 0;
    return !at_end_;
}

std::optional<std::string_view> LineProgram::next_line() {
    if (!has_rest()) return std::nullopt;
    const std::size_t end = text_.find('\n', taken_);
    if (end == std::string::npos && text_.size() - taken_ > longest_line)
        throw std::runtime_error("its output has a line of more than " + std::to_string(longest_line) + " bytes: '" +
                                 text_.substr(taken_, 40) + "...'"); // enough to know it by
    if (end == std::string::npos && !at_end_) return std::nullopt;
    const std::size_t begin = taken_;
    taken_ = std::min(end, text_.size() - 1) + 1;
    return std::string_view(text_).substr(begin, std::min(end, text_.size()) - begin);
}

std::string LineProgram::finish() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    close_all();
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
    const int code = WEXITSTATUS(status);
    return code == 0 ? "" : "exit " + std::to_string(code);
}

void LineProgram::kill() {
    if (!is_running()) return;
    ::kill(process_, SIGKILL);
    static_cast<void>(finish());
}

void LineProgram::close_all() {
    close_input();
    if (output_ >= 0) ::close(output_);
    output_ = -1;
}

} // namespace mxcert::worker
