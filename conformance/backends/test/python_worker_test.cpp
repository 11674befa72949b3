// SPDX-License-Identifier: Apache-2.0
// The protocol is more than what our two ends have in common: a worker that shares no line with them must be
// understood.
#include <cstring>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/worker_process.hpp"

using namespace mxcert;
using namespace mxcert::test;
using frames::ConvertRequest;
using frames::Inputs;
using frames::Type;

TEST_CASE("a worker in Python gives what the one in C gives, by every way") {
    WorkerProcess python({"python3", std::string(MXCERT_TEST_SOURCE) + "/conformance/test/python_worker.py"});
    WorkerProcess portable({MXCERT_TEST_WORKER, MXCERT_TEST_PLUGINS "/portable.so"});
    const auto hello = nlohmann::json::parse(text(python.receive()));
    CHECK(hello["backend"]["name"] == "python");
    // Where the plugin has the conversion that is the first one of the Python worker.
    const auto offers = nlohmann::json::parse(text(portable.receive()))["conversions"];
    std::uint32_t index = 0;
    while (index < offers.size() && offers[index] != hello["conversions"][0]) ++index;
    REQUIRE(index < offers.size());
    python.start();
    portable.start();

    // Ranges in frames: around zero, a subnormal tie, one, the largest value, Inf and NaN, both signs.
    ConvertRequest request;
    request.count = 300;
    for (const std::uint64_t sign : {0x00000000u, 0x80000000u}) {
        for (const std::uint64_t first :
             {0x00000000u, 0x3A7FFFA0u, 0x3C6FFF80u, 0x3F87FF80u, 0x43E7FF80u, 0x7F7FFF80u}) {
            request.first = first | sign;
            request.conversion = 0;
            const auto ours = answer(python, request);
            request.conversion = index;
            CHECK(ours.payload == answer(portable, request).payload);
        }
    }

    // The same inputs by every way in and out.
    const std::uint32_t inputs[] = {0x3F800000, 0x43E80001, 0xBF880001};
    const unsigned char expected[] = {0x38, 0x7E, 0xB9};
    unsigned char wire[sizeof inputs];
    frames::copy_values(wire, inputs, 3, 4);
    std::memcpy(python.shared().data() + 64, inputs, sizeof inputs);
    ConvertRequest three;
    three.count = 3;
    for (const Inputs way : {Inputs::inlined, Inputs::shared}) {
        three.inputs = way;
        three.input_offset = way == Inputs::shared ? 64 : frames::no_offset;
        const auto following = std::as_bytes(std::span(wire, way == Inputs::inlined ? sizeof wire : 0));
        three.output_offset = frames::no_offset;
        const auto frame = answer(python, three, following);
        CHECK(std::memcmp(frame.payload.data() + frames::result_bytes, expected, 3) == 0);
        CHECK(frames::decode_result(frame.payload).digest == frames::digest(expected, 3));
        three.output_offset = 1'000;
        std::memset(python.shared().data() + 1'000, 0xEE, 4);
        CHECK(answer(python, three, following).payload.size() == frames::result_bytes);
        CHECK(std::memcmp(python.shared().data() + 1'000, expected, 3) == 0);
        CHECK(python.shared()[1'003] == 0xEE);
    }

    three.conversion = 9;
    python.convert(6, three);
    CHECK(python.receive().header.type == Type::failed);
    python.end();
    const auto counts = frames::decode_end(python.receive().payload);
    CHECK(counts.requests == 17);
    CHECK(counts.values == 12 * 300 + 5 * 3);
    CHECK(python.finish() == "exit 0");
}
