// SPDX-License-Identifier: Apache-2.0
#include "conformance/subjects/open_subject.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "catch.hpp"
#include "vectors/test/temporary_folder.hpp"

using namespace mxcert;
using namespace mxcert::subjects;

namespace {

/// The stock worker behind a script.
std::unique_ptr<observe::Subject> open_script(const TemporaryFolder& folder, const std::string& before, unsigned jobs) {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    const std::filesystem::path script = folder.file(
        "backend", "#!/bin/sh\n" + before + "\nexec '" MXCERT_TEST_WORKER "' '" MXCERT_TEST_QUANTIZER "'\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    observe::ObserveOptions options;
    options.level = Level::quick;
    options.jobs = jobs;
    options.sandbox_mode = sandbox::Mode::off; // the script makes a folder beside itself
    return open_subject({observe::BackendSpec::Kind::program, "script", script, {}}, options);
}

} // namespace

TEST_CASE("a running backend is started once more if it has two workers", "[subject]") {
    const TemporaryFolder folder;
    const auto subject = open_script(folder, "", 2);
    const auto second = subject->another();
    REQUIRE(second != nullptr);
    CHECK(second->info().operations == subject->info().operations);
    CHECK(open_script(folder, "", 1)->another() == nullptr);
}

TEST_CASE("a backend that cannot be started twice goes on alone", "[subject]") {
    const TemporaryFolder folder;
    const auto subject = open_script(folder, "mkdir '" + (folder.path() / "in_use").string() + "' || exit 1", 2);
    CHECK(subject->another() == nullptr);
}
