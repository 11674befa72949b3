// SPDX-License-Identifier: Apache-2.0
// The C library against the exact model, and what it says of wrong arguments.
#include "conformance/library/mxcert.h"

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/test/program.hpp"
#include "reference/base/random.hpp"
#include "reference/bug_class.hpp"
#include "reference/exact/block.hpp"
#include "reference/exact/dot.hpp"
#include "reference/exact/recipe/nvfp4.hpp"
#include "reference/layout.hpp"
#include "reference/packing.hpp"
#include "reference/recipe/nvfp4.hpp"

using namespace mxcert;

extern "C" std::uint8_t code_of_in_c(float value);

namespace {

using Bytes = std::vector<std::uint8_t>;
using Shape = std::vector<std::uint64_t>;

std::string said(int status) { return std::to_string(status) + " " + mxcert_message(); }

/// Any bit patterns of FP32: NaN, Inf and subnormals among them, most of a middle size.
std::vector<std::uint32_t> patterns(std::size_t count, std::uint64_t seed) {
    SplitMix64 random(seed);
    std::vector<std::uint32_t> values(count);
    for (std::uint32_t& value : values) {
        value = static_cast<std::uint32_t>(random());
        if (random.below(4) != 0)
            value = (value & 0x80FFFFFF) | static_cast<std::uint32_t>(0x3C + random.below(8)) << 24;
    }
    return values;
}

mxcert_quantized shape_of(const char* format, const char* options, const Shape& shape) {
    mxcert_quantized result{};
    const int status = mxcert_quantized_shape(format, "fp32", options, static_cast<std::uint32_t>(shape.size()),
                                              shape.data(), &result);
    INFO(said(status));
    REQUIRE(status == MXCERT_OK);
    return result;
}

std::size_t product(std::uint32_t rank, const std::uint64_t* sizes) {
    std::size_t count = 1;
    for (std::uint32_t i = 0; i < rank; ++i) count *= static_cast<std::size_t>(sizes[i]);
    return count;
}

struct Both {
    Bytes elements;
    Bytes scales;
    mxcert_quantized result;
};

Both quantized(const char* format, const std::string& options, const Shape& shape,
               const std::vector<std::uint32_t>& values, std::uint32_t threads = 0) {
    Both both{{}, {}, shape_of(format, options.c_str(), shape)};
    both.elements.resize(product(both.result.element_rank, both.result.element_shape));
    both.scales.resize(product(both.result.scale_rank, both.result.scale_shape));
    const int status =
        mxcert_quantize(format, "fp32", options.c_str(), static_cast<std::uint32_t>(shape.size()), shape.data(),
                        values.data(), both.elements.data(), both.scales.data(), &both.result, threads);
    INFO(said(status));
    REQUIRE(status == MXCERT_OK);
    return both;
}

/// A matrix of bytes or codes with its rows as columns.
template <class Value> std::vector<Value> transposed(const std::vector<Value>& values, std::size_t rows) {
    const std::size_t columns = values.size() / rows;
    std::vector<Value> turned;
    for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t row = 0; row < rows; ++row) turned.push_back(values[row * columns + column]);
    return turned;
}

/// The last columns of a matrix.
template <class Value>
std::vector<Value> last_columns(const std::vector<Value>& values, std::size_t rows, std::size_t kept) {
    const std::size_t columns = values.size() / rows;
    std::vector<Value> part;
    for (std::size_t row = 0; row < rows; ++row)
        part.insert(part.end(), values.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns - kept),
                    values.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns));
    return part;
}

/// Blocks along rows by the exact model.
Both by_exact_model(const BlockChoices& choices, std::size_t columns, const std::vector<std::uint32_t>& values) {
    Both both;
    for (std::size_t row = 0; row < values.size(); row += columns)
        for (std::size_t first = 0; first < columns; first += 32) {
            std::vector<Code> block;
            for (std::size_t i = first; i < std::min(first + 32, columns); ++i) block.push_back(values[row + i]);
            const QuantizedBlock expected = exact::quantize({&formats::fp32, &formats::e4m3}, choices, block);
            both.scales.push_back(static_cast<std::uint8_t>(expected.scale));
            for (const Code code : expected.elements) both.elements.push_back(static_cast<std::uint8_t>(code));
        }
    return both;
}

