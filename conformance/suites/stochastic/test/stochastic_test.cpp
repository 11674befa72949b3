// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/stochastic/stochastic.hpp"

#include <bit>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/stochastic/bernstein.hpp"
#include "conformance/test/stochastic_fakes.hpp"
#include "reference/fast/convert.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using namespace mxcert::suites::stochastic;
using exact::Rational;

namespace {

Conversion conversion(std::string_view source, std::string_view target, std::string_view overflow = "sat") {
    Conversion c = make_conversion(source, target, "nearest_even", overflow, 0);
    c.rounding = Rounding::stochastic_a;
    return c;
}

/// The fast model as a backend, fed with random bits of our own.
template <class Source> stochastic::Backend model_of(Rounding rounding, unsigned bits, std::uint64_t seed) {
    return [=, words = independent(seed)](const Plan& plan, std::uint64_t request, std::span<Code> out) {
        Choices choices = choices_of(plan.conversion);
        choices.rounding = rounding;
        const std::vector<Code> values = values_of(plan, request);
        const std::vector<Source> in(values.begin(), values.end());
        std::vector<std::uint32_t> random(out.size());
        for (std::size_t lane = 0; lane < out.size(); ++lane) random[lane] = words(request, lane) >> (32 - bits);
        std::vector<std::uint8_t> codes(out.size());
        fast::convert_span(*plan.conversion.from, *plan.conversion.to, choices, in.data(), random.data(), codes.data(),
                           codes.size(), bits);
        std::copy(codes.begin(), codes.end(), out.begin());
    };
}

stochastic::Backend model(const Conversion& c, Rounding rounding, unsigned bits, std::uint64_t seed) {
    return c.from->bytes() == 4 ? model_of<std::uint32_t>(rounding, bits, seed)
                                : model_of<std::uint16_t>(rounding, bits, seed);
}

} // namespace

TEST_CASE("the inputs lie where the plan says, in every region and of both signs") {
    for (const std::string_view source : {"fp32", "fp16", "bf16"}) {
        for (const std::string_view target : {"e4m3", "e5m2"}) {
            for (const std::string_view overflow : {"sat", "nosat"}) {
                const Conversion c = conversion(source, target, overflow);
                const Plan p = plan(c, {});
                std::set<std::pair<Region, bool>> seen;
                std::set<Code> codes;
                for (const Input& input : p.inputs) {
                    CAPTURE(source, target, overflow, input.code);
                    const exact::Value value = exact::decode(*c.from, input.code);
                    const exact::Value lower = exact::decode(*c.to, input.lower);
                    CHECK(value.magnitude == lower.magnitude + input.eta * input.gap);
                    CHECK(value.negative == input.negative);
                    if (input.region != Region::overflow)
                        CHECK(exact::decode(*c.to, input.upper).magnitude == lower.magnitude + input.gap);
                    CHECK((input.eta > 0 && input.eta < 1));
                    CHECK(codes.insert(input.code).second);
                    seen.insert({input.region, input.negative});
                }
                CHECK(seen.size() == (overflow == "nosat" ? 14 : 12));
                for (const Fixed& fixed : p.fixed) CHECK(codes.count(fixed.code) == 0);
            }
        }
    }
}

TEST_CASE("each region is what its name says") {
    for (const std::string_view target : {"e4m3", "e5m2", "e2m1", "e2m3", "e3m2", "e4m3fnuz", "e5m2fnuz"}) {
        const Conversion c = conversion("fp32", target, "nosat");
        const Format& to = *c.to;
        const Plan p = plan(c, {});
        std::set<Code> codes;
        for (const Input& input : p.inputs) {
            const exact::Value value = exact::decode(*c.from, input.code);
            CHECK(codes.insert(input.code).second);
            CHECK(value.magnitude == exact::decode(to, input.lower).magnitude + input.eta * input.gap);
            const Code lower = input.lower & to.magnitude_mask();
            const int exponent = exact::floor_log2(value.magnitude);
            CAPTURE(target, input.code, to_string(input.region));
            switch (input.region) {
            case Region::below_smallest:
                CHECK(lower == 0);
                CHECK(value.magnitude < exact::decode(to, 1).magnitude);
                break;
            case Region::subnormal:
                CHECK(lower > 0);
                CHECK(lower >> to.fraction_bits == 0);
                break;
            case Region::lowest_normal: CHECK(exponent == to.emin()); break;
            case Region::middle: CHECK(exponent == 0); break;
            case Region::unit_gap: CHECK(input.gap == 1); break;
            case Region::top: CHECK((input.upper & to.magnitude_mask()) == to.max_code()); break;
            case Region::overflow: CHECK(value.magnitude > exact::decode(to, to.max_code()).magnitude); break;
            }
        }
    }
}

