// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/golden_products.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "reference/dot/accumulator_change.hpp"
#include "reference/exact/accumulate.hpp"
#include "reference/fast/accumulate.hpp"
#include "vectors/tables/csv_rows.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

constexpr const char* header = "about,a_format,b_format,scale_format,block,k,a,b,scales_a,scales_b,c,d";
constexpr std::size_t scale_block = 32;
constexpr std::size_t times_told = 3; ///< rows that tell each rival from the accumulator
constexpr std::uint64_t longest = 4096;

/// What the files are about: the first of the formats, two different ones where they may differ.
DotFormat format_of(const Accumulator& accumulator) {
    const Format* a = accumulator.operands.front();
    const Format* b = accumulator.mixed ? accumulator.operands[1] : a;
    return dot_format(accumulator, *a, *b, accumulator.scales.empty() ? nullptr : accumulator.scales.front());
}

std::string codes_text(const std::vector<Code>& codes, std::size_t count, const Format& format) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += hex(codes[i], format);
    return text;
}

} // namespace

std::vector<Code> answers_of(const Accumulator& accumulator, const DotCases& cases) {
    fast::Accumulate accumulate(accumulator, cases.format);
    std::vector<Code> answers;
    for (const DotCase& one : cases.cases) answers.push_back(accumulate(cases.operands(one)));
    return answers;
}

std::vector<Accumulator> rivals(const Accumulator& accumulator, const DotFormat& format) {
    std::vector<Accumulator> all;
    for (const Accumulator& other : accumulators())
        if (other.name != accumulator.name && takes(other, format)) all.push_back(other);
    for (const AccumulatorParameter& parameter : accumulator_parameters()) {
        if (!parameter.says(accumulator)) continue;
        const std::string own = parameter.text(accumulator);
        for (const Accumulator& other : parameter.values(accumulator))
            if (parameter.text(other) != own) all.push_back(other);
    }
    return all;
}

GoldenProducts golden_products(const Accumulator& accumulator) {
    const std::size_t k = 2 * std::max({accumulator.group, accumulator.promote, scale_block});
    const DotFormat format = format_of(accumulator);
    const std::size_t block = format.scale_a == nullptr ? 0 : scale_block;
    const DotCases all = dot_cases(format, block, block, k, true);
    const std::vector<Code> answers = answers_of(accumulator, all);

    // Greedily: a case is kept if it tells a rival that few cases before it do, or is the first of its kind.
    std::vector<bool> kept(answers.size(), false);
    std::set<std::string_view> kinds;
    for (std::size_t i = 0; i < answers.size(); ++i) kept[i] = kinds.insert(all.cases[i].about).second;
    for (const Accumulator& rival : rivals(accumulator, format)) {
        const std::vector<Code> others = answers_of(rival, all);
        std::size_t told = 0;
        for (std::size_t i = 0; i < answers.size(); ++i)
            if (kept[i] && others[i] != answers[i]) ++told;
        for (std::size_t i = 0; i < answers.size() && told < times_told; ++i) {
            if (kept[i] || others[i] == answers[i]) continue;
            kept[i] = true;
            ++told;
        }
    }

    GoldenProducts golden;
    golden.asked.format = format;
    golden.asked.block_a = golden.asked.block_b = block;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!kept[i]) continue;
        const DotCase& one = golden.asked.cases.emplace_back(all.cases[i]);
        golden.answers.push_back(answers[i]);
        if (exact::accumulate(accumulator, format, golden.asked.operands(one)) != answers[i])
            throw std::logic_error("the two models of " + std::string(accumulator.name) + " disagree: " + one.about);
    }
    return golden;
}

std::string write_products(const GoldenProducts& golden) {
    const DotFormat& format = golden.asked.format;
    const bool scaled = format.scale_a != nullptr;
    std::string text = std::string(header) + "\n";
    for (std::size_t i = 0; i < golden.answers.size(); ++i) {
        const DotCase& one = golden.asked.cases[i];
        std::size_t count = one.a.size();
        while (count != 0 && one.a[count - 1] == 0 && one.b[count - 1] == 0) --count;
        text += one.about;
        for (const Format* part : {format.a, format.b, format.scale_a})
            text += "," + std::string(part == nullptr ? "none" : part->name);
        text += "," + std::to_string(scaled ? golden.asked.block_a : one.a.size()) + "," + std::to_string(one.a.size());
        text += "," + codes_text(one.a, count, *format.a) + "," + codes_text(one.b, count, *format.b);
        text += "," + (scaled ? codes_text(one.scales_a, one.scales_a.size(), *format.scale_a) : std::string());
        text += "," + (scaled ? codes_text(one.scales_b, one.scales_b.size(), *format.scale_b) : std::string());
        text += "," + hex(one.c, *format.c) + "," + hex(golden.answers[i], *format.to) + "\n";
    }
    return text;
}

GoldenProducts parse_products(std::string_view text, std::string_view name, const Accumulator& accumulator) {
    csv::Rows<12> rows(text, name, header);
    GoldenProducts golden;
    DotFormat& format = golden.asked.format;
    format = format_of(accumulator);
    const bool scaled = format.scale_a != nullptr;
    while (rows.next()) {
        const Format* const formats[] = {format.a, format.b, format.scale_a};
        for (std::size_t i = 0; i < std::size(formats); ++i) {
            const std::string_view wanted = formats[i] == nullptr ? "none" : formats[i]->name;
            if (rows.field(1 + i) != wanted)
                rows.fail("'" + std::string(rows.field(1 + i)) + "', not " + std::string(wanted));
        }
        const std::uint64_t k = rows.count(5, longest);
        const std::uint64_t block = rows.count(4, k);
        if (!scaled && block != k) rows.fail("without scales the block is the whole sum");
        if (scaled) golden.asked.block_a = golden.asked.block_b = block;
        DotCase& one = golden.asked.cases.emplace_back();
        one.about = rows.field(0);
        one.a = rows.codes(6, *format.a);
        one.b = rows.codes(7, *format.b);
        if (one.a.size() != one.b.size() || one.a.size() > k) rows.fail("a and b are not as long as each other");
        if (!one.a.empty() && one.a.back() == 0 && one.b.back() == 0) rows.fail("a product of zeros at the end");
        one.a.resize(k);
        one.b.resize(k);
        const std::size_t scales = scaled ? SharedScale{block, 1}.count_along(k) : 0;
        if (scaled) {
            one.scales_a = rows.codes(8, *format.scale_a);
            one.scales_b = rows.codes(9, *format.scale_b);
        }
        if (one.scales_a.size() != scales || one.scales_b.size() != scales ||
            (!scaled && !(rows.field(8).empty() && rows.field(9).empty())))
            rows.fail("there are " + std::to_string(scales) + " scales");
        one.c = rows.code(10, *format.c);
        golden.answers.push_back(rows.code(11, *format.to));
    }
    if (golden.answers.empty()) throw csv::Error(name, "no rows");
    return golden;
}

} // namespace mxcert
