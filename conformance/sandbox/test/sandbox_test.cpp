// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/sandbox.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/process/process.hpp"
#include "vectors/test/temporary_folder.hpp"

namespace mxcert::sandbox {
namespace {

using namespace std::chrono_literals;

const std::string plugin = MXCERT_TEST_HOSTILE "/escapes.so";

bool is_missing(const State& state, const std::string& part) {
    return std::any_of(state.missing.begin(), state.missing.end(),
                       [&](const Missing& missing) { return missing.part == part; });
}

bool is_in_force(const State& state, const std::string& part) {
    return std::find(state.in_force.begin(), state.in_force.end(), part) != state.in_force.end();
}

/// What conformance/test/hostile/escapes.c came to: error numbers, and how many children it had.
struct Escapes {
    explicit Escapes(const Request& request, const Kernel& kernel) {
        const std::filesystem::path secret = outside.file("secret", "secret");
        std::filesystem::permissions(secret, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        {
            const Sandbox sandbox(request, kernel);
            state = sandbox.state();
            folder = sandbox.folder();
            process::ProcessOptions options{MXCERT_TEST_WORKER, {plugin}};
            sandbox.add_to(options);
            options.environment.push_back("MXCERT_TEST_OUTSIDE=" + outside.path().string());
            process::Process process(options);
            std::array<std::byte, 4096> frames{};
            while (!process.has_exited()) {
                (void)process.wait(100ms, false);
                (void)process.read_some(frames);
            }
            std::istringstream lines(process.stderr_tail());
            for (std::string line; std::getline(lines, line);)
                if (const std::size_t equals = line.find('='); equals != std::string::npos)
                    came_to[line.substr(0, equals)] = std::atoi(line.c_str() + equals + 1);
            INFO(process.stderr_tail());
            REQUIRE(came_to.size() >= 18);
        }
        struct ::stat status {};
        REQUIRE(::stat(secret.c_str(), &status) == 0);
        mode_of_secret = status.st_mode & 0777U;
    }

    int operator[](const std::string& name) const {
        INFO(name);
        REQUIRE(came_to.contains(name));
        return came_to.at(name);
    }

    TemporaryFolder outside;
    std::map<std::string, int> came_to{};
    State state;
    std::filesystem::path folder;
    unsigned mode_of_secret = 0;
};

void check_filter(const Escapes& escapes) {
    CHECK(escapes["socket"] == EACCES);
    CHECK(escapes["local_socket"] == EACCES);
    CHECK(escapes["unshare"] == EPERM);
    CHECK(escapes["limit_parent"] == EPERM);
    CHECK(escapes["raise_limit"] == EPERM);
    CHECK(escapes["chmod_outside"] == 0);
    CHECK(escapes.mode_of_secret == 0600);
    for (const char* part : {"network", "kernel", "metadata", "ptrace"}) CHECK(is_in_force(escapes.state, part));
}

void check_what_is_allowed(const Escapes& escapes) {
    for (const char* name :
         {"write_temporary", "write_hidden", "read_library", "read_zero", "write_null", "kill_itself"}) {
        INFO(name);
        CHECK(escapes[name] == 0);
    }
    CHECK_FALSE(escapes.folder.empty());
    CHECK_FALSE(std::filesystem::exists(escapes.folder));
}

TEST_CASE("without a sandbox a backend does what the user may") {
    const Escapes escapes({}, this_kernel());
    for (const char* name : {"socket", "write_outside", "change_outside", "read_outside", "kill_parent", "unshare"}) {
        INFO(name);
        if (std::string(name) != "unshare") CHECK(escapes[name] == 0); // a system may forbid it to all
    }
    CHECK(escapes.mode_of_secret == 0666);
    CHECK(escapes.state.in_force.empty());
    CHECK(escapes.folder.empty());
}

TEST_CASE("the sandbox refuses what reaches beyond the backend, and allows the rest") {
    const Kernel kernel = this_kernel();
    if (kernel.landlock == 0 || !kernel.filters) {
        WARN("this kernel lacks Landlock or filters of system calls");
        return;
    }
    const Mode mode = GENERATE(Mode::standard, Mode::strict);
    const Escapes escapes({mode, {MXCERT_TEST_WORKER, plugin}}, kernel);
    CHECK(escapes["write_outside"] == EACCES);
    CHECK(escapes["change_outside"] == EACCES);
    CHECK(escapes["read_outside"] == (mode == Mode::strict ? EACCES : 0));
    CHECK(escapes["kill_parent"] == EPERM);
    CHECK(escapes["kill_parent_thread"] == EPERM);
    CHECK(escapes["ptrace_parent"] == EPERM);
    check_filter(escapes);
    check_what_is_allowed(escapes);
    CHECK(is_in_force(escapes.state, "writes"));
    CHECK(is_in_force(escapes.state, "reads") == (mode == Mode::strict));
    CHECK(is_in_force(escapes.state, "signals") == (kernel.landlock >= 6));
}

TEST_CASE("where the kernel has no Landlock the filter stands in, and what it cannot do is named") {
    Kernel kernel = this_kernel();
    if (!kernel.filters) {
        WARN("this kernel lacks filters of system calls");
        return;
    }
    kernel.landlock = 0;
    const Escapes escapes({Mode::strict}, kernel);
    CHECK(escapes["write_outside"] == 0);
    CHECK(escapes["read_outside"] == 0);
    CHECK(escapes["kill_parent"] == EPERM);
    CHECK(escapes["kill_parent_thread"] == EPERM);
    CHECK(escapes["ptrace_parent"] == EPERM);
    check_filter(escapes);
    check_what_is_allowed(escapes);
    for (const char* part : {"writes", "reads", "signals"}) CHECK(is_missing(escapes.state, part));
}

TEST_CASE("each old version of Landlock works, and names what it lacks") {
    const Kernel newest = this_kernel();
    for (int version = 1; version <= newest.landlock; ++version) {
        INFO(version);
        const Sandbox sandbox({Mode::standard}, {version, false, true});
        CHECK(is_in_force(sandbox.state(), "writes"));
        CHECK(is_in_force(sandbox.state(), "signals") == (version >= 6));
        CHECK(is_missing(sandbox.state(), "truncation") == (version < 3));
        CHECK(is_missing(sandbox.state(), "network"));
    }
}

TEST_CASE("a kernel without any means leaves nothing in force but what the harness watches") {
    const Escapes escapes({Mode::standard, {}, true}, {0, false, false});
    CHECK(escapes.state.in_force == std::vector<std::string>{"memory"});
    CHECK(escapes["socket"] == 0);
    CHECK(escapes["kill_parent"] == 0);
    CHECK(escapes.state.missing.size() >= 6);
}

TEST_CASE("what held in two sandboxes is the weaker mode, the parts of both and what either lacked") {
    const State strict{Mode::strict, {"network", "writes", "reads"}, {{"signals", "too old"}}};
    const State weaker{Mode::standard, {"network", "signals"}, {{"writes", "no Landlock"}}};
    const State off{};
    for (const auto& both : {common_to(strict, weaker), common_to(weaker, strict)}) {
        CHECK(both.mode == Mode::standard);
        CHECK(both.in_force == std::vector<std::string>{"network"});
        CHECK(both.missing.size() == 2);
    }
    CHECK(common_to(strict, off).mode == Mode::off);
    CHECK(common_to(off, strict).in_force.empty());
    const State same = common_to(strict, strict);
    CHECK(same.mode == Mode::strict);
    CHECK(same.in_force == strict.in_force);
    CHECK(same.missing.size() == 1);
}

TEST_CASE("the number of processes is limited, but for root") {
    Request request{Mode::standard};
    request.processes = 24;
    const Escapes escapes(request, this_kernel());
    constexpr int most_children = 256; // of escapes.c
    CHECK(escapes["process_limit"] >= 24);
    CHECK(escapes["process_limit"] < 1'000'000);
    CHECK(is_in_force(escapes.state, "processes") == this_kernel().counts);
    CHECK(is_missing(escapes.state, "processes") != this_kernel().counts);
    if (this_kernel().counts && escapes["process_limit"] < most_children)
        CHECK(escapes["children"] < escapes["process_limit"]);
}

} // namespace
} // namespace mxcert::sandbox
