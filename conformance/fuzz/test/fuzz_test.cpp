// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/fuzz/fuzz_report.hpp"
#include "conformance/fuzz/fuzz_shrink.hpp"
#include "conformance/inputs/sample.hpp"
#include "conformance/test/fake_subject.hpp"
#include "reference/exact/exact.hpp"
#include "vectors/base/sha256.hpp"

using namespace mxcert;
using namespace mxcert::fuzz;
using Catch::Contains;

namespace {

const std::string fp32_name = "fp32-e4m3-nearest_even-sat";

/// A backend that does what the exact model does, with a fault that a test puts in.
struct Fake {
    mxcert::test::FakeSubject subject;
    verdict::GoldenSource golden;
    certify::Plan plan;
    std::vector<FuzzTarget> targets;
    std::function<void(const FuzzCase&, FuzzAnswer&, std::uint8_t poison)> fault;

    explicit Fake(const std::string& name = fp32_name) {
        subject.offer(name);
        verdict::CertifyOptions options;
        options.profiles = {"ocp-sat"};
        options.samples_per_step = 0;
        plan = certify::make_plan(subject, options, golden);
        for (const suites::PlannedConversion& planned : plan.conversions)
            targets.emplace_back(planned.conversion, verdict::ValueJudge(planned.conversion, planned.judges));
    }

    FuzzAnswer ask(const FuzzCase& fuzz_case, std::uint8_t poison) {
        FuzzAnswer answer;
        const StepTable& table = subject.tables.at(to_string(fuzz_case.conversion));
        for (const FuzzValue& value : fuzz_case.values)
            answer.codes.push_back(table.steps[find_step(table, value.input)].code);
        if (fault) fault(fuzz_case, answer, poison);
        return answer;
    }

    FuzzResult run(std::uint64_t cases = 300, std::uint64_t seed = 1) {
        FuzzOptions options;
        options.cases = cases;
        options.seed = seed;
        return fuzz::fuzz(
            targets, [this](const FuzzCase& c, std::uint8_t poison) { return ask(c, poison); }, options);
    }
};

std::string text_of(const FuzzGenerator& generator, std::uint64_t count) {
    std::string text;
    for (std::uint64_t i = 0; i < count; ++i) text += to_string(generator(i)) + "\n";
    return text;
}

} // namespace

TEST_CASE("a case of fuzzing prints and reads back") {
    for (const char* text :
         {"fp32-e4m3-nearest_even-sat:3F880001", "fp32-e4m3-nearest_even-sat:00000000,3F880001@batch=1",
          "fp16-e5m2-nearest_even-sat:0000@shift=63", "e2m1-fp32-up-sat:0,F@batch=2@shift=1",
          "fp16-e4m3-stochastic_a8-sat:3C00/000000FF,3C01/00000000"})
        CHECK(to_string(parse_fuzz_case(text)) == text);
    CHECK(to_string(parse_fuzz_case("fp16-e5m2-up-sat:7c00")) == "fp16-e5m2-up-sat:7C00");
}

TEST_CASE("a broken case of fuzzing is refused with the part that is wrong") {
    const auto refused = GENERATE(values<std::pair<std::string, std::string>>({
        {"", "expected CONVERSION:INPUT"},
        {"fp16-e5m2-up-sat", "expected CONVERSION:INPUT"},
        {"fp16-e5m2-up-sat:", "an input is missing"},
        {"fp16-e5m2-up-sat:0000,", "an input is missing"},
        {"fp16-e5m2-up-sat:0000,,0000", "must have 4"},
        {"fp16-e5m2-up-sat:0000/00000000", "takes no random words"},
        {"fp16-e5m2-stochastic_a8-sat:0000", "needs its random word"},
        {"fp16-e5m2-stochastic_a8-sat:0000/00000100", "more than 8 bits"},
        {"fp16-e5m2-up-sat:0000@batch=0", "1 to 4096"},
        {"fp16-e5m2-up-sat:0000@batch=4097", "1 to 4096"},
        {"fp16-e5m2-up-sat:0000@batch=01", "1 to 4096"},
        {"fp16-e5m2-up-sat:0000@shift=64", "1 to 63"},
        {"fp16-e5m2-up-sat:0000@shift=1@batch=1", "1 to 63"},
        {"fp16-e5m2-up-sat:0000@place=1", "in that order"},
        {"fp16-e5m2-up-sat:0000@batch=", "1 to 4096"},
        {"fp17-e5m2-up-sat:0000", "fp17"},
    }));
    INFO(refused.first);
    CHECK_THROWS_WITH(parse_fuzz_case(refused.first), Contains(refused.second));
    CHECK_THROWS_AS(parse_fuzz_case(refused.first), std::invalid_argument);
}

