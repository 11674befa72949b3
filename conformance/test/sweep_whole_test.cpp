// SPDX-License-Identifier: Apache-2.0
// All 2^39 pairs of a scale and an FP32 value, through a subject that knows the answers.
#include <cstdlib>

#include "catch.hpp"
#include "conformance/blocks/sweep.hpp"
#include "conformance/canary.hpp"
#include "conformance/certify.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/sweep_tables.hpp"
#include "reference/convert/convert.hpp"
#include "vectors/tabulate.hpp"

using namespace mxcert;
using test::wanted_of;

namespace {

const Format& pair_format = formats::fp32_by_e8m0;
constexpr Code wrong_pair = pair_format.code_of(0x78, 0x3FB12345);
constexpr Code wrong_amax = 0x3FB54321;

/// A quantizer that knows the answer to every input of a sweep, from step tables.
class SweptSubject final : public test::BareSubject {
  public:
    explicit SweptSubject(const std::string& operation) {
        ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
        const auto subject = open_subject({BackendSpec::Kind::plugin, "plugin", MXCERT_TEST_QUANTIZER, {}}, {});
        for (const Operation& offered : subject->info().operations)
            if (to_string(offered) == operation) info().operations.push_back(offered);
        const Quantize quantize = as_quantize(info().operations.at(0));
        scales = tabulate(*quantize.scale.from, *quantize.scale.to, choices_of(quantize.scale));
        elements = tabulate(*quantize.element.from, *quantize.element.to, choices_of(quantize.element));
    }
    [[nodiscard]] Observation sweep(const SweepPart& part, const PermitTable* /*permitted*/) override {
        Observation seen;
        seen.conversion = part.conversion;
        seen.status = Status::pass;
        seen.chosen = true;
        seen.inputs = seen.repeated = part.inputs();
        seen.partial = wanted_of(part.conversion.from == &pair_format ? elements : scales, part.ranges);
        parts += 1;
        return seen;
    }
    StepTable scales;
    StepTable elements;
    std::size_t parts = 0;
};

std::vector<Row> certify_all(Subject& subject) {
    static GoldenSource golden;
    CertifyOptions options;
    options.profiles = {"ocp-sat"};
    options.filters = {"*/scale", "*/elements"};
    options.level = Level::complete;
    return certify(subject, make_plan(subject, options, golden), options, {});
}

} // namespace

TEST_CASE("with every input, all 2^39 pairs are judged, and one wrong one among them is found", "[sweep][values]") {
    SweptSubject subject("quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32");
    const std::vector<Row> rows = certify_all(subject);
    REQUIRE(rows.size() == 2);
    for (const Row& row : rows) {
        INFO(row.reason);
        CHECK(row.status == Status::pass);
        CHECK_FALSE(row.sample);
    }
    CHECK(rows[0].compared >= 0x7F800000);
    CHECK(rows[0].asked == "every amax");
    CHECK(rows[1].compared == std::uint64_t{32'604} << 24);
    CHECK(rows[1].asked == "every reachable pair of a scale and a value");
    CHECK(subject.parts > 100);

    subject.elements.steps = plant(subject.elements.steps, wrong_pair, 0x7E);
    subject.scales.steps = plant(subject.scales.steps, wrong_amax, 0x76);
    const std::vector<Row> wrong = certify_all(subject);
    REQUIRE(wrong.size() == 2);
    for (const Row& row : wrong) {
        CHECK(row.status == Status::fail);
        CHECK(row.differing == 1);
        REQUIRE(row.differences.size() == 1);
    }
    CHECK(wrong[0].differences[0].first == wrong_amax);
    CHECK(wrong[1].differences[0].first == wrong_pair);
}
