// SPDX-License-Identifier: Apache-2.0
#include "conformance/test/devices/fake_tiles.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "reference/fast/accumulate.hpp"

namespace mxcert::test {
namespace {

// The words of the kernels in C++, where they differ from C.
#define DEVICE inline
#define MEMORY
constexpr std::uint32_t SCALE_BIAS = 127;
#include "conformance/backends/kernels/tile.h"

/// An instruction of an architecture: how many products it adds at a time, and like what.
struct Instruction {
    const char* kernel; ///< without the formats
    const char* architecture;
    u64 rows;
    std::size_t step;
    const char* accumulator;
};
constexpr std::array instructions{
    Instruction{"mma_f32", "sm_89", 16, 32, "ada_fp8_f32"},
    Instruction{"mma_f16", "sm_89", 16, 32, "ada_fp8_f16"},
    Instruction{"mma_f32", "sm_90", 16, 32, "hopper_mma_fp8_f32"},
    Instruction{"mma_f16", "sm_90", 16, 32, "hopper_mma_fp8_f16"},
    Instruction{"wgmma_f32", "sm_90", 64, 32, "hopper_fp8_f32"},
    Instruction{"wgmma_f16", "sm_90", 64, 32, "hopper_fp8_f16"},
    Instruction{"mma_f32", "sm_120", 16, 32, "blackwell_fp8_f32"},
    Instruction{"mma_f16", "sm_120", 16, 32, "blackwell_fp8_f16"},
    Instruction{"mma_k16_f32", "sm_120", 16, 16, "sm120_k16_fp8_f32"},
    Instruction{"mma_k16_f16", "sm_120", 16, 16, "sm120_k16_fp8_f16"},
    Instruction{"mma_scaled_f32", "sm_120", 16, 32, "blackwell_mxf8f6f4"},
};

Code byte_of(u32 word, u32 i) { return word >> (8 * i) & 0xFF; }

/// A warp's tile: A and B as its lanes hold them, put back in rows and columns by the tables of the PTX ISA.
class Tile {
  public:
    Tile(const Instruction& instruction, void* const* buffers, const parameters& p, u64 row, u64 column)
        : by_(instruction), p_(p), row_(row), column_(column) {
        for (u64 at = 0; at < p.multiply.k; at += instruction.step) hold(buffers, at);
    }

    void multiply(const Accumulator& like, const DotFormat& format, void* const* buffers) {
        fast::Accumulate add(like, format);
        const auto bytes = static_cast<std::size_t>(format.to->bytes());
        for (u32 lane = 0; lane < 32; ++lane)
            for (u32 i = 0; i < 4; ++i) {
                const u64 place = place_of(i, row_, column_, lane, p_);
                if (place == NO_PLACE) continue;
                const std::size_t m = lane / 4 + (i >= 2 ? 8 : 0);
                const std::size_t n = lane % 4 * 2 + (i & 1U);
                DotOperands operands{a_[m], b_[n], {}, {}, 0, 0, 0};
                if (!scales_a_[m].empty()) {
                    operands.scales_a = scales_a_[m];
                    operands.scales_b = scales_b_[n];
                    operands.block_a = operands.block_b = 32;
                }
                if (p_.multiply.has_added != 0)
                    std::memcpy(&operands.c, static_cast<const char*>(buffers[ADDED]) + place * bytes, bytes);
                const Code d = add(operands);
                std::memcpy(static_cast<char*>(buffers[RESULT]) + place * bytes, &d, bytes);
            }
    }
    void hold(void* const* buffers, u64 at) {
        for (auto& line : a_) line.resize(at + by_.step);
        for (auto& line : b_) line.resize(at + by_.step);
        for (u32 lane = 0; lane < 32; ++lane) {
            std::array<u32, 4> left{};
            std::array<u32, 2> right{};
            hold_left(left.data(), buffers[VALUES], row_, lane, at, p_);
            hold_right(right.data(), buffers[RIGHT], column_, lane, at, p_);
            const u32 group = lane >> 2U;
            const u32 in_group = lane & 3U;
            for (u32 i = 0; i < by_.step / 2; ++i) // "a_i: row = groupID for 0 <= i < 4 or 8 <= i < 12, else + 8"
                a_[i / 4 % 2 == 0 ? group : group + 8][at + in_group * 4 + i % 4 + (i < 8 ? 0 : 16)] =
                    byte_of(left[i / 4], i % 4);
            for (u32 i = 0; i < by_.step / 4; ++i)
                b_[group][at + in_group * 4 + i % 4 + (i < 4 ? 0 : 16)] = byte_of(right[i / 4], i % 4);
            if (p_.multiply.block == 0) continue;
            const u32 scale_a = hold_left_scale(buffers[SCALES], row_, lane, at, p_);
            const u32 scale_b = hold_right_scale(buffers[RIGHT_SCALES], column_, lane, at, p_);
            if (in_group < 2) scales_a_[in_group == 0 ? group : group + 8].push_back(scale_a);
            if (in_group == 0) scales_b_[group].push_back(scale_b);
        }
    }

    const Instruction& by_;
    const parameters& p_;
    u64 row_;
    u64 column_;
    std::array<std::vector<Code>, 16> a_;
    std::array<std::vector<Code>, 8> b_;
    std::array<std::vector<Code>, 16> scales_a_;
    std::array<std::vector<Code>, 8> scales_b_;
};

} // namespace

bool multiply_tiles(const std::string& kernel, const std::string& architecture, const std::uint32_t* groups,
                    const std::uint32_t* group, void* const* buffers, const parameters& p) {
    if (group[0] != 128 || group[1] != 1 || group[2] != 1) return false;
    const std::size_t formats_at = kernel.size() - std::string("e4m3_e4m3").size();
    for (const Instruction& instruction : instructions) {
        if (kernel.substr(0, formats_at - 1) != instruction.kernel || architecture != instruction.architecture)
            continue;
        const Accumulator& like = accumulator(instruction.accumulator);
        const DotFormat format =
            dot_format(like, *find_format(kernel.substr(formats_at, 4)), *find_format(kernel.substr(formats_at + 5)),
                       p.multiply.block != 0 ? &formats::e8m0 : nullptr);
        // Four warps: one below the other, or side by side.
        const bool is_below = instruction.rows == 64;
        for (std::uint32_t y = 0; y < groups[1]; ++y)
            for (std::uint32_t x = 0; x < groups[0]; ++x)
                for (u64 warp = 0; warp < 4; ++warp) {
                    const u64 row = y * instruction.rows + (is_below ? warp * TILE_ROWS : 0);
                    const u64 column = is_below ? u64{x} * TILE_COLUMNS : (u64{x} * 4 + warp) * TILE_COLUMNS;
                    Tile(instruction, buffers, p, row, column).multiply(like, format, buffers);
                }
        return true;
    }
    return false;
}

} // namespace mxcert::test
