// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <stdexcept>

#include "reference/profile/profile.hpp"
#include "vectors/golden_store/golden_csv.hpp"
#include "vectors/golden_store/golden_embedded.hpp"
#include "vectors/golden_store/golden_files.hpp"

namespace mxcert {
namespace {

constexpr const char* manifest_name = "manifest.json";

std::string line_at(std::string_view text, std::size_t start) {
    if (start >= text.size()) return "the end of the file";
    return "'" + std::string(text.substr(start, text.find('\n', start) - start)) + "'";
}

/// Where two texts first differ, "" if they are equal.
std::string first_difference(std::string_view is, std::string_view must) {
    const auto [a, b] = std::mismatch(is.begin(), is.end(), must.begin(), must.end());
    if (a == is.end() && b == must.end()) return "";
    const auto at = static_cast<std::size_t>(a - is.begin());
    const std::size_t before = at == 0 ? std::string_view::npos : is.rfind('\n', at - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const auto line = 1 + std::count(is.begin(), a, '\n');
    const std::string here = line_at(is, start);
    const std::string there = line_at(must, start);
    if (here == there) return "line " + std::to_string(line) + " ends differently";
    return "line " + std::to_string(line) + " is " + here + ", and must be " + there;
}

std::string compare_with_file(const std::filesystem::path& file, std::string_view must) {
    if (!golden_exists(file)) return "missing";
    try {
        return first_difference(read_golden_text(file), must);
    } catch (const std::exception& failure) {
        return failure.what();
    }
}

/// Whether a reader gets back what was written, and can make every selection from it.
std::string check_content(const GoldenText& text) {
    const Format& from = *text.golden.from;
    const Format& to = *text.golden.to;
    try {
        const GoldenFile golden =
            parse_golden(text.text, text.name, from, to); // throws unless selections are partitions
        if (golden.rows != text.golden.rows) return "is not read back as it was written";
        for (const Profile& profile : all_profiles())
            for (const Conversion& conversion : deterministic_conversions(from, to)) {
                if (!covers(profile, conversion) || !golden_names(profile, conversion)) continue;
                const std::string reason = broken(select(golden, profile, conversion));
                if (!reason.empty()) return to_string(conversion) + " for " + std::string(profile.name) + ": " + reason;
            }
    } catch (const std::exception& failure) {
        return failure.what();
    }
    return "";
}

} // namespace

std::vector<GoldenCheck> check_golden_files(const std::vector<GoldenText>& all, const std::filesystem::path& folder) {
    std::vector<GoldenCheck> checks;
    std::set<std::string> known{manifest_name};
    for (const GoldenText& text : all) {
        known.insert(text.name);
        std::string reason = compare_with_file(folder / text.name, text.text);
        if (reason.empty()) reason = check_content(text);
        checks.push_back({text.name, std::move(reason)});
    }
    checks.push_back({manifest_name, compare_with_file(folder / manifest_name, write_manifest(describe(all)))});
    for (const std::string& name : golden_file_names(folder))
        if (!known.contains(name)) checks.push_back({name, "should not be here"});
    return checks;
}

} // namespace mxcert
