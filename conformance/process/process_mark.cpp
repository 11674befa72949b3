// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/process_mark.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "conformance/process/file_descriptor.hpp"

namespace mxcert::process {
namespace {

/// More than a chain of processes escapes, each of which starts the next and ends at once.
constexpr int most_rounds = 5'000;
/// More than the change to another program takes. Some processes have an empty environment for good.
constexpr int most_looks = 20;
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

std::set<pid_t> all_processes() {
    std::set<pid_t> pids;
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator("/proc", error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename();
        pid_t pid = 0;
        const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (bad == std::errc() && end == name.data() + name.size() && pid != ::getpid()) pids.insert(pid);
    }
    return pids;
}

enum class Look : std::uint8_t { other, killed, again };

/// Kills the process if it is this user's and has the mark. `again` if it is about to become another program: its
/// environment is empty then, for a moment.
Look kill_if_marked(pid_t pid, const std::string& mark) {
    const std::string folder = "/proc/" + std::to_string(pid);
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0 || status.st_uid != ::geteuid()) return Look::other;
    // The descriptor first: what is read then belongs to the process that is killed, even if its number is reused.
    const FileDescriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd.is_open()) return Look::other;
    const std::string environment = read_file(folder + "/environ");
    std::error_code error;
    if (environment.empty()) return std::filesystem::exists(folder + "/exe", error) ? Look::again : Look::other;
    if (!has_entry(environment, mark)) return Look::other;
    return ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0) == 0 ? Look::killed : Look::other;
}

} // namespace

std::string new_mark() {
    static std::atomic<unsigned> number{0};
    return std::string(mark_name) + std::to_string(::getpid()) + '.' + std::to_string(++number) + '.' +
           std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
}

bool is_mark(std::string_view entry) { return entry.starts_with(mark_name); }

void kill_marked(const std::string& mark) {
    // A process may have a child and end between being listed and being looked at. So it is over only when a list has
    // nothing that was not looked at before: a marked process in it would have been seen when it was looked at.
    std::set<pid_t> seen;
    for (int round = 0; round < most_rounds; ++round) {
        bool is_new = false;
        for (const pid_t pid : all_processes()) {
            if (seen.contains(pid)) continue;
            is_new = true;
            if (kill_if_marked(pid, mark) != Look::again || round >= most_looks) seen.insert(pid);
        }
        if (!is_new) return;
    }
}

} // namespace mxcert::process
