// SPDX-License-Identifier: Apache-2.0
// Cases that are written down, made smaller and asked again.
#include "conformance/cases/shrink.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/cases/smallest.hpp"
#include "conformance/suites/blocks/quantize_cases.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "conformance/suites/linear/cases.hpp"
#include "conformance/suites/matmul/cases.hpp"
#include "conformance/test/program.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::cases;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t largest = 20'000; // codes of a case that is written down here

/// A case is the same after it was written down and read again.
template <class CaseOf, class RunOf> bool is_kept(const Operation& operation, const frames::RunCase& run,
                                                  const CaseOf& case_of_given, const RunOf& run_of_case) {
    const CaseForm form = form_of(operation);
    const GivenCase given_case = given_of(form, run);
    if (parse_given(form, to_string(form, given_case)) != given_case) return false;
    const frames::RunCase again = run_of_case(case_of_given(given_case));
    return again.shape == run.shape && again.inputs == run.inputs && again.outputs == run.outputs;
}

/// How many cases of a suite are kept; 0 if one is not.
std::size_t count_kept(const std::string& name) {
    const Operation operation = parse_operation(name);
    std::size_t kept = 0;
    bool all = true;
    const auto take = [&](const frames::RunCase& run, const auto& case_of_given, const auto& run_of_case) {
        std::size_t codes = 0;
        for (const frames::Values& input : run.inputs) codes += input.count();
        if (codes > largest) return true;
        all = all && is_kept(operation, run, case_of_given, run_of_case);
        return ++kept < 40 && all;
    };
    const auto take_of = [&](const auto& item, const auto& this_item) {
        return take(
            suites::run_of(item, this_item),
            [&](const GivenCase& given_case) { return suites::case_of(item, given_case); },
            [&](const auto& smaller) { return suites::run_of(item, smaller); });
    };
    const std::string_view kind = operation.info->name;
    if (kind == "quantize") {
        const Quantize quantize = as_quantize(operation);
        for (const suites::QuantizeCase& quantize_case :
             suites::quantize_cases(quantize, quantize.block == 0 ? 32 : quantize.block))
            (void)take_of(quantize, quantize_case);
    } else if (kind == "dequantize") {
        const Dequantize dequantize = as_dequantize(operation);
        for (const suites::DequantizeCase& dequantize_case :
             suites::dequantize_cases(dequantize, dequantize.block == 0 ? 32 : dequantize.block))
            (void)take_of(dequantize, dequantize_case);
    } else if (kind == "quantize_float") {
        const QuantizeFloat quantize_float = as_quantize_float(operation);
        suites::for_each_case(quantize_float,
                              [&](const suites::FloatCase& float_case) { return take_of(quantize_float, float_case); });
    } else if (kind == "dequantize_float") {
        const DequantizeFloat dequantize_float = as_dequantize_float(operation);
        for (const suites::FloatDequantizeCase& float_dequantize_case : suites::dequantize_cases(dequantize_float))
            (void)take_of(dequantize_float, float_dequantize_case);
    } else if (kind == "matmul") {
        const Matmul matmul = as_matmul(operation);
        suites::for_each_place_case(
            matmul, [&](const suites::MatmulCase& matmul_case) { return take_of(matmul, matmul_case); });
    } else {
        const Linear linear = as_linear(operation);
        suites::for_each_value_case(
            linear, 2, 1, [&](const suites::LinearCase& linear_case) { return take_of(linear, linear_case); });
    }
    return all ? kept : 0;
}

const std::string values_4x70 = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32";

GivenCase numbered(const CaseForm& form, std::vector<std::uint64_t> sizes) {
    GivenCase given_case{std::move(sizes), {}};
    for (const FormTensor& tensor : form.tensors) {
        const Extent extent = extent_of(tensor, given_case.sizes);
        std::vector<Code>& codes = given_case.tensors.emplace_back(extent.rows * extent.columns);
        for (std::size_t at = 0; at < codes.size(); ++at) codes[at] = 0x40000000 + at;
    }
    return given_case;
}

const std::filesystem::path plugins = std::filesystem::path(MXCERT_TEST_QUANTIZER).parent_path();

} // namespace

