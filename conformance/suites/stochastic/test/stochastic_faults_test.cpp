// SPDX-License-Identifier: Apache-2.0
// Wrong generators: each is caught and named.
#include <bit>
#include <memory>

#include "catch.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"
#include "conformance/test/stochastic_fakes.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/tables/permit.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using namespace mxcert::suites::stochastic;
using exact::Rational;

namespace {

Conversion fp32_to(std::string_view target) {
    Conversion c = make_conversion("fp32", target, "nearest_even", "sat", 0);
    c.rounding = Rounding::stochastic_a;
    return c;
}

const Law full = exactly(Rounding::stochastic_a, 32);

/// Held to the law of 32 random bits, and to none in particular.
std::vector<Plan> plans(const Rational& bias = {1, 8}) {
    return {plan(fp32_to("e4m3"), quick(full, bias)), plan(fp32_to("e5m2"), quick({}, bias))};
}

void is_named(const Verdict& verdict, Fault fault, const std::string& words, Status status = Status::fail) {
    CAPTURE(verdict.reason);
    CHECK(verdict.status == status);
    CHECK(to_string(verdict.fault) == to_string(fault));
    CHECK_THAT(verdict.reason, Catch::Matchers::Contains(words));
}

/// The backend with the answers of some lanes and inputs changed.
template <class Change> stochastic::Backend changed(stochastic::Backend right, Change change) {
    return [right = std::move(right), change](const Plan& plan, std::uint64_t request, std::span<Code> out) {
        right(plan, request, out);
        const std::size_t place = request % (plan.inputs.size() + 1);
        for (std::size_t lane = 0; place != 0 && lane < out.size(); ++lane)
            change(plan.inputs[place - 1], lane, out[lane]);
    };
}

/// A value plus noise of one size, rounded to nearest or truncated, in binary64: a sum is right to 2^-53 of it.
stochastic::Backend with_noise(double unit, bool truncated) {
    return [=](const Plan& plan, std::uint64_t request, std::span<Code> out) {
        const std::vector<Code> in = values_of(plan, request);
        Choices choices = choices_of(plan.conversion);
        choices.rounding = truncated ? Rounding::toward_zero : Rounding::nearest_even;
        const Words words = independent(9);
        for (std::size_t lane = 0; lane < out.size(); ++lane) {
            const double x = std::bit_cast<float>(static_cast<std::uint32_t>(in[lane]));
            const double noise = words(request, lane) * 0x1p-32;
            const double sum = truncated ? (x < 0 ? x - noise * unit : x + noise * unit) : x + (noise - 0.5) * unit;
            out[lane] = fast::convert(formats::fp64, *plan.conversion.to, choices, std::bit_cast<Code>(sum));
        }
    };
}

} // namespace

TEST_CASE("roundings that are not stochastic are named", "[values]") {
    for (const Plan& p : plans()) {
        for (unsigned r = 0; !is_stochastic(static_cast<Rounding>(r)); ++r) {
            const auto rounding = static_cast<Rounding>(r);
            const auto one_answer = [rounding](const Plan& plan, const Input& input) {
                Choices choices = choices_of(plan.conversion);
                choices.rounding = rounding;
                return exact::convert(*plan.conversion.from, *plan.conversion.to, choices, input.code).code;
            };
            const auto probability = [&](const Input& input) {
                return Rational(one_answer(p, input) == input.upper ? 1 : 0);
            };
            is_named(run(p, by_probability(probability, independent(1))), Fault::deterministic,
                     std::string(mxcert::to_string(rounding)));
        }
    }
}

TEST_CASE("one answer always, by no rounding that has a name") {
    for (const Plan& p : plans())
        is_named(run(p, by_probability([](const Input& input) { return Rational(input.eta > Rational(1, 5) ? 1 : 0); },
                                       independent(1))),
                 Fault::deterministic, "has no name");
}

