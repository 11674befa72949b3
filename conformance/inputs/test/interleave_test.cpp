// SPDX-License-Identifier: Apache-2.0
#include "conformance/inputs/interleave.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "conformance/frames/words.hpp"
#include "conformance/inputs/point_order.hpp"
#include "conformance/test/observe_fixture.hpp"
#include "reference/base/random.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;
using namespace mxcert::inputs;

namespace {

/// What a conversion must give, exactly.
PermitTable table_of(const char* name) {
    const Conversion conversion = parse_conversion(name);
    PermitTable table{conversion.from, conversion.to, {}};
    for (const Step& step : tabulate(*conversion.from, *conversion.to, choices_of(conversion)).steps)
        table.steps.push_back({step.first, step.last, permit_code(step.code), "TEST"});
    return table;
}

Code answer_to(const PermitTable& table, Code input) {
    return table.steps[find_step(table, input)].permit.codes.front();
}

} // namespace

TEST_CASE("interleaving is a permutation of the inputs", "[interleave]") {
    for (const char* name : {"fp16-e4m3-nearest_even-sat", "bf16-e5m2-nearest_even-nosat",
                             "e4m3-fp32-nearest_even-nosat", "fp16-e8m0-up-sat"}) {
        const PermitTable table = table_of(name);
        for (const unsigned lanes : {61U, 7U, 3U}) {
            CAPTURE(name, lanes);
            const Interleaving order(table, 0, table.from->last_code(), lanes);
            REQUIRE(order.size() == table.from->last_code() + 1);
            std::vector<bool> seen(order.size(), false);
            for (std::uint64_t at = 0; at < order.size(); ++at) {
                const Code input = order.input_at(at);
                REQUIRE(input < order.size());
                REQUIRE_FALSE(seen[input]);
                seen[input] = true;
                const Interleaving::Part part = order.part_at(at);
                REQUIRE(part.streams.at(part.first) == input);
            }
        }
    }
}

TEST_CASE("neighbours in a call have different answers", "[interleave]") {
    struct {
        const char* name;
        double share;
    } const rows[] = {
        {"fp32-e4m3-nearest_even-sat", 0.99},  {"fp32-e4m3-nearest_even-nosat", 0.99},
        {"fp32-e5m2-nearest_even-sat", 0.99},  {"fp16-e4m3-nearest_even-sat", 0.97},
        {"bf16-e4m3-nearest_even-sat", 0.97},  {"e4m3-fp32-nearest_even-nosat", 0.99},
        {"fp32-e8m0-toward_zero-nosat", 0.97},
    };
    for (const auto& row : rows) {
        const PermitTable table = table_of(row.name);
        const Interleaving order(table, 0, table.from->last_code());
        std::uint64_t pairs = 0;
        std::uint64_t differing = 0;
        // Every position of small sources, and a row in every group of large ones.
        for (std::uint64_t at = 0; at < order.size(); at = order.end_of_group(at)) {
            const std::uint64_t end = order.size() <= 1 << 16 ? order.end_of_group(at) : at + 610;
            Code before = answer_to(table, order.input_at(at));
            for (std::uint64_t i = at + 1; i < end; ++i) {
                const Code answer = answer_to(table, order.input_at(i));
                ++pairs;
                differing += answer != before ? 1 : 0;
                before = answer;
            }
        }
        CAPTURE(row.name, pairs, differing);
        CHECK(static_cast<double>(differing) >= row.share * static_cast<double>(pairs));
    }
}

TEST_CASE("a stream meets every residue of a call", "[interleave]") {
    const PermitTable table = table_of("fp32-e4m3-nearest_even-sat");
    const Interleaving order(table, 0, 0xFFFFFFFF);
    std::set<std::uint64_t> residues;
    for (std::uint64_t at = 0; at < 128 * 61; ++at)
        if (order.input_at(at) >> 16 == order.input_at(5) >> 16) residues.insert(at % 128);
    CHECK(residues.size() == 128);
}

