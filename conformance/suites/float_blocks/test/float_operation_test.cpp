// SPDX-License-Identifier: Apache-2.0
// The operations with float scales: faults that are planted in a plugin, and what the suite says of them.
#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "conformance/suites/float_blocks/float_diagnose.hpp"
#include "conformance/suites/float_blocks/float_expected.hpp"
#include "conformance/suites/float_blocks/float_points.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/float_operations.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "reference/exact/recipe/float_scale.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using namespace mxcert::test::float_operations;
using Catch::Matchers::Contains;

namespace {

std::vector<verdict::Row> certify_with(const std::string& fault, const std::string& profile, const std::string& filter,
                                       Level level = Level::smoke) {
    return test::certify_plugin(MXCERT_TEST_FLOAT_QUANTIZER, fault, profile, filter, 4, level);
}

QuantizeFloat quantizer(const char* source, const char* scale, const char* recipe, const char* block) {
    const std::vector<std::pair<std::string, std::string>> attributes{
        {"source", source}, {"element", "e4m3"}, {"scale", scale}, {"recipe", recipe}, {"block", block}};
    return as_quantize_float(make_operation("quantize_float", attributes));
}

void check_passing(Level level) {
    struct Judged {
        const char* profile;
        std::size_t rows;
    };
    for (const Judged& judged : {Judged{"absmax", 10}, Judged{"deepseek", 3}, Judged{"nvidia-te", 3}}) {
        const std::vector<verdict::Row> rows = certify_with("", judged.profile, "*", level);
        CHECK(rows.size() == judged.rows);
        std::set<std::string> digests;
        for (const verdict::Row& row : rows) {
            INFO(row.id << ": " << row.reason);
            CHECK(row.status == Status::pass);
            CHECK(row.compared >= (level == Level::smoke ? 72U : 1'001U)); // smoke asks 72 amaxes of a scale
            CHECK(row.repeated == row.compared);
            CHECK(digests.insert(row.observed_sha256).second);
        }
        CHECK(verdict::exit_code(rows) == 0);
    }
}

} // namespace

TEST_CASE("float scales without a fault pass every row", "[operation][values]") { check_passing(Level::smoke); }
TEST_CASE("float scales without a fault pass every row at level quick", "[.][exhaustive]") {
    check_passing(Level::quick);
}

TEST_CASE("each fault in float scales is caught, and named where it is known", "[operation][values]") {
    struct Planted {
        const char* fault;
        const char* operation;
        const char* part;
        const char* says;  ///< of the first wrong block
        const char* named; ///< in the reason
        Level level = Level::smoke;
    };
    static const Planted planted[] = {
        {"multiplies", absmax, "/elements", "is", "cause: x times the inverse scale in the place of x / scale"},
        {"divides", deepgemm, "/elements", "is", "cause: x / scale in the place of x times the inverse scale"},
        {"reciprocal quotient", absmax, "/scale", "the scale is", "cause: a quotient by the rounded reciprocal"},
        {"inverse given out", absmax, "/scale", "the scale is",
         "cause: the inverse scale given out in the place of the"},
        {"swapped", absmax, "/blocks", "the scale is", "cause: scale and inverse scale swapped"},
        {"NaN propagates", absmax, "/blocks", "NaN, block 0,0: the scale is 0x7FC00000",
         "cause: a NaN that makes the amax NaN"},
        {"no least amax", deepgemm, "/scale", "a scale: the amax 0x", "cause: no least amax"},
        {"Inf gives one", absmax, "/scale", "the amax 0x7F800000", "cause: a scale of 1 of an infinite amax"},
        {"no limit", te, "/scale", "a scale: the amax 0x", "cause: an inverse scale of Inf"},
        {"zeros divided", absmax, "/blocks", "the scale is 0x00000000, not 0x3F800000",
         "cause: a computed scale of zeros"},
        {"another recipe", absmax, "/blocks", "the scale is 0x00000000, not 0x3F800000", "cause:"},
        {"scale not rounded", narrow, "/elements", "lane", "cause: elements by the scale before it was rounded"},
        {"whole matrix", absmax, "/blocks", "NaN, block 0,0: the scale is 0x7F800000, not 0x3F800000",
         "cause: the amax of the whole matrix"},
        {"scales transposed", absmax, "/blocks", "block 0,1: the scale is", "cause: the scales of blocks in columns"},
        {"tail shares", absmax, "/blocks", "a matrix of 64x48, block 0,1: the scale is", ""},
        {"without lane 7", absmax, "/blocks", "block 4,1: the scale is", ""},
        {"lanes swapped", absmax, "/blocks", "lane 0 (0x80000000) is 0x7F, not 0x80", ""},
        {"scales transposed", back, "/blocks", "block", ""},
        {"flushes", back, "/values", "under the scale 0x00", ""},
        {"rounds once", narrow_back, "/values", "under the scale", "", Level::quick},
    };
    for (const Planted& this_planted : planted) {
        INFO(this_planted.fault << " in " << this_planted.operation << this_planted.part);
        const char* profile = this_planted.operation == deepgemm ? "deepseek"
                              : this_planted.operation == te     ? "nvidia-te"
                                                                 : "absmax";
        test::check_caught(certify_with(this_planted.fault, profile,
                                        std::string(this_planted.operation) + this_planted.part, this_planted.level),
                           this_planted.says, this_planted.named);
    }
}

TEST_CASE("operations after a run was stopped are not asked, and no success", "[operation]") {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    const auto subject = subjects::open_subject(
        {observe::BackendSpec::Kind::plugin, "float_quantizer", MXCERT_TEST_FLOAT_QUANTIZER, {}}, {});
    verdict::GoldenSource golden;
    const std::atomic<bool> stop{true};
    verdict::CertifyOptions certifying;
    certifying.profiles = {"absmax"};
    certifying.filters = {"*/scale"};
    certifying.stop = &stop;
    const std::vector<verdict::Row> rows =
        certify::certify(*subject, certify::make_plan(*subject, certifying, golden), certifying, {});
    CHECK(rows.size() == 2);
    for (const verdict::Row& row : rows) {
        CHECK(row.status == Status::incomplete);
        CHECK(row.reason == "stopped before it was asked");
        CHECK(row.profile == "absmax");
        CHECK_FALSE(row.operation.empty());
    }
    CHECK(verdict::exit_code(rows) == 3);
}

TEST_CASE("what is not written is no success, and a tail may be refused", "[operation][values]") {
    for (const char* fault : {"scale not written", "tail not written"}) {
        const std::vector<verdict::Row> rows = certify_with(fault, "absmax", std::string(absmax) + "/blocks");
        REQUIRE(rows.size() == 1);
        CHECK(rows.front().status == Status::mistrusted);
        CHECK_THAT(rows.front().reason, Contains("not all of the output was written"));
    }
    const std::vector<verdict::Row> tails =
        certify_with("refuses tails", "absmax", std::string(absmax) + "/blocks", Level::quick);
    REQUIRE(tails.size() == 1);
    CHECK(tails.front().status == Status::pass);
    CHECK_THAT(tails.front().reason, Contains("refused, as it may: a matrix of 1x1; "));
}

TEST_CASE("special values are in each lane, or in the lanes at powers of two", "[operation]") {
    const auto titles = [](SpecialLanes lanes) {
        std::set<std::string> found;
        for_each_case(
            quantizer("bf16", "fp32", "absmax", "1x32"),
            [&](const FloatCase& float_case) {
                if (float_case.name != "a special value in each lane") return found.empty();
                for (std::uint64_t block = 0; block < float_case.matrix.blocks(); ++block)
                    found.insert(float_case.title(block));
                return true;
            },
            lanes);
        return found;
    };
    const std::set<std::string> each = titles(SpecialLanes::each);
    const std::set<std::string> few = titles(SpecialLanes::ends_of_powers);
    CHECK(each.size() % 32 == 0);
    CHECK(few.size() == each.size() / 32 * 10); // lanes 0, 1, 2, 3, 4, 7, 8, 15, 16, 31
    CHECK(std::includes(each.begin(), each.end(), few.begin(), few.end()));
    CHECK(few.contains("a special value in each lane: -Inf in lane 31"));
    CHECK_FALSE(few.contains("a special value in each lane: -Inf in lane 30"));
}

TEST_CASE("cases with float scales have blocks of every kind", "[operation]") {
    for (const char* block : {"1x32", "128x1", "16x16", "1x*", "*x1", "*x*", "1x1", "3x5"}) {
        INFO(block);
        const QuantizeFloat quantize = quantizer("bf16", "fp32", "absmax", block);
        std::uint64_t tails = 0;
        std::uint64_t values = 0;
        std::set<std::string> names;
        for_each_case(quantize, [&](const FloatCase& float_case) {
            tails += float_case.matrix.has_tail() ? 1 : 0;
            values += float_case.values.count();
            names.insert(float_case.name);
            CHECK(
                (float_case.blocks.empty() || float_case.blocks.size() == count(float_case.matrix.scales(), "scales")));
            // Each value lies in one block.
            std::set<std::uint64_t> places;
            if (float_case.values.count() > 20'000) return true;
            for (std::uint64_t number = 0; number < count(float_case.matrix.scales(), "scales"); ++number) {
                const BlockRange range = float_case.matrix.block(number);
                for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane)
                    places.insert(float_case.matrix.place(range, lane));
            }
            CHECK(places.size() == float_case.values.count());
            return true;
        });
        CHECK(names.size() > 12);
        CHECK(values > 10'000);
        const bool whole = quantize.block == shapes::per_tensor || quantize.block == shapes::per_row ||
                           quantize.block == shapes::per_column || quantize.block == BlockShape{1, 1};
        CHECK((tails == 0) == whole);
    }
}

TEST_CASE("the values under an amax are on either side of every boundary", "[operation]") {
    const QuantizeFloat quantize = quantizer("fp32", "fp32", "absmax", "1x32");
    FloatExpected expected(quantize);
    const Code amax = 0x40490FDB;
    const std::vector<Code> values = values_under(quantize, amax, 0, 1);
    const std::vector<Code> elements = expected.block(values).elements;
    // All codes but NaN: 127 magnitudes of either sign.
    CHECK(std::set<Code>(elements.begin(), elements.end()).size() == 254);
    CHECK(*std::max_element(values.begin(), values.end()) == (amax | 0x80000000));
    // Where the quotient is below the smallest element all of them round to zero, and none is asked twice.
    CHECK(std::set<Code>(values.begin(), values.end()).size() == values.size());

    const std::vector<Code> amaxes = amaxes_of(quantizer("fp32", "fp32", "deepgemm", "1x32"), 1, 1);
    for (const Code one : {Code{0}, Code{1}, Code{0x38D1B717}, Code{0x38D1B716}, Code{0x7F7FFFFF}, Code{0x7F800000}})
        CHECK(std::binary_search(amaxes.begin(), amaxes.end(), one)); // 38D1B717 is 1e-4
    CHECK(all_amaxes(formats::bf16).size() == 0x7F81);
    const BlockShape block = parse_block_shape("1x32", largest_block);
    CHECK(scales_asked({&formats::e4m3, &formats::e8m0, &formats::fp32, block}, 0, 1).size() == 256);
    const auto scales = [&](const Format& target) {
        return scales_asked({&formats::e4m3, &formats::fp32, &target, block}, 0, 1).size();
    };
    CHECK(scales(formats::fp64) == scales(formats::fp32));
    CHECK(scales(formats::bf16) > scales(formats::fp32));
}

TEST_CASE("what blocks must give is kept for each thread alone", "[operation]") {
    // Nothing else keeps threads that certify the same operation apart.
    const QuantizeFloat quantize = quantizer("fp32", "fp32", "absmax", "1x32");
    const std::vector<std::pair<std::string, std::string>> attributes{
        {"element", "e4m3"}, {"scale", "fp32"}, {"target", "fp32"}, {"block", "1x32"}};
    const DequantizeFloat dequantize = as_dequantize_float(make_operation("dequantize_float", attributes));
    FloatExpected* const of_quantize = &expected_of(quantize);
    FloatValues* const of_dequantize = &expected_of(dequantize);
    CHECK(of_quantize == &expected_of(quantize));
    CHECK(of_dequantize == &expected_of(dequantize));
    std::thread([&] {
        CHECK(of_quantize != &expected_of(quantize));
        CHECK(of_dequantize != &expected_of(dequantize));
    }).join();
}

TEST_CASE("a wrong answer that nothing known explains has no name", "[operation]") {
    const QuantizeFloat quantize = quantizer("fp32", "fp32", "absmax", "1x32");
    CHECK(known_as(quantize, std::vector<FloatSample>{}).empty());
    CHECK(known_as(quantize, std::vector<FloatSeen>{}).empty());
    const FloatSample right{{0x3F800000}, 0x3B124925, {0x7E}, true};
    CHECK(known_as(quantize, std::vector{right}).empty());
    FloatSample wrong{{0x3F800000}, 0x3B124926, {0x7E}, false};
    CHECK(known_as(quantize, std::vector{right, wrong}).empty());
    wrong.scale = exact::scales_of(quantize.choices.scaling, 0x3F800000)->inverse;
    CHECK(text(known_as(quantize, std::vector{wrong})) == "the inverse scale given out in the place of the scale");
    // It must explain the right ones as well.
    CHECK(known_as(quantize, std::vector{right, wrong}).empty());
}

TEST_CASE("each special value stands alone in a block among others of its line", "[operation][float]") {
    for (const char* const block : {"1x32", "1x128", "128x128"}) {
        CAPTURE(block);
        const QuantizeFloat quantize =
            quantizer("fp32", "fp32", std::string(block) == "1x32" ? "absmax" : "deepgemm", block);
        std::set<std::string> alone;
        for_each_case(
            quantize,
            [&](const FloatCase& float_case) {
                if (float_case.name.find("in every fifth block") != std::string::npos) {
                    CHECK(float_case.matrix.blocks() >= 3);
                    alone.insert(float_case.name);
                }
                return true;
            },
            SpecialLanes::ends_of_powers);
        CHECK(alone.size() == (std::string(block) == "128x128" ? 3 : 10)); // of a large tile the worst
    }
}