TEST_CASE("a case is the same after it was written down", "[shrink][values]") {
    for (const char* name :
         {"quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32",
          "quantize-bf16-e5m2-e8m0-rceil-nearest_even-sat-column-any", "dequantize-e4m3-e8m0-fp32-row-32",
          "dequantize-e5m2-e8m0-bf16-column-any", "quantize_float-fp32-e4m3-fp32-absmax-1x32",
          "quantize_float-fp32-e4m3-fp32-te_float8_block_fp32_scales-128x128", "dequantize_float-e4m3-fp32-fp32-1x32",
          "matmul-e4m3-e4m3-e8m0-1x32-32x1-nn-fp32-fp32-fp32_multiply_add-given",
          "matmul-e4m3-e5m2-e8m0-1x32-32x1-tt-none-bf16-exact-given",
          "matmul-e4m3-e4m3-fp32-1x128-128x128-nt-none-fp32-fp32_fma-any",
          "matmul-e4m3-e4m3-none-none-none-tn-fp32-fp32-hopper_fp8_f32-given",
          "linear-bf16-te_mxfp8_hybrid-wgrad-e5m2-e4m3-e8m0-none-fp32-fp32-fp32_multiply_add-given",
          "linear-fp16-given-wgrad-e5m2-e4m3-fp32-none-fp32-fp32-exact-given",
          "linear-bf16-te_float8_block-fprop-e4m3-e4m3-fp32-fp32-none-bf16-fp32_pairwise-given",
          "linear-bf16-deepseek_v3-dgrad-e4m3-e4m3-fp32-none-none-fp32-fp32_fma-given"}) {
        CAPTURE(name);
        CHECK(count_kept(name) > 0);
    }
    CHECK_THROWS_AS(form_of(parse_operation("scaling-te_delayed_4_margin_2")), std::invalid_argument);
    // Of a layout the sizes alone.
    const CaseForm layout = form_of(parse_operation("layout-swizzle_128x4-arrange"));
    CHECK(to_string(layout, parse_given(layout, "7x9")) == "7x9");
    for (const char* wrong : {"7", "7x9x1", "0x9", "7x9=00", "4194304x2"})
        CHECK_THROWS_AS(parse_given(layout, wrong), std::invalid_argument);
}

TEST_CASE("a case becomes as small as it fails", "[shrink]") {
    const CaseForm form = form_of(parse_operation(values_4x70));
    const GivenCase first = numbered(form, {4, 70});
    const auto has = [](const GivenCase& given_case, Code code) {
        return std::count(given_case.tensors[0].begin(), given_case.tensors[0].end(), code) != 0;
    };
    unsigned count = 0;
    const auto shrunk = [&](const auto& fails, const ShrinkLimits& limits = {}) {
        return to_string(form, shrink(
                                   form, first,
                                   [&](const GivenCase& given_case) {
                                       ++count;
                                       return fails(given_case);
                                   },
                                   limits));
    };
    // One value, wherever it lies; two that must be in one row; a size.
    CHECK(shrunk([&](const GivenCase& given_case) { return has(given_case, 0x400000B7); }) == "1x1=400000B7");
    CHECK(shrunk([&](const GivenCase& given_case) {
              return given_case.sizes[0] > 1 && has(given_case, 0x40000000) && has(given_case, 0x40000117);
          }) == "2x2=40000000,00000000*2,40000117");
    CHECK(shrunk([](const GivenCase& given_case) { return given_case.sizes[1] >= 37; }) == "1x37=00000000*37");
    // The value may be rounder, the roundest first.
    CHECK(shrunk([](const GivenCase& given_case) { return given_case.tensors[0].back() != 0; }) == "1x1=3F800000");
    CHECK(shrunk([](const GivenCase& given_case) { return given_case.tensors[0].front() >= 0x40000000; }) ==
          "1x1=40000000");
    // What does not fail when asked for less stays.
    CHECK(shrunk([&](const GivenCase& given_case) { return given_case == first; }) == to_string(form, first));
    count = 0;
    CHECK(shrunk([](const GivenCase&) { return true; }, {.attempts = 3}) != "1x1=00000000");
    CHECK(count == 3);
    count = 0;
    CHECK(shrunk([](const GivenCase&) { return true; }, {.longest = std::chrono::milliseconds(-1)}) ==
          to_string(form, first));
    CHECK(count == 0);
    // Some cases are asked however slow the machine is.
    CHECK(shrunk([](const GivenCase&) { return true; }, {.fewest = 2, .time = std::chrono::milliseconds(-1)}) !=
          to_string(form, first));
    CHECK(count == 2);
}

