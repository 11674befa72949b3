// SPDX-License-Identifier: Apache-2.0
// conformance_bench [BITS]: what observing a backend costs beside a bare loop that calls it on 2^BITS FP32 inputs (32:
// all), what identifying costs beside observing, what devices cost beside the processor, and what making the cases of a
// product costs beside judging them.
#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "conformance/backend.h"
#include "conformance/bench/device_cost.hpp"
#include "conformance/bench/identify_cost.hpp"
#include "conformance/bench/matmul_cases.hpp"
#include "conformance/bench/tensor_cost.hpp"
#include "conformance/observe/worker_pool.hpp"

namespace {

using namespace mxcert;

constexpr double all_inputs = 4294967296.0;
constexpr std::uint64_t batch = 64 * 1024;
constexpr double allowed_ratio = 1.15;
constexpr double allowed_extra = 0.1; ///< ns a value

/// Processor time of this process and the workers that have ended, seconds.
double processor_seconds() {
    double sum = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        ::getrusage(who, &usage);
        sum += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    }
    return sum;
}

/// ns a value, on the clock and of processor time. The second holds on a busy machine too.
struct Cost {
    double wall = 0;
    double processor = 0;
};

const mxcert_api& load(const std::string& path) {
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(path + " cannot be loaded");
    using GetApi = const mxcert_api*(std::uint32_t);
    auto* get_api = reinterpret_cast<GetApi*>(::dlsym(library, "mxcert_get_api"));
    const mxcert_api* api = get_api != nullptr ? get_api(MXCERT_ABI_MAJOR) : nullptr;
    if (api == nullptr) throw std::runtime_error(path + " is no plugin");
    return *api;
}

std::uint32_t index_of(const mxcert_api& api, const char* source) {
    for (std::uint32_t i = 0; i < api.conversion_count; ++i) {
        const mxcert_conversion& offer = api.conversions[i];
        if (std::strcmp(offer.source, source) == 0 && std::strcmp(offer.target, "e4m3") == 0 &&
            std::strcmp(offer.rounding, "nearest_even") == 0 && std::strcmp(offer.overflow, "sat") == 0)
            return i;
    }
    throw std::runtime_error(std::string("no ") + source + "-e4m3-nearest_even-sat");
}

/// ns a value of a loop in this process, in one thread: makes the inputs, spread over all there are, and calls the
/// plugin. Of a source with a given scale each call has the next scale.
Cost bare_loop(const std::string& path, unsigned bits, const char* source = "fp32") {
    const mxcert_api& api = load(path);
    if (api.open != nullptr && api.open("") != MXCERT_OK) throw std::runtime_error(path + " does not open");
    std::vector<std::uint32_t> inputs(batch);
    std::vector<std::uint8_t> outputs(batch);
    mxcert_convert_args args{};
    args.struct_size = sizeof args;
    args.conversion = index_of(api, source);
    args.count = batch;
    args.input = inputs.data();
    args.output = outputs.data();
    const std::uint64_t calls = (std::uint64_t{1} << bits) / batch;
    const std::uint64_t stride = (std::uint64_t{1} << 32) / calls;
    const bool is_scaled = std::string_view(source) != "fp32";
    const double processor = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t call = 0; call < calls; ++call) {
        std::iota(inputs.begin(), inputs.end(), static_cast<std::uint32_t>(call * stride));
        if (is_scaled) args.scale = static_cast<std::uint32_t>(call % 255);
        if (api.convert(&args) != MXCERT_OK) throw std::runtime_error(path + " fails");
    }
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    const auto values = static_cast<double>(calls * batch);
    return {time.count() / values, (processor_seconds() - processor) * 1e9 / values};
}

Cost observed(const std::string& path) {
    const double processor = processor_seconds();
    observe::WorkerPool backend({observe::BackendSpec::Kind::plugin, path, path, {}}, {});
    const observe::Observation seen = backend.observe(parse_conversion("fp32-e4m3-nearest_even-sat"), nullptr);
    if (seen.status != Status::pass) throw std::runtime_error(path + ": " + seen.reason);
    return {seen.seconds * 1e9 / all_inputs, (processor_seconds() - processor) * 1e9 / all_inputs};
}

bool report(const char* name, const Cost& bare, const Cost& seen, bool met, const std::string& requirement) {
    std::printf("%s: bare %.3f ns/value (processor %.3f), observe %.3f (%.3f), %s: %s\n", name, bare.wall,
                bare.processor, seen.wall, seen.processor, requirement.c_str(), met ? "MET" : "NOT MET");
    return met;
}

bool compare_cuda(unsigned bits) {
    const std::string path = MXCERT_TEST_PLUGINS "/cuda_fp8.so";
    if (!std::filesystem::exists(path)) {
        std::puts("cuda_fp8: not measured: it was not built");
        return true;
    }
    const Cost bare = bare_loop(path, bits);
    const Cost seen = observed(path);
    const double ratio = seen.wall / bare.wall;
    return report("cuda_fp8", bare, seen, ratio <= allowed_ratio,
                  fmt::format("ratio {:.3f}, required <= {}", ratio, allowed_ratio));
}

bool compare_fast(unsigned bits) {
    const std::string path = MXCERT_TEST_HOSTILE "/top_byte.so";
    const Cost bare = bare_loop(path, bits);
    const Cost seen = observed(path);
    const double added = seen.wall - bare.wall;
    return report("top_byte", bare, seen, added <= allowed_extra,
                  fmt::format("added {:.3f}, required <= {}", added, allowed_extra));
}

/// The limits with which `./dev bench --write` compares whole runs.
void print_portable(unsigned bits) {
    for (const char* const source : {"fp32", "fp32_by_e8m0"}) {
        const Cost bare = bare_loop(MXCERT_TEST_PLUGINS "/portable.so", bits, source);
        std::printf("portable, %s-e4m3-nearest_even-sat: bare %.3f ns/value (processor %.3f)\n", source, bare.wall,
                    bare.processor);
    }
}

int run(unsigned bits) {
    std::printf("%u cores, bare loops over 2^%u inputs, observe() over 2^32\n", std::thread::hardware_concurrency(),
                bits);
    const bool cuda = compare_cuda(bits);
    const bool fast = compare_fast(bits);
    print_portable(bits);
    const bool identify = compare_identify("portable", MXCERT_TEST_PLUGINS "/portable.so");
    const bool devices = compare_devices();
    const bool tensors = compare_tensors();
    return compare_matmul_cases() && tensors && devices && identify && fast && cuda ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    // Options of Google Benchmark are for the other programs.
    const bool has_bits = argc > 1 && std::string_view(argv[1]).rfind("--benchmark", 0) != 0;
    const int bits = has_bits ? std::atoi(argv[1]) : 32;
    if (bits < 20 || bits > 32) {
        std::fputs("usage: conformance_bench [BITS], 20 to 32\n", stderr);
        return 2;
    }
    try {
        ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 0);
        return run(static_cast<unsigned>(bits));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
