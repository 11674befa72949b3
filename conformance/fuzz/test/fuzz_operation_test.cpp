// SPDX-License-Identifier: Apache-2.0
#include "conformance/fuzz/fuzz_operation_run.hpp"

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/fuzz/fuzz.hpp"
#include "conformance/fuzz/fuzz_report.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/base/sha256.hpp"

using namespace mxcert;
using namespace mxcert::fuzz;
using Catch::Contains;
using mxcert::test::contains;
using mxcert::test::shell;

namespace {

const std::string quantize_name = "quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32";
const std::string dequantize_name = "dequantize-e4m3-e8m0-fp32-row-32";
const std::string scaled_matmul_name = "scaled_matmul-e4m3-e4m3-tensor-nt-bf16-product-bf16-none-none-hopper_fp8_f32";
const std::string linear_name =
    "linear-bf16-te_nvfp4_hadamard-wgrad-e2m1-e2m1-ue4m3-none-none-fp32-blackwell_mxf4nvf4-given-stochastic_a16_given";
const std::string layout_name = "layout-swizzle_128x4-arrange";

/// A planted plugin with a fault, and what of it is fuzzed.
struct FuzzedPlugin {
    std::unique_ptr<observe::Subject> subject;
    FuzzedOperations operations;
    std::vector<FuzzTarget> none;

    explicit FuzzedPlugin(const std::string& fault, const std::string& profile = "ocp-sat",
                          const char* plugin = MXCERT_TEST_QUANTIZER, const std::string& filter = "*") {
        static verdict::GoldenSource golden; // read once for all tests
        subject = test::open_plugin(plugin, fault);
        verdict::CertifyOptions options;
        options.profiles = {profile};
        options.filters = {filter};
        const certify::Plan plan = certify::make_plan(*subject, options, golden);
        operations = {subject.get(), &golden, operation_targets(plan)};
    }

    FuzzResult run(std::uint64_t cases = 64, std::uint64_t seed = 1) {
        FuzzOptions options;
        options.cases = cases;
        options.seed = seed;
        return fuzz::fuzz(none, {}, operations, options);
    }
};

/// A subject that answers runs as a test has it.
struct FuzzedRuns final : test::BareSubject {
    std::function<frames::RunAnswer(const frames::RunCase&)> answer;
    [[nodiscard]] frames::RunAnswer run(const Operation& /*operation*/, const frames::RunCase& run_case) override {
        return answer(run_case);
    }
};

/// That subject with one operation.
struct FuzzedFake {
    FuzzedRuns subject;
    verdict::GoldenSource golden;
    FuzzedOperations operations;
    std::vector<FuzzTarget> none;

    explicit FuzzedFake(const std::string& name = dequantize_name)
        : operations{&subject, &golden, {{parse_operation(name), {&find_profile("ocp-sat")}}}} {}

    FuzzResult run(const FuzzOptions& options) { return fuzz::fuzz(none, {}, operations, options); }
};

frames::RunAnswer all_zeros(const frames::RunCase& run_case) { return {Status::pass, "", "", run_case.outputs}; }

/// The part of an operation that random cases are drawn of.
struct DrawnCases {
    Operation operation;
    std::vector<const Profile*> profiles;
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    test::BareSubject subject;
    std::unique_ptr<suites::CasePart> part;

    DrawnCases(const std::string& name, const std::string& profile)
        : operation(parse_operation(name)), profiles{&find_profile(profile)},
          part(suites::suite_of(operation).cases({subject, operation, profiles, golden, options},
                                                 suites::suite_of(operation).drawn_part())) {}
};

std::string text_of(const std::string& operation, const std::string& profile, std::uint64_t seed) {
    const DrawnCases cases(operation, profile);
    std::string text;
    for (std::uint64_t i = 0; i < 10; ++i) {
        SplitMix64 random(SplitMix64::at(seed, i));
        text += cases::to_string(cases::form_of(cases.operation), cases.part->draw(random)) + '\n';
    }
    return text;
}

std::string line_after_again(const std::string& text) {
    const std::size_t at = text.find("again:");
    REQUIRE(at != std::string::npos);
    const std::size_t start = text.find("mxcert", at);
    return text.substr(start, text.find('\n', start) - start);
}

} // namespace

