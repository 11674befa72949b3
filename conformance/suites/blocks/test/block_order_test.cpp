// SPDX-License-Identifier: Apache-2.0
// Which blocks lie beside each other when an operation is asked for a table, and matrices in which indices end.
#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <string>

#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/inputs/interleave.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "conformance/suites/matrices/size_cases.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;

namespace {

const Operation& offered(std::string_view name) {
    static const auto subject = test::open_plugin(MXCERT_TEST_QUANTIZER, "");
    for (const Operation& operation : subject->info().operations)
        if (operation.info->name == name) return operation;
    throw std::runtime_error("not offered");
}

} // namespace

TEST_CASE("a walk meets every index once, and neighbours are far apart", "[interleave]") {
    for (const std::uint64_t n : {1U, 2U, 3U, 4U, 6U, 30U, 61U, 256U, 1000U, 4097U}) {
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < n; ++i) CHECK(seen.insert(inputs::far_apart(i, n)).second);
        CHECK(*seen.rbegin() == n - 1);
        if (n < 30) continue;
        const std::uint64_t walk = inputs::walk_of(n);
        CHECK(std::min(walk, n - walk) > n / 3);
        CHECK(std::min(2 * walk % n, n - 2 * walk % n) > n / 6);
    }
}

TEST_CASE("neighbouring blocks that ask for scales have amaxes of other binades", "[interleave]") {
    const Quantize quantize = as_quantize(offered("quantize"));
    std::vector<Code> amaxes;
    for (Code code = 0; code <= 0x7F800000; code += 0x40000) amaxes.push_back(code);
    const AmaxOrder order(quantize, amaxes, 7);
    std::set<Code> seen;
    for (std::size_t i = 0; i < order.amaxes.size(); ++i) {
        CHECK(amaxes.at(order.numbers[i] - 7) == order.amaxes[i]);
        seen.insert(order.amaxes[i]);
        if (i == 0) continue;
        const Code here = order.amaxes[i] >> 23;
        const Code before = order.amaxes[i - 1] >> 23;
        // The last code, Inf, is alone in its binade.
        if (std::max(here, before) < 0xFF) CHECK(std::max(here, before) - std::min(here, before) > 60);
    }
    CHECK(seen.size() == amaxes.size());
}

TEST_CASE("neighbouring lines that ask for elements have other scales, and neighbouring lanes other binades",
          "[interleave]") {
    const Format& scaled = formats::fp32_by_e8m0;
    std::vector<Code> codes;
    for (const Code scale : {0x70U, 0x78U, 0x80U})
        for (const Code sign : {0U, 0x80000000U})
            for (Code value = 0; value < 0x3F000000; value += 0x100000)
                codes.push_back(scaled.code_of(scale, sign | value));
    const ElementOrder order(scaled, codes, 32);
    std::set<Code> seen;
    Code before = 0;
    std::uint64_t near = 0;
    for (const ElementOrder::Line& line : order.lines) {
        const Code scale = scaled.scale_of(order.codes[line.first]);
        CHECK(scale != before);
        before = scale;
        CHECK(line.count <= 31);
        for (std::uint32_t k = 0; k < line.count; ++k) {
            const Code code = order.codes[line.first + k];
            CHECK(scaled.scale_of(code) == scale);
            CHECK(seen.insert(code).second);
            CHECK(codes[order.places[line.first + k]] == code);
            const Code last = order.codes[line.first + (k == 0 ? 0 : k - 1)];
            near += k != 0 && ((last ^ code) & 0xFF800000) == 0 ? 1 : 0;
        }
    }
    CHECK(near == 0);
    CHECK(seen.size() == codes.size());
}

TEST_CASE("neighbouring lines that ask for values have other scales and the same elements", "[interleave]") {
    const Dequantize dequantize = as_dequantize(offered("dequantize"));
    const DequantizeCase dequantize_case = value_case(dequantize, 32);
    const ValuePlaces places(dequantize, 32);
    for (Code scale = 0; scale < 256; ++scale)
        for (Code element = 0; element < 256; ++element) {
            const std::uint64_t line = places.line(scale, element);
            CHECK(dequantize_case.scales[line] == scale);
            CHECK(dequantize_case.elements[line * 32 + places.lane(scale, element)] == element);
        }
    for (std::size_t line = 1; line < dequantize_case.scales.size(); ++line)
        CHECK(dequantize_case.scales[line] != dequantize_case.scales[line - 1]);
}

