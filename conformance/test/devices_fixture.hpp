// SPDX-License-Identifier: Apache-2.0
// What the tests of backends on devices have in common.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/backends/backends.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/verdict/exit_code.hpp"

namespace mxcert::test {

/// Rows of a backend of ours, or of a plugin of the tests by its path.
inline std::vector<verdict::Row> certify_device(const observe::BackendSpec& spec, const std::string& options,
                                                const std::vector<std::string>& profiles,
                                                const std::vector<std::string>& filters, Level level = Level::quick) {
    observe::ObserveOptions observing;
    observing.backend_options = options;
    observing.jobs = 1;
    observing.level = level;                          // drivers and kernels that are imitated are slow
    observing.limits.start = std::chrono::minutes(5); // a driver compiles the kernels, on a machine that does more
    observing.timeout = std::chrono::minutes(3);      // and compiles them once more for the device at their first use
    const auto subject = subjects::open_subject(spec, observing);
    static verdict::GoldenSource golden;
    verdict::CertifyOptions certifying;
    certifying.profiles = profiles;
    certifying.filters = filters;
    certifying.samples_per_step = 0;
    certifying.level = level;
    const certify::Plan plan = certify::make_plan(*subject, certifying, golden);
    return certify::certify(*subject, plan, certifying, {});
}

inline void check_passes(const std::vector<verdict::Row>& rows, std::size_t count) {
    CHECK(rows.size() == count);
    for (const verdict::Row& row : rows) {
        CAPTURE(row.id, row.profile, row.reason, row.detail);
        CHECK(row.status == Status::pass);
        CHECK(row.compared > 0);
    }
}

/// A row for each kind of kernel: conversions of each width and way, scales, blocks along both axes, layouts, products.
inline void check_kernels(const observe::BackendSpec& spec, Level level = Level::quick) {
    check_passes(certify_device(spec, "", {"ocp"},
                                {"bf16-e5m2-*", "fp16-e4m3-toward_zero-sat", "bf16-e8m0-up-sat", "e?m?-fp*",
                                 "e8m0-bf16-*", "e5m2_times_e8m0-fp16-*", "amax_fp16-e8m0_for_e5m2-ocp_floor-nosat"},
                                level),
                 4 + 1 + 1 + 9 + 1 + 1 + 1);
    check_passes(certify_device(spec, "", {"nvidia-te"},
                                {"quantize-bf16-e4m3-*-rceil-*/scale", "quantize-fp32-e5m2-*-rceil-*-row-*/blocks",
                                 "dequantize-e4m3-e8m0-fp16-*/blocks", "layout-swizzle_128x4-*"},
                                level),
                 2 + 1 + 2 + 2);
    check_passes(certify_device(spec, "", {"products"},
                                {"matmul-e5m2-e4m3-e8m0-*-tn-*-fp32_multiply_add-*/places",
                                 "matmul-e4m3-e5m2-none-*-nt-*-fp32_multiply_add-*"},
                                level),
                 1 + 4);
}

/// The words with which a run that cannot begin ends. No row passes.
inline std::string refusal(const observe::BackendSpec& spec, const std::string& options) {
    const std::vector<verdict::Row> rows = certify_device(spec, options, {"ocp"}, {"e4m3-fp32-*"});
    REQUIRE(rows.size() == 1);
    CHECK((rows.front().status == Status::error || rows.front().status == Status::unsupported));
    CHECK(verdict::exit_code(rows) != 0);
    return rows.front().reason + rows.front().detail;
}

} // namespace mxcert::test
