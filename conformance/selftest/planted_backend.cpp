// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/planted_backend.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/certify.hpp"
#include "conformance/observe/linked_in.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "vectors/base/this_program.hpp"

namespace mxcert::selftest {
namespace {

std::vector<std::string_view> classes_of(const verdict::Row& row) {
    std::set<std::string_view> named;
    for (const KnownFault& known : row.known_as) named.insert(known.bug_class->id);
    for (const diagnose::NamedBug& bug : verdict::bugs_of(row)) named.insert(bug.bug_class->id);
    return {named.begin(), named.end()};
}

PlantOutcome outcome_of(const PlantedBackend& planted, const PlantedBackendResult& result) {
    if (result.status == Status::pass) return PlantOutcome::escaped;
    if (result.status != planted.verdict) return PlantOutcome::misnamed;
    if (planted.bug_class.empty()) return result.named.empty() ? PlantOutcome::unnamed : PlantOutcome::misnamed;
    if (result.named.empty()) return planted.may_be_unnamed ? PlantOutcome::unnamed : PlantOutcome::misnamed;
    return result.named == std::vector{planted.bug_class} ? PlantOutcome::named : PlantOutcome::alike;
}

/// Whether several rows are asked, each of which passes alone: the one of their turns does not.
bool is_of_turns(const PlantedBackend& planted) { return planted.row.find('*') != std::string_view::npos; }

std::vector<verdict::Row> rows_of(const PlantedBackend& planted, const std::filesystem::path& folder, Level level) {
    observe::ObserveOptions options;
    options.jobs = 1;
    options.level = level;
    options.backend_options = planted.option;
    const std::filesystem::path plugin = folder / (std::string(planted.plugin) + ".so");
    const auto subject =
        subjects::open_subject({observe::BackendSpec::Kind::plugin, std::string(planted.plugin), plugin, {}}, options);
    verdict::CertifyOptions certifying;
    certifying.profiles = {std::string(planted.profile)};
    certifying.filters = {std::string(planted.row)};
    certifying.samples_per_step = 4;
    certifying.level = level;
    certifying.stochastic.bias = {1, 8}; // few draws: none that is planted is smaller
    certifying.stochastic.lanes = 16'411;
    verdict::GoldenSource golden;
    return certify::certify(*subject, certify::make_plan(*subject, certifying, golden), certifying, {});
}

} // namespace

std::filesystem::path planted_folder() {
    if (observe::stands_alone())
        throw std::runtime_error("wrong backends are plugins: " + observe::no_plugins_reason());
    const std::filesystem::path folder = this_program().parent_path() / ".." / "lib" / "mxcert-planted";
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        throw std::runtime_error(
            fmt::format("{} was not found; they are not installed, the mxcert of a build runs them "
                        "(target mxcert_backends)",
                        folder.string()));
    return std::filesystem::weakly_canonical(folder);
}

PlantedBackendResult run_planted(const PlantedBackend& planted, const std::filesystem::path& folder,
                                 std::optional<Level> level) {
    PlantedBackendResult result;
    result.planted = &planted;
    try {
        std::vector<verdict::Row> rows = rows_of(planted, folder, level.value_or(planted.level));
        if (is_of_turns(planted)) {
            std::erase_if(rows, [](const verdict::Row& row) { return row.id != "turns"; });
            if (rows.empty()) {
                result.status = Status::pass;
                result.outcome = PlantOutcome::escaped;
                return result;
            }
        }
        // One that was not judged has not been caught.
        result.outcome = PlantOutcome::misnamed;
        if (rows.size() != 1) {
            result.reason = fmt::format("{} rows of that name", rows.size());
            return result;
        }
        result.status = rows.front().status;
        result.compared = rows.front().compared;
        result.reason = rows.front().reason;
        result.named = classes_of(rows.front());
        result.outcome = outcome_of(planted, result);
    } catch (const std::exception& error) {
        result.outcome = PlantOutcome::misnamed;
        result.reason = error.what();
    }
    return result;
}

} // namespace mxcert::selftest
