// SPDX-License-Identifier: Apache-2.0
// A few inputs, and what they are worth: planted bugs that show, and those that do not.
#include "conformance/faults/small_suite.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "conformance/cases/small_cases.hpp"
#include "conformance/record/record.hpp"
#include "conformance/suites/blocks/quantize_cases.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/program.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::faults;
using namespace mxcert::test;
using Catch::Matchers::Contains;

TEST_CASE("a small suite shows every planted bug with few inputs", "[suite][values]") {
    verdict::GoldenSource golden;
    for (const char* name : {"fp16-e4m3-nearest_even-sat", "e5m2-bf16-nearest_even-nosat"}) {
        CAPTURE(name);
        const Conversion conversion = parse_conversion(name);
        const std::vector<verdict::Judge> judges = verdict::judges_of(conversion, {&find_profile("ocp")}, golden);
        const SmallSuite smoke = small_suite(conversion, judges, 0, 1);
        CHECK(smoke.planted > 5);
        CHECK(smoke.inputs.size() < 5000);
        CHECK(smoke.escaped.empty());
        std::size_t planted = 0;
        CHECK(escaping(smoke, conversion, judges.front(), planted).empty());
        CHECK(planted == smoke.planted);
        CHECK(std::is_sorted(smoke.inputs.begin(), smoke.inputs.end()));

        // With less of it some escape, and the verdict knows the same ones as the choice.
        const SmallSuite two = small_suite(conversion, judges, 2, 1);
        CHECK(two.inputs.size() == 2);
        CHECK_FALSE(two.escaped.empty());
        planted = 0;
        CHECK(escaping(two, conversion, judges.front(), planted) == two.escaped);
        // With more of it there are as many inputs as it says, all of a source that has no more, and nothing escapes.
        const std::uint64_t all = conversion.from->last_code() + 1;
        for (const std::uint64_t budget : {smoke.inputs.size() + 10, std::size_t{20'000}, std::size_t{50'000}}) {
            CAPTURE(budget);
            const SmallSuite many = small_suite(conversion, judges, budget, 1);
            CHECK(many.inputs.size() == std::min(budget, all));
            CHECK(std::adjacent_find(many.inputs.begin(), many.inputs.end()) == many.inputs.end());
            CHECK(many.escaped.empty());
        }
    }
    CHECK_FALSE(has_small_suite(parse_conversion("fp64-e4m3-nearest_even-sat")));
    CHECK_FALSE(has_small_suite(parse_conversion("bf16_by_e8m0-e4m3-nearest_even-sat")));
}

TEST_CASE("a small suite has inputs in every binade", "[suite][values]") {
    verdict::GoldenSource golden;
    // Of FP32, 2^-30 is far from every boundary: nothing else is asked there.
    const Conversion conversion = parse_conversion("fp32-e5m2-nearest_even-sat");
    const SmallSuite smoke =
        small_suite(conversion, verdict::judges_of(conversion, {&find_profile("ocp-sat")}, golden), 0, 1);
    CHECK(smoke.inputs.size() < 8000);
    for (Code binade = 0; binade < 512; ++binade) {
        CAPTURE(binade);
        const auto in = [&](Code from, Code to) {
            const Code first = binade << 23U;
            return std::any_of(smoke.inputs.begin(), smoke.inputs.end(),
                               [&](Code input) { return first + from <= input && input <= first + to; });
        };
        CHECK(in(0, 0));
        CHECK(in(1, 0x7FFFFE));
        CHECK(in(0x7FFFFF, 0x7FFFFF));
    }
}

