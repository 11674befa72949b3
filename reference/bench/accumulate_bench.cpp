// SPDX-License-Identifier: Apache-2.0
// Dot products by accumulators, in integers: one instruction's worth of operands each, as in a matrix of E4M3.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "reference/base/random.hpp"
#include "reference/bench/matmul_ratios.hpp"
#include "reference/fast/accumulate.hpp"

namespace mxcert {
namespace {

constexpr std::size_t lines = 64;

/// Finite codes of the middle of a format.
std::vector<Code> codes(const Format& format, std::size_t n, std::uint64_t seed) {
    SplitMix64 random(seed);
    std::vector<Code> all;
    for (std::size_t i = 0; i < n; ++i) {
        const auto field = static_cast<Code>(format.bias) + random.below(4) - 2 + (format.bias < 2 ? 2 : 0);
        const Code code =
            (field << format.fraction_bits | (random() & format.fraction_mask())) & format.magnitude_mask();
        all.push_back(code | (random() & format.sign_bit()));
    }
    return all;
}

void accumulate_loop(benchmark::State& state, const Accumulator& model) {
    const std::size_t n = model.group <= 1 ? 32 : model.group;
    const Format& a = *model.operands[0];
    const bool scaled = model.scale_use != ScaleUse::none && model.scale_use != ScaleUse::factors;
    const Format* const scale = scaled ? model.scales.front() : nullptr;
    const DotFormat format = dot_format(model, a, a, scale);
    const std::vector<Code> x = codes(a, n * lines, 1);
    const std::vector<Code> y = codes(a, n * lines, 2);
    const std::vector<Code> scales(scaled ? 1 : 0, scaled ? scale->one_code() : 0);
    fast::Accumulate accumulate(model, format);
    std::size_t line = 0;
    Code sum = 0;
    for ([[maybe_unused]] auto pass : state) {
        const std::size_t at = n * (line++ % lines);
        sum = accumulate({std::span(x).subspan(at, n), std::span(y).subspan(at, n), scales, scales, 0, 0, 0});
        benchmark::DoNotOptimize(sum);
    }
    state.counters["dots/s"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["products"] = static_cast<double>(n);
}

} // namespace

void register_accumulators() {
    for (const Accumulator& model : accumulators())
        benchmark::RegisterBenchmark(("accumulate-" + std::string(model.name)).c_str(), [&](benchmark::State& state) {
            accumulate_loop(state, model);
        })->MinTime(0.05);
}

} // namespace mxcert