TEST_CASE("fractions reach from the last bit of the source to a half and back") {
    const Plan p = plan(conversion("fp32", "e4m3"), {});
    std::set<Rational> middle;
    for (const Input& input : p.inputs)
        if (input.region == Region::middle) middle.insert(input.eta);
    for (const int k : {1, 2, 3, 4, 6, 8, 12, 16}) {
        CHECK(middle.count(exact::power_of_two(-k)) == 1);
        CHECK(middle.count(1 - exact::power_of_two(-k)) == 1);
    }
    // The smallest subnormal of FP32 lies 2^-140 of a gap above zero.
    CHECK(std::any_of(p.inputs.begin(), p.inputs.end(), [](const Input& input) { return input.code == 1; }));
}

TEST_CASE("what has one answer: every code of the target, zeros, infinities, NaN and what saturates") {
    const Plan p = plan(conversion("fp32", "e4m3"), {});
    const auto expected = [&](Code code) {
        for (const Fixed& fixed : p.fixed)
            if (fixed.code == code) return fixed.expected;
        return Code{0xBAD};
    };
    CHECK(expected(0x00000000) == 0x00);
    CHECK(expected(0x80000000) == 0x80);
    CHECK(expected(0x3F800000) == 0x38);
    CHECK(expected(0xBF900000) == 0xB9);
    CHECK(expected(0x43E00000) == 0x7E); // 448
    CHECK(expected(0x43E80000) == 0x7E); // 464: saturates whichever way it is rounded
    CHECK(expected(0x7F800000) == 0x7E);
    CHECK(expected(0x7F7FFFFF) == 0x7E);
    CHECK(p.conversion.to->is_nan(expected(0x7FFFFFFF)));
    const Plan nosat = plan(conversion("fp32", "e4m3", "nosat"), {});
    const auto at = std::find_if(nosat.inputs.begin(), nosat.inputs.end(),
                                 [](const Input& input) { return input.code == 0x43E80000; });
    REQUIRE(at != nosat.inputs.end());
    CHECK(at->lower == 0x7E);
    CHECK(nosat.conversion.to->is_nan(at->upper));
}

TEST_CASE("the probabilities of the three roundings are those of their definition") {
    for (const Rounding rounding : {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c}) {
        for (unsigned eta = 0; eta < 256; ++eta) {
            unsigned away = 0;
            for (unsigned random = 0; random < 16; ++random)
                away += fast::goes_away(rounding, std::uint64_t{eta} << 56, random, 4) ? 1 : 0;
            CHECK(probability(rounding, 4, Rational(eta, 256)) == Rational(away, 16));
        }
    }
}

namespace {

void check_laws(const Conversion& c, std::initializer_list<unsigned> random_bits) {
    for (const Rounding rounding : {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c}) {
        for (const unsigned bits : random_bits) {
            const Plan p = plan(c, quick(exactly(rounding, bits)));
            const Verdict verdict = run(p, model(p.conversion, rounding, bits, bits));
            CAPTURE(to_string(c), mxcert::to_string(rounding), bits, verdict.reason);
            CHECK(verdict.status == Status::pass);
            CHECK(verdict.compared == p.values());
        }
    }
}

} // namespace

TEST_CASE("every right generator passes, held to its own law", "[values]") {
    check_laws(conversion("fp32", "e4m3", "nosat"), {8, 16, 32});
}

TEST_CASE("right generators of narrow sources pass, held to their own law", "[values]") {
    check_laws(conversion("fp16", "e5m2"), {8});
    check_laws(conversion("bf16", "e4m3"), {32});
}

TEST_CASE("every right generator passes where the law is not known", "[values]") {
    const Plan p = plan(conversion("fp32", "e4m3"), quick({}));
    for (const Rounding rounding : {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c})
        for (const unsigned bits : {8U, 16U, 32U}) {
            const Verdict verdict = run(p, model(p.conversion, rounding, bits, 7));
            CAPTURE(bits, mxcert::to_string(rounding), verdict.reason);
            CHECK(verdict.status == Status::pass);
        }
}

namespace {

void check_seeds(std::uint64_t seeds) {
    const Plan p = plan(conversion("bf16", "e5m2"), quick(exactly(Rounding::stochastic_a, 32)));
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Verdict verdict = run(p, by_probability(ideal, independent(seed)));
        CAPTURE(seed, verdict.reason);
        REQUIRE(verdict.status == Status::pass);
    }
}

} // namespace

TEST_CASE("no seed of a right generator is rejected", "[values]") { check_seeds(30); }