nlohmann::json parsed(int status, char*& text) { // which the call has set: it is read after it
    INFO(said(status));
    REQUIRE(status == MXCERT_OK);
    nlohmann::json json = nlohmann::json::parse(text);
    mxcert_free(text);
    return json;
}

} // namespace

TEST_CASE("the library says which it is, and serves C") {
    CHECK(mxcert_library_abi() == MXCERT_LIBRARY_ABI);
    CHECK(std::string(mxcert_library_version()) == "0.2.0");
    CHECK(code_of_in_c(1e9F) == 0x7E);
    mxcert_free(nullptr);
}

TEST_CASE("the library exports its functions and nothing else") {
    const TemporaryFolder folder;
    const test::Result nm =
        test::shell(folder.path(), "nm -D --defined-only " MXCERT_TEST_LIBRARY " | awk '$2 != \"A\" { print $3 }'");
    const std::string functions[] = {
        "mxcert_bugs",    "mxcert_convert",     "mxcert_dequantize",      "mxcert_explain",    "mxcert_format_bytes",
        "mxcert_free",    "mxcert_library_abi", "mxcert_library_version", "mxcert_matmul",     "mxcert_matmul_shape",
        "mxcert_message", "mxcert_quantize",    "mxcert_quantized_shape", "mxcert_step_table", "mxcert_use_vectors"};
    std::string expected;
    for (const std::string& name : functions) expected += name + "@@MXCERT_1\n";
    CHECK(nm.out == expected);
}

TEST_CASE("the library converts as the exact model does, whatever the pieces and threads", "[values]") {
    const std::vector<std::uint32_t> values = patterns((std::size_t{1} << 20) + 4321, 1);
    for (const std::uint32_t threads : {1U, 3U}) {
        Bytes codes(values.size());
        REQUIRE(mxcert_convert("fp32", "e5m2", "rounding=toward_zero overflow=nosat", values.data(), nullptr, 0,
                               codes.data(), values.size(), threads) == MXCERT_OK);
        Choices choices;
        choices.rounding = Rounding::toward_zero;
        choices.overflow = Overflow::nosat;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < values.size(); i += 101)
            wrong += codes[i] != exact::convert(formats::fp32, formats::e5m2, choices, values[i]).code ? 1 : 0;
        const Code last = exact::convert(formats::fp32, formats::e5m2, choices, values.back()).code;
        CHECK(wrong == 0);
        CHECK(codes.back() == last);
    }
    // Choices that the fast model does not offer, and random bits.
    Bytes code(1);
    const std::uint32_t value = 0x3F840000; // 1.03125
    REQUIRE(mxcert_convert("fp32", "e4m3", "choice=via=fp16_nearest_even", &value, nullptr, 0, code.data(), 1, 0) == 0);
    CHECK(code[0] == 0x38);
    const std::uint32_t random = 200;
    REQUIRE(mxcert_convert("fp32", "e4m3", "rounding=stochastic_a", &value, &random, 8, code.data(), 1, 0) == 0);
    CHECK(code[0] == 0x39);
    std::vector<std::uint32_t> bits(values.size());
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint32_t>(i % 251);
    const std::vector<std::uint32_t> same(values.size(), value);
    Bytes codes(values.size());
    REQUIRE(mxcert_convert("fp32", "e4m3", "rounding=stochastic_a", same.data(), bits.data(), 8, codes.data(),
                           codes.size(), 0) == 0);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) wrong += codes[i] != (bits[i] >= 192 ? 0x39 : 0x38) ? 1 : 0;
    CHECK(wrong == 0);
}

