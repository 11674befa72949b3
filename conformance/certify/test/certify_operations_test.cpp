// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/test/fake_subject.hpp"

using namespace mxcert;
using namespace mxcert::certify;
using Catch::Matchers::Contains;

namespace {

/// What two subjects were asked.
struct Log {
    std::mutex lock;
    std::map<std::string, std::vector<std::string>> asked; ///< operations by name of the subject
};

/// Offers recipes and refuses them. `second`: the backend once more, whose worker does not end well.
class Refuses final : public test::BareSubject {
  public:
    Refuses(Log& log, bool second) : log_(log), second_(second) {
        for (const char* recipe : {"te_delayed", "te_delayed_4", "te_delayed_4_backward", "te_delayed_4_margin_1",
                                   "te_delayed_4_margin_2", "te_delayed_most_recent_4", "te_current"}) {
            const std::vector<std::pair<std::string, std::string>> attributes{{"recipe", recipe}};
            info().operations.push_back(make_operation("scaling", attributes));
        }
    }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& /*run_case*/) override {
        const std::lock_guard<std::mutex> held(log_.lock);
        std::vector<std::string>& ids = log_.asked[second_ ? "second" : "first"];
        const std::string name = to_string(operation);
        if (ids.empty() || ids.back() != name) ids.push_back(name); // each has several cases
        return {Status::unsupported, "refused", {}, {}};
    }
    [[nodiscard]] std::unique_ptr<observe::Subject> another() const override {
        return std::make_unique<Refuses>(log_, true);
    }
    [[nodiscard]] std::string end_runs() override { return second_ ? "the second did not end well" : ""; }

  private:
    Log& log_;
    bool second_;
};

/// What was asked of the subjects, and what came of it.
struct Run {
    Log log;
    Refuses subject{log, false};
    std::vector<std::string> judged; ///< the ids of the rows, in the order in which they came
    std::vector<verdict::Row> rows;
};

std::vector<std::string> ids(const std::vector<verdict::Row>& rows) {
    std::vector<std::string> all;
    for (const verdict::Row& row : rows) all.push_back(row.id);
    return all;
}

std::unique_ptr<Run> run_at(Level level) {
    auto run = std::make_unique<Run>();
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.profiles = {"nvidia-te"};
    options.level = level;
    CertifyEvents events;
    events.judged = [&](const std::vector<verdict::Row>& rows, double) {
        for (const std::string& id : ids(rows)) run->judged.push_back(id);
    };
    run->rows = certify::certify(run->subject, make_plan(run->subject, options, golden), options, events);
    return run;
}

} // namespace

TEST_CASE("operations are asked of two workers at once, and their rows come in order", "[operation]") {
    const std::unique_ptr<Run> run = run_at(Level::standard);
    const std::vector<Operation>& operations = run->subject.info().operations;
    std::vector<std::string> expected;
    for (const Operation& operation : operations) expected.push_back(to_string(operation) + "/trace");
    expected.emplace_back("operations");
    CHECK(ids(run->rows) == expected);
    CHECK(run->judged == expected);
    CHECK(run->rows.back().status == Status::error);
    CHECK_THAT(run->rows.back().reason, Contains("the second did not end well"));
    // Which one gets which is always the same.
    const auto names = [&](const std::vector<std::size_t>& numbers) {
        std::vector<std::string> all;
        for (const std::size_t number : numbers) all.push_back(to_string(operations[number]));
        return all;
    };
    CHECK(run->log.asked["first"] == names({0, 3, 4}));
    CHECK(run->log.asked["second"] == names({1, 2, 5, 6}));
}

TEST_CASE("at level complete operations are asked of one worker: a matrix takes half of the memory", "[operation]") {
    const std::unique_ptr<Run> run = run_at(Level::complete);
    CHECK(run->rows.size() == run->subject.info().operations.size());
    CHECK(run->log.asked.size() == 1);
}
