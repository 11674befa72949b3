// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/observe/subject.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/verdict/exit_code.hpp"

namespace mxcert::test {

/// The path of a planted backend: "tile_quantizer".
[[nodiscard]] inline std::string planted_plugin(const std::string& name) {
    return std::filesystem::path(MXCERT_TEST_QUANTIZER).replace_filename(name + ".so").string();
}

/// A plugin of the tests with a fault, by the name of the fault.
[[nodiscard]] inline std::unique_ptr<observe::Subject> open_plugin(const char* path, const std::string& fault,
                                                                   Level level = Level::quick) {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    observe::ObserveOptions options;
    options.backend_options = fault;
    options.level = level;
    options.timeout = std::chrono::minutes(2); // none of them hangs, and the machine may be busy
    return subjects::open_subject({observe::BackendSpec::Kind::plugin, "plugin", path, {}}, options);
}

/// The rows of a subject that the filter selects.
[[nodiscard]] inline std::vector<verdict::Row> certify_rows(observe::Subject& subject, const std::string& profile,
                                                            const std::string& filter, unsigned samples_per_step,
                                                            Level level) {
    static verdict::GoldenSource golden;
    verdict::CertifyOptions certifying;
    certifying.profiles = {profile};
    certifying.filters = {filter};
    certifying.samples_per_step = samples_per_step;
    certifying.level = level;
    const certify::Plan plan = certify::make_plan(subject, certifying, golden);
    return certify::certify(subject, plan, certifying, {});
}

/// Those of a plugin with a fault.
[[nodiscard]] inline std::vector<verdict::Row> certify_plugin(const char* path, const std::string& fault,
                                                              const std::string& profile, const std::string& filter,
                                                              unsigned samples_per_step, Level level) {
    return certify_rows(*open_plugin(path, fault, level), profile, filter, samples_per_step, level);
}

/// Each row of a quantizer passes. From level quick on all are samples but those of its blocks.
inline void check_quantizer_passes(const std::vector<verdict::Row>& rows, Level level) {
    for (const verdict::Row& row : rows) {
        INFO(row.id << ": " << row.reason);
        CHECK(row.status == Status::pass);
        CHECK((level == Level::smoke || row.sample == !row.id.ends_with("/blocks")));
    }
}

/// The only row is a FAIL. `says`: in the words of the first fault; `named`: in the reason, "" if it names no known
/// one.
inline void check_caught(const std::vector<verdict::Row>& rows, const std::string& says, const std::string& named) {
    REQUIRE(rows.size() == 1);
    const verdict::Row& row = rows.front();
    INFO(row.reason);
    CHECK(row.status == Status::fail);
    CHECK(row.differing > 0);
    REQUIRE_FALSE(verdict::wrong_of(row).empty());
    CHECK(verdict::wrong_of(row).size() <= verdict::CertifyOptions().max_failures);
    CHECK_THAT(verdict::wrong_of(row).front(), Catch::Matchers::Contains(says));
    CHECK_THAT(row.reason, Catch::Matchers::Contains(named));
    CHECK(row.known_as.empty() == named.empty());
    for (const KnownFault& known : row.known_as) CHECK(known.bug_class != nullptr);
    CHECK(verdict::exit_code(rows) == 1);
}

} // namespace mxcert::test