namespace {

void check_fails(const std::string& operation, const std::string& part, const std::string& fault) {
    CAPTURE(operation, part, fault);
    const std::string name = to_string(offered(operation));
    const auto rows = test::certify_plugin(MXCERT_TEST_QUANTIZER, fault, "ocp-sat", name + '/' + part, 4, Level::quick);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::fail);
}

} // namespace

// Those that ask for scales are in the next test.
TEST_CASE("a block or a lane in the wrong place is caught where no case has it", "[blocks][planted][values]") {
    check_fails("quantize", "elements", "two lanes of one block in 2^12 exchanged");
    check_fails("dequantize", "values", "two blocks in 2^12 exchanged");
}

TEST_CASE("more blocks and lanes in wrong places are caught where no case has them", "[.][exhaustive]") {
    check_fails("quantize", "scale", "two blocks in 2^12 exchanged");
    check_fails("quantize", "scale", "one stale scale in 2^12");
    check_fails("quantize", "elements", "one block in 2^12 repeats the one before");
    check_fails("dequantize", "values", "one stale scale in 2^12");
}

TEST_CASE("an amax that gives another scale in one lane is named, and a block that repeats another now and then",
          "[blocks][planted][values]") {
    const std::string row = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/scale";
    const std::string folder =
        std::string(MXCERT_TEST_QUANTIZER).substr(0, std::string(MXCERT_TEST_QUANTIZER).rfind('/'));
    const auto lane = test::certify_plugin((folder + "/foreign_blocks.so").c_str(), "half of lane 8", "ocp-sat", row, 4,
                                           Level::quick);
    REQUIRE(lane.size() == 1);
    CHECK(lane[0].status == Status::fail);
    CHECK_THAT(lane[0].reason, Contains("the same amax gives another scale in another lane"));
    CHECK_THAT(lane[0].reason, Contains(" gives a permitted scale in 31 of 32 lanes"));
    const auto named = [&](const char* fault) {
        const auto rows = test::certify_plugin(MXCERT_TEST_QUANTIZER, fault, "ocp-sat", row, 4, Level::quick);
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].status == Status::fail);
        return rows[0].known_as;
    };
    const auto repeats = named("one block in 2^12 repeats the one before");
    REQUIRE(repeats.size() == 1);
    CHECK(repeats[0].how == "the answer of the block before in the place of some");
    CHECK(named("one stale scale in 2^12").empty());
}

TEST_CASE("what is wrong in the only line of a matrix is not said to lie in the next one", "[blocks][planted]") {
    const std::string plugin = test::planted_plugin("foreign_blocks");
    std::string values;
    for (unsigned i = 0; i < 32; ++i) values += fmt::format("{}{:08X}", i == 0 ? "" : ",", 0x3F800000 + i * 0x140000);
    const TemporaryFolder folder;
    const test::Result result =
        test::shell(folder.path(),
                    "mxcert certify '" + plugin + "' --backend-option 'lanes 5 and 9 spoilt' --profile ocp-sat " +
                        "--reproduce quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks@1x32=" + values);
    CHECK(result.code == 1);
    CHECK(test::contains(result.out, "1 block with values that are not permitted"));
    CHECK_FALSE(test::contains(result.out, "cause"));
}

namespace {

void check_begins_again(const std::string& operation, const std::string& fault, const std::string& says, Level level) {
    CAPTURE(operation, fault);
    const std::string name = to_string(offered(operation));
    const auto rows = test::certify_plugin(MXCERT_TEST_QUANTIZER, fault, "ocp-sat", name + "/blocks", 4, level);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::fail);
    CHECK_THAT(rows[0].reason, Contains("differ from those of a small matrix with the same blocks"));
    CHECK_THAT(rows[0].reason, Contains(says));
}

} // namespace

TEST_CASE("a block index of 16 bits that begins again is caught", "[blocks][planted]") {
    check_begins_again("dequantize", "a block index of 16 bits", "65537 lines of 32", Level::quick);
}

