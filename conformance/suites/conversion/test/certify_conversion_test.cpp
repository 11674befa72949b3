// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/conversion/certify_conversion.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/print/text.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/verdict/canary.hpp"
#include "conformance/verdict/golden_source.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Matchers::Contains;
using mxcert::test::FakeSubject;

namespace {

const std::string fp16 = "fp16-e4m3-nearest_even-sat";
const std::string fp64 = "fp64-e4m3-nearest_even-sat";

PlannedConversion plan_by(const std::string& id, const std::vector<std::string>& names) {
    static verdict::GoldenSource golden;
    std::vector<const Profile*> profiles;
    for (const std::string& name : names) profiles.push_back(&find_profile(name));
    return plan_conversion(parse_conversion(id), profiles, golden);
}

/// Right where an input is asked alone, whatever is wrong in a whole table.
class RightAlone final : public test::BareSubject {
  public:
    explicit RightAlone(FakeSubject& wrong) : wrong_(wrong) { right_.offer(fp16); }
    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& permitted) override {
        return wrong_.observe(conversion, permitted);
    }
    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* permitted) override {
        return right_.observe_points(conversion, inputs, permitted);
    }

  private:
    FakeSubject& wrong_;
    FakeSubject right_;
};

} // namespace

TEST_CASE("a conversion is observed once and judged by each profile", "[conversion]") {
    FakeSubject subject;
    subject.offer(fp16);
    const PlannedConversion planned = plan_by(fp16, {"ocp-sat", "nvidia-cuda-host"});
    const std::vector<verdict::Row> rows = certify_conversion(subject, planned, {});
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].profile == "ocp-sat");
    CHECK(rows[1].profile == "nvidia-cuda-host");
    for (const verdict::Row& row : rows) {
        CHECK(row.status == Status::pass);
        CHECK(row.compared == 65'536);
        CHECK_FALSE(row.required);
    }
    CHECK(plan_by(fp16, {"ocp-nosat"}).judges.empty());
}

TEST_CASE("a wrong input that is right when asked alone leaves the whole row to show it", "[conversion][values]") {
    FakeSubject wrong;
    StepTable& table = wrong.offer(fp16);
    table.steps = verdict::plant(table.steps, 0x3C01, 0x00);
    PlannedConversion planned = plan_by(fp16, {"ocp-sat"});
    planned.required = true;
    verdict::CertifyOptions options;
    options.shrink = true;
    const std::vector<verdict::Row> same = certify_conversion(wrong, planned, options);
    REQUIRE(same.size() == 1);
    CHECK(same[0].status == Status::fail);
    CHECK(same[0].required);
    CHECK_FALSE(same[0].unstable);
    RightAlone alone(wrong);
    const std::vector<verdict::Row> changed = certify_conversion(alone, planned, options);
    REQUIRE(changed.size() == 1);
    CHECK(changed[0].status == Status::fail);
    CHECK(changed[0].unstable);
}

TEST_CASE("each answer with bits above those of its format is wrong", "[conversion]") {
    const std::vector<verdict::Row> rows =
        test::certify_plugin(test::planted_plugin("misplaced").c_str(), "bits above those of the format", "ocp",
                             "fp16-e2m1-nearest_even-sat", 1, Level::quick);
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [](const verdict::Row& one) { return one.id == "fp16-e2m1-nearest_even-sat"; });
    REQUIRE(row != rows.end());
    CHECK(row->status == Status::fail);
    CHECK(row->differing == 65'536);
    CHECK(print::value_text(formats::e2m1, 0xC7) == "no code of e2m1");
}

TEST_CASE("chosen inputs that do not all come back, or were never stored, are no pass", "[conversion]") {
    FakeSubject subject;
    subject.offer(fp64);
    PlannedConversion planned = plan_by(fp64, {"ocp-sat"});
    plan_points(subject, {}, planned);
    REQUIRE(planned.points.size() > 1'000);
    CHECK(planned.unasked == 0);
    CHECK(certify_conversion(subject, planned, {}).front().status == Status::pass);
    subject.drop_last = true;
    const verdict::Row dropped = certify_conversion(subject, planned, {}).front();
    CHECK(dropped.status == Status::incomplete);
    CHECK_THAT(dropped.reason, Contains("came back"));
    subject.drop_last = false;
    planned.unasked = 1;
    const verdict::Row unasked = certify_conversion(subject, planned, {}).front();
    CHECK(unasked.status == Status::incomplete);
    CHECK(unasked.reason == "1 input at a boundary of what is permitted was never asked");
}

TEST_CASE("a run that is stopped asks no conversion", "[conversion]") {
    FakeSubject subject;
    subject.offer(fp16);
    const std::atomic<bool> stop{true};
    verdict::CertifyOptions options;
    options.stop = &stop;
    const verdict::Row row = certify_conversion(subject, plan_by(fp16, {"ocp-sat"}), options).front();
    CHECK(row.status == Status::incomplete);
    CHECK(row.reason == "stopped before it was asked");
    CHECK(row.compared == 0);
}
