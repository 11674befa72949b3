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
Parity of_portable(const std::string& a, const std::string& b) {
    const auto subject_a = open_plugin(portable, "");
    const auto subject_b = open_plugin(portable, "");
    return compared_plugins({subject_a.get(), offered(*subject_a, a)}, {subject_b.get(), offered(*subject_b, b)});
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

TEST_CASE("an activation whose result stays in FP32 is named", "[values]") {
    const Parity parity =
        of_planted("activated_quantizer", "the result of the activation not rounded to the source's type",
                   "quantize-fp16-*-srelu");
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

namespace {

/// Another implementation whose elements lie in pairs that are packed the other way round.
class Exchanged final : public observe::BareSubject {
  public:
    explicit Exchanged(observe::Subject& subject) : subject_(subject) { info() = subject.info(); }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        frames::RunAnswer answer = subject_.run(operation, run_case);
        if (answer.status != Status::pass || run_case.shape[1] % 2 != 0)
            return {Status::unsupported, "odd rows", "", {}};
        frames::Values& elements = answer.outputs[0];
        for (std::uint64_t at = 0; at < elements.count(); at += 2) {
            const Code first = elements.get(at);
            elements.set(at, elements.get(at + 1));
            elements.set(at + 1, first);
        }
        return answer;
    }

  private:
    observe::Subject& subject_;
};

} // namespace

TEST_CASE("pairs of elements that are packed the other way round are named", "[values]") {
    const auto subject = open_plugin(portable, "");
    Exchanged exchanged(*subject);
    const Operation& operation = offered(*subject, "quantize_nvfp4-bf16-te_nvfp4-1x16-decode");
    const Parity parity = compared_plugins({subject.get(), operation}, {&exchanged, operation});
    INFO(text_of(parity, 3));
    CHECK(exit_code({parity}) == 1);
    CHECK_THAT(verdict_of(parity), Contains("B = A with packing with the two elements of each byte exchanged"));
    CHECK(parity.parts[1].name == "scales");
    CHECK(parity.parts[1].differing == 0);
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
