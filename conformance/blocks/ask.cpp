// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/ask.hpp"

#include "conformance/blocks/observe.hpp"
#include "conformance/sample.hpp"

namespace mxcert {

bool is_narrow(const Quantize& quantize) { return quantize.format.value->width() <= 16; }

std::vector<Code> amaxes_to_ask(const Quantize& quantize, Code largest, const std::vector<Code>& firsts,
                                const Sampling& sampling) {
    std::vector<Code> amaxes;
    if (is_narrow(quantize))
        for (Code code = 0; code <= largest; ++code) amaxes.push_back(code);
    else
        for (const Point& point : choose_points(*quantize.scale.from, firsts, sampling.per_step, sampling.seed))
            if (point.input <= largest) amaxes.push_back(point.input);
    return amaxes;
}

std::vector<Code> amax_of_each_scale(const Quantize& quantize, std::span<const Step> seen) {
    std::vector<Code> amax_of_scale(quantize.element.from->scale->last_code() + 1, no_amax);
    for (const Step& step : seen) amax_of_scale[step.code] = step.last;
    return amax_of_scale;
}

std::vector<Code> pairs_to_ask(const Quantize& quantize, const std::vector<CodeRange>& ranges,
                               const std::vector<Code>& firsts, const Sampling& sampling) {
    std::vector<Code> codes;
    if (is_narrow(quantize)) {
        for (const CodeRange& range : ranges)
            for (Code code = range.first; code <= range.last; ++code) codes.push_back(code);
        return codes;
    }
    auto range = ranges.begin();
    for (const Point& point : choose_points(*quantize.element.from, firsts, sampling.per_step, sampling.seed)) {
        while (range != ranges.end() && range->last < point.input) ++range;
        if (range != ranges.end() && range->first <= point.input) codes.push_back(point.input);
    }
    return codes;
}

} // namespace mxcert
