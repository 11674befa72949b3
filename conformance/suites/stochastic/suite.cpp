// SPDX-License-Identifier: Apache-2.0
// The operation "stochastic".
#include "conformance/suites/stochastic/suite.hpp"

#include "conformance/suites/stochastic/distribution.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"

namespace mxcert::suites {
namespace {

constexpr std::string_view distribution = "distribution";

class StochasticSuite final : public Suite {
  public:
    [[nodiscard]] std::string_view operation() const override { return "stochastic"; }
    [[nodiscard]] std::vector<SuitePart> parts(const Operation& /*operation*/) const override {
        return {{distribution}};
    }
    [[nodiscard]] std::unique_ptr<CasePart> cases(const SuiteRun& /*run*/, std::string_view /*part*/) const override {
        return nullptr; // no answer can be judged alone
    }
    [[nodiscard]] std::vector<KnownFault> faults() const override {
        using stochastic::Fault;
        std::vector<KnownFault> all;
        for (unsigned i = 0; i <= static_cast<unsigned>(Fault::unexplained); ++i) {
            const auto fault = static_cast<Fault>(i);
            if (const BugClass* bug_class = bug_class_of(fault))
                all.push_back({bug_class, std::string(to_string(fault))});
        }
        return all;
    }
    [[nodiscard]] std::vector<Identified> identify(observe::Subject& /*subject*/, const Operation& operation,
                                                   verdict::GoldenSource& /*golden*/) const override {
        return {NotIdentified{to_string(operation), "its random bits are its own; `mxcert certify` names the law that "
                                                    "its answers have"}};
    }
    [[nodiscard]] bool is_sampled(const Operation& /*operation*/, Level /*level*/) const override { return true; }
    [[nodiscard]] bool draws_randomly(const Operation& /*operation*/) const override { return true; }

  private:
    [[nodiscard]] std::vector<verdict::Row> tables(const SuiteRun& run) const override {
        if (!run.wanted(distribution) || run.profiles.empty()) return {};
        return rows_of_all(run, distribution, certify_distribution(run.subject, run.operation, run.options));
    }
};

} // namespace

const Suite& stochastic_suite() {
    static const StochasticSuite suite;
    return suite;
}

} // namespace mxcert::suites
