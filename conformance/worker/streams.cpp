// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace mxcert::worker {
namespace {

int checked(int result, const char* what) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
    return result;
}

} // namespace

Streams take_streams() {
    // Above the low numbers, one of which START names as shared memory: a wrong one must not hit a stream.
    constexpr int lowest = 64;
    Streams streams;
    streams.requests = checked(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, lowest), "standard input");
    streams.answers = checked(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, lowest), "standard output");
    const int nothing = checked(::open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
    checked(::dup2(nothing, STDIN_FILENO), "standard input");
    if (::fcntl(STDERR_FILENO, F_GETFD) < 0) checked(::dup2(nothing, STDERR_FILENO), "standard error");
    checked(::dup2(STDERR_FILENO, STDOUT_FILENO), "standard output");
    if (nothing > STDERR_FILENO) ::close(nothing);
    return streams;
}

} // namespace mxcert::worker
