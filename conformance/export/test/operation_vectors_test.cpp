// SPDX-License-Identifier: Apache-2.0
#include "conformance/export/operation_vectors.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "conformance/export/conversion_vectors.hpp"
#include "conformance/suites/quantize_2d/faults.hpp"
#include "conformance/suites/registry.hpp"
#include "conformance/test/fake_subject.hpp"
#include "reference/fast/recipe/partial_cast.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/tables/permit.hpp"

using namespace mxcert;
using Catch::Matchers::Contains;

namespace {

struct Exported {
    const char* operation;
    const char* part; ///< of its suite, whose judge takes a case that was written down
};
const Exported all_exported[] = {
    {"quantize-bf16-e2m3-e8m0-ocp_floor-nearest_even-sat-column-any", "blocks"},
    {"quantize-bf16-int8-e8m0-ocp_floor-nearest_even-sat-row-32", "blocks"},
    {"dequantize-e4m3-e8m0-fp16-column-32", "blocks"},
    {"dequantize-e2m1-e8m0-fp32-row-any", "blocks"},
    {"quantize_2d-bf16-e4m3-e8m0-rceil-nearest_even-sat-2x4", "blocks"},
    {"quantize_float-bf16-e4m3-fp32-deepgemm-1x128", "blocks"},
    {"dequantize_float-e5m2-fp32-bf16-1x32", "blocks"},
    {"quantize_nvfp4-bf16-te_nvfp4-16x16-encode", "blocks"},
    {"dequantize_nvfp4-torchao_nvfp4-fp32-1x16", "blocks"},
    {"hadamard-bf16-fp32-D7E8-column-inverse", "values"},
    {"scaled_matmul-e4m3-e4m3-tensor-nt-none-product-e4m3-fp32-fp32-fp32_multiply_add", "values"},
    {"matmul-e4m3-e4m3-none-none-none-tn-fp32-fp32-hopper_fp8_f32-given", "values"},
    {"matmul-e4m3-e4m3-e8m0-1x32-32x1-nn-fp32-fp32-fp32_multiply_add-any", "values"},
    {"linear-bf16-te_nvfp4-fprop-e2m1-e2m1-ue4m3-none-none-bf16-blackwell_mxf4nvf4-given", "values"},
};

std::vector<frames::Values> outputs_of(const TestVectors& vectors, const VectorAnswer& answer) {
    std::vector<frames::Values> outputs;
    for (std::size_t i = 0; i < vectors.outputs.size(); ++i)
        outputs.push_back(frames::values_of(answer.outputs[i], *vectors.outputs[i].format));
    return outputs;
}

/// Changes the last value that has one right code. Of several answers another scale may be one more.
bool spoil(const TestVectors& vectors, const TestVector& test, VectorAnswer& answer) {
    const std::size_t outputs = test.answers.size() == 1 ? answer.outputs.size() : 1;
    for (std::size_t output = 0; output < outputs; ++output) {
        const std::vector<std::uint8_t> open = openness(answer, output);
        for (std::size_t at = open.size(); at-- > 0;) {
            const Format& format = *vectors.outputs[output].format;
            if (open[at] != 0 || format.is_nan(answer.outputs[output][at])) continue;
            answer.outputs[output][at] ^= 1;
            return true;
        }
    }
    return false;
}

/// The next larger value.
Code above(const Format& format, Code code) {
    if (format.ordinal(code) == 0) return 1;
    return format.is_negative(code) ? code - 1 : code + 1;
}

} // namespace

TEST_CASE("Every kind of operation with test vectors is one that there is", "[export]") {
    std::set<std::string_view> names;
    for (const OperationInfo& info : all_operations()) names.insert(info.name);
    for (const std::string_view name : test_vectors::exported_operations()) CHECK(names.contains(name));
}

TEST_CASE("Products with nothing but zeros or special values, and beside ordinary ones, are written down", "[export]") {
    for (const char* name : {"matmul-e4m3-e4m3-none-none-none-tn-fp32-fp32-hopper_fp8_f32-given",
                             "scaled_matmul-e4m3-e4m3-tensor-nt-none-product-fp32-none-none-fp32_multiply_add"}) {
        CAPTURE(name);
        verdict::GoldenSource golden;
        const Operation operation = parse_operation(name);
        const TestVectors vectors =
            test_vectors::vectors_of(operation, test_vectors::profile_of(operation, ""), golden);
        std::set<std::string> comments;
        for (const VectorGroup& group : vectors.groups)
            for (const TestVector& test : group.tests) comments.insert(test.comment);
        const auto has = [&](std::string_view part) {
            return std::any_of(comments.begin(), comments.end(),
                               [&](const std::string& comment) { return comment.find(part) != std::string::npos; });
        };
        CHECK(has("D of nothing but"));
        CHECK(has("in two columns of D"));
    }
}

