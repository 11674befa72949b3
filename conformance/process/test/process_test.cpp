// SPDX-License-Identifier: Apache-2.0
#include "conformance/process/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>

#include "catch.hpp"
#include "conformance/process/shared_memory.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::process;
using namespace std::chrono_literals;

namespace {

ProcessOptions shell(const std::string& script) { return {"/bin/sh", {"-c", script}, -1, 3}; }

/// All output until its end and exit.
std::string read_all(Process& process) {
    std::string text;
    std::array<std::byte, 4096> buffer{};
    while (!(process.at_end() && process.has_exited())) {
        (void)process.wait(100ms, false);
        while (const std::size_t count = process.read_some(buffer))
            text.append(reinterpret_cast<const char*>(buffer.data()), count);
    }
    return text;
}

/// Returns when a process is dead; one that nobody has waited for yet is.
void wait_for_death(const std::string& pid) {
    for (;; std::this_thread::sleep_for(10ms)) {
        std::ifstream stat("/proc/" + std::to_string(std::stoi(pid)) + "/stat");
        std::string number;
        std::string name;
        std::string state;
        if (!(stat >> number >> name >> state) || state == "Z" || state == "X") return;
    }
}

} // namespace

TEST_CASE("a process is described by how it ended", "[process]") {
    const auto [script, how] = GENERATE(table<std::string, std::string>({{"exit 0", "exit 0"},
                                                                         {"exit 3", "exit 3"},
                                                                         {"kill -SEGV $$", "signal 11 (SIGSEGV)"},
                                                                         {"kill -KILL $$", "signal 9 (SIGKILL)"}}));
    Process process(shell(script));
    CHECK(process.how_it_ended() == "running");
    CHECK(read_all(process).empty());
    CHECK(process.how_it_ended() == how);
    CHECK(process.exited_cleanly() == (how == "exit 0"));
}

