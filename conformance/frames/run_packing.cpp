// SPDX-License-Identifier: Apache-2.0
#include "conformance/frames/run_packing.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace mxcert::frames {
namespace {

using Bytes = std::span<std::uint8_t>;
using ConstBytes = std::span<const std::uint8_t>;

ConstBytes bytes_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
Bytes bytes_of(std::span<std::byte> bytes) { return {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}; }

void pack_rows(const PackedElements& elements, ConstBytes codes, std::uint64_t columns, Bytes bytes) {
    const std::uint64_t row_bytes = elements.row_bytes(columns);
    for (std::uint64_t row = 0; row < codes.size() / columns; ++row)
        pack_row(*elements.packing, *elements.element, codes.subspan(row * columns, columns), elements.block,
                 bytes.subspan(row * row_bytes, row_bytes));
}

std::optional<std::uint64_t> codes_of_rows(const PackedElements& elements, ConstBytes bytes, std::uint64_t columns,
                                           Bytes codes) {
    const std::uint64_t row_bytes = elements.row_bytes(columns);
    std::optional<std::uint64_t> wrong;
    for (std::uint64_t row = 0; row < codes.size() / columns; ++row) {
        const bool is_right =
            unpack_row(*elements.packing, *elements.element, bytes.subspan(row * row_bytes, row_bytes), elements.block,
                       codes.subspan(row * columns, columns));
        if (!is_right && !wrong) wrong = row;
    }
    return wrong;
}

RepeatedArray packed(const PackedElements& elements, const RepeatedArray& array) {
    const std::uint64_t columns = array.columns;
    const std::uint64_t row_bytes = elements.row_bytes(columns);
    const std::uint64_t codes_of_part = array.count / array.periods.size();
    const bool rows_join = columns * static_cast<std::uint64_t>(elements.element->width()) % 8 == 0;
    RepeatedArray bytes{array.count / columns * row_bytes, 1, row_bytes, {}};
    for (const std::vector<std::byte>& period : array.periods) {
        // As many codes as whole bytes, or whole rows, are made of.
        const std::uint64_t row =
            rows_join ? std::lcm<std::uint64_t>(8, elements.block == 0 ? 1 : elements.block) : columns;
        const std::uint64_t codes_at_once = std::min(std::lcm<std::uint64_t>(period.size(), row), codes_of_part);
        std::vector<std::uint8_t> codes(codes_at_once);
        for (std::uint64_t i = 0; i < codes_at_once; ++i)
            codes[i] = std::to_integer<std::uint8_t>(period[i % period.size()]);
        const std::uint64_t in_row = rows_join ? codes_at_once : columns;
        std::vector<std::byte>& of_part =
            bytes.periods.emplace_back(codes_at_once / in_row * elements.row_bytes(in_row));
        pack_rows(elements, codes, in_row, bytes_of(std::span(of_part)));
    }
    return bytes;
}

} // namespace

RunPacking::RunPacking(const Operation& operation) : elements_(packed_elements(operation)), info_(*operation.info) {}

std::vector<Values*> RunPacking::elements_of(std::vector<Values>& inputs, std::vector<Values>& outputs) const {
    std::vector<Values*> arrays;
    for (const std::size_t input : info_.packed_inputs) arrays.push_back(&inputs[input]);
    for (const std::size_t output : info_.packed_outputs) arrays.push_back(&outputs[output]);
    return arrays;
}

RunCase RunPacking::pack(RunCase run_case) const {
    if (!packs()) return run_case;
    std::size_t number = 0;
    const auto room_for = [&](const Values& codes, std::uint64_t columns) {
        return Values(codes.count() / columns * elements_.row_bytes(columns), 1);
    };
    for (const std::size_t input : info_.packed_inputs) {
        const std::uint64_t columns = columns_of(run_case, number++);
        Values bytes = room_for(run_case.inputs[input], columns);
        pack_rows(elements_, bytes_of(std::as_const(run_case.inputs[input]).bytes()), columns, bytes_of(bytes.bytes()));
        run_case.inputs[input] = std::move(bytes);
    }
    for (const std::size_t output : info_.packed_outputs)
        run_case.outputs[output] = room_for(run_case.outputs[output], columns_of(run_case, number++));
    return run_case;
}

