// SPDX-License-Identifier: Apache-2.0
// The helper that Python backends are built on, asked frame by frame.
#include <cstring>
#include <vector>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/observe/hello.hpp"
#include "conformance/observe/worker_pool.hpp"
#include "conformance/offline/offline.hpp"
#include "conformance/test/absent.hpp"
#include "conformance/test/program.hpp"
#include "conformance/test/worker_process.hpp"

using namespace mxcert;
using namespace mxcert::test;
using frames::ConvertRequest;
using frames::Inputs;
using frames::Type;

namespace {

// The order of the offers in helper_worker.py.
enum Offer : std::uint32_t { upper, batch, widen, add, raises, is_refused, too_few, too_wide, scaled, scale, none };

std::vector<std::string> helper(const std::string& how) {
    const std::string source = MXCERT_TEST_SOURCE;
    return {MXCERT_TEST_PYTHON, source + "/conformance/test/helper_worker.py", source + "/python/mxcert", how};
}

std::vector<unsigned> outputs(const frames::Frame& frame) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(frame.payload.data());
    const auto count = frame.payload.size() - frames::result_bytes;
    CHECK(frames::decode_result(frame.payload).digest == frames::digest(bytes + frames::result_bytes, count));
    return {bytes + frames::result_bytes, bytes + frame.payload.size()};
}

ConvertRequest request(Offer offer, std::uint64_t first, std::uint64_t count) {
    ConvertRequest request;
    request.conversion = offer;
    request.first = first;
    request.count = count;
    return request;
}

bool numpy_is_absent() { return absent(*MXCERT_TEST_PYTHON == '\0', "a Python with numpy"); }

} // namespace

