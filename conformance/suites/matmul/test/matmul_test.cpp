// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "catch.hpp"
#include "conformance/cases/reproduce.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/matmul/judge.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "reference/exact/bound.hpp"
#include "reference/fast/accumulate.hpp"
#include "reference/fast/dot.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;

namespace {

/// The rows of the test's multiplier with a fault.
std::vector<verdict::Row> certify_with(const std::string& fault, const std::string& filter,
                                       Level level = Level::smoke) {
    return test::certify_plugin(MXCERT_TEST_MULTIPLIER, fault, "products", filter, 16, level);
}

// The operations of the multiplier.
const std::string bounded = "matmul-e4m3-e4m3-e8m0-1x32-32x1-nn-fp32-fp32-fp32_multiply_add-any";
const std::string plain = "matmul-e5m2-e4m3-none-none-none-nt-none-fp32-fp32_multiply_add-given";
const std::string hopper = "matmul-e4m3-e4m3-none-none-none-tn-fp32-fp32-hopper_fp8_f32-given";
const std::string exact_bf16 = "matmul-e4m3-e5m2-e8m0-1x32-32x1-nn-none-bf16-exact-given";
const std::string tiles = "matmul-e4m3-e4m3-fp32-1x128-128x128-nt-none-fp32-fp32_fma-any";
const std::string e4m3_scales = "matmul-e2m1-e2m1-e4m3-1x16-16x1-nt-fp32-fp32-fp32_multiply_add-any-low_first";
const std::string nvfp4 = "matmul-e2m1-e2m1-ue4m3-1x16-16x1-nn-none-fp32-blackwell_mxf4nvf4-given";

Matmul matmul_of(const std::vector<std::pair<std::string, std::string>>& attributes) {
    return as_matmul(make_operation("matmul", attributes));
}

} // namespace

namespace {

void check_passing(Level level) {
    const std::vector<verdict::Row> rows = certify_with("", "*", level);
    CHECK(rows.size() == 38);
    std::set<std::string> digests;
    for (const verdict::Row& row : rows) {
        INFO(row.id << ": " << row.reason);
        CHECK(row.status == Status::pass);
        CHECK(row.compared > 90);
        CHECK(row.sample == (level == Level::smoke || row.id.ends_with("/values") || row.id.ends_with("/relations")));
        CHECK(digests.insert(row.observed_sha256).second);
    }
    CHECK(verdict::exit_code(rows) == 0);
}

} // namespace

TEST_CASE("products without a fault pass every row", "[operation][matmul][values]") { check_passing(Level::smoke); }
TEST_CASE("products without a fault pass every row at level quick", "[.][exhaustive]") { check_passing(Level::quick); }

