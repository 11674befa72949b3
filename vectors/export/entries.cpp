// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/entries.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "vectors/tables/single_bits.hpp"

namespace mxcert {
namespace {

/// Single-bit neighbours, where a table has so many steps that not all are written, and what chooses them.
constexpr std::size_t most_neighbours = std::size_t{1} << 18;
constexpr std::uint64_t neighbour_seed = 1;

/// All ones below a clear sign; the code of -0 in the FNUZ formats.
Code canonical_nan(const Format& format) {
    return format.specials == Specials::nan_minus_zero ? format.sign_bit() : format.magnitude_mask();
}

struct Inputs {
    Code first;
    Code last;
};

Inputs inputs_of(const PermitTable& table, const ExportOptions& options) {
    const Code end = table.from->last_code();
    const Inputs inputs{options.first.value_or(0), options.last.value_or(end)};
    if (inputs.first > end || inputs.last > end)
        throw std::invalid_argument("the range has inputs beyond " + hex(end, *table.from) + ", the last of " +
                                    std::string(table.from->name));
    if (inputs.last < inputs.first) throw std::invalid_argument("the last input of the range is below the first");
    if (inputs.last - inputs.first >= max_export_inputs)
        throw std::invalid_argument("the range has more than " + std::to_string(max_export_inputs) + " inputs");
    return inputs;
}

/// What is asked of a source that has too many inputs, beside the ends of the steps. The first and the last input of
/// every binade are among them: a binade without a boundary has no other, and one bit of an exponent that is overlooked
/// may be wrong there alone. Under given scales there would be too many.
std::vector<Code> chosen_inputs(const PermitTable& table) {
    const Format& from = *table.from;
    std::vector<Code> firsts;
    for (const PermitStep& step : table.steps) firsts.push_back(step.first);
    std::vector<Code> chosen = single_bit_neighbours(from, firsts, most_neighbours, neighbour_seed);
    const Code binades = from.scale == nullptr ? (from.last_code() >> from.fraction_bits) + 1 : 0;
    for (Code binade = 0; binade < binades; ++binade) {
        chosen.push_back(binade << from.fraction_bits);
        chosen.push_back(chosen.back() | from.fraction_mask());
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

} // namespace

Entry entry_of(Code input, const Permit& permit, const Format& to) {
    Entry entry{input, permit.codes.empty() ? canonical_nan(to) : permit.codes.front(), 0};
    if (permit.any_nan) entry.flags |= flag_any_nan;
    if (permit.codes.size() > 1) entry.flags |= flag_more;
    return entry;
}

void for_each_entry(const PermitTable& table, const ExportOptions& options,
                    const std::function<void(const Entry&)>& use) {
    const bool range = options.first || options.last;
    if (!range && table.from->width() > 16) {
        const std::vector<Code> chosen = chosen_inputs(table);
        auto next = chosen.begin();
        for (const PermitStep& step : table.steps) {
            use(entry_of(step.first, step.permit, *table.to));
            for (; next != chosen.end() && *next <= step.last; ++next)
                if (*next != step.first && *next != step.last) use(entry_of(*next, step.permit, *table.to));
            if (step.last != step.first) use(entry_of(step.last, step.permit, *table.to));
        }
        return;
    }
    const Inputs inputs = inputs_of(table, options);
    for (std::size_t i = find_step(table, inputs.first); i < table.steps.size(); ++i) {
        const PermitStep& step = table.steps[i];
        if (step.first > inputs.last) break;
        const Code end = std::min(step.last, inputs.last);
        for (Code input = std::max(step.first, inputs.first);; ++input) {
            use(entry_of(input, step.permit, *table.to));
            if (input == end) break;
        }
    }
}

} // namespace mxcert
