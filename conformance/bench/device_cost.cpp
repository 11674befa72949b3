// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/device_cost.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "conformance/observe/worker_pool.hpp"

namespace mxcert {
namespace {

constexpr double allowed_ratio = 1.5; ///< of OpenCL on the processor

/// Seconds of the better of two: a driver may compile a kernel at its first use. The status is not PASS where there is
/// no device.
observe::Observation observed(const std::string& path) {
    observe::WorkerPool backend({observe::BackendSpec::Kind::plugin, path, path, {}}, {});
    const Conversion conversion = parse_conversion("fp32-e4m3-nearest_even-sat");
    const observe::Observation first = backend.observe(conversion, nullptr);
    if (first.status != Status::pass) return first;
    observe::Observation second = backend.observe(conversion, nullptr);
    second.seconds = std::min(first.seconds, second.seconds);
    return second;
}

} // namespace

bool compare_devices() {
    const std::string folder = MXCERT_TEST_PLUGINS "/";
    const observe::Observation of_portable = observed(folder + "portable.so");
    if (of_portable.status != Status::pass) throw std::runtime_error("portable: " + of_portable.reason);
    const double portable = of_portable.seconds;
    bool met = true;
    for (const char* const name : {"opencl", "cuda", "hip"}) {
        if (!std::filesystem::exists(folder + name + ".so")) {
            std::printf("%s: not measured: it was not built\n", name);
            continue;
        }
        const observe::Observation seen = observed(folder + name + ".so");
        if (seen.status != Status::pass) {
            std::printf("%s: not measured: %s\n", name, seen.reason.c_str());
            continue;
        }
        const bool has_limit = std::string(name) == "opencl";
        const double ratio = seen.seconds / portable;
        const bool within = !has_limit || ratio <= allowed_ratio;
        std::printf("%s: 2^32 inputs observed in %.2f s, %.2f of portable's%s\n", name, seen.seconds, ratio,
                    !has_limit ? ""
                    : within   ? ", required <= 1.5: MET"
                               : ", required <= 1.5: NOT MET");
        met = met && within;
    }
    return met;
}

} // namespace mxcert
