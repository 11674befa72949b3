// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/suites/hadamard/cases.hpp"
#include "conformance/suites/nvfp4/faults.hpp"
#include "conformance/suites/nvfp4/identify.hpp"
#include "conformance/suites/nvfp4/transformed.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/certify_plugin.hpp"
#include "reference/operation/operation_name.hpp"

using namespace mxcert;
using namespace mxcert::suites;
using Catch::Contains;

namespace {

const std::string transforming = "quantize_nvfp4-bf16-te_nvfp4-16x1-decode-D7E8";

std::string quantizer() { return test::planted_plugin("nvfp4_quantizer"); }

std::vector<verdict::Row> certified_with(const std::string& fault, const std::string& part, Level level) {
    return test::certify_plugin(quantizer().c_str(), fault, "nvidia-te", transforming + part, 1, level);
}

} // namespace

TEST_CASE("a quantizer to NVFP4 that transforms its values first passes", "[operation][nvfp4][hadamard][values]") {
    const std::vector<verdict::Row> rows = certified_with("", "/*", Level::quick);
    REQUIRE(rows.size() == 4);
    for (const verdict::Row& row : rows) {
        INFO(row.id << ": " << row.reason);
        CHECK(row.status == Status::pass);
        CHECK(row.sample != row.id.ends_with("/blocks"));
        CHECK(row.compared > 30'000);
    }
    CHECK(verdict::cases_of(rows.back())->largest_matrix > 1U << 20U);
}

TEST_CASE("each mistake in a transform before NVFP4 is found in every part and named",
          "[operation][nvfp4][hadamard][.][exhaustive]") {
    for (const Nvfp4Fault& fault : nvfp4_transform_faults()) {
        std::set<std::string> failed;
        for (const verdict::Row& row : certified_with(std::string(fault.name), "/*", Level::smoke)) {
            const std::string part = row.id.substr(row.id.rfind('/') + 1);
            INFO(fault.name << " " << row.id << ": " << row.reason);
            CHECK((row.status == Status::pass || row.status == Status::fail));
            if (row.status != Status::fail) continue;
            failed.insert(part);
            CHECK_THAT(row.reason, Contains(std::string(fault.name)));
        }
        CAPTURE(fault.name, failed);
        CHECK(failed.count("blocks") == 1);
    }
    // Nor do those of other quantizers go unnoticed.
    for (const char* other : {"elements cut toward zero", "the scale of a block rounded up",
                              "the scales of blocks in columns, not in rows", "the scale of the tensor before"}) {
        CAPTURE(other);
        const std::vector<verdict::Row> rows = certified_with(other, "/*", Level::smoke);
        CHECK(
            std::any_of(rows.begin(), rows.end(), [](const verdict::Row& row) { return row.status == Status::fail; }));
    }
}

TEST_CASE("groups are made of what is to come out of a transform", "[operation][nvfp4][hadamard][values]") {
    for (const char* const name :
         {"quantize_nvfp4-bf16-te_nvfp4-1x16-decode-D7E8", "quantize_nvfp4-bf16-te_nvfp4-16x1-decode-0000",
          "quantize_nvfp4-bf16-te_nvfp4-1x16-decode-8FF1"}) {
        CAPTURE(name);
        const QuantizeNvfp4 quantize = as_quantize_nvfp4(parse_operation(name));
        HadamardExpected transform(*quantize.hadamard, formats::bf16, formats::bf16);
        Nvfp4Expected expected(quantize);
        const Nvfp4Effort effort{Level::quick, 0, 1};
        std::map<Code, std::set<Code>> amaxes; // by that of the tensor
        std::uint64_t unknown = 0;
        const auto take = [&](const TileCase& tile_case) {
            const std::optional<TransformedCase> result = transformed(transform, tile_case);
            unknown += result ? 0 : 1;
            if (!result) return true;
            const Code tensor = expected.amax_of(result->seen.values);
            for (std::uint64_t block = 0; block < tile_case.matrix.blocks(); ++block)
                amaxes[tensor].insert(expected.amax_of(result->seen.values_of(block)));
            return true;
        };
        CHECK(for_each_transformed_case(quantize, "scale", expected, effort, take));
        CHECK(unknown == 0);
        for (const Code tensor : {Code{0x3F80}, Code{0x4528}}) {
            const std::vector<Code> wanted = amaxes_in_tensor(quantize, expected, tensor, effort);
            CHECK(wanted.size() > 500);
            // Each is the amax of a block in a tensor of that amax.
            CHECK(std::all_of(wanted.begin(), wanted.end(), [&](Code amax) {
                return amaxes[expected.amax_of(std::vector<Code>{tensor})].count(
                           expected.amax_of(std::vector<Code>{amax})) == 1;
            }));
        }
        for (const char* const part : {"tensor", "elements", "blocks"})
            CHECK(for_each_transformed_case(quantize, part, expected, {Level::smoke, 0, 1}, take));
        CHECK(unknown == 0);
    }
}

TEST_CASE("a tensor whose transform depends on the order is not judged", "[operation][nvfp4][hadamard]") {
    const auto subject = test::open_plugin(quantizer().c_str(), "");
    const Operation operation = parse_operation(transforming);
    verdict::GoldenSource golden;
    const verdict::CertifyOptions options;
    const SuiteRun run{*subject, operation, {&find_profile("nvidia-te")}, golden, options};
    const auto part = suite_of(operation).cases(run, "blocks");
    std::vector<Code> values(16);
    values[0] = 0x4080; // 4
    values[1] = 0x3C80; // 2^-6: a quarter of both together is a tie of BF16
    const auto judged = [&] {
        const Question question = part->given({{16, 1}, {values}});
        std::vector<frames::Values> outputs{frames::Values(16, 1), frames::Values(1, 1), frames::Values(1, 4)};
        return question.judge(0, outputs);
    };
    CHECK(judged().compared == 16);
    CHECK_FALSE(judged().wrong.empty());
    values[2] = 0x3080; // 2^-30
    CHECK(judged().compared == 0);
    CHECK(judged().wrong.empty());
}

TEST_CASE("a transform before NVFP4 is identified", "[identify][nvfp4][hadamard][values]") {
    const auto found = [](const std::string& fault) {
        const FoundCases cases =
            identify_nvfp4(*test::open_plugin(quantizer().c_str(), fault), parse_operation(transforming));
        CHECK(cases.explained == cases.asked);
        for (const auto& parameter : cases.parameters)
            if (parameter.name == "transform") return parameter.value;
        return std::string();
    };
    CHECK(found("") == "as declared");
    CHECK(found("values transformed without signs") == "without signs");
    CHECK(found("transformed values in FP32, not in BF16") == "not rounded to BF16");
}
