// SPDX-License-Identifier: Apache-2.0
// Plugins that tell exceptions, and what such plugins and workers without flags make of each other.
#include <cstring>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/backend.h"
#include "conformance/test/worker_process.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

struct Flags : WorkerProcess {
    explicit Flags(const std::string& options = "")
        : WorkerProcess(worker_with("flags")), hello(json::parse(text(receive()))) {
        start(options);
    }
    /// The bytes that it answers, or why it does not.
    [[nodiscard]] std::string ask(std::uint32_t conversion, const std::vector<std::uint16_t>& inputs) const {
        frames::ConvertRequest request;
        request.conversion = conversion;
        request.inputs = frames::Inputs::inlined;
        request.count = inputs.size();
        convert(1, request, std::as_bytes(std::span(inputs)));
        const frames::Frame frame = receive();
        if (frame.header.type != frames::Type::result) return json::parse(text(frame))["message"];
        std::string bytes;
        for (std::size_t i = frames::result_bytes; i < frame.payload.size(); ++i)
            bytes += std::to_string(std::to_integer<int>(frame.payload[i])) + " ";
        return bytes;
    }
    json hello;
};

} // namespace

TEST_CASE("a plugin that tells exceptions offers conversions to them behind its own", "[flags]") {
    const Flags worker;
    REQUIRE(worker.hello["conversions"].size() == 7);
    CHECK(worker.hello["conversions"][4]["source"] == "fp16");
    CHECK(worker.hello["conversions"][4]["target"] == "flags_of_e4m3");
    CHECK(worker.hello["conversions"][4]["overflow"] == "sat");
    CHECK(worker.hello["conversions"][5]["target"] == "flags_of_e8m0");
    CHECK(worker.hello["conversions"][6]["target"] == "flags_of_e5m2");
    CHECK(worker.ask(0, {0x1234, 0x0155}) == "52 85 ");
    CHECK(worker.ask(4, {0x1234, 0x0155}) == "18 1 ");
    CHECK_THAT(worker.ask(5, {0x1234}), Contains("this worker knows no format flags_of_e8m0"));
}

TEST_CASE("flags come with the codes of the same call", "[flags]") {
    const Flags worker("other codes");
    CHECK(worker.ask(0, {0x1234}) == "52 ");
    CHECK_THAT(worker.ask(4, {0x1234}), Contains("other codes with flags than without"));
}

TEST_CASE("flags of a batch are asked value by value, of values that raise the same, and of all", "[flags]") {
    const std::vector<std::uint16_t> inputs{0x0101, 0x0402, 0x0103, 0x0004};
    CHECK(Flags().ask(6, inputs) == "1 4 1 0 ");
    // The flags of the second value stand for all: what is alike hides it, the whole batch does not.
    CHECK(Flags("the second value").ask(6, inputs) == "36 36 36 36 ");
    CHECK(Flags("the second value").ask(6, {0x0101, 0x0102}) == "1 1 ");
    // Two values that raise 1 raise 17 together.
    CHECK(Flags("more in a batch").ask(6, inputs) == "49 4 49 0 ");
    CHECK_THAT(Flags("other codes in a batch").ask(6, inputs), Contains("other codes with flags than without"));
    CHECK_THAT(Flags("other codes with flags of a batch").ask(6, inputs), Contains("other codes in a batch"));
}

TEST_CASE("what is written behind the flags is seen", "[flags]") {
    const Flags worker("beyond the flags");
    CHECK_THAT(worker.ask(4, {0x1234}), Contains("wrote beyond the end of its output"));
}

TEST_CASE("a plugin of the version before flags offers its conversions alone", "[flags]") {
    const WorkerProcess worker(worker_with("before_flags"));
    const json hello = json::parse(text(worker.receive()));
    REQUIRE(hello.contains("conversions"));
    REQUIRE(hello["conversions"].size() == 2);
    CHECK(hello["conversions"][1]["source"] == "bf16");
}

TEST_CASE("nobody asks for flags in arguments of the version before", "[flags]") {
    std::uint8_t flags = 0;
    mxcert_convert_args args{};
    args.struct_size = offsetof(mxcert_convert_args, flags);
    args.flags = &flags; // beyond the struct: another's memory
    CHECK(MXCERT_FLAGS(&args) == nullptr);
    args.struct_size = sizeof args;
    CHECK(MXCERT_FLAGS(&args) == &flags);
    args.flags = nullptr;
    CHECK(MXCERT_FLAGS(&args) == nullptr);
}
