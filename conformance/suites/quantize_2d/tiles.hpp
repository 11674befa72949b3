// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "conformance/suites/blocks/quantize_judges.hpp"
#include "conformance/suites/suite.hpp"
#include "vectors/tables/step_table.hpp"

namespace mxcert::suites {

/// The inputs that a quantizer of tiles is asked. They do not depend on which profiles judge it: neither do the numbers
/// of cases. It refers to the golden source.
class TileInputs {
  public:
    TileInputs(const Operation& operation, verdict::GoldenSource& golden, const verdict::CertifyOptions& options);

    /// Amaxes at each change of the scale +-2, and seeded ones.
    [[nodiscard]] const std::vector<Code>& amaxes() const { return amaxes_; }
    /// The largest amax of each scale.
    [[nodiscard]] const std::vector<Code>& largest_of_scales() const { return largest_; }
    /// Values of either sign up to an amax: at each change of the element under its scale +-2, and seeded ones.
    [[nodiscard]] std::vector<Code> values_under(Code amax);

  private:
    Quantize quantize_;
    std::vector<const Profile*> askers_; ///< all that may judge it
    verdict::GoldenSource& golden_;
    unsigned samples_;
    std::uint64_t seed_;
    StepTable scale_;         ///< of the exact model, to find the scale of an amax
    std::vector<Code> pairs_; ///< a value by its scale, at which the element changes; empty before they are needed:
                              ///< that takes seconds
    std::vector<Code> amaxes_;
    std::vector<Code> largest_;
};

/// The parts of "quantize_2d": "scale" (of TileInputs::amaxes(); of FP16 and BF16 from level standard on of every one),
/// "elements" (TileInputs::values_under() each amax of largest_of_scales()) and "blocks" (what joins the values of a
/// tile).
[[nodiscard]] std::unique_ptr<CasePart> tile_part(const SuiteRun& run, std::string_view part);

} // namespace mxcert::suites
