// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/observe.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "conformance/inputs/run_length.hpp"
#include "conformance/suites/blocks/table_cases.hpp"
#include "conformance/suites/matrix.hpp"
#include "reference/code_text.hpp"

namespace mxcert::suites {
namespace {

/// An observation in progress: of chosen inputs, which ascend, or of every input if none are given.
class Watch {
  public:
    explicit Watch(const Conversion& conversion, std::span<const Code> inputs = {})
        : inputs_(inputs), answers_(inputs.size(), no_answer) {
        seen_.conversion = conversion;
        seen_.status = Status::pass;
    }
    [[nodiscard]] observe::Observation& seen() { return seen_; }
    /// The answer to the chosen input at `place`, in any order.
    void add(std::size_t place, Code code) { answers_[place] = static_cast<std::uint32_t>(code); }
    /// The observation, as far as it has come.
    [[nodiscard]] observe::Observation end() {
        for (std::size_t place = 0; place < inputs_.size(); ++place)
            if (answers_[place] != no_answer)
                inputs::append_step(seen_.partial, {inputs_[place], inputs_[place], answers_[place]});
        seen_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        return std::move(seen_);
    }
    /// Ended early by an answer that is none.
    [[nodiscard]] observe::Observation end(const frames::RunAnswer& answer) {
        seen_.status = answer.status;
        seen_.reason = answer.reason;
        seen_.detail = answer.detail;
        seen_.unstable = frames::is_unstable(answer.status);
        return end();
    }

  private:
    static constexpr std::uint32_t no_answer = ~std::uint32_t{0}; // scales and elements have 8 bits at most

    observe::Observation seen_;
    std::span<const Code> inputs_;
    std::vector<std::uint32_t> answers_; ///< to each of the chosen inputs
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Asks for blocks. A backend that refuses so many lines is asked once more, with whole thirty-twos of them.
frames::RunAnswer ask(observe::Subject& subject, const Operation& operation, const Quantize& quantize, const char* row,
                      QuantizeCase& quantize_case) {
    const auto run = [&] {
        frames::RunCase run_case = run_of(quantize, quantize_case);
        run_case.row = row;
        run_case.name = quantize_case.name;
        return subject.run(operation, run_case);
    };
    frames::RunAnswer answer = run();
    if (answer.status != Status::unsupported || quantize_case.matrix.lines % whole_lines == 0) return answer;
    quantize_case = filled(std::move(quantize_case));
    return run();
}

} // namespace

observe::Observation observe_scales(observe::Subject& subject, const Operation& operation, unsigned block,
                                    std::span<const Code> amaxes, std::uint64_t number) {
    const Quantize quantize = as_quantize(operation);
    Watch watch(quantize.scale, amaxes);
    observe::Observation& seen = watch.seen();
    seen.chosen = true;
    const AmaxOrder order(quantize, amaxes, number);
    for (std::size_t done = 0; done < amaxes.size(); done += blocks_at_once) {
        const std::size_t here = std::min<std::size_t>(blocks_at_once, amaxes.size() - done);
        const auto some_amaxes = std::span(order.amaxes).subspan(done, here);
        QuantizeCase quantize_case =
            scale_case(quantize, block, some_amaxes, std::span(order.numbers).subspan(done, here));
        const frames::RunAnswer answer = ask(subject, operation, quantize, "scale", quantize_case);
        if (answer.status != Status::pass) return watch.end(answer);
        for (std::size_t i = 0; i < some_amaxes.size(); ++i)
            watch.add(order.numbers[done + i] - number, answer.outputs[1].get(quantize_case.matrix.scale_place(i, 0)));
        seen.inputs = seen.repeated = done + some_amaxes.size();
    }
    return watch.end();
}

observe::Observation observe_elements(observe::Subject& subject, const Operation& operation, unsigned block,
                                      std::span<const Code> codes, std::span<const Code> amax_of_scale) {
    const Quantize quantize = as_quantize(operation);
    const Format& scaled = *quantize.element.from;
    Watch watch(quantize.element, codes);
    observe::Observation& seen = watch.seen();
    seen.chosen = true;
    const ElementOrder order(scaled, codes, block);
    for (std::size_t first = 0; first < order.lines.size(); first += blocks_at_once) {
        ElementCase this_element_case = element_case(quantize, block, order, first, amax_of_scale);
        const frames::RunAnswer answer = ask(subject, operation, quantize, "elements", this_element_case.blocks);
        const BlockMatrix& matrix = this_element_case.blocks.matrix;
        if (answer.status != Status::pass) return watch.end(answer);
        for (std::size_t i = 0; i < this_element_case.counts.size(); ++i) {
            const std::uint32_t begin = order.lines[first + i].first;
            const Code wanted = scaled.scale_of(order.codes[begin]);
            const Code observed_answer = answer.outputs[1].get(matrix.scale_place(i, 0));
            if (observed_answer != wanted) {
                seen.status = Status::fail;
                seen.unstable = true;
                seen.reason =
                    fmt::format("an amax of {} gave the scale 0x{:02X}, and 0x{:02X} in another block",
                                code_text(*quantize.scale.from, amax_of_scale[wanted]), wanted, observed_answer);
                return watch.end();
            }
            for (std::uint64_t k = 0; k < this_element_case.counts[i]; ++k)
                watch.add(order.places[begin + k],
                          answer.outputs[0].get(matrix.place(i, this_element_case.lane_of(i, k))));
            seen.inputs = seen.repeated = seen.inputs + this_element_case.counts[i];
        }
    }
    return watch.end();
}

observe::Observation observe_values(observe::Subject& subject, const Operation& operation, unsigned block) {
    const Dequantize dequantize = as_dequantize(operation);
    const Format& times = *dequantize.value.from;
    Watch watch(dequantize.value);
    observe::Observation& seen = watch.seen();
    const DequantizeCase dequantize_case = value_case(dequantize, block);
    frames::RunCase run_case = run_of(dequantize, dequantize_case);
    run_case.row = "values";
    run_case.name = dequantize_case.name;
    const frames::RunAnswer answer = subject.run(operation, run_case);
    if (answer.status != Status::pass) return watch.end(answer);
    seen.table = {&times, dequantize.value.to, {}};
    const ValuePlaces places(dequantize, block);
    for (Code scale = 0; scale < places.scales; ++scale)
        for (Code element = 0; element < places.elements; ++element) {
            const Code code = times.code_of(scale, element);
            const std::uint64_t at =
                dequantize_case.matrix.place(places.line(scale, element), places.lane(scale, element));
            inputs::append_step(seen.table.steps, {code, code, answer.outputs[0].get(at)});
        }
    seen.inputs = seen.repeated = times.last_code() + 1;
    return watch.end();
}

} // namespace mxcert::suites
