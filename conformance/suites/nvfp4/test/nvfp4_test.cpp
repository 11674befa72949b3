// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "catch.hpp"
#include "conformance/suites/nvfp4/expected.hpp"
#include "conformance/suites/nvfp4/faults.hpp"
#include "conformance/suites/nvfp4/identify.hpp"
#include "conformance/suites/nvfp4/points.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/base/random.hpp"
#include "reference/exact/recipe/nvfp4.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

struct Offered {
    std::string name;
    std::string profile;
};
const std::vector<Offered> offered{
    {"quantize_nvfp4-fp32-te_nvfp4-1x16-decode", "nvidia-te"},
    {"quantize_nvfp4-bf16-torchao_nvfp4-16x16-decode", "torchao-nvfp4"},
    {"quantize_nvfp4-bf16-modelopt_nvfp4-1x16-decode", "modelopt"},
    {"quantize_nvfp4-bf16-compressed_tensors_nvfp4_bf16-1x16-encode", "compressed-tensors"},
    {"quantize_nvfp4-fp16-torchao_nvfp4_one_level-16x1-none", "torchao-nvfp4"},
    {"quantize_nvfp4-bf16-te_nvfp4_4over6-1x16-decode", "nvidia-te"},
    {"quantize_nvfp4-fp32-te_nvfp4_4over6_448_mse-16x16-encode", "nvidia-te"},
    {"quantize_nvfp4-bf16-autoround_nvfp4_e5m3-1x16-none", "autoround-nvfp4"},
};

std::string plugin() { return test::planted_plugin("nvfp4_quantizer"); }

std::vector<verdict::Row> certified(const std::string& fault, const Offered& offer, const std::string& part,
                                    Level level = Level::quick) {
    return test::certify_plugin(plugin().c_str(), fault, offer.profile, offer.name + part, 4, level);
}

/// Whether a part of an offer fails with a fault, and whether it is named.
struct Caught {
    bool failed = false;
    bool named = false;
};
Caught caught(const std::string& fault, const Offered& offer, Level level = Level::smoke) {
    Caught result;
    for (const verdict::Row& row : certified(fault, offer, "/*", level)) {
        INFO(row.id << ": " << row.reason);
        CHECK((row.status == Status::pass || row.status == Status::fail));
        if (row.status != Status::fail) continue;
        result.failed = true;
        result.named = result.named || row.reason.find(fault) != std::string::npos;
    }
    return result;
}

} // namespace

namespace {

std::vector<verdict::Row> passing(const Offered& offer, Level level) {
    CAPTURE(offer.name);
    std::vector<verdict::Row> rows = certified("", offer, "/*", level);
    CHECK(rows.size() == (offer.name.ends_with("none") ? 3U : 4U));
    test::check_quantizer_passes(rows, level);
    return rows;
}

} // namespace

TEST_CASE("quantizers to NVFP4 pass, each by its recipe", "[operation][nvfp4][values]") {
    for (const Offered& offer : offered) passing(offer, Level::smoke);
}
TEST_CASE("quantizers to NVFP4 pass on large matrices, each by its recipe", "[.][exhaustive]") {
    for (const Offered& offer : offered)
        CHECK(verdict::cases_of(passing(offer, Level::quick).back())->largest_matrix > 1U << 20U);
}

TEST_CASE("from standard on the amaxes of a 16-bit source are all asked", "[operation][nvfp4][values]") {
    const std::vector<verdict::Row> rows = certified("", offered[4], "/scale", Level::standard);
    REQUIRE(rows.size() == 1);
    INFO(rows[0].reason);
    CHECK(rows[0].status == Status::pass);
    CHECK(!rows[0].sample); // without a scale of the tensor there is nothing else
    CHECK(certified("", offered[2], "/scale", Level::standard).at(0).sample);
}

