// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/registry.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "conformance/print/text.hpp"
#include "conformance/suites/blocks/suite.hpp"
#include "conformance/suites/dequantize_nvfp4/suite.hpp"
#include "conformance/suites/float_blocks/suite.hpp"
#include "conformance/suites/hadamard/suite.hpp"
#include "conformance/suites/layout/suite.hpp"
#include "conformance/suites/linear/suite.hpp"
#include "conformance/suites/matmul/suite.hpp"
#include "conformance/suites/nvfp4/suite.hpp"
#include "conformance/suites/partial_cast/suite.hpp"
#include "conformance/suites/quantize_2d/suite.hpp"
#include "conformance/suites/scaled_matmul/suite.hpp"
#include "conformance/suites/scaling/suite.hpp"
#include "conformance/suites/stochastic/suite.hpp"

namespace mxcert::suites {
namespace {

/// The rows of an operation after a run was stopped.
std::vector<verdict::Row> rows_not_asked(const SuiteRun& run) {
    std::vector<verdict::Row> rows;
    for (const std::string& id : row_ids(run.operation)) {
        if (!print::selected(run.options.filters, id)) continue;
        for (const Profile* profile : run.profiles) {
            verdict::Row& row = rows.emplace_back();
            row.id = id;
            row.operation = to_string(run.operation);
            row.profile = profile->name;
            row.status = Status::incomplete;
            row.reason = "stopped before it was asked";
        }
    }
    return rows;
}

} // namespace

std::span<const Suite* const> all_suites() {
    static const std::array suites{&quantize_suite(),         &dequantize_suite(),       &quantize_2d_suite(),
                                   &quantize_nvfp4_suite(),   &dequantize_nvfp4_suite(), &quantize_float_suite(),
                                   &dequantize_float_suite(), &hadamard_suite(),         &partial_cast_suite(),
                                   &layout_suite(),           &stochastic_suite(),       &scaling_suite(),
                                   &matmul_suite(),           &scaled_matmul_suite(),    &linear_suite()};
    return suites;
}

const Suite& suite_of(const Operation& operation) {
    const std::span<const Suite* const> suites = all_suites();
    const auto found = std::find_if(suites.begin(), suites.end(),
                                    [&](const Suite* suite) { return suite->operation() == operation.info->name; });
    if (found == suites.end()) throw std::logic_error("no suite of " + to_string(operation));
    return **found;
}

std::vector<std::string> row_ids(const Operation& operation) {
    std::vector<std::string> ids;
    for (const SuitePart& part : suite_of(operation).parts(operation))
        ids.push_back(to_string(operation) + '/' + std::string(part.name));
    return ids;
}

std::vector<verdict::Row> certify_operation(observe::Subject& subject, const Operation& operation,
                                            const std::vector<const Profile*>& profiles, verdict::GoldenSource& golden,
                                            const verdict::CertifyOptions& options) {
    std::vector<const Profile*> judges;
    std::copy_if(profiles.begin(), profiles.end(), std::back_inserter(judges),
                 [&](const Profile* profile) { return covers(*profile, operation); });
    if (judges.empty()) return {};
    const SuiteRun run{subject, operation, judges, golden, options};
    if (options.stopped()) return rows_not_asked(run);
    const Suite& suite = suite_of(operation);
    std::vector<verdict::Row> rows = suite.certify(run);
    const std::vector<SuitePart> parts = suite.parts(operation);
    for (verdict::Row& row : rows) {
        const auto part = std::find_if(parts.begin(), parts.end(),
                                       [&](const SuitePart& known) { return run.id(known.name) == row.id; });
        row.open = part == parts.end() || !part->counted;
        if (row.total.empty() && !row.open && !row.sample) row.total = std::to_string(row.compared);
    }
    return rows;
}

} // namespace mxcert::suites
