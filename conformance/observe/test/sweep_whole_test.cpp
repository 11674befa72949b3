// SPDX-License-Identifier: Apache-2.0
// All 2^39 pairs of a scale and an FP32 value, through a subject that knows the answers.
#include <cstdlib>

#include "catch.hpp"
#include "conformance/certify/certify.hpp"
#include "conformance/subjects/open_subject.hpp"
#include "conformance/suites/blocks/drawn_pairs.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/test/sweep_tables.hpp"
#include "conformance/verdict/canary.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::observe;
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
        quantizer_ = subjects::open_subject({BackendSpec::Kind::plugin, "plugin", MXCERT_TEST_QUANTIZER, {}}, {});
        for (const Operation& offered : quantizer_->info().operations)
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
    [[nodiscard]] bool can_sweep() const override { return true; }
    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        return quantizer_->run(operation, run_case);
    }
    StepTable scales;
    StepTable elements;
    std::size_t parts = 0;

  private:
    std::unique_ptr<Subject> quantizer_; ///< answers what is no sweep
};

std::vector<verdict::Row> certify_all(Subject& subject, Level level) {
    static verdict::GoldenSource golden;
    verdict::CertifyOptions options;
    options.profiles = {"ocp-sat"};
    options.filters = {"*/scale", "*/elements"};
    options.level = level;
    return certify::certify(subject, certify::make_plan(subject, options, golden), options, {});
}

} // namespace

TEST_CASE("with every input, all 2^39 pairs are judged, and one wrong one among them is found", "[sweep][values]") {
    SweptSubject subject("quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32");
    const std::vector<verdict::Row> rows = certify_all(subject, Level::complete);
    REQUIRE(rows.size() == 2);
    for (const verdict::Row& row : rows) {
        INFO(row.reason);
        CHECK(row.status == Status::pass);
        CHECK_FALSE(row.sample);
    }
    CHECK(rows[0].compared >= 0x7F800000);
    CHECK(verdict::table_of(rows[0])->asked == "every amax");
    CHECK(rows[1].compared == std::uint64_t{32'604} << 24);
    CHECK(verdict::table_of(rows[1])->asked == "every reachable pair of a scale and a value");
    CHECK(subject.parts > 100);

    subject.elements.steps = verdict::plant(subject.elements.steps, wrong_pair, 0x7E);
    subject.scales.steps = verdict::plant(subject.scales.steps, wrong_amax, 0x76);
    const std::vector<verdict::Row> wrong = certify_all(subject, Level::complete);
    REQUIRE(wrong.size() == 2);
    for (const verdict::Row& row : wrong) {
        CHECK(row.status == Status::fail);
        CHECK(row.differing == 1);
        REQUIRE(verdict::differences_of(row).size() == 1);
    }
    CHECK(verdict::differences_of(wrong[0])[0].first == wrong_amax);
    CHECK(verdict::differences_of(wrong[1])[0].first == wrong_pair);
}

TEST_CASE("at standard each finite value is judged under a drawn scale, beside the sample", "[sweep][values]") {
    SweptSubject subject("quantize-fp32-e4m3-e8m0-ocp_floor-nearest_even-sat-row-32");
    const std::vector<verdict::Row> sample = certify_all(subject, Level::quick);
    REQUIRE(sample.size() == 2);
    CHECK(subject.parts == 0);
    CHECK(verdict::table_of(sample[1])->asked == "a sample");
    const std::vector<verdict::Row> rows = certify_all(subject, Level::standard);
    REQUIRE(rows.size() == 2);
    for (const verdict::Row& row : rows) {
        INFO(row.reason);
        CHECK(row.status == Status::pass);
        CHECK(row.sample);
    }
    CHECK(verdict::table_of(rows[0])->asked == "a sample");
    CHECK(rows[0].compared == sample[0].compared);
    CHECK(verdict::table_of(rows[1])->asked == "each finite value under a drawn scale, and a sample");
    // The values of the sample that were not drawn are asked too.
    CHECK(rows[1].compared > std::uint64_t{2} * 0x7F800000 + sample[1].compared / 2);
    CHECK(verdict::table_of(rows[1])->places.in_batches == rows[1].compared);

    std::vector<Code> amaxes(256, suites::no_amax);
    for (const Step& step : subject.scales.steps)
        if (step.code != 0xFF) amaxes[step.code] = step.last;
    const std::vector<inputs::CodeRange> drawn =
        suites::drawn_pairs(as_quantize(subject.info().operations[0]), amaxes, 1);
    const Code wrong_one = drawn[12'345].first + 0x2345;
    subject.elements.steps = verdict::plant(subject.elements.steps, wrong_one, 0x55);
    CHECK(certify_all(subject, Level::quick)[1].status == Status::pass);
    const std::vector<verdict::Row> wrong = certify_all(subject, Level::standard);
    CHECK(wrong[1].status == Status::fail);
    REQUIRE(verdict::differences_of(wrong[1]).size() == 1);
    CHECK(verdict::differences_of(wrong[1])[0].first == wrong_one);
}