TEST_CASE("a case that stays too large for a command is not shown", "[shrink][values]") {
    const CaseForm form = form_of(parse_operation(values_4x70));
    const auto smallest = [&](std::uint64_t columns) {
        const GivenCase whole = numbered(form, {1, columns});
        return smallest_of(
            form, whole,
            [&](const GivenCase& given_case) {
                return given_case == whole ? std::vector<std::string>{"wrong"} : std::vector<std::string>();
            },
            [] { return false; });
    };
    const auto whole = smallest(100);
    REQUIRE(whole.has_value());
    CHECK(whole->sizes == "1x100");
    CHECK_FALSE(smallest(12'000).has_value()); // nine characters a code
}

TEST_CASE("the scales of a case go with their blocks", "[shrink]") {
    const CaseForm form = form_of(parse_operation("dequantize-e4m3-e8m0-fp32-row-32"));
    GivenCase first{{1, 100}, {std::vector<Code>(100, 0x38), {0x70, 0x71, 0x72, 0x73}}};
    const auto shrunk_to_scale = [&](Code scale) {
        return to_string(form, shrink(form, first, [&](const GivenCase& given_case) {
                             const std::vector<Code>& scales = given_case.tensors[1];
                             return given_case.tensors[0].size() == given_case.sizes[0] * given_case.sizes[1] &&
                                    scales.size() == (given_case.sizes[1] + 31) / 32 && scales.back() == scale;
                         }));
    };
    CHECK(shrunk_to_scale(0x73) == "1x1=00/73");
    CHECK(shrunk_to_scale(0x71) == "1x1=00/71"); // its block becomes the last one
    CHECK(shrunk_to_scale(0x74) == to_string(form, first));
    first.sizes[1] = 33;
    first.tensors = {std::vector<Code>(33, 0x38), {0x70, 0x71}};
    CHECK(shrunk_to_scale(0x71) == "1x1=00/71");
}

TEST_CASE("a case that is written down wrongly is refused with the reason", "[shrink]") {
    const CaseForm form = form_of(parse_operation("dequantize-e4m3-e8m0-fp32-row-32"));
    const auto refused = [&](const char* text) -> std::string {
        try {
            (void)parse_given(form, text);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "taken";
    };
    CHECK(refused("1x2=00,38/7f") == "taken");
    const struct {
        const char* text;
        const char* why;
    } table[] = {
        {"", "its sizes are rowsxcolumns="},
        {"1=00/7F", "its sizes are rowsxcolumns="},
        {"1x2x3=00/7F", "its sizes are rowsxcolumns="},
        {"0x2=00/7F", "'0' is no number from 1 to 4194304"},
        {"1x4194305=00/7F", "is no number from 1 to 4194304"},
        {"4194304x4194304=00/7F", "it is too large"},
        {"1x2=00/7F", "'elements' has 2 codes, not 1"},
        {"1x2=00*3/7F", "'elements' has 2 codes, not more"},
        {"1x2=00*x/7F", "'x' is no number"},
        {"1x2=00*0/7F", "'0' is no number"},
        {"1x2=00*2", "'scales' has 1 code, not 0"},
        {"1x2=00*2/7F/7F", "it has 2 inputs"},
        {"1x2=00,1/7F", "1"},
        {"1x2=00,,00/7F", ""},
        {"1x33=00*33/7F", "'scales' has 2 codes, not 1"},
    };
    for (const auto& test_case : table) {
        CAPTURE(test_case.text);
        const std::string why = refused(test_case.text);
        CHECK(why != "taken");
        CHECK_THAT(why, Contains(test_case.why));
    }
}

TEST_CASE("the inputs of a case are arrays that C takes", "[shrink]") {
    const CaseForm form = form_of(parse_operation("dequantize-e4m3-e8m0-fp32-row-32"));
    const auto arrays = [&](const char* text) { return c_arrays(form, parse_given(form, text)); };
    const std::string dense = arrays("2x2=38,39,00,3B/7F,80");
    CHECK(dense == "static const uint8_t elements[2][2] = {{0x38, 0x39}, {0x00, 0x3B}};\n"
                   "static const uint8_t scales[2][1] = {{0x7F}, {0x80}};\n");
    const std::string sparse = arrays("1x40=00*39,7E/00*2");
    CHECK(sparse == "static const uint8_t elements[1][40] = {[0][39] = 0x7E};\n"
                    "static const uint8_t scales[1][2] = {{0}};\n");
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "a.c") << "#include <stdint.h>\nint f(void) {\n"
                                         << dense << "return elements[1][1] + scales[1][0]; }\nint g(void) {\n"
                                         << sparse << "return elements[0][39] + scales[0][1]; }\n";
    CHECK(test::shell(folder.path(), "cc -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only a.c").code == 0);
}

TEST_CASE("the smallest case of a wrong operation is shown and fails again", "[shrink][cli][values]") {
    const struct {
        const char* plugin;
        const char* profile;
        const char* option;
        const char* row;
        const char* smallest; // null: how far it comes in its time depends on the machine
    } table[] = {
        {"quantizer", "ocp-sat", "lanes swapped", "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks",
         "1x2=00000000,3F800000"},
        {"quantizer", "ocp-sat", "tail shares", "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks",
         "1x33=00000000*32,3F800000"},
        {"quantizer", "ocp-sat", "scales transposed", "dequantize-e4m3-e8m0-fp32-row-32/blocks", nullptr},
        {"float_quantizer", "absmax", "swapped", "quantize_float-fp32-e4m3-fp32-absmax-1x32/blocks", "1x1=3F800000"},
        {"float_quantizer", "absmax", "flushes", "dequantize_float-e4m3-fp32-fp32-1x32/values", nullptr},
        {"multiplier", "products", "one element of one product",
         "matmul-e4m3-e4m3-none-none-none-tn-fp32-fp32-hopper_fp8_f32-given/places", "3x2x33=00*99/00*66/00000000*6"},
        {"linear_layer", "products", "NaN dropped",
         "linear-bf16-te_mxfp8_hybrid-wgrad-e5m2-e4m3-e8m0-none-fp32-fp32-fp32_multiply_add-given/special", nullptr},
    };
    for (const auto& test_case : table) {
        const TemporaryFolder folder;
        const std::string certify =
            fmt::format("mxcert certify '{}' --profile {} --backend-option '{}' --level quick",
                        (plugins / test_case.plugin).string() + ".so", test_case.profile, test_case.option);
        const test::Result first =
            test::shell(folder.path(), fmt::format("{} --filter '{}' --json first.json", certify, test_case.row));
        INFO(first.out);
        CHECK(first.code == 1);
        const nlohmann::json rows = nlohmann::json::parse(content(folder.path() / "first.json"))["rows"];
        REQUIRE(!rows.empty());
        REQUIRE(rows[0].contains("smallest"));
        const nlohmann::json& smallest = rows[0]["smallest"];
        if (test_case.smallest != nullptr) CHECK(smallest["case"] == test_case.smallest);
        CHECK_THAT(first.out, Contains("smallest: ") && Contains(smallest["finding"].get<std::string>()) &&
                                  Contains(smallest["reproduce"].get<std::string>()));
        CHECK_THAT(first.out, Contains(smallest["c"].get<std::string>().substr(0, 30)));
        // The line asks for this case alone, which is wrong in the same way.
        const test::Result again = test::shell(folder.path(), smallest["reproduce"].get<std::string>());
        INFO(again.out);
        CHECK(again.code == 1);
        CHECK_THAT(again.out, Contains(smallest["finding"].get<std::string>()));
        CHECK_THAT(again.out, !Contains("smallest: "));
        // Without the fault it passes.
        const test::Result right =
            test::shell(folder.path(), fmt::format("mxcert certify '{}' --profile {} --reproduce '{}@{}'",
                                                   (plugins / test_case.plugin).string() + ".so", test_case.profile,
                                                   test_case.row, smallest["case"].get<std::string>()));
        INFO(right.out);
        CHECK(right.code == 0);
    }
}

TEST_CASE("a layout is asked for scales of a size", "[shrink][cli]") {
    const TemporaryFolder folder;
    const auto asked = [&](const std::string& size) {
        return test::shell(folder.path(), std::string("mxcert certify '") + MXCERT_TEST_QUANTIZER +
                                              "' --profile nvidia-te --backend-option 'swizzled twice' --reproduce "
                                              "layout-swizzle_128x4-arrange/places@" +
                                              size);
    };
    const test::Result wrong = asked("1x5");
    INFO(wrong.out);
    CHECK(wrong.code == 1);
    CHECK(test::contains(wrong.out, "--reproduce layout-swizzle_128x4-arrange/places@1x5\n"));
    CHECK(asked("1x1").code == 0);
}

TEST_CASE("a case cannot be given where a row has none", "[shrink][cli]") {
    const TemporaryFolder folder;
    for (const char* wrong : {"quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/scale@1x1=3F800000",
                              "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/blocks@1x1=3F",
                              "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32/none@1x1=3F800000",
                              "layout-swizzle_128x4-arrange/places@1x1=00"}) {
        const test::Result result = test::shell(
            folder.path(), fmt::format("mxcert certify '{}' --reproduce '{}'", MXCERT_TEST_QUANTIZER, wrong));
        INFO(result.err);
        CHECK(result.code == 2);
    }
}

// Of a large case each candidate is a copy: made before one looked at the clock, they took minutes.
TEST_CASE("a large case is not copied again and again after the end", "[cases]") {
    const Operation operation = parse_operation("quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32");
    const CaseForm form = form_of(operation);
    GivenCase large{{1024, 1024}, {std::vector<Code>(std::size_t{1} << 20U, 0x3F800001)}};
    bool stopped = false;
    unsigned asked = 0;
    ShrinkLimits limits;
    limits.stop = [&] { return stopped; };
    // A million copies of 8 MiB would take an hour.
    const GivenCase smaller = shrink(
        form, large,
        [&](const GivenCase&) {
            stopped = ++asked == 5;
            return false;
        },
        limits);
    CHECK(asked == 5);
    CHECK(smaller == large);
}
