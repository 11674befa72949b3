// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/worker_process.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using frames::ConvertRequest;
using frames::Inputs;
using frames::Type;
using nlohmann::json;

namespace {

json json_of(const frames::Frame& frame, Type type) {
    REQUIRE(frame.header.type == type);
    return json::parse(text(frame));
}

/// A worker with the plugin `obedient`, started.
struct Obedient : WorkerProcess {
    explicit Obedient(const std::string& option = "") : WorkerProcess(worker_with("obedient")) {
        hello = json_of(receive(), Type::hello);
        start(option);
    }
    json hello;
};

ConvertRequest range(std::uint32_t conversion, std::uint64_t first, std::uint64_t count) {
    ConvertRequest request;
    request.conversion = conversion;
    request.first = first;
    request.count = count;
    return request;
}

/// Sends one request and gives its inline outputs.
std::vector<unsigned char> outputs(const WorkerProcess& worker, const ConvertRequest& request,
                                   std::span<const std::byte> following = {}) {
    worker.convert(1, request, following);
    const auto frame = worker.receive();
    CAPTURE(text(frame));
    REQUIRE(frame.header.type == Type::result);
    const auto result = frames::decode_result(frame.payload);
    CHECK(result.count == request.count);
    std::vector<unsigned char> bytes;
    for (const std::byte b : std::span(frame.payload).subspan(frames::result_bytes)) {
        bytes.push_back(std::to_integer<unsigned char>(b));
    }
    if (!bytes.empty()) CHECK(result.digest == frames::digest(bytes.data(), bytes.size()));
    return bytes;
}

/// Sends one request that must fail, and gives "status: message".
std::string failure(const WorkerProcess& worker, const ConvertRequest& request,
                    std::span<const std::byte> following = {}) {
    worker.convert(77, request, following);
    const auto frame = worker.receive();
    CHECK(frame.header.id == 77);
    const json content = json_of(frame, Type::failed);
    return content["status"].get<std::string>() + ": " + content["message"].get<std::string>();
}

/// Why a worker says it cannot start; it must end with 1.
std::string refusal(const std::vector<std::string>& command) {
    WorkerProcess worker(command);
    const json hello = json_of(worker.receive(), Type::hello);
    CHECK(worker.finish() == "exit 1");
    CHECK(hello["protocol"] == 1);
    CHECK_FALSE(hello.contains("conversions"));
    return hello.at("error").get<std::string>();
}

} // namespace

TEST_CASE("the worker says what a plugin offers, and printing does not disturb it") {
    Obedient worker;
    const auto& hello = worker.hello;
    CHECK(hello["protocol"] == 1);
    CHECK(hello["shared"] == true);
    CHECK(hello["backend"]["name"] == "obedient");
    CHECK(hello["backend"]["version"] == "1.2");
    CHECK(hello["backend"]["description"] == "for tests \uFFFD"); // the plugin's text is not UTF-8
    REQUIRE(hello["conversions"].size() == 10);
    CHECK(
        hello["conversions"][0] ==
        json::parse(R"({"source":"fp32","target":"e4m3","rounding":"nearest_even","overflow":"sat","random_bits":0})"));
    CHECK(hello["conversions"][3]["random_bits"] == 8);

    CHECK(outputs(worker, range(1, 3, 2)) == std::vector<unsigned char>{0x06, 0x03, 0x08, 0x04});
    worker.end();
    const auto counts = frames::decode_end(worker.receive().payload);
    CHECK(counts.requests == 1);
    CHECK(counts.values == 2);
    CHECK(worker.finish() == "exit 0");
    for (const char* printed : {"printed by a constructor", "printed by open", "raw", "printed by close"}) {
        CHECK_THAT(worker.errors(), Contains(printed));
    }
}

