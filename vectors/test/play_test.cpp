// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/play.hpp"

#include <cstring>

#include "catch.hpp"
#include "vectors/tables/tabulate.hpp"

using namespace mxcert;

namespace {

/// Runs `inputs` at odd addresses and checks every output and the bytes around them.
template <class In, class Out> void check_run(const StepTable& table, const std::vector<Code>& inputs) {
    const Player player(table);
    std::vector<unsigned char> in(1 + inputs.size() * sizeof(In));
    std::vector<unsigned char> out(2 + inputs.size() * sizeof(Out), 0xA5);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto value = static_cast<In>(inputs[i]);
        std::memcpy(&in[1 + i * sizeof(In)], &value, sizeof value);
    }
    player.run(in.data() + 1, out.data() + 1, inputs.size());
    CHECK((out.front() == 0xA5 && out.back() == 0xA5));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Out code;
        std::memcpy(&code, &out[1 + i * sizeof(Out)], sizeof code);
        const Code wanted = table.steps[find_step(table, inputs[i])].code;
        if (code != wanted || player(inputs[i]) != wanted) ++wrong;
    }
    CHECK(wrong == 0);
}

/// Both ends of every step and their neighbours, forth and then back.
std::vector<Code> boundaries(const StepTable& table) {
    std::vector<Code> inputs;
    for (const Step& step : table.steps) {
        inputs.push_back(step.first);
        inputs.push_back(step.first + (step.last - step.first) / 2);
        inputs.push_back(step.last);
    }
    std::vector<Code> both = inputs;
    both.insert(both.end(), inputs.rbegin(), inputs.rend());
    return both;
}

std::vector<Code> every_input(const Format& from) {
    std::vector<Code> inputs;
    for (Code input = 0; input <= from.last_code(); ++input) inputs.push_back(input);
    return inputs;
}

} // namespace

TEST_CASE("Every input of a 16-bit source is played", "[play]") {
    const StepTable table = tabulate(format("fp16"), format("e4m3"), Choices{});
    check_run<std::uint16_t, std::uint8_t>(table, every_input(*table.from));
}

TEST_CASE("Every boundary of wide sources is played", "[play]") {
    const StepTable single = tabulate(format("fp32"), format("e5m2"), Choices{});
    check_run<std::uint32_t, std::uint8_t>(single, boundaries(single));
    const StepTable wide = tabulate(format("fp64"), format("e4m3"), Choices{});
    check_run<std::uint64_t, std::uint8_t>(wide, boundaries(wide));
}

TEST_CASE("Every code of a narrow source is played", "[play]") {
    const StepTable four = tabulate(format("e2m1"), format("fp64"), Choices{});
    check_run<std::uint8_t, std::uint64_t>(four, every_input(*four.from));
    const StepTable six = tabulate(format("e3m2"), format("fp16"), Choices{});
    check_run<std::uint8_t, std::uint16_t>(six, every_input(*six.from));
    const StepTable eight = tabulate(format("e4m3"), format("fp32"), Choices{});
    check_run<std::uint8_t, std::uint32_t>(eight, every_input(*eight.from));
}

TEST_CASE("A table with many steps behind one index entry is played", "[play]") {
    StepTable noisy{&format("fp32"), &format("e4m3"), {}};
    for (Code i = 0; i < 100'000; ++i) noisy.steps.push_back({i, i, i & 1});
    noisy.steps.push_back({100'000, 0xFFFF'FFFF, 2});
    check_run<std::uint32_t, std::uint8_t>(noisy, boundaries(noisy));
}

TEST_CASE("Bits above the source's width are ignored", "[play]") {
    const StepTable table = tabulate(format("e2m1"), format("e4m3"), Choices{});
    const Player player(table);
    CHECK(player(0xF7) == player(0x07));
    const std::uint8_t in = 0xF7;
    std::uint8_t out = 0;
    player.run(&in, &out, 1);
    CHECK(out == player(0x07));
}

TEST_CASE("A table that is not whole is not played", "[play]") {
    const StepTable gap{&format("e2m1"), &format("e4m3"), {{0, 3, 0}, {5, 15, 1}}};
    CHECK_THROWS_AS(Player(gap), std::invalid_argument);
    CHECK_THROWS_AS(Player(StepTable{&format("e2m1"), &format("e4m3"), {}}), std::invalid_argument);
}
