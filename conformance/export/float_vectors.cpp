// SPDX-License-Identifier: Apache-2.0
// The operations "quantize_float" and "dequantize_float": blocks with float scales. The answers are those that both
// models give.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/suites/float_blocks/float_cases.hpp"
#include "conformance/suites/float_blocks/float_diagnose.hpp"
#include "conformance/suites/float_blocks/float_expected.hpp"
#include "conformance/suites/float_blocks/float_table_cases.hpp"
#include "reference/code_text.hpp"

namespace mxcert::test_vectors {
namespace {

constexpr std::uint64_t float_seed = 1;

std::vector<Code> codes_of(const frames::Values& values) {
    std::vector<Code> codes(values.count());
    for (std::uint64_t at = 0; at < codes.size(); ++at) codes[at] = values.get(at);
    return codes;
}

/// One block of an array as an array.
frames::Values block_of(const suites::FloatMatrix& matrix, std::uint64_t block, const frames::Values& all) {
    frames::Values values(count(matrix.block(block).size, "values"), all.width());
    std::uint64_t lane = 0;
    for_each_place(matrix, block, [&](std::uint64_t place) { values.set(lane++, all.get(place)); });
    return values;
}

class QuantizeFloatVectors {
  public:
    QuantizeFloatVectors(const Operation& operation, const Profile& profile)
        : quantize_(as_quantize_float(operation)), expected_(quantize_), collection_(head(operation, profile)) {}

    TestVectors take() {
        suites::for_each_case(
            quantize_,
            [&](const suites::FloatCase& all) {
                add("blocks", all);
                return true;
            },
            suites::SpecialLanes::ends_of_powers);
        if (suites::lanes_of(quantize_) > most_values) return collection_.take();
        suites::for_each_scale_case(quantize_, ends_of_binades(), float_seed,
                                    [&](const suites::FloatCase& all, std::uint64_t /*judged*/) {
                                        add("scale", all);
                                        return true;
                                    });
        const Format& source = *quantize_.source;
        const std::vector<Code> amaxes{source.fraction_mask() + 1, source.one_code(), source.max_code()};
        suites::for_each_element_case(
            quantize_, amaxes, [&](Code amax) { return boundaries(amax); },
            [&](const suites::FloatCase& all, std::uint64_t /*judged*/) {
                add("elements", all);
                return true;
            });
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.sizes = {"rows", "columns"};
        vectors.inputs = {{"values", quantize_.source}};
        vectors.outputs = {{"elements", quantize_.choices.scaling.element}, {"scales", quantize_.scale}};
        return vectors;
    }

    /// The first and the last amax of every binade.
    [[nodiscard]] std::vector<Code> ends_of_binades() const {
        const Format& source = *quantize_.source;
        std::set<Code> amaxes{0, 1};
        for (Code first = source.fraction_mask() + 1; first <= source.max_code(); first += source.fraction_mask() + 1)
            amaxes.insert({first - 1, first, first + 1});
        amaxes.insert(source.max_code());
        return {amaxes.begin(), amaxes.end()};
    }

    /// Both sides of every boundary of the elements of blocks of an amax, of both signs.
    [[nodiscard]] std::vector<Code> boundaries(Code amax) {
        std::set<Code> found;
        const auto element = [&](Code value) { return expected_.block(std::vector<Code>{amax, value}).elements[1]; };
        find_boundaries(element, 0, element(0), amax, element(amax), found);
        std::vector<Code> values(found.begin(), found.end());
        for (const Code value : found) values.push_back(value | quantize_.source->sign_bit());
        return values;
    }
    template <class Element> static void find_boundaries(const Element& element, Code low, Code at_low, Code high,
                                                         Code at_high, std::set<Code>& found) {
        if (at_low == at_high) return;
        if (high - low == 1) return static_cast<void>(found.insert({low, high}));
        const Code middle = low + (high - low) / 2;
        const Code at_middle = element(middle);
        find_boundaries(element, low, at_low, middle, at_middle, found);
        find_boundaries(element, middle, at_middle, high, at_high, found);
    }

    /// A case whose blocks are each about something is a test for each block.
    void add(std::string_view part, const suites::FloatCase& all) {
        if (all.blocks.empty()) return add_matrix(part, all);
        for (std::uint64_t block = 0; block < all.matrix.blocks(); ++block)
            add_matrix(part, {all.title(block),
                              {},
                              {all.matrix.block(block).size, quantize_.block},
                              block_of(all.matrix, block, all.values)});
    }

