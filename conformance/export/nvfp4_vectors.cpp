// SPDX-License-Identifier: Apache-2.0
// The operations "quantize_nvfp4" and "dequantize_nvfp4". The answers are those that both models give.
#include <algorithm>

#include <fmt/format.h>

#include "conformance/export/cases.hpp"
#include "conformance/export/operation_vectors.hpp"
#include "conformance/suites/dequantize_nvfp4/cases.hpp"
#include "conformance/suites/dequantize_nvfp4/expected.hpp"
#include "conformance/suites/dequantize_nvfp4/way.hpp"
#include "conformance/suites/nvfp4/cases.hpp"
#include "conformance/suites/nvfp4/faults.hpp"
#include "conformance/suites/nvfp4/judge.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::test_vectors {
namespace {

using formats::e2m1;
using formats::fp32;

constexpr std::uint64_t number_seed = 1;

class QuantizeNvfp4Vectors {
  public:
    QuantizeNvfp4Vectors(const Operation& operation, const Profile& profile)
        : quantize_(as_quantize_nvfp4(operation)), expected_(quantize_), collection_(head(operation, profile)) {}

    TestVectors take() {
        (void)suites::for_each_block_case(quantize_, true, adder("blocks"));
        const Format& source = *quantize_.source;
        // Scales and elements in a tensor whose largest value is 1, and in one with the largest value there is.
        for (const Code tensor_amax : {source.one_code(), source.max_code()}) {
            std::vector<Code> amaxes;
            for (const suites::CodeStep& step : expected_.scale_steps(tensor_amax))
                for (const Code amax : {step.last, step.last + 1})
                    if (amax <= tensor_amax && (amaxes.empty() || amaxes.back() < amax)) amaxes.push_back(amax);
            (void)suites::for_each_scale_case(quantize_, tensor_amax, amaxes, adder("scale"));
            (void)suites::for_each_element_case(quantize_, tensor_amax, values_under(tensor_amax, amaxes),
                                                adder("elements"));
        }
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.sizes = {"rows", "columns"};
        vectors.inputs = {{"values", quantize_.source}};
        vectors.outputs = {{"elements", &e2m1}, {"scales", quantize_.recipe->choices.scale}};
        if (quantize_.output != Nvfp4Output::none) vectors.outputs.push_back({"tensor_scale", &fp32});
        return vectors;
    }

    [[nodiscard]] suites::CallTileCase adder(std::string_view part) {
        return [this, part](const suites::TileCase& one) {
            add(part, one);
            return true;
        };
    }

    /// Both sides of every boundary of the elements, under few amaxes.
    [[nodiscard]] std::vector<suites::ValuesUnder> values_under(Code tensor_amax, const std::vector<Code>& amaxes) {
        constexpr std::size_t few = 5;
        std::vector<suites::ValuesUnder> all;
        for (std::size_t i = 0; i < few && !amaxes.empty(); ++i) {
            const Code amax = amaxes[i * (amaxes.size() - 1) / (few - 1)];
            suites::ValuesUnder under{amax, {}};
            for (const bool negative : {false, true})
                for (const suites::CodeStep& step :
                     expected_.element_steps(tensor_amax, expected_.scale(tensor_amax, amax), negative))
                    for (const Code value : {step.last, step.last + 1})
                        if (value <= amax) under.values.push_back(quantize_.source->with_sign(value, negative));
            if (!under.values.empty()) all.push_back(std::move(under));
        }
        return all;
    }

    void add(std::string_view part, const suites::TileCase& one) {
        if (one.values.size() > most_values) return collection_.leave_out("tensors too large to be written down");
        const suites::Nvfp4Answer right = suites::answer_of(expected_, one);
        TestVector test;
        test.comment = one.name;
        test.inputs = {one.values};
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(one.values.size()), right.scales};
        for (std::size_t at = 0; at < one.values.size(); ++at) set_value(answer, 0, at, element(right, at));
        if (quantize_.output != Nvfp4Output::none) {
            answer.outputs.emplace_back(1);
            set_value(answer, 2, 0, value_or_nan(right.tensor_scale, fp32));
        }
        add_bugs(test, one, right);
        collection_.add(part, {one.matrix.values.rows, one.matrix.values.columns}, std::move(test));
    }

    /// The codes that are right in a place.
    [[nodiscard]] static PermittedValue element(const suites::Nvfp4Answer& right, std::uint64_t place) {
        Permit permit;
        for (Code code = 0; code <= e2m1.last_code(); ++code)
            if (right.permits(place, code)) permit.codes.push_back(code);
        return permit.codes.size() == e2m1.last_code() + 1 ? any_value(0) : value_of(permit, e2m1);
    }

