// SPDX-License-Identifier: Apache-2.0
// Backends in processes of their own: layouts, packings, activations and NVFP4, and what a tensor loses.
#include "catch.hpp"
#include "conformance/parity/parity.hpp"
#include "conformance/parity/parity_report.hpp"
#include "conformance/parity/tensor_cost.hpp"
#include "conformance/parity/test/fake_quantizer.hpp"
#include "conformance/print/text.hpp"
#include "conformance/test/certify_plugin.hpp"

using namespace mxcert;
using namespace mxcert::parity;
using Catch::Matchers::Contains;
using mxcert::test::FakeQuantizer;
using mxcert::test::open_plugin;
using mxcert::test::planted_plugin;

namespace {

constexpr const char* portable = MXCERT_TEST_PLUGINS "/portable.so";

const Operation& offered(const observe::Subject& subject, const std::string& glob) {
    for (const Operation& operation : subject.info().operations)
        if (print::glob_matches(glob, to_string(operation))) return operation;
    FAIL("nothing is offered like " << glob);
    return subject.info().operations.front();
}

Parity compared_plugins(const Pipeline& a, const Pipeline& b) {
    static verdict::GoldenSource golden;
    ParityOptions options;
    options.level.level = Level::quick;
    return compare(a, b, golden, options);
}

/// Two operations of the portable backend.
Parity of_portable(const std::string& a, const std::string& b, Activation before_b = Activation::none) {
    const auto subject_a = open_plugin(portable, "");
    const auto subject_b = open_plugin(portable, "");
    return compared_plugins({subject_a.get(), offered(*subject_a, a)},
                            {subject_b.get(), offered(*subject_b, b), before_b});
}

/// A planted backend without a fault, and with one.
Parity of_planted(const std::string& plugin, const std::string& fault, const std::string& glob) {
    const std::string path = planted_plugin(plugin);
    const auto subject_a = open_plugin(path.c_str(), "");
    const auto subject_b = open_plugin(path.c_str(), fault);
    return compared_plugins({subject_a.get(), offered(*subject_a, glob)}, {subject_b.get(), offered(*subject_b, glob)});
}

} // namespace

TEST_CASE("scales in a layout and packed elements are brought to one form", "[values]") {
    const Parity parity = of_portable("quantize_nvfp4-bf16-te_nvfp4-1x16-decode",
                                      "quantize_nvfp4-bf16-te_nvfp4-1x16-decode-low_first-swizzle_128x4");
    INFO(text_of(parity, 3));
    CHECK(exit_code({parity}) == 0);
    CHECK(parity.brought ==
          std::vector<std::string>{"packing: bytes in A, low_first in B", "layout: linear in A, swizzle_128x4 in B"});
    CHECK(parity.parts.size() == 4);
}

TEST_CASE("an activation that is fused is equal to the same one before, and differs from none", "[values]") {
    const std::string plain = "quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-any";
    const std::string fused = "quantize-bf16-e4m3-e8m0-rceil-nearest_even-sat-row-32-srelu";
    const Parity same = of_portable(fused, plain, Activation::srelu);
    INFO(text_of(same, 3));
    CHECK(exit_code({same}) == 0);
    const Parity without = of_portable(fused, plain);
    INFO(text_of(without, 3));
    CHECK(exit_code({without}) == 1);
    REQUIRE(without.explanation);
    CHECK(without.explanation->explained);
    CHECK_THAT(verdict_of(without), Contains("B = A with activation none instead of srelu: explains "));
    CHECK_THROWS_WITH(of_portable(plain, fused, Activation::srelu), Contains("has an activation already"));
}

TEST_CASE("an activation whose result stays in FP32 is named", "[values]") {
    const Parity parity =
        of_planted("activated_quantizer", "the result of the activation not rounded to the source's type",
                   "quantize-bf16-*-srelu");
    INFO(text_of(parity, 3));
    CHECK(exit_code({parity}) == 1);
    REQUIRE(parity.explanation);
    CHECK(parity.explanation->explained);
    REQUIRE(parity.explanation->changes.size() == 1);
    CHECK(parity.explanation->changes[0].b == "the result of the activation not rounded to the source's type");
}

TEST_CASE("a slip of a quantizer to NVFP4 is named", "[values]") {
    const Parity parity = of_planted("nvfp4_quantizer", "elements by the scale before it was rounded",
                                     "quantize_nvfp4-bf16-modelopt_nvfp4-*");
    INFO(text_of(parity, 3));
    CHECK(exit_code({parity}) == 1);
    REQUIRE(parity.explanation);
    CHECK(parity.explanation->explained);
    CHECK_THAT(verdict_of(parity),
               Contains("B = A with elements by the scale before it was rounded instead of by the scale given out"));
}

TEST_CASE("what a tensor loses is what measure says of the same rules") {
    FakeQuantizer floor(
        "source=fp32 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32");
    FakeQuantizer rceil(
        "source=fp32 element=e4m3 scale=e8m0 rule=rceil rounding=nearest_even overflow=sat axis=row block=32");
    const tensors::TensorFile file(MXCERT_TEST_SOURCE "/docs/examples/tensors/range_mixed.npy", {});
    const Pipeline a{&floor, floor.operation()};
    const Pipeline b{&rceil, rceil.operation()};
    const TensorCost cost = cost_of(a, b, file, {});
    INFO(text_of(cost));
    REQUIRE(cost.status == Status::pass);
    // docs/measure.md, "0.001 to 1000".
    CHECK(cost.a.sqnr() == Approx(27.04).margin(0.005));
    CHECK(cost.b.sqnr() == Approx(32.17).margin(0.005));
    CHECK(cost.values == 224);
    CHECK(cost.scales == 7);
    CHECK(cost.differing_scales > 0);
    CHECK(cost.differing_elements >= cost.differing_values);
    CHECK(cost.between.noise > 0);
    const TensorCost none = cost_of(a, a, file, {});
    CHECK(none.differing_values == 0);
    CHECK(none.between.noise == 0);
    CHECK_THAT(text_of(none), Contains("exact dB") || Contains("exact"));

    rceil.refuses = [](const suites::BlockMatrix& /*matrix*/) { return true; };
    const TensorCost refused = cost_of(a, b, file, {});
    CHECK(refused.status == Status::unsupported);
    CHECK_THAT(text_of(refused), Contains("B: as the test wants"));
}
