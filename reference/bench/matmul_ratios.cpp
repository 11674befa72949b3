// SPDX-License-Identifier: Apache-2.0
#include "reference/bench/matmul_ratios.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "reference/base/random.hpp"
#include "reference/fast/matmul/accumulate_matmul.hpp"
#include "reference/fast/matmul/matmul.hpp"

#ifdef MXCERT_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace mxcert {
namespace {

constexpr std::size_t side = 1024;
constexpr double multiply_adds = static_cast<double>(side) * side * side;

double seconds(const std::function<void()>& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    benchmark::ClobberMemory();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// E4M3 elements of all binades, and E8M0 scales that span so many binades, or none. By an accumulator, or exact.
struct Product {
    std::vector<std::uint8_t> a, b, scales_a, scales_b;
    std::vector<std::uint32_t> c, d;
    const Accumulator& model;
    DotFormat format;
    MatmulShape shape;
    unsigned threads;

    Product(const Accumulator& accumulator, std::uint64_t binades, unsigned running)
        : model(accumulator), shape{side, side, side}, threads(running) {
        const Format* scale = binades == 0 ? nullptr : &formats::e8m0;
        format = dot_format(model, formats::e4m3, formats::e4m3, scale);
        if (scale != nullptr) shape.a_scale = shape.b_scale = {32, 1};
        SplitMix64 random(5);
        for (auto* elements : {&a, &b})
            for (std::size_t i = 0; i < side * side; ++i) {
                const std::uint64_t word = random();
                elements->push_back(static_cast<std::uint8_t>((word & 0x80) | (word >> 8) % 0x7F));
            }
        for (auto* scales : {&scales_a, &scales_b})
            for (std::size_t i = 0; scale != nullptr && i < side * side / 32; ++i)
                scales->push_back(static_cast<std::uint8_t>(127 - binades / 2 + random.below(binades)));
        c.resize(side * side);
        d.resize(side * side);
    }
    void operator()() {
        const fast::MatmulBuffers buffers{a.data(), b.data(), scales_a.empty() ? nullptr : scales_a.data(),
                                          scales_b.empty() ? nullptr : scales_b.data(), c.data()};
        if (is_exact(model))
            fast::matmul(format, dot_choices(), shape, buffers, d.data(), threads);
        else
            fast::matmul(model, format, shape, buffers, d.data(), threads);
    }
};

#ifdef MXCERT_HAVE_OPENBLAS
struct Peer {
    std::vector<double> a = std::vector<double>(side * side, 1.5);
    std::vector<double> b = std::vector<double>(side * side, 0.75);
    std::vector<double> d = std::vector<double>(side * side);

    void operator()() {
        constexpr int n = side;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, d.data(),
                    n);
    }
};
#endif

} // namespace

bool print_matmul_ratios() {
    const unsigned threads = std::min(2U, std::max(1U, std::thread::hardware_concurrency()));
#ifdef MXCERT_HAVE_OPENBLAS
    openblas_set_num_threads(static_cast<int>(threads));
    Peer peer;
    peer();
#else
    std::printf("not measured: exact matrix products against OpenBLAS, which was not found (libopenblas-dev)\n");
#endif
    bool met = true;
    const struct {
        const char* accumulator;
        std::uint64_t binades; ///< that the scales span; 0: there are none
        double required;
    } rows[] = {{"exact", 3, 0.50},
                {"exact", 13, 0.05},
                {"exact", 200, 0.02},
                {"hopper_fp8_f32", 0, 0.03},
                {"hopper_fp8_promote_128", 0, 0.02},
                {"blackwell_fp8_f32", 0, 0.03},
                {"blackwell_mxf8f6f4", 13, 0.02},
                {"fp32_fma", 0, 0.20}};
    for (const auto& row : rows) {
        Product product(accumulator(row.accumulator), row.binades, threads);
        product();
        double ours = std::numeric_limits<double>::infinity();
        [[maybe_unused]] double theirs = ours;
        for (int i = 0; i < 7; ++i) {
            ours = std::min(ours, seconds([&] { product(); }));
#ifdef MXCERT_HAVE_OPENBLAS
            theirs = std::min(theirs, seconds([&] { peer(); }));
#endif
        }
        std::string what = "matmul 1024 E4M3, " + std::string(row.accumulator);
        if (row.binades != 0) what += ", scales of " + std::to_string(row.binades) + " binades";
#ifdef MXCERT_HAVE_OPENBLAS
        std::printf("%-52s %9.4f\n", "OpenBLAS dgemm 1024", theirs * 1e9 / multiply_adds);
        const double ratio = theirs / ours;
        const bool good = ratio >= row.required;
        std::printf("%-52s %9.4f %8.2f %9.2f  %s\n", what.c_str(), ours * 1e9 / multiply_adds, ratio, row.required,
                    good ? "MET" : "NOT MET");
        met = met && good;
#else
        std::printf("%-52s %9.4f\n", what.c_str(), ours * 1e9 / multiply_adds);
#endif
    }
    return met;
}

} // namespace mxcert