TEST_CASE("a run of a small suite says what it is", "[suite][cli][values]") {
    const TemporaryFolder folder;
    FakeSubject subject;
    StepTable& table = subject.offer("fp16-e4m3-nearest_even-sat");
    for (const char* id : {"fp16-e5m2-nearest_even-sat", "fp64-e4m3-nearest_even-sat", "fp64-e5m2-nearest_even-sat"})
        subject.offer(id);
    record::write_record(record::take_record(subject, {}), folder.path() / "right");
    Choices choices = choices_of(parse_conversion("fp16-e4m3-nearest_even-sat"));
    choices.rounding = Rounding::nearest_away;
    table = tabulate(*table.from, *table.to, choices);
    record::write_record(record::take_record(subject, {}), folder.path() / "ties");
    const auto certify = [&](const std::string& arguments) {
        Result result = shell(folder.path(), "mxcert certify " + arguments);
        UNSCOPED_INFO(arguments << "\n" << result.out << result.err);
        return result;
    };
    const Result smoke = certify("right --profile ocp-sat --level smoke --report out");
    CHECK(smoke.code == 0);
    CHECK_THAT(smoke.out, Contains("This is not a certificate: only a few inputs were tested, --level smoke"));
    CHECK_THAT(smoke.out, Contains("planted bugs that every input would show"));
    CHECK_THAT(smoke.out, Contains("It cannot see"));
    CHECK_THAT(smoke.out, Contains("Left out, because there is no small suite: 2 offers."));
    CHECK_FALSE(fs::exists(folder.path() / "out/certificate.json"));
    const auto report = nlohmann::json::parse(content((folder.path() / "out/report.json").string()));
    CHECK(report["certificate"] == false);
    CHECK_THAT(report["suite"].get<std::string>(), Contains("Small suite: "));
    CHECK(shell(folder.path(), "mxcert verify out/report.json right --all").code == 0);
    CHECK(report["level"] == "smoke");
    CHECK(certify("ties --profile ocp-sat --level smoke").code == 1);
    const Result this_result = certify("right --profile ocp-sat --budget 1");
    CHECK(this_result.code == 0);
    CHECK_THAT(this_result.out, Contains("  not shown: fp16-e4m3-nearest_even-sat: "));
    // A profile that has nothing in it is nothing checked where it was asked for, else it is not run.
    const std::string options = "portable --level smoke --filter 'e4m3-fp16-*' --filter 'stochastic-*'";
    const Result by_default = shell(folder.path(), "mxcert certify " + options);
    CHECK(by_default.code == 0);
    CHECK_THAT(by_default.out, !Contains("UNTESTED") && Contains("AGREES: portable agrees with ocp"));
    CHECK(shell(folder.path(), "mxcert certify " + options + " --profile absmax").code == 4);
    // The answers of a record are all judged as they are.
    CHECK(shell(folder.path(), "mxcert record portable --filter 'layout-swizzle_128x4-*' --output kept").code == 0);
    CHECK(shell(folder.path(), "mxcert certify kept --level smoke --profile nvidia-te").code == 4);
    for (const char* wrong :
         {"--level all", "--budget 0", "--level smoke --budget 3", "--level smoke --require fp16-e4m3-nearest_even-sat",
          "--level smoke --reproduce fp16-e4m3-nearest_even-sat:0000"})
        CHECK(certify("right --profile ocp-sat " + std::string(wrong)).code == 2);
}

