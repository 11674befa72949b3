// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/evidence/slices.hpp"
#include "conformance/files/json_members.hpp"

// What was checked of a certificate, and how that ended.
namespace mxcert::evidence {

/// Something in the evidence is not as it must be: the certificate is refused with these words.
class Refused : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Verification {
    /// "Record", "12 rows follow from 40 units in answers/"
    struct Check {
        std::string name;
        std::string text;
    };
    std::string file;  ///< the certificate
    std::string claim; ///< what it says: "portable against ocp, at level standard"
    std::vector<Check> checks;
    std::vector<std::string> not_checked;
    std::string refused;    ///< why; "" if it is not
    std::string unfinished; ///< why the verdict was not derived, or not all was asked; "" if it was
    std::uint64_t seed = 0; ///< of the slices
    std::uint64_t slices = 0;
    std::map<std::string, RowSlices> asked_again;

    void add(std::string name, std::string text) { checks.push_back({std::move(name), std::move(text)}); }
    /// 0 verified, 1 refused, 3 not finished.
    [[nodiscard]] int exit_code() const { return !refused.empty() ? 1 : unfinished.empty() ? 0 : 3; }
};

/// For people: a line for each check, what was not checked, and the verdict.
[[nodiscard]] std::string text_of(const Verification& verification);
/// conformance/schema/verify-1.json.
[[nodiscard]] files::Json json_of(const Verification& verification);

/// The shares of the inputs of a table, and of the runs of a list of cases, for which the probability of missing them
/// is printed. A list has some tens or hundreds of runs.
inline constexpr double shown_share = 0.001;
inline constexpr double shown_share_of_runs = 0.1;

} // namespace mxcert::evidence
