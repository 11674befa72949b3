// SPDX-License-Identifier: Apache-2.0
#include "reference/bench/ratios.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

#include <benchmark/benchmark.h>

#include "reference/bench/inputs.hpp"
#include "reference/bench/peers.hpp"
#include "reference/fast/block.hpp"

namespace mxcert {
namespace {

constexpr std::size_t cached = 64 * 1024;
constexpr std::size_t large = 256 * 1024 * 1024 / sizeof(std::uint32_t);

/// Best time of a call, in nanoseconds a value; `calls` calls a round.
class Timer {
  public:
    Timer(std::size_t n, int calls, std::function<void()> call) : n_(n), calls_(calls), call_(std::move(call)) {}
    void round() {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls_; ++i) {
            call_();
            benchmark::ClobberMemory();
        }
        const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        best_ = std::min(best_, time.count() / calls_ / static_cast<double>(n_));
    }
    [[nodiscard]] double best() const { return best_; }

  private:
    std::size_t n_;
    int calls_;
    std::function<void()> call_;
    double best_ = std::numeric_limits<double>::infinity();
};

struct Buffers {
    std::vector<std::uint32_t> in;
    std::vector<std::uint8_t> out;

    Buffers(Inputs inputs, std::size_t n) : in(make_inputs(inputs, n)), out(n) {}
    void convert(fast::Isa isa) {
        fast::convert_span(formats::fp32, formats::e4m3, {}, in.data(), nullptr, out.data(), in.size(), 0, isa);
    }
    void cuda(fast::Isa isa) {
        peers::cuda_fp32_to_e4m3(reinterpret_cast<const float*>(in.data()), out.data(), in.size(), isa);
    }
    void move(fast::Isa isa) { peers::move(in.data(), out.data(), in.size(), isa); }
};

const char* name(fast::Isa isa) {
    return isa == fast::Isa::avx512 ? "AVX-512" : isa == fast::Isa::avx2 ? "AVX2" : "baseline";
}

void print_row(const std::string& what, double time) { std::printf("%-52s %9.4f\n", what.c_str(), time); }

bool print_row(const std::string& what, double time, double ratio, double required) {
    const bool met = ratio >= required;
    std::printf("%-52s %9.4f %8.2f %9.2f  %s\n", what.c_str(), time, ratio, required, met ? "MET" : "NOT MET");
    return met;
}

/// Rounds of both in turn, so that a machine that changes its clock changes it for both.
void race(Timer& a, Timer& b, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        a.round();
        b.round();
    }
}

bool against_cuda(fast::Isa isa, double required) {
    bool met = true;
    for (const Inputs inputs : {Inputs::sweep, Inputs::bell}) {
        const std::string which = std::string(", 64 Ki in cache, ") + std::string(name(inputs)) + ", " + name(isa);
        Buffers buffers(inputs, cached);
        Timer cuda(cached, 4, [&] { buffers.cuda(isa); });
        Timer ours(cached, 40, [&] { buffers.convert(isa); });
        race(cuda, ours, 25);
        print_row("cuda_fp8 E4M3" + which, cuda.best());
        met = print_row("convert FP32 to E4M3" + which, ours.best(), cuda.best() / ours.best(), required) && met;
    }
    return met;
}

bool against_memory(fast::Isa isa) {
    const std::string which = std::string(", 256 MiB, ") + name(isa);
    Buffers buffers(Inputs::sweep, large);
    Timer move(large, 1, [&] { buffers.move(isa); });
    Timer ours(large, 1, [&] { buffers.convert(isa); });
    race(move, ours, 15);
    print_row("read 4 bytes, write 1" + which, move.best());
    return print_row("convert FP32 to E4M3" + which, ours.best(), move.best() / ours.best(), 0.8);
}

/// A matrix of FP32 and its blocks of 32.
struct Matrix {
    fast::MatrixShape shape;
    Buffers buffers;
    std::vector<std::uint8_t> scales;
    std::vector<std::uint32_t> back;

    Matrix(std::size_t rows, std::size_t columns, std::size_t values_back)
        : shape{rows, columns, 32}, buffers(Inputs::bell, rows * columns), scales(shape.scales(fast::Blocks::rowwise)),
          back(values_back) {
        choices.scale.rule = ScaleRule::rceil;
        quantize(fast::Blocks::rowwise);
    }
    void quantize(fast::Blocks along) {
        fast::quantize({&formats::fp32, &formats::e4m3}, choices, shape, along, buffers.in.data(), buffers.out.data(),
                       scales.data());
    }
    void dequantize() {
        Choices plain;
        plain.overflow = Overflow::nosat;
        fast::dequantize(formats::e4m3, formats::fp32, plain, shape, fast::Blocks::rowwise, buffers.out.data(),
                         scales.data(), back.data());
    }
    BlockChoices choices;
};

bool of_blocks() {
    const fast::Isa isa = fast::best_isa();
    bool met = true;
    {
        Matrix matrix(64, cached / 64, cached);
        Timer convert(cached, 64, [&] { matrix.buffers.convert(isa); });
        Timer rowwise(cached, 64, [&] { matrix.quantize(fast::Blocks::rowwise); });
        Timer columnwise(cached, 64, [&] { matrix.quantize(fast::Blocks::columnwise); });
        for (int i = 0; i < 25; ++i) {
            convert.round();
            rowwise.round();
            columnwise.round();
        }
        print_row("convert FP32 to E4M3, 64 Ki in cache, bell", convert.best());
        met =
            print_row("quantize to MXFP8 rowwise, against that", rowwise.best(), convert.best() / rowwise.best(), 0.65);
        met = print_row("quantize columnwise, against rowwise", columnwise.best(), rowwise.best() / columnwise.best(),
                        0.5) &&
              met;
    }
    constexpr std::size_t side = 8192;
    static_assert(side * side == large);
    Matrix matrix(side, side, large);
    Timer move(large, 1, [&] { matrix.buffers.move(isa); });
    Timer rowwise(large, 1, [&] { matrix.quantize(fast::Blocks::rowwise); });
    race(move, rowwise, 10);
    print_row("read 4 bytes, write 1, 256 MiB", move.best());
    met = print_row("quantize to MXFP8 rowwise, 256 MiB", rowwise.best(), move.best() / rowwise.best(), 0.85) && met;
    Timer spread(large, 1, [&] { peers::spread(matrix.buffers.out.data(), matrix.back.data(), large, isa); });
    Timer dequantize(large, 1, [&] { matrix.dequantize(); });
    race(spread, dequantize, 10);
    print_row("read 1 byte, write 4, 256 MiB", spread.best());
    return print_row("dequantize MXFP8 to FP32, 256 MiB", dequantize.best(), spread.best() / dequantize.best(), 0.7) &&
           met;
}

} // namespace

bool print_ratios() {
    std::printf("%-52s %9s %8s %9s\n", "name", "ns/value", "ratio", "required");
    bool met = true;
    const struct {
        fast::Isa isa;
        double required;
    } targets[] = {{fast::Isa::avx512, 6.0}, {fast::Isa::avx2, 3.0}};
    for (const auto& target : targets) {
        if (!fast::runs(target.isa))
            std::printf("not measured: this machine has no %s\n", name(target.isa));
        else if (!peers::have_cuda())
            std::printf("not measured for %s: cuda_fp8.h was not found\n", name(target.isa));
        else
            met = against_cuda(target.isa, target.required) && met;
    }
    met = against_memory(fast::best_isa()) && met;
    return of_blocks() && met;
}

} // namespace mxcert