TEST_CASE("the cases of a seed are the same everywhere") {
    const Fake fake;
    const FuzzGenerator generator(fake.targets[0].conversion, fake.targets[0].judge.firsts(), 7);
    CHECK(sha256(text_of(generator, 100)) == "ea2032662484e754d3f361374828f3c74c1539daaf103865383dc3c4afb01dff");
    CHECK(text_of(generator, 5) != text_of(FuzzGenerator(generator(0).conversion, {}, 8), 5));
}

TEST_CASE("cases hold what they are made for", "[values]") {
    const Fake fake;
    const std::vector<Code> firsts = fake.targets[0].judge.firsts();
    const FuzzGenerator generator(fake.targets[0].conversion, firsts, 1);
    std::set<Code> inputs;
    std::set<std::size_t> sizes;
    std::set<unsigned> shifts;
    bool cut = false;
    bool repeated = false;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const FuzzCase fuzz_case = generator(i);
        REQUIRE(!fuzz_case.values.empty());
        REQUIRE(fuzz_case.values.size() <= max_case_values);
        REQUIRE(fuzz_case.batch <= fuzz_case.values.size());
        for (const FuzzValue& value : fuzz_case.values) {
            REQUIRE(value.input <= formats::fp32.last_code());
            REQUIRE(value.random == 0);
            inputs.insert(value.input);
        }
        sizes.insert(fuzz_case.values.size());
        shifts.insert(fuzz_case.shift);
        cut = cut || fuzz_case.batch > 1;
        repeated = repeated || (fuzz_case.values.size() > 8 && fuzz_case.values[1] == fuzz_case.values[2] &&
                                fuzz_case.values[2] == fuzz_case.values[3]);
    }
    for (const Code first : firsts)
        for (const Code input : {first - 1, first, first + 1})
            CHECK(inputs.contains(input & formats::fp32.last_code()));
    for (const Code special : {0x00000000U, 0x80000000U, 0x7F800000U, 0xFF800000U, 0x7FFFFFFFU, 0xFFFFFFFFU,
                               0x00000001U, 0x00800000U, 0x007FFFFFU, 0x7F7FFFFFU, 0x7F800001U})
        CHECK(inputs.contains(special));
    CHECK(sizes.contains(1));
    CHECK(sizes.contains(max_case_values));
    CHECK(shifts.size() == max_case_shift + 1);
    CHECK(cut);
    CHECK(repeated);
}

TEST_CASE("an honest backend has nothing to be found", "[values]") {
    Fake fake(GENERATE("fp32-e4m3-nearest_even-sat", "fp64-e5m2-nearest_even-sat", "e4m3-fp16-nearest_even-sat"));
    const FuzzResult result = fake.run();
    CHECK(result.failures.empty());
    CHECK(result.cases == 300);
    CHECK(result.values > 1000);
    CHECK(result.values == fake.targets[0].values);
    CHECK(exit_code(result) == 0);
}