namespace {

/// Plants every `step`-th fault of a table. Some show only in the large cases of level quick.
void check_faults(std::size_t step, Level level) {
    struct Planted {
        const char* fault;
        const std::string& operation;
        const char* part;
        const char* says;  ///< of the first wrong element
        const char* named; ///< in the reason
    };
    const Planted planted[] = {
        {"products after a multiple of 32 left out", plain, "/places", "element", "after a multiple of 32 left out"},
        {"the last product left out", hopper, "/places", "element", "the last product left out"},
        {"A taken for its transpose", plain, "/places", "element", "A taken for its transpose"},
        {"B taken for its transpose", tiles, "/places", "element", "B taken for its transpose"},
        {"the scales of A transposed", bounded, "/places", "element", "the scales of A transposed"},
        {"the scales of B transposed", exact_bf16, "/places", "element", "the scales of B transposed"},
        {"the scales of A of the next block", bounded, "/places", "element", "the scales of A of the next block"},
        {"the scales of B of the next block", tiles, "/places", "element", "the scales of B of the next block"},
        {"the scales of A ignored", exact_bf16, "/places", "element", "the scales of A ignored"},
        {"all scales applied twice", bounded, "/places", "element", "all scales applied twice"},
        {"the scales of B applied twice", exact_bf16, "/places", "element", "the scales of B applied twice"},
        {"the scales of A and B exchanged", bounded, "/places", "element", "the scales of A and B exchanged"},
        {"scales of NaN ignored", bounded, "/special", "NaN as scale 0 of A: element 0,0 is", "scales of NaN ignored"},
        {"the scales of A of the next block", nvfp4, "/scales", "as a scale of A: element",
         "the scales of A of the next block"},
        {"scales read as those of blocks twice as long", nvfp4, "/places", "element",
         "scales read as those of blocks twice as long"},
        {"each scale used for two blocks", nvfp4, "/places", "element", "each scale used for two blocks"},
        {"each scale used for two blocks", bounded, "/places", "element", "each scale used for two blocks"},
        {"scales read as E8M0", nvfp4, "/scales", "0x01 as a scale of A: element", "scales read as E8M0"},
        {"scales read as E8M0", e4m3_scales, "/scales", "0x01 as a scale of A: element", "scales read as E8M0"},
        {"scales read as E4M3", bounded, "/places", "element", "scales read as E4M3"},
        {"the sign of scales ignored", e4m3_scales, "/scales", "as a scale of A: element",
         "the sign of scales ignored"},
        {"subnormal scales flushed", nvfp4, "/scales", "0x01 as a scale of A: element", "subnormal scales flushed"},
        {"scales of NaN ignored", nvfp4, "/scales", "0x7F as a scale of A: element", "scales of NaN ignored"},
        {"scales of NaN ignored", e4m3_scales, "/scales", "0x7F as a scale of A: element", "scales of NaN ignored"},
        {"the elements packed as high_first", e4m3_scales, "/places", "element", "the elements packed as high_first"},
        {"pairs of elements of A exchanged along the sum", e4m3_scales, "/places", "element",
         "pairs of elements of A exchanged along the sum"},
        {"pairs of elements of B exchanged along the sum", plain, "/places", "element",
         "pairs of elements of B exchanged along the sum"},
        {"fp32_multiply_add", nvfp4, "/values", "element", "the accumulator fp32_multiply_add"},
        {"subnormal elements flushed", plain, "/values", "element", "subnormal elements flushed"},
        {"subnormal elements read with a leading one", plain, "/values", "element",
         "subnormal elements read with a leading one"},
        {"the first two of each four elements of B exchanged", plain, "/places", "element",
         "the first two of each four elements of B exchanged"},
        {"Inf taken for NaN", plain, "/special", "element", "Inf taken for NaN"},
        {"result rounded: nearest_away, not toward_zero", hopper, "/values", "element",
         "result rounded: nearest_away, not toward_zero"},
        {"c ignored", hopper, "/places", "whole numbers", "c ignored"},
        {"c taken for its transpose", bounded, "/places", "whole numbers", "c taken for its transpose"},
        {"subnormal results flushed", bounded, "/values", "small scales", ""},
        // So does an accumulator that is promoted, of sums as short as these.
        {"c added last", hopper, "/values", "element", "the accumulator hopper_fp8_promote_128"},
        {"k reversed", plain, "/values", "element", ""},
        {"the scales of A begin again after 256 products", bounded, "/places", "20x3x1100", ""},
        {"products after the first 1024 left out", plain, "/places", "20x3x1100", ""},
        {"products after the first 1024 left out", hopper, "/values", "1100 products", ""},
        {"one element of one product", plain, "/places", "3x2x33", ""},
        {"rounded down", bounded, "/relations", "A with the other sign: element ", ""},
        {"coarse in odd binades", bounded, "/relations", "A times 2^-3: element ", ""},
        {"the first row disturbs", bounded, "/relations", "another A but for one row: element ", ""},
        // Declared as FP32, and less.
        {"FP16 sums", plain, "/values", "element", ""},
        {"FP16 sums", bounded, "/values", "element", ""},
        {"hopper_fp8_f32", plain, "/values", "element", "the accumulator hopper_fp8_f32"},
        {"fp32_pairwise", plain, "/values", "element", "the accumulator fp32_pairwise"},
        {"blackwell_fp8_f32", hopper, "/values", "element", "the accumulator blackwell_fp8_f32"},
        {"ada_fp8_f32", hopper, "/values", "element", "the accumulator ada_fp8_f32"},
    };
    for (std::size_t number = 0; number < std::size(planted); number += step) {
        const Planted& this_planted = planted[number];
        INFO(this_planted.fault << " in " << this_planted.operation << this_planted.part);
        test::check_caught(certify_with(this_planted.fault, this_planted.operation + this_planted.part, level),
                           this_planted.says, this_planted.named);
    }
}

} // namespace

