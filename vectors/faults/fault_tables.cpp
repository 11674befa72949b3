// SPDX-License-Identifier: Apache-2.0
#include "vectors/faults/fault_tables.hpp"

#include <iterator>
#include <utility>

#include "vectors/tables/step_parts.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert {

bool is_fp8(const Format& format) { return &format == &formats::e4m3 || &format == &formats::e5m2; }
bool is_scale(const Format& format) { return format.element != nullptr; }
bool is_element(const Format& format) {
    return is_fp8(format) || &format == &formats::e3m2 || &format == &formats::e2m3 || &format == &formats::e2m1;
}

namespace {
bool is_wider(const Format& from, const Format& to) {
    return from.scale == nullptr && !from.rectified && from.width() > to.width();
}
} // namespace

bool makes_element(const Format& from, const Format& to) { return is_element(to) && is_wider(from, to); }
bool reads_element(const Format& from, const Format& to) { return is_element(from) && is_wider(to, from); }

const StepTable& right_table(const Format& from, const Format& to, const Choices& choices) {
    thread_local Choices last_choices;
    thread_local StepTable last;
    if (last.from != &from || last.to != &to || last_choices != choices) {
        last = tabulate(from, to, choices);
        last_choices = choices;
    }
    return last;
}

Format with_more_binades(const Format& to, int exponent_bits) {
    Format wide = to;
    wide.exponent_bits += exponent_bits;
    wide.specials = Specials::none;
    return wide;
}

StepTable joined(StepTable table) {
    std::vector<Step> steps;
    for (const Step& step : table.steps) {
        if (!steps.empty() && steps.back().code == step.code)
            steps.back().last = step.last;
        else
            steps.push_back(step);
    }
    table.steps = std::move(steps);
    return table;
}

StepTable mistaken(const Format& from, const Format& to, const Format& taken_from, const Format& taken_to,
                   const Choices& choices) {
    StepTable table = tabulate(taken_from, taken_to, choices);
    table.from = &from;
    table.to = &to;
    return table;
}

StepTable edited(StepTable table, const std::set<Code>& cuts, const std::function<Code(const Step&)>& code) {
    std::vector<Step> steps;
    for (Step step : table.steps) {
        for (auto cut = cuts.upper_bound(step.first); cut != cuts.end() && *cut <= step.last; ++cut) {
            steps.push_back({step.first, *cut - 1, step.code});
            step.first = *cut;
        }
        steps.push_back(step);
    }
    for (Step& step : steps) step.code = code(step);
    table.steps = std::move(steps);
    return joined(std::move(table));
}

StepTable mapped(const Format& from, const StepTable& table, const std::set<Code>& cuts,
                 const std::function<Code(Code)>& input_of) {
    std::set<Code> starts = cuts;
    starts.insert(0);
    StepTable new_table{&from, table.to, {}};
    for (auto start = starts.begin(); start != starts.end(); ++start) {
        const auto next = std::next(start);
        const Code end = next == starts.end() ? from.last_code() : *next - 1;
        for (Code first = *start;;) {
            const Step& step = table.steps[find_step(table, input_of(first))];
            Code last = first;
            for (Code high = end; last < high;) {
                const Code middle = last + (high - last + 1) / 2;
                if (input_of(middle) <= step.last)
                    last = middle;
                else
                    high = middle - 1;
            }
            new_table.steps.push_back({first, last, step.code});
            if (last == end) break;
            first = last + 1;
        }
    }
    return joined(std::move(new_table));
}

StepTable replaced(const StepTable& table, const StepTable& replacement, const InputRanges& ranges) {
    return joined({table.from, table.to, overlaid(table.steps, replacement.steps, ranges)});
}

std::set<Code> binades(const Format& from) {
    std::set<Code> inputs;
    for (const Code sign : {Code{0}, from.sign_bit()}) {
        for (int bit = 0; bit < from.fraction_bits && from.has_subnormals; ++bit)
            inputs.insert(sign | Code{1} << static_cast<unsigned>(bit));
        for (Code field = 1; field << from.fraction_bits <= from.magnitude_mask(); ++field)
            inputs.insert(sign | field << from.fraction_bits);
    }
    return inputs;
}

std::set<Code> kinds(const Format& from) {
    std::set<Code> inputs;
    for (const Code sign : {Code{0}, from.sign_bit()}) {
        inputs.insert(sign);
        inputs.insert(sign | from.inf_code());
        inputs.insert((sign | from.inf_code()) + 1);
    }
    return inputs;
}

Code sign_of(const Format& from, const Format& to, Code input) {
    return (input & from.sign_bit()) != 0 ? to.sign_bit() : Code{0};
}

Code last_below(const Format& from, int exponent) {
    return (static_cast<Code>(exponent + from.bias) << from.fraction_bits) - 1;
}

InputRanges of_both_signs(const Format& from, InputRange magnitudes) {
    const Code sign = from.sign_bit();
    return {magnitudes, {magnitudes.first | sign, magnitudes.last | sign}};
}

} // namespace mxcert
