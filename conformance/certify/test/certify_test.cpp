// SPDX-License-Identifier: Apache-2.0
#include "conformance/certify/certify.hpp"

#include <algorithm>
#include <stdexcept>

#include "catch.hpp"
#include "conformance/inputs/sample.hpp"
#include "conformance/test/fake_subject.hpp"
#include "conformance/verdict/canary.hpp"
#include "conformance/verdict/exit_code.hpp"
#include "conformance/verdict/offers.hpp"

using namespace mxcert;
using namespace mxcert::certify;
using mxcert::test::FakeSubject;

namespace {

std::vector<verdict::Row> run(FakeSubject& subject, const verdict::CertifyOptions& options) {
    verdict::GoldenSource golden;
    const Plan plan = make_plan(subject, options, golden);
    return certify::certify(subject, plan, options, {});
}

const verdict::Row& find(const std::vector<verdict::Row>& rows, const std::string& id,
                         const std::string& profile = "") {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const verdict::Row& r) {
        return r.id == id && (profile.empty() || r.profile == profile);
    });
    REQUIRE(at != rows.end());
    return *at;
}

verdict::CertifyOptions held_to(std::vector<std::string> profiles) {
    verdict::CertifyOptions options;
    options.profiles = std::move(profiles);
    return options;
}

// Both formats, both modes, from FP16: all that `ocp` demands of a backend with one source.
void offer_all(FakeSubject& subject) {
    for (const char* id : {"fp16-e4m3-nearest_even-sat", "fp16-e5m2-nearest_even-sat", "fp16-e4m3-nearest_even-nosat",
                           "fp16-e5m2-nearest_even-nosat"})
        subject.offer(id);
}

} // namespace

TEST_CASE("a right implementation passes every row of its profile") {
    FakeSubject subject;
    offer_all(subject);
    const std::vector<verdict::Row> rows = run(subject, {});
    CHECK(rows.size() == 6);
    for (const verdict::Row& row : rows) {
        CHECK(row.status == Status::pass);
        CHECK(row.profile == "ocp");
    }
    CHECK(verdict::exit_code(rows) == 0);
    const verdict::Row& row = rows.front();
    CHECK(verdict::table_of(row)->golden == "vectors/golden/fp16-e4m3.csv");
    CHECK(verdict::table_of(row)->golden_sha256.size() == 64);
}

TEST_CASE("one wrong answer fails the row, and only that") {
    FakeSubject subject;
    offer_all(subject);
    StepTable& table = subject.tables.at("fp16-e5m2-nearest_even-nosat");
    table.steps = verdict::plant(table.steps, 0x3C01, 0x00);
    const std::vector<verdict::Row> rows = run(subject, {});
    CHECK(find(rows, "fp16-e5m2-nearest_even-nosat").status == Status::fail);
    CHECK(std::count_if(rows.begin(), rows.end(), [](const verdict::Row& r) { return r.status == Status::pass; }) == 5);
    CHECK(verdict::exit_code(rows) == 1);
}

TEST_CASE("every profile judges for itself what was observed once", "[values]") {
    FakeSubject subject;
    StepTable& table = subject.offer("fp16-e4m3-nearest_even-sat");
    // A NaN with its sign: free under ocp-sat, wrong for nvidia-cuda-host.
    table.steps = verdict::plant(table.steps, 0xFE00, 0xFF);
    const std::vector<verdict::Row> rows = run(subject, held_to({"ocp-sat", "nvidia-cuda-host"}));
    CHECK(find(rows, "fp16-e4m3-nearest_even-sat", "ocp-sat").status == Status::pass);
    CHECK(find(rows, "fp16-e4m3-nearest_even-sat", "nvidia-cuda-host").status == Status::fail);
}

TEST_CASE("what is offered outside the profile is listed and judged by nobody") {
    FakeSubject subject;
    subject.offer("fp16-e4m3-nearest_even-sat");
    subject.offer("fp16-e4m3-nearest_even-nosat");
    subject.info().conversions.push_back(parse_conversion("fp16-e4m3-stochastic_a8-sat"));
    verdict::GoldenSource golden;
    const Plan plan = make_plan(subject, held_to({"ocp-sat"}), golden);
    CHECK(plan.conversions.size() == 1);
    CHECK(plan.outside == std::vector<std::string>{"fp16-e4m3-nearest_even-nosat"});
    REQUIRE(plan.given_bits.size() == 1);
    CHECK(to_string(plan.given_bits[0].conversion) == "fp16-e4m3-stochastic_a8-sat");
}