TEST_CASE("faults of a product are caught by a named case, and named", "[operation][matmul][values]") {
    check_faults(4, Level::smoke);
}
TEST_CASE("each fault of a product is caught by a named case, and named", "[.][exhaustive]") {
    check_faults(1, Level::quick);
}

namespace {

/// Plants every `step`-th fault of vectors of D.
void check_vectors(std::size_t step) {
    struct Planted {
        const char* fault;
        const std::string& operation;
    };
    const Planted planted[] = {
        {"vectors of NaN", bounded},        {"beside NaN", exact_bf16},          {"vectors of Inf", bounded},
        {"vectors of subnormals", bounded}, {"beside Inf", exact_bf16},          {"beside subnormals", exact_bf16},
        {"vectors of -0", bounded},         {"vectors of the largest", bounded}, {"vectors of zeros", bounded},
        {"beside the largest", bounded},
    };
    for (std::size_t number = 0; number < std::size(planted); number += step) {
        const std::string fault = planted[number].fault;
        INFO(fault << " in " << planted[number].operation);
        test::check_caught(certify_with(fault + " in D", planted[number].operation + "/places", Level::quick),
                           fault.starts_with("beside") ? " of D: element" : "D of nothing but ", "");
    }
}

} // namespace

TEST_CASE("vectors of D that have one kind of value are asked", "[operation][matmul][values]") { check_vectors(4); }
TEST_CASE("vectors of D that have any one kind of value are asked", "[.][exhaustive]") { check_vectors(1); }

TEST_CASE("the code of a number is that of the exact model", "[matmul]") {
    Choices nosat;
    nosat.overflow = Overflow::nosat;
    std::size_t checked = 0;
    for (const Format* format : {&formats::e4m3, &formats::e5m2, &formats::e2m1, &formats::e8m0, &formats::fp16,
                                 &formats::bf16, &formats::fp32, &formats::fp64, &formats::e4m3fnuz}) {
        for (int exponent = -160; exponent < 130; ++exponent) {
            const double magnitude = std::ldexp(1, exponent);
            for (const double value : {magnitude, -magnitude, 1.5 * magnitude, -1.25 * magnitude}) {
                const auto bits = std::bit_cast<Code>(value);
                const Code code =
                    format == &formats::fp64 ? bits : exact::convert(formats::fp64, *format, nosat, bits).code;
                const exact::Value observed_value = exact::decode(*format, code);
                if (observed_value.kind != exact::Kind::finite ||
                    observed_value.magnitude != exact::decode(formats::fp64, bits).magnitude ||
                    observed_value.negative != (value < 0))
                    continue; // the format does not have it
                CAPTURE(format->name, value);
                CHECK(code_of(*format, value) == code);
                ++checked;
            }
        }
        CHECK(exact::decode(*format, code_of(*format, 1)).magnitude == 1);
        if (format->has_subnormals) CHECK(code_of(*format, 0) == 0);
    }
    CHECK(checked > 1000);
}