TEST_CASE("a bias is named with its direction and its size", "[values]") {
    struct Case {
        Rational away; // added to the probability where the input is positive
        bool turns;    // and taken away where it is negative
        Fault fault;
        const char* words;
    };
    const Rational bias(1, 16);
    for (const Plan& p : plans(Rational(1, 16))) {
        const Rational planted = bias + p.parameters.law.tolerance;
        for (const Case& c : {Case{planted, false, Fault::magnitude_bias, "toward larger magnitudes by 0.06"},
                              Case{-planted, false, Fault::magnitude_bias, "toward zero by 0.06"},
                              Case{planted, true, Fault::value_bias, "toward +Inf by 0.06"},
                              Case{-planted, true, Fault::value_bias, "toward -Inf by 0.06"}}) {
            const auto probability = [&](const Input& input) {
                const Rational off = c.turns && input.negative ? -c.away : c.away;
                return std::clamp(input.eta + off, Rational(0), Rational(1));
            };
            is_named(run(p, by_probability(probability, independent(3))), c.fault, c.words);
        }
    }
}

TEST_CASE("a bias of one input is caught and the input named") {
    for (const Plan& p : plans()) {
        const Input& chosen = p.inputs[p.inputs.size() / 2];
        const auto probability = [&](const Input& input) {
            return input.code == chosen.code
                       ? Rational(input.eta > Rational(1, 2) ? input.low - Rational(1, 8) : input.high + Rational(1, 8))
                       : input.eta;
        };
        const Verdict verdict = run(p, by_probability(probability, independent(4)));
        CHECK(verdict.status == Status::fail);
        CHECK_THAT(verdict.reason, Catch::Matchers::Contains(hex(chosen.code, *p.conversion.from)));
    }
}

TEST_CASE("few random bits are counted", "[values]") {
    for (const Plan& p : plans(Rational(1, 16)))
        for (const unsigned bits : {1U, 4U})
            for (const Rounding rounding : {Rounding::stochastic_a, Rounding::stochastic_b, Rounding::stochastic_c}) {
                const auto probability = [&](const Input& input) {
                    return stochastic::probability(rounding, bits, input.eta);
                };
                is_named(run(p, by_probability(probability, independent(5))), Fault::few_bits,
                         std::string(mxcert::to_string(rounding)) + " with " + std::to_string(bits) + " random bit");
            }
}

TEST_CASE("8 random bits in the place of 32 are seen where the law is known", "[values]") {
    const Plan p = plan(fp32_to("e4m3"), quick(full, Rational(1, 64)));
    const auto probability = [&](const Input& input) {
        return stochastic::probability(Rounding::stochastic_a, 8, input.eta);
    };
    is_named(run(p, by_probability(probability, independent(6))), Fault::few_bits, "stochastic_a with 8 random bits");
}

TEST_CASE("noise that is not scaled to the gap is named with its size", "[values]") {
    for (const Plan& p : plans()) {
        is_named(run(p, with_noise(1, false)), Fault::fixed_noise, "uniform in [-1/2, 1/2) of 1 everywhere");
        is_named(run(p, with_noise(1, true)), Fault::fixed_noise, "uniform in [0, 1) of 1 everywhere");
        is_named(run(p, with_noise(0.125, false)), Fault::fixed_noise, "of 1/8 everywhere");
        is_named(run(p, with_noise(0.25, false)), Fault::fixed_noise, "of 1/4 everywhere");
    }
}

TEST_CASE("one random number for all lanes is named") {
    const Words words = [](std::uint64_t request, std::uint64_t) { return independent(7)(request, 0); };
    for (const Plan& p : plans())
        is_named(run(p, by_probability(ideal, words)), Fault::one_number, "one random number for all lanes",
                 Status::mistrusted);
}

TEST_CASE("the same numbers in each call are named") {
    const Words words = [](std::uint64_t, std::uint64_t lane) { return independent(8)(0, lane); };
    for (const Plan& p : plans())
        is_named(run(p, by_probability(ideal, words)), Fault::same_each_call, "every call starts from the same",
                 Status::mistrusted);
}