TEST_CASE("a wrong step is found and made as round as it gets") {
    Fake fake;
    // 1.0625 to 1.1875 give 1.125; this one is off above 1.09.
    fake.fault = [](const FuzzCase& c, FuzzAnswer& answer, std::uint8_t) {
        for (std::size_t i = 0; i < c.values.size(); ++i)
            if (c.values[i].input >= 0x3F8B851F && c.values[i].input < 0x3F980000) answer.codes[i] = 0x38;
    };
    const FuzzResult result = fake.run(2000);
    REQUIRE(result.failures.size() == 1);
    const FuzzFailure& failure = result.failures.front();
    CHECK(failure.kind == FuzzKind::wrong);
    CHECK(to_string(failure.fuzz_case) == fp32_name + ":3F900000"); // 1.125: three bits
    CHECK(failure.got == 0x38);
    CHECK(failure.expected.permit == permit_code(0x39));
    CHECK(failure.found > 10);
    CHECK(again(failure, {"./x.so", {}, "a b"}) ==
          "mxcert certify ./x.so --profile ocp-sat --backend-option='a b' --reproduce " + fp32_name + ":0x3F900000");
    CHECK(exit_code(result) == 1);
}

TEST_CASE("what is wrong in company alone is shrunk to its company") {
    Fake fake;
    // Whoever stands right behind an infinity gets its answer.
    fake.fault = [](const FuzzCase& c, FuzzAnswer& answer, std::uint8_t) {
        for (std::size_t i = 1; i < c.values.size(); ++i)
            if (c.values[i - 1].input == 0x7F800000) answer.codes[i] = answer.codes[i - 1];
    };
    const FuzzResult result = fake.run(2000);
    REQUIRE(!result.failures.empty());
    for (const FuzzFailure& failure : result.failures) {
        INFO(to_string(failure.fuzz_case));
        CHECK(failure.kind == FuzzKind::company);
        REQUIRE(failure.fuzz_case.values.size() == 2);
        CHECK(failure.at == 1);
        CHECK(failure.fuzz_case.values[0].input == 0x7F800000);
        CHECK(failure.fuzz_case.batch == 0);
        CHECK(failure.fuzz_case.shift == 0);
        CHECK_THAT(again(failure, {"x", {}, {}}),
                   Contains("mxcert fuzz x --profile ocp-sat --case " + fp32_name + ":0x7F800000,"));
    }
    // The line of a failure shows it again.
    const FuzzCase small = parse_fuzz_case(to_string(result.failures.front().fuzz_case));
    const auto ask = [&fake](const FuzzCase& c, std::uint8_t poison) { return fake.ask(c, poison); };
    const FuzzResult once = fuzz_one(fake.targets[0], small, ask, {});
    REQUIRE(once.failures.size() == 1);
    CHECK(once.failures.front().fuzz_case == small);
}