TEST_CASE("sums of places are exact in every accumulator and any order", "[operation][matmul][values]") {
    std::size_t checked = 0;
    for (const Accumulator& accumulator : accumulators()) {
        if (is_exact(accumulator) || accumulator.operands.empty()) continue;
        const std::string a(accumulator.operands.front()->name);
        const bool scaled = accumulator.scale_use != ScaleUse::none;
        const bool has_bound = accumulator.scale_use != ScaleUse::promotion;
        const std::string block = std::to_string(std::max<std::size_t>(32, least_block(accumulator)));
        const std::string scale = scaled ? std::string(accumulator.scales.front()->name) : "none";
        const std::string result(accumulator.result->name);
        const Matmul matmul = matmul_of({{"a", a},
                                         {"b", a},
                                         {"scale", scale},
                                         {"block_a", scaled ? "1x" + block : "none"},
                                         {"block_b", scaled ? block + "x1" : "none"},
                                         {"transpose", "nn"},
                                         {"c", result},
                                         {"output", result},
                                         {"accumulator", std::string(accumulator.name)},
                                         {"order", has_bound ? "any" : "given"}});
        CAPTURE(accumulator.name);
        fast::Accumulate accumulate(accumulator, matmul.format);
        DotLine line;
        for_each_place_case(matmul, [&](const MatmulCase& matmul_case) {
            if (matmul_case.shape.k > 40) return true;
            const std::size_t elements = matmul_case.shape.m * matmul_case.shape.n;
            for (std::size_t at = 0; at < elements; at += 1 + elements / 2) {
                gather(matmul_case.shape, matmul_case.operands(), at / matmul_case.shape.n, at % matmul_case.shape.n,
                       line);
                const DotOperands operands = line.operands(matmul_case.shape, matmul_case.c[at]);
                CAPTURE(matmul_case.name, at);
                ++checked;
                if (!has_bound) {
                    REQUIRE(accumulate(operands) == fast::Dot(matmul.format, dot_choices())(operands));
                    continue;
                }
                const auto bound = exact::bound(accumulator, matmul.format, operands);
                REQUIRE(bound);
                REQUIRE(bound->error == 0);
                const exact::Value value = exact::decode(*accumulator.result, accumulate(operands));
                REQUIRE(value.magnitude == abs(bound->sum));
            }
            return true;
        });
    }
    CHECK(checked > 500);
}

