// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/slices.hpp"

#include "catch.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/test/fake_subject.hpp"

namespace mxcert::evidence {
namespace {

TEST_CASE("the probability of missing wrong inputs is that of drawing right ones alone", "[evidence]") {
    CHECK(missed(0.001, 0, 1000) == 1);
    CHECK(missed(0.5, 3, 1000) == 0.125);
    CHECK(missed(0.001, 1000, 65536) > 0.3676);
    CHECK(missed(0.001, 1000, 65536) < 0.3678);
    CHECK(missed(0.001, 256, 256) == 0); // all were asked
}

/// How many differences are found if a backend answers so many inputs, from 0x40000000 on, otherwise than recorded.
std::size_t found(std::uint64_t slices, std::uint64_t count, std::uint64_t seed) {
    const std::string id = "fp32-e4m3-nearest_even-sat";
    const Conversion conversion = parse_conversion(id);
    test::FakeSubject stored;
    stored.offer(id);
    test::FakeSubject backend;
    StepTable& table = backend.offer(id);
    const Code low = 0x40000000;
    std::vector<Step> wrong = inputs::part_of(table.steps, low, low + count - 1);
    for (Step& step : wrong) step.code ^= 1U;
    if (count != 0) {
        std::vector<Step> all = inputs::part_of(table.steps, 0, low - 1);
        for (const Step& step : wrong) inputs::append_step(all, step);
        for (const Step& step : inputs::part_of(table.steps, low + count, conversion.from->last_code()))
            inputs::append_step(all, step);
        table.steps = std::move(all);
    }
    Slices subject(stored, backend, slices, seed);
    const observe::Observation seen = subject.observe(conversion, nullptr);
    CHECK(seen.table.steps == stored.tables.at(id).steps); // what is stored is what is judged
    const RowSlices& row = subject.rows().at(id);
    CHECK(row.of == std::uint64_t{1} << 32);
    if (subject.differences().empty()) CHECK(row.inputs > slices * shards::inputs_of_slice * 99 / 100);
    return subject.differences().size();
}

TEST_CASE("a backend that answers otherwise than recorded is found, as often as is said", "[evidence]") {
    CHECK(found(1, 0, 1) == 0);
    CHECK(found(4, std::uint64_t{1} << 29, 1) == 1); // 1 in 8
    // 2^22 inputs are 1 in 1,024. A slice of 4,096 misses them with a probability of 0.018, a tenth of it with 0.67.
    std::size_t seen = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) seen += found(1, std::uint64_t{1} << 22, seed);
    CHECK(seen >= 17);
    CHECK(found(1, 1, 1) == 0); // one input in 2^32 is not
}

TEST_CASE("answers of which one stands for all are not compared", "[evidence]") {
    observe::Observation stored;
    stored.conversion = parse_conversion("fp16-e4m3-nearest_even-sat");
    stored.status = Status::pass;
    stored.points = {{0, 0, 1}};
    stored.inputs = 1;
    test::FakeSubject backend;
    backend.offer("fp16-e4m3-nearest_even-sat"); // gives 0 for 0
    CHECK(!shards::ask_inputs_again(backend, stored.conversion, stored, 1, 1).difference.empty());
    stored.places.simplified = true;
    CHECK(shards::ask_inputs_again(backend, stored.conversion, stored, 1, 1).difference.empty());
    CHECK(shards::ask_inputs_again(backend, stored.conversion, stored, 1, 1).values == 0);
}

TEST_CASE("slices are others with another seed", "[evidence]") {
    std::size_t seen = 0;
    for (std::uint64_t seed = 0; seed < 16; ++seed) seen += found(1, std::uint64_t{1} << 19, seed);
    CHECK(seen > 0);
    CHECK(seen < 16);
}

} // namespace
} // namespace mxcert::evidence
