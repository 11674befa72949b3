// SPDX-License-Identifier: Apache-2.0
// The operation "quantize_2d".
#include "conformance/suites/quantize_2d/suite.hpp"

#include "conformance/suites/quantize_2d/faults.hpp"
#include "conformance/suites/quantize_2d/identify.hpp"
#include "conformance/suites/quantize_2d/tiles.hpp"

namespace mxcert::suites {
namespace {

class Quantize2dSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "quantize_2d"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& operation) const override {
        // The only value of a tile of one is its amax: its elements are cases.
        if (as_quantize_2d(operation).tile == BlockShape{1, 1}) return {{"scale"}, {"blocks"}};
        return {{"scale"}, {"elements"}, {"blocks"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return tile_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const TileFault& fault : tile_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& golden) const override {
        return identify_quantize_2d(subject, operation, golden);
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "blocks"; }
};

} // namespace

const Suite& quantize_2d_suite() {
    static const Quantize2dSuite suite;
    return suite;
}

} // namespace mxcert::suites