RunAnswer RunPacking::unpack(const RunCase& run_case, RunAnswer answer) const {
    if (!packs()) return answer;
    if (is_unstable(answer.status))
        answer.reason += fmt::format(" (bytes, as {} packs the elements)", elements_.packing->name);
    if (answer.outputs.empty()) return answer;
    std::size_t number = info_.packed_inputs.size();
    for (const std::size_t output : info_.packed_outputs) {
        const std::uint64_t columns = columns_of(run_case, number++);
        Values codes(run_case.outputs[output].count(), 1);
        const std::span<const std::byte> bytes = std::as_const(answer.outputs[output]).bytes();
        const std::optional<std::uint64_t> wrong = unpack_rows(bytes, columns, codes.bytes());
        if (wrong && answer.status == Status::pass) {
            answer.status = Status::fail;
            answer.reason = fmt::format("output {}: {}", output, stray_bits(*wrong, bytes, columns));
        }
        answer.outputs[output] = std::move(codes);
    }
    return answer;
}

std::optional<std::uint64_t> RunPacking::unpack_rows(std::span<const std::byte> bytes, std::uint64_t columns,
                                                     std::span<std::byte> codes) const {
    return codes_of_rows(elements_, bytes_of(bytes), columns, bytes_of(codes));
}

std::string RunPacking::stray_bits(std::uint64_t row, std::span<const std::byte> bytes, std::uint64_t columns) const {
    return fmt::format("the last byte of row {} of the elements is 0x{:02X}: its bits that hold no code are not zero",
                       row, std::to_integer<unsigned>(bytes[(row + 1) * row_bytes(columns) - 1]));
}

RepeatedRun RunPacking::pack(RepeatedRun run) const {
    if (!packs()) return run;
    for (const std::size_t input : info_.packed_inputs) run.inputs[input] = packed(elements_, run.inputs[input]);
    for (const std::size_t output : info_.packed_outputs) run.outputs[output] = packed(elements_, run.outputs[output]);
    run.name += fmt::format(" (in bytes, as {} packs the elements)", elements_.packing->name);
    return run;
}

RunAnswer RunPacking::answer(const RunCase& run_case, const std::function<RunAnswer(const RunCase&)>& ask) const {
    if (!packs()) return ask(run_case);
    RunCase packed;
    try {
        packed = pack(run_case);
    } catch (const std::invalid_argument& error) {
        return {Status::unsupported, error.what(), {}, {}};
    }
    return unpack(run_case, ask(packed));
}

RepeatedAnswer RunPacking::answer(const RepeatedRun& run,
                                  const std::function<RepeatedAnswer(const RepeatedRun&)>& ask) const {
    if (!packs()) return ask(run);
    RepeatedRun packed;
    try {
        packed = pack(run);
    } catch (const std::invalid_argument& error) {
        return {Status::unsupported, error.what(), {}, {}, 0};
    }
    return ask(packed);
}

std::optional<Values> RunPacking::read_as(const Packing& packing, const RunCase& run_case, std::size_t number,
                                          const Values& elements) const {
    const std::uint64_t columns = columns_of(run_case, number);
    PackedElements other = elements_;
    other.packing = &packing;
    try {
        if (other.row_bytes(columns) != elements_.row_bytes(columns)) return std::nullopt;
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
    Values bytes(elements.count() / columns * elements_.row_bytes(columns), 1);
    pack_rows(elements_, bytes_of(elements.bytes()), columns, bytes_of(bytes.bytes()));
    Values codes(elements.count(), 1);
    static_cast<void>(codes_of_rows(other, bytes_of(std::as_const(bytes).bytes()), columns, bytes_of(codes.bytes())));
    return codes;
}

} // namespace mxcert::frames
