// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/nvfp4/identify.hpp"
#include "conformance/suites/nvfp4/random_elements.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/exact/exact.hpp"
#include "reference/operation/operation_name.hpp"
#include "reference/profile/profile.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

const std::string rounding_at_random = "quantize_nvfp4-bf16-te_nvfp4-1x16-decode-stochastic_a16";
const std::string by_pairs = rounding_at_random + "_pairs";
const std::string transforming_by_pairs = "quantize_nvfp4-bf16-te_nvfp4-16x1-decode-D7E8-stochastic_a16_pairs";
const std::string transforming_too = "quantize_nvfp4-bf16-te_nvfp4-16x1-decode-D7E8-stochastic_a16";

QuantizeNvfp4 random_quantizer(const std::string& name) { return as_quantize_nvfp4(parse_operation(name)); }

/// Few draws: a bias of an eighth is found.
stochastic::Parameters of_few_draws() {
    stochastic::Parameters parameters;
    parameters.bias = {1, 8};
    parameters.lanes = 16'411;
    return parameters;
}

/// The row of the distribution of the planted quantizer.
verdict::Row distribution_with(const std::string& name, const std::string& fault) {
    const auto subject = test::open_plugin(test::planted_plugin("nvfp4_quantizer").c_str(), fault);
    verdict::CertifyOptions options;
    options.stochastic = of_few_draws();
    options.level = Level::smoke;
    options.filters = {name + "/distribution"};
    verdict::GoldenSource golden;
    const std::vector<verdict::Row> rows =
        certify_operation(*subject, parse_operation(name), {&find_profile("nvidia-te")}, golden, options);
    REQUIRE(rows.size() == 1);
    return rows.front();
}

/// The row has the status, and one name that holds these words.
void check_named(const std::string& operation, const std::string& fault, Status status, const std::string& name) {
    CAPTURE(fault);
    const verdict::Row row = distribution_with(operation, fault);
    INFO(row.reason);
    CHECK(row.status == status);
    REQUIRE(row.known_as.size() == 1);
    CHECK_THAT(row.known_as.front().how, Contains(name));
}

} // namespace

TEST_CASE("an operation that rounds at random says by which law", "[operation][nvfp4]") {
    const QuantizeNvfp4 known = random_quantizer(rounding_at_random);
    REQUIRE(known.random);
    CHECK(known.random->law == Rounding::stochastic_a);
    CHECK(known.random->bits == 16);
    const QuantizeNvfp4 open = random_quantizer("quantize_nvfp4-fp32-te_nvfp4-16x16-none-stochastic");
    REQUIRE(open.random);
    CHECK(open.random->bits == 0);
    CHECK_FALSE(known.random->pairs);
    const QuantizeNvfp4 paired = random_quantizer(by_pairs);
    REQUIRE(paired.random);
    CHECK(paired.random->bits == 16);
    CHECK(paired.random->pairs);
    CHECK(random_quantizer("quantize_nvfp4-fp32-te_nvfp4-16x16-none-stochastic_pairs").random->pairs);
    CHECK(random_quantizer(transforming_too).hadamard);
    CHECK_FALSE(random_quantizer("quantize_nvfp4-bf16-te_nvfp4-1x16-decode").random);
    CHECK(suite_of(parse_operation(rounding_at_random)).draws_randomly(parse_operation(rounding_at_random)));
    const Operation right = parse_operation("quantize_nvfp4-bf16-te_nvfp4-1x16-decode");
    CHECK_FALSE(suite_of(right).draws_randomly(right));
    for (const char* const wrong : {"quantize_nvfp4-bf16-torchao_nvfp4-1x16-decode-stochastic_a16",
                                    "quantize_nvfp4-bf16-te_nvfp4_4over6-1x16-decode-stochastic_a16",
                                    "quantize_nvfp4-bf16-te_nvfp4-1x16-decode-stochastic_a33",
                                    "quantize_nvfp4-bf16-te_nvfp4-1x16-decode-stochastic_a16_fours",
                                    "quantize_nvfp4-bf16-te_nvfp4-1x16-decode-stochastic_d8"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_operation(wrong), std::invalid_argument);
    }
}

