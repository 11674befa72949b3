// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "conformance/suites/stochastic/stochastic.hpp"
#include "reference/base/random.hpp"

/// Backends with a generator of their own, right and wrong, as functions.
namespace mxcert::suites::stochastic {

/// A quick plan: 1/8 of a gap is found in a few thousand draws.
inline Parameters quick(Law law, exact::Rational bias = {1, 8}) {
    Parameters parameters;
    parameters.law = std::move(law);
    parameters.bias = std::move(bias);
    parameters.lanes = 997;
    return parameters;
}

/// Exactly the law of a rounding.
inline Law exactly(Rounding rounding, unsigned bits) { return {rounding, bits, 0}; }

/// Answers to one request: the plan, the index of the request, and where the answers go, one a lane.
using Backend = std::function<void(const Plan&, std::uint64_t request, std::span<Code> out)>;

inline Tally tally(const Plan& plan, const Backend& backend, std::uint64_t requests = ~std::uint64_t{0}) {
    Tally tally(plan);
    std::vector<Code> out(plan.parameters.lanes);
    for (std::uint64_t i = 0; i < std::min(requests, plan.requests()); ++i) {
        backend(plan, i, out);
        tally.add(out);
    }
    return tally;
}

inline Verdict run(const Plan& plan, const Backend& backend) { return judge(tally(plan, backend)); }

/// The random word of a draw: of a seed, the number of the request and the lane.
using Words = std::function<std::uint32_t(std::uint64_t request, std::uint64_t lane)>;

inline Words independent(std::uint64_t seed) {
    return [seed](std::uint64_t request, std::uint64_t lane) {
        return static_cast<std::uint32_t>(SplitMix64::at(seed, request << 32 | lane) >> 32);
    };
}

/// Goes away from zero where the random word is below this probability of the input; gives what is fixed.
inline Backend by_probability(std::function<exact::Rational(const Input&)> probability, Words words) {
    return [probability = std::move(probability), words = std::move(words)](const Plan& plan, std::uint64_t request,
                                                                            std::span<Code> out) {
        const std::size_t place = request % (plan.inputs.size() + 1);
        if (place == 0) {
            for (std::size_t lane = 0; lane < out.size(); ++lane)
                out[lane] = plan.fixed[plan.fixed_at(request, lane)].expected;
            return;
        }
        const Input& input = plan.inputs[place - 1];
        const exact::Rational scaled = probability(input) * exact::power_of_two(32);
        const auto bound = static_cast<std::uint64_t>(floor(scaled));
        for (std::size_t lane = 0; lane < out.size(); ++lane)
            out[lane] = words(request, lane) < bound ? input.upper : input.lower;
    };
}

/// eta, as finely as 32 random bits have it.
inline exact::Rational ideal(const Input& input) { return input.eta; }

} // namespace mxcert::suites::stochastic