TEST_CASE("the library quantizes blocks along rows and columns as the exact model does") {
    const std::size_t rows = 70;
    const std::size_t columns = 75; // with tails both ways
    const std::vector<std::uint32_t> values = patterns(rows * columns, 2);
    BlockChoices choices;
    choices.scale.rule = ScaleRule::rceil;
    const Both expected = by_exact_model(choices, columns, values);
    const Both along_rows = quantized("mxfp8_e4m3", "rule=rceil", {rows, columns}, values);
    CHECK(along_rows.elements == expected.elements);
    CHECK(along_rows.scales == expected.scales);
    CHECK(std::string(along_rows.result.element_format) == "e4m3");
    CHECK(std::string(along_rows.result.scale_format) == "e8m0");

    const Both turned = by_exact_model(choices, rows, transposed(values, rows));
    const Both along_columns = quantized("mxfp8_e4m3", "rule=rceil axis=column", {rows, columns}, values);
    CHECK(along_columns.elements == transposed(turned.elements, columns));
    CHECK(along_columns.scales == transposed(turned.scales, columns));

    // Several matrices: each as by itself.
    const Both split = quantized("mxfp8_e4m3", "rule=rceil axis=column", {2, rows / 2, columns}, values);
    const Both second = quantized("mxfp8_e4m3", "rule=rceil axis=column", {rows / 2, columns},
                                  {values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end()});
    CHECK(std::equal(second.elements.rbegin(), second.elements.rend(), split.elements.rbegin()));
    CHECK(std::equal(second.scales.rbegin(), second.scales.rend(), split.scales.rbegin()));
}

TEST_CASE("the library quantizes a tensor of several pieces as a part of it") {
    const std::size_t rows = 64;
    const std::size_t columns = (1 << 15) + 8; // more than 2^20 values, and a row of blocks has more than that too
    const std::size_t kept = 40;               // from the start of a block on
    const std::vector<std::uint32_t> values = patterns(rows * columns, 3);
    for (const std::string axis : {"axis=row", "axis=column"}) {
        const Both whole = quantized("mxfp4", axis, {rows, columns}, values);
        const Both part = quantized("mxfp4", axis, {rows, kept}, last_columns(values, rows, kept), 1);
        const std::size_t scale_rows = axis == "axis=row" ? rows : rows / 32;
        CHECK(last_columns(whole.elements, rows, kept) == part.elements);
        CHECK(last_columns(whole.scales, scale_rows, part.scales.size() / scale_rows) == part.scales);
    }
}

TEST_CASE("the library packs elements and arranges scales") {
    const Shape shape{2, 40, 64};
    const std::vector<std::uint32_t> values = patterns(2 * 40 * 64, 4);
    const Both plain = quantized("mxfp4", "", shape, values);
    const Both packed = quantized("mxfp4", "packing=low_first layout=swizzle_128x4", shape, values);
    CHECK(packed.elements == pack(find_packing("low_first"), formats::e2m1, plain.elements, 32));
    const ScaleMap map(find_layout("swizzle_128x4"), {40, 2});
    const std::span<const std::uint8_t> scales(plain.scales);
    Bytes arranged = map.arrange(scales.first(80));
    const Bytes second = map.arrange(scales.last(80));
    arranged.insert(arranged.end(), second.begin(), second.end());
    CHECK(packed.scales == arranged);

    std::vector<float> from_plain(values.size());
    std::vector<float> from_packed(values.size());
    REQUIRE(mxcert_dequantize("mxfp4", "fp32", "", 3, shape.data(), plain.elements.data(), plain.scales.data(),
                              from_plain.data(), 0) == MXCERT_OK);
    REQUIRE(mxcert_dequantize("mxfp4", "fp32", "packing=low_first layout=swizzle_128x4", 3, shape.data(),
                              packed.elements.data(), packed.scales.data(), from_packed.data(), 0) == MXCERT_OK);
    CHECK(std::memcmp(from_plain.data(), from_packed.data(), values.size() * sizeof(float)) == 0);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); i += 7) {
        const QuantizedBlock block{plain.scales[i / 32], {plain.elements[i]}};
        const Code code = exact::dequantize(formats::e2m1, formats::fp32, Choices{}, block).front();
        wrong += std::bit_cast<std::uint32_t>(from_plain[i]) != code ? 1 : 0;
    }
    CHECK(wrong == 0);
}

