// SPDX-License-Identifier: Apache-2.0
// A plugin by backend.hpp, asked as any plugin is.
#include <cstring>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/worker_process.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;
using frames::Inputs;
using frames::Type;
using nlohmann::json;

namespace {

struct Wrapped : WorkerProcess {
    explicit Wrapped(const std::string& plugin = "wrapped", const std::string& options = "")
        : WorkerProcess(worker_with(plugin)), hello(json::parse(text(receive()))) {
        start(options);
    }
    json hello;
};

template <class T> std::vector<T> values_of(const frames::Frame& frame) {
    CAPTURE(text(frame));
    REQUIRE(frame.header.type == Type::result);
    const auto bytes = std::span(frame.payload).subspan(frames::result_bytes);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

std::string failure_of(const frames::Frame& frame) {
    REQUIRE(frame.header.type == Type::failed);
    const json content = json::parse(text(frame));
    return content["status"].get<std::string>() + ": " + content["message"].get<std::string>();
}

/// Asks a conversion of these values.
template <class T>
frames::Frame ask(const WorkerProcess& worker, std::uint32_t conversion, const std::vector<T>& inputs) {
    frames::ConvertRequest request;
    request.conversion = conversion;
    request.inputs = Inputs::inlined;
    request.count = inputs.size();
    worker.convert(1, request, std::as_bytes(std::span(inputs)));
    return worker.receive();
}

/// Runs an operation on arrays of these shapes.
template <class T> frames::Frame run(const WorkerProcess& worker, std::uint32_t operation,
                                     std::array<std::uint64_t, 4> shape, const std::vector<std::vector<T>>& inputs,
                                     const std::vector<frames::Array>& outputs) {
    frames::RunRequest request;
    request.operation = operation;
    request.shape = shape;
    request.outputs = outputs;
    for (const std::vector<T>& input : inputs) request.inputs.push_back({input.size(), sizeof(T), 0});
    std::vector<std::byte> payload = frames::encode(request);
    for (const std::vector<T>& input : inputs) {
        const auto bytes = std::as_bytes(std::span(input));
        payload.insert(payload.end(), bytes.begin(), bytes.end());
    }
    worker.send(Type::run, 1, payload);
    return worker.receive();
}

} // namespace

TEST_CASE("backend.hpp passes values to functions of every form") {
    const Wrapped worker;
    CHECK(worker.hello["backend"]["name"] == "wrapped");
    CHECK(worker.hello["max_batch"] == 1'000);
    CHECK(worker.hello["one_worker"] == true);
    REQUIRE(worker.hello["conversions"].size() == 7);
    CHECK(worker.hello["conversions"][2]["random_bits"] == 8);
    CHECK(worker.hello["operations"].size() == 4);

    using Bytes = std::vector<std::uint8_t>;
    CHECK(values_of<std::uint8_t>(ask<float>(worker, 0, {1.0F, 200.0F})) == Bytes{1, 200});
    CHECK(values_of<std::uint8_t>(ask<std::uint16_t>(worker, 1, {0x1234, 0xFF00})) == Bytes{0x12, 0xFF});
    // Two values, then the random bits of each.
    CHECK(values_of<std::uint8_t>([&] {
              frames::ConvertRequest request;
              request.conversion = 2;
              request.inputs = Inputs::inlined;
              request.count = 2;
              const std::vector<std::uint32_t> following{0x10000000, 0x20000000, 3, 4};
              worker.convert(1, request, std::as_bytes(std::span(following)));
              return worker.receive();
          }()) == Bytes{0x13, 0x24});
    const std::uint64_t five = std::uint64_t{100} << 32 | 0x40A00000; // 5, under the scale 100
    CHECK(values_of<std::uint8_t>(ask<std::uint64_t>(worker, 3, {five, five + (std::uint64_t{1} << 32)})) ==
          Bytes{105, 106});
    CHECK(values_of<double>(ask<std::uint8_t>(worker, 4, {3, 250})) == std::vector<double>{3, 250});
    CHECK(values_of<std::uint8_t>(ask<std::uint16_t>(worker, 6, {0, 0, 0})) == Bytes{7, 7, 7});
}

TEST_CASE("backend.hpp reports what a function throws, and goes on") {
    const Wrapped worker;
    CHECK(failure_of(ask<std::uint8_t>(worker, 5, {1})) == "error: convert() returned 2: it is one");
    CHECK(failure_of(ask<std::uint8_t>(worker, 5, {2})) == "unsupported: convert() returned 1: not on this machine");
    CHECK_THAT(failure_of(ask<std::uint8_t>(worker, 5, {3})), Contains("an exception that is no std::exception"));
    CHECK(values_of<std::uint8_t>(ask<std::uint8_t>(worker, 5, {4})) == std::vector<std::uint8_t>{4});
    CHECK_THAT(failure_of(run<std::uint8_t>(worker, 3, {1, 1, 0, 0}, {{1}}, {{512, 1, 0}})),
               Contains("input 0 has values of 1 bytes, the function takes them as 4"));

    const Wrapped refusing("wrapped", "refuse");
    CHECK(failure_of(ask<std::uint8_t>(refusing, 5, {4})) == "unsupported: open() returned 1: no such device");
    const Wrapped width("wrapped_width");
    CHECK_THAT(failure_of(ask<std::uint16_t>(width, 0, {4})),
               Contains("bf16 to e4m3: the function takes values of 4 bytes, bf16 has 2"));
    const Wrapped packed("wrapped_packed");
    CHECK_THAT(failure_of(run<float>(packed, 0, {1, 2, 2, 0}, {{1, 2}}, {{1, 1, 0}, {1, 1, 0}})),
               Contains("quantize: elements and scales come a byte each, in rows: with packing offer an Operation"));
}

TEST_CASE("backend.hpp cuts matrices into blocks along rows and columns, tails too") {
    const Wrapped worker;
    // Two rows of three: blocks of two and of one.
    const std::vector<std::vector<float>> matrix{{10, 11, 12, 20, 21, 22}};
    // Elements are values less their place in the block, a scale is 100 and the size of its block.
    CHECK(values_of<std::uint8_t>(run(worker, 0, {2, 3, 2, 0}, matrix, {{6, 1, 0}, {4, 1, 0}})) ==
          std::vector<std::uint8_t>{10, 10, 12, 20, 20, 22, 102, 101, 102, 101});
    CHECK(values_of<std::uint8_t>(run(worker, 1, {3, 2, 2, 0}, matrix, {{6, 1, 0}, {4, 1, 0}})) ==
          std::vector<std::uint8_t>{10, 11, 11, 19, 21, 22, 102, 102, 101, 101});
    // Three rows of two: each column has a block of two and one of one.
    const std::vector<std::vector<std::uint8_t>> elements{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10}};
    CHECK(values_of<double>(run(worker, 2, {3, 2, 2, 0}, elements, {{6, 8, 0}})) ==
          std::vector<double>{7201, 8202, 7203, 8204, 9105, 10106});
}
