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
constexpr std::size_t nvfp4_block = 16;
constexpr std::size_t times_told = 3; ///< rows that tell each rival from the accumulator
constexpr std::uint64_t longest = 4096;

const Format* first_scale(const Accumulator& accumulator) {
    return accumulator.scales.empty() ? nullptr : accumulator.scales.front();
}

/// The first of the formats of elements, two different ones where they may differ.
DotFormat format_of(const ProductFile& file) {
    const Accumulator& accumulator = *file.accumulator;
    const Format* a = accumulator.operands.front();
    const Format* b = accumulator.mixed ? accumulator.operands[1] : a;
    return dot_format(accumulator, *a, *b, file.scale);
}

/// Elements that share a scale; 0 without.
std::size_t block_of(const ProductFile& file) {
    if (file.scale == nullptr) return 0;
    const bool nvfp4 = file.scale->name == formats::ue4m3.name;
    return std::max(nvfp4 ? nvfp4_block : scale_block, least_block(*file.accumulator));
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
    for (const DotCase& dot_case : cases.cases) answers.push_back(accumulate(cases.operands(dot_case)));
    return answers;
}

std::vector<Accumulator> rivals(const Accumulator& accumulator, const DotFormat& format, std::size_t block) {
    std::vector<Accumulator> all;
    for (const Accumulator& other_accumulator : accumulators())
        if (other_accumulator.name != accumulator.name && takes(other_accumulator, format) &&
            takes_blocks(other_accumulator, block, block))
            all.push_back(other_accumulator);
    for (const AccumulatorParameter& parameter : accumulator_parameters()) {
        if (!parameter.says(accumulator)) continue;
        const std::string own = parameter.text(accumulator);
        for (const Accumulator& other_accumulator : parameter.values(accumulator))
            if (parameter.text(other_accumulator) != own) all.push_back(other_accumulator);
    }
    return all;
}

std::string ProductFile::name() const {
    std::string text(accumulator->name);
    if (scale != first_scale(*accumulator)) text += "-" + std::string(scale->name);
    return text + ".csv";
}

std::vector<ProductFile> product_files() {
    std::vector<ProductFile> files;
    for (const Accumulator& accumulator : accumulators()) {
        files.push_back({&accumulator, first_scale(accumulator)});
        // Forms of software take any scale: they have nothing to tell by another one.
        if (accumulator.scale_use == ScaleUse::factors) continue;
        for (const Format* scale : accumulator.scales)
            if (scale->name == formats::ue4m3.name) files.push_back({&accumulator, scale});
    }
    return files;
}

GoldenProducts golden_products(const ProductFile& file) {
    const Accumulator& accumulator = *file.accumulator;
    const std::size_t k = 2 * std::max({accumulator.group, accumulator.promote, scale_block});
    const DotFormat format = format_of(file);
    const std::size_t block = block_of(file);
    const DotCases all = dot_cases(format, block, block, k, true);
    const std::vector<Code> answers = answers_of(accumulator, all);

    // Greedily: a case is kept if it tells a rival that few cases before it do, or is the first of its kind.
    std::vector<bool> kept(answers.size(), false);
    std::set<std::string_view> kinds;
    for (std::size_t i = 0; i < answers.size(); ++i) kept[i] = kinds.insert(all.cases[i].about).second;
    for (const Accumulator& rival : rivals(accumulator, format, block)) {
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
        const DotCase& dot_case = golden.asked.cases.emplace_back(all.cases[i]);
        golden.answers.push_back(answers[i]);
        if (exact::accumulate(accumulator, format, golden.asked.operands(dot_case)) != answers[i])
            throw std::logic_error("the two models of " + std::string(accumulator.name) +
                                   " disagree: " + dot_case.about);
    }
    return golden;
}

std::string write_products(const GoldenProducts& golden) {
    const DotFormat& format = golden.asked.format;
    const bool scaled = format.scale_a != nullptr;
    std::string text = std::string(header) + "\n";
    for (std::size_t i = 0; i < golden.answers.size(); ++i) {
        const DotCase& dot_case = golden.asked.cases[i];
        std::size_t count = dot_case.a.size();
        while (count != 0 && dot_case.a[count - 1] == 0 && dot_case.b[count - 1] == 0) --count;
        text += dot_case.about;
        for (const Format* part : {format.a, format.b, format.scale_a})
            text += "," + std::string(part == nullptr ? "none" : part->name);
        text += "," + std::to_string(scaled ? golden.asked.block_a : dot_case.a.size()) + "," +
                std::to_string(dot_case.a.size());
        text += "," + codes_text(dot_case.a, count, *format.a) + "," + codes_text(dot_case.b, count, *format.b);
        text +=
            "," + (scaled ? codes_text(dot_case.scales_a, dot_case.scales_a.size(), *format.scale_a) : std::string());
        text +=
            "," + (scaled ? codes_text(dot_case.scales_b, dot_case.scales_b.size(), *format.scale_b) : std::string());
        text += "," + hex(dot_case.c, *format.c) + "," + hex(golden.answers[i], *format.to) + "\n";
    }
    return text;
}

GoldenProducts parse_products(std::string_view text, std::string_view name, const ProductFile& file) {
    csv::Rows<12> rows(text, name, header);
    GoldenProducts golden;
    DotFormat& format = golden.asked.format;
    format = format_of(file);
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
        DotCase& dot_case = golden.asked.cases.emplace_back();
        dot_case.about = rows.field(0);
        dot_case.a = rows.codes(6, *format.a);
        dot_case.b = rows.codes(7, *format.b);
        if (dot_case.a.size() != dot_case.b.size() || dot_case.a.size() > k)
            rows.fail("a and b are not as long as each other");
        if (!dot_case.a.empty() && dot_case.a.back() == 0 && dot_case.b.back() == 0)
            rows.fail("a product of zeros at the end");
        dot_case.a.resize(k);
        dot_case.b.resize(k);
        const std::size_t scales = scaled ? SharedScale{block, 1}.count_along(k) : 0;
        if (scaled) {
            dot_case.scales_a = rows.codes(8, *format.scale_a);
            dot_case.scales_b = rows.codes(9, *format.scale_b);
        }
        if (dot_case.scales_a.size() != scales || dot_case.scales_b.size() != scales ||
            (!scaled && !(rows.field(8).empty() && rows.field(9).empty())))
            rows.fail("there are " + std::to_string(scales) + " scales");
        dot_case.c = rows.code(10, *format.c);
        golden.answers.push_back(rows.code(11, *format.to));
    }
    if (golden.answers.empty()) throw csv::Error(name, "no rows");
    return golden;
}

} // namespace mxcert
