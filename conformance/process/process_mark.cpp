// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/process_mark.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "conformance/process/file_descriptor.hpp"

namespace mxcert {
namespace {

constexpr int sweeps = 100;
constexpr std::string_view mark_name = "MXCERT_PROCESS=";

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether an environment as /proc shows it, entries that end with a NUL, has this one.
bool has_entry(const std::string& environment, const std::string& entry) {
    const std::string ended = entry + '\0';
    return environment.starts_with(ended) || environment.find('\0' + ended) != std::string::npos;
}

/// Kills every process of this user that has the mark in its environment: the number of them.
unsigned kill_marked_once(const std::string& mark) {
    unsigned found = 0;
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator("/proc", error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename();
        pid_t pid = 0;
        const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (bad != std::errc() || end != name.data() + name.size() || pid == ::getpid()) continue;
        struct stat status {};
        if (::stat(entry->path().c_str(), &status) != 0 || status.st_uid != ::geteuid()) continue;
        // The descriptor first: what is read then belongs to the process that is killed, even if its number is reused.
        const FileDescriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
        if (!pidfd.is_open() || !has_entry(read_file(entry->path() / "environ"), mark)) continue;
        if (::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0) == 0) ++found;
    }
    return found;
}

} // namespace

std::string new_mark() {
    static std::atomic<unsigned> number{0};
    return std::string(mark_name) + std::to_string(::getpid()) + '.' + std::to_string(++number) + '.' +
           std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
}

bool is_mark(std::string_view entry) { return entry.starts_with(mark_name); }

void kill_marked(const std::string& mark) {
    // A process may have a child between being found and being killed.
    for (int round = 0; round < sweeps && kill_marked_once(mark) != 0; ++round) {
    }
}

} // namespace mxcert