TEST_CASE("outputs that are not written, answers that change and crashes are told apart") {
    Fake fake;
    unsigned calls = 0;
    SECTION("not written") {
        fake.fault = [](const FuzzCase& c, FuzzAnswer& answer, std::uint8_t poison) {
            if (c.values.size() >= 3) answer.codes[2] = poison;
        };
        const FuzzResult result = fake.run();
        REQUIRE(!result.failures.empty());
        for (const FuzzFailure& failure : result.failures) {
            CHECK(failure.kind == FuzzKind::unwritten);
            CHECK(failure.fuzz_case.values.size() == 3);
        }
        CHECK(exit_code(result) == 1);
    }
    SECTION("wrong now and then") {
        fake.fault = [&calls](const FuzzCase&, FuzzAnswer& answer, std::uint8_t) {
            if (++calls % 7 == 0) answer.codes[0] ^= 1;
        };
        const FuzzResult result = fake.run();
        REQUIRE(!result.failures.empty());
        for (const FuzzFailure& failure : result.failures) CHECK(failure.kind == FuzzKind::changing);
        CHECK(exit_code(result) == 1);
    }
    SECTION("by the parity of the batch") {
        fake.fault = [](const FuzzCase& c, FuzzAnswer& answer, std::uint8_t) {
            if (c.values.size() % 2 == 1) answer.codes[0] ^= 1;
        };
        const FuzzResult result = fake.run();
        REQUIRE(!result.failures.empty());
        CHECK(result.failures.front().kind == FuzzKind::changing);
        CHECK_THAT(result.failures.front().reason, Contains("2 of it give"));
    }
    SECTION("permitted, and not the same") {
        fake.targets.clear();
        verdict::CertifyOptions options;
        options.profiles = {"ocp-sat"};
        fake.plan = certify::make_plan(fake.subject, options, fake.golden);
        for (const suites::PlannedConversion& planned : fake.plan.conversions)
            fake.targets.emplace_back(planned.conversion, verdict::ValueJudge(planned.conversion, planned.judges));
        fake.fault = [&calls](const FuzzCase& c, FuzzAnswer& answer, std::uint8_t) {
            ++calls;
            for (std::size_t i = 0; i < c.values.size(); ++i)
                if (formats::fp32.is_nan(c.values[i].input)) answer.codes[i] = calls % 2 == 0 ? 0x7F : 0xFF;
        };
        const FuzzResult result = fake.run();
        REQUIRE(result.failures.size() == 1);
        CHECK(result.failures.front().kind == FuzzKind::changing);
        CHECK_THAT(result.failures.front().reason, Contains("permitted, and not the same"));
    }
    SECTION("a crash is shrunk to the value") {
        fake.fault = [](const FuzzCase& c, FuzzAnswer& answer, std::uint8_t) {
            const bool hit = std::any_of(c.values.begin(), c.values.end(),
                                         [](const FuzzValue& value) { return formats::fp32.is_inf(value.input); });
            if (hit) answer = {FuzzAnswer::Kind::died, {}, "signal 11 (SIGSEGV)", "last words"};
        };
        const FuzzResult result = fake.run();
        REQUIRE(result.failures.size() == 1);
        CHECK(result.failures.front().kind == FuzzKind::misbehaved);
        CHECK(result.failures.front().fuzz_case.values.size() == 1);
        CHECK(formats::fp32.is_inf(result.failures.front().fuzz_case.values.front().input));
        CHECK(result.failures.front().detail == "last words");
        CHECK(exit_code(result) == 3);
        CHECK(!fake.targets[0].dropped.empty());
    }
    SECTION("a crash while a wrong answer is made small does not change what it is") {
        fake.fault = [&calls](const FuzzCase&, FuzzAnswer& answer, std::uint8_t) {
            if (++calls == 1)
                for (Code& code : answer.codes) code = 0x55;
            else
                answer = {FuzzAnswer::Kind::stopped, {}, "stopped", {}};
        };
        const FuzzResult result = fake.run();
        CHECK(result.stopped);
        CHECK(result.values == 0);
        CHECK(exit_code(result) == 3);
        calls = 0;
        fake.fault = [&calls](const FuzzCase&, FuzzAnswer& answer, std::uint8_t) {
            if (++calls <= 2)
                for (Code& code : answer.codes) code = 0x55;
            else
                answer = {FuzzAnswer::Kind::stopped, {}, "stopped", {}};
        };
        const FuzzResult seen = fake.run();
        CHECK(seen.stopped);
        REQUIRE(!seen.failures.empty());
        CHECK(seen.failures.front().kind != FuzzKind::changing);
        CHECK(seen.failures.front().reason == "not made small: stopped");
        CHECK(exit_code(seen) == 1);
    }
    SECTION("nothing is asked of what refuses") {
        fake.fault = [](const FuzzCase&, FuzzAnswer& answer, std::uint8_t) {
            answer = {FuzzAnswer::Kind::unsupported, {}, "not today", {}};
        };
        const FuzzResult result = fake.run();
        CHECK(result.cases == 1);
        CHECK(exit_code(result) == 4);
        CHECK(fake.targets[0].dropped == "not today");
    }
}

