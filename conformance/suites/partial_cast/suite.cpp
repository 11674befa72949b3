// SPDX-License-Identifier: Apache-2.0
// The operation "partial_cast".
#include "conformance/suites/partial_cast/suite.hpp"

#include "conformance/suites/partial_cast/identify.hpp"
#include "conformance/suites/partial_cast/part.hpp"
#include "conformance/suites/partial_cast/way.hpp"

namespace mxcert::suites {
namespace {

class PartialCastSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "partial_cast"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override {
        return {{"elements"}, {"shards"}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& run, std::string_view part) const override {
        return partial_cast_part(run, part);
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        std::vector<KnownFault> all;
        for (const ShardFault& fault : shard_faults())
            all.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& subject, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {identify_partial_cast(subject, operation)};
    }
};

} // namespace

const Suite& partial_cast_suite() {
    static const PartialCastSuite suite;
    return suite;
}

} // namespace mxcert::suites