TEST_CASE("the inputs of elements at random are scaled values under several scales", "[operation][nvfp4]") {
    for (const std::string& name :
         {rounding_at_random, transforming_too, std::string("quantize_nvfp4-fp32-te_nvfp4-1x16-none-stochastic_a16"),
          std::string("quantize_nvfp4-fp16-te_nvfp4-16x16-decode-stochastic_a16")}) {
        CAPTURE(name);
        const RandomPlan random(random_quantizer(name), of_few_draws());
        std::set<exact::Rational> factors;
        std::set<Code> gaps;
        for (const stochastic::Input& input : random.plan().inputs) {
            factors.insert(input.factor);
            gaps.insert(input.lower & formats::e2m1.magnitude_mask());
            const exact::Rational magnitude = exact::decode(formats::fp32, input.code).magnitude;
            CHECK(magnitude == exact::decode(formats::e2m1, input.lower).magnitude + input.eta * input.gap);
            CHECK(input.lower + 1 == input.upper);
        }
        CHECK(factors.size() == random.scalings().size());
        CHECK(gaps == std::set<Code>{0, 1, 2, 3, 4, 5, 6});
        // Zero, the codes, and what saturates.
        CHECK(random.plan().fixed.size() == 20);
    }
}

TEST_CASE("every place of a block is drawn and makes its scale in turn", "[operation][nvfp4]") {
    const RandomPlan random(random_quantizer(rounding_at_random), of_few_draws());
    const std::uint64_t size = random.block_size();
    for (const RandomPlan::Shape& shape : random.shapes()) {
        std::set<std::uint64_t> drawn;
        std::set<std::uint64_t> largest;
        std::uint64_t draws = 0;
        const RandomCall call = random.call(shape, 1, 0);
        for (std::uint64_t lane = 0; lane < shape.places.size(); ++lane) {
            const bool is_draw = (call.drawn.front()[lane / 64] >> lane % 64 & 1U) != 0;
            draws += is_draw ? 1 : 0;
            CHECK((call.lower[lane] == RandomCall::none) == (is_draw || shape.places[lane] == RandomPlan::no_place));
            if (is_draw)
                drawn.insert(lane % size);
            else if (call.lower[lane] != RandomCall::none && call.lower[lane] != 0)
                largest.insert(lane % size);
        }
        CHECK(drawn.size() == size);
        CHECK(largest.size() == size);
        CHECK(draws >= random.plan().drawn);
    }
}

TEST_CASE("a quantizer to NVFP4 that rounds at random passes", "[operation][nvfp4][values]") {
    for (const std::string& name : {rounding_at_random, transforming_too, by_pairs}) {
        for (const char* const part : {"/tensor", "/scale", "/elements", "/blocks"}) {
            const std::vector<verdict::Row> rows = test::certify_plugin(test::planted_plugin("nvfp4_quantizer").c_str(),
                                                                        "", "nvidia-te", name + part, 1, Level::smoke);
            REQUIRE(rows.size() == 1);
            INFO(rows.front().id << ": " << rows.front().reason);
            CHECK(rows.front().status == Status::pass);
            CHECK(rows.front().compared > 0);
            CHECK(rows.front().repeated == 0);
            CHECK(rows.front().observed_sha256.empty());
        }
        const verdict::Row row = distribution_with(name, "");
        INFO(row.reason);
        CHECK(row.status == Status::pass);
    }
}

TEST_CASE("where pairs share their bits one of each is a draw, and neighbours at every other distance are compared",
          "[operation][nvfp4][values]") {
    for (const std::string& name : {by_pairs, transforming_by_pairs}) {
        const RandomPlan random(random_quantizer(name), of_few_draws());
        for (const RandomPlan::Shape& shape : random.shapes()) {
            std::set<std::uint64_t> places;
            for (std::uint64_t round = 0; round < 4; ++round) {
                const RandomCall call = random.call(shape, round, 0);
                std::uint64_t draws = 0;
                std::vector<std::uint64_t> compared(stochastic::distances.size());
                const auto is_draw = [&](std::uint64_t lane) {
                    return lane < shape.places.size() &&
                           std::any_of(call.drawn.begin(), call.drawn.end(),
                                       [&](const auto& words) { return (words[lane / 64] >> lane % 64 & 1U) != 0; });
                };
                for (std::uint64_t lane = 0; lane < shape.places.size(); ++lane) {
                    if (!is_draw(lane)) continue;
                    ++draws;
                    places.insert((lane - shape.first_lane) % 16);
                    CHECK_FALSE(is_draw(shape.first_lane + ((lane - shape.first_lane) ^ 1U)));
                    for (std::size_t i = 0; i < compared.size(); ++i)
                        compared[i] += is_draw(lane + stochastic::distances.at(i)) ? 1 : 0;
                }
                CHECK(draws >= random.plan().drawn);
                for (std::size_t i = 1; i < compared.size(); ++i) CHECK(compared[i] > draws / 8);
            }
            CHECK(places.size() == 16);
        }
    }
}