TEST_CASE("misbehaviour is told apart by its kind and not by the numbers in its reason") {
    Fake fake;
    unsigned calls = 0;
    const auto fail_as = [&](FuzzAnswer::Kind kind, const std::string& before, const std::string& after) {
        fake.fault = [&calls, kind, before, after](const FuzzCase& c, FuzzAnswer& answer, std::uint8_t) {
            ++calls;
            const bool hit = std::any_of(c.values.begin(), c.values.end(),
                                         [](const FuzzValue& value) { return formats::fp32.is_inf(value.input); });
            if (hit) answer = {kind, {}, before + std::to_string(calls) + after, {}};
        };
        return fake.run();
    };
    const auto kind = GENERATE(FuzzAnswer::Kind::memory, FuzzAnswer::Kind::hung, FuzzAnswer::Kind::broke,
                               FuzzAnswer::Kind::no_start, FuzzAnswer::Kind::failed);
    const FuzzResult result = fail_as(kind, "took ", " MiB of memory");
    REQUIRE(result.failures.size() == 1);
    CHECK(result.failures.front().found > 1);
    if (kind != FuzzAnswer::Kind::hung) CHECK(result.failures.front().fuzz_case.values.size() == 1);

    // Two ways of dying are two failures.
    Fake other_fake;
    other_fake.fault = [&calls](const FuzzCase&, FuzzAnswer& answer, std::uint8_t) {
        answer = {FuzzAnswer::Kind::died, {}, ++calls % 2 == 0 ? "signal 11 (SIGSEGV)" : "signal 6 (SIGABRT)", {}};
    };
    CHECK(other_fake.run().failures.size() == 2);
}

TEST_CASE("no failure is looked into when the time is over") {
    using namespace std::chrono_literals;
    using Clock = std::chrono::steady_clock;
    Fake fake;
    const bool dies = GENERATE(false, true);
    FuzzOptions options;
    options.time = 100ms;
    Clock::time_point now;
    const Clock::time_point over = now + options.time;
    options.now = [&now] { return now; };
    unsigned late = 0;
    fake.fault = [&](const FuzzCase& c, FuzzAnswer& answer, std::uint8_t) {
        if (now >= over) ++late;
        now += 10ms;
        for (std::size_t i = 0; i < c.values.size(); ++i) answer.codes[i] ^= 1;
        // It dies in company alone, and so is made small step by step.
        if (dies && c.values.size() > 1) answer = {FuzzAnswer::Kind::died, {}, "signal 11 (SIGSEGV)", "words"};
    };
    const auto ask = [&](const FuzzCase& c, std::uint8_t poison) { return fake.ask(c, poison); };
    const FuzzCase fuzz_case = FuzzGenerator(fake.targets[0].conversion, fake.targets[0].judge.firsts(), 1)(5);
    REQUIRE(fuzz_case.values.size() > 4);
    const FuzzResult result = GENERATE(false, true) ? fuzz_one(fake.targets[0], fuzz_case, ask, options)
                                                    : fuzz::fuzz(fake.targets, ask, options);
    CHECK(late <= 1); // a case is asked twice
    REQUIRE(!result.failures.empty());
    CHECK(std::any_of(result.failures.begin(), result.failures.end(), [](const FuzzFailure& failure) {
        return failure.reason.find("not made small: the time was over") != std::string::npos;
    }));
    CHECK(!result.stopped);
}