TEST_CASE("the Python helper serves by every way in and out", "[python]") {
    if (numpy_is_absent()) return;
    WorkerProcess worker(helper("serve"));
    const auto hello = nlohmann::json::parse(text(worker.receive()));
    CHECK(hello["backend"]["name"] == "helper");
    CHECK(hello["conversions"].size() == none);
    CHECK(hello["conversions"][add]["random_bits"] == 8);
    CHECK(hello["shared"] == true);
    CHECK(hello["backend"]["build"].get<std::string>().size() == 64);
    worker.start();

    using Bytes = std::vector<unsigned>;
    // A range, longer than what a function gets at once, across a byte.
    CHECK(outputs(answer(worker, request(upper, 0x00FA, 12))) == Bytes{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
    CHECK(outputs(answer(worker, request(upper, 0xFFFE, 2))) == Bytes{0xFF, 0xFF});
    // The batch that was asked for, and the helper's own.
    CHECK(outputs(answer(worker, request(batch, 0, 9))) == Bytes{7, 7, 7, 7, 7, 7, 7, 2, 2});
    ConvertRequest batches = request(batch, 0, 5);
    batches.batch = 3;
    CHECK(outputs(answer(worker, batches)) == Bytes{3, 3, 3, 2, 2});
    // Wider outputs are little-endian: 2 as FP32.
    CHECK(outputs(answer(worker, request(widen, 2, 1))) == Bytes{0, 0, 0, 0x40});

    // Values and random numbers, in the frame and in shared memory.
    const std::uint16_t values[] = {0x0010, 0x0020, 0x0030};
    const std::uint32_t random[] = {1, 2, 200};
    const Bytes sums{0x12, 0x23, 0xF9};
    unsigned char wire[sizeof values + sizeof random];
    frames::copy_values(wire, values, 3, 2);
    frames::copy_values(wire + sizeof values, random, 3, 4);
    ConvertRequest three = request(add, 0, 3);
    three.inputs = Inputs::inlined;
    CHECK(outputs(answer(worker, three, std::as_bytes(std::span(wire)))) == sums);
    std::memcpy(worker.shared().data() + 64, values, sizeof values);
    std::memcpy(worker.shared().data() + 128, random, sizeof random);
    three.inputs = Inputs::shared;
    three.input_offset = 64;
    three.random_offset = 128;
    CHECK(outputs(answer(worker, three)) == sums);
    three.output_offset = 1'000;
    std::memset(worker.shared().data() + 999, 0xEE, 5);
    CHECK(answer(worker, three).payload.size() == frames::result_bytes);
    const unsigned char around[] = {0xEE, 0x12, 0x23, 0xF9, 0xEE};
    CHECK(std::memcmp(worker.shared().data() + 999, around, sizeof around) == 0);
    // What was asked is not changed by a function that writes to its argument.
    CHECK(std::memcmp(worker.shared().data() + 64, values, sizeof values) == 0);

    // Streams side by side, from a position within them on; they start again after three codes.
    ConvertRequest streams = request(upper, 3, 6);
    streams.inputs = Inputs::interleaved;
    streams.batch = 4;
    CHECK(outputs(answer(worker, streams, encode(frames::Interleaved{3, {0x0100, 0x7EFE}}))) ==
          Bytes{0x7E, 0x01, 0x7F, 0x01, 0x7E, 0x01});

    // A given scale: a function gets the values of one at a time. The last two values of one, the first of the next.
    CHECK(outputs(answer(worker, request(scaled, 0x10FFFE, 3))) == Bytes{0x0F, 0x0F, 0x11});
    const std::uint32_t codes[] = {0x200100, 0x100200, 0x100300};
    ConvertRequest chosen = request(scaled, 0, 3);
    chosen.inputs = Inputs::inlined;
    CHECK(outputs(answer(worker, chosen, std::as_bytes(std::span(codes)))) == Bytes{0x21, 0x12, 0x13});
    // An amax is as wide as its format with a sign.
    CHECK(outputs(answer(worker, request(scale, 0x7F00, 1))) == Bytes{0x7F});

    worker.end();
    const auto counts = frames::decode_end(worker.receive().payload);
    CHECK(counts.requests == 12);
    CHECK(counts.values == 12 + 2 + 9 + 5 + 1 + 3 * 3 + 6 + 3 + 3 + 1);
    CHECK(worker.finish() == "exit 0");
    CHECK(worker.errors().find("this must not get into the frames") != std::string::npos);
    CHECK(worker.errors().find("nor this") != std::string::npos);
}

TEST_CASE("the Python helper runs operations", "[python]") {
    if (numpy_is_absent()) return;
    WorkerProcess worker(helper("serve"));
    const observe::Hello hello = observe::parse_hello(text(worker.receive()), "helper");
    REQUIRE(hello.info.operations.size() == 1);
    CHECK(to_string(hello.info.operations[0]) == "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-any");
    worker.start();
    const auto ask = [&](std::uint64_t id, std::uint64_t rows) {
        frames::RunRequest run;
        run.shape = {rows, 3, 2, 0};
        run.inputs = {{rows * 3, 4}};
        run.outputs = {{rows * 3, 1}, {rows, 1}};
        std::vector<std::byte> payload = encode(run);
        for (std::uint32_t i = 0; i < rows * 3; ++i)
            for (const std::uint32_t byte : {i, 1U, 2U, i + 0x40}) payload.push_back(static_cast<std::byte>(byte));
        worker.send(Type::run, id, payload);
        return worker.receive();
    };
    const frames::Frame two = ask(1, 2);
    REQUIRE(two.header.type == Type::result);
    CHECK(frames::decode_result(two.payload).count == 8);
    CHECK(outputs(two) == std::vector<unsigned>{0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 2, 2});
    // The same arrays in shared memory, where the poison lies already.
    frames::RunRequest shared;
    shared.shape = {2, 3, 2, 0};
    shared.inputs = {{6, 4, 64}};
    shared.outputs = {{6, 1, 128}, {2, 1, 192}};
    const std::uint32_t words[] = {0x40000000, 0x41000000, 0x42000000, 0x43000000, 0x44000000, 0x45000000};
    unsigned char* memory = worker.shared().data();
    std::memcpy(memory + 64, words, sizeof words);
    std::memset(memory + 127, 0xEE, 68);
    worker.send(Type::run_shared, 4, encode_shared(shared));
    const frames::Frame in_memory = worker.receive();
    REQUIRE(in_memory.header.type == Type::result);
    CHECK(in_memory.payload.size() == frames::result_bytes);
    CHECK(frames::decode_result(in_memory.payload).count == 8);
    const unsigned char elements[] = {0xEE, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0xEE};
    const unsigned char scales[] = {0xEE, 2, 2, 0xEE};
    CHECK(std::memcmp(memory + 127, elements, sizeof elements) == 0);
    CHECK(std::memcmp(memory + 191, scales, sizeof scales) == 0);
    const auto failed = [&](const frames::Frame& frame) { return nlohmann::json::parse(text(frame)); };
    const auto nine = failed(ask(2, 9));
    CHECK(nine["status"] == "unsupported");
    CHECK(nine["message"] == "Unsupported: nine rows");
    const auto eight = failed(ask(3, 8));
    CHECK(eight["status"] == "error");
    CHECK(eight["message"] == "ValueError: 1 outputs, expected 2");
    worker.end();
    const auto counts = frames::decode_end(worker.receive().payload);
    CHECK(counts.requests == 4);
    CHECK(counts.values == 2 * 8 + 36 + 32);
    CHECK(worker.finish() == "exit 0");
}

TEST_CASE("the Python helper counts in the list of START where there is one", "[python]") {
    if (numpy_is_absent()) return;
    const auto asked = [](const char* source, const char* target, const char* rounding, unsigned random_bits) {
        return nlohmann::json{{"source", source},
                              {"target", target},
                              {"rounding", rounding},
                              {"overflow", "sat"},
                              {"random_bits", random_bits}};
    };
    WorkerProcess worker(helper("serve"));
    (void)worker.receive();
    nlohmann::json start{{"protocol", 1}, {"shared", nullptr}, {"options", ""}};
    const auto failed = [&](std::uint32_t index) {
        ConvertRequest request;
        request.conversion = index;
        request.count = 1;
        worker.convert(6, request);
        const auto frame = worker.receive();
        CAPTURE(text(frame));
        REQUIRE(frame.header.type == Type::failed);
        const auto content = nlohmann::json::parse(text(frame));
        return content["status"].get<std::string>() + " " + content["message"].get<std::string>();
    };
    SECTION("in another order than it offers, and more than it offers") {
        start["conversions"] = {asked("bf16", "e5m2", "nearest_even", 0), asked("bf16", "e4m3", "toward_zero", 0),
                                asked("bf16", "e4m3", "nearest_even", 0), asked("fp16", "e4m3", "stochastic_a", 9)};
        worker.send(Type::start, 0, start.dump());
        ConvertRequest request;
        request.count = 2;
        request.first = 0x0300;
        CHECK(outputs(answer(worker, request)) == std::vector<unsigned>{2, 2}); // batch
        request.conversion = 2;
        CHECK(outputs(answer(worker, request)) == std::vector<unsigned>{3, 3}); // upper
        CHECK(failed(1) == "unsupported Unsupported: does not offer bf16 to e4m3, toward_zero, sat");
        CHECK(failed(3) == "unsupported Unsupported: does not offer fp16 to e4m3, stochastic_a, sat");
        CHECK(failed(4).find("error IndexError") == 0);
    }
    SECTION("a list that is none is the answer to every request") {
        start["conversions"] = nlohmann::json::array({{{"source", "bf16"}}});
        worker.send(Type::start, 0, start.dump());
        CHECK(failed(0) == "error ValueError: START: KeyError: 'target'");
        CHECK(failed(1) == failed(0));
    }
    SECTION("so is a START that is no JSON") {
        worker.send(Type::start, 0, std::string("{"));
        CHECK(failed(0).find("error ValueError: START: JSONDecodeError") == 0);
    }
    worker.end();
    (void)worker.receive();
    CHECK(worker.finish() == "exit 0");
}

TEST_CASE("the Python helper answers requests from a file", "[python]") {
    if (numpy_is_absent()) return;
    const TemporaryFolder folder;
    offline::OfflineIndex index;
    index.inputs = offline::OfflineInputs::all;
    index.profiles = {"ocp-sat"};
    index.filters = {"fp16-e4m3-nearest_even-sat", "bf16-e4m3-nearest_even-sat", "bf16-e5m2-nearest_even-sat"};
    offline::write_offline(index, folder.path());
    std::vector<std::string> order;
    for (const Conversion& conversion : index.conversions) order.push_back(to_string(conversion));
    // None of the places is the one in HELLO, and the first is not offered.
    REQUIRE(order == std::vector<std::string>{"fp16-e4m3-nearest_even-sat", "bf16-e4m3-nearest_even-sat",
                                              "bf16-e5m2-nearest_even-sat"});
    std::string command;
    for (const std::string& word : helper("serve")) command += "'" + word + "' ";
    const Result served = shell(folder.path(), command + "< requests.mxcf > responses.mxcf");
    CAPTURE(served.err);
    REQUIRE(served.code == 0);

    const auto subject = offline::open_offline(folder.path(), {});
    CHECK(subject->info().conversions == std::vector<Conversion>{index.conversions[1], index.conversions[2]});
    CHECK(subject->observe(index.conversions[0], nullptr).status == Status::unsupported);
    const observe::Observation seen = subject->observe(index.conversions[1], nullptr);
    CAPTURE(seen.reason);
    REQUIRE(seen.status == Status::pass);
    CHECK(seen.inputs == 65'536);
    CHECK(seen.table.steps.size() == 256);
    for (const Step& step : seen.table.steps) CHECK((step.code == step.first >> 8 && step.code == step.last >> 8));
}

TEST_CASE("what a Python function raises is the answer to its request alone", "[python]") {
    if (numpy_is_absent()) return;
    WorkerProcess worker(helper("serve"));
    (void)worker.receive();
    worker.start();
    const auto failed = [&](const ConvertRequest& request) {
        worker.convert(6, request);
        const auto frame = worker.receive();
        REQUIRE(frame.header.type == Type::failed);
        CHECK(frame.header.id == 6);
        const auto content = nlohmann::json::parse(text(frame));
        return content["status"].get<std::string>() + " " + content["message"].get<std::string>();
    };
    CHECK(failed(request(raises, 0, 4)) == "error OverflowError: three's a crowd");
    CHECK(failed(request(is_refused, 0, 4)) == "unsupported Unsupported: no such device");
    CHECK(failed(request(too_few, 0, 4)) == "error ValueError: (3,) of uint8 for 4 values of 1 bytes");
    CHECK(failed(request(too_wide, 0, 4)) == "error ValueError: (4,) of uint64 for 4 values of 1 bytes");
    CHECK(failed(request(none, 0, 4)).find("error IndexError") == 0);
    ConvertRequest outside = request(upper, 0, 4);
    outside.output_offset = WorkerProcess::shared_bytes - 2;
    CHECK(failed(outside).find("error ValueError") == 0);
    CHECK(outputs(answer(worker, request(upper, 0x0100, 1))) == std::vector<unsigned>{1});
    worker.end();
    const auto counts = frames::decode_end(worker.receive().payload);
    CHECK(counts.requests == 7);
    CHECK(counts.values == 25);
    CHECK(worker.finish() == "exit 0");
}

TEST_CASE("a Python backend says which package is missing", "[python]") {
    if (numpy_is_absent()) return;
    WorkerProcess worker(helper("missing"));
    const auto frame = worker.receive();
    CHECK(frame.header.type == Type::hello);
    const auto hello = nlohmann::json::parse(text(frame));
    CHECK(hello["error"] == "ModuleNotFoundError: No module named 'a_package_that_nobody_has'");
    CHECK(worker.finish() == "exit 1");
}

TEST_CASE("a Python worker that loses its harness says so and ends", "[python]") {
    if (numpy_is_absent()) return;
    WorkerProcess worker(helper("serve"));
    (void)worker.receive();
    std::string reason;
    SECTION("no END") {
        worker.start();
        reason = "the requests end without END";
    }
    SECTION("not a frame") {
        worker.write_raw(std::string(24, 'x'));
        reason = "not a frame";
    }
    SECTION("CONVERT before START") {
        worker.convert(1, request(upper, 0, 1));
        reason = "no START";
    }
    CHECK(worker.finish() == "exit 1");
    CHECK_THAT(worker.errors(), Catch::Contains(reason));
}

TEST_CASE("the Python helper takes frames as long as they may be", "[python]") {
    if (numpy_is_absent()) return;
    // What comes behind the header ends early: that is said of a frame whose length is right.
    const auto said_of = [](std::uint64_t length) {
        WorkerProcess worker(helper("serve"));
        (void)worker.receive();
        std::string header = "MXCF";
        const auto put = [&](std::uint64_t number, unsigned bytes) {
            for (unsigned i = 0; i < bytes; ++i) header.push_back(static_cast<char>(number >> 8 * i & 0xFF));
        };
        put(1, 2);
        put(static_cast<std::uint64_t>(Type::run), 2);
        put(1, 8);
        put(length, 8);
        worker.write_raw(header);
        CHECK(worker.finish() == "exit 1");
        return worker.errors();
    };
    CHECK_THAT(said_of(frames::max_payload), Catch::Contains("the requests end without END"));
    CHECK_THAT(said_of(frames::max_payload + 1), Catch::Contains("not a frame"));
}

TEST_CASE("the build that a program tells is part of what parse_hello reads", "[python]") {
    const std::string backend = R"({"protocol":1,"conversions":[],"backend":{"name":"x")";
    CHECK(observe::parse_hello(backend + "}}", "x").build.empty());
    CHECK(observe::parse_hello(backend + R"(,"build":"abc"}})", "x").build == "abc");
    CHECK_THROWS(observe::parse_hello(backend + R"(,"build":7}})", "x"));
}
