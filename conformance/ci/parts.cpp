// SPDX-License-Identifier: Apache-2.0
#include "conformance/ci/parts.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "reference/bug_class.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::ci {

bool is_bad(const report::ResultRow& row) {
    return row.outcome == report::ResultRow::Outcome::failed || row.outcome == report::ResultRow::Outcome::error;
}

std::string rule_of(const report::ResultRow& row) { return row.bugs.empty() ? row.type : row.bugs.front(); }

std::string rule_text(const std::string& rule) {
    const BugClass* bug = find_bug_class(rule);
    return bug != nullptr ? fmt::format("An implementation that {}", bug->says)
                          : fmt::format("A row with status {} that no known bug explains", rule);
}

std::string sentence(const report::ResultRow& row) {
    std::string text = row.name + (row.profile.empty() ? "" : " (" + row.profile + ")") + ": " + row.type;
    if (row.message != row.type) text += ": " + row.message;
    if (!row.bugs.empty()) text += fmt::format(". {}", fmt::join(row.bugs, ", "));
    return print::printable(text);
}

std::string file_of(const report::Results& results) {
    const std::filesystem::path path =
        std::filesystem::path(results.source.empty() ? results.argument : results.source).lexically_normal();
    if (!path.is_absolute()) return path.generic_string();
    std::error_code error;
    const std::filesystem::path here = std::filesystem::current_path(error);
    const std::filesystem::path within = error ? path : path.lexically_relative(here);
    return within.empty() || *within.begin() == ".." ? path.generic_string() : within.generic_string();
}

std::string fingerprint(const report::ResultRow& row) {
    return sha256(fmt::format("{}\n{}\n{}", row.profile, row.name, rule_of(row)));
}

} // namespace mxcert::ci
