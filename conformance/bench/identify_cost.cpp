// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/identify_cost.hpp"

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "conformance/identify/identify_conversion.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/subjects/open_subject.hpp"

namespace mxcert {
namespace {

constexpr double allowed_ratio = 1.2;

template <class Work> double seconds_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

bool compare_identify(const std::string& name, const std::string& path) {
    const Conversion conversion = parse_conversion("fp32-e4m3-nearest_even-sat");
    const std::unique_ptr<observe::Subject> backend =
        subjects::open_subject({observe::BackendSpec::Kind::plugin, path, path, {}}, {});
    verdict::GoldenSource golden;
    const double observing = seconds_of([&] {
        if (backend->observe(conversion, nullptr).status != Status::pass) throw std::runtime_error(path + " fails");
    });
    diagnose::FoundBehaviour found;
    const double identifying = seconds_of([&] { found = identify::identify_conversion(*backend, conversion, golden); });
    if (found.explained != found.asked || found.asked != std::uint64_t{1} << 32)
        throw std::runtime_error(path + " is not explained");
    const double ratio = identifying / observing;
    const bool met = ratio <= allowed_ratio;
    std::printf("%s: observed in %.2f s, identified in %.2f s, ratio %.3f, required <= %g: %s\n", name.c_str(),
                observing, identifying, ratio, allowed_ratio, met ? "MET" : "NOT MET");
    return met;
}

} // namespace mxcert
