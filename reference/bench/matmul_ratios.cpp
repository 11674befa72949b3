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
#include "reference/fast/matmul.hpp"

#ifdef MXCERT_HAVE_OPENBLAS
#include <cblas.h>
extern "C" void openblas_set_num_threads(int threads);
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

/// E4M3 elements of all binades, and E8M0 scales that span so many binades.
struct Product {
    std::vector<std::uint8_t> a, b, scales_a, scales_b;
    std::vector<std::uint32_t> d;
    DotFormat format;
    MatmulShape shape;
    unsigned threads;

    Product(std::uint64_t binades, unsigned running)
        : format{&formats::e4m3, &formats::e4m3, &formats::e8m0, &formats::e8m0, nullptr, &formats::fp32},
          shape{side, side, side, false, false, {32, 1}, {32, 1}}, threads(running) {
        SplitMix64 random(5);
        for (auto* elements : {&a, &b})
            for (std::size_t i = 0; i < side * side; ++i) {
                const std::uint64_t word = random();
                elements->push_back(static_cast<std::uint8_t>((word & 0x80) | (word >> 8) % 0x7F));
            }
        for (auto* scales : {&scales_a, &scales_b})
            for (std::size_t i = 0; i < side * side / 32; ++i)
                scales->push_back(static_cast<std::uint8_t>(127 - binades / 2 + random.below(binades)));
        d.resize(side * side);
    }
    void operator()(fast::Isa isa) {
        fast::matmul(format, dot_choices(), shape, {a.data(), b.data(), scales_a.data(), scales_b.data(), nullptr},
                     d.data(), threads, isa);
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
        const char* name;
        std::uint64_t binades;
        double required;
    } rows[] = {
        {"scales of 3 binades", 3, 0.15}, {"scales of 13 binades", 13, 0.05}, {"scales of 200 binades", 200, 0.02}};
    for (const auto& row : rows) {
        Product product(row.binades, threads);
        product(fast::best_isa());
        double ours = std::numeric_limits<double>::infinity();
        [[maybe_unused]] double theirs = ours;
        for (int i = 0; i < 7; ++i) {
            ours = std::min(ours, seconds([&] { product(fast::best_isa()); }));
#ifdef MXCERT_HAVE_OPENBLAS
            theirs = std::min(theirs, seconds([&] { peer(); }));
#endif
        }
        std::string what = "exact matmul 1024, E4M3, " + std::string(row.name);
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