TEST_CASE("a program that is not there is an exception that names it", "[process]") {
    CHECK_THROWS_WITH(Process({"/no/such/program", {}, -1, 3}), Catch::Contains("/no/such/program"));
    const TemporaryFolder folder;
    const auto script = folder.file("script", "#!/no/such/interpreter\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    CHECK_THROWS_WITH(Process({script, {}, -1, 3}), Catch::Contains("the interpreter '/no/such/interpreter'"));
}

// As a worker asks for it, and with the thread it would be killed.
TEST_CASE("a process that ends with its harness outlives the thread that started it", "[process]") {
    std::optional<Process> process;
    std::string text;
    const auto echo = [&](std::string_view word) {
        CHECK(process->write_some(std::as_bytes(std::span(word))) == word.size());
        std::array<std::byte, 16> buffer{};
        for (const std::size_t end = text.size() + word.size(); text.size() < end && !process->at_end();) {
            (void)process->wait(1s, false);
            const std::size_t count = process->read_some(buffer);
            text.append(reinterpret_cast<const char*>(buffer.data()), count);
        }
    };
    std::thread([&] {
        process.emplace(ProcessOptions{"/usr/bin/setpriv", {"--pdeathsig", "KILL", "cat"}, -1, 3});
        echo("once"); // now it has asked for it
    }).join();
    echo(" and again");
    CHECK(text == "once and again");
    CHECK(process->how_it_ended() == "running");
}

TEST_CASE("bytes go both ways", "[process]") {
    Process process({"/bin/cat", {}, -1, 3});
    const std::string text = "one two three";
    CHECK(process.write_some(std::as_bytes(std::span(text))) == text.size());
    process.close_input();
    CHECK(read_all(process) == text);
}

TEST_CASE("writing to a process that is gone does not kill the harness", "[process]") {
    Process process(shell("exit 0"));
    (void)read_all(process);
    const std::string text = "hello";
    CHECK(process.write_some(std::as_bytes(std::span(text))) == 0);
    CHECK(process.input_broken());
}

TEST_CASE("a process that does not read never blocks the harness", "[process]") {
    Process process(shell("exec sleep 3600"));
    const std::vector<std::byte> block(1 << 20);
    std::size_t total = 0;
    std::size_t written = 0;
    do total += written = process.write_some(block);
    while (written != 0);
    CHECK(total > 0);
    CHECK_FALSE(process.input_broken());
    CHECK_FALSE(process.wait(50ms, true).input);
}

namespace {

std::size_t resident_pages() {
    std::ifstream statm("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    statm >> all >> resident;
    return resident;
}

} // namespace

TEST_CASE("a flood on standard error neither blocks the child nor fills the memory", "[process]") {
    const std::size_t before = resident_pages();
    Process process(
        shell("head -c 200000000 /dev/zero >&2; i=0; while [ $i -lt 40000 ]; do echo line $i >&2; i=$((i+1)); "
              "done; echo done"));
    CHECK(read_all(process) == "done\n");
    CHECK(resident_pages() < before + 100'000'000 / static_cast<std::size_t>(::getpagesize()));
    const std::string tail = process.stderr_tail();
    CHECK(tail.size() == Process::kept_stderr);
    CHECK(tail.substr(tail.size() - 11) == "line 39999\n");
}

TEST_CASE("what a child leaves in its group is killed with it", "[process]") {
    std::string pid;
    {
        Process process(shell("sleep 3600 & echo $!; exit 0"));
        pid = read_all(process);
        CHECK(process.how_it_ended() == "exit 0");
    }
    wait_for_death(pid);
}

TEST_CASE("what a child leaves outside its group and session is killed with it", "[process]") {
    std::string pid;
    {
        // setsid forks where it must, so this one has lost its parent as well. Its parent goes when it is away.
        const TemporaryFolder folder;
        const std::string away = (folder.path() / "away").string();
        Process process(shell("(setsid sh -c 'trap \"\" TERM; echo $$; : > " + away +
                              "; exec sleep 3600' &) ; until [ -e " + away + " ]; do sleep 0.01; done; exit 0"));
        pid = read_all(process);
        CHECK(process.how_it_ended() == "exit 0");
    }
    wait_for_death(pid);
}

TEST_CASE("a chain of processes, each of which starts the next and ends, is killed", "[process]") {
    // Each link is alive for less time than it takes to look at all processes of the machine. The chain ends by itself,
    // so that a failure leaves nothing running for long.
    constexpr std::uintmax_t links = 20'000;
    for (int round = 0; round < 5; ++round) {
        const TemporaryFolder folder;
        const std::filesystem::path count = folder.path() / "count"; // a byte for each link
        {
            const std::string link = "link() { printf x >> " + count.string() +
                                     "; [ $1 = 0 ] || (link $(($1-1))) & }; link " + std::to_string(links);
            Process process(shell("setsid sh -c '" + link + "' & until [ -s " + count.string() +
                                  " ]; do sleep 0.001; done; exit 0"));
            while (!process.has_exited()) (void)process.wait(1s, false);
        }
        const std::uintmax_t size = std::filesystem::file_size(count);
        std::this_thread::sleep_for(50ms);
        CHECK(std::filesystem::file_size(count) == size);
        CHECK(size < links);
    }
}

TEST_CASE("processes of others are left alone", "[process]") {
    Process other_process(shell("exec sleep 3600"));
    {
        Process process(shell("exit 0"));
        (void)read_all(process);
    }
    CHECK_FALSE(other_process.wait(50ms, false).exited);
    CHECK(other_process.how_it_ended() == "running");
}

TEST_CASE("a child is the first to go when the machine has no memory left", "[process]") {
    Process process(shell("read line; cat /proc/self/oom_score_adj"));
    process.close_input(); // the end of its wait
    CHECK(read_all(process) == "1000\n");
}

TEST_CASE("the memory of a child is known", "[process]") {
    Process process(shell("exec sleep 3600"));
    CHECK(process.resident_bytes() > 0);
    CHECK(process.resident_bytes() < std::uint64_t{1} << 30);
    process.kill(0ms);
    CHECK(process.resident_bytes() == 0);
}

TEST_CASE("a process that ignores SIGTERM is killed", "[process]") {
    Process process(shell("trap '' TERM; echo ready; while :; do sleep 1; done"));
    std::array<std::byte, 16> buffer{};
    while (process.read_some(buffer) == 0) (void)process.wait(1s, false);
    process.kill(200ms);
    CHECK(process.how_it_ended() == "signal 9 (SIGKILL)");
}

TEST_CASE("the destructor leaves no process behind", "[process]") {
    std::string pid;
    {
        Process process(shell("echo $$; exec sleep 3600"));
        std::array<std::byte, 16> buffer{};
        std::size_t count = 0;
        while ((count = process.read_some(buffer)) == 0) (void)process.wait(1s, false);
        pid.assign(reinterpret_cast<const char*>(buffer.data()), count);
        CHECK(::kill(std::stoi(pid), 0) == 0);
    }
    wait_for_death(pid);
}

TEST_CASE("a child gets its four descriptors, no others and no core dumps", "[process]") {
    // Left open without close-on-exec, as libraries do.
    const FileDescriptor opened(::open("/dev/null", O_RDONLY));
    const FileDescriptor leaked(::fcntl(opened.get(), F_DUPFD, 100)); // none that the child's own take the place of
    const SharedMemory memory(4096);
    ProcessOptions options = shell("ls /proc/self/fd | tr '\\n' ' '; ulimit -c");
    options.inherited_fd = memory.fd();
    Process process(options);
    // The last but one is of `ls` itself, reading the folder.
    CHECK(read_all(process) == "0 1 2 3 4 0\n");
}

TEST_CASE("a child may set the limits that it reads, and the harness keeps its own", "[process]") {
    rlimit own{};
    REQUIRE(::getrlimit(RLIMIT_CORE, &own) == 0);
    const auto text = [](rlim_t limit) { return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit / 512); };
    // What is read at the start, and again when the harness has done all that it does with a new process.
    Process process(shell("ulimit -Sc; ulimit -Hc; read -r line; ulimit -Hc"));
    REQUIRE(process.write_some(std::as_bytes(std::span(std::string_view("\n")))) == 1);
    CHECK(read_all(process) == "0\n" + text(own.rlim_max) + "\n" + text(own.rlim_max) + "\n");
    rlimit after{};
    REQUIRE(::getrlimit(RLIMIT_CORE, &after) == 0);
    CHECK(after.rlim_cur == own.rlim_cur);
    CHECK(after.rlim_max == own.rlim_max);
}

TEST_CASE("a child starts without blocked or ignored signals", "[process]") {
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    Process process(shell("sed -n 's/^Sig[BI][lg][kn]:\\t*//p' /proc/self/status"));
    std::istringstream masks(read_all(process));
    std::string mask;
    int lines = 0;
    // Signals 1 to 31; the two above belong to the C library.
    for (; masks >> mask; ++lines) CHECK((std::stoull(mask, nullptr, 16) & 0x7FFFFFFF) == 0);
    CHECK(lines == 2);
    std::signal(SIGPIPE, before);
}

TEST_CASE("many threads may each have processes", "[process]") {
    std::vector<std::jthread> threads;
    std::array<std::string, 4> ends;
    for (std::size_t i = 0; i < ends.size(); ++i)
        threads.emplace_back([&ends, i] {
            for (int round = 0; round < 10; ++round) {
                Process process(shell("exit " + std::to_string(i)));
                (void)read_all(process);
                ends[i] += process.how_it_ended().substr(5);
            }
        });
    threads.clear();
    for (std::size_t i = 0; i < ends.size(); ++i) CHECK(ends[i] == std::string(10, static_cast<char>('0' + i)));
}

TEST_CASE("guard zones show every byte written beside an output", "[process]") {
    const SharedMemory memory(64 * 1024);
    constexpr std::uint64_t offset = 8192;
    constexpr std::uint64_t bytes = 100;
    set_guards(memory.bytes(), offset, bytes);
    CHECK(guards_intact(memory.bytes(), offset, bytes));
    memory.bytes()[offset] = std::byte{1};
    memory.bytes()[offset + bytes - 1] = std::byte{1};
    CHECK(guards_intact(memory.bytes(), offset, bytes));
    for (const std::uint64_t at :
         {offset - layout::guard, offset - 1, offset + bytes, offset + bytes + layout::guard - 1}) {
        memory.bytes()[at] ^= std::byte{1};
        CHECK_FALSE(guards_intact(memory.bytes(), offset, bytes));
        memory.bytes()[at] ^= std::byte{1};
    }
    CHECK(guards_intact(memory.bytes(), offset, bytes));
}

TEST_CASE("a write far from every buffer shows, one inside does not", "[process]") {
    const SharedMemory memory(layout::total_bytes);
    const UsedParts used{80, 40, 1000};
    set_backdrop(memory.bytes());
    CHECK(backdrop_intact(memory.bytes(), used));
    for (std::uint64_t slot = 0; slot < layout::slots; ++slot) {
        const std::uint64_t base = slot * layout::slot_bytes;
        for (const std::uint64_t inside : {layout::inputs, layout::inputs + 79 + layout::max_shift, layout::randoms,
                                           layout::outputs - layout::guard, layout::outputs + 999})
            memory.bytes()[base + inside] ^= std::byte{1};
        CHECK(backdrop_intact(memory.bytes(), used));
        for (const std::uint64_t outside :
             {layout::inputs + 80 + layout::max_shift, layout::randoms - 1, layout::randoms + 40 + layout::max_shift,
              layout::outputs - layout::guard - 1, layout::outputs + 1000 + layout::max_shift + layout::guard,
              layout::slot_bytes - 1}) {
            memory.bytes()[base + outside] ^= std::byte{1};
            CHECK_FALSE(backdrop_intact(memory.bytes(), used));
            memory.bytes()[base + outside] ^= std::byte{1};
        }
    }
    // Where no inputs are used, nothing may be written.
    CHECK_FALSE(backdrop_intact(memory.bytes(), {0, 40, 1000}));
}

TEST_CASE("memory that comes back is used again, with zeros where runs are", "[process]") {
    const SpareMemory spare(layout::runs + 8192);
    std::shared_ptr<SharedMemory> first = spare.take();
    const std::shared_ptr<SharedMemory> second = spare.take();
    CHECK(first->fd() != second->fd());
    const int fd = first->fd();
    first->bytes()[layout::runs] = first->bytes()[layout::runs + 8191] = first->bytes()[0] = std::byte{1};
    first.reset();
    const std::shared_ptr<SharedMemory> again = spare.take();
    CHECK(again->fd() == fd);
    CHECK(again->bytes()[0] == std::byte{1});
    CHECK(again->bytes()[layout::runs] == std::byte{0});
    CHECK(again->bytes()[layout::runs + 8191] == std::byte{0});
}

TEST_CASE("shared memory cannot be cut off by a worker", "[process]") {
    const SharedMemory memory(4096);
    CHECK(::ftruncate(memory.fd(), 0) != 0);
}
