// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "reference/profile/profile.hpp"
#include "vectors/golden_store/golden.hpp"

namespace mxcert::verdict {

/// What may come out of the conversions between two formats, and where that is from.
struct GoldenUsed {
    GoldenFile golden;
    std::string name;   ///< "vectors/golden/fp32-e4m3.csv", or "tabulated" if no committed file has it
    std::string sha256; ///< of the file, or of the text that a file would have
};

/// Golden tables by pair of formats, each loaded or computed once. May be asked from several threads.
class GoldenSource {
  public:
    /// The reference lives as long as this object. Throws std::runtime_error if a committed file is broken.
    [[nodiscard]] const GoldenUsed& get(const Format& from, const Format& to);
    /// What a profile's rows of a conversion are taken from: the table of the pair of formats, or one of its own where
    /// the profile permits what golden files have no rows for.
    [[nodiscard]] const GoldenUsed& get(const Profile& profile, const Conversion& conversion);

  private:
    [[nodiscard]] const GoldenUsed& of_formats(const Format& from, const Format& to);

    std::mutex lock_;
    std::map<std::string, GoldenUsed> own_; ///< by profile and conversion
    std::map<std::pair<const Format*, const Format*>, GoldenUsed> used_;
};

} // namespace mxcert::verdict