    void add_matrix(std::string_view part, const suites::FloatCase& one) {
        if (one.values.count() > most_values) return collection_.leave_out("matrices too large to be written down");
        const Format& element = *quantize_.choices.scaling.element;
        TestVector test;
        test.comment = one.name;
        test.inputs = {codes_of(one.values)};
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(one.values.count()), std::vector<Code>(one.matrix.blocks())};
        std::vector<suites::FloatSample> blocks;
        for (std::uint64_t block = 0; block < one.matrix.blocks(); ++block) {
            const std::vector<Code> values = codes_of(block_of(one.matrix, block, one.values));
            const suites::FloatExpected::Block right = expected_.block(values);
            set_value(answer, 1, block, value_or_nan(right.scale, *quantize_.scale));
            std::size_t lane = 0;
            for_each_place(one.matrix, block, [&](std::uint64_t place) {
                set_value(answer, 0, place, value_or_nan(right.elements[lane++], element));
            });
            blocks.push_back({values, right.scale, right.elements, true});
        }
        test.bugs = suites::shown_by(
            quantize_, blocks,
            {one,
             {frames::values_of(answer.outputs[0], element), frames::values_of(answer.outputs[1], *quantize_.scale)}});
        collection_.add(part, {one.matrix.values.rows, one.matrix.values.columns}, std::move(test));
    }

    QuantizeFloat quantize_;
    suites::FloatExpected expected_;
    Collection collection_;
};

class DequantizeFloatVectors {
  public:
    DequantizeFloatVectors(const Operation& operation, const Profile& profile)
        : dequantize_(as_dequantize_float(operation)), expected_(dequantize_), collection_(head(operation, profile)) {}

    TestVectors take() {
        suites::for_each_value_case(dequantize_, few_codes(*dequantize_.scale),
                                    [&](const suites::FloatDequantizeCase& all, std::uint64_t /*judged*/) {
                                        add_blocks(all);
                                        return true;
                                    });
        for (const suites::FloatDequantizeCase& all : suites::dequantize_cases(dequantize_)) add("blocks", all);
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.sizes = {"rows", "columns"};
        vectors.inputs = {{"elements", dequantize_.element}, {"scales", dequantize_.scale}};
        vectors.outputs = {{"values", dequantize_.target}};
        return vectors;
    }

    /// The ends of a format, of its subnormals and of the binade of 1, Inf and NaN.
    static std::vector<Code> few_codes(const Format& format) {
        const Code one = format.one_code();
        std::set<Code> codes{0,   1,       format.fraction_mask(), format.fraction_mask() + 1, one - 1,
                             one, one + 1, format.max_code() - 1,  format.max_code(),          format.max_code() + 1};
        if (format.has_inf()) codes.insert(format.inf_code() + 1);
        return {codes.begin(), codes.end()};
    }

    void add_blocks(const suites::FloatDequantizeCase& all) {
        for (std::uint64_t block = 0; block < all.matrix.blocks(); ++block) {
            frames::Values scale(1, all.scales.width());
            scale.set(0, all.scales.get(block));
            add("values", {fmt::format("elements under the scale {}", code_text(*dequantize_.scale, scale.get(0))),
                           {all.matrix.block(block).size, dequantize_.block},
                           block_of(all.matrix, block, all.elements),
                           std::move(scale)});
        }
    }

    void add(std::string_view part, const suites::FloatDequantizeCase& one) {
        if (one.elements.count() > most_values) return collection_.leave_out("matrices too large to be written down");
        TestVector test;
        test.comment = one.name;
        test.inputs = {codes_of(one.elements), codes_of(one.scales)};
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(one.elements.count())};
        for (std::uint64_t block = 0; block < one.matrix.blocks(); ++block) {
            const std::vector<Code>& values = expected_.under(one.scales.get(block));
            for_each_place(one.matrix, block, [&](std::uint64_t place) {
                set_value(answer, 0, place, value_or_nan(values[one.elements.get(place)], *dequantize_.target));
            });
        }
        collection_.add(part, {one.matrix.values.rows, one.matrix.values.columns}, std::move(test));
    }

    DequantizeFloat dequantize_;
    suites::FloatValues expected_;
    Collection collection_;
};

} // namespace

TestVectors quantize_float_vectors(const Operation& operation, const Profile& profile,
                                   verdict::GoldenSource& /*golden*/) {
    return QuantizeFloatVectors(operation, profile).take();
}

TestVectors dequantize_float_vectors(const Operation& operation, const Profile& profile,
                                     verdict::GoldenSource& /*golden*/) {
    return DequantizeFloatVectors(operation, profile).take();
}

} // namespace mxcert::test_vectors
