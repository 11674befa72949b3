// SPDX-License-Identifier: Apache-2.0
#include "conformance/cli/results/run_report.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/certify/leave_out.hpp"
#include "conformance/certify/reduce.hpp"
#include "conformance/cli/unmatched.hpp"
#include "conformance/files/date.hpp"
#include "conformance/offline/offered_part.hpp"
#include "conformance/print/text.hpp"
#include "reference/base/near_names.hpp"
#include "reference/operation/operation_name.hpp"

namespace mxcert::cli {
namespace {

// Whether a conversion or operation of this name is judged by any of the profiles.
bool is_judged(const std::string& name, const std::vector<const Profile*>& profiles) {
    return std::any_of(profiles.begin(), profiles.end(), [&](const Profile* profile) {
        return certify::names_operation(name) ? covers(*profile, parse_operation(name))
                                              : covers(*profile, parse_conversion(name));
    });
}

// What the run leaves out, and what a record does without.
void describe_left_out(const observe::Subject& subject, const certify::Plan& plan,
                       const std::vector<std::string>& globs, report::Report& report) {
    report.left_out = plan.left_out;
    // A record that is without something is no less, where the run leaves that out and says so.
    for (const std::string& name : subject.left_out())
        if (is_judged(name, plan.profiles)) report.without.push_back(name);
    for (const std::string& name : report.without)
        if (certify::is_left_out(globs, name)) report.left_out.push_back(name);
    std::erase_if(report.without, [&](const std::string& name) { return certify::is_left_out(globs, name); });
    for (const std::string& glob : globs)
        if (std::none_of(report.left_out.begin(), report.left_out.end(),
                         [&](const std::string& name) { return print::glob_matches(glob, name); })) {
            std::vector<std::string> names;
            for (const Conversion& conversion : subject.info().conversions) names.push_back(to_string(conversion));
            for (const Operation& operation : subject.info().operations) names.push_back(to_string(operation));
            throw std::invalid_argument(
                fmt::format("--leave-out '{}' names nothing that is offered{}", glob,
                            names.empty() ? "" : "; did you mean '" + near_pattern(glob, names).pattern + "'?"));
        }
}

} // namespace

report::Report begun_report(const std::string& backend, const BackendOptions& run,
                            const verdict::CertifyOptions& certifying) {
    report::Report report;
    report.invocation = {
        backend,           certifying.profiles, run.backend_option, run.seed, certifying.samples_per_step,
        run.asked_level(), run.sandbox.words()};
    report.seed = run.seed;
    report.samples_per_step = certifying.samples_per_step;
    report.level = run.asked_level();
    report.filters = certifying.filters;
    report.required = certifying.required;
    report.leave_out = certifying.leave_out;
    report.max_failures = certifying.max_failures;
    for (const std::string& filter : certifying.filters)
        report.selection += (report.selection.empty() ? "--filter " : " --filter ") + filter;
    report.host = report::this_host();
    report.vectors = this_vector_set();
    report.started = files::utc_now();
    return report;
}

verdict::CertifyOptions run_options(const verdict::CertifyOptions& asked, const observe::Subject& subject,
                                    const Running& running, report::Report& report) {
    verdict::CertifyOptions options = asked;
    // A folder that asks a part is judged as that part: a provision it does not ask about is not missing.
    if (options.filters.empty()) options.filters = subject.filters();
    options.seed = report.seed;
    report.level = report.invocation.level = running.level();
    options.level = report.level.level;
    options.stop = &running.stop();
    tell_unmatched("--filter", asked.filters, subject.info());
    return options;
}

certify::Plan planned_run(const observe::Subject& subject, const verdict::CertifyOptions& certifying,
                          verdict::GoldenSource& golden, report::Report& report) {
    report.info = subject.info();
    report.from_record = subject.is_record();
    if (const std::string selection = subject.selection(); !selection.empty())
        report.selection = selection + (report.selection.empty() ? "" : " " + report.selection);
    certify::Plan plan = certify::make_plan(subject, certifying, golden);
    if (is_small(certifying.level)) {
        // The answers that are stored are to every case, and take no time.
        report.suite =
            certify::strength_text(certify::reduce(plan, report.level.budget, !subject.is_record(), certifying.seed));
    }
    if ((is_small(certifying.level) || certifying.reproduce) && certifying.profiles.empty())
        certify::drop_empty_profiles(plan);
    report.invocation.profiles.clear();
    for (const Profile* profile : plan.profiles) report.invocation.profiles.emplace_back(profile->name);
    report.outside = plan.outside;
    report.record_sha256 = subject.digest();
    describe_left_out(subject, plan, certifying.leave_out, report);
    report.rows_named = !certifying.filters.empty();
    if (certifying.reproduce) return plan;
    std::vector<Conversion> offered = report.info.conversions;
    for (const std::string& name : subject.left_out())
        if (!certify::names_operation(name)) offered.push_back(parse_conversion(name));
    for (const Profile* profile : plan.profiles)
        for (const std::string& missing : offline::missing_of(*profile, offered))
            report.missing.push_back(fmt::format("{}: {}", profile->name, missing));
    return plan;
}

} // namespace mxcert::cli
