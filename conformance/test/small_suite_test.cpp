// SPDX-License-Identifier: Apache-2.0
// A few inputs, and what they are worth: planted bugs that show, and those that do not.
#include "conformance/small_suite.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/record.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"

using namespace mxcert;
using namespace mxcert::test;
using Catch::Matchers::Contains;

TEST_CASE("a small suite shows every planted bug with few inputs", "[suite][values]") {
    GoldenSource golden;
    for (const char* name : {"fp16-e4m3-nearest_even-sat", "e5m2-bf16-nearest_even-nosat"}) {
        CAPTURE(name);
        const Conversion conversion = parse_conversion(name);
        const std::vector<Judge> judges = judges_of(conversion, {&find_profile("ocp")}, golden);
        const SmallSuite smoke = small_suite(conversion, judges, 0);
        CHECK(smoke.planted > 5);
        CHECK(smoke.inputs.size() < smoke.planted);
        CHECK(smoke.escaped.empty());
        std::size_t planted = 0;
        CHECK(escaping(smoke, conversion, judges.front(), planted).empty());
        CHECK(planted == smoke.planted);
        CHECK(std::is_sorted(smoke.inputs.begin(), smoke.inputs.end()));

        // With less of it some escape, and the verdict knows the same ones as the choice.
        const SmallSuite two = small_suite(conversion, judges, 2);
        CHECK(two.inputs.size() == 2);
        CHECK_FALSE(two.escaped.empty());
        planted = 0;
        CHECK(escaping(two, conversion, judges.front(), planted) == two.escaped);
        // With more of it there are more inputs, and nothing escapes.
        const SmallSuite many = small_suite(conversion, judges, smoke.inputs.size() + 10);
        CHECK(many.inputs.size() == smoke.inputs.size() + 10);
        CHECK(many.escaped.empty());
    }
    CHECK_FALSE(has_small_suite(parse_conversion("fp64-e4m3-nearest_even-sat")));
    CHECK_FALSE(has_small_suite(parse_conversion("bf16_by_e8m0-e4m3-nearest_even-sat")));
}

TEST_CASE("a run of a small suite says what it is", "[suite][cli][values]") {
    const TemporaryFolder folder;
    FakeSubject subject;
    StepTable& table = subject.offer("fp16-e4m3-nearest_even-sat");
    subject.offer("fp64-e4m3-nearest_even-sat");
    write_record(take_record(subject, {}), folder.path() / "right");
    Choices choices = choices_of(parse_conversion("fp16-e4m3-nearest_even-sat"));
    choices.rounding = Rounding::nearest_away;
    table = tabulate(*table.from, *table.to, choices);
    write_record(take_record(subject, {}), folder.path() / "ties");
    const auto certify = [&](const std::string& arguments) {
        Result result = shell(folder.path(), "mxcert certify " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    const Result smoke = certify("right --profile ocp-sat --suite smoke --report out");
    CHECK(smoke.code == 0);
    CHECK_THAT(smoke.out, Contains("This is no certificate: only a part was run, --suite smoke"));
    CHECK_THAT(smoke.out, Contains("planted bugs that every input would show"));
    CHECK_THAT(smoke.out, Contains("It cannot see"));
    CHECK_THAT(smoke.out, Contains("Left out, because there is no small suite: 1 offer."));
    CHECK_FALSE(fs::exists(folder.path() / "out/certificate.json"));
    const auto report = nlohmann::json::parse(content((folder.path() / "out/report.json").string()));
    CHECK(report["certificate"] == false);
    CHECK_THAT(report["suite"].get<std::string>(), Contains("Small suite: "));
    const Result replayed = certify("--replay out/report.json");
    CHECK(replayed.code == 2);
    CHECK_THAT(replayed.err, Contains("'suite' is there"));
    CHECK(certify("ties --profile ocp-sat --suite smoke").code == 1);
    const Result one = certify("right --profile ocp-sat --budget 1");
    CHECK(one.code == 0);
    CHECK_THAT(one.out, Contains("  not shown: fp16-e4m3-nearest_even-sat: "));
    // A profile of operations alone has nothing in it: that is nothing checked where it was asked for, else it is not
    // run.
    const std::string some = "portable --suite smoke --filter 'e4m3-fp16-*' --filter '*absmax*'";
    const Result by_default = shell(folder.path(), "mxcert certify " + some);
    CHECK(by_default.code == 0);
    CHECK_THAT(by_default.out, !Contains("UNTESTED") && Contains("PASS: portable agrees with ocp"));
    CHECK(shell(folder.path(), "mxcert certify " + some + " --profile absmax").code == 4);
    for (const char* wrong : {"--suite all", "--budget 0", "--suite smoke --budget 3", "--suite smoke --every-input",
                              "--suite smoke --reproduce fp16-e4m3-nearest_even-sat:0000"})
        CHECK(certify("right --profile ocp-sat " + std::string(wrong)).code == 2);
}