TEST_CASE("answers of streams are taken apart", "[interleave]") {
    SplitMix64 random(7);
    const PermitTable table = table_of("fp16-e4m3-nearest_even-sat");
    const Interleaving order(table, 0, 0xFFFF);
    for (const unsigned width : {1U, 2U, 4U, 8U}) {
        for (int round = 0; round < 30; ++round) {
            const std::uint64_t first = random.below(order.size());
            const std::uint64_t room = order.end_of_group(first) - first;
            const std::uint64_t count = round % 3 == 0 ? room : 1 + random.below(room);
            // Few codes: long runs. Many: none.
            const std::uint64_t codes = round % 2 == 0 ? 2 : 200;
            std::vector<std::byte> outputs(count * width);
            std::vector<Step> expected;
            std::uint64_t differing = 0;
            for (std::uint64_t i = 0; i < count; ++i) {
                const Code code = (order.input_at(first + i) >> (codes == 2 ? 5 : 0)) % codes;
                frames::store(outputs.data() + i * width, code, width);
                expected.push_back({order.input_at(first + i), order.input_at(first + i), code});
                if (i != 0) differing += code != expected[i - 1].code ? 1 : 0;
            }
            std::sort(expected.begin(), expected.end(), [](const Step& a, const Step& b) { return a.first < b.first; });
            std::vector<Step> joined;
            for (const Step& step : expected) {
                if (!joined.empty() && joined.back().code == step.code && joined.back().last + 1 == step.first)
                    joined.back().last = step.last;
                else
                    joined.push_back(step);
            }
            CAPTURE(width, first, count, codes);
            const StreamAnswers answers = take_apart(outputs, width, order.part_at(first), count);
            REQUIRE(answers.steps == joined);
            REQUIRE(answers.neighbours == count - 1);
            REQUIRE(answers.differing == differing);
            std::uint64_t covered = 0;
            for (const CodeRange& range : order.inputs_of(first, count)) covered += range.last - range.first + 1;
            REQUIRE(covered == count);
        }
    }
}

TEST_CASE("classes are spread so that equal ones do not meet", "[interleave]") {
    SplitMix64 random(3);
    std::vector<std::uint32_t> classes;
    for (int i = 0; i < 1000; ++i)
        classes.push_back(static_cast<std::uint32_t>(random.below(10) < 4 ? 0 : random.below(9)));
    const std::vector<std::uint32_t> order = spread(classes);
    std::vector<std::uint32_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t i = 0; i < sorted.size(); ++i) REQUIRE(sorted[i] == i);
    int same = 0;
    for (std::size_t i = 1; i < order.size(); ++i) same += classes[order[i]] == classes[order[i - 1]] ? 1 : 0;
    CHECK(same < 10); // at the end nothing is left to part them
    CHECK(spread({}).empty());
    CHECK(spread({5, 5, 5}).size() == 3);
}

TEST_CASE("points are ordered with poison in every request", "[interleave]") {
    const PermitTable table = table_of("fp16-e4m3-nearest_even-sat");
    std::vector<Point> points;
    for (Code input = 0; input <= 0xFFFF; input += 3) points.push_back({input, 0, 0});
    for (const PermitTable* permitted : {&table, static_cast<const PermitTable*>(nullptr)}) {
        const PointOrder order = order_points(points, *table.from, permitted, 1);
        REQUIRE(order.points.size() == points.size());
        std::set<Code> inputs;
        for (const Point& point : order.points) inputs.insert(point.input);
        CHECK(inputs.size() == points.size());
        std::uint64_t next = 0;
        std::uint64_t same = 0;
        for (const Block& block : order.blocks) {
            REQUIRE(block.first == next);
            next += block.count;
            for (std::uint64_t i = block.first; i < next && permitted != nullptr; ++i) {
                const Permit& permit = table.steps[find_step(table, order.points[i].input)].permit;
                for (const std::uint8_t poison : block.poison) REQUIRE_FALSE(permits(permit, poison, *table.to));
                if (i != block.first)
                    same +=
                        answer_to(table, order.points[i].input) == answer_to(table, order.points[i - 1].input) ? 1 : 0;
            }
        }
        CHECK(next == points.size());
        CHECK(same * 50 < points.size());
    }
}