TEST_CASE("a profile that judges nothing does not pass beside one that does") {
    FakeSubject subject;
    subject.offer("fp16-e4m3-nearest_even-sat");
    subject.offer("fp16-e5m2-nearest_even-sat");
    CHECK(verdict::exit_code(run(subject, held_to({"ocp-sat"}))) == 0);
    const std::vector<verdict::Row> rows = run(subject, held_to({"ocp-sat", "ocp-nosat"}));
    CHECK(find(rows, "profile ocp-nosat").status == Status::untested);
    CHECK(verdict::exit_code(rows) == 1);
}

TEST_CASE("a filter leaves out what a backend claims beyond it, but not what it is asked to be held to") {
    FakeSubject subject;
    offer_all(subject);
    subject.info().name = "portable"; // claims ocp and nvidia-te
    verdict::CertifyOptions options;
    CHECK(verdict::exit_code(run(subject, options)) == 1); // nothing of nvidia-te is offered
    options.filters = {"fp16-*"};
    CHECK(verdict::exit_code(run(subject, options)) == 0);
    // A provision that the filter names is asked for, whatever else it leaves out.
    FakeSubject scales;
    scales.offer("amax_fp16-e8m0_for_e4m3-rceil-sat");
    scales.info().name = "portable";
    options.filters = {"amax_*"};
    CHECK(verdict::exit_code(run(scales, options)) == 0);
    options.filters = {"amax_*", "provision*"};
    CHECK(find(run(scales, options), "profile ocp").status == Status::untested);
    CHECK(find(run(scales, options), "provision OFP8-RNE").status != Status::pass);
    options.filters = {"fp16-*"};
    options.profiles = {"ocp", "nvidia-te"};
    CHECK(find(run(subject, options), "profile nvidia-te").status == Status::untested);
}

TEST_CASE("a scale in another arithmetic fails at the one amax at which it differs") {
    FakeSubject subject;
    const std::string id = "amax_fp32-e8m0_for_e4m3-rceil-sat";
    subject.offer(id); // in exact arithmetic; Transformer Engine multiplies in FP32
    const std::vector<verdict::Row> rows = run(subject, held_to({"nvidia-te"}));
    const verdict::Row& row = find(rows, id);
    CHECK(row.status == Status::fail);
    CHECK(verdict::table_of(row)->golden == "vectors/golden/amax_fp32-e8m0_for_e4m3.csv");
    REQUIRE(verdict::differences_of(row).size() == 1);
    CHECK(verdict::differences_of(row).front().first == 0x04600001);
    CHECK(verdict::differences_of(row).front().last == 0x04600001);
    CHECK(verdict::differences_of(row).front().got == 1);

    StepTable& table = subject.tables.at(id);
    table.steps = verdict::plant(table.steps, 0x04600001, 0);
    CHECK(find(run(subject, held_to({"nvidia-te"})), id).status == Status::pass);
    // No profile of the specification judges a rule that it does not state.
    verdict::GoldenSource golden;
    CHECK(make_plan(subject, held_to({"ocp"}), golden).outside == std::vector<std::string>{id});
}

TEST_CASE("default profiles follow what is offered") {
    FakeSubject both;
    offer_all(both);
    CHECK(default_profiles(both.info()) == std::vector<std::string>{"ocp"});
    FakeSubject sat;
    sat.offer("fp16-e4m3-nearest_even-sat");
    CHECK(default_profiles(sat.info()) == std::vector<std::string>{"ocp-sat"});
    FakeSubject nosat;
    nosat.offer("fp16-e4m3-nearest_even-nosat");
    nosat.offer("fp16-e8m0-up-sat"); // has modes of its own
    CHECK(default_profiles(nosat.info()) == std::vector<std::string>{"ocp-nosat"});
    const std::vector<std::pair<std::string, std::string>> product{
        {"a", "e4m3"},       {"b", "e4m3"}, {"scale", "none"},  {"block_a", "none"},      {"block_b", "none"},
        {"transpose", "nn"}, {"c", "none"}, {"output", "fp32"}, {"accumulator", "exact"}, {"order", "given"}};
    nosat.info().operations = {make_operation("matmul", product)};
    CHECK(default_profiles(nosat.info()) == std::vector<std::string>{"ocp-nosat", "products"});
    FakeSubject without_sign;
    offer_all(without_sign);
    without_sign.offer("fp16-ue5m3-nearest_even-sat");
    CHECK(default_profiles(without_sign.info()) == std::vector<std::string>{"ocp", "unsigned-scales"});
    both.info().name = "cuda_fp8";
    CHECK(default_profiles(both.info()) == std::vector<std::string>{"nvidia-cuda-host", "ocp"});
}

