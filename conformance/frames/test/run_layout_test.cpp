// SPDX-License-Identifier: Apache-2.0
// Scales of runs in a layout: what is sent, what an answer becomes, and what its padding says.
#include "conformance/frames/run_as_offered.hpp"

#include <numeric>

#include "catch.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::frames;
using Catch::Contains;

namespace {

const std::string name = "quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32-swizzle_128x4";

/// 40 x 65 values: 40 x 3 scales, which take 512 bytes.
RunCase run_of(std::uint64_t rows = 40, std::uint64_t columns = 65) {
    RunCase run;
    run.shape = {rows, columns, 32, 0};
    run.inputs = {Values(rows * columns, 2)};
    run.outputs = {Values(rows * columns, 1), Values(rows * ((columns + 31) / 32), 1)};
    return run;
}

/// The scales 1, 2, 3, ... as a buffer has them that `layout` wrote; the rest is `padding`.
Values written(std::string_view layout, const Extent& scales, std::uint64_t size, unsigned padding = 0) {
    const ScaleMap map(find_layout(layout), scales);
    Values buffer(size, 1);
    for (std::uint64_t i = 0; i < size; ++i) buffer.set(i, padding);
    for (std::uint64_t i = 0; i < scales.rows * scales.columns; ++i)
        buffer.set(map.offset_of({i / scales.columns, i % scales.columns}), i + 1);
    return buffer;
}

RunAnswer answer(const RunCase& run, const Values& scales) {
    return answer_as_offered(parse_operation(name), run, [&](const RunCase& sent) {
        CHECK(sent.outputs[1].count() == scales.count());
        return RunAnswer{Status::pass, {}, {}, {sent.outputs[0], scales}, {}, {}};
    });
}

} // namespace

TEST_CASE("scales come back in rows", "[layout]") {
    const RunCase run = run_of();
    const RunAnswer right = answer(run, written("swizzle_128x4", {40, 3}, 512));
    REQUIRE(right.status == Status::pass);
    REQUIRE(right.outputs[1].count() == 120);
    for (std::uint64_t i = 0; i < 120; ++i) CHECK(right.outputs[1].get(i) == i + 1);
    // Without a layout nothing is touched.
    const RunLayout none(parse_operation("quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32"));
    CHECK_FALSE(none.lays_out());
    CHECK(none.lay_out(run).outputs[1].count() == 120);
}

TEST_CASE("padding that is not zero is a fail, and says whose scales it would be", "[layout]") {
    const RunCase run = run_of();
    const RunAnswer stray = answer(run, written("swizzle_128x4", {40, 3}, 512, 0x7F));
    CHECK(stray.status == Status::fail);
    CHECK_THAT(stray.reason, Contains("output 1: byte 3 of the scales is 0x7F; it is padding of swizzle_128x4"));
    CHECK(stray.known_as.empty());
    const RunAnswer rows = answer(run, written("padded_128x4", {40, 3}, 512));
    CHECK(rows.status == Status::fail);
    REQUIRE(rows.known_as.size() == 1);
    CHECK(rows.known_as[0].how == "the scales laid out as padded_128x4");
    CHECK(rows.known_as[0].bug_class->id == "ROWMAJOR_VS_SWIZZLED");
    const RunAnswer unpadded = answer(run, written("linear", {40, 3}, 512));
    REQUIRE(unpadded.known_as.size() == 1);
    CHECK(unpadded.known_as[0].how == "the scales laid out as linear");
}

TEST_CASE("where there is no padding another layout reads the same buffer", "[layout]") {
    const RunCase run = run_of(128, 128); // 128 x 4 scales
    Values right(512, 1);
    for (std::uint64_t i = 0; i < 512; ++i) right.set(i, i % 251);
    const RunLayout layout(parse_operation(name));
    const ScaleMap swizzle(find_layout("swizzle_128x4"), {128, 4});
    const std::optional<Values> in_rows = layout.read_as(find_layout("padded_128x4"), run, right);
    REQUIRE(in_rows.has_value());
    for (std::uint64_t i = 0; i < 512; ++i) CHECK(in_rows->get(swizzle.offset_of({i / 4, i % 4})) == right.get(i));
    CHECK(layout.read_as(find_layout("swizzle_128x4"), run, right) == right);
    CHECK_FALSE(layout.read_as(find_layout("shuffle_32x8"), run, right).has_value()); // 256 x 8 scales at least
}

TEST_CASE("scales that come in are laid out, those that repeat too", "[layout]") {
    const Operation operation = parse_operation("dequantize-e2m1-e8m0-fp32-row-32-low_first-swizzle_128x4");
    RepeatedRun repeated;
    repeated.shape = {256, 32, 32, 0};
    const std::vector<std::byte> period{std::byte{7}, std::byte{8}, std::byte{9}};
    repeated.inputs = {{256 * 32, 1, 32, {{std::byte{1}}}}, {256, 1, 1, {period}}};
    repeated.outputs = {{256 * 32, 4, 32, {std::vector<std::byte>(4)}}};
    static_cast<void>(answer_as_offered(operation, repeated, [&](const RepeatedRun& sent) {
        CHECK(sent.inputs[0].count == 256 * 16);
        REQUIRE(sent.inputs[1].count == 1024);
        std::vector<std::byte> buffer(1024);
        fill(sent.inputs[1], buffer);
        const ScaleMap map(find_layout("swizzle_128x4"), {256, 1});
        for (std::uint64_t row = 0; row < 256; ++row) CHECK(buffer[map.offset_of({row, 0})] == period[row % 3]);
        CHECK_THAT(sent.name, Contains("scales in bytes of swizzle_128x4"));
        return RepeatedAnswer();
    }));
    RunCase run;
    run.shape = {2, 32, 32, 0};
    run.inputs = {Values(64, 1), Values(2, 1)};
    run.inputs[1].set(1, 9);
    run.outputs = {Values(64, 4)};
    static_cast<void>(answer_as_offered(operation, run, [&](const RunCase& sent) {
        CHECK(sent.inputs[1].count() == 512);
        CHECK(sent.inputs[1].get(16) == 9);
        return RunAnswer{};
    }));
}
