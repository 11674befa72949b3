// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/sandbox.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "conformance/process/starter.hpp"
#include "conformance/sandbox/devices.hpp"
#include "conformance/sandbox/filter.hpp"
#include "conformance/sandbox/landlock.hpp"
#include "conformance/sandbox/private_folder.hpp"
#include "conformance/sandbox/system_files.hpp"

namespace mxcert::sandbox {
namespace {

constexpr std::array<std::string_view, 3> names{"default", "strict", "off"};

/// Processes and threads of the machine, all users together.
std::uint64_t tasks_now() {
    std::ifstream file("/proc/loadavg"); // "0.20 0.18 0.12 1/80 11206"
    std::string word;
    for (int i = 0; i < 4; ++i) file >> word;
    const std::size_t slash = word.find('/');
    return slash == std::string::npos ? 0 : std::strtoull(word.c_str() + slash + 1, nullptr, 10);
}

FileRules rules_of(const Request& request, const std::filesystem::path& folder) {
    FileRules rules{{"/"}, usable_devices(), {folder}};
    if (request.mode == Mode::strict) {
        rules.readable = system_files();
        rules.readable.insert(rules.readable.end(), request.readable.begin(), request.readable.end());
    } else {
        rules.writable.emplace_back("/dev/shm"); // where shared memory has names: runtimes of OpenMP need some
    }
    return rules;
}

/// What restricting a thread came to: error codes, 0 where it is restricted.
struct Applied {
    int landlock = 0;
    int filter = 0;
};

std::string no_landlock(const Kernel& kernel, int error) {
    if (kernel.landlock == 0) return "this kernel has no Landlock";
    return std::string("Landlock was refused: ") + std::strerror(error);
}

std::string no_filter(const Kernel& kernel, int error) {
    if (!kernel.filters) return "this kernel has no filters of system calls, or mxcert has none for this processor";
    return std::string("the filter of system calls was refused: ") + std::strerror(error);
}

State state_of(const Request& request, const Kernel& kernel, const Applied& applied) {
    State state{request.mode};
    const bool files = kernel.landlock != 0 && applied.landlock == 0;
    const bool calls = kernel.filters && applied.filter == 0;
    const int version = files ? kernel.landlock : 0;
    const std::string without_landlock = no_landlock(kernel, applied.landlock);
    const std::string without_filter = no_filter(kernel, applied.filter);
    const auto say = [&](const char* part, bool is_in_force, const std::string& reason) {
        if (is_in_force)
            state.in_force.emplace_back(part);
        else
            state.missing.push_back({part, reason});
    };
    const std::string old = "version " + std::to_string(version) + " of Landlock's interface does not know them";
    say("network", calls, (version >= landlock_has_tcp ? "only TCP is refused: " : "") + without_filter);
    say("writes", files, without_landlock);
    if (files) say("truncation", version >= landlock_truncates, old);
    if (request.mode == Mode::strict) say("reads", files, without_landlock);
    say("metadata", calls, without_filter);
    say("ptrace", files || calls, without_landlock);
    say("signals", version >= landlock_has_scopes,
        (calls ? "only mxcert and all processes at once are protected: " : "") + (files ? old : without_landlock));
    say("kernel", calls, without_filter);
    say("memory", request.memory_is_watched, "--memory-limit 0");
    say("processes", request.processes != 0 && kernel.counts, "the kernel does not count those of root");
    return state;
}

} // namespace

std::string_view to_string(Mode mode) { return names[static_cast<std::size_t>(mode)]; }

Mode parse_mode(std::string_view text) {
    const auto* const found = std::find(names.begin(), names.end(), text);
    if (found == names.end())
        throw std::invalid_argument("'" + std::string(text) + "' is no sandbox: default, strict or off");
    return static_cast<Mode>(found - names.begin());
}

State common_to(const State& a, const State& b) {
    const auto strength = [](Mode mode) { return mode == Mode::off ? 0 : mode == Mode::standard ? 1 : 2; };
    State both{strength(a.mode) < strength(b.mode) ? a.mode : b.mode, {}, a.missing};
    const auto holds = [](const std::vector<std::string>& parts, const std::string& part) {
        return std::find(parts.begin(), parts.end(), part) != parts.end();
    };
    for (const std::string& part : a.in_force)
        if (holds(b.in_force, part)) both.in_force.push_back(part);
    for (const Missing& missing : b.missing)
        if (std::none_of(a.missing.begin(), a.missing.end(),
                         [&](const Missing& known) { return known.part == missing.part; }))
            both.missing.push_back(missing);
    return both;
}

Kernel this_kernel() { return {landlock_version(), filters_are_known(), ::getuid() != 0}; }

Sandbox::Sandbox(const Request& request, const Kernel& kernel) : state_{request.mode} {
    if (request.mode == Mode::off) return;
    folder_ = make_private_folder();
    try {
        if (request.processes != 0) limits_.push_back({RLIMIT_NPROC, tasks_now() + request.processes});
        process::FileDescriptor rules;
        if (kernel.landlock > 0) rules = make_rules(rules_of(request, folder_), kernel.landlock);
        const std::vector<sock_filter> filter =
            make_filter({kernel.landlock == 0, kernel.landlock < landlock_has_scopes, ::getpid()});
        Applied applied;
        starter_ = std::make_shared<process::Starter>([&] {
            // Without it neither is taken from a user who is not root; and no program of root may lift them.
            const int error = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
            applied = {error, error};
            if (error == 0 && rules.is_open()) applied.landlock = restrict_by(rules);
            if (error == 0 && kernel.filters) applied.filter = restrict_by(filter);
        });
        state_ = state_of(request, kernel, applied);
    } catch (...) {
        remove_private_folder(folder_);
        throw;
    }
}

Sandbox::~Sandbox() {
    if (!folder_.empty()) remove_private_folder(folder_);
}

void Sandbox::add_to(process::ProcessOptions& options) const {
    if (state_.mode == Mode::off) return;
    options.environment = environment_for(folder_);
    options.limits = limits_;
    options.starter = starter_;
}

} // namespace mxcert::sandbox
