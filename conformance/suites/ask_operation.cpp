// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/ask_operation.hpp"

#include <utility>

#include "conformance/suites/registry.hpp"

namespace mxcert {
namespace {

/// A subject whose answers to runs a function gives.
class AnsweredRuns final : public Subject {
  public:
    explicit AnsweredRuns(AnswerRun answer) : answer_(std::move(answer)) {}

    [[nodiscard]] const BackendInfo& info() const override { return info_; }
    [[nodiscard]] Observation observe(const Conversion& /*c*/, const Permitted& /*permitted*/) override { return {}; }
    [[nodiscard]] Observation observe_points(const Conversion& /*c*/, const std::vector<Point>& /*inputs*/,
                                             const PermitTable* /*permitted*/) override {
        return {};
    }
    [[nodiscard]] RunAnswer run(const Operation& /*operation*/, const RunCase& asked) override {
        return answer_(asked);
    }
    [[nodiscard]] std::vector<Point> answerable(const Conversion& /*c*/, std::vector<Point> wanted) const override {
        return wanted;
    }
    [[nodiscard]] bool is_record() const override { return false; }

  private:
    BackendInfo info_;
    AnswerRun answer_;
};

} // namespace

void ask_operation(const Operation& operation, const CertifyOptions& options, GoldenSource& golden, AnswerRun answer) {
    CertifyOptions asking = options;
    asking.recorded = true;
    AnsweredRuns subject(std::move(answer));
    const std::vector<const Profile*> nobody;
    suite_of(operation).ask({subject, operation, nobody, golden, asking});
}

} // namespace mxcert