TEST_CASE("The judges of the suites permit every answer, and none with another value", "[export][values]") {
    for (const Exported& exported : all_exported) {
        CAPTURE(exported.operation);
        test::FakeSubject subject;
        verdict::GoldenSource golden;
        const verdict::CertifyOptions options;
        const Operation operation = parse_operation(exported.operation);
        const std::vector<const Profile*> profiles{&test_vectors::profile_of(operation, "")};
        const suites::SuiteRun run{subject, operation, profiles, golden, options};
        const auto part = suites::suite_of(operation).cases(run, exported.part);
        const TestVectors vectors = test_vectors::vectors_of(operation, *profiles.front(), golden);
        std::size_t spoilt = 0;
        std::size_t number = 0;
        for (const VectorGroup& group : vectors.groups)
            for (const TestVector& test : group.tests) {
                // One test in 43, and each group's first: the judges ask exact models.
                if (number++ % 43 != 0 && &test != &group.tests.front()) continue;
                const suites::Question question = part->given({group.sizes, test.inputs});
                for (VectorAnswer answer : test.answers) {
                    CAPTURE(test.id, test.comment);
                    CHECK(question.judge(0, outputs_of(vectors, answer)).wrong.empty());
                    for (const OpenValue& open : answer.open) {
                        if (open.kind != OpenValue::Kind::range) continue;
                        VectorAnswer end = answer;
                        for (const Code code : {open.low, open.high}) {
                            end.outputs[open.output][open.index] = code;
                            CHECK(question.judge(0, outputs_of(vectors, end)).wrong.empty());
                        }
                        const Format& format = *vectors.outputs[open.output].format;
                        end.outputs[open.output][open.index] = above(format, open.high);
                        CHECK_FALSE(question.judge(0, outputs_of(vectors, end)).wrong.empty());
                        break;
                    }
                    if (!spoil(vectors, test, answer)) continue;
                    ++spoilt;
                    CHECK_FALSE(question.judge(0, outputs_of(vectors, answer)).wrong.empty());
                }
            }
        CHECK(spoilt > number / 60);
    }
}

TEST_CASE("Matrices too large to be written down are counted", "[export][values]") {
    verdict::GoldenSource golden;
    const Operation operation = parse_operation("quantize_float-bf16-e4m3-fp32-deepgemm-128x128");
    const TestVectors vectors = test_vectors::vectors_of(operation, test_vectors::profile_of(operation, ""), golden);
    CHECK_THAT(vectors.left_out, Contains("cases of the suite: matrices too large to be written down"));
    for (const VectorGroup& group : vectors.groups) CHECK(group.tests.front().inputs.front().size() <= 4608);
}

TEST_CASE("The judge of layouts permits all planes of a matrix", "[export]") {
    test::FakeSubject subject;
    verdict::GoldenSource golden;
    const verdict::CertifyOptions options;
    const Operation operation = parse_operation("layout-swizzle_128x4_columnwise-restore");
    const std::vector<const Profile*> profiles{&test_vectors::profile_of(operation, "")};
    const suites::SuiteRun run{subject, operation, profiles, golden, options};
    const auto part = suites::suite_of(operation).cases(run, "places");
    const TestVectors vectors = test_vectors::vectors_of(operation, *profiles.front(), golden);
    CHECK(vectors.groups.size() > 5);
    for (const VectorGroup& group : vectors.groups) {
        std::vector<frames::Values> planes;
        for (const TestVector& test : group.tests)
            planes.push_back(frames::values_of(test.answers.front().outputs.front(), formats::e8m0));
        const suites::Question question = part->given({group.sizes, {}});
        CHECK(question.judge(0, planes).wrong.empty());
        planes.front().set(0, planes.front().get(0) ^ 1);
        CHECK_FALSE(question.judge(0, planes).wrong.empty());
    }
}

TEST_CASE("The fast model gives every element of a shard, and what is outside of it stays", "[export][values]") {
    verdict::GoldenSource golden;
    const Operation operation = parse_operation("partial_cast-bf16-e4m3-fp32-128x128-16x128");
    const recipe::PartialCast cast = as_partial_cast(operation);
    const TestVectors vectors = test_vectors::vectors_of(operation, test_vectors::profile_of(operation, ""), golden);
    std::set<std::string_view> bugs;
    std::size_t open = 0;
    for (const VectorGroup& group : vectors.groups)
        for (const TestVector& test : group.tests) {
            CAPTURE(test.id, test.comment);
            bugs.insert(test.bugs.begin(), test.bugs.end());
            recipe::Shard shard{
                {group.sizes[0], group.sizes[1]}, group.sizes[2], test.inputs[0], test.inputs[1], test.inputs[2]};
            REQUIRE(shard.values.size() == group.sizes[3]);
            const std::vector<Code> wanted = fast::partial_cast(cast, shard);
            const VectorAnswer& answer = test.answers.front();
            const std::vector<std::uint8_t> openness = mxcert::openness(answer, 0);
            const std::vector<bool> may_change = recipe::undefined_elements(cast, shard);
            for (std::size_t at = 0; at < wanted.size(); ++at) {
                CHECK(same(formats::e4m3, answer.outputs[0][at], wanted[at]));
                CHECK((openness[at] == open_any) == (!may_change.empty() && may_change[at]));
                if (openness[at] == open_any) ++open;
            }
        }
    CHECK(open > 0);
    for (const char* const bug : {"SHARD_BOUNDS", "OOB_SCALE", "STALE_ELEMENT", "NAN_LOST", "SUBNORMAL_SCALE_FTZ"})
        CHECK(bugs.contains(bug));
}

