// SPDX-License-Identifier: Apache-2.0
// Programs that answer lines of hexadecimal, as the worker serves them.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/worker_process.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;
using frames::Type;

namespace {

constexpr const char* widen = "e5m2-fp16-nearest_even-nosat:0"; // E5M2 is the upper byte of FP16

std::vector<std::string> pipe(const std::string& command, const std::string& conversion = widen) {
    return {MXCERT_TEST_WORKER, "--pipe", "lines", command, conversion};
}

/// A worker that was started, and what it sent to a request.
struct Served : WorkerProcess {
    explicit Served(const std::vector<std::string>& command, const std::string& options = "") : WorkerProcess(command) {
        const frames::Frame hello = receive();
        CAPTURE(text(hello));
        REQUIRE(hello.header.type == Type::hello);
        start(options);
    }
    /// The answer to `count` codes from `first` on: the codes in hexadecimal, or the reason of a FAILED.
    std::string ask(std::uint64_t first, std::uint64_t count, unsigned width = 2) {
        frames::ConvertRequest request;
        request.first = first;
        request.count = count;
        request.batch = 1; // of which nothing is seen: a line is a line
        convert(++asked.requests, request);
        asked.values += count;
        const frames::Frame frame = receive();
        if (frame.header.type == Type::failed) return nlohmann::json::parse(text(frame))["message"];
        std::string codes;
        const auto bytes = std::span(frame.payload).subspan(frames::result_bytes);
        for (std::size_t at = 0; at < bytes.size(); at += width) {
            char code[20];
            std::uint64_t value = 0;
            for (unsigned byte = width; byte-- > 0;) value = value << 8 | std::to_integer<unsigned>(bytes[at + byte]);
            (void)std::snprintf(code, sizeof code, "%s%llX", codes.empty() ? "" : " ",
                                static_cast<unsigned long long>(value));
            codes += code;
        }
        return codes;
    }
    /// END, and how the process ended.
    std::string stop() {
        end(asked);
        return finish();
    }
    frames::EndCounts asked;
};

} // namespace

TEST_CASE("a program that writes each answer at once is kept, one that buffers is started for each batch") {
    const TemporaryFolder folder;
    const std::string started = (folder.path() / "started").string();
    const struct {
        const char* program;
        const char* option;
        std::size_t least_starts;
    } table[] = {
        {"sed -u 's/$/00/'", "", 1}, // more on a machine so busy that it is silent for long
        {"sed -u 's/$/00/'", "by-line", 1}, {"sed 's/$/00/'", "", 3},
        {"sed 's/$/00/'", "at-end", 3},     {"sed -u 's/$/00/'", "at-end", 3},
    };
    for (const auto& row : table) {
        CAPTURE(row.program, row.option);
        std::filesystem::remove(started);
        Served worker(pipe("echo x >> '" + started + "'; " + row.program), row.option);
        CHECK(worker.ask(0x3C, 3) == "3C00 3D00 3E00");
        CHECK(worker.ask(0x00, 1) == "0");
        CHECK(worker.ask(0xFF, 1) == "FF00");
        CHECK(worker.stop() == "exit 0");
        const std::size_t starts = content(started).size() / 2;
        CHECK(starts >= row.least_starts);
        CHECK(starts <= (row.option == std::string("by-line") ? 1U : 3U));
    }
}

TEST_CASE("answers may be written as programs write them") {
    Served worker(pipe("sed -u -e 's/.*/\\n# a comment\\n  0x&00 # of &\\r/' -e 's/B/b/'"));
    CHECK(worker.ask(0xBA, 2) == "BA00 BB00");
    CHECK(worker.stop() == "exit 0");
    Served long_ones(pipe("sed -u 's/.*/00000000000000000000&00/'"));
    CHECK(long_ones.ask(0x01, 1) == "100");
    Served no_end(pipe("read x; printf %s00 $x"));
    CHECK(no_end.ask(0x7B, 1) == "7B00");
    CHECK(no_end.stop() == "exit 0");
}

TEST_CASE("a program that buffers is waited for once") {
    Served worker(pipe("sed 's/$/00/'"));
    CHECK(worker.ask(0x3C, 1) == "3C00");
    CHECK(worker.ask(0x3D, 1) == "3D00");
    CHECK(worker.stop() == "exit 0");
    const std::string errors = worker.errors();
    const std::string told = "no answer came for 250 ms";
    CHECK(errors.find(told) != std::string::npos);
    CHECK(errors.find(told) == errors.rfind(told));
}

TEST_CASE("a program ends by SIGPIPE as it would in a shell") {
    Served worker(pipe(
        "sed -n 's/SigIgn:.*\\(.\\)...$/the last digits but three: \\1/p' /proc/self/status >&2; sed -u 's/$/00/'"));
    CHECK(worker.ask(0x3C, 1) == "3C00");
    CHECK(worker.stop() == "exit 0");
    CHECK_THAT(worker.errors(), Contains("the last digits but three: 0")); // SIGPIPE is bit 12
}

