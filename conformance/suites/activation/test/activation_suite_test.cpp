// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/activation/identify.hpp"
#include "conformance/suites/activation/inputs.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

const std::string bf16_relu = "quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-32-relu";
const std::string bf16_srelu = "quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-32-srelu";
const std::string fp16_srelu = "quantize-fp16-e4m3-e8m0-rceil-nearest_even-sat-column-32-srelu";
const std::string fp32_srelu = "quantize-fp32-e4m3-e8m0-rceil-nearest_even-sat-row-32-srelu";

std::string activating_plugin() { return test::planted_plugin("activated_quantizer"); }

std::vector<verdict::Row> activation_rows(const std::string& fault, const std::string& filter,
                                          Level level = Level::smoke) {
    return test::certify_plugin(activating_plugin().c_str(), fault, "nvidia-te", filter, 16, level);
}

} // namespace

TEST_CASE("a quantizer that activates right passes", "[operation][activation][values]") {
    for (const std::string& operation : {bf16_relu, bf16_srelu, fp16_srelu, fp32_srelu}) {
        const Level level = operation == bf16_relu ? Level::quick : Level::smoke;
        const std::vector<verdict::Row> rows = activation_rows("", operation + "/*", level);
        REQUIRE(rows.size() == 2);
        for (const verdict::Row& row : rows) {
            INFO(row.id << ": " << row.reason);
            CHECK(row.status == Status::pass);
            CHECK(row.sample == (row.id.ends_with("/values") || level == Level::smoke));
        }
        CHECK((level == Level::smoke || verdict::cases_of(rows[1])->largest_matrix > 1U << 20U));
    }
}

namespace {

void check_activation_faults(Level level) {
    for (const ActivationFault& fault : activation_faults()) {
        const std::string name(fault.name);
        CAPTURE(name);
        const std::string operation = fault.name == "squares beyond the source's type saturated" ? fp16_srelu
                                      : fault.name == "-0 kept by the activation"                ? bf16_relu
                                                                                                 : bf16_srelu;
        const std::vector<verdict::Row> rows = activation_rows(name, operation + "/values", level);
        test::check_caught(rows, " after ", name);
        CHECK(rows[0].known_as.front().bug_class->id == fault.bug_class);
        CHECK(rows[0].known_as.size() == 1);
    }
}

} // namespace

TEST_CASE("what is wrong with an activation is named", "[operation][activation][.][exhaustive]") {
    check_activation_faults(Level::smoke);
}
TEST_CASE("what is wrong with an activation is named at level quick", "[.][exhaustive]") {
    check_activation_faults(Level::quick);
}

TEST_CASE("what is wrong behind an activation is named too", "[operation][activation][values]") {
    test::check_caught(activation_rows("the amax without the last lane", bf16_srelu + "/blocks"), "after srelu",
                       "the amax without the last lane");
    test::check_caught(activation_rows("one element", bf16_relu + "/blocks"), "after relu", "");
    // Columns made of quantized rows would have 65536 here, which is no value of FP16.
    const std::vector<verdict::Row> of_fp16 = activation_rows("one element", fp16_srelu + "/values");
    test::check_caught(of_fp16, "after srelu", "");
    CHECK_THAT(of_fp16[0].reason, Contains("blocks with values that are not permitted"));
}

TEST_CASE("every value of a source of 16 bits is asked under each amax", "[operation][activation]") {
    const Operation operation = parse_operation(bf16_srelu);
    const Quantize quantize = as_quantize(operation);
    const Activator activator(formats::bf16, Activation::srelu);
    verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.level = Level::quick;
    ActivationInputs inputs(operation, activator, golden, options);
    std::set<Code> largest;
    std::map<std::string, std::set<Code>> under;
    for_each_activation_case(quantize, 32, inputs, [&](const QuantizeCase& quantize_case) {
        CHECK(quantize_case.matrix.lines % whole_lines == 0);
        if (quantize_case.name.find("amaxes") == std::string::npos) {
            under[quantize_case.name.substr(0, quantize_case.name.find(','))].insert(quantize_case.values.begin(),
                                                                                     quantize_case.values.end());
            return true;
        }
        for (std::uint64_t line = 0; line < quantize_case.matrix.lines; ++line) {
            Code amax = 0;
            for (const Code value : values_of(quantize_case, {line, 0}))
                if (value <= formats::bf16.inf_code()) amax = std::max(amax, value);
            largest.insert(amax);
        }
        return true;
    });
    CHECK(largest.size() == formats::bf16.inf_code() + 1);
    CHECK(under.size() == 4);
    // 32,767 values with a sign and 127 NaN without, and those up to the amax.
    CHECK(under["values under 0x7F80"].size() == 65536);
    CHECK(under["values under 0x3FFF"].size() == 0x3FFF + 1 + 127 + 32768);
    options.level = Level::complete;
    CHECK(ActivationInputs(operation, activator, golden, options).amaxes_of_elements().size() > 200);
}

TEST_CASE("an activation is found from the answers", "[operation][activation][values]") {
    verdict::GoldenSource golden;
    const auto found = [&](const std::string& fault, const std::string& operation) {
        return identify_activation(*test::open_plugin(activating_plugin().c_str(), fault), parse_operation(operation),
                                   golden);
    };
    const FoundCases right = found("", bf16_srelu);
    CHECK(right.explained == right.asked);
    REQUIRE(right.parameters.size() == 1);
    CHECK(right.parameters[0].value == "srelu");
    CHECK(right.parameters[0].decided_by.has_value());
    const FoundCases wrong = found("the activation left out", bf16_relu);
    CHECK(wrong.explained == wrong.asked);
    CHECK(wrong.parameters.at(0).value == "relu: the activation left out");
}

TEST_CASE("an activation is judged by those who have it", "[operation][activation]") {
    CHECK(covers(find_profile("nvidia-te"), parse_operation(bf16_relu)));
    CHECK_FALSE(covers(find_profile("ocp-sat"),
                       parse_operation("quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32-relu")));
    CHECK(row_ids(parse_operation(bf16_relu)) ==
          std::vector<std::string>{bf16_relu + "/values", bf16_relu + "/blocks"});
}
