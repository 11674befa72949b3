// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/ask_operation.hpp"

#include <utility>

#include "conformance/suites/registry.hpp"

namespace mxcert::suites {
namespace {

/// A subject whose answers to runs a function gives.
class AnsweredRuns final : public observe::BareSubject {
  public:
    explicit AnsweredRuns(AnswerRun answer) : answer_(std::move(answer)) {}
    [[nodiscard]] frames::RunAnswer run(const Operation& /*operation*/, const frames::RunCase& run_case) override {
        return answer_(run_case);
    }

  private:
    AnswerRun answer_;
};

} // namespace

void ask_operation(const Operation& operation, const verdict::CertifyOptions& options, verdict::GoldenSource& golden,
                   AnswerRun answer) {
    verdict::CertifyOptions asking = options;
    asking.recorded = true;
    AnsweredRuns subject(std::move(answer));
    const std::vector<const Profile*> nobody;
    suite_of(operation).ask({subject, operation, nobody, golden, asking});
}

} // namespace mxcert::suites
