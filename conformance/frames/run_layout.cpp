// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/run_layout.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace mxcert::frames {
namespace {

/// The sizes of a run begin with the rows and columns of the values, and the elements of a block.
Extent matrix_of(const std::array<std::uint64_t, 4>& shape) { return {shape[0], shape[1]}; }

void copy(const std::vector<std::byte>& from, std::span<std::byte> to) {
    std::copy(from.begin(), from.end(), to.begin());
}

/// Whether a buffer is scales in a layout with its padding, and nothing else.
bool is_laid_out(const ScaleMap& map, std::span<const std::byte> buffer) {
    if (map.size() > buffer.size()) return false;
    const std::span<const std::byte> part = buffer.first(static_cast<std::size_t>(map.size()));
    const std::vector<std::byte> again = map.arrange<std::byte>(map.restore<std::byte>(part));
    return std::equal(again.begin(), again.end(), part.begin()) &&
           std::all_of(buffer.begin() + static_cast<std::ptrdiff_t>(part.size()), buffer.end(),
                       [](std::byte byte) { return byte == std::byte{0}; });
}

} // namespace

std::vector<KnownFault> laid_out_as(const std::vector<const ScaleLayout*>& layouts) {
    const ScaleLayout* const linear = &all_layouts().front();
    std::vector<KnownFault> known;
    for (const ScaleLayout* layout : layouts) {
        if (layout == linear && layouts.size() > 1) continue;
        const bool in_rows = layout->digits[0] == linear->digits[0];
        known.push_back({find_bug_class(in_rows ? "ROWMAJOR_VS_SWIZZLED" : "LAYOUT_MISMATCH"),
                         fmt::format("the scales laid out as {}", layout->name)});
    }
    return known;
}

std::vector<const ScaleLayout*> RunLayout::others() const {
    const auto tile = [](const ScaleLayout& layout) { return layout.multiple.rows * layout.multiple.columns; };
    std::vector<const ScaleLayout*> layouts;
    for (const ScaleLayout& layout : all_layouts())
        if (&layout != scales_.layout && (tile(layout) == tile(*scales_.layout) || tile(layout) == 1))
            layouts.push_back(&layout);
    return layouts;
}

ScaleMap RunLayout::map_of(const Extent& values, std::uint64_t block) const {
    return {*scales_.layout, scales_.scales(values, block)};
}

std::vector<Values*> RunLayout::scales_of(std::vector<Values>& inputs, std::vector<Values>& outputs) const {
    std::vector<Values*> arrays;
    for (const std::size_t input : info_.scale_inputs) arrays.push_back(&inputs[input]);
    for (const std::size_t output : info_.scale_outputs) arrays.push_back(&outputs[output]);
    return arrays;
}

std::uint64_t RunLayout::bytes(const Extent& values, std::uint64_t block) const { return map_of(values, block).size(); }

std::vector<std::byte> RunLayout::rows(const Extent& values, std::uint64_t block,
                                       std::span<const std::byte> buffer) const {
    return map_of(values, block).restore<std::byte>(buffer);
}

std::string RunLayout::stray_padding(const Extent& values, std::uint64_t block,
                                     std::span<const std::byte> buffer) const {
    const ScaleMap map = map_of(values, block);
    const std::vector<std::byte> wanted = map.arrange<std::byte>(map.restore<std::byte>(buffer));
    const auto at = std::mismatch(wanted.begin(), wanted.end(), buffer.begin()).first;
    if (at == wanted.end()) return {};
    const auto byte = static_cast<std::size_t>(at - wanted.begin());
    return fmt::format("byte {} of the scales is 0x{:02X}; it is padding of {}, which is 0x{:02X}", byte,
                       std::to_integer<unsigned>(buffer[byte]), scales_.layout->name, std::to_integer<unsigned>(*at));
}

RunCase RunLayout::lay_out(RunCase run_case) const {
    if (!lays_out()) return run_case;
    const ScaleMap map = map_of(matrix_of(run_case.shape), run_case.shape[2]);
    for (const std::size_t input : info_.scale_inputs) {
        Values buffer(map.size(), 1);
        copy(map.arrange<std::byte>(std::as_const(run_case.inputs[input]).bytes()), buffer.bytes());
        run_case.inputs[input] = std::move(buffer);
    }
    for (const std::size_t output : info_.scale_outputs) run_case.outputs[output] = Values(map.size(), 1);
    return run_case;
}

RepeatedArray RunLayout::laid_out(const RepeatedRun& run, const RepeatedArray& scales) const {
    const ScaleMap map = map_of(matrix_of(run.shape), run.shape[2]);
    std::vector<std::byte> in_rows(static_cast<std::size_t>(scales.bytes()));
    fill(scales, in_rows);
    return {map.size(), 1, map.size(), {map.arrange<std::byte>(in_rows)}};
}

RepeatedRun RunLayout::lay_out(RepeatedRun run) const {
    if (!lays_out()) return run;
    for (const std::size_t input : info_.scale_inputs) run.inputs[input] = laid_out(run, run.inputs[input]);
    for (const std::size_t output : info_.scale_outputs) run.outputs[output] = laid_out(run, run.outputs[output]);
    run.name += fmt::format(" (scales in bytes of {})", scales_.layout->name);
    return run;
}

RunAnswer RunLayout::restore(const RunCase& run_case, RunAnswer answer) const {
    if (!lays_out()) return answer;
    if (is_unstable(answer.status))
        answer.reason += fmt::format(" (bytes, as {} has the scales)", scales_.layout->name);
    if (answer.outputs.empty()) return answer;
    const Extent values = matrix_of(run_case.shape);
    for (const std::size_t output : info_.scale_outputs) {
        const std::span<const std::byte> buffer = std::as_const(answer.outputs[output]).bytes();
        const std::string stray = stray_padding(values, run_case.shape[2], buffer);
        if (!stray.empty() && answer.status == Status::pass) {
            answer.status = Status::fail;
            answer.reason = fmt::format("output {}: {}", output, stray);
            std::vector<const ScaleLayout*> explain;
            for (const ScaleLayout* other : others())
                if (is_laid_out({*other, scales_.scales(values, run_case.shape[2])}, buffer)) explain.push_back(other);
            answer.known_as = laid_out_as(explain);
        }
        Values in_rows(run_case.outputs[output].count(), 1);
        copy(rows(values, run_case.shape[2], buffer), in_rows.bytes());
        answer.outputs[output] = std::move(in_rows);
    }
    return answer;
}

std::optional<Values> RunLayout::read_as(const ScaleLayout& layout, const RunCase& run_case,
                                         const Values& scales) const {
    const ScaleMap map = map_of(matrix_of(run_case.shape), run_case.shape[2]);
    const ScaleMap other(layout, map.scales());
    if (other.size() > map.size()) return std::nullopt;
    const std::vector<std::byte> buffer = map.arrange<std::byte>(scales.bytes());
    Values read(scales.count(), 1);
    copy(other.restore<std::byte>(std::span(buffer).first(static_cast<std::size_t>(other.size()))), read.bytes());
    return read;
}

} // namespace mxcert::frames
