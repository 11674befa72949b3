// SPDX-License-Identifier: Apache-2.0
// A plugin that quantizes and dequantizes, right or with the fault that --backend-option names. It uses the fast model
// for single values: what is wrong is what joins them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "conformance/planted/misplaced_blocks.hpp"
#include "conformance/planted/moved_answers.hpp"
#include "conformance/planted/operations_api.hpp"
#include "reference/block.hpp"
#include "reference/fast/convert.hpp"
#include "reference/fast/scale.hpp"
#include "reference/layout.hpp"

namespace {

using namespace mxcert;
using planted::is;

constexpr std::uint32_t magnitude_mask = 0x7FFFFFFF;
constexpr std::uint32_t infinity = 0x7F800000;
constexpr std::uint8_t nan_scale = 0xFF;
constexpr std::uint64_t size = 32;
// Nowhere near what a sample asks.
constexpr std::uint8_t planted_scale = 0x78;
constexpr std::uint32_t planted_value = 0x3FB12345;
constexpr std::uint32_t planted_amax = 0x3FB54321;

/// The values that make the amax of block `b` of a row.
std::vector<std::uint32_t> seen_by(const std::uint32_t* values, std::uint64_t rows, std::uint64_t columns,
                                   std::uint64_t row, std::uint64_t b) {
    std::uint64_t first = b * size;
    const std::uint64_t last = std::min(columns, first + size);
    if (is("first of line") && b > 0) return seen_by(values, rows, columns, row, 0);
    if (is("tail reads back") && last - first < size) first = last < size ? 0 : last - size;
    std::vector<std::uint32_t> some_values(values + row * columns + first, values + row * columns + last);
    if (is("without lane 0")) some_values.erase(some_values.begin());
    if (is("without last lane")) some_values.pop_back();
    if (is("down the column"))
        for (std::uint64_t i = 0; i < some_values.size(); ++i)
            some_values[i] = values[(row + i) % rows * columns + b * size];
    return some_values;
}

std::uint32_t amax_of(const std::vector<std::uint32_t>& values) {
    std::uint32_t amax = 0;
    for (const std::uint32_t value : values) {
        std::uint32_t magnitude = value & magnitude_mask;
        if (is("without abs") && value > magnitude_mask) continue;
        if (is("sign kept")) magnitude = value;
        if (is("compared by fewer bits")) {
            if ((magnitude & magnitude_mask >> 1U) > (amax & magnitude_mask >> 1U)) amax = magnitude;
            continue;
        }
        if (is("NaN and Inf taken for each other in the amax") && magnitude >= infinity) {
            if (magnitude > infinity) return infinity;
            amax = infinity + 1;
            continue;
        }
        if ((value & magnitude_mask) > infinity) {
            if (is("NaN propagates") || is("NaN propagates, zeros")) return infinity + 1;
            continue;
        }
        if (is("Inf ignored") && magnitude == infinity) continue;
        amax = std::max(amax, magnitude);
    }
    return amax & magnitude_mask;
}

/// The bit of the significand that is left out of the sticky OR, by "sticky bit 5"; none: 0.
std::uint32_t overlooked_bit() {
    const std::string name = "sticky bit ";
    if (!planted::fault.starts_with(name)) return 0;
    return 1U << std::strtoul(planted::fault.c_str() + name.size(), nullptr, 10);
}

/// An element; a bit that is overlooked counts only where it is no sticky bit, so that it decides ties alone.
std::uint8_t element_of(const Choices& choices, std::uint8_t scale, std::uint32_t value, std::uint32_t overlooked) {
    const auto rounded = [&](Choices how, std::uint32_t value) {
        return static_cast<std::uint8_t>(
            fast::convert(formats::fp32_by_e8m0, formats::e4m3, how, formats::fp32_by_e8m0.code_of(scale, value)));
    };
    const std::uint32_t without = value & ~overlooked;
    if (without == value || (value & magnitude_mask) > infinity) return rounded(choices, value);
    Choices down = choices;
    down.rounding = Rounding::toward_zero;
    Choices half = choices;
    half.rounding = Rounding::nearest_away;
    const bool sticky =
        rounded(down, value) == rounded(down, without) && rounded(half, value) == rounded(half, without);
    return rounded(choices, sticky ? without : value);
}

/// Scales that a vector holds, all of them large: the first one is then taken for another.
constexpr std::uint64_t scales_at_once = 256;
bool are_large(std::span<const std::uint8_t> scales) {
    constexpr std::uint8_t large = 0x90;
    return std::all_of(scales.begin(), scales.end(), [](std::uint8_t scale) { return scale >= large; });
}

std::int32_t quantize(const mxcert_run_args& args) {
    const std::uint64_t rows = args.shape[0];
    const std::uint64_t columns = args.shape[1];
    const auto* values = static_cast<const std::uint32_t*>(args.inputs[0].data);
    auto* elements = static_cast<std::uint8_t*>(args.outputs[0].data);
    auto* scales = static_cast<std::uint8_t*>(args.outputs[1].data);
    const std::uint64_t blocks = (columns + size - 1) / size;
    if (is("refuses tails") && columns % size != 0) return MXCERT_UNSUPPORTED;
    if ((is("lines in groups of 32") || is("lines in groups of 32, and a block index of 16 bits")) && rows % 32 != 0)
        return MXCERT_UNSUPPORTED;
    if (is("refuses all")) return MXCERT_UNSUPPORTED;
    Choices rule;
    rule.rule = args.operation == 0 ? ScaleRule::ocp_floor : ScaleRule::rceil;
    if (args.operation != 0) rule.arithmetic = Arithmetic::fp32_multiply;
    Choices element;
    const std::uint32_t overlooked = overlooked_bit();
    std::uint32_t running = 0;
    std::uint8_t before = 0x7F;
    static std::uint32_t never_cleared = 0x3F800000; // as first_before, whichever call that was of
    std::uint8_t held = 0x90;                        // as if of an earlier call
    std::uint32_t first_before = 0x3F800000;         // of the block before
    for (std::uint64_t row = 0; row < rows; ++row) {
        const std::uint32_t* const line = values + row * columns;
        const bool spreads =
            is("a NaN spreads along its line") &&
            std::any_of(line, line + columns, [](std::uint32_t value) { return (value & magnitude_mask) > infinity; });
        for (std::uint64_t b = 0; b < blocks; ++b) {
            // Whole blocks alone are misplaced.
            const std::uint64_t number = row * blocks + b;
            std::uint64_t taken = columns % size == 0 ? planted::block_taken(number, rows * blocks) : number;
            if (is("the answer of the next block in the place of some") && columns % size == 0 && number % 3 == 1 &&
                number + 1 < rows * blocks)
                ++taken;
            std::uint32_t amax = amax_of(seen_by(values, rows, columns, taken / blocks, taken % blocks));
            const std::uint32_t index = amax;
            if (is("never reset")) amax = running = std::max(running, amax);
            auto scale = static_cast<std::uint8_t>(fast::scale(formats::amax_fp32, formats::e4m3, rule, amax));
            if (is("the scale of the block before where its own is smaller")) scale = held = std::max(scale, held);
            if (is("one amax wrong") && index == planted_amax) ++scale;
            if (spreads) scale = nan_scale;
            // Tiles of 128x128 are counted as if the last ones were whole.
            if (is("the last of several tiles both ways") && rows > 128 && columns > 128 && columns % 128 != 0 &&
                row / 128 == rows / 128 && b / 4 == columns / 128)
                ++scale;
            if (is("the last of many whole tiles") && rows * columns > 1U << 20U && columns % 128 == 0 &&
                row + 1 == rows && b + 1 == blocks)
                ++scale;
            const bool is_tail = columns - b * size < size;
            if (is("tail shares") && is_tail && b > 0) scale = before;
            const bool of_another =
                planted::scale_taken(number, rows * blocks) != number && taken == number && number != 0;
            if (is("of the block before") || of_another)
                std::swap(scale, before);
            else
                before = scale;
            const std::uint64_t place = is("scales transposed") ? b * rows + row : row * blocks + b;
            scales[place] = scale;
            if (is("another scale inside") && row % 3 == 2) ++scale;
            static std::uint8_t of_step_before = 0x7F; // whichever call that was of
            if (is("elements by the scale of the step before")) std::swap(scale, of_step_before);
            for (std::uint64_t at = b * size; at < std::min(columns, (b + 1) * size); ++at) {
                const std::uint64_t lane = at - b * size;
                const std::uint64_t to =
                    (is("lanes swapped") || (is("lanes 6 and 7 swapped") && lane / 2 == 3)) && (at ^ 1) < columns
                        ? at ^ 1
                        : b * size + planted::lane_given(number, lane);
                if (is("last not written") && at + 1 == columns) continue;
                std::uint32_t value =
                    values[planted::element_taken(taken / blocks * columns + taken % blocks * size + lane)];
                if (is("subnormals flushed") && (value & infinity) == 0) value = 0;
                if (is("Inf taken for NaN in elements") && (value & magnitude_mask) == infinity) ++value;
                if (is("lane 31 with the value of lane 0 of the block before") && lane == size - 1)
                    value = first_before;
                if (is("lane 31 with a register that is never cleared") && lane == size - 1)
                    std::swap(value, never_cleared);
                if (is("lane 5 with the value of lane 4 of its block") && lane == 5)
                    value = values[row * columns + at - 1];
                if (is("NaN propagates, zeros") && scale == nan_scale) {
                    elements[row * columns + to] = 0;
                    continue;
                }
                if (is("one pair crashes") && scale == planted_scale && value == planted_value) std::abort();
                auto& observed_element = elements[row * columns + to];
                observed_element = element_of(element, scale, value, overlooked);
                if ((value & magnitude_mask) > infinity && planted::overlooks_nan(rows, columns, is_tail))
                    observed_element = 0;
                if (is("one pair wrong") && scale == planted_scale && value == planted_value) ++observed_element;
            }
            first_before = never_cleared = line[b * size];
            const std::uint64_t in_block = std::min(size, columns - b * size);
            if (is("zeros but for one value taken for zeros") &&
                std::count_if(line + b * size, line + b * size + in_block,
                              [](std::uint32_t value) { return (value & magnitude_mask) != 0; }) == 1)
                std::fill_n(elements + row * columns + b * size, in_block, std::uint8_t{0});
        }
    }
    planted::move_answers({elements, scales, rows, columns, size});
    if (is("256 large scales at once"))
        for (std::uint64_t i = 0; i + scales_at_once <= rows * blocks; i += scales_at_once)
            if (are_large({scales + i, scales_at_once})) --scales[i];
    return MXCERT_OK;
}

std::int32_t dequantize(const mxcert_run_args& args) {
    const std::uint64_t rows = args.shape[0];
    const std::uint64_t columns = args.shape[1];
    const auto* elements = static_cast<const std::uint8_t*>(args.inputs[0].data);
    const auto* scales = static_cast<const std::uint8_t*>(args.inputs[1].data);
    auto* values = static_cast<std::uint32_t*>(args.outputs[0].data);
    const std::uint64_t blocks = (columns + size - 1) / size;
    Choices choices;
    choices.overflow = Overflow::nosat;
    const bool loses_signs =
        is("256 large scales at once") && rows * blocks >= scales_at_once && are_large({scales, scales_at_once});
    for (std::uint64_t row = 0; row < rows; ++row) {
        for (std::uint64_t at = 0; at < columns; ++at) {
            std::uint64_t place = row * blocks + at / size;
            if (is("scales transposed")) place = at / size * rows + row;
            if (is("first of line")) place = row * blocks;
            if (is("tail shares") && at / size == blocks - 1 && columns % size != 0 && blocks > 1) --place;
            std::uint64_t from = is("lanes swapped") && (at ^ 1) < columns ? at ^ 1 : at;
            if (columns % size == 0) {
                place = planted::scale_taken(place, rows * blocks);
                const std::uint64_t number = row * blocks + at / size;
                const std::uint64_t taken = planted::block_taken(number, rows * blocks);
                // Of the rows of the same matrix.
                from += (taken / blocks - row) * columns + (taken % blocks) * size - at / size * size;
                from = from / size * size + planted::lane_given(number, from % size);
            }
            const Code code =
                formats::e4m3_times_e8m0.code_of(scales[place], elements[planted::element_taken(row * columns + from)]);
            values[row * columns + at] =
                static_cast<std::uint32_t>(fast::convert(formats::e4m3_times_e8m0, formats::fp32, choices, code));
            if (loses_signs && row == 0 && at < size) values[at] &= magnitude_mask;
            const bool is_tail = columns - at / size * size < size;
            if (scales[place] == nan_scale && planted::overlooks_nan(rows, columns, is_tail))
                values[row * columns + at] = 0;
        }
    }
    planted::lose_signs_of_zeros(args.outputs[0]);
    const auto all_of_16 = [&](std::uint64_t first, auto condition) {
        return std::all_of(elements + first, elements + first + 16,
                           [&](std::uint8_t element) { return condition(element & 0x7F); });
    };
    for (std::uint64_t i = 0; i + 16 <= rows * columns; i += 16) {
        if (is("16 NaN elements at once give Inf") && all_of_16(i, [](int code) { return code == 0x7F; }))
            values[i] = infinity;
        if (is("16 subnormal elements at once are flushed") && all_of_16(i, [](int code) { return code < 8; }))
            std::fill_n(values + i, 16, 0);
        if (is("16 of the largest element at once") && all_of_16(i, [](int code) { return code == 0x7E; }))
            values[i] ^= 1;
    }
    for (std::uint64_t i = 0; is("4 NaN scales at once") && i + 4 <= rows * blocks && columns % size == 0; i += 4)
        if (std::all_of(scales + i, scales + i + 4, [](std::uint8_t scale) { return scale == nan_scale; }))
            values[i * size] = 0;
    return MXCERT_OK;
}

std::int32_t layout(const mxcert_run_args& args) {
    const Extent scales{args.shape[0], args.shape[1]};
    const std::span given(static_cast<const std::uint8_t*>(args.inputs[0].data), args.inputs[0].count);
    const ScaleMap swizzle(find_layout("swizzle_128x4"), scales);
    std::vector<std::uint8_t> buffer = swizzle.arrange(given);
    if (is("not swizzled")) buffer = ScaleMap(find_layout("padded_128x4"), scales).arrange(given);
    if (is("swizzled twice"))
        buffer =
            ScaleMap(find_layout("swizzle_128x4"), swizzle.padded()).arrange(std::span<const std::uint8_t>(buffer));
    for (std::uint64_t i = 0; is("padded with 7F") && i < buffer.size(); ++i)
        if (!swizzle.place_of(i)) buffer[i] = 0x7F;
    if (is("one byte lost")) buffer.back() ^= 1;
    constexpr std::uint64_t tile = 512; // bytes: 128 rows of 4
    for (std::uint64_t i = 0; is("one tile for all") && i < buffer.size(); ++i) buffer[i] = buffer[i % tile];
    if (is("columns not padded")) {
        // Tiles of the next 128 rows begin where those would end of which the last one is not filled up.
        const std::vector<std::uint8_t> right = std::move(buffer);
        buffer.assign(right.size(), 0);
        const std::uint64_t row = (scales.columns + 3) / 4 * tile;
        const std::uint64_t unpadded = scales.columns * 128;
        for (std::uint64_t i = 0; i < right.size(); ++i) buffer[i / row * unpadded + i % row] = right[i];
    }
    if (is("00 taken for 1")) std::replace(buffer.begin(), buffer.end(), std::uint8_t{0x00}, std::uint8_t{0x7F});
    if (is("never written to")) std::fill(buffer.begin(), buffer.end(), std::uint8_t{0});
    std::copy(buffer.begin(), buffer.end(), static_cast<std::uint8_t*>(args.outputs[0].data));
    return MXCERT_OK;
}

std::int32_t run(const mxcert_run_args* args) {
    if (is("crash")) std::abort();
    if (is("out of bounds")) static_cast<std::uint8_t*>(args->outputs[0].data)[args->outputs[0].count] = 0;
    if (is("before its scales")) static_cast<std::uint8_t*>(args->outputs[1].data)[-1] = 0;
    if (is("beside its input")) static_cast<std::uint8_t*>(args->inputs[0].data)[-1] = 0;
    if (is("changes its input")) static_cast<std::uint32_t*>(args->inputs[0].data)[args->inputs[0].count - 1] ^= 1;
    if (is("far away")) static_cast<std::uint8_t*>(args->inputs[0].data)[-(std::ptrdiff_t{1} << 20)] ^= 1;
    if (args->operation == 3) return layout(*args);
    return args->operation < 2 ? quantize(*args) : dequantize(*args);
}

constexpr mxcert_operation operations[] = {
    {sizeof(mxcert_operation), "quantize",
     "source=fp32 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32"},
    {sizeof(mxcert_operation), "quantize",
     "source=fp32 element=e4m3 scale=e8m0 rule=rceil rounding=nearest_even overflow=sat axis=row block=32"},
    {sizeof(mxcert_operation), "dequantize", "element=e4m3 scale=e8m0 target=fp32 axis=row block=32"},
    {sizeof(mxcert_operation), "layout", "layout=swizzle_128x4 direction=arrange"},
};

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static const mxcert_api api = planted::operations_api("quantizer", "a quantizer with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