TEST_CASE("the library quantizes NVFP4 by its recipe") {
    const std::vector<std::uint32_t> values = patterns(32 * 48, 5);
    std::vector<std::uint32_t> finite = values;
    for (std::uint32_t& value : finite)
        if ((value & 0x7F800000) == 0x7F800000) value = 0x3F800000;
    const Both both = quantized("nvfp4", "recipe=te_nvfp4", {32, 48}, finite);
    const recipe::Nvfp4& choices = recipe::nvfp4_preset("te_nvfp4").choices;
    recipe::CodeMatrix matrix{32, 48, {finite.begin(), finite.end()}};
    const Code amax = exact::tensor_amax_of(choices, formats::fp32, matrix);
    const recipe::Nvfp4Quantized expected = exact::quantize(choices, formats::fp32, shapes::rowwise(16), matrix, amax);
    CHECK(both.elements == Bytes(expected.elements.codes.begin(), expected.elements.codes.end()));
    CHECK(both.scales == Bytes(expected.scales.begin(), expected.scales.end()));
    CHECK(both.result.tensor_amax == amax);
    CHECK(std::string(both.result.scale_format) == "e4m3");
}

TEST_CASE("the library multiplies matrices") {
    const std::vector<std::uint32_t> values = patterns(8 * 64, 6);
    const Both a = quantized("mxfp8_e5m2", "", {8, 64}, values);
    const mxcert_matrix operand{"e5m2", a.elements.data(), 8, 64, a.scales.data(), nullptr, nullptr, 32, 0, 0, 0};
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    const char* format = nullptr;
    REQUIRE(mxcert_matmul_shape(&operand, &operand, nullptr, "transpose=nt", &rows, &columns, &format) == MXCERT_OK);
    CHECK(rows == 8);
    CHECK(columns == 8);
    CHECK(std::string(format) == "fp32");
    std::vector<std::uint32_t> d(64);
    REQUIRE(mxcert_matmul(&operand, &operand, nullptr, "transpose=nt", d.data(), 0) == MXCERT_OK);
    DotFormat dot_format;
    dot_format.a = dot_format.b = &formats::e5m2;
    dot_format.scale_a = dot_format.scale_b = &formats::e8m0;
    dot_format.to = &formats::fp32;
    MatmulShape shape;
    shape.m = shape.n = 8;
    shape.k = 64;
    shape.b_transposed = true;
    shape.a_scale = shape.b_scale = {32, 1};
    const std::vector<Code> elements(a.elements.begin(), a.elements.end());
    const std::vector<Code> scales(a.scales.begin(), a.scales.end());
    const MatmulOperands operands{elements, elements, scales, scales, {}};
    const std::vector<Code> expected = exact::matmul(dot_format, dot_choices(), shape, operands);
    CHECK(d == std::vector<std::uint32_t>(expected.begin(), expected.end()));

    CHECK(mxcert_matmul(&operand, &operand, nullptr, "", d.data(), 0) == MXCERT_INVALID);
    CHECK(std::string(mxcert_message()).find("a sum of 64 products in A, 8 in B") != std::string::npos);
}