TEST_CASE("an input is a line, with its scale or its random bits") {
    const TemporaryFolder folder;
    const std::string seen = (folder.path() / "seen").string();
    const std::string program =
        "exec 3> '" + seen +
        "'; echo \"$MXCERT_CONVERSION\" >&3; while read -r line; do echo \"$line\" >&3; echo 7E; done";
    {
        Served worker(pipe(program, "fp32-e4m3-nearest_even-sat:0"));
        CHECK(worker.ask(0x3F880001, 1, 1) == "7E");
        CHECK(content(seen) == "fp32-e4m3-nearest_even-sat\n3F880001\n");
    }
    {
        Served worker(pipe(program, "fp32_by_e8m0-e4m3-nearest_even-sat:0"));
        CHECK(worker.ask(0x7F3F880001, 1, 1) == "7E");
        CHECK(content(seen) == "fp32_by_e8m0-e4m3-nearest_even-sat\n7F3F880001\n");
    }
    Served worker(pipe(program, "fp32-e4m3-stochastic_a8-sat:8"));
    frames::ConvertRequest request;
    request.count = 1;
    request.inputs = frames::Inputs::inlined;
    const unsigned char following[] = {0x01, 0x00, 0x88, 0x3F, 0x05, 0x00, 0x00, 0x00};
    worker.convert(1, request, std::as_bytes(std::span(following)));
    CHECK(worker.receive().header.type == Type::result);
    CHECK(content(seen) == "fp32-e4m3-stochastic_a8-sat\n3F880001 05\n");
}

TEST_CASE("a batch is larger than a pipe takes") {
    Served worker(pipe("cat", "fp32-fp32-nearest_even-nosat:0"));
    const std::string codes = worker.ask(0x40000000, 70'000, 4);
    CHECK(codes.substr(0, 17) == "40000000 40000001");
    CHECK(codes.substr(codes.size() - 8) == "4001116F");
    CHECK(worker.stop() == "exit 0");
}

TEST_CASE("what is wrong with the lines of a program is told with its place") {
    const struct {
        const char* program;
        const char* reason;
    } table[] = {
        {"echo 'ready.'; sed -u 's/$/00/'", "answer 1 of 3, to the input 0x3C: 'ready.' is not a hexadecimal number"},
        {"sed -u 's/3D/xx/;s/$/00/'", "answer 2 of 3, to the input 0x3D: 'xx00' is not a hexadecimal number"},
        {"sed -u 's/$/00 FF/'", "'3C00 FF' is not a hexadecimal number"},
        {"sed -u 's/3D/13D/;s/$/00/'",
         "answer 2 of 3, to the input 0x3D: '13D00' is too wide for fp16, whose last code is 0xFFFF"},
        {"sed -u 's/$/0000000000000000/'", "too wide for fp16"},
        {"sed '/3D/d;s/$/00/'", "too few lines: it ended before answer 3 of 3, to the input 0x3E"},
        {"read x; echo ${x}00; exit 3", "too few lines: it ended with exit 3 before answer 2 of 3, to the input 0x3D"},
        {"kill -SEGV $$", "too few lines: it ended with signal 11 before answer 1 of 3"},
        {"sed 's/$/00/'; exit 3", "it ended with exit 3 after its last answer"},
        {"sed -u 's/.*/&00\\n&00/'", "more lines than inputs: '3D00' after the answer to all 3"},
        {"sed 's/$/00/'; echo bye", "more lines than inputs: 'bye' after the answer to all 3"},
        {"nosuchprogram", "the shell found no such command (exit 127)"},
        {"yes | tr -d '\\n'", "its output has a line of more than 4096 bytes: 'yyyyyyyy"},
    };
    for (const auto& row : table) {
        CAPTURE(row.program);
        Served worker(pipe(row.program));
        CHECK_THAT(worker.ask(0x3C, 3), Contains(row.reason));
        CHECK(worker.stop() == "exit 0"); // the next request could have been served
    }
}

TEST_CASE("what a program says without being asked is seen at the next batch and at the end") {
    const std::string late = "while read x; do echo ${x}00; [ $x = 3E ] && { echo >&2 said; echo late; }; done; :";
    {
        Served worker(pipe(late));
        const std::string answer = worker.ask(0x3C, 3); // it may be there at once
        CHECK((answer == "3C00 3D00 3E00" || answer.find("'late'") != std::string::npos));
        worker.end(worker.asked);
        if (answer == "3C00 3D00 3E00") {
            CHECK(worker.finish() == "exit 1");
            CHECK_THAT(worker.errors(), Contains("more lines than inputs: 'late' after the last answer"));
        }
    }
    Served worker(pipe("sed -u 's/$/00/'"), "soon");
    CHECK_THAT(worker.ask(0x3C, 3), Contains("the option of a pipe is by-line or at-end, not 'soon'"));
}

TEST_CASE("the worker refuses what is no conversion") {
    for (const char* word : {"fp32-e4m3-nearest_even-sat", "fp32-e4m3-nearest_even:0", "fp32-e9m9-nearest_even-sat:0",
                             "fp32-e4m3-nearest_even-sat-more:0"}) {
        CAPTURE(word);
        WorkerProcess worker(pipe("cat", word));
        CHECK_THAT(text(worker.receive()), Contains("is not a conversion and its random bits"));
        CHECK(worker.finish() == "exit 1");
    }
}
