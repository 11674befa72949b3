// SPDX-License-Identifier: Apache-2.0
// Speed of the fast model: a table of the ratios that are required, then every loop on values in cache. Exit code 1 if
// a ratio is not met. Arguments are those of Google Benchmark; with --benchmark_filter the table is left out.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "reference/bench/inputs.hpp"
#include "reference/bench/matmul_ratios.hpp"
#include "reference/bench/ratios.hpp"
#include "reference/fast/convert.hpp"

using namespace mxcert;
using namespace mxcert::formats;

namespace {

constexpr std::size_t count = 64 * 1024;

void convert_loop(benchmark::State& state, const Format& from, const Format& to, const Choices& choices,
                  fast::Isa isa) {
    // Bits of eight bytes a value, so enough for any source.
    const std::vector<std::uint32_t> in = make_inputs(Inputs::bell, 2 * count);
    std::vector<std::uint64_t> out(count);
    for ([[maybe_unused]] auto pass : state) {
        fast::convert_span(from, to, choices, in.data(), nullptr, out.data(), count, 0, isa);
        benchmark::ClobberMemory();
    }
    state.counters["ns/value"] = benchmark::Counter(
        static_cast<double>(count) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void register_loop(const Format& from, const Format& to, const Choices& choices) {
    for (const fast::Isa isa : fast::all_isas) {
        if (!fast::runs(isa)) continue;
        const char* const names[] = {"baseline", "avx2", "avx512"};
        const std::string name = std::string(from.name) + "-" + std::string(to.name) + "-" +
                                 std::string(value_name(choices, Choice::rounding)) + "-" +
                                 std::string(value_name(choices, Choice::overflow)) + "/" +
                                 names[static_cast<unsigned>(isa)];
        benchmark::RegisterBenchmark(name.c_str(), [=, &from, &to](benchmark::State& s) {
            convert_loop(s, from, to, choices, isa);
        })->MinTime(0.05);
    }
}

void register_all() {
    for (const Format* from : {&fp32, &bf16, &fp16, &fp64}) {
        for (const Format* to : {&e4m3, &e5m2, &e8m0}) {
            for (const Rounding rounding : {Rounding::nearest_even, Rounding::toward_zero}) {
                for (const Overflow overflow : {Overflow::sat, Overflow::nosat}) {
                    Choices c;
                    c.rounding = rounding;
                    c.overflow = overflow;
                    register_loop(*from, *to, c);
                }
            }
        }
    }
    for (const Format* from : {&e4m3, &e5m2, &e8m0}) {
        for (const Format* to : {&fp32, &bf16, &fp16, &fp64, &e4m3}) register_loop(*from, *to, {});
    }
}

} // namespace

int main(int argc, char** argv) {
    bool filtered = false;
    for (int i = 1; i < argc; ++i) filtered = filtered || std::string_view(argv[i]).starts_with("--benchmark_filter");
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    bool met = filtered || print_ratios();
    if (!filtered) met = print_matmul_ratios() && met;
    register_all();
    register_accumulators();
    benchmark::RunSpecifiedBenchmarks();
    return met ? 0 : 1;
}