TEST_CASE("lanes that share a random number are named with their distance", "[values]") {
    for (const Plan& p : plans()) {
        const auto shared = [](std::uint64_t keep) {
            return Words(
                [keep](std::uint64_t request, std::uint64_t lane) { return independent(9)(request, lane & keep); });
        };
        is_named(run(p, by_probability(ideal, shared(~std::uint64_t{3}))), Fault::lanes_together, "distance of 1 ",
                 Status::mistrusted);
        // A generator that starts again every 256 lanes.
        is_named(run(p, by_probability(ideal, shared(255))), Fault::lanes_together, "distance of 256 ",
                 Status::mistrusted);
        // With many calls some places are wrong by more than chance: each of its lanes has one of four numbers.
        Plan long_calls = p;
        long_calls.parameters.lanes = 16'411;
        is_named(run(long_calls, by_probability(ideal, shared(255))), Fault::lanes_together, "distance of 256 ",
                 Status::mistrusted);
        // Half of the lanes repeat what they had in the call before.
        const Words every_second = [inputs = p.inputs.size() + 1](std::uint64_t request, std::uint64_t lane) {
            const std::uint64_t round = request / inputs;
            return independent(10)((lane & 1) != 0 ? request : request - (round & 1) * inputs, lane);
        };
        is_named(run(p, by_probability(ideal, every_second)), Fault::lanes_together, "same lane of two calls",
                 Status::mistrusted);
    }
}

TEST_CASE("wrong subnormals alone are named as such") {
    for (const Plan& p : plans()) {
        // The random bits stand where they belong for normal numbers: there are too few of them above the cut.
        const auto probability = [](const Input& input) {
            const bool subnormal = input.region == Region::subnormal || input.region == Region::below_smallest;
            return subnormal ? std::max(Rational(1 - 4 * (1 - input.eta)), Rational(0)) : input.eta;
        };
        is_named(run(p, by_probability(probability, independent(11))), Fault::one_region, "subnormal");
    }
}

TEST_CASE("wrong places of the array are named", "[values]") {
    for (const Plan& p : plans()) {
        const stochastic::Backend right = by_probability(ideal, independent(12));
        const std::uint64_t lanes = p.parameters.lanes;
        is_named(run(p, changed(right,
                                [](const Input& input, std::size_t lane, Code& out) {
                                    if (lane % 32 == 5) out = input.lower;
                                })),
                 Fault::one_place, "lanes 5 modulo 64, 37 modulo 64");
        is_named(run(p, changed(right,
                                [lanes](const Input& input, std::size_t lane, Code& out) {
                                    if (lane + 40 >= lanes) out = input.lower;
                                })),
                 Fault::one_place, "the last 64");
    }
}

TEST_CASE("one answer that is neither of the two codes fails") {
    for (const Plan& p : plans()) {
        const Code chosen = p.inputs[p.inputs.size() / 2].code;
        const auto once = [chosen, done = std::make_shared<bool>(false)](const Input& input, std::size_t, Code& out) {
            if (input.code != chosen || *done) return;
            out = input.upper + 1;
            *done = true;
        };
        is_named(run(p, changed(by_probability(ideal, independent(13)), once)), Fault::not_a_neighbour, "in 1 of ");
    }
}

TEST_CASE("one wrong answer to what has one answer fails", "[values]") {
    for (const Plan& p : plans()) {
        const stochastic::Backend right = by_probability(ideal, independent(14));
        const auto backend = [&](std::size_t index, Code answer) {
            return [&right, index, answer](const Plan& plan, std::uint64_t request, std::span<Code> out) {
                right(plan, request, out);
                if (request == 0) out[index] = answer;
            };
        };
        const auto index_of = [&](Code code) {
            const auto at =
                std::find_if(p.fixed.begin(), p.fixed.end(), [&](const Fixed& f) { return f.code == code; });
            REQUIRE(at != p.fixed.end());
            return static_cast<std::size_t>(at - p.fixed.begin());
        };
        is_named(run(p, backend(index_of(0x3F800000), 0)), Fault::fixed_changed, "3F800000");
        is_named(run(p, backend(index_of(0x80000000), 0)), Fault::fixed_changed, "80000000"); // -0 without its sign
        is_named(run(p, backend(index_of(0x7FFFFFFF), 0)), Fault::fixed_changed, "7FFFFFFF");
        // Another NaN is as good.
        const Code nan = p.conversion.to->magnitude_mask() | p.conversion.to->sign_bit();
        CHECK(run(p, backend(index_of(0x7FFFFFFF), nan)).status == Status::pass);
    }
}
