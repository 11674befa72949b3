// SPDX-License-Identifier: Apache-2.0
// Runs with packed elements: bytes written by hand, rows that end within a byte, repeated arrays, and the way back.
#include "conformance/frames/run_packing.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::frames;

namespace {

const std::string quantize_name = "quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-row-4";
const std::string column_name = "quantize-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-column-4";

Values array_of(const std::vector<Code>& codes) { return values_of(codes, formats::e4m3); }

RunCase quantize_case(std::uint64_t rows, std::uint64_t columns) {
    RunCase run;
    run.shape = {rows, columns, 4, 0};
    run.inputs = {Values(rows * columns, 2)};
    run.outputs = {Values(rows * columns, 1), Values(rows, 1)};
    return run;
}

/// The answer of an implementation that gives these bytes.
RunAnswer answer(const RunPacking& packing, const RunCase& run, const std::vector<Code>& bytes) {
    return packing.answer(run, [&](const RunCase& packed) {
        CHECK(packed.outputs[0].count() == bytes.size());
        CHECK(packed.outputs[1] == run.outputs[1]);
        CHECK(packed.inputs == run.inputs);
        return RunAnswer{Status::pass, {}, {}, {array_of(bytes), packed.outputs[1]}};
    });
}

} // namespace

TEST_CASE("packed elements come back as codes", "[packing]") {
    const RunPacking low(parse_operation(quantize_name + "-low_first"));
    CHECK(low.packs());
    CHECK(answer(low, quantize_case(2, 4), {0x21, 0x43, 0x65, 0x87}).outputs[0] == array_of({1, 2, 3, 4, 5, 6, 7, 8}));
    const RunPacking high(parse_operation(quantize_name + "-high_first"));
    CHECK(answer(high, quantize_case(2, 4), {0x21, 0x43, 0x65, 0x87}).outputs[0] == array_of({2, 1, 4, 3, 6, 5, 8, 7}));
    const RunPacking halves(parse_operation(quantize_name + "-halves"));
    CHECK(answer(halves, quantize_case(1, 8), {0x31, 0x42, 0x75, 0x86}).outputs[0] ==
          array_of({1, 2, 3, 4, 5, 6, 7, 8}));
    const RunPacking bytes(parse_operation(quantize_name));
    CHECK_FALSE(bytes.packs());
    CHECK(answer(bytes, quantize_case(1, 4), {1, 2, 3, 0xF4}).outputs[0] == array_of({1, 2, 3, 0xF4}));
}

TEST_CASE("a row begins at a byte, and bits that hold no code are zero", "[packing]") {
    const RunPacking low(parse_operation(quantize_name + "-low_first"));
    CHECK(answer(low, quantize_case(2, 3), {0x21, 0x03, 0x65, 0x07}).outputs[0] == array_of({1, 2, 3, 5, 6, 7}));
    const RunAnswer stray = answer(low, quantize_case(2, 3), {0x21, 0x03, 0x65, 0x17});
    CHECK(stray.status == Status::fail);
    CHECK(stray.reason ==
          "output 0: the last byte of row 1 of the elements is 0x17: its bits that hold no code are not "
          "zero");
    // In the order from the top they are the lower ones.
    const RunPacking high(parse_operation(quantize_name + "-high_first"));
    CHECK(answer(high, quantize_case(1, 3), {0x12, 0x30}).outputs[0] == array_of({1, 2, 3}));
    CHECK(answer(high, quantize_case(1, 3), {0x12, 0x31}).status == Status::fail);
}

TEST_CASE("rows that cannot be packed are refused", "[packing]") {
    const RunPacking halves(parse_operation(quantize_name + "-halves"));
    const RunAnswer refused = halves.answer(quantize_case(1, 6), [](const RunCase&) { return RunAnswer(); });
    CHECK(refused.status == Status::unsupported);
    CHECK(refused.reason == "the packing halves takes whole blocks of an even number of elements");
}

TEST_CASE("elements that come in are packed", "[packing]") {
    const RunPacking packing(parse_operation("dequantize-e2m1-e8m0-fp32-row-4-low_first"));
    RunCase run;
    run.shape = {2, 3, 4, 0};
    run.inputs = {array_of({1, 2, 3, 5, 6, 7}), Values(2, 1)};
    run.outputs = {Values(6, 4)};
    CHECK(packing.pack(run).inputs[0] == array_of({0x21, 0x03, 0x65, 0x07}));
    CHECK(packing.pack(run).outputs == run.outputs);
}