TEST_CASE("the library explains, and gives tables and bugs") {
    char* text = nullptr;
    const nlohmann::json value = parsed(mxcert_explain("464.0001", "overflow=nosat", &text), text);
    CHECK(value.at("result").at("code") == "0x7F");
    const nlohmann::json block = parsed(mxcert_explain("3 -0.4 500", "block=yes rule=rceil", &text), text);
    CHECK(block.at("elements").size() == 3);
    REQUIRE(mxcert_explain("464.0001", "form=text", &text) == MXCERT_OK);
    CHECK(std::string(text).starts_with("input"));
    mxcert_free(text);

    const nlohmann::json table = parsed(mxcert_step_table("fp16-e4m3-nearest_even-sat", nullptr, &text), text);
    CHECK(table.at("profile") == "ocp-sat");
    unsigned long next = 0;
    for (const nlohmann::json& row : table.at("rows")) {
        CHECK(std::stoul(row.at("first").get<std::string>(), nullptr, 16) == next);
        next = std::stoul(row.at("last").get<std::string>(), nullptr, 16) + 1;
        CHECK((!row.at("codes").empty() || row.at("any_nan").get<bool>()));
    }
    CHECK(next == 0x10000);
    CHECK(parsed(mxcert_bugs(&text), text).size() == all_bug_classes().size());
}

TEST_CASE("the library says what is wrong with its arguments") {
    const std::uint64_t shape[] = {2, 0};
    const float value = 1;
    const std::uint8_t bytes[4] = {0x10, 0, 0, 0};
    std::uint8_t code = 0;
    float result[4];
    char* text = nullptr;
    mxcert_quantized info{};
    const auto convert = [&](const char* from, const char* to, const char* options) {
        return said(mxcert_convert(from, to, options, &value, nullptr, 0, &code, 1, 0));
    };
    const std::pair<std::string, const char*> wrong[] = {
        {convert("fp32", "e4m4", ""), "e4m4"},
        {convert(nullptr, "e4m3", ""), "2 from is NULL"},
        {convert("fp32", "e4m3", "rounding"), "2 'rounding': expected NAME=VALUE"},
        {convert("fp32", "e4m3", "roundng=up"), "did you mean rounding"},
        {convert("fp32", "e4m3", "rounding=up rounding=down"), "is given twice"},
        {convert("fp32", "e4m3", "rounding=stochastic_a"), "needs random bits"},
        {convert("fp32", "e4m3", "profile=nobody"), "nobody"},
        {said(mxcert_convert("fp32", "e4m3", "", nullptr, nullptr, 0, &code, 1, 0)), "2 in is NULL"},
        {said(mxcert_convert("e2m1", "fp32", "", bytes, nullptr, 0, result, 1, 0)), "value 0 is 0x10: no code of e2m1"},
        {said(mxcert_quantized_shape("mxfp8_e4m3", "fp32", "", 2, shape, &info)), "2 "},
        {said(mxcert_quantized_shape("mxfp8_e4m3", "fp32", "", 65, shape, &info)), "at most 64 axes"},
        {said(mxcert_quantized_shape("mxfp8_e4m3", "fp64", "", 1, shape, &info)), "2 "},
        {said(mxcert_quantized_shape("nvfp4", "fp32", "", 1, shape, &info)), "nvfp4 needs a --recipe"},
        {said(mxcert_quantized_shape("mxfp8_e4m3", "fp32", "block=x", 1, shape, &info)), "block=x: no number"},
        {said(mxcert_dequantize("mxfp4", "fp32", "", 1, shape, bytes, bytes, result, 0)), "0x10"},
        {said(mxcert_dequantize("mxfp4", "e4m3", "", 1, shape, bytes, bytes, result, 0)), "fp64, fp32, fp16 or bf16"},
        {said(mxcert_explain("1 2", "", &text)), "one INPUT is explained"},
        {said(mxcert_step_table("fp32-e4m3-stochastic_a8-sat", "", &text)), "has no table"},
        {said(mxcert_step_table("fp32-e4m3-nearest_even-sat", "", nullptr)), "json is NULL"},
    };
    for (const auto& [got, expected] : wrong) {
        INFO(got);
        CHECK(got.starts_with("2 "));
        CHECK(got.find(expected) != std::string::npos);
    }
}