    void add_bugs(TestVector& test, const suites::TileCase& one, const suites::Nvfp4Answer& right) const {
        const suites::Nvfp4Matrix matrix(quantize_, one);
        for (const suites::Nvfp4Fault& fault : suites::nvfp4_faults()) {
            if (std::find(test.bugs.begin(), test.bugs.end(), fault.bug_class) != test.bugs.end()) continue;
            suites::Nvfp4Way way{quantize_.recipe->choices};
            if (fault.plant(way) && shows(matrix, way, right)) add_bug(test.bugs, fault.bug_class);
        }
    }

    [[nodiscard]] bool shows(const suites::Nvfp4Matrix& matrix, const suites::Nvfp4Way& way,
                             const suites::Nvfp4Answer& right) const {
        const suites::Nvfp4Tensor tensor = matrix.tensor_of(way);
        if (quantize_.output != Nvfp4Output::none && !same(fp32, matrix.given_out(way, tensor), right.tensor_scale))
            return true;
        for (std::uint64_t block = 0; block < matrix.matrix().blocks(); ++block) {
            const suites::Nvfp4Block made = matrix.block_of(way, tensor, block);
            if (made.scale != right.scales[matrix.scale_place(way, block)]) return true;
            const BlockRange range = matrix.matrix().block(block);
            for (std::uint64_t lane = 0; lane < made.elements.size(); ++lane)
                if (!right.permits(matrix.matrix().place(range, lane), made.elements[lane] & e2m1.last_code()))
                    return true;
        }
        return false;
    }

    QuantizeNvfp4 quantize_;
    suites::Nvfp4Expected expected_;
    Collection collection_;
};

class DequantizeNvfp4Vectors {
  public:
    DequantizeNvfp4Vectors(const Operation& operation, const Profile& profile)
        : dequantize_(as_dequantize_nvfp4(operation)), expected_(dequantize_), right_(suites::right_way(dequantize_)),
          collection_(head(operation, profile)) {}

    TestVectors take() {
        for (const Code number : suites::numbers_of_tensors(dequantize_, Level::smoke, number_seed))
            add("values", suites::values_case(dequantize_, number));
        (void)suites::for_each_place_case(dequantize_, [&](const suites::Nvfp4BackCase& one) {
            add("blocks", one);
            return true;
        });
        return collection_.take();
    }

  private:
    [[nodiscard]] TestVectors head(const Operation& operation, const Profile& profile) const {
        TestVectors vectors = head_of(operation, profile);
        vectors.sizes = {"rows", "columns"};
        vectors.inputs = {{"elements", &e2m1}, {"scales", dequantize_.recipe->choices.scale}};
        if (dequantize_.has_number()) vectors.inputs.push_back({"number", &fp32});
        vectors.outputs = {{"values", dequantize_.target}};
        return vectors;
    }

    void add(std::string_view part, const suites::Nvfp4BackCase& one) {
        if (one.elements.size() > most_values) return collection_.leave_out("tensors too large to be written down");
        const Format& target = *dequantize_.target;
        TestVector test;
        test.comment = dequantize_.has_number() ? fmt::format("{}, tensor 0x{:08X}", one.name, one.number) : one.name;
        test.inputs = {one.elements, one.scales};
        if (dequantize_.has_number()) test.inputs.push_back({one.number});
        VectorAnswer& answer = test.answers.emplace_back();
        answer.outputs = {std::vector<Code>(one.elements.size())};
        for_each_place(one, [&](std::uint64_t block, std::uint64_t place) {
            const Code code = expected_.of(one.number, one.scales[block], one.elements[place]);
            set_value(answer, 0, place, value_or_nan(code, target));
        });
        for (const suites::Nvfp4BackFault& fault : suites::nvfp4_back_faults()) {
            suites::Nvfp4BackWay way = right_;
            if (!fault.plant(way)) continue;
            bool shown = false;
            for_each_place(one, [&](std::uint64_t block, std::uint64_t place) {
                shown = shown ||
                        !same(target, suites::value_by(dequantize_, way, one, block, place), answer.outputs[0][place]);
            });
            if (shown) add_bug(test.bugs, fault.bug_class);
        }
        collection_.add(part, {one.matrix.values.rows, one.matrix.values.columns}, std::move(test));
    }

    template <class Call> static void for_each_place(const suites::Nvfp4BackCase& one, const Call& call) {
        for (std::uint64_t block = 0; block < one.matrix.blocks(); ++block)
            test_vectors::for_each_place(one.matrix, block, [&](std::uint64_t place) { call(block, place); });
    }

    DequantizeNvfp4 dequantize_;
    suites::Nvfp4Values expected_;
    suites::Nvfp4BackWay right_;
    Collection collection_;
};

} // namespace

TestVectors quantize_nvfp4_vectors(const Operation& operation, const Profile& profile,
                                   verdict::GoldenSource& /*golden*/) {
    return QuantizeNvfp4Vectors(operation, profile).take();
}

TestVectors dequantize_nvfp4_vectors(const Operation& operation, const Profile& profile,
                                     verdict::GoldenSource& /*golden*/) {
    return DequantizeNvfp4Vectors(operation, profile).take();
}

} // namespace mxcert::test_vectors