TEST_CASE("draws that pairs share are no mistake where they may, and all others are",
          "[operation][nvfp4][.][exhaustive]") {
    const auto [fault, status, name] = GENERATE(table<std::string, Status, std::string>({
        {"elements to nearest", Status::fail, "deterministic"},
        {"the same random bits for four elements", Status::mistrusted, ""},
        {"one random number for a block", Status::mistrusted, "one random number for a block"},
        {"the same random numbers in every block", Status::mistrusted, "the same random numbers in every block"},
        {"the last place of blocks to nearest", Status::fail, "a place of the blocks"},
    }));
    check_named(by_pairs, fault, status, name);
}

TEST_CASE("draws that blocks share are named by their distance", "[operation][nvfp4]") {
    stochastic::Verdict verdict;
    verdict.fault = stochastic::Fault::lanes_together;
    const auto named = [&](std::vector<std::size_t> together) {
        verdict.together = std::move(together);
        const auto fault = fault_of_blocks(verdict, 16, false);
        return fault ? fault->how : "";
    };
    CHECK(named({0, 1, 2, 3}) == "one random number for a block");
    CHECK(named({0}) == "the same random bits for both elements of a byte");
    CHECK(named({4, 5, 6, 7, 8, 9, 10, 11, 12}) == "the same random numbers in every block");
    CHECK(named({1}).empty());
    CHECK(named({0, 4}).empty());
    verdict.fault = stochastic::Fault::one_place;
    for (const std::size_t place : {std::size_t{3}, std::size_t{19}, std::size_t{35}})
        verdict.rejected.push_back({stochastic::TestKind::place, place, true});
    CHECK(named({}).empty());
    verdict.rejected.push_back({stochastic::TestKind::nearer, 51, true});
    CHECK(named({}) == "a place of the blocks that is rounded otherwise");
    verdict.rejected.push_back({stochastic::TestKind::place, 20, true}); // of smaller blocks
    CHECK(named({}) == "a place of the blocks that is rounded otherwise");
}

TEST_CASE("a quantizer to NVFP4 at random that is wrong is named", "[operation][nvfp4][.][exhaustive]") {
    const auto [fault, status, name] = GENERATE(table<std::string, Status, std::string>({
        {"elements to nearest", Status::fail, "deterministic"},
        {"one random number for a block", Status::mistrusted, "one random number for a block"},
        {"the same random bits for both elements of a byte", Status::mistrusted, "both elements of a byte"},
        {"the same random numbers in every block", Status::mistrusted, "the same random numbers in every block"},
        {"the same random numbers in every call", Status::mistrusted, "same_each_call"},
        {"2 random bits", Status::fail, "few_bits"},
        {"noise before values are scaled", Status::fail, "early_noise"},
        {"the last place of blocks to nearest", Status::fail, "a place of the blocks"},
    }));
    check_named(rounding_at_random, fault, status, name);
}

TEST_CASE("draws under a wrong scale are no draws", "[operation][nvfp4]") {
    for (const char* const fault : {"the scale of a block rounded up", "the tensor's amax mapped to 256 x 6"}) {
        CAPTURE(fault);
        const verdict::Row row = distribution_with(rounding_at_random, fault);
        CHECK(row.status == Status::fail);
        CHECK_THAT(row.reason, Contains("nothing is known of draws: the scale of "));
    }
}

TEST_CASE("the recipe of a quantizer to NVFP4 at random is identified", "[.][exhaustive]") {
    const auto subject = test::open_plugin(test::planted_plugin("nvfp4_quantizer").c_str(), "");
    const FoundCases found = identify_nvfp4(*subject, parse_operation(rounding_at_random));
    INFO(found.reason);
    CHECK(found.status == Status::pass);
    CHECK(found.name == "te_nvfp4");
    CHECK(found.explained == found.asked);
}