TEST_CASE("a small suite of an operation asks few of its cases", "[suite][operation][cli][values]") {
    const TemporaryFolder folder;
    const auto certify = [&](const std::string& arguments) {
        Result result = shell(folder.path(), "mxcert certify " + arguments + " --quiet --json out.json");
        INFO(arguments << "\n" << result.out << result.err);
        REQUIRE((result.code == 0 || result.code == 1));
        return result;
    };
    const auto rows = [&] { return nlohmann::json::parse(content((folder.path() / "out.json").string()))["rows"]; };
    const std::string options =
        "portable --filter 'quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-any/*' --filter "
        "'layout-swizzle_128x4-arrange/*' --filter 'matmul-e5m2-e4m3-e8m0-*-tn-*' --filter "
        "'quantize_float-bf16-e4m3-fp32-deepgemm-1x128/*' --filter 'dequantize_float-e4m3-fp32-bf16-1x128/*' "
        "--profile nvidia-te --profile deepseek --profile products";
    certify(options + " --level quick");
    const auto all = rows();
    CHECK_THAT(certify(options + " --level smoke").out, Contains("the bugs planted in such operations"));
    const auto few = rows();
    REQUIRE(few.size() == all.size());
    CHECK(all.size() > 10);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(all[i]["id"]);
        CHECK(few[i]["id"] == all[i]["id"]);
        CHECK(few[i]["status"] == "PASS");
        CHECK(few[i]["sample"] == true);
        CHECK(few[i]["compared"] > 3);
        CHECK(few[i]["compared"] <= all[i]["compared"]);
        count += few[i]["compared"].get<std::uint64_t>();
    }
    CHECK(count < 200'000);
    // A wrong one fails, and its case is called by the number that it has among all.
    const std::string wrong = std::string("'") + MXCERT_TEST_QUANTIZER +
                              "' --backend-option 'tail shares' --filter 'quantize-*-ocp_floor-*/blocks'";
    CHECK(certify(wrong + " --level smoke").code == 1);
    const auto failed = rows();
    certify(wrong);
    CHECK(rows()[0]["reproduce"][0] == failed[0]["reproduce"][0]);
}

TEST_CASE("a small suite of a quantizer has a NaN of each payload bit, and large values beside Inf",
          "[suite][operation]") {
    for (const char* source : {"fp32", "fp16", "bf16"}) {
        CAPTURE(source);
        const Operation operation =
            parse_operation(std::string("quantize-") + source + "-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32");
        const Quantize quantize = as_quantize(operation);
        const Format& format = *quantize.format.value;
        std::set<Code> alone; // NaN whose block has no other, nor an Inf
        bool is_inf_with_large = false;
        for (const suites::QuantizeCase& quantize_case : suites::quantize_cases(quantize, 32)) {
            if (!cases::is_small_case(operation, "blocks", quantize_case.name)) continue;
            for (std::size_t first = 0; first + 32 <= quantize_case.values.size();
                 first += quantize_case.matrix.length) {
                const std::span block(quantize_case.values.data() + first, 32);
                const auto counted = [&](auto is) { return std::count_if(block.begin(), block.end(), is); };
                const auto is_special = [&](Code code) { return !format.is_finite(code); };
                const auto nan = std::find_if(block.begin(), block.end(), is_special);
                if (nan != block.end() && format.is_nan(*nan) && counted(is_special) == 1) alone.insert(*nan);
                is_inf_with_large =
                    is_inf_with_large || (counted([&](Code code) { return format.is_inf(code); }) != 0 &&
                                          counted([&](Code code) { return code == format.max_code(); }) != 0);
            }
        }
        CHECK(is_inf_with_large);
        for (int bit = 0; bit < format.fraction_bits; ++bit) {
            CAPTURE(bit);
            const Code nan = format.inf_code() | Code{1} << static_cast<unsigned>(bit);
            CHECK(alone.contains(nan));
            CHECK(alone.contains(nan | format.sign_bit()));
        }
    }
}

TEST_CASE("the cases of small suites are told by their names, and few of many are taken evenly", "[suite]") {
    const auto operation = [](const char* name) { return parse_operation(name); };
    const Operation quantize = operation("quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-any");
    CHECK(cases::is_small_case(quantize, "blocks", "a tail of 31"));
    CHECK_FALSE(cases::is_small_case(quantize, "blocks", "512 lines of 512"));
    CHECK(cases::is_small_case(quantize, "scale", "whatever"));
    CHECK_FALSE(
        cases::is_small_case(operation("layout-swizzle_128x4-arrange"), "places", "arrange swizzle_128x4 1x1 1x32"));
    CHECK(cases::thinned({1, 2, 3}, 5) == std::vector<Code>{1, 2, 3});
    CHECK(cases::thinned({0, 1, 2, 3, 4, 5, 6, 7, 8}, 3) == std::vector<Code>{0, 4, 8});
}
