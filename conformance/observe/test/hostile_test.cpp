// SPDX-License-Identifier: Apache-2.0
// Backends that misbehave: each must end in exactly the status and reason it deserves, and the harness must go on.
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

#include "catch.hpp"
#include "conformance/test/observe_fixture.hpp"
#include "conformance/test/reached.hpp"
#include "vectors/tables/compare.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::observe;
using namespace std::chrono_literals;
using Catch::Contains;
using test::observe_hostile;

namespace {

bool no_child_is_left() { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

struct Case {
    std::string name;
    Status status;
    std::string reason;
    std::uint64_t inputs;
};

} // namespace

TEST_CASE("a misbehaving plugin gets the status and reason it deserves", "[hostile]") {
    const auto expected = GENERATE(values<Case>({
        {"top_byte", Status::pass, "", 65536},
        {"chatty", Status::pass, "", 65536},
        {"one_wrong", Status::pass, "", 65536},
        {"crash_always", Status::error,
         "signal 11 (SIGSEGV) at input 0x0000, and at 0x3C3F too; 4 requests failed, given up", 0},
        {"leave", Status::error, "exit 0 at input 0x0000, and at 0x3C3F too; 4 requests failed, given up", 0},
        {"silent", Status::mistrusted,
         "65536 of 65536 values of the output were not written: input 0x0000, at index 60 of a call of 955 values, "
         "still has the poison 0xF4",
         0},
        {"overrun", Status::error,
         "wrote outside its output buffer (3904 inputs, 0x0000 to 0x3C3F in 61 streams); 4 requests failed, given up",
         0},
        {"underrun", Status::error,
         "wrote outside its output buffer (3904 inputs, 0x0000 to 0x3C3F in 61 streams); 4 requests failed, given up",
         0},
        {"one_constant", Status::mistrusted, "one constant over a whole conversion whose table is not constant: 0x38",
         65536},
        {"fickle", Status::fail,
         "answers changed when asked again: input 0x012E gave 0x01, at index 2807 of a request of 3904 values, then "
         "0x00, at index 0 of a call of 955 values",
         65536},
        {"refuse", Status::error,
         "the backend failed: it hurts (3904 inputs, 0x0000 to 0x3C3F in 61 streams); 4 requests failed, given up", 0},
        {"unable", Status::unsupported, "it hurts (3904 inputs, 0x0000 to 0x3C3F in 61 streams)", 0},
        {"bad_end", Status::error, "the worker did not end well: signal 11 (SIGSEGV), after its END", 65536},
    }));
    const Observation seen = observe_hostile(expected.name, test::fp16);
    INFO(expected.name << ": " << seen.reason << " / " << seen.detail);
    CHECK(to_string(seen.status) == to_string(expected.status));
    if (expected.name == "refuse" || expected.name == "unable")
        CHECK_THAT(seen.reason, Contains("it hurts"));
    else
        CHECK(seen.reason == expected.reason);
    CHECK(seen.inputs == expected.inputs);
    CHECK(no_child_is_left());
    // A table is whole or it is not there.
    if (seen.status == Status::pass || expected.name == "one_constant")
        CHECK(broken(seen.table).empty());
    else
        CHECK(seen.table.steps.empty());
}

TEST_CASE("ranges that a plugin makes itself are used, and what is wrong with them is said", "[hostile][values]") {
    struct Way {
        const char* options;
        Status status;
        const char* reason;
    };
    const auto way = GENERATE(values<Way>({
        {"dies", Status::error, "signal 6 (SIGABRT)"},
        {"fails in batches", Status::error,
         "it hurts (3904 inputs, 0x0000 to 0x3C3F in 61 streams)"}, // all is then asked in batches
        {"unsupported", Status::pass, ""},
        {"too many", Status::pass, ""},
        {"fails", Status::error, "it hurts"},
        {"none", Status::error, "convert_range() gave no steps"},
        {"short", Status::error, "convert_range() gave steps up to 65534 of a range up to 65535"},
        {"long", Status::error, "convert_range() gave step 255 up to 65536, not within 65280 to 65535"},
        {"backward", Status::error, "convert_range() gave step 256 up to 65535, not within 65536 to 65535"},
        {"unwritten", Status::error, "convert_range() gave step 0 up to 18446744073709551615, not within 0 to 65535"},
        {"wide", Status::error, "convert_range() gave the code 256, which is not a value of 1 bytes"},
        {"lies", Status::fail,
         "a batch gives other answers than a range: input 0x0000 gave 0x01 then 0x00, at index 60"},
    }));
    ObserveOptions options;
    options.backend_options = way.options;
    const Observation seen = observe_hostile("ranges", test::fp16, options);
    INFO(way.options << ": " << seen.reason);
    CHECK(to_string(seen.status) == to_string(way.status));
    CHECK_THAT(seen.reason, Contains(way.reason));
    CHECK_THAT(seen.reason, !Contains("not when asked again") && !Contains("another worker"));
    CHECK(no_child_is_left());
}

TEST_CASE("what a batch beside a range did wrong counts, also if it is not seen again", "[hostile]") {
    const TemporaryFolder folder;
    ::setenv("MXCERT_TEST_ONCE", (folder.path() / "once").c_str(), 1); // NOLINT(concurrency-mt-unsafe)
    ObserveOptions options;
    options.backend_options = "fails once";
    options.sandbox_mode = sandbox::Mode::off; // it leaves a file for this test
    const Observation seen = observe_hostile("ranges", test::fp16, options);
    ::unsetenv("MXCERT_TEST_ONCE"); // NOLINT(concurrency-mt-unsafe)
    CHECK(seen.status == Status::error);
    CHECK_THAT(seen.reason, Contains("not when asked again: the backend failed: convert() returned 2: it hurts"));
    CHECK(seen.inputs == 65536);
}

TEST_CASE("a range of 2^32 inputs is compared with batches", "[hostile][values]") {
    ObserveOptions options;
    options.jobs = 2; // by many each would make few in batches however the others came
    for (const char* const way : {"ranges alone", "lies"}) {
        options.backend_options = way;
        const Observation seen = observe_hostile("ranges", test::fp32, options);
        CAPTURE(way, seen.reason);
        CHECK(to_string(seen.status) == (way[0] == 'l' ? "FAIL" : "PASS"));
        CHECK(seen.inputs == std::uint64_t{1} << 32);
        CHECK(seen.repeated > std::uint64_t{1} << 27);
    }
}

TEST_CASE("what a dying worker printed is kept", "[hostile]") {
    CHECK_THAT(observe_hostile("crash_always", test::fp16).detail, Contains("about to crash"));
}

TEST_CASE("a worker that hangs is a timeout", "[hostile]") {
    ObserveOptions options;
    options.timeout = 300ms;
    const Observation seen = observe_hostile("hang", test::fp16, options);
    CHECK(seen.status == Status::error);
    CHECK(seen.reason ==
          "timeout: nothing came within 0.3 s at input 0x0000, and at 0x3C3F too; 4 requests failed, given up");
    CHECK(no_child_is_left());
}

TEST_CASE("one input that was not written is counted", "[hostile][values]") {
    // Every request of a batch cut evenly is whole; the odd ones, when asked again, are not.
    const Observation odd = observe_hostile("partial", test::fp16);
    CHECK(odd.status == Status::mistrusted);
    CHECK_THAT(odd.reason, Contains("of a call of") && Contains("still has the poison 0x"));
    CHECK(odd.unstable);

    const Observation observation = observe_hostile("last_of_block", test::fp32);
    CHECK(observation.status == Status::mistrusted);
    CHECK_THAT(observation.reason,
               Catch::StartsWith("1 of 4294967296 values of the output were not written: input 0x"));
    CHECK(observation.inputs == 4294967295U);
    StepTable whole{&formats::fp32, &formats::e4m3, observation.partial};
    CHECK(whole.steps.size() == 257);
    CHECK(whole.steps[63] == Step{0x3F000000, 0x3F880000, 0x3F});
    CHECK(whole.steps[64] == Step{0x3F880002, 0x3FFFFFFF, 0x3F});
}

namespace {

void check_crash(std::initializer_list<unsigned> numbers_of_jobs) {
    std::vector<Step> first;
    for (const unsigned jobs : numbers_of_jobs) {
        ObserveOptions options;
        options.jobs = jobs;
        const Observation seen = observe_hostile("crash", test::fp32, options);
        CHECK(seen.status == Status::error);
        CHECK(seen.reason == "signal 11 (SIGSEGV) at input 0x3F880001");
        REQUIRE(seen.culprits.size() == 1);
        CHECK(seen.culprits[0].first == 0x3F880001);
        CHECK(seen.culprits[0].last == 0x3F880001);
        CHECK(seen.culprits[0].inputs == 1);
        CHECK(seen.culprits[0].how == "signal 11 (SIGSEGV)");
        CHECK(seen.inputs == 4294967295U);
        CHECK(seen.table.steps.empty());
        CHECK(seen.partial.size() == 257);
        if (first.empty())
            first = seen.partial;
        else
            CHECK(seen.partial == first);
    }
    CHECK(no_child_is_left());
}

} // namespace

TEST_CASE("a crash at one input loses it and nothing else", "[hostile][values]") { check_crash({2}); }
TEST_CASE("a crash at one input loses it and nothing else, whatever the number of jobs", "[.][exhaustive]") {
    check_crash({1, 2, 3});
}

// Whole runs do the same: "nothing passes: one input of 2^32".
TEST_CASE("one wrong answer of 2^32 is found exactly", "[.][exhaustive]") {
    const Observation seen = observe_hostile("one_wrong", test::fp32);
    REQUIRE(seen.status == Status::pass);
    REQUIRE(seen.inputs == std::uint64_t{1} << 32);
    REQUIRE(broken(seen.table).empty());
    CHECK(seen.table.steps.size() == 258);
    const auto differences = compare(seen.table, test::top_byte_table(formats::fp32));
    REQUIRE(differences.size() == 1);
    CHECK(differences[0].first == 0x3F880001);
    CHECK(differences[0].last == 0x3F880001);
    CHECK(differences[0].got == 0x3E);
}

TEST_CASE("a backend with too many steps is irregular, the same with any number of jobs", "[hostile][values]") {
    std::vector<Observation> seen;
    for (const unsigned jobs : {1U, 2U, 3U}) {
        ObserveOptions options;
        options.jobs = jobs;
        WorkerPool backend(test::hostile("noisy"), options);
        seen.push_back(backend.observe(test::fp32, nullptr));
        CHECK(seen.back().irregular);
        CHECK(seen.back().status == Status::incomplete);
        CHECK(seen.back().reason == "irregular: more than 1048576 steps, the first 1048576 inputs are kept");
        CHECK(seen.back().partial == seen.front().partial);
        CHECK(seen.back().inputs == seen.front().inputs);
        CHECK(seen.back().repeated == seen.front().repeated);
        CHECK(seen.back().table.steps.empty());
    }
    CHECK(seen.front().partial.size() == 1U << 20);
}

TEST_CASE("inputs that a backend changes are noticed", "[hostile]") {
    const PermitTable table = test::top_byte_table(formats::fp64);
    const std::vector<inputs::Point> points{{1, 0, 0}, {2, 0, 0}};
    const Observation seen = WorkerPool(test::hostile("meddle"), {}).observe_points(test::fp64, points, &table);
    CHECK(seen.status == Status::error);
    CHECK(seen.reason == "changed its input buffer (inputs 0x0000000000000001 to 0x0000000000000002)");
}

TEST_CASE("a program that breaks the protocol is told how", "[hostile]") {
    const auto [way, status, reason] = GENERATE(table<std::string, Status, std::string>({
        {"", Status::pass, ""},
        {"eof", Status::error, "exit 0 at input 0x0000, and at 0x3C3F too"},
        {"exit_3", Status::error, "exit 3 at input 0x0000, and at 0x3C3F too"},
        {"wrong_id", Status::error,
         "broke the protocol: answered request 1 with id 2 (3904 inputs, 0x0000 to 0x3C3F in 61 streams)"},
        {"wrong_count", Status::error, "broke the protocol: RESULT of 3903 values to a request of 3904"},
        {"wrong_digest", Status::error, "broke the protocol: the digest of a RESULT does not fit its outputs"},
        {"short_outputs", Status::error, "broke the protocol: RESULT with 3903 bytes of outputs instead of 3904"},
        {"garbage", Status::error, "broke the protocol: answered request 1 with id 0"},
        {"print", Status::error, "broke the protocol: frame at byte"},
        {"cut_frame", Status::error, "broke the protocol: stream ends at byte"},
        {"early_end", Status::error, "broke the protocol: sent END instead of RESULT"},
        {"bad_failed", Status::error, "broke the protocol: FAILED with the status 'fine'"},
        {"unsupported", Status::unsupported, "not today (3904 inputs, 0x0000 to 0x3C3F in 61 streams)"},
        {"unwritten", Status::mistrusted, "33 of 65536 values of the output were not written"},
        {"extra_frame", Status::error, "the worker did not end well: broke the protocol: sent RESULT instead of END"},
        {"wrong_requests", Status::error,
         "the worker did not end well: broke the protocol: its END counts 35 requests and 131072 values, there were 34 "
         "and 131072"},
        {"wrong_values", Status::error,
         "the worker did not end well: broke the protocol: its END counts 34 requests and 131073 values, there were 34 "
         "and 131072"},
        {"after_end", Status::error, "the worker did not end well: broke the protocol: sent END after its END"},
        {"exit_1", Status::error, "the worker did not end well: exit 1, after its END"},
        {"linger", Status::error, "the worker did not end well: timeout: nothing came within 1.5 s, after its END"},
    }));
    ObserveOptions options;
    options.backend_options = way;
    if (way == "linger") options.timeout = 1500ms;
    const Observation seen = observe_hostile("rude", test::fp16, options);
    INFO(way << ": " << seen.reason);
    CHECK(to_string(seen.status) == to_string(status));
    if (reason.empty())
        CHECK(seen.reason.empty());
    else
        CHECK_THAT(seen.reason, Catch::StartsWith(reason));
    CHECK(no_child_is_left());
}

TEST_CASE("a program that gives ranges wrong is told how", "[hostile]") {
    const auto [way, status, reason] = GENERATE(table<std::string, Status, std::string>({
        {"range_right", Status::pass, ""},
        {"range_many", Status::error, "broke the protocol: RESULT with 65537 steps, 65536 were asked for at most"},
        {"range_odd", Status::error, "broke the protocol: 4095 bytes of steps, which have 16 each"},
        {"range_digest", Status::error, "broke the protocol: the digest of a RESULT does not fit its steps"},
        {"range_back", Status::error, "gave a range in steps that do not ascend within it (inputs 0x0000 to 0xFFFF)"},
        {"range_beyond", Status::error, "gave a range in steps that do not ascend within it"},
        {"range_short", Status::error, "gave a range in steps that do not cover it"},
        {"range_empty", Status::error, "gave a range in steps that do not cover it"},
        {"range_code", Status::error, "gave the code 256, which is not a value of 1 bytes (inputs 0x0000 to 0xFFFF)"},
        {"range_lies", Status::fail, "a batch gives other answers than a range: input 0x0700 gave 0x00 then 0x07"},
    }));
    ::setenv("MXCERT_RUDE_RANGES", "1", 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    ObserveOptions options;
    options.backend_options = way;
    const Observation seen = observe_hostile("rude", test::fp16, options);
    ::unsetenv("MXCERT_RUDE_RANGES"); // NOLINT(concurrency-mt-unsafe)
    INFO(way << ": " << seen.reason);
    CHECK(to_string(seen.status) == to_string(status));
    CHECK_THAT(seen.reason, Catch::StartsWith(reason));
    CHECK(seen.repeated == (way == "range_right" || way == "range_lies" ? 65536 : 0));
    CHECK(no_child_is_left());
}

TEST_CASE("the stop flag ends an observation soon and leaves no process", "[hostile]") {
    const PermitTable table = test::top_byte_table(formats::fp32);
    std::atomic<bool> stop = false;
    ObserveOptions options;
    options.stop = &stop;
    options.timeout = 1h;                      // nothing but the flag ends what hangs
    options.sandbox_mode = sandbox::Mode::off; // it leaves a file for this test
    std::optional<test::SetWhenReached> hung;
    const std::string name = GENERATE("top_byte", "hang");
    if (name == "hang")
        hung.emplace(stop, 1);
    else
        options.progress = [&stop](std::uint64_t done, std::uint64_t) { stop = stop || done != 0; };
    const Observation seen = WorkerPool(test::hostile(name), options).observe(test::fp32, &table);
    CHECK(seen.status == Status::incomplete);
    CHECK(seen.reason == "stopped");
    CHECK(seen.table.steps.empty());
    CHECK(seen.inputs < std::uint64_t{1} << 32);
    // What was answered is a valid encoding of parts of the whole.
    for (const Step& step : seen.partial) {
        REQUIRE(step.first >> 24 == step.code);
        REQUIRE(step.last >> 24 == step.code);
    }
    CHECK(no_child_is_left());
}

TEST_CASE("a point that ends the worker is found among others", "[hostile]") {
    std::vector<inputs::Point> points;
    for (Code i = 0; i < 1000; ++i) points.push_back({0x3F880001 - 700 + i, 0, 0});
    const Observation seen = WorkerPool(test::hostile("crash"), {}).observe_points(test::fp32, points, nullptr);
    CHECK(seen.reason == "signal 11 (SIGSEGV) at input 0x3F880001");
    CHECK(seen.points.size() == 999);
    CHECK(std::none_of(seen.points.begin(), seen.points.end(),
                       [](const inputs::Point& p) { return p.input == 0x3F880001; }));
    REQUIRE(seen.culprits.size() == 1);
    CHECK(seen.culprits[0].first == 0x3F880001);
}

TEST_CASE("the search for the input that ends the worker is bounded", "[hostile]") {
    ObserveOptions options;
    options.narrowing = 0ms;
    options.backend_options = "crash_one:3C01";
    const Observation seen = WorkerPool(test::hostile("ways"), options).observe(test::fp16, nullptr);
    CHECK(seen.status == Status::error);
    CHECK(seen.reason ==
          "signal 11 (SIGSEGV) (3904 inputs, 0x3480 to 0x52BF in 61 streams); not narrowed down: it takes too long");
    CHECK(seen.culprits.empty());
    CHECK(seen.inputs == 65536 - 3904);
}

TEST_CASE("a stop ends the search for the input that hangs", "[hostile]") {
    std::atomic<bool> stop = false;
    ObserveOptions options;
    options.stop = &stop;
    options.timeout = 1s;
    options.backend_options = "hang_one:3C01";
    // The first time the request hangs, the second time what is asked in search of the input.
    options.sandbox_mode = sandbox::Mode::off; // it leaves a file for this test
    const test::SetWhenReached searching(stop, 2);
    const Observation seen = WorkerPool(test::hostile("ways"), options).observe(test::fp16, nullptr);
    CHECK(seen.culprits.empty());
    CHECK((seen.status == Status::error || seen.status == Status::incomplete));
    CHECK(no_child_is_left());
}

TEST_CASE("a request that only a second cut ends is searched with that cut", "[hostile]") {
    ObserveOptions options;
    options.backend_options = "crash_odd:0000";
    const Observation seen = WorkerPool(test::hostile("ways"), options).observe(test::fp16, nullptr);
    CHECK(seen.status == Status::error);
    // Alone the input makes an odd batch too.
    CHECK(seen.reason == "signal 11 (SIGSEGV) at input 0x0000");
    CHECK(seen.inputs == 65535);
}
