// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/activation/inputs.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "conformance/suites/blocks/judge.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t seed_of_fill = 0xAC71;
constexpr std::uint64_t values_of_matrix = 1U << 16U;
constexpr std::size_t standard_amaxes = 9; // more of them

std::vector<Code> sorted_once(std::vector<Code> codes) {
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    return codes;
}

/// Fills one block: `number` counts the blocks of all matrices.
using FillBlock = std::function<void(std::span<Code> block, std::uint64_t number)>;

bool for_each_matrix(const Quantize& quantize, unsigned block, const std::string& name, std::uint64_t blocks,
                     const FillBlock& fill, const std::function<bool(QuantizeCase)>& call) {
    const std::uint64_t most = std::max(values_of_matrix / block / whole_lines, std::uint64_t{1}) * whole_lines;
    for (std::uint64_t first = 0; first < blocks; first += most) {
        const std::uint64_t left = std::min(most, blocks - first);
        const std::uint64_t lines = (left + whole_lines - 1) / whole_lines * whole_lines;
        QuantizeCase quantize_case{fmt::format("{}, from number {}", name, first),
                                   {},
                                   {quantize.axis, lines, block, block},
                                   std::vector<Code>(lines * block)};
        for (std::uint64_t line = 0; line < lines; ++line)
            fill(std::span(quantize_case.values).subspan(line * block, block), (first + line) % blocks);
        if (!call(std::move(quantize_case))) return false;
    }
    return true;
}

} // namespace

ActivationInputs::ActivationInputs(const Operation& operation, const Activator& activator,
                                   verdict::GoldenSource& golden, const verdict::CertifyOptions& options)
    : quantize_(as_quantize(operation)), activator_(activator), askers_(judging(operation)), golden_(golden),
      level_(options.level), samples_(options.samples_per_step), seed_(options.seed),
      scale_(tabulate(*quantize_.scale.from, *quantize_.scale.to, choices_of(quantize_.scale))) {}

Code ActivationInputs::scale_of(Code amax) const { return scale_.steps[find_step(scale_, activator_(amax))].code; }

