// SPDX-License-Identifier: Apache-2.0
#include "conformance/observe/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>

#include "catch.hpp"
#include "conformance/observe/asker.hpp"
#include "conformance/observe/convert_exchange.hpp"
#include "conformance/observe/hello.hpp"
#include "conformance/observe/schedule.hpp"
#include "conformance/test/observe_fixture.hpp"
#include "reference/base/random.hpp"

using namespace mxcert;
using namespace mxcert::observe;
using Catch::Contains;

TEST_CASE("every input of an FP16 source is observed, and asked twice", "[observe]") {
    const Observation seen = test::observe_hostile("top_byte", test::fp16);
    CHECK(seen.status == Status::pass);
    CHECK(seen.reason.empty());
    CHECK(seen.inputs == 65536);
    CHECK(seen.repeated == 65536);
    CHECK(seen.table.from == test::fp16.from);
    CHECK(seen.table.steps == test::top_byte_steps(formats::fp16).steps);
}

TEST_CASE("an observation does not depend on the number of jobs", "[observe][values]") {
    std::uint64_t repeated = 0;
    for (const unsigned jobs : {1U, 3U}) {
        ObserveOptions options;
        options.jobs = jobs;
        std::uint64_t last = 0;
        options.progress = [&last](std::uint64_t done, std::uint64_t total) {
            CHECK(done >= last);
            CHECK(total == std::uint64_t{1} << 32);
            last = done;
        };
        const Observation seen = test::observe_hostile("top_byte", test::fp32, options);
        CHECK(seen.status == Status::pass);
        CHECK(seen.inputs == std::uint64_t{1} << 32);
        CHECK(seen.table.steps == test::top_byte_steps(formats::fp32).steps);
        if (repeated == 0) repeated = seen.repeated;
        CHECK(seen.repeated == repeated);
        CHECK(seen.repeated > std::uint64_t{1} << 27);
    }
}

