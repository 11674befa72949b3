// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/golden_lanes.hpp"

#include <stdexcept>

#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"
#include "vectors/tables/csv_rows.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

using formats::fp32;

constexpr const char* lanes_header = "a,b,e,f,rbits,d";
constexpr std::array lanes{Rounding::ptx_rs_a, Rounding::ptx_rs_b, Rounding::ptx_rs_e, Rounding::ptx_rs_f};
constexpr unsigned word_bits = 32;
constexpr std::uint64_t seeded = 62; // words

std::vector<std::uint32_t> words() {
    std::vector<std::uint32_t> all{0, ~0U};
    for (unsigned bit = 0; bit < word_bits; ++bit) {
        all.push_back(1U << bit);
        all.push_back(~(1U << bit));
    }
    for (std::uint64_t i = 0; i < seeded; ++i) all.push_back(static_cast<std::uint32_t>(SplitMix64::at(1, i)));
    return all;
}

/// The least magnitude above a code that R moves away from zero; where R is 0 none is moved, and it is the next code.
Code threshold(const Format& to, Code below, exact::Random own) {
    const exact::Rational lower = exact::decode(to, below).magnitude;
    const exact::Rational gap = exact::decode(to, below + 1).magnitude - lower;
    const std::uint32_t all = std::uint32_t{1} << own.bits;
    return exact::encode(fp32, lower + gap * exact::Rational(all - own.value, all));
}

void answer(LanesRun& run, const Format& to) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        Choices choices;
        choices.rounding = lanes[i];
        const Code code = exact::convert(fp32, to, choices, run.values[i], {word_bits, run.word}).code;
        if (fast::convert(fp32, to, choices, run.values[i], run.word, word_bits) != code)
            throw std::logic_error("the two models differ: cvt.rs of " + code_text(fp32, run.values[i]));
        run.packed = run.packed << to.width() | code;
    }
}

} // namespace

std::vector<const Format*> lanes_targets() { return {&formats::e4m3, &formats::e5m2, &formats::e2m1}; }

std::string lanes_file(const Format& to) { return "ptx_cvt_rs_" + std::string(to.name) + "x4.csv"; }

std::vector<LanesRun> golden_lanes(const Format& to) {
    std::vector<LanesRun> runs;
    SplitMix64 random(2);
    for (const std::uint32_t word : words()) {
        LanesRun away;
        away.word = word;
        LanesRun toward = away;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const Code sign = random.below(2) << 31U;
            const Code value =
                threshold(to, random.below(to.max_code()), exact::own_bits(to, lanes[i], 1, {word_bits, word}));
            away.values[i] = sign | value;
            toward.values[i] = sign | (value - 1);
        }
        runs.push_back(away);
        runs.push_back(toward);
    }
    const Code largest = exact::encode(fp32, exact::decode(to, to.max_code()).magnitude);
    const Code smallest = exact::encode(fp32, exact::decode(to, 1).magnitude);
    for (const std::uint32_t word : {0U, ~0U}) {
        runs.push_back({{0, 0x80000000, 1, 0x80000001}, word, 0});
        runs.push_back({{largest, largest + 1, 0x80000000 | largest, 0x80000000 | (largest + 1)}, word, 0});
        runs.push_back({{0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000}, word, 0});
        runs.push_back({{smallest, 0x80000000 | smallest, smallest - 1, 0x80000000 | (smallest - 1)}, word, 0});
    }
    for (LanesRun& run : runs) answer(run, to);
    return runs;
}

std::string write_lanes(const std::vector<LanesRun>& runs, const Format& to) {
    std::string text = std::string(lanes_header) + "\n";
    for (const LanesRun& run : runs) {
        for (const Code value : run.values) text += hex(value, fp32) + ",";
        text += hex(run.word, fp32) + "," + hex(run.packed, to.width() == 8 ? fp32 : formats::fp16) + "\n";
    }
    return text;
}

std::vector<LanesRun> parse_lanes(std::string_view text, std::string_view name, const Format& to) {
    csv::Rows<6> rows(text, name, lanes_header);
    std::vector<LanesRun> runs;
    while (rows.next()) {
        LanesRun run;
        for (std::size_t i = 0; i < lanes.size(); ++i) run.values[i] = rows.code(i, fp32);
        run.word = static_cast<std::uint32_t>(rows.code(4, fp32));
        run.packed = rows.code(5, to.width() == 8 ? fp32 : formats::fp16);
        runs.push_back(run);
    }
    return runs;
}

} // namespace mxcert