// From zero to Inf no activation falls.
Code ActivationInputs::first_reaching(Code activated) const {
    Code low = 0;
    Code high = activator_.source().inf_code();
    while (low < high) {
        const Code middle = low + (high - low) / 2;
        if (activator_(middle) < activated)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::vector<Code> ActivationInputs::around(const std::vector<Code>& activated, Code largest) const {
    std::vector<Code> codes;
    for (const Code code : activated) {
        const Code first = first_reaching(code);
        for (Code near = first < 2 ? 0 : first - 2; near <= first + 1 && near <= largest; ++near) codes.push_back(near);
    }
    return codes;
}

std::vector<Code> ActivationInputs::amaxes() const {
    const Code inf = activator_.source().inf_code();
    std::vector<Code> codes;
    if (is_narrow_source()) {
        for (Code code = 0; code <= inf; ++code) codes.push_back(code);
        return codes;
    }
    codes = around(verdict::all_boundaries(quantize_.scale, askers_, golden_), inf);
    for (std::uint64_t i = 0; i < std::uint64_t{4} * samples_; ++i) codes.push_back(SplitMix64::at(seed_, i) % inf);
    codes.push_back(inf);
    return sorted_once(std::move(codes));
}

std::vector<Code> ActivationInputs::amaxes_of_elements() const {
    const Format& source = activator_.source();
    std::vector<Code> codes{source.one_code() + source.fraction_mask(), first_reaching(source.max_code()),
                            source.inf_code(), first_reaching(source.fraction_mask())};
    const auto add = [&](Code code) {
        if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
    };
    if (level_ >= Level::standard)
        for (std::size_t i = 0; i < standard_amaxes; ++i) // evenly spread over the exponents, of any fraction
            add((source.max_code() / standard_amaxes * i) | (SplitMix64::at(seed_of_fill, i) & source.fraction_mask()));
    if (level_ == Level::complete) {
        std::map<Code, Code> largest; // amax of each scale
        if (is_narrow_source())
            for (Code code = 0; code <= source.max_code(); ++code) largest[scale_of(code)] = code;
        else
            for (const Step& step : scale_.steps) {
                const Code beyond = first_reaching(step.last + 1);
                if (beyond != 0 && step.last < source.inf_code()) largest[step.code] = beyond - 1;
            }
        for (const auto& [scale, code] : largest) add(code);
    }
    return codes;
}

std::vector<Code> ActivationInputs::values_under(Code amax) {
    const Format& source = activator_.source();
    std::vector<Code> values;
    if (is_narrow_source()) {
        for (Code code = 0; code <= source.last_code(); ++code)
            if (code <= amax || code > source.inf_code()) values.push_back(code); // without a larger positive one
        return values;
    }
    if (pairs_.empty()) pairs_ = verdict::all_boundaries(quantize_.element, askers_, golden_);
    const Format& scaled = *quantize_.element.from;
    const Code scale = scale_of(amax);
    std::vector<Code> firsts;
    for (auto at = std::lower_bound(pairs_.begin(), pairs_.end(), scaled.code_of(scale, 0));
         at != pairs_.end() && scaled.scale_of(*at) == scale; ++at)
        if (!source.is_negative(scaled.value_of(*at))) firsts.push_back(scaled.value_of(*at));
    values = around(firsts, amax);
    const std::size_t positive = values.size();
    for (std::size_t i = 0; i < positive; ++i) values.push_back(values[i] | source.sign_bit());
    for (std::uint64_t i = 0; i < std::uint64_t{16} * samples_; ++i) {
        const std::uint64_t word = SplitMix64::at(seed_, amax + i);
        values.push_back(i % 2 != 0 ? (word & source.magnitude_mask()) | source.sign_bit() : word % (amax + 1));
    }
    values.insert(values.end(), {source.sign_bit(), source.inf_code() | source.sign_bit(), source.inf_code() + 1,
                                 source.magnitude_mask(), source.last_code()});
    return sorted_once(std::move(values));
}

bool for_each_activation_case(const Quantize& quantize, unsigned block, ActivationInputs& inputs,
                              const std::function<bool(QuantizeCase)>& call) {
    const Format& source = *quantize.format.value;
    std::vector<Code> amaxes = inputs.amaxes();
    if (block == 1)
        for (std::size_t i = amaxes.size(); i-- > 0;) amaxes.push_back(amaxes[i] | source.sign_bit());
    // Half of the other values are negative, of any magnitude: none of them counts.
    const auto fill_amax = [&](std::span<Code> values, std::uint64_t number) {
        const Code amax = amaxes[inputs::far_apart(number, amaxes.size())];
        for (std::uint64_t lane = 0; lane < values.size(); ++lane) {
            const std::uint64_t word = SplitMix64::at(seed_of_fill, number * values.size() + lane);
            values[lane] =
                word >> 63U != 0 ? (word & source.magnitude_mask()) | source.sign_bit() : (word >> 1U) % (amax + 1);
        }
        values[SplitMix64::at(seed_of_fill, ~number) % values.size()] = amax;
    };
    if (!for_each_matrix(quantize, block, fmt::format("{} amaxes", amaxes.size()), amaxes.size(), fill_amax, call))
        return false;
    if (block == 1) return true;
    for (const Code amax : inputs.amaxes_of_elements()) {
        const std::vector<Code> all = inputs.values_under(amax);
        const std::uint64_t others = block - 1;
        const std::uint64_t blocks = (all.size() + others - 1) / others;
        const auto fill_values = [&](std::span<Code> values, std::uint64_t number) {
            std::uint64_t next = number * others;
            for (std::uint64_t lane = 0; lane < values.size(); ++lane)
                values[lane] =
                    lane == number % values.size() ? amax : all[inputs::far_apart(next++ % all.size(), all.size())];
        };
        if (!for_each_matrix(quantize, block, fmt::format("values under {}", code_text(source, amax)), blocks,
                             fill_values, call))
            return false;
    }
    return true;
}

} // namespace mxcert::suites