TEST_CASE("an observation in parts is that in one", "[observe][values]") {
    const Observation whole = test::observe_hostile("top_byte", test::fp16);
    ObserveOptions options;
    options.part = 10'000;
    std::uint64_t last = 0;
    options.progress = [&last](std::uint64_t done, std::uint64_t total) {
        CHECK(done >= last);
        CHECK(total == 65'536);
        last = done;
    };
    const Observation parts = test::observe_hostile("top_byte", test::fp16, options);
    CHECK(parts.status == Status::pass);
    CHECK(parts.inputs == whole.inputs);
    CHECK(parts.repeated == whole.repeated);
    CHECK(parts.table.steps == whole.table.steps);
    // A part that ends badly ends the observation, with what was seen before it.
    options.backend_options = "crash_one:8001";
    last = 0;
    const Observation broken = test::observe_hostile("ways", test::fp16, options);
    CHECK(broken.status == Status::error);
    CHECK(broken.table.steps.empty());
    CHECK_FALSE(broken.partial.empty());
    CHECK(broken.inputs < 65'536);
    CHECK(broken.partial.back().last < 60'000);
    // One constant is seen for what it is although each part may have one.
    options.progress = nullptr;
    options.backend_options.clear();
    CHECK(test::observe_hostile("one_constant", test::fp16, options).status == Status::mistrusted);
}

TEST_CASE("without a table nothing that was written is mistaken for poison", "[observe]") {
    WorkerPool backend(test::hostile("top_byte"), {});
    const Observation seen = backend.observe(test::fp16, nullptr);
    CHECK(seen.status == Status::pass);
    CHECK(seen.table.steps == test::top_byte_steps(formats::fp16).steps);
    CHECK_THAT(WorkerPool(test::hostile("silent"), {}).observe(test::fp16, nullptr).reason,
               Catch::StartsWith("65536 of 65536 values of the output were not written: input 0x0000, at index"));
}

TEST_CASE("a constant is trusted where the table permits one", "[observe]") {
    PermitTable table{test::fp16.from, test::fp16.to, {{0, 0x7FFF, permit_code(0x38), "TEST"}}};
    table.steps.push_back({0x8000, 0xFFFF, Permit{{0x38, 0x40}, true}, "TEST"});
    CHECK(WorkerPool(test::hostile("one_constant"), {}).observe(test::fp16, &table).status == Status::pass);
    table.steps[1].permit.codes = {0x40};
    CHECK(WorkerPool(test::hostile("one_constant"), {}).observe(test::fp16, &table).status == Status::mistrusted);
    // Of an implementation nothing is known about, a constant may be what it does.
    CHECK(WorkerPool(test::hostile("one_constant"), {}).observe(test::fp16, nullptr).status == Status::pass);
}

TEST_CASE("one backend serves many observations", "[observe]") {
    WorkerPool backend(test::hostile("top_byte"), {});
    CHECK(backend.info().name == "top_byte");
    CHECK(backend.info().version == "1");
    CHECK(backend.info().build_id.size() == 64);
    CHECK(backend.info().conversions.size() == 4);
    for (int i = 0; i < 3; ++i) CHECK(backend.observe(test::fp16, nullptr).status == Status::pass);
}

TEST_CASE("what a backend does not offer is unsupported", "[observe]") {
    const Conversion other_conversion = parse_conversion("fp16-e5m2-nearest_even-sat");
    const Observation seen = WorkerPool(test::hostile("top_byte"), {}).observe(other_conversion, nullptr);
    CHECK(seen.status == Status::unsupported);
    CHECK(seen.reason == "top_byte does not offer fp16-e5m2-nearest_even-sat");
}

TEST_CASE("64-bit sources need points", "[observe]") {
    const Observation seen = WorkerPool(test::hostile("top_byte"), {}).observe(test::fp64, nullptr);
    CHECK(seen.status == Status::untested);
    CHECK_THAT(seen.reason, Contains("needs points"));
}

TEST_CASE("points come back in order with what each gave", "[observe]") {
    SplitMix64 random(7);
    std::vector<inputs::Point> points;
    for (int i = 0; i < 200'000; ++i) points.push_back({random(), 0, 0});
    const PermitTable table = test::top_byte_table(formats::fp64);
    ObserveOptions options;
    options.seed = 3;
    const Observation seen = WorkerPool(test::hostile("top_byte"), options).observe_points(test::fp64, points, &table);
    REQUIRE(seen.status == Status::pass);
    REQUIRE(seen.points.size() == points.size());
    CHECK(seen.inputs == points.size());
    Code last = 0;
    for (const inputs::Point& point : seen.points) {
        REQUIRE(point.input >= last);
        REQUIRE(point.got == point.input >> 56);
        last = point.input;
    }
    CHECK(WorkerPool(test::hostile("one_constant"), {}).observe_points(test::fp64, points, &table).status ==
          Status::mistrusted);
    CHECK(WorkerPool(test::hostile("top_byte"), {}).observe_points(test::fp64, {}, &table).status == Status::untested);
}

TEST_CASE("stochastic points carry their random words", "[observe]") {
    const Conversion stochastic = parse_conversion("fp64-e4m3-stochastic_a8-sat");
    std::vector<inputs::Point> points;
    for (std::uint32_t i = 0; i < 1000; ++i) points.push_back({Code{i % 10} << 56, 255 - i % 256, 0});
    const Observation seen = WorkerPool(test::hostile("top_byte"), {}).observe_points(stochastic, points, nullptr);
    REQUIRE(seen.status == Status::pass);
    REQUIRE(seen.points.size() == points.size());
    for (const inputs::Point& point : seen.points) REQUIRE(point.got == ((point.input >> 56) + point.random) % 256);
}

TEST_CASE("a backend that cannot start says why", "[observe]") {
    test::hostile("top_byte");
    const std::string source = MXCERT_TEST_SOURCE "/CMakeLists.txt";
    CHECK_THROWS_WITH(WorkerPool({BackendSpec::Kind::plugin, "text", source, {}}, {}), Contains("text: "));
    CHECK_THROWS_WITH(WorkerPool({BackendSpec::Kind::program, "true", "/bin/true", {}}, {}),
                      Contains("the worker did not start: exit 0"));
    CHECK_THROWS_WITH(WorkerPool({BackendSpec::Kind::program, "echo", "/bin/echo", {}}, {}),
                      Contains("broke the protocol"));
    CHECK_THROWS_WITH(WorkerPool({BackendSpec::Kind::missing, "gone", {}, "it was not built"}, {}),
                      Contains("it was not built"));
    CHECK_THROWS_WITH(WorkerPool({BackendSpec::Kind::record, "old", "/usr", {}}, {}), Contains("is a record"));
}

TEST_CASE("offers that are not understood are listed, with the reason", "[observe]") {
    const WorkerPool backend(test::hostile("rude"), {});
    const BackendInfo& info = backend.info();
    CHECK(info.conversions.size() == 2);
    REQUIRE(info.unknown.size() == 2);
    CHECK_THAT(info.unknown[0], Contains("fp99"));
    CHECK_THAT(info.unknown[1], Contains("offered twice"));
}

TEST_CASE("a broken HELLO is refused or made harmless", "[observe]") {
    for (const char* text : {"", "[]", "{", R"({"backend":1,"conversions":[]})", R"({"backend":{}})",
                             R"({"backend":{"name":5},"conversions":[]})", R"({"backend":{},"conversions":{}})"})
        CHECK_THROWS_AS(parse_hello(text, "x"), std::runtime_error);
    const Hello hello = parse_hello(R"({"backend":{"name":"a\u001b[31m"},"conversions":[7,{"random_bits":-1}]})", "x");
    CHECK(hello.info.name.find('\x1b') == std::string::npos);
    CHECK(hello.info.unknown.size() == 2);
    CHECK(parse_hello(R"({"backend":{},"conversions":[]})", "stem").info.name == "stem");
}

TEST_CASE("the schedule keeps the same blocks in whatever order they come back", "[observe]") {
    const std::vector<std::size_t> failing{2, 5, 6, 8, 9};
    const std::vector<std::vector<std::size_t>> orders{
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, {5, 9, 0, 8, 2, 7, 4, 6, 1, 3}};
    for (const auto& order : orders) {
        std::vector<inputs::Block> blocks;
        for (std::uint64_t i = 0; i < 10; ++i) blocks.push_back({i * 10, 10, {1, 2}, false});
        Schedule schedule(blocks, true);
        while (schedule.take()) {
        }
        for (const std::size_t index : order) {
            if (std::find(failing.begin(), failing.end(), index) != failing.end())
                schedule.fail(index, {Status::error, std::to_string(index), {}});
            else
                schedule.complete(index, {{{index * 10, index * 10 + 9, index % 2}}, 0, index % 2 == 0, std::nullopt});
        }
        const auto outcome = schedule.finish();
        CHECK(outcome.steps == std::vector<Step>{{0, 9, 0}, {10, 19, 1}, {30, 39, 1}, {40, 49, 0}, {70, 79, 1}});
        CHECK(outcome.answered == 50);
        CHECK(outcome.repeated == 20);
        CHECK(outcome.failures == 4);
        REQUIRE(outcome.failure);
        CHECK(outcome.failure->reason == "2");
        CHECK_FALSE(outcome.whole);
    }
}

TEST_CASE("answers that changed are told beside requests that failed", "[observe]") {
    Schedule schedule({{0, 10, {1, 2}, true}, {10, 10, {1, 2}, false}}, true);
    while (schedule.take()) {
    }
    schedule.complete(0, {{{0, 9, 0}}, 0, true, BlockFailure{Status::fail, "input 3 gave 0 then 1", {}}});
    schedule.fail(1, {Status::error, "the worker ended", {}});
    const Schedule::Outcome outcome = schedule.finish();
    REQUIRE(outcome.failure);
    CHECK(outcome.failure->status == Status::error);
    CHECK(outcome.failure->reason == "the worker ended; also input 3 gave 0 then 1");
}

TEST_CASE("a worker that is stopped while it starts is a stop, not an error", "[observe]") {
    std::atomic<bool> stop = false;
    ObserveOptions options;
    options.stop = &stop;
    for (const bool stops : {true, false}) {
        Schedule schedule(inputs::plan_range(test::fp16, nullptr, 1), true);
        const ConvertExchange exchange(test::fp16, nullptr, 1, 4096);
        Asking asking{exchange, 0, options, schedule, [&]() -> std::unique_ptr<WorkerClient> {
                          stop = stops;
                          throw std::runtime_error("not ready");
                      }};
        Asker(asking).run(nullptr);
        const Schedule::Outcome outcome = schedule.finish();
        CHECK(outcome.stopped == stops);
        CHECK(outcome.failure.has_value() == !stops);
        stop = false;
    }
}