TEST_CASE("provisions judge what is offered") {
    FakeSubject subject;
    offer_all(subject);
    subject.info().conversions.erase(subject.info().conversions.begin() + 3);
    std::vector<verdict::Row> rows = run(subject, held_to({"ocp"}));
    CHECK(find(rows, "provision OFP8-RNE").status == Status::pass);
    const verdict::Row& modes = find(rows, "provision OFP8-BOTH-MODES");
    CHECK(modes.status == Status::unsupported);
    CHECK(modes.required);
    CHECK(modes.reason == "not offered: fp16-e5m2-*-nosat");
    CHECK(verdict::exit_code(rows) == 1);

    // A second source has to have them too.
    FakeSubject second;
    offer_all(second);
    second.offer("bf16-e4m3-toward_zero-sat");
    rows = run(second, held_to({"ocp"}));
    CHECK(find(rows, "provision OFP8-RNE").reason == "not offered: bf16-e4m3-nearest_even-*, bf16-e5m2-nearest_even-*");

    // Nothing at all offered is not all of it offered.
    const std::vector<verdict::Row> nothing = verdict::judge_offers(find_profile("ocp"), {});
    REQUIRE(nothing.size() == 2);
    for (const verdict::Row& row : nothing) CHECK(row.status == Status::unsupported);
    CHECK(find(nothing, "provision OFP8-RNE").reason ==
          "not offered: any *-e4m3-nearest_even-*, any *-e5m2-nearest_even-*");
    CHECK(find(nothing, "provision OFP8-BOTH-MODES").reason ==
          "not offered: any *-e4m3-*-sat, any *-e5m2-*-sat, any *-e4m3-*-nosat, any *-e5m2-*-nosat");
    // A stochastic rounding provides no mode.
    const std::vector<verdict::Row> stochastic =
        verdict::judge_offers(find_profile("ocp"), {parse_conversion("fp16-e4m3-stochastic_a8-sat")});
    REQUIRE(stochastic.size() == 2);
    for (const verdict::Row& row : stochastic) CHECK(row.status == Status::unsupported);
    // The profiles of one mode judge values only.
    CHECK(verdict::judge_offers(find_profile("ocp-sat"), {}).empty());
    CHECK(verdict::judge_offers(find_profile("ocp-nosat"), {}).empty());
}

TEST_CASE("an offer that is refused when asked provides nothing") {
    FakeSubject subject;
    offer_all(subject);
    subject.status = Status::unsupported;
    const std::vector<verdict::Row> rows = run(subject, {});
    CHECK(find(rows, "fp16-e4m3-nearest_even-sat").status == Status::unsupported);
    CHECK(find(rows, "provision OFP8-RNE").status == Status::unsupported);
    CHECK(verdict::exit_code(rows) == 1);
}

TEST_CASE("filters choose rows, and nothing chosen is not a pass") {
    FakeSubject subject;
    offer_all(subject);
    verdict::CertifyOptions options;
    options.filters = {"*-sat"};
    CHECK(run(subject, options).size() == 2);
    options.filters = {"*-sat", "provision*"};
    CHECK(run(subject, options).size() == 4);
    options.filters = {"no-such-row"};
    CHECK(run(subject, options).empty());
    CHECK(verdict::exit_code(run(subject, options)) == 4);
}

TEST_CASE("what is required and not judged fails") {
    FakeSubject subject;
    offer_all(subject);
    verdict::CertifyOptions options;
    options.required = {"fp16-e4m3-*"};
    CHECK(verdict::exit_code(run(subject, options)) == 0);
    CHECK(find(run(subject, options), "fp16-e4m3-nearest_even-sat").required);
    options.required = {"fp32-e4m3-nearest_even-sat"};
    CHECK(find(run(subject, options), "fp32-e4m3-nearest_even-sat").status == Status::unsupported);
    CHECK(verdict::exit_code(run(subject, options)) == 1);
    options.required = {"bf16-*"};
    CHECK(verdict::exit_code(run(subject, options)) == 1);
    options.required = {"fp16-e4m3-*"};
    options.filters = {"fp16-e5m2-*"};
    CHECK(find(run(subject, options), "fp16-e4m3-*").status == Status::untested);
    CHECK(verdict::exit_code(run(subject, options)) == 1);
    subject.status = Status::unsupported;
    options.filters = {"fp16-e4m3-*"};
    CHECK(verdict::exit_code(run(subject, options)) == 1);
    options.required.clear();
    CHECK(verdict::exit_code(run(subject, options)) == 4);
}

TEST_CASE("bad names are refused before anything runs") {
    FakeSubject subject;
    offer_all(subject);
    verdict::GoldenSource golden;
    verdict::CertifyOptions options = held_to({"ocp-sta"});
    CHECK_THROWS_WITH(make_plan(subject, options, golden), Catch::Contains("ocp-sat"));
    options = {};
    options.required = {"fp16-e4m3-nearest-sat"};
    CHECK_THROWS_AS(make_plan(subject, options, golden), std::invalid_argument);
    options.required = {"fp17-*"};
    CHECK_THROWS_AS(make_plan(subject, options, golden), std::invalid_argument);
}

