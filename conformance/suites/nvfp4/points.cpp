// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/nvfp4/points.hpp"

#include <algorithm>

#include "reference/base/random.hpp"
#include "reference/fast/recipe/machine_float.hpp"
#include "reference/fast/recipe/nvfp4.hpp"
#include "vectors/tables/single_bits.hpp"

namespace mxcert::suites {
namespace {

constexpr Code ulps = 2;
constexpr std::size_t most_bits_of_amaxes = 2048;
constexpr std::size_t most_bits_of_values = 64; ///< beside the sticky bits, under one scale

/// Codes from 0 to `last`, some with their neighbours.
class CodesUpTo {
  public:
    explicit CodesUpTo(Code last) : last_(last) {}
    void add(Code code) {
        if (code <= last_) codes_.push_back(code);
    }
    void around(Code code) {
        for (Code step = 0; step <= 2 * ulps; ++step)
            if (code + step >= ulps) add(code + step - ulps);
    }
    /// Where steps begin, and their single-bit neighbours.
    void add_steps(const Format& format, const std::vector<CodeStep>& steps, std::size_t most, std::uint64_t seed) {
        std::vector<Code> firsts{0};
        for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
            firsts.push_back(steps[i].last + 1);
            around(steps[i].last + 1);
        }
        for (const Code code : SingleBits(format, firsts).some(most, seed)) add(code);
    }
    void add_seeded(std::uint64_t count, std::uint64_t seed) {
        for (std::uint64_t i = 0; i < count; ++i) add(SplitMix64::at(seed, i) % (last_ + 1));
    }
    [[nodiscard]] std::vector<Code> list() {
        std::sort(codes_.begin(), codes_.end());
        codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
        return std::move(codes_);
    }

  private:
    Code last_;
    std::vector<Code> codes_;
};

std::vector<Code> all_up_to(Code last) {
    std::vector<Code> all;
    for (Code code = 0; code <= last; ++code) all.push_back(code);
    return all;
}

bool is_narrow(const QuantizeNvfp4& quantize) { return quantize.source->width() <= 16; }

} // namespace

bool asks_every_amax(const QuantizeNvfp4& quantize, Level level) {
    return is_narrow(quantize) && level >= Level::standard;
}

bool asks_every_value(const QuantizeNvfp4& quantize, Level level) {
    return is_narrow(quantize) && level >= Level::complete;
}

std::vector<Code> amaxes_of_tensors(const QuantizeNvfp4& quantize, const Nvfp4Effort& effort) {
    const Format& source = *quantize.source;
    if (asks_every_amax(quantize, effort.level)) return all_up_to(source.max_code());
    CodesUpTo amaxes(source.max_code());
    const Code binade = Code{1} << static_cast<unsigned>(source.fraction_bits);
    for (Code first = 0; first <= source.max_code(); first += is_small(effort.level) ? 16 * binade : binade)
        amaxes.around(first);
    amaxes.around(source.max_code());
    const std::uint64_t of_sample = is_small(effort.level) ? 8 : effort.level == Level::quick ? 16 : 64;
    amaxes.add_seeded(of_sample * std::max(effort.samples, 1U), effort.seed);
    return amaxes.list();
}

std::vector<Code> telling_amaxes(const QuantizeNvfp4& quantize, Code tensor_amax) {
    const recipe::Nvfp4& choices = quantize.recipe->choices;
    const auto wide = [&](Code code) { return fast::bits_of(fast::widened(*quantize.source, code)); };
    const recipe::TensorScales tensor = fast::tensor_scales_of(choices, wide(tensor_amax));
    const unsigned boundaries = quantize.block.rows > 1 && quantize.block.columns > 1 ? 2 : 6;
    std::vector<Code> amaxes;
    for (unsigned i = 0; i < boundaries; ++i) {
        // In the upper binades of E4M3 the scales of nearly all tensors lie.
        const Code scale = 0x40 + SplitMix64::at(tensor_amax, i) % 0x3F;
        Code low = 0;
        Code high = tensor_amax;
        while (low < high) {
            const Code middle = low + (high - low) / 2;
            if (fast::block_scale_of(choices, tensor, wide(middle)) >= scale)
                high = middle;
            else
                low = middle + 1;
        }
        amaxes.push_back(low);
        if (low != 0) amaxes.push_back(low - 1);
    }
    return amaxes;
}

std::vector<Code> amaxes_of_few_tensors(const QuantizeNvfp4& quantize, Level level) {
    const Format& source = *quantize.source;
    const Maker maker(source);
    const Code of_2688 = maker.normal(11, Code{5} << static_cast<unsigned>(source.fraction_bits - 4));
    std::vector<Code> amaxes{source.one_code(), of_2688, source.max_code()};
    // In a tensor whose scale is 1 some blocks are exact, mapped to 6 or to 4.
    if (quantize.recipe->choices.four_over_six != recipe::FourOverSix::off)
        amaxes.push_back(maker.normal(10, Code{1} << static_cast<unsigned>(source.fraction_bits - 1))); // 1536
    if (level >= Level::standard)
        for (const Code amax : {maker.normal(-20, 0x2AAAAA), maker.normal(0, 0x1B7F35), maker.normal(10, 0x6DB6DB),
                                source.fraction_mask() + 1, source.fraction_mask(), Code{1}})
            amaxes.push_back(amax);
    return amaxes;
}

std::vector<Code> amaxes_in_tensor(const QuantizeNvfp4& quantize, Nvfp4Expected& expected, Code tensor_amax,
                                   const Nvfp4Effort& effort) {
    if (asks_every_amax(quantize, effort.level)) return all_up_to(tensor_amax);
    CodesUpTo amaxes(tensor_amax);
    amaxes.add(tensor_amax);
    const std::vector<CodeStep>& steps = expected.scale_steps(tensor_amax);
    amaxes.add_steps(*quantize.source, steps, most_bits_of_amaxes, effort.seed);
    // A block that is mapped to 4 has the scale of an amax 1.5 times as large.
    if (quantize.recipe->choices.four_over_six != recipe::FourOverSix::off)
        for (const CodeStep& step : steps)
            amaxes.around(fast::rounded_to(*quantize.source, fast::widened(*quantize.source, step.last) / 1.5F));
    amaxes.add_seeded(std::uint64_t{16} * effort.samples, effort.seed + tensor_amax);
    return amaxes.list();
}

std::vector<ValuesUnder> values_in_tensor(const QuantizeNvfp4& quantize, Nvfp4Expected& expected, Code tensor_amax,
                                          const Nvfp4Effort& effort) {
    const Format& source = *quantize.source;
    std::vector<ValuesUnder> all;
    for (const CodeStep& step : expected.scale_steps(tensor_amax)) {
        const Code amax = std::min(step.last, tensor_amax);
        ValuesUnder& under = all.emplace_back(ValuesUnder{amax, {}});
        for (const bool negative : {false, true}) {
            CodesUpTo magnitudes(amax);
            magnitudes.add(0);
            const std::uint64_t seed = effort.seed + 2 * amax + (negative ? 1 : 0);
            magnitudes.add_steps(source, expected.element_steps(tensor_amax, step.code, negative), most_bits_of_values,
                                 seed);
            magnitudes.add_seeded(effort.samples, seed);
            const std::vector<Code> list =
                asks_every_value(quantize, effort.level) ? all_up_to(amax) : magnitudes.list();
            for (const Code magnitude : list)
                under.values.push_back(negative ? magnitude | source.sign_bit() : magnitude);
        }
        if (amax == tensor_amax) break;
    }
    return all;
}

} // namespace mxcert::suites