namespace {

/// Plants faults, each in the first offer that it changes, and asks the fewest cases.
void check_faults(std::size_t first, std::size_t step) {
    for (std::size_t number = first; number < nvfp4_faults().size(); number += step) {
        const Nvfp4Fault& fault = nvfp4_faults()[number];
        const std::string name(fault.name);
        CAPTURE(name);
        const auto changed = std::find_if(offered.begin(), offered.end(), [&](const Offered& offer) {
            Nvfp4Way way{as_quantize_nvfp4(parse_operation(offer.name)).recipe->choices};
            return fault.plant(way) && (name.find("given out") == std::string::npos || !offer.name.ends_with("none"));
        });
        REQUIRE(changed != offered.end());
        const Caught result = caught(name, *changed);
        CHECK(result.failed);
        CHECK(result.named);
    }
}

} // namespace

TEST_CASE("what a quantizer to NVFP4 does wrong is named", "[operation][nvfp4][values]") { check_faults(1, 16); }
TEST_CASE("every fault of a quantizer to NVFP4 is named", "[.][exhaustive]") { check_faults(0, 1); }

TEST_CASE("the recipe of somebody else is named", "[operation][nvfp4][values]") {
    CHECK(caught("the recipe modelopt_nvfp4", offered[0]).named);
    CHECK(caught("the recipe te_nvfp4", offered[2]).named);
}

TEST_CASE("a quantizer to NVFP4 that is wrong in a place or by a state is found", "[operation][nvfp4][values]") {
    CHECK(certified("the amax of the first 2^18 values", offered[0], "/blocks").at(0).status == Status::fail);
    for (const char* const fault :
         {"elements beyond row 16 and column 128 are zero", "the amax without the last 8 values of a tensor",
          "partial blocks beyond row 4 are zero", "the scale of the tensor before", "lanes of a pair exchanged",
          "a scale of 448 that makes the largest element 4", "one element in the last column"}) {
        CAPTURE(fault);
        CHECK(certified(fault, offered[0], "/blocks", Level::smoke).at(0).status == Status::fail);
    }
    CHECK(certified("the errors of a tile in one sum", offered[6], "/blocks", Level::smoke).at(0).status ==
          Status::fail);
    CHECK(certified("the scale of a tensor one ulp off", offered[2], "/tensor").at(0).status == Status::fail);
    const std::vector<verdict::Row> tails = certified("refuses tails", offered[0], "/blocks", Level::smoke);
    REQUIRE(tails.size() == 1);
    CHECK(tails[0].status == Status::pass);
    CHECK_THAT(tails[0].reason, Contains("refused, as it may"));
}

namespace {

void check_identified(const std::string& fault, const std::string& name, const std::string& parameter,
                      const std::string& value) {
    CAPTURE(fault);
    const auto subject = test::open_plugin(plugin().c_str(), fault);
    const FoundCases found = identify_nvfp4(*subject, parse_operation(offered[0].name));
    INFO(found.reason);
    CHECK(found.status == Status::pass);
    CHECK(found.explained == found.asked);
    CHECK(found.name == name);
    CHECK(found.in_table == !name.empty());
    const auto said = std::find_if(found.parameters.begin(), found.parameters.end(),
                                   [&](const diagnose::FoundParameter& known) { return known.name == parameter; });
    REQUIRE(said != found.parameters.end());
    CHECK(said->value == value);
}

} // namespace

TEST_CASE("the recipe of a quantizer to NVFP4 is identified, whatever it declares",
          "[identify][nvfp4][.][exhaustive]") {
    check_identified("the recipe modelopt_nvfp4", "modelopt_nvfp4", "quotient", "at_once");
}

TEST_CASE("every recipe of a quantizer to NVFP4 is identified", "[.][exhaustive]") {
    const auto [fault, name, parameter, value] = GENERATE(table<std::string, std::string, std::string, std::string>({
        {"", "te_nvfp4", "quotient", "by_product"},
        {"the recipe te_nvfp4_4over6_mse", "te_nvfp4_4over6_mse", "four_over_six", "square"},
        {"the recipe autoround_nvfp4_e5m3", "autoround_nvfp4_e5m3", "scale", "ue5m3"},
        {"the tensor's amax mapped to 256 x 6", "", "range", "256 x 6"},
        {"the recipe torchao_nvfp4_one_level", "torchao_nvfp4_one_level", "tensor", "none"},
        {"the recipe compressed_tensors_nvfp4_bf16", "compressed_tensors_nvfp4_bf16", "scales_in", "bf16"},
        {"elements by the scale before it was rounded", "", "elements", "by the scale before it was rounded"},
    }));
    check_identified(fault, name, parameter, value);
}