TEST_CASE("none of very many seeds is rejected", "[.][exhaustive]") { check_seeds(5'000); }

TEST_CASE("with the parameters of a certificate the right passes and 1/128 of bias does not", "[.][exhaustive]") {
    const Plan p = plan(conversion("fp32", "e4m3"), {});
    CHECK(run(p, model(p.conversion, Rounding::stochastic_a, 8, 1)).status == Status::pass);
    const auto biased = [](const Input& input) {
        return std::min(input.eta + Rational(1, 128), Rational(1)); // the tolerance and the bias
    };
    const Verdict verdict = run(p, by_probability(biased, independent(1)));
    CHECK(verdict.status == Status::fail);
    CHECK(verdict.fault == Fault::magnitude_bias);
}

TEST_CASE("the smallest bias is found in one input alone, and a quarter of it is not") {
    Parameters parameters;
    parameters.law = exactly(Rounding::stochastic_a, 32);
    parameters.bias = Rational(1, 128);
    const Plan p = plan(conversion("bf16", "e5m2"), parameters);
    // One half has the largest variance: the hardest case.
    const auto found = [&](std::uint64_t bound, std::uint64_t seed) {
        Counts counts;
        counts.draws = p.draws();
        SplitMix64 random(seed);
        for (std::uint64_t i = 0; i < counts.draws; ++i) counts.upper += random() >> 32 < bound ? 1 : 0;
        return outside(counts, Rational(1, 2), Rational(1, 2), p.test_bits).any();
    };
    const std::uint64_t half = std::uint64_t{1} << 31;
    const std::uint64_t bias = std::uint64_t{1} << 25;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CHECK(found(half + bias, seed));
        CHECK(found(half - bias, seed));
        CHECK_FALSE(found(half + bias / 4, seed));
        CHECK_FALSE(found(half, seed));
    }
}

TEST_CASE("answers that are missing are no pass") {
    const Plan p = plan(conversion("bf16", "e5m2"), quick({}));
    const stochastic::Backend right = by_probability(ideal, independent(1));
    CHECK(judge(Tally(p)).status == Status::untested);
    CHECK(judge(tally(p, right, 1)).status == Status::incomplete);
    CHECK(judge(tally(p, right, p.requests() - 1)).status == Status::incomplete);
    CHECK(judge(tally(p, right)).status == Status::pass);
}

TEST_CASE("answers that do not belong to a request are refused") {
    const Plan p = plan(conversion("bf16", "e5m2"), quick({}));
    Tally some(p);
    CHECK_THROWS_AS(some.add(std::vector<Code>(p.parameters.lanes - 1)), std::invalid_argument);
    Tally all = tally(p, by_probability(ideal, independent(1)));
    CHECK_THROWS_AS(all.add(std::vector<Code>(p.parameters.lanes)), std::logic_error);
}

TEST_CASE("parameters out of their range are refused") {
    const Conversion c = conversion("fp32", "e4m3");
    const auto refused = [&](auto change) {
        Parameters parameters;
        change(parameters);
        CHECK_THROWS_AS(plan(c, parameters), std::invalid_argument);
    };
    refused([](Parameters& p) { p.lanes = 127; });
    refused([](Parameters& p) { p.bias = 0; });
    refused([](Parameters& p) { p.law.bits = 33; });
    refused([](Parameters& p) { p.law.tolerance = Rational(2, 3); });
    refused([](Parameters& p) { p.law.rounding = Rounding::nearest_even; });
    CHECK_THROWS_AS(plan(conversion("e4m3", "fp32"), {}), std::invalid_argument);
    Conversion scale = c;
    scale.to = &formats::e8m0;
    CHECK_THROWS_AS(plan(scale, {}), std::invalid_argument);
}

TEST_CASE("the table of docs/stochastic.md is what the functions give") {
    std::ifstream page(MXCERT_TEST_SOURCE "/docs/stochastic.md");
    REQUIRE(page);
    std::vector<std::string> rows;
    for (std::string line; std::getline(page, line);)
        if (line.starts_with("| 2^-")) rows.push_back(line);
    std::vector<std::string> wanted;
    for (const int k : {2, 4, 6, 8, 10, 12}) {
        Parameters parameters;
        parameters.bias = exact::power_of_two(-k);
        const Plan p = plan(conversion("fp32", "e4m3"), parameters);
        wanted.push_back("| 2^-" + std::to_string(k) + " | " +
                         print::grouped(draws_to_detect(parameters.bias, p.test_bits, parameters.miss_bits)) + " | " +
                         print::grouped(p.draws()) + " | " + print::grouped(p.values()) + " |");
    }
    CHECK(rows == wanted);
}
