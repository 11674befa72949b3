// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/reading.hpp"

#include <algorithm>

#include "conformance/inputs/run_length.hpp"

namespace mxcert::suites {
namespace {

std::uint64_t lane_of(const JoinFault& way, const BlockMatrix& matrix, std::uint64_t at) {
    return way.lane == nullptr ? at : way.lane(matrix, at);
}

} // namespace

Reading reading_of(std::vector<std::pair<Code, Code>> answers) {
    std::sort(answers.begin(), answers.end());
    answers.erase(std::unique(answers.begin(), answers.end()), answers.end());
    Reading reading;
    for (std::size_t i = 0; i < answers.size();) {
        const Code input = answers[i].first;
        inputs::append_step(reading.steps, {input, input, answers[i].second});
        if (i + 1 < answers.size() && answers[i + 1].first == input) reading.contradictions.push_back(answers[i + 1]);
        while (i < answers.size() && answers[i].first == input) ++i;
    }
    return reading;
}

diagnose::FoundBehaviour behaviour_of(const Conversion& conversion, const Reading& reading) {
    diagnose::FoundBehaviour found = diagnose::find_behaviour(*conversion.from, *conversion.to, reading.steps);
    std::vector<diagnose::Unexplained> more;
    auto known = found.unexplained.begin();
    for (const auto& [input, answer] : reading.contradictions) {
        while (known != found.unexplained.end() && known->last < input) ++known;
        if (known != found.unexplained.end() && known->first <= input) continue;
        const auto step = std::lower_bound(reading.steps.begin(), reading.steps.end(), input,
                                           [](const Step& step, Code code) { return step.last < code; });
        more.push_back({input, input, answer, step->code});
        --found.explained;
    }
    found.unexplained.insert(found.unexplained.end(), more.begin(), more.end());
    std::sort(found.unexplained.begin(), found.unexplained.end(),
              [](const diagnose::Unexplained& a, const diagnose::Unexplained& b) { return a.first < b.first; });
    return found;
}

Reading read_scales(const Quantize& quantize, std::span<const JoinSeen<QuantizeCase>> seen, const JoinFault& way) {
    const Format& format = *quantize.format.value;
    std::vector<std::pair<Code, Code>> answers;
    for (const JoinSeen<QuantizeCase>& this_seen : seen)
        for (std::uint64_t line = 0; line < this_seen.asked->matrix.lines; ++line) {
            const BlockPlace place{line, 0};
            const std::vector<Code> values =
                way.seen == nullptr ? values_of(*this_seen.asked, place) : way.seen(format, *this_seen.asked, place);
            if (values.empty()) continue; // nothing is known of it
            Code amax = 0;
            for (const Code value : values) amax = std::max(amax, value & format.magnitude_mask());
            answers.emplace_back(amax, this_seen.outputs[1].get(this_seen.asked->matrix.scale_place(line, 0)));
        }
    Reading reading = reading_of(std::move(answers));
    reading.way = way.name;
    return reading;
}

Reading read_elements(const Quantize& quantize, std::span<const JoinSeen<QuantizeCase>> seen, const JoinFault& way) {
    const Format& scaled = *quantize.element.from;
    std::vector<std::pair<Code, Code>> answers;
    for (const JoinSeen<QuantizeCase>& this_seen : seen) {
        const BlockMatrix& matrix = this_seen.asked->matrix;
        if (matrix.blocks_in_line() != 1) continue;
        for (std::uint64_t line = 0; line < matrix.lines; ++line) {
            const Code scale = this_seen.outputs[1].get(matrix.scale_place(line, 0));
            if (scaled.scale->is_nan(scale)) continue;
            for (std::uint64_t i = 0; i < matrix.length; ++i)
                answers.emplace_back(scaled.code_of(scale, this_seen.asked->values[line * matrix.length + i]),
                                     this_seen.outputs[0].get(matrix.place(line, lane_of(way, matrix, i))));
        }
    }
    Reading reading = reading_of(std::move(answers));
    reading.way = way.name;
    return reading;
}

Reading read_values(const Dequantize& dequantize, const JoinSeen<DequantizeCase>& seen, const JoinFault& way) {
    const BlockMatrix& matrix = seen.asked->matrix;
    std::vector<std::pair<Code, Code>> answers;
    for (std::uint64_t line = 0; line < matrix.lines; ++line)
        for (std::uint64_t i = 0; i < matrix.length; ++i) {
            const Code element = seen.asked->elements[line * matrix.length + lane_of(way, matrix, i)];
            answers.emplace_back(dequantize.value.from->code_of(seen.asked->scales[line], element),
                                 seen.outputs[0].get(matrix.place(line, i)));
        }
    Reading reading = reading_of(std::move(answers));
    reading.way = way.name;
    return reading;
}

} // namespace mxcert::suites