TEST_CASE("a reproduction runs one input") {
    FakeSubject subject;
    offer_all(subject);
    verdict::CertifyOptions options;
    options.reproduce = cases::parse_reproduction("fp16-e4m3-nearest_even-sat:3C01");
    std::vector<verdict::Row> rows = run(subject, options);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::pass);
    CHECK(rows[0].compared == 1);
    StepTable& table = subject.tables.at("fp16-e4m3-nearest_even-sat");
    table.steps = verdict::plant(table.steps, 0x3C01, 0x00);
    rows = run(subject, options);
    CHECK(rows[0].status == Status::fail);
    CHECK(verdict::differences_of(rows[0])[0].first == 0x3C01);
    options.reproduce->conversion = parse_conversion("bf16-e4m3-nearest_even-sat");
    rows = run(subject, options);
    CHECK(rows.at(0).status == Status::unsupported);
    CHECK(verdict::exit_code(rows) == 1);
    options.reproduce->conversion = parse_conversion("fp16-e4m3-nearest_even-nosat");
    options.profiles = {"ocp-sat"};
    CHECK(verdict::exit_code(run(subject, options)) == 1);
}

TEST_CASE("a stop leaves the rest incomplete") {
    FakeSubject subject;
    offer_all(subject);
    std::atomic<bool> stop{true};
    verdict::CertifyOptions options;
    options.stop = &stop;
    const std::vector<verdict::Row> rows = run(subject, options);
    CHECK(find(rows, "fp16-e4m3-nearest_even-sat").status == Status::incomplete);
    CHECK(verdict::exit_code(rows) == 3);
}

TEST_CASE("points that do not come back are missed") {
    FakeSubject subject;
    subject.offer("fp64-e4m3-nearest_even-sat");
    verdict::CertifyOptions options = held_to({"ocp-sat"});
    options.samples_per_step = 1;
    options.filters = {"fp64-*"};
    std::vector<verdict::Row> rows = run(subject, options);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].status == Status::pass);
    CHECK(rows[0].sample);
    CHECK(rows[0].compared > 1000);
    subject.drop_last = true;
    rows = run(subject, options);
    CHECK(rows[0].status == Status::incomplete);
    CHECK(verdict::exit_code(rows) == 3);
}

TEST_CASE("the sample of a 64-bit source holds its boundaries") {
    const std::vector<Code> firsts{0, 3, 1000, 0x8000000000000000};
    const Code last = ~Code{0};
    const std::vector<inputs::Point> points = inputs::choose_points(formats::fp64, firsts, 10, 7);
    const auto has = [&](Code input) {
        return std::any_of(points.begin(), points.end(), [&](const inputs::Point& p) { return p.input == input; });
    };
    for (const Code input : {Code{0}, Code{1}, Code{2}, Code{3}, Code{4}, Code{997}, Code{998}, Code{999}, Code{1000},
                             Code{1001}, Code{1002}, Code{0x7FFFFFFFFFFFFFFE}, Code{0x7FFFFFFFFFFFFFFF},
                             Code{0x8000000000000000}, Code{0x8000000000000001}, last})
        CHECK(has(input));
    CHECK(std::is_sorted(points.begin(), points.end(),
                         [](const inputs::Point& a, const inputs::Point& b) { return a.input < b.input; }));
    CHECK(std::adjacent_find(points.begin(), points.end(), [](const inputs::Point& a, const inputs::Point& b) {
              return a.input == b.input;
          }) == points.end());
    for (std::size_t i = 1; i < firsts.size(); ++i) {
        const auto inside = std::count_if(points.begin(), points.end(), [&](const inputs::Point& p) {
            return p.input >= firsts[i] && (i + 1 == firsts.size() || p.input < firsts[i + 1]);
        });
        CHECK(inside >= 10);
    }
    const std::vector<inputs::Point> again = inputs::choose_points(formats::fp64, firsts, 10, 7);
    CHECK(std::equal(points.begin(), points.end(), again.begin(), again.end(),
                     [](const inputs::Point& a, const inputs::Point& b) { return a.input == b.input; }));
    // One step over everything, and a source of one code at its end.
    CHECK(inputs::choose_points(formats::fp64, {0}, 5, 1).size() >= 6);
    CHECK(inputs::boundary_points(formats::fp64, {0, last}).size() == 7); // 0 to 2, and last - 3 to last
    // Beside a boundary: one bit above it, and below it one bit clear.
    for (const Code input : {Code{0x3FF0000000000000} + (Code{1} << 40U), Code{0x3FEFFEFFFFFFFFFF}}) {
        const std::vector<inputs::Point> all = inputs::choose_points(formats::fp64, {0, 0x3FF0000000000000}, 0, 1);
        CHECK(std::any_of(all.begin(), all.end(), [&](const inputs::Point& p) { return p.input == input; }));
    }
}
