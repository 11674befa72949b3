// SPDX-License-Identifier: Apache-2.0
// The operation "layout".
#include "conformance/suites/layout/suite.hpp"

#include <set>

#include "conformance/suites/layout/identify_layout.hpp"
#include "conformance/suites/layout/layout_faults.hpp"
#include "conformance/suites/layout/places.hpp"

namespace mxcert::suites {
namespace {

class LayoutSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "layout"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override { return {{"places"}}; }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view /*part*/) const override {
        return layout_places(run);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        std::set<std::string> names;
        for (const LayoutCase& layout_case : mxcert::layout_cases())
            for (const LayoutMaker& maker : layout_makers(layout_case))
                if (!maker.bug_class.empty() && names.insert(maker.name).second)
                    all.push_back({find_bug_class(maker.bug_class), maker.name});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_layout(subject, operation)};
    }
    [[nodiscard]] std::string_view drawn_part() const override { return "places"; }
};

} // namespace

const Suite& layout_suite() {
    static const LayoutSuite suite;
    return suite;
}

} // namespace mxcert::suites
