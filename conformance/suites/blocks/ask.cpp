// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/ask.hpp"

#include <algorithm>
#include <iterator>

#include "conformance/cases/small_cases.hpp"
#include "conformance/diagnose/find_choices.hpp"
#include "conformance/inputs/sample.hpp"
#include "conformance/suites/blocks/observe.hpp"
#include "vectors/tables/single_bits.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::suites {
namespace {

// Of small suites: scales under which elements are asked, and single-bit neighbours of the boundaries under them.
constexpr std::size_t few_scales = 5;
constexpr std::size_t few_neighbours = 8192;

// The codes on either side of each of `firsts`.
std::vector<Code> beside(const std::vector<Code>& firsts, const std::vector<inputs::CodeRange>& ranges) {
    std::vector<Code> codes;
    for (const inputs::CodeRange& range : ranges)
        for (auto first = std::lower_bound(firsts.begin(), firsts.end(), range.first);
             first != firsts.end() && *first <= range.last; ++first) {
            if (*first > range.first && (codes.empty() || codes.back() != *first - 1)) codes.push_back(*first - 1);
            codes.push_back(*first);
        }
    return codes;
}

} // namespace

std::vector<Code> united(const std::vector<Code>& a, const std::vector<Code>& b) {
    std::vector<Code> both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

std::vector<Code> firsts_of_all_rules(const Conversion& conversion) {
    Choices this_choices;
    if (conversion.to->element != nullptr) this_choices.rule = ScaleRule::ocp_floor;
    std::vector<Choices> all = diagnose::others_of(this_choices, rounding_or_rule(*conversion.to), *conversion.to);
    all.push_back(this_choices);
    std::vector<Code> firsts;
    for (const Choices& choices : all)
        firsts = united(firsts, inputs::firsts_of(tabulate(*conversion.from, *conversion.to, choices)));
    return firsts;
}

bool is_narrow(const Quantize& quantize) { return quantize.format.value->width() <= 16; }

std::vector<Code> amaxes_to_ask(const Quantize& quantize, Code largest, const std::vector<Code>& firsts,
                                const Sampling& sampling) {
    std::vector<Code> amaxes;
    if (is_narrow(quantize))
        for (Code code = 0; code <= largest; ++code) amaxes.push_back(code);
    else
        for (const inputs::Point& point :
             inputs::choose_points(*quantize.scale.from, firsts, sampling.per_step, sampling.seed))
            if (point.input <= largest) amaxes.push_back(point.input);
    return amaxes;
}

std::vector<Code> amax_of_each_scale(const Quantize& quantize, std::span<const Step> seen) {
    std::vector<Code> amax_of_scale(quantize.element.from->scale->last_code() + 1, no_amax);
    for (const Step& step : seen) amax_of_scale[step.code] = step.last;
    return amax_of_scale;
}

std::vector<Code> pairs_to_ask(const Quantize& quantize, const std::vector<inputs::CodeRange>& ranges,
                               const std::vector<Code>& firsts, const Sampling& sampling) {
    std::vector<Code> codes;
    if (is_narrow(quantize)) {
        for (const inputs::CodeRange& range : ranges)
            for (Code code = range.first; code <= range.last; ++code) codes.push_back(code);
        return codes;
    }
    auto range = ranges.begin();
    for (const inputs::Point& point :
         inputs::choose_points(*quantize.element.from, firsts, sampling.per_step, sampling.seed)) {
        while (range != ranges.end() && range->last < point.input) ++range;
        if (range != ranges.end() && range->first <= point.input) codes.push_back(point.input);
    }
    return codes;
}

void keep_few_scales(const Format& scales, std::vector<Code>& amax_of_scale) {
    std::vector<Code> codes;
    for (Code scale = 0; scale < amax_of_scale.size(); ++scale)
        if (amax_of_scale[scale] != no_amax && !scales.is_nan(scale)) codes.push_back(scale);
    const std::vector<Code> few = cases::thinned(codes, few_scales);
    for (const Code scale : codes)
        if (!std::binary_search(few.begin(), few.end(), scale)) amax_of_scale[scale] = no_amax;
}

std::vector<Code> few_pairs(const Quantize& quantize, std::vector<Code> firsts,
                            const std::vector<inputs::CodeRange>& ranges, std::uint64_t seed) {
    std::vector<Code> codes = beside(firsts, ranges);
    const auto in_ranges = [&](Code code) {
        const auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                            [](Code one, const inputs::CodeRange& range) { return one < range.first; });
        return after != ranges.begin() && code <= std::prev(after)->last;
    };
    std::erase_if(firsts, [&](Code first) { return !in_ranges(first); });
    for (const Code code : SingleBits(*quantize.element.from, firsts).some(few_neighbours, seed))
        if (in_ranges(code)) codes.push_back(code);
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    return codes;
}

} // namespace mxcert::suites