TEST_CASE("both elements of quantize_2d are packed", "[packing]") {
    const RunPacking packing(parse_operation("quantize_2d-bf16-e2m1-e8m0-ocp_floor-nearest_even-sat-32x32-low_first"));
    RunCase run;
    run.shape = {1, 2, 0, 0};
    run.inputs = {Values(2, 2)};
    run.outputs = {Values(2, 1), Values(1, 1), Values(2, 1), Values(2, 1)};
    const RunAnswer codes = packing.answer(run, [](const RunCase& packed) {
        CHECK(packed.outputs[2].count() == 1);
        return RunAnswer{Status::pass, {}, {}, {array_of({0x21}), array_of({0}), array_of({0x43}), array_of({0, 0})}};
    });
    CHECK(codes.outputs[0] == array_of({1, 2}));
    CHECK(codes.outputs[2] == array_of({3, 4}));
}

TEST_CASE("A and B of a product are packed row by row", "[packing]") {
    // A in 2 rows of 3, B in 3 rows of 2, or in 2 rows of its transpose.
    RunCase run;
    run.shape = {2, 2, 3, 0};
    run.inputs = {array_of({1, 2, 3, 5, 6, 7}), array_of({1, 2, 3, 4, 5, 6})};
    run.outputs = {Values(4, 4)};
    const RunPacking nn(parse_operation("matmul-e2m1-e2m1-none-none-none-nn-none-fp32-fp32_fma-given-low_first"));
    CHECK(nn.pack(run).inputs[0] == array_of({0x21, 0x03, 0x65, 0x07}));
    CHECK(nn.pack(run).inputs[1] == array_of({0x21, 0x43, 0x65}));
    CHECK(nn.pack(run).outputs == run.outputs);
    const RunPacking nt(parse_operation("matmul-e2m1-e2m1-none-none-none-nt-none-fp32-fp32_fma-given-high_first"));
    CHECK(nt.pack(run).inputs[0] == array_of({0x12, 0x30, 0x56, 0x70}));
    CHECK(nt.pack(run).inputs[1] == array_of({0x12, 0x30, 0x45, 0x60}));
    // Read as if the other nibble came first.
    const std::optional<Values> read = nn.read_as(find_packing("high_first"), run, 1, run.inputs[1]);
    REQUIRE(read);
    CHECK(*read == array_of({2, 1, 4, 3, 6, 5}));
}

TEST_CASE("what was not written is told by its bytes", "[packing]") {
    const RunPacking low(parse_operation(quantize_name + "-low_first"));
    const RunAnswer left = low.answer(quantize_case(1, 3), [](const RunCase&) {
        return RunAnswer{Status::mistrusted, "value 1", {}, {array_of({0x21, 0xA5}), array_of({0})}};
    });
    CHECK(left.status == Status::mistrusted);
    CHECK(left.reason == "value 1 (bytes, as low_first packs the elements)");
}

TEST_CASE("repeated arrays are packed as whole ones would be", "[packing]") {
    // Rows of whole bytes, and such as end within one; one period for all, or one for each row.
    const auto [name, rows, columns, periods] = GENERATE(table<std::string, std::uint64_t, std::uint64_t, std::size_t>({
        {quantize_name + "-low_first", 6, 4, 1},
        {quantize_name + "-halves", 5, 8, 1},
        {quantize_name + "-high_first", 3, 3, 1},
        {column_name + "-low_first", 4, 7, 4},
        {column_name + "-high_first", 4, 10, 4},
    }));
    CAPTURE(name, rows, columns);
    const RunPacking packing(parse_operation(name));
    RepeatedArray codes{rows * columns, 1, columns, {}};
    const std::size_t length = periods == 1 ? columns * (name.ends_with("halves") ? 1 : 3) : 3;
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < periods; ++i) {
        std::vector<std::byte>& period = codes.periods.emplace_back();
        for (std::size_t k = 0; k < length; ++k) period.push_back(static_cast<std::byte>(next++ * 7 % 16));
    }
    RepeatedRun run;
    run.shape = {rows, columns, 4, 0};
    run.outputs = {codes};
    const RepeatedRun packed = packing.pack(run);
    std::vector<std::byte> memory(packed.outputs[0].bytes());
    fill(packed.outputs[0], memory);
    std::vector<std::byte> expected(codes.bytes());
    fill(codes, expected);
    std::vector<std::byte> unpacked(expected.size());
    CHECK_FALSE(packing.unpack_rows(memory, columns, unpacked));
    CHECK(unpacked == expected);
    CHECK_FALSE(mismatch(packed.outputs[0], memory));
    memory.back() ^= std::byte{0x11};
    CHECK(mismatch(packed.outputs[0], memory));
}