TEST_CASE("the random cases of an operation are the same everywhere", "[fuzz][values]") {
    CHECK(sha256(text_of(quantize_name, "ocp-sat", 7)) ==
          "f08425db0c595e2e2d8e64223ecc67cb4fef59b5f0f079f44508ef5f18c549f0");
    CHECK(sha256(text_of(dequantize_name, "ocp-sat", 7)) ==
          "06dbeeb5e2d5552d5fa24536e050ad6de68f31eda020a6b525cb0ee46ca9c9de");
    CHECK(sha256(text_of("quantize_float-fp32-e4m3-fp32-absmax-1x32", "absmax", 7)) ==
          "73493628b50de44e8eaea460ae410cab5be2f4633df55c76b0b7be42265d9905");
    CHECK(sha256(text_of("matmul-e4m3-e4m3-e8m0-1x32-32x1-nn-fp32-fp32-fp32_multiply_add-given", "products", 7)) ==
          "61ffbb275858bf579c9a0aa502406ced26f497a5776b23d3541606dc650a6677");
    CHECK(sha256(text_of(layout_name, "nvidia-te", 7)) ==
          "6e5fe8ad350b8c9f50a314ef65068cd188ae67c6b64fd911ce945f632e442680");
    CHECK(sha256(text_of(scaled_matmul_name, "products", 7)) ==
          "237b757a78c482a46680964a122c18b3b2702b81ead4b4c92ac7de936b1c8b23");
    CHECK(sha256(text_of(linear_name, "products", 7)) ==
          "039c630fae5838f6b785caf171dc5ce8f6ec41f813e080a952851375b3f0fff2");
    CHECK(text_of(quantize_name, "ocp-sat", 7) != text_of(quantize_name, "ocp-sat", 8));
}

TEST_CASE("of each random case of a layer something can be said", "[fuzz]") {
    for (const std::string& name :
         {linear_name, std::string("linear-fp32-torchao_nvfp4-dgrad-e2m1-e2m1-ue4m3-bf16-none-"
                                   "fp32-fp32_fma-given")}) {
        const DrawnCases cases(name, "products");
        for (std::uint64_t i = 0; i < 40; ++i) {
            SplitMix64 random(SplitMix64::at(3, i));
            CHECK(cases.part->given(cases.part->draw(random)).open.empty());
        }
    }
}

TEST_CASE("random matrices hold what they are made for", "[fuzz][values]") {
    const DrawnCases cases(quantize_name, "ocp-sat");
    const cases::CaseForm form = cases::form_of(cases.operation);
    std::set<Code> seen;
    bool single = false;
    bool tail = false;
    bool whole = false;
    bool filled = false;
    bool differing = false;
    for (std::uint64_t i = 0; i < 300; ++i) {
        SplitMix64 random(SplitMix64::at(1, i));
        const cases::GivenCase given_case = cases.part->draw(random);
        const std::uint64_t rows = given_case.sizes[0];
        const std::uint64_t columns = given_case.sizes[1];
        REQUIRE(given_case.tensors[0].size() == rows * columns);
        REQUIRE(cases::parse_given(form, cases::to_string(form, given_case)) == given_case);
        single = single || rows * columns == 1;
        tail = tail || (columns > 32 && columns % 32 != 0);
        whole = whole || (columns >= 64 && columns % 32 == 0);
        filled = filled || (rows % 32 == 0 && columns % 32 == 0);
        seen.insert(given_case.tensors[0].begin(), given_case.tensors[0].end());
        differing =
            differing || (columns > 64 && ((given_case.tensors[0][0] ^ given_case.tensors[0][32]) & 0x7F800000) != 0);
    }
    CHECK((single && tail && whole && filled && differing));
    // NaN, Inf, zeros, subnormals; ties of elements under the scale of 448, and the amaxes next to a boundary of
    // scales.
    for (const Code special :
         {0x7F800000U, 0xFF800000U, 0x7F800001U, 0x00000000U, 0x80000000U, 0x00000001U, 0x007FFFFFU, 0x7F7FFFFFU})
        CHECK(seen.contains(special));
}