TEST_CASE("an index that begins again is caught in a large matrix", "[blocks][planted][.][exhaustive]") {
    const auto [operation, fault, says] = GENERATE(table<std::string, std::string, std::string>({
        {"quantize", "a block index of 16 bits", "65537 lines of 32"},
        {"quantize", "an element index in FP32", "lines of"},
        {"quantize", "a block index of 2^19", "524289 lines of 32"},
        {"dequantize", "a block index of 16 bits", "65537 lines of 32"},
        {"dequantize", "an element index in FP32", "lines of"},
    }));
    check_begins_again(operation, fault, says, Level::standard);
}

TEST_CASE("an index that begins again is caught in a large matrix with float scales",
          "[blocks][planted][.][exhaustive]") {
    const auto [name, profile, fault] = GENERATE(table<std::string, std::string, std::string>({
        {"quantize_float-fp32-e4m3-fp32-absmax-1x32", "absmax", "a block index of 16 bits"},
        {"quantize_float-fp32-e4m3-fp32-absmax-1x32", "absmax", "an element index in FP32"},
        {"dequantize_float-e4m3-fp32-fp32-1x32", "absmax", "an element index in FP32"},
    }));
    CAPTURE(name, fault);
    const auto rows =
        test::certify_plugin(MXCERT_TEST_FLOAT_QUANTIZER, fault, profile, name + "/blocks", 4, Level::standard);
    REQUIRE(rows.size() == 1);
    CAPTURE(rows[0].reason);
    CHECK(rows[0].status == Status::fail);
    CHECK_THAT(rows[0].reason, Contains("differ from those of a small matrix with the same blocks"));
    const auto right =
        test::certify_plugin(MXCERT_TEST_FLOAT_QUANTIZER, "", profile, name + "/blocks", 4, Level::quick);
    REQUIRE(right.size() == 1);
    CHECK(right[0].status == Status::pass);
    CHECK(verdict::cases_of(right[0])->largest_matrix > std::uint64_t{1} << 20U);
}

// Takes 11 GiB and some minutes.
TEST_CASE("an index of 31 bits is caught in a matrix of more elements", "[.][exhaustive]") {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    observe::ObserveOptions options;
    options.backend_options = "an element index of 31 bits";
    options.level = Level::complete;
    options.limits.memory = 0;
    options.timeout = std::chrono::minutes(10);
    const auto subject =
        subjects::open_subject({observe::BackendSpec::Kind::plugin, "plugin", MXCERT_TEST_QUANTIZER, {}}, options);
    const auto rows = test::certify_rows(*subject, "ocp-sat", to_string(offered("dequantize")) + "/blocks",
                                         verdict::CertifyOptions().samples_per_step, Level::complete);
    REQUIRE(rows.size() == 1);
    CAPTURE(rows[0].reason);
    CHECK(rows[0].status == Status::fail);
    CHECK(verdict::cases_of(rows[0])->largest_matrix > std::uint64_t{1} << 31U);
    CHECK_THAT(rows[0].reason, Contains("67108865 lines of 32"));
}

TEST_CASE("one that takes whole groups of lines alone is asked large matrices of such", "[blocks][planted][values]") {
    const std::string name = "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-32";
    for (const auto& [fault, status] : {std::pair{"lines in groups of 32", Status::pass},
                                        {"lines in groups of 32, and a block index of 16 bits", Status::fail}}) {
        const auto rows =
            test::certify_plugin(MXCERT_TEST_QUANTIZER, fault, "nvidia-te", name + "/blocks", 4, Level::quick);
        REQUIRE(rows.size() == 1);
        CAPTURE(fault, rows[0].reason);
        CHECK(rows[0].status == status);
        if (status == Status::fail) CHECK_THAT(rows[0].reason, Contains("65664 lines of 32"));
        CHECK(verdict::cases_of(rows[0])->largest_matrix >=
              (status == Status::pass ? std::uint64_t{1} << 20U : std::uint64_t{1} << 16U));
    }
}