TEST_CASE("the verdict of fuzzing is one, in words, JSON and the exit code") {
    FuzzReport report;
    report.info.name = "x";
    report.result.values = 7;
    const auto says = [&](int code, const std::string& word) {
        CHECK(exit_code(report.result) == code);
        CHECK_THAT(fuzz_text(report, false), Contains("\n" + word + ": x") || Catch::StartsWith(word + ": x"));
        CHECK_THAT(fuzz_json(report),
                   Contains("\"exit_code\": " + std::to_string(code)) && Contains("\"verdict\": \"" + word + "\""));
    };
    says(0, "NOTHING FOUND");
    report.result.values = 0;
    says(4, "NOTHING CHECKED");
    report.result.stopped = true;
    says(3, "STOPPED");
    report.result.values = 7;
    says(3, "STOPPED");
    CHECK_THAT(fuzz_text(report, false), !Contains("NOTHING FOUND"));
    report.result.misbehaved = "the worker did not end well: exit 1";
    says(3, "MISBEHAVED");
    CHECK_THAT(fuzz_text(report, false), Contains("did not end well: exit 1") && !Contains("NOTHING FOUND"));
    CHECK_THAT(fuzz_json(report), Contains("did not end well: exit 1"));
    Fake fake;
    fake.fault = [](const FuzzCase&, FuzzAnswer& answer, std::uint8_t) { answer.codes[0] ^= 0x10; };
    report.result.failures = fake.run(1).failures;
    says(1, "FOUND");
    report.result.failures.front().kind = FuzzKind::misbehaved;
    says(3, "FOUND");
}

TEST_CASE("conversions that had no case are counted") {
    FuzzReport report;
    Fake fake;
    report.targets = fake.targets;
    CHECK_THAT(fuzz_text(report, false), Contains("1 conversion had no case"));
    CHECK_THAT(fuzz_json(report), Contains("\"without_case\": 1"));
    report.targets.front().cases = 1;
    CHECK_THAT(fuzz_text(report, false), !Contains("had no case"));
    CHECK_THAT(fuzz_json(report), Contains("\"without_case\": 0"));
}

TEST_CASE("a stochastic rounding is held to the exact model with its random word", "[values]") {
    const Conversion conversion = parse_conversion("fp16-e4m3-stochastic_b5-sat");
    std::vector<FuzzTarget> targets;
    targets.emplace_back(conversion, verdict::ValueJudge(conversion, {&find_profile("ocp-sat")}));
    bool skewed = false;
    const auto ask = [&](const FuzzCase& c, std::uint8_t) {
        FuzzAnswer answer;
        for (const FuzzValue& value : c.values) {
            const std::uint32_t random = skewed && value.random != 0 ? value.random - 1 : value.random;
            answer.codes.push_back(
                exact::convert(*conversion.from, *conversion.to, choices_of(conversion), value.input, {5, random})
                    .code);
        }
        return answer;
    };
    FuzzOptions options;
    options.cases = 60;
    CHECK(exit_code(fuzz::fuzz(targets, ask, options)) == 0);
    skewed = true;
    const FuzzResult result = fuzz::fuzz(targets, ask, options);
    REQUIRE(!result.failures.empty());
    CHECK(result.failures.front().kind == FuzzKind::wrong);
    CHECK_THAT(again(result.failures.front(), {"x", {}, {}}),
               Contains("mxcert certify x --profile ocp-sat --reproduce fp16-"));
}

TEST_CASE("shrinking keeps to its attempts") {
    const FuzzCase large = FuzzGenerator(parse_conversion(fp32_name), {}, 3)(11);
    unsigned calls = 0;
    const FuzzCase same = shrink_case(
        large, 0, [&calls](const FuzzCase&) { return ++calls == 0; }, 20);
    CHECK(calls == 20);
    CHECK(same == large);
}

TEST_CASE("a report of fuzzing is safe to print and complete as JSON") {
    Fake fake;
    fake.fault = [](const FuzzCase&, FuzzAnswer& answer, std::uint8_t) {
        answer = {FuzzAnswer::Kind::failed, {}, "it \x1b[31m hurts", {}};
    };
    FuzzReport report;
    report.result = fake.run();
    report.invocation = {"x", {"ocp-sat"}, {}};
    const std::string text = fuzz_text(report, false);
    CHECK_THAT(text, Contains("MISBEHAVED") && Contains("hurts") && Contains("FOUND"));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK_THAT(fuzz_json(report), Contains("\"exit_code\": 3") && Contains("mxcert-fuzz-1"));
}