TEST_CASE("places have several tiles both ways, one row, one column, and a long sum for a small D or few rows",
          "[operation][matmul]") {
    for (const std::string& name : {plain, bounded, tiles, nvfp4}) {
        CAPTURE(name);
        bool has_tiles = false;
        bool has_row = false;
        bool has_column = false;
        bool has_split = false;
        bool has_large_d = false;
        bool has_large_a = false;
        bool has_large_b = false;
        std::size_t longest = 0;
        for_each_place_case(as_matmul(parse_operation(name)), [&](const MatmulCase& matmul_case) {
            const auto& [m, n, k] = std::tie(matmul_case.shape.m, matmul_case.shape.n, matmul_case.shape.k);
            // Of sides that no implementation may refuse.
            has_tiles |= m > 128 && n > 128 && m % 16 == 0 && n % 16 == 0 && k % 32 == 0;
            has_row |= m == 1 && n > 256 && k > 32;
            has_column |= n == 1 && m > 256 && k > 32;
            has_large_d |= m * n > 1U << 16U;
            has_large_a |= m * k > 1U << 16U;
            has_large_b |= k * n > 1U << 16U;
            has_split |= m <= 16 && n > 256 && k > 1024;
            longest = std::max(longest, k);
            return true;
        });
        CHECK(has_split);
        CHECK((has_large_a && has_large_b && has_large_d));
        CHECK(has_tiles);
        CHECK(has_row);
        CHECK(has_column);
        CHECK(longest > 16'384);
    }
}

// tensor_cores did so once, and every case agreed.
TEST_CASE("a running sum that is rounded to zero is seen to be aligned as a zero", "[operation][matmul]") {
    const Accumulator& right = accumulator("hopper_fp8_f16");
    Accumulator wrong = right;
    wrong.zero_exponent = right.result->emin();
    const Matmul matmul = matmul_of({{"a", "e5m2"},
                                     {"b", "e5m2"},
                                     {"scale", "none"},
                                     {"block_a", "none"},
                                     {"block_b", "none"},
                                     {"transpose", "tt"},
                                     {"c", "fp16"},
                                     {"output", "fp16"},
                                     {"accumulator", "hopper_fp8_f16"},
                                     {"order", "given"}});
    std::size_t differing = 0;
    for_each_value_case(matmul, 1, 1, [&](const MatmulCase& matmul_case) {
        DotLine line;
        gather(matmul_case.shape, matmul_case.operands(), 0, 0, line);
        const DotOperands operands = line.operands(matmul_case.shape, matmul_case.c[0]);
        const bool no_zeros =
            std::count(line.a.begin(), line.a.end(), 1) + std::count(line.a.begin(), line.a.end(), 11) ==
            static_cast<std::ptrdiff_t>(line.a.size());
        if (no_zeros &&
            fast::accumulate(wrong, matmul.format, operands) != fast::accumulate(right, matmul.format, operands))
            ++differing;
        return true;
    });
    CHECK(differing >= 1);
}

TEST_CASE("the cases of scales have every code and every pair of elements of E2M1", "[operation][matmul]") {
    for (const std::string& name : {e4m3_scales, nvfp4}) {
        const Matmul matmul = as_matmul(parse_operation(name));
        REQUIRE(has_small_float_scales(matmul));
        std::set<std::pair<bool, Code>> scales;
        std::set<std::size_t> places;
        std::size_t number = 0;
        const std::size_t codes = matmul.format.scale_a->last_code() + 1;
        for_each_scale_case(matmul, [&](const MatmulCase& matmul_case) {
            const bool of_a = number++ < codes;
            CHECK_FALSE(may_refuse(matmul, matmul_case));
            std::set<std::pair<Code, Code>> pairs;
            std::size_t place = 0;
            DotLine line;
            for (std::size_t at = 0; at < 256; ++at) {
                gather(matmul_case.shape, matmul_case.operands(), at / 16, at % 16, line);
                for (std::size_t l = 0; l < line.a.size(); ++l)
                    if (line.a[l] != 0 || line.b[l] != 0) place = l;
                pairs.insert({line.a[place], line.b[place]});
                scales.insert({of_a, (of_a ? line.scales_a : line.scales_b)[place / 16]});
            }
            places.insert(place);
            CHECK(pairs.size() == 256);
            return true;
        });
        CHECK(number == 2 * codes);
        CHECK(scales.size() == 2 * codes);
        CHECK(places.size() == 64);
    }
    CHECK_FALSE(has_small_float_scales(as_matmul(parse_operation(bounded))));
    CHECK_FALSE(has_small_float_scales(as_matmul(parse_operation(plain))));
    CHECK_FALSE(has_small_float_scales(as_matmul(parse_operation(tiles))));
}

TEST_CASE("a case that is filled up is the case and zeros", "[operation][matmul]") {
    for (const std::string& name : {plain, bounded, tiles, nvfp4}) {
        CAPTURE(name);
        const Matmul matmul = as_matmul(parse_operation(name));
        std::size_t number = 0;
        for_each_special_case(matmul, [&](const MatmulCase& matmul_case) {
            const MatmulCase whole = filled(matmul, matmul_case);
            REQUIRE(may_refuse(matmul, matmul_case));
            REQUIRE_FALSE(may_refuse(matmul, whole));
            DotLine few;
            DotLine line;
            for (std::size_t i = 0; i < matmul_case.shape.m; ++i)
                for (std::size_t j = 0; j < matmul_case.shape.n; ++j) {
                    gather(matmul_case.shape, matmul_case.operands(), i, j, few);
                    gather(whole.shape, whole.operands(), i, j, line);
                    const std::size_t k = few.a.size();
                    CHECK(std::equal(few.a.begin(), few.a.end(), line.a.begin()));
                    CHECK(std::equal(few.b.begin(), few.b.end(), line.b.begin()));
                    CHECK(std::equal(few.scales_a.begin(), few.scales_a.end(), line.scales_a.begin()));
                    CHECK(std::equal(few.scales_b.begin(), few.scales_b.end(), line.scales_b.begin()));
                    CHECK(std::count(line.a.begin() + static_cast<std::ptrdiff_t>(k), line.a.end(), 0) ==
                          static_cast<std::ptrdiff_t>(line.a.size() - k));
                    CHECK(whole.c[i * whole.shape.n + j] == matmul_case.c[i * matmul_case.shape.n + j]);
                }
            return ++number < 16;
        });
        CHECK(number == 16);
    }
}

TEST_CASE("what refuses all but whole tiles is asked those", "[operation][matmul][values]") {
    for (const char* part : {"/places", "/special", "/values"}) {
        CAPTURE(part);
        const std::vector<verdict::Row> rows = certify_with("whole tiles alone", plain + part);
        REQUIRE(rows.size() == 1);
        CHECK(rows.front().status == Status::pass);
        CHECK(rows.front().compared > 1000);
        CHECK_THAT(rows.front().reason, Contains("refused, as it may: "));
    }
}

TEST_CASE("products that are refused, and names that are none", "[operation][matmul]") {
    const std::vector<verdict::Row> rows = certify_with("refuses tails", plain + "/places");
    REQUIRE(rows.size() == 1);
    // All sizes that it may refuse were: of what is left a sum of 32 is a whole tile.
    CHECK(rows.front().status == Status::unsupported);
    // Nothing was compared, so nothing passed.
    const auto right = test::open_plugin(MXCERT_TEST_MULTIPLIER, "");
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.profiles = {"products"};
    options.reproduce = cases::parse_reproduction(plain + "/places:99999");
    const std::vector<verdict::Row> beyond =
        certify::certify(*right, certify::make_plan(*right, options, golden), options, {});
    REQUIRE(beyond.size() == 1);
    CHECK(beyond.front().status == Status::untested);
    CHECK_THAT(beyond.front().reason, Contains("there is no case 99999"));

    const std::vector<std::pair<std::string, std::string>> good{
        {"a", "e4m3"},       {"b", "e4m3"}, {"scale", "none"},  {"block_a", "none"},         {"block_b", "none"},
        {"transpose", "nn"}, {"c", "none"}, {"output", "fp32"}, {"accumulator", "fp32_fma"}, {"order", "given"}};
    CHECK(to_string(make_operation("matmul", good)) == "matmul-e4m3-e4m3-none-none-none-nn-none-fp32-fp32_fma-given");
    const auto refused = [&](const char* key, const char* value) -> std::string {
        auto attributes = good;
        for (auto& [name, old] : attributes)
            if (name == key) old = value;
        try {
            static_cast<void>(make_operation("matmul", attributes));
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK_THAT(refused("accumulator", "fp32_fm"), Contains("did you mean fp32_fma"));
    CHECK_THAT(refused("accumulator", "cdna3_f16"), Contains("does not take these formats"));
    CHECK_THAT(refused("transpose", "n"), Contains("there are nn, nt, tn, tt"));
    CHECK_THAT(refused("order", "some"), Contains("there are given, any"));
    CHECK_THAT(refused("c", "bf16"), Contains("there are none, fp32"));
    CHECK_THAT(refused("output", "e4m3"), Contains("there are fp32, fp16, bf16"));
    CHECK_THAT(refused("block_a", "1x32"), Contains("without scales"));
    CHECK_THAT(refused("scale", "e8m0"), Contains("is not as 1x128"));
}

TEST_CASE("scales of promoted sums are those of whole promotions, in the given order", "[operation][matmul]") {
    const auto made = [](const char* block_a, const char* block_b, const char* order) -> std::string {
        try {
            static_cast<void>(matmul_of({{"a", "e4m3"},
                                         {"b", "e4m3"},
                                         {"scale", "fp32"},
                                         {"block_a", block_a},
                                         {"block_b", block_b},
                                         {"transpose", "nt"},
                                         {"c", "none"},
                                         {"output", "bf16"},
                                         {"accumulator", "deepgemm_hopper_fp8"},
                                         {"order", order}}));
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK(made("1x128", "128x128", "given") == "accepted");
    CHECK(made("*x*", "*x1", "given") == "accepted");
    CHECK_THAT(made("1x128", "64x128", "given"), Contains("are multiples of 128 along the sum"));
    CHECK_THAT(made("1x32", "128x128", "given"), Contains("are multiples of 128 along the sum"));
    CHECK_THAT(made("1x128", "128x128", "any"), Contains("no bound is known of deepgemm_hopper_fp8"));
}