TEST_CASE("operations without a fault have nothing to be found", "[fuzz][values]") {
    const auto [profile, plugin] = GENERATE(table<const char*, const char*>({
        {"ocp-sat", MXCERT_TEST_QUANTIZER},
        {"nvidia-te", MXCERT_TEST_QUANTIZER},
        {"absmax", MXCERT_TEST_FLOAT_QUANTIZER},
        {"products", MXCERT_TEST_MULTIPLIER},
        {"products", MXCERT_TEST_SCALED_MULTIPLIER},
        {"products", MXCERT_TEST_LINEAR_LAYER},
    }));
    CAPTURE(plugin);
    FuzzedPlugin planted("", profile, plugin);
    const FuzzResult result = planted.run(40);
    CHECK(result.count_failures() == 0);
    CHECK(result.cases == 40);
    CHECK(result.operation_cases == 40);
    CHECK(result.values > 1'000);
    CHECK(exit_code(result) == 0);
    for (const OperationTarget& target : planted.operations.targets) CHECK(target.dropped.empty());
}

TEST_CASE("fuzzing finds the faults of operations and makes their cases small", "[fuzz][values]") {
    struct Fault {
        const char* fault;
        const char* profile;
        std::string operation;
        FuzzKind kind;
        const char* sizes; ///< of the smallest case
        const char* says;
    };
    const auto this_fault = GENERATE(values<Fault>({
        {"without lane 0", "ocp-sat", quantize_name, FuzzKind::wrong, "1x1", "the scale is 0x00, not 0x77"},
        {"tail shares", "ocp-sat", quantize_name, FuzzKind::wrong, "1x33", "block 1: the scale is"},
        {"scales transposed", "ocp-sat", quantize_name, FuzzKind::wrong, "2x33", "the scale is"},
        {"never reset", "ocp-sat", quantize_name, FuzzKind::wrong, "2x1", "line 1, block 0: the scale is"},
        {"another scale inside", "ocp-sat", quantize_name, FuzzKind::wrong, "3x1", "line 2, block 0: lane 0"},
        {"subnormals flushed", "ocp-sat", quantize_name, FuzzKind::wrong, "1x1", "lane 0"},
        {"last not written", "ocp-sat", quantize_name, FuzzKind::unwritten, "1x1", "has the poison"},
        {"crash", "ocp-sat", quantize_name, FuzzKind::misbehaved, "1x1", "SIGABRT"},
        {"changes its input", "ocp-sat", quantize_name, FuzzKind::misbehaved, "1x1", "changed its input"},
        {"tail shares", "ocp-sat", dequantize_name, FuzzKind::wrong, "1x33", "block 1: lane 0"},
        {"scales transposed", "ocp-sat", dequantize_name, FuzzKind::wrong, "2x33", "under the scale"},
        {"lanes swapped", "ocp-sat", dequantize_name, FuzzKind::wrong, "1x2", "lane 0"},
        {"swizzled twice", "nvidia-te", layout_name, FuzzKind::wrong, "2x1", "cause: twice"},
        {"columns not padded", "nvidia-te", layout_name, FuzzKind::wrong, "129x1", "unpadded_stride"},
        {"one byte lost", "nvidia-te", layout_name, FuzzKind::wrong, "1x1", "1 byte wrong"},
    }));
    INFO(this_fault.fault << " of " << this_fault.operation);
    FuzzedPlugin planted(this_fault.fault, this_fault.profile, MXCERT_TEST_QUANTIZER, this_fault.operation + "/*");
    const FuzzResult result = planted.run();
    REQUIRE(!result.operation_failures.empty());
    const OperationFailure& failure = result.operation_failures.front();
    CHECK(failure.kind == this_fault.kind);
    CHECK(to_string(failure.operation) == this_fault.operation);
    CHECK(failure.profile == this_fault.profile);
    CHECK(failure.smallest.sizes == this_fault.sizes);
    CHECK_THAT(failure.smallest.finding, Contains(this_fault.says));
    CHECK(failure.reason.empty());
    CHECK(failure.found > 1);
    CHECK(exit_code(result) == (this_fault.kind == FuzzKind::misbehaved ? 3 : 1));
}

TEST_CASE("fuzzing finds faults of float blocks and of products", "[fuzz][values]") {
    const auto [fault, profile, plugin, filter] = GENERATE(table<const char*, const char*, const char*, const char*>({
        {"scales transposed", "absmax", MXCERT_TEST_FLOAT_QUANTIZER, "quantize_float-fp32-e4m3-fp32-absmax-1x32/*"},
        {"tail shares", "absmax", MXCERT_TEST_FLOAT_QUANTIZER, "quantize_float-fp32-e4m3-fp32-absmax-1x32/*"},
        {"scales transposed", "absmax", MXCERT_TEST_FLOAT_QUANTIZER, "dequantize_float-e4m3-fp32-bf16-1x32/*"},
        {"k reversed", "products", MXCERT_TEST_MULTIPLIER, "*"},
        {"the bias left out", "products", MXCERT_TEST_SCALED_MULTIPLIER, "*"},
        {"the amax of positive values", "products", MXCERT_TEST_SCALED_MULTIPLIER, "*-e4m3-fp32-fp32-*"},
        {"every block has the first scale of its tensor", "products", MXCERT_TEST_LINEAR_LAYER, "*"},
    }));
    INFO(fault);
    FuzzedPlugin planted(fault, profile, plugin, filter);
    const FuzzResult result = planted.run(16);
    REQUIRE(!result.operation_failures.empty());
    CHECK(result.operation_failures.front().kind == FuzzKind::wrong);
    CHECK(exit_code(result) == 1);
}

TEST_CASE("a seed decides what fuzzing finds of operations", "[fuzz][values]") {
    const auto text = [](std::uint64_t seed) {
        FuzzReport report;
        report.result = FuzzedPlugin("tail shares").run(24, seed);
        report.result.seconds = 0;
        return fuzz_json(report);
    };
    CHECK(text(5) == text(5));
    CHECK(text(5) != text(6));
}

TEST_CASE("sizes that may be refused are passed over, an operation that refuses others is not asked again", "[fuzz]") {
    FuzzedPlugin tails("refuses tails", "ocp-sat", MXCERT_TEST_QUANTIZER, quantize_name + "/*");
    const FuzzResult result = tails.run();
    CHECK(exit_code(result) == 0);
    CHECK(tails.operations.targets[0].refused > 10);
    CHECK(tails.operations.targets[0].dropped.empty());
    FuzzedPlugin all("refuses all", "ocp-sat", MXCERT_TEST_QUANTIZER, quantize_name + "/*");
    CHECK(exit_code(all.run()) == 4);
    CHECK(!all.operations.targets[0].dropped.empty());
}

TEST_CASE("an operation that is wrong now and then is not deterministic", "[fuzz]") {
    FuzzedFake fake;
    unsigned calls = 0;
    FuzzOptions options;
    options.cases = 1;
    SECTION("changed when it was asked again") {
        fake.subject.answer = [](const frames::RunCase& /*run_case*/) {
            return frames::RunAnswer{Status::fail, "value 0 was 0x00, then 0x01", "", {}};
        };
    }
    SECTION("wrong once") {
        fake.subject.answer = [&](const frames::RunCase& run_case) {
            frames::RunAnswer answer = all_zeros(run_case);
            if (calls++ == 0) return answer; // zeros are wrong
            return frames::RunAnswer{Status::incomplete, "as the test wants", "", {}};
        };
        const FuzzResult result = fake.run(options);
        REQUIRE(result.operation_failures.size() == 1);
        CHECK(result.operation_failures[0].kind == FuzzKind::wrong);
        CHECK(result.operation_failures[0].reason == "not made small: as the test wants");
        fake.subject.answer = [&](const frames::RunCase& run_case) {
            frames::RunAnswer answer = all_zeros(run_case);
            if (calls++ % 2 != 0) answer = {Status::unsupported, "not now", "", {}};
            return answer;
        };
    }
    const FuzzResult result = fake.run(options);
    REQUIRE(!result.operation_failures.empty());
    CHECK(result.operation_failures[0].kind == FuzzKind::changing);
    CHECK(exit_code(result) == 1);
}

TEST_CASE("an operation that ends its worker once has misbehaved", "[fuzz]") {
    FuzzedFake fake;
    unsigned calls = 0;
    fake.subject.answer = [&](const frames::RunCase& run_case) {
        frames::RunAnswer answer = all_zeros(run_case);
        answer.status = calls++ == 0 ? Status::error : Status::unsupported;
        answer.reason = "signal 11 (SIGSEGV)";
        return answer;
    };
    FuzzOptions options;
    options.cases = 1;
    const FuzzResult result = fake.run(options);
    REQUIRE(result.operation_failures.size() == 1);
    CHECK(result.operation_failures[0].kind == FuzzKind::misbehaved);
    CHECK_THAT(result.operation_failures[0].reason, Contains("failed once"));
    CHECK(result.operation_failures[0].smallest.finding == "signal 11 (SIGSEGV)");
    CHECK(exit_code(result) == 3);
}

TEST_CASE("an operation that fails is not looked into when the time is over", "[fuzz]") {
    using namespace std::chrono_literals;
    FuzzedFake fake;
    FuzzOptions options;
    options.time = 60ms;
    std::chrono::steady_clock::time_point now;
    const auto over = now + options.time;
    options.now = [&now] { return now; };
    unsigned late = 0;
    fake.subject.answer = [&](const frames::RunCase& run_case) {
        if (now >= over) ++late;
        now += 10ms;
        return all_zeros(run_case);
    };
    const FuzzResult result = fake.run(options);
    CHECK(late == 0);
    REQUIRE(!result.operation_failures.empty());
    CHECK(result.operation_failures[0].reason == "not made small: the time was over");
    CHECK(!result.stopped);
    CHECK(exit_code(result) == 1);
}

TEST_CASE("a run of operations that is stopped says so", "[fuzz]") {
    FuzzedFake fake;
    std::atomic<bool> stop = false;
    FuzzOptions options;
    options.stop = &stop;
    unsigned calls = 0;
    fake.subject.answer = [&](const frames::RunCase& /*run_case*/) {
        if (++calls == 3) stop = true;
        return stop ? frames::RunAnswer{Status::incomplete, "stopped", "", {}}
                    : frames::RunAnswer{Status::unsupported, "", "", {}};
    };
    const FuzzResult result = fake.run(options);
    CHECK(result.stopped);
    CHECK(exit_code(result) == 3);
    CHECK(calls <= 3);
}

TEST_CASE("conversions and operations take turns", "[fuzz]") {
    FuzzedFake fake;
    std::vector<unsigned> order;
    fake.subject.answer = [&](const frames::RunCase& /*run_case*/) {
        order.push_back(1);
        return frames::RunAnswer{Status::error, "no", "", {}};
    };
    test::FakeSubject conversions;
    conversions.offer("fp16-e4m3-nearest_even-sat");
    verdict::CertifyOptions wanted;
    wanted.profiles = {"ocp-sat"};
    wanted.samples_per_step = 0;
    const certify::Plan plan = certify::make_plan(conversions, wanted, fake.golden);
    std::vector<FuzzTarget> targets;
    targets.emplace_back(plan.conversions[0].conversion,
                         verdict::ValueJudge(plan.conversions[0].conversion, plan.conversions[0].judges));
    FuzzOptions options;
    options.cases = 9;
    const FuzzResult result = fuzz::fuzz(
        targets,
        [&](const FuzzCase& /*one*/, std::uint8_t /*poison*/) {
            order.push_back(0);
            return FuzzAnswer{FuzzAnswer::Kind::failed, {}, "no", {}};
        },
        fake.operations, options);
    CHECK(result.cases == 9);
    CHECK(result.operation_cases == 4);
    CHECK(targets[0].cases == 5);
    CHECK(order.front() == 0);
    FuzzReport report;
    report.result = result;
    report.targets = targets;
    report.operations = fake.operations;
    CHECK_THAT(fuzz_text(report, false), Contains("in 9 cases (4 of operations)"));
    const nlohmann::json json = nlohmann::json::parse(fuzz_json(report));
    CHECK(json["cases"] == 9);
    CHECK(json["operation_cases"] == 4);
    CHECK(json["operations"][0]["cases"] == 4);
    CHECK(json["conversions"][0]["cases"] == 5);
    CHECK(json["failures"].size() == 2);
    CHECK(json["failures"][1]["operation"] == dequantize_name);
}

TEST_CASE("what fuzzing finds of an operation is found again by the line it prints", "[fuzz][cli][values]") {
    const TemporaryFolder folder;
    const auto [fault, profile, filter] = GENERATE(table<const char*, const char*, std::string>({
        {"tail shares", "ocp-sat", quantize_name},
        {"lanes swapped", "ocp-sat", "dequantize-*"},
        {"swizzled twice", "nvidia-te", "layout-*"},
        {"last not written", "ocp-sat", "quantize-*"},
        {"crash", "ocp-sat", "dequantize-*"},
    }));
    const test::Result found = shell(folder.path(), std::string("mxcert fuzz --time 1h '") + MXCERT_TEST_QUANTIZER +
                                                        "' --cases 60 --max-failures 1 --profile " + profile +
                                                        " --filter '" + filter + "' --backend-option='" + fault + "'");
    INFO(found.out << found.err);
    CHECK((found.code == 1 || found.code == 3));
    const std::string line = line_after_again(found.out);
    CHECK(contains(line, "mxcert certify"));
    const test::Result again = shell(folder.path(), line);
    INFO(line << '\n' << again.out << again.err);
    CHECK(again.code == found.code);
    CHECK(line_after_again(again.out) == line);
    const std::size_t fault_at = found.out.find("    finding   ") + 14;
    const std::string says = found.out.substr(fault_at, found.out.find('\n', fault_at) - fault_at);
    CHECK(contains(again.out, says));
}

TEST_CASE("the summary of fuzzing names operations that it does not fuzz and those without a case", "[fuzz][cli]") {
    const TemporaryFolder folder;
    const test::Result shards =
        shell(folder.path(),
              "mxcert fuzz --time 1h '" + test::planted_plugin("partial_caster") + "' --cases 1 --profile nvidia-te");
    CHECK(shards.code == 4);
    CHECK(contains(shards.out, "operations are not fuzzed"));
    const test::Result elsewhere = shell(folder.path(), std::string("mxcert fuzz --time 1h '") + MXCERT_TEST_QUANTIZER +
                                                            "' --case " + quantize_name + "/blocks@1x1=00000000");
    CHECK(elsewhere.code == 2);
    CHECK(contains(elsewhere.err, "mxcert certify --reproduce"));
    const test::Result result = shell(folder.path(), std::string("mxcert fuzz --time 1h '") + MXCERT_TEST_QUANTIZER +
                                                         "' --cases 1 --profile ocp-sat");
    CHECK(result.code == 0);
    CHECK(contains(result.out, "\n1 operation had no case"));
    CHECK(contains(result.out, "in 1 case (1 of operations)"));
}