TEST_CASE("Tests of tiles show every way to take the wrong values for the scale of a tile", "[export][values]") {
    verdict::GoldenSource golden;
    const Operation operation = parse_operation("quantize_2d-bf16-e4m3-e8m0-rceil-nearest_even-sat-3x2");
    const TestVectors vectors = test_vectors::vectors_of(operation, test_vectors::profile_of(operation, ""), golden);
    std::set<std::string_view> bugs;
    for (const VectorGroup& group : vectors.groups)
        for (const TestVector& test : group.tests) bugs.insert(test.bugs.begin(), test.bugs.end());
    for (const suites::TileFault& fault : suites::tile_faults()) CHECK(bugs.contains(fault.bug_class));
}

TEST_CASE("A test names the bug that its block shows", "[export][values]") {
    verdict::GoldenSource golden;
    const Operation operation = parse_operation("quantize-bf16-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32");
    const TestVectors vectors =
        test_vectors::vectors_of(operation, test_vectors::profile_of(operation, "ocp-sat"), golden);
    const auto shows = [](const TestVector& test, std::string_view bug) {
        return std::find(test.bugs.begin(), test.bugs.end(), bug) != test.bugs.end();
    };
    bool found = false;
    for (const TestVector& test : vectors.groups.front().tests) {
        // A zero block has one scale whichever lane is left out; a tail is not here.
        if (test.comment.starts_with("zero")) CHECK_FALSE(shows(test, "AMAX_LANES"));
        if (test.comment != "the maximum in each lane: lane 0, positive") continue;
        found = true;
        CHECK(shows(test, "AMAX_LANES"));
        CHECK_FALSE(shows(test, "AMAX_NAN_DROPPED"));
        CHECK(test.answers.size() == 1);
    }
    CHECK(found);
    // Whether a NaN makes the scale is a choice of the profile: both answers are there, as wholes.
    const auto nan = std::find_if(
        vectors.groups.front().tests.begin(), vectors.groups.front().tests.end(),
        [](const TestVector& test) { return test.comment == "a special value in each lane: NaN in lane 3"; });
    REQUIRE(nan != vectors.groups.front().tests.end());
    std::set<Code> scales;
    for (const VectorAnswer& answer : nan->answers) scales.insert(answer.outputs[1].front());
    CHECK(scales.size() == nan->answers.size());
    CHECK(scales.contains(0xFF));
    CHECK(scales.contains(0x77)); // the largest number is below 2
    CHECK((nan->flags & bit(CaseFlag::nan)) != 0);
}

TEST_CASE("The tests of a conversion show every bug that some input shows", "[export]") {
    verdict::GoldenSource golden;
    const Conversion conversion = parse_conversion("bf16-e5m2-nearest_even-nosat");
    const TestVectors vectors = test_vectors::vectors_of(conversion, find_profile("ocp-nosat"), golden);
    std::set<std::string_view> bugs;
    for (const TestVector& test : vectors.groups.front().tests) {
        bugs.insert(test.bugs.begin(), test.bugs.end());
        CHECK(test.clauses.size() == 1);
        CHECK(test.id == hex(test.inputs.front().front(), formats::bf16));
    }
    for (const char* const bug : {"TIES_AWAY", "TRUNCATES", "OVERFLOW_POLICY", "NEG_ZERO", "SUBNORMAL_FLUSH"})
        CHECK(bugs.contains(bug));
}

TEST_CASE("Operations that cannot be written as tests are refused", "[export]") {
    verdict::GoldenSource golden;
    const auto refusal = [&](const char* name) {
        const Operation operation = parse_operation(name);
        try {
            (void)test_vectors::vectors_of(operation, test_vectors::profile_of(operation, ""), golden);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(refusal("stochastic-fp32-e4m3-stochastic_b16-sat"), Contains("there are no test"));
    CHECK_THAT(refusal("quantize_2d-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-128x128"), Contains("too large"));
    CHECK_THAT(refusal("dequantize-e2m1-e8m0-fp32-row-32-low_first"), Contains("packing=bytes only"));
    CHECK_THAT(refusal("dequantize-e4m3-e8m0-fp32-row-32-swizzle_128x4"), Contains("layout=linear only"));
    CHECK_THAT(refusal("layout-shuffle_32x8-arrange"), Contains("no profile judges"));
}
