// SPDX-License-Identifier: Apache-2.0
// Which operations there are, the parts of their rows, and what certifies each.
#include "conformance/suites/certify.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/blocks/certify_blocks.hpp"
#include "conformance/suites/float_blocks/certify_float.hpp"
#include "conformance/suites/layout/layout.hpp"
#include "conformance/suites/linear/certify.hpp"
#include "conformance/suites/matmul/certify.hpp"
#include "conformance/suites/scaling/certify_scaling.hpp"
#include "conformance/suites/stochastic/certify_stochastic.hpp"

namespace mxcert {
namespace {

/// The rows of an operation that do not depend on the profile, for each of them.
std::vector<Row> for_each_profile(const std::vector<Row>& alike, const Operation& operation,
                                  const std::vector<const Profile*>& profiles) {
    std::vector<Row> rows;
    for (const Row& row : alike) {
        for (const Profile* profile : profiles) {
            Row& of_profile = rows.emplace_back(row);
            if (row.id.empty()) of_profile.id = row_ids(operation).front(); // there is but one
            of_profile.operation = to_string(operation);
            of_profile.profile = profile->name;
        }
    }
    return rows;
}

/// The rows of an operation after a run was stopped.
std::vector<Row> rows_not_asked(const Operation& operation, const CertifyOptions& options) {
    std::vector<Row> rows;
    for (const std::string& id : row_ids(operation)) {
        if (!selected(options.filters, id)) continue;
        Row& row = rows.emplace_back();
        row.id = id;
        row.status = Status::incomplete;
        row.reason = "stopped before it was asked";
    }
    return rows;
}

/// How an operation is certified: the parts of its rows, and what asks for them.
struct Suite {
    std::string_view operation;
    std::array<std::string_view, 4> parts; ///< the rest empty
    std::size_t tables; ///< the first so many are tables, whose inputs are counted; the others are open
    std::vector<Row> (*certify)(Subject&, const Operation&, const std::vector<const Profile*>&, GoldenSource&,
                                const CertifyOptions&);
};

std::vector<Row> listed(Row row) { return {std::move(row)}; }
std::vector<Row> listed(std::vector<Row> rows) { return rows; }

/// The suite of layouts: no profile but for the sizes that its source refuses.
std::vector<Row> layout_rows(Subject& subject, const Operation& operation, const std::vector<const Profile*>& profiles,
                             GoldenSource& /*golden*/, const CertifyOptions& options) {
    return for_each_profile(listed(certify_layout(subject, operation, profiles, options)), operation, profiles);
}

/// A suite in which no profile has a say.
template <auto certify> std::vector<Row> alike(Subject& subject, const Operation& operation,
                                               const std::vector<const Profile*>& profiles, GoldenSource& /*golden*/,
                                               const CertifyOptions& options) {
    return for_each_profile(listed(certify(subject, operation, options)), operation, profiles);
}

constexpr Suite suites[] = {
    {"quantize", {"scale", "elements", "blocks"}, 2, certify_quantize},
    {"dequantize", {"values", "blocks"}, 1, certify_dequantize},
    {"quantize_float", {"scale", "elements", "blocks"}, 2, alike<certify_quantize_float>},
    {"dequantize_float", {"values", "blocks"}, 1, alike<certify_dequantize_float>},
    {"layout", {"places"}, 0, layout_rows},
    {"stochastic", {"distribution"}, 0, alike<certify_stochastic>},
    {"scaling", {"trace"}, 0, alike<certify_scaling>},
    {"matmul", {"places", "special", "values", "relations"}, 0, alike<certify_matmul>},
    {"linear", {"values", "special"}, 0, alike<certify_linear>},
};

const Suite& suite_of(const Operation& operation) {
    return *std::find_if(std::begin(suites), std::end(suites),
                         [&](const Suite& suite) { return suite.operation == operation.info->name; });
}

/// The only value of a block of one is its amax: its elements are cases.
bool has_blocks_of_one(const Operation& operation) {
    if (operation.info->name == "quantize") return as_quantize(operation).block == 1;
    return operation.info->name == "quantize_float" && as_quantize_float(operation).block == BlockShape{1, 1};
}

} // namespace

std::vector<std::string> row_ids(const Operation& operation) {
    std::vector<std::string> ids;
    for (const std::string_view part : suite_of(operation).parts)
        if (!part.empty() && !(part == "elements" && has_blocks_of_one(operation)))
            ids.push_back(fmt::format("{}/{}", to_string(operation), part));
    return ids;
}

std::vector<Row> certify_operation(Subject& subject, const Operation& operation,
                                   const std::vector<const Profile*>& profiles, GoldenSource& golden,
                                   const CertifyOptions& options) {
    std::vector<const Profile*> judges;
    std::copy_if(profiles.begin(), profiles.end(), std::back_inserter(judges),
                 [&](const Profile* profile) { return covers(*profile, operation); });
    if (judges.empty() && options.judged) return {};
    if (options.stop != nullptr && options.stop->load())
        return for_each_profile(rows_not_asked(operation, options), operation, judges);
    const Suite& suite = suite_of(operation);
    std::vector<Row> rows = suite.certify(subject, operation, judges, golden, options);
    const auto tables = suite.parts.begin() + static_cast<std::ptrdiff_t>(suite.tables);
    for (Row& row : rows) {
        const std::string_view part = std::string_view(row.id).substr(to_string(operation).size() + 1);
        row.open = std::find(suite.parts.begin(), tables, part) == tables;
        if (row.total.empty() && !row.open && !row.sample) row.total = std::to_string(row.compared);
    }
    return rows;
}

} // namespace mxcert
