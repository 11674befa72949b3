// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "conformance/certify.hpp"
#include "conformance/subject.hpp"

namespace mxcert::test {

/// The rows of a plugin of the tests with a fault, by the name of the fault; those that the filter selects.
[[nodiscard]] inline std::vector<Row> certify_plugin(const char* path, const std::string& fault,
                                                     const std::string& profile, const std::string& filter,
                                                     unsigned samples_per_step) {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    ObserveOptions options;
    options.backend_options = fault;
    const auto subject = open_subject({BackendSpec::Kind::plugin, "plugin", path, {}}, options);
    static GoldenSource golden;
    CertifyOptions certifying;
    certifying.profiles = {profile};
    certifying.filters = {filter};
    certifying.samples_per_step = samples_per_step;
    const Plan plan = make_plan(*subject, certifying, golden);
    return certify(*subject, plan, certifying, {});
}

} // namespace mxcert::test