TEST_CASE("ranges of every width, in shared memory and in frames") {
    const Obedient worker;
    // FP32: the codes themselves must have arrived, up to the last one.
    const std::uint64_t first = GENERATE(0u, 0x3F7FFFF0u, 0xFFFFFFFFu - 9'999u);
    ConvertRequest request = range(0, first, 10'000);
    request.batch = GENERATE(0u, 1u, 77u, 10'000u, 1'000'000u);
    const auto in_frame = outputs(worker, request);
    request.output_offset = 4'097;
    std::fill(worker.shared().begin(), worker.shared().end(), static_cast<unsigned char>(0xEE));
    CHECK(outputs(worker, request).empty());
    REQUIRE(in_frame.size() == 10'000);
    for (std::size_t i = 0; i < in_frame.size(); ++i) {
        const std::uint64_t code = first + i;
        REQUIRE(in_frame[i] == ((code ^ (code >> 24)) & 0xFF));
        REQUIRE(worker.shared()[4'097 + i] == in_frame[i]);
    }
    CHECK(worker.shared()[4'096] == 0xEE);
    CHECK(worker.shared()[14'097] == 0xEE);

    // FP64, the last codes of 2^64.
    CHECK(outputs(worker, range(2, ~std::uint64_t{0} - 1, 2)) == std::vector<unsigned char>{0xFF, 0xFF});
    CHECK(outputs(worker, range(2, 0x00FFFFFFFFFFFFFF, 2)) == std::vector<unsigned char>{0x00, 0x01});
    // A format narrower than a byte, 8-byte outputs.
    const auto wide = outputs(worker, range(5, 14, 2));
    CHECK(wide == std::vector<unsigned char>{1, 0, 0, 0, 0, 0, 0, 14, 1, 0, 0, 0, 0, 0, 0, 15});
}

TEST_CASE("a given scale comes apart from its values, one in each call") {
    const Obedient worker;
    // A range across two scales; the last values of a scale are a call of their own.
    ConvertRequest request = range(8, 0x12FFFE, 5);
    CHECK(outputs(worker, request) ==
          std::vector<unsigned char>{0xFE + 0x12 - 0x100, 0xFF + 0x12 - 0x100, 0x13, 0x14, 0x15});
    request = range(9, 0x7FFE, 4);
    CHECK(outputs(worker, request) ==
          std::vector<unsigned char>{2, 0xFE, 0x7F, 0, 2, 0xFF, 0x7F, 0, 2, 0, 0x80, 0, 2, 1, 0x80, 0});
    request.batch = 1;
    CHECK(outputs(worker, request) ==
          std::vector<unsigned char>{1, 0xFE, 0x7F, 0, 1, 0xFF, 0x7F, 0, 1, 0, 0x80, 0, 1, 1, 0x80, 0});
    // Chosen codes, in any order of their scales.
    request = range(9, 0, 4);
    request.inputs = Inputs::inlined;
    const unsigned char codes[] = {5, 0x10, 6, 0x10, 7, 0x20, 8, 0x10};
    CHECK(outputs(worker, request, std::as_bytes(std::span(codes))) ==
          std::vector<unsigned char>{2, 5, 0x10, 0, 2, 6, 0x10, 0, 1, 7, 0x20, 0, 1, 8, 0x10, 0});
    request = range(8, 0, 2);
    request.inputs = Inputs::shared;
    request.input_offset = 64;
    const std::uint32_t shared[] = {0x010002, 0xFF0003};
    std::memcpy(worker.shared().data() + 64, shared, sizeof shared);
    CHECK(outputs(worker, request) == std::vector<unsigned char>{3, 2});
    CHECK_THAT(failure(worker, range(8, 0xFFFFFF, 2)), Contains("passes the last code of fp16_by_e8m0"));
}

TEST_CASE("the worker makes interleaved inputs") {
    const Obedient worker;
    const auto ask = [&](std::uint32_t conversion, std::uint64_t first, std::uint64_t count, std::uint64_t batch,
                         const frames::Interleaved& streams) {
        ConvertRequest request = range(conversion, first, count);
        request.inputs = Inputs::interleaved;
        request.batch = batch;
        return outputs(worker, request, encode(streams));
    };
    // FP32 of many streams, from any position on, in calls of any length; the streams start again after 50 codes.
    frames::Interleaved streams{50, {}};
    for (std::uint64_t i = 0; i < 61; ++i) streams.firsts.push_back(i * 0x04000000 + i);
    for (const std::uint64_t first : {0U, 1U, 60U, 61U, 1000U, 3049U}) {
        for (const std::uint64_t batch : {0U, 1U, 77U, 4096U, 10'000U}) {
            CAPTURE(first, batch);
            const auto answers = ask(0, first, 5'000, batch, streams);
            REQUIRE(answers.size() == 5'000);
            for (std::uint64_t i = 0; i < answers.size(); ++i) {
                const std::uint64_t code = streams.at(first + i);
                REQUIRE(answers[i] == ((code ^ (code >> 24)) & 0xFF));
            }
        }
    }
    // Of sources with a given scale, the values come apart from it.
    CHECK(ask(9, 0, 4, 4, {2, {0x10FE, 0x1000}}) ==
          std::vector<unsigned char>{4, 0xFE, 0x10, 0, 4, 0, 0x10, 0, 4, 0xFF, 0x10, 0, 4, 1, 0x10, 0});
    const auto refused = [&](std::uint32_t conversion, const frames::Interleaved& streams) {
        ConvertRequest request = range(conversion, 0, 4);
        request.inputs = Inputs::interleaved;
        return failure(worker, request, encode(streams));
    };
    CHECK_THAT(refused(0, {2, {0xFFFFFFFF}}), Contains("passes the last code of fp32"));
    CHECK_THAT(refused(9, {2, {0x10FF, 0x1000}}), Contains("streams of several scales"));
    CHECK_THAT(refused(9, {2, {0x1000, 0x2000}}), Contains("streams of several scales"));
    CHECK_THAT(refused(3, {2, {1}}), Contains("streams have no random words"));
    CHECK_THAT(refused(0, {0, {1}}), Contains("streams of no codes"));
}

TEST_CASE("inputs in the frame and in shared memory, with and without randoms") {
    const Obedient worker;
    ConvertRequest request = range(3, 0, 3);
    request.inputs = Inputs::inlined;
    const unsigned char following[] = {1, 9, 2, 9, 3, 9, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0};
    CHECK(outputs(worker, request, std::as_bytes(std::span(following))) == std::vector<unsigned char>{11, 22, 33});

    const std::uint16_t inputs[] = {1, 2, 3};
    const std::uint32_t randoms[] = {100, 101, 102};
    std::memcpy(worker.shared().data() + 1'000, inputs, sizeof inputs);
    std::memcpy(worker.shared().data() + 2'000, randoms, sizeof randoms);
    request.inputs = Inputs::shared;
    request.input_offset = 1'000;
    request.random_offset = 2'000;
    request.batch = 2;
    CHECK(outputs(worker, request) == std::vector<unsigned char>{101, 103, 105});
    request.inputs = Inputs::range;
    request.first = 50;
    CHECK(outputs(worker, request) == std::vector<unsigned char>{150, 152, 154});
}

TEST_CASE("the plugin sees batches of the size that was asked for") {
    const Obedient worker;
    ConvertRequest request = range(6, 0, 200);
    request.batch = 33;
    CHECK(outputs(worker, request).front() == 33);
    request.batch = 100;
    CHECK(outputs(worker, request).back() == 100);
}

TEST_CASE("requests that cannot be served are refused and the next one is served") {
    const Obedient worker;
    constexpr std::uint64_t huge = ~std::uint64_t{0};
    CHECK_THAT(failure(worker, range(10, 0, 1)), StartsWith("error: conversion 10 of 10"));
    CHECK_THAT(failure(worker, range(0xFFFFFFFF, 0, 1)), StartsWith("error: conversion"));
    CHECK_THAT(failure(worker, range(4, 0, 1)), StartsWith("unsupported: this worker knows no format posit8"));
    CHECK_THAT(failure(worker, range(0, 0, 0)), Contains("no values"));
    CHECK_THAT(failure(worker, range(0, 0xFFFFFFFF, 2)), Contains("passes the last code of fp32"));
    CHECK_THAT(failure(worker, range(0, 0x100000000, 1)), Contains("passes the last code of fp32"));
    CHECK_THAT(failure(worker, range(5, 15, 2)), Contains("passes the last code of e2m1"));
    CHECK_THAT(failure(worker, range(2, 2, huge)), Contains("passes the last code of fp64"));
    CHECK_THAT(failure(worker, range(2, 0, huge)), Contains("do not fit into a frame"));
    CHECK_THAT(failure(worker, range(7, 0, (huge >> 3) + 1)), Contains("do not fit into a frame")); // times 8 is 0
    CHECK_THAT(failure(worker, range(2, 0, frames::max_payload)), Contains("do not fit into a frame"));

    // Outputs outside shared memory: just beyond its end, and where the sum or the product wraps around.
    const std::uint64_t end = WorkerProcess::shared_bytes;
    const auto outside = [&](std::uint32_t conversion, std::uint64_t count, std::uint64_t offset) {
        ConvertRequest request = range(conversion, 0, count);
        request.output_offset = offset;
        return failure(worker, request);
    };
    CHECK_THAT(outside(0, 1, end), Contains("outside it or not aligned"));
    CHECK_THAT(outside(0, 2, end - 1), Contains("outside it"));
    CHECK_THAT(outside(0, 16, huge - 8), Contains("outside it"));
    CHECK_THAT(outside(1, 2, end - 2), Contains("outside it"));
    CHECK_THAT(outside(1, 1, 1), Contains("not aligned"));
    CHECK_THAT(outside(5, 2, end - 8), Contains("outside it"));
    CHECK_THAT(outside(2, huge, 0), Contains("outside it"));
    CHECK_THAT(outside(2, huge, 8), Contains("outside it"));

    ConvertRequest request = range(3, 0, 4);
    CHECK_THAT(failure(worker, request), Contains("4 randoms of 4 bytes at offset none"));
    request.random_offset = 2;
    CHECK_THAT(failure(worker, request), Contains("randoms"));
    request.random_offset = end - 12;
    CHECK_THAT(failure(worker, request), Contains("randoms"));
    request = range(0, 0, 4);
    request.inputs = Inputs::shared;
    CHECK_THAT(failure(worker, request), Contains("inputs of 4 bytes at offset none"));
    request.input_offset = 0;
    request.count = (huge >> 2) + 1; // times 4 bytes is 0
    CHECK_THAT(failure(worker, request), Contains("inputs of 4 bytes at offset 0"));
    request.count = 4;
    request.input_offset = end - 12;
    CHECK_THAT(failure(worker, request), Contains("inputs"));

    const std::vector<std::byte> fifteen(15);
    request.inputs = Inputs::inlined;
    CHECK_THAT(failure(worker, request, fifteen), Contains("15 bytes follow the request, 4 values"));
    request.count = (huge >> 2) + 1; // times 4 bytes is 0
    CHECK_THAT(failure(worker, request), Contains("values of 4 bytes were announced"));
    CHECK_THAT(failure(worker, range(0, 0, 4), fifteen), Contains("15 bytes too many"));

    auto unknown = encode(range(0, 0, 1));
    unknown[4] = std::byte{9};
    worker.send(Type::convert, 5, unknown);
    CHECK_THAT(text(worker.receive()), Contains("unknown kind of inputs 9"));
    worker.send(Type::convert, 5, "short");
    CHECK_THAT(text(worker.receive()), Contains("CONVERT payload has 5 bytes"));

    CHECK(outputs(worker, range(7, 0x0807060504030201, 1)) == std::vector<unsigned char>{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(outputs(worker, range(0, 7, 1)) == std::vector<unsigned char>{7});
}

TEST_CASE("END counts what was answered, refused requests too") {
    Obedient worker;
    CHECK(outputs(worker, range(0, 0, 10)).size() == 10);
    CHECK_FALSE(failure(worker, range(10, 0, 5)).empty());
    worker.end({2, 15});
    const auto frame = worker.receive();
    REQUIRE(frame.header.type == Type::end);
    const auto counts = frames::decode_end(frame.payload);
    CHECK(counts.requests == 2);
    CHECK(counts.values == 15);
    CHECK(worker.finish() == "exit 0");
}

TEST_CASE("what a plugin returns or throws is the answer") {
    const auto answer = [](const std::string& option) {
        const Obedient worker(option);
        const std::string first = failure(worker, range(0, 0, 1));
        CHECK(failure(worker, range(0, 0, 1)) == first);
        return first;
    };
    CHECK(answer("unsupported") == "unsupported: convert() returned 1: not on this device");
    CHECK(answer("error") == "error: convert() returned 2");
    CHECK(answer("seven") == "error: convert() returned 7");
    CHECK(answer("throws") == "error: convert() threw an exception: from convert");
    CHECK(answer("throws-int") == "error: convert() threw an exception");
    CHECK(answer("open-unsupported") == "unsupported: open() returned 1: no such device");
    CHECK(answer("open-throws") == "error: open() threw an exception: from open");
    CHECK(answer("overrun") == "error: the backend wrote beyond the end of its output");
    CHECK(answer("underrun") == "error: the backend wrote before the start of its output");
}

TEST_CASE("a plugin that crashes takes its worker along") {
    Obedient worker("crash");
    worker.convert(1, range(0, 0, 1));
    CHECK_THROWS(worker.receive());
    CHECK(worker.finish() == "signal 6");

    Obedient closing("close-crashes");
    closing.end();
    CHECK_THROWS(closing.receive());
    CHECK(closing.finish() == "signal 6");
}

TEST_CASE("plugins that are wrong are refused with what is wrong") {
    const auto variant = [](const std::string& name) { return refusal(worker_with(name)); };
    CHECK_THAT(variant("no_symbol"), Contains("has no function mxcert_get_api"));
    CHECK_THAT(variant("null_api"), Contains("mxcert_get_api returned NULL"));
    CHECK_THAT(variant("wrong_major"), Contains("was built for version 3 of the interface"));
    CHECK_THAT(variant("small_struct"), Contains("mxcert_api.struct_size is 112, expected 120 to 4096"));
    CHECK_THAT(variant("huge_struct"), Contains("mxcert_api.struct_size is 4294967295"));
    CHECK_THAT(variant("null_convert"), Contains("mxcert_api.convert is NULL"));
    CHECK_THAT(variant("null_conversions"), Contains("mxcert_api.conversions is NULL"));
    CHECK_THAT(variant("null_name"), Contains("mxcert_api.name is NULL"));
    CHECK_THAT(variant("empty_version"), Contains("mxcert_api.version is empty"));
    CHECK_THAT(variant("endless_name"), Contains("mxcert_api.name is longer than 1023 bytes"));
    CHECK_THAT(variant("null_source"), Contains("conversions[1].source is NULL"));
    CHECK_THAT(variant("no_conversions"), Contains("offers nothing: conversion_count is 0, and operation_count too"));
    CHECK_THAT(variant("unknown_flags"),
               Contains("mxcert_api.flags is 2, and this program knows MXCERT_ONE_WORKER alone"));
    CHECK_THAT(variant("null_run"), Contains("mxcert_api.run is NULL"));
    CHECK_THAT(variant("null_operations"), Contains("mxcert_api.operations is NULL"));
    CHECK_THAT(variant("many_operations"), Contains("mxcert_api.operation_count is 4294967295"));
    CHECK_THAT(variant("small_operation"), Contains("operations[0].struct_size is 4, expected"));
    CHECK_THAT(variant("null_attributes"), Contains("operations[0].attributes is NULL"));
    CHECK_THAT(variant("twice_attributes"), Contains("operations[0].attributes has 'source' twice"));
    CHECK_THAT(variant("odd_attributes"), Contains("operations[0].attributes has 'fp32', which is not key=value"));
    CHECK_THAT(variant("many_conversions"), Contains("conversion_count is 4294967295"));
    CHECK_THAT(variant("small_conversion"), Contains("conversions[0].struct_size is 4, expected"));
    CHECK_THAT(variant("uneven_conversions"),
               Contains("conversions[1].struct_size is 48, that of conversions[0] is 40"));
    CHECK_THAT(variant("unclear_has_flags"), Contains("mxcert_api.has_flags[1] is 3, expected 0 to 2"));
    CHECK_THAT(variant("many_random_bits"), Contains("conversions[1].random_bits is 33"));

    CHECK_THAT(variant("there_is_no_such_file"), Contains("No such file or directory"));
    CHECK_THAT(refusal({MXCERT_TEST_WORKER, MXCERT_TEST_SOURCE "/README.md"}), Contains("README.md: "));
    CHECK_THAT(refusal({MXCERT_TEST_WORKER, MXCERT_TEST_SOURCE "/conformance/worker/test/worker_test.cpp"}),
               Contains("cannot be loaded: "));
}

TEST_CASE("a plugin of a newer minor version works") {
    WorkerProcess worker(worker_with("longer_structs"));
    const json hello = json_of(worker.receive(), Type::hello);
    REQUIRE(hello["conversions"].size() == 2);
    CHECK(hello["conversions"][1]["source"] == "bf16");
    worker.start();
    CHECK(outputs(worker, range(1, 0xAB, 2)) == std::vector<unsigned char>{0xAB, 0xAC});
    worker.end();
    CHECK(worker.receive().header.type == Type::end);
    CHECK(worker.finish() == "exit 0");
}

TEST_CASE("START that cannot be followed is the answer to every request") {
    const auto answer = [](const std::string& start) {
        WorkerProcess worker(worker_with("obedient"));
        static_cast<void>(worker.receive());
        worker.send(Type::start, 0, start);
        return failure(worker, range(0, 0, 1));
    };
    CHECK_THAT(answer("not JSON"), StartsWith("error: START: "));
    CHECK_THAT(answer("{}"), StartsWith("error: START: "));
    CHECK_THAT(answer(R"({"protocol":2,"shared":null,"options":""})"), Contains("protocol 2, this worker speaks 1"));
    CHECK_THAT(answer(R"({"protocol":1,"shared":{"fd":3,"bytes":65537},"options":""})"),
               Contains("the file has 65536"));
    CHECK_THAT(answer(R"({"protocol":1,"shared":{"fd":3,"bytes":0},"options":""})"), Contains("0 bytes are asked for"));
    CHECK_THAT(answer(R"({"protocol":1,"shared":{"fd":0,"bytes":8},"options":""})"), Contains("not a file"));
    CHECK_THAT(answer(R"({"protocol":1,"shared":{"fd":64,"bytes":8},"options":""})"), Contains("not a file"));
    CHECK_THAT(answer(R"({"protocol":1,"shared":{"fd":-1,"bytes":8},"options":""})"), Contains("Bad file descriptor"));
    // Numbers that another type would make fit: fd 3 is the memory.
    for (const char* fd : {"4294967299", "3.5", "1e300", "-4294967293", "\"3\""})
        CHECK_THAT(answer(R"({"protocol":1,"shared":{"fd":)" + std::string(fd) + R"(,"bytes":8},"options":""})"),
                   Contains("descriptor"));
    CHECK_THAT(answer(R"({"protocol":1,"shared":{"fd":3,"bytes":1e300},"options":""})"), Contains("no size"));
    CHECK_THAT(answer(R"({"protocol":1e300,"shared":null,"options":""})"), Contains("protocol 1e+300"));
    CHECK_THAT(answer(R"({"protocol":[[1]],"shared":null,"options":""})"), Contains("no number"));
}

TEST_CASE("without shared memory nothing lies in it") {
    WorkerProcess worker(worker_with("obedient"));
    static_cast<void>(worker.receive());
    worker.send(Type::start, 0, R"({"protocol":1,"shared":null,"options":""})");
    ConvertRequest request = range(0, 0, 1);
    CHECK(outputs(worker, request).size() == 1);
    request.output_offset = 0;
    CHECK_THAT(failure(worker, request), Contains("of 0 bytes of shared memory"));
}

TEST_CASE("a harness that breaks the protocol ends the worker with 1 and a reason") {
    const auto reason = [](const auto& misbehave) {
        WorkerProcess worker(worker_with("obedient"));
        static_cast<void>(worker.receive());
        misbehave(worker);
        CHECK(worker.finish() == "exit 1");
        return worker.errors();
    };
    CHECK_THAT(reason([](auto& w) { w.convert(1, range(0, 0, 1)); }), Contains("frame of type 3 before START"));
    CHECK_THAT(reason([](auto& w) {
                   w.start();
                   w.start();
               }),
               Contains("frame of type 2 after START"));
    CHECK_THAT(reason([](auto& w) { w.send(Type::hello, 0, "x"); }), Contains("frame of type 1 before START"));
    CHECK_THAT(reason([](auto& w) { w.send(Type::end, 0, "x"); }), Contains("END payload has 1 bytes"));
    CHECK_THAT(reason([](auto&) {}), Contains("the requests end without END"));
    CHECK_THAT(reason([](auto& w) { w.write_raw("GET / HTTP/1.1\n"); }), Contains("did something print?"));
    CHECK_THAT(reason([](auto& w) { w.write_raw("MXCF"); }), Contains("stream ends at byte 4"));
}

TEST_CASE("the worker explains its use") {
    WorkerProcess worker({MXCERT_TEST_WORKER});
    CHECK(worker.finish() == "exit 2");
    CHECK_THAT(worker.errors(), StartsWith("usage: mxcert-worker PLUGIN"));
    for (const char* option : {"--pipe", "--nonsense"}) {
        WorkerProcess other({MXCERT_TEST_WORKER, option});
        CHECK(other.finish() == "exit 2");
    }
    WorkerProcess help({MXCERT_TEST_WORKER, "--help"});
    CHECK(help.finish() == "exit 0");
    CHECK(help.errors().empty()); // and no frame: see the commands' tests
}