TEST_CASE("a large matrix that is not all written is no answer", "[blocks][planted]") {
    const Operation& operation = offered("quantize");
    const Quantize quantize = as_quantize(operation);
    const QuantizeCase ring = ring_case(quantize, 32);
    const frames::RunCase small = run_of(quantize, ring);
    const frames::RunAnswer known = test::open_plugin(MXCERT_TEST_QUANTIZER, "")->run(operation, small);
    REQUIRE(known.status == Status::pass);
    const frames::RepeatedRun large =
        large_run(ring.matrix, small, known.outputs, {Axis::row, 4'097, 32, 32}, {false, false, true});
    CHECK(test::open_plugin(MXCERT_TEST_QUANTIZER, "")->run_repeated(operation, large).status == Status::pass);
    const frames::RepeatedAnswer left =
        test::open_plugin(MXCERT_TEST_QUANTIZER, "last not written")->run_repeated(operation, large);
    CHECK(left.status == Status::mistrusted);
    CHECK_THAT(left.reason, Contains("value 31 of the 131104 of output 0 still has the poison 0x5A"));
}

TEST_CASE("a matrix that a worker has no memory for is not asked, and the row says so", "[blocks][planted][values]") {
    observe::ObserveOptions options;
    options.level = Level::standard;
    options.limits.memory = std::uint64_t{64} << 20U;
    const auto subject =
        subjects::open_subject({observe::BackendSpec::Kind::plugin, "plugin", MXCERT_TEST_QUANTIZER, {}}, options);
    const auto rows = test::certify_rows(*subject, "ocp-sat", to_string(offered("quantize")) + "/blocks",
                                         verdict::CertifyOptions().samples_per_step, Level::standard);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::pass);
    CHECK(verdict::cases_of(rows[0])->largest_matrix < std::uint64_t{1} << 24U);
    CHECK_THAT(rows[0].reason,
               Contains("not asked: 524289 lines of 32, it takes 0.1 GiB, and a worker may take 0.1 GiB"));
}

TEST_CASE("large matrices tell an index that wraps from one that does not", "[blocks]") {
    for (const Level level : {Level::smoke, Level::budget}) CHECK(large_matrices(Axis::row, 32, level).empty());
    for (const auto& [level, elements] :
         {std::pair{Level::quick, std::uint64_t{1} << 20U}, {Level::standard, std::uint64_t{1} << 24U}}) {
        std::uint64_t largest = 0;
        bool has_tail = false;
        for (const BlockMatrix& matrix : large_matrices(Axis::column, 32, level)) {
            largest = std::max(largest, matrix.elements());
            has_tail = has_tail || matrix.has_tail();
        }
        CHECK(largest > elements);
        CHECK(has_tail);
    }
    CHECK(large_matrices(Axis::row, 32, Level::complete).back().elements() > std::uint64_t{1} << 31U);
    for (const BlockMatrix& matrix : large_matrices(Axis::row, 32, Level::complete, 128))
        CHECK(matrix.lines % 128 == 0);
    for (unsigned power = 0; power < 40; ++power) CHECK((std::uint64_t{1} << power) % ring_blocks != 0);
    // The blocks of the ring differ in their scales: those that an index of any size exchanges do.
    const QuantizeCase ring = ring_case(as_quantize(offered("quantize")), 32);
    std::set<Code> exponents;
    std::size_t alike = 0; // blocks of one special value
    for (std::uint64_t line = 0; line < ring_blocks; ++line) {
        const std::span block(ring.values.data() + line * 32, 32);
        const auto magnitude = [](Code value) { return value & 0x7FFFFFFF; };
        exponents.insert(block[0] & 0x7F800000);
        if (std::all_of(block.begin(), block.end(), [&](Code value) { return value == block[0]; }))
            ++alike;
        else
            CHECK(std::all_of(block.begin() + 1, block.end(),
                              [&](Code value) { return magnitude(value) < magnitude(block[0]); }));
    }
    CHECK(alike == 11);
    CHECK(exponents.size() > 40);
}

TEST_CASE("elements that are all small at once are compared", "[operation][places][values]") {
    const std::string row = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-any/blocks";
    const auto rows = test::certify_plugin(test::planted_plugin("misplaced").c_str(),
                                           "16 small values at once are flushed", "ocp-sat", row, 4, Level::quick);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::fail);
}