TEST_CASE("what is expected of NVFP4 is what the exact model gives", "[operation][nvfp4][values]") {
    const auto value = [](const Format& source, std::uint64_t word) {
        return static_cast<Code>(word % (source.max_code() + 1)) | ((word >> 63U) != 0 ? source.sign_bit() : 0);
    };
    for (const Offered& offer : offered) {
        CAPTURE(offer.name);
        const QuantizeNvfp4 quantize = as_quantize_nvfp4(parse_operation(offer.name));
        const recipe::Nvfp4& choices = quantize.recipe->choices;
        Nvfp4Expected expected(quantize);
        for (std::uint64_t number = 0; number < 400; ++number) {
            const recipe::CodeMatrix tensor{1, 16, {}};
            recipe::CodeMatrix values = tensor;
            for (std::uint64_t lane = 0; lane < 16; ++lane)
                values.codes.push_back(value(*quantize.source, SplitMix64::at(number, lane)));
            // The amax of the tensor is that of the block, or any that is larger.
            const Code amax = expected.amax_of(values.codes);
            const Code tensor_amax = number % 2 == 0 ? amax : std::max(amax, quantize.source->max_code() - number);
            const Code wide = exact::tensor_amax_of(choices, *quantize.source, {1, 1, {tensor_amax}});
            const recipe::Nvfp4Quantized wanted =
                exact::quantize(choices, *quantize.source, shapes::rowwise(16), values, wide);
            const Code scale = expected.scale_of(tensor_amax, values.codes, 16);
            CHECK(scale == wanted.scales[0]);
            for (std::size_t lane = 0; lane < 16; ++lane)
                CHECK(expected.element(tensor_amax, scale, values.codes[lane]) == wanted.elements.codes[lane]);
        }
    }
}

TEST_CASE("a scale that comes twice in the subnormals of a source is no step", "[operation][nvfp4]") {
    // A scale that rounds to zero becomes 1/8. Amaxes a few subnormal binades larger have a scale of 1/8 as well.
    const std::pair<std::string, Code> sources[] = {{"bf16-compressed_tensors_nvfp4_bf16", 0x0662},
                                                    {"fp16-compressed_tensors_nvfp4", 0x3300}};
    for (const auto& [source, tensor_amax] : sources) {
        const QuantizeNvfp4 quantize = as_quantize_nvfp4(parse_operation("quantize_nvfp4-" + source + "-1x16-encode"));
        const Code wide = exact::tensor_amax_of(quantize.recipe->choices, *quantize.source, {1, 1, {tensor_amax}});
        const recipe::TensorScales tensor = exact::tensor_scales_of(quantize.recipe->choices, wide);
        Nvfp4Expected expected(quantize);
        CHECK(!expected.scale_steps(tensor_amax).empty());
        for (Code amax = 0; amax <= quantize.source->fraction_mask(); amax += 1) {
            const Code code = exact::tensor_amax_of(quantize.recipe->choices, *quantize.source, {1, 1, {amax}});
            CHECK(expected.scale(tensor_amax, amax) == exact::block_scale_of(quantize.recipe->choices, tensor, code));
        }
    }
}

TEST_CASE("an operation of NVFP4 has names that exist", "[operation][nvfp4]") {
    CHECK(as_quantize_nvfp4(parse_operation(offered[1].name)).block == BlockShape{16, 16});
    for (const char* const name :
         {"quantize_nvfp4-fp64-te_nvfp4-1x16-none", "quantize_nvfp4-fp32-te-1x16-none",
          "quantize_nvfp4-fp32-te_nvfp4-1x32-none", "quantize_nvfp4-fp32-te_nvfp4-1x16-scale"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(parse_operation(name), std::invalid_argument);
    }
}
