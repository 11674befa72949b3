// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/observe/subject.hpp"
#include "conformance/suites/activation/activator.hpp"
#include "conformance/suites/matrix.hpp"
#include "reference/operation/operation.hpp"
#include "vectors/tables/play.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::test {

/// The table of choices, made once.
inline const Player& played(const Format& from, const Format& to, const Choices& choices) {
    static std::map<std::string, std::unique_ptr<Player>> known;
    std::unique_ptr<Player>& player = known[std::string(from.name) + "-" + std::string(to.name) + describe(choices)];
    if (!player) player = std::make_unique<Player>(tabulate(from, to, choices));
    return *player;
}

/// A block quantizer in this process that does what its choices say, whatever it declares.
class FakeQuantizer final : public observe::BareSubject {
  public:
    explicit FakeQuantizer(const std::string& attributes) {
        info().name = "fake";
        std::vector<std::pair<std::string, std::string>> pairs;
        for (std::size_t at = 0; at < attributes.size();) {
            const std::size_t end = std::min(attributes.find(' ', at), attributes.size());
            const std::string pair = attributes.substr(at, end - at);
            pairs.emplace_back(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
            at = end + 1;
        }
        info().operations = {make_operation("quantize", pairs)};
        const Quantize quantize = as_quantize(info().operations[0]);
        scale_choices = choices_of(quantize.scale);
        element_choices = choices_of(quantize.element);
    }
    [[nodiscard]] const Operation& operation() { return info().operations[0]; }

    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) override {
        ++runs;
        const Quantize quantize = as_quantize(operation);
        const Format& source = *quantize.format.value;
        const bool is_row = quantize.axis == Axis::row;
        const suites::BlockMatrix matrix{quantize.axis, run_case.shape[is_row ? 0 : 1], run_case.shape[is_row ? 1 : 0],
                                         run_case.shape[2]};
        if (refuses && refuses(matrix)) return {Status::unsupported, "as the test wants", "", {}};
        if (status != Status::pass) return {status, "as the test wants", "", {}};
        std::optional<suites::Activator> activator;
        if (quantize.activation != Activation::none) activator.emplace(source, quantize.activation);
        const Player& scale_of = played(*quantize.scale.from, *quantize.scale.to, scale_choices);
        const Player& element_of = played(*quantize.element.from, *quantize.element.to, element_choices);
        frames::RunAnswer answer;
        answer.outputs = run_case.outputs;
        for (std::uint64_t line = 0; line < matrix.lines; ++line)
            for (std::uint64_t block = 0; block < matrix.blocks_in_line(); ++block) {
                const auto value = [&](std::uint64_t lane) {
                    const Code given = run_case.inputs[0].get(matrix.place(line, block * matrix.block + lane));
                    return activator ? (*activator)(given) : given;
                };
                Code amax = 0;
                for (std::uint64_t lane = first_lane; lane < matrix.size_of(block); ++lane) {
                    const Code magnitude = value(lane) & source.magnitude_mask();
                    if (source.is_nan(magnitude) && !propagates_nan) continue;
                    amax = std::max(amax, magnitude);
                }
                Code scale = source.is_nan(amax) ? 0xFF : scale_of(amax);
                if (change_scale) scale = change_scale(amax, scale);
                if (wrong_tails && matrix.size_of(block) != matrix.block && scale < 0xFE) ++scale;
                answer.outputs[1].set(matrix.scale_place(line, block), scale);
                for (std::uint64_t lane = 0; lane < matrix.size_of(block); ++lane) {
                    Code element = element_of(quantize.element.from->code_of(scale, value(lane)));
                    if (change_element) element = change_element(scale, value(lane), element);
                    answer.outputs[0].set(matrix.place(line, block * matrix.block + lane), element);
                }
            }
        return answer;
    }

    Choices scale_choices;
    Choices element_choices;
    std::uint64_t first_lane = 0; ///< of those that make the amax
    bool propagates_nan = false;
    bool wrong_tails = false; ///< a shorter last block has another scale than it should have
    Status status = Status::pass;
    std::function<bool(const suites::BlockMatrix&)> refuses;
    std::function<Code(Code amax, Code scale)> change_scale;
    std::function<Code(Code scale, Code value, Code element)> change_element;
    std::uint64_t runs = 0;
};

} // namespace mxcert::test
