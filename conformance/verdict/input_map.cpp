// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/input_map.hpp"

#include <algorithm>

#include "conformance/verdict/pieces.hpp"

namespace mxcert::verdict {
namespace {

struct Counts {
    std::uint64_t asked = 0;
    std::uint64_t wrong = 0;
};

/// The cells while they are counted, row after row.
class Grid {
  public:
    Grid(const Format& from, const Format& to) : from_(from), to_(to) {
        if (from.scale != nullptr) {
            rows_ = static_cast<std::uint32_t>(from.scale->last_code() + 1);
            columns_ = static_cast<std::uint32_t>(column_format(from, to).last_code() + 1);
        } else {
            rows_ = std::uint32_t{1} << static_cast<unsigned>(row_bits(from) + (from.is_signed ? 1 : 0));
            columns_ = std::uint32_t{1} << static_cast<unsigned>(from.exponent_bits);
        }
        cells_.resize(std::size_t{rows_} * columns_);
    }

    /// Counts a range of inputs: as asked, as wrong, or as both. `permitted`: their right code, where a column is one.
    void add(Code first, Code last, Counts each, Code permitted) {
        if (from_.scale == nullptr) return add_binades(first, last, each);
        if (&column_format(from_, to_) == from_.value) {
            for (Code code = first; code <= last; ++code) count(from_.scale_of(code), from_.value_of(code), 1, each);
            return;
        }
        for (Code scale = from_.scale_of(first); scale <= from_.scale_of(last); ++scale) {
            const Code from_here = std::max(first, from_.code_of(scale, 0));
            const Code to_here = std::min(last, from_.code_of(scale, from_.value_mask()));
            count(scale, permitted, to_here - from_here + 1, each);
        }
    }

    [[nodiscard]] InputMap map() const {
        InputMap map{&from_, &to_, rows_, columns_, {}};
        for (std::uint32_t row = 0; row < rows_; ++row) {
            std::vector<InputMap::Run> runs = runs_of(row);
            if (runs.empty()) continue;
            const bool joins = !map.bands.empty() && map.bands.back().last + 1 == row && map.bands.back().runs == runs;
            if (joins)
                map.bands.back().last = row;
            else
                map.bands.push_back({row, row, std::move(runs)});
        }
        return map;
    }

  private:
    void add_binades(Code first, Code last, Counts each) {
        // Inputs of one cell are neighbours: they differ in the bits of the fraction below those of the row.
        const auto shift = static_cast<unsigned>(from_.fraction_bits - row_bits(from_));
        const auto row_shift = static_cast<unsigned>(row_bits(from_));
        for (Code cell = first >> shift;; ++cell) {
            const Code from_here = std::max(first, cell << shift);
            const Code to_here = std::min(last, (cell << shift) | ((Code{1} << shift) - 1));
            const Code sign_and_exponent = cell >> row_shift;
            const Code exponent = sign_and_exponent & (columns_ - 1);
            const Code sign = sign_and_exponent >> static_cast<unsigned>(from_.exponent_bits);
            const Code row = (sign << row_shift) | (cell & ((Code{1} << row_shift) - 1));
            count(row, exponent, to_here - from_here + 1, each);
            if (cell == last >> shift) return;
        }
    }
    void count(Code row, Code column, std::uint64_t inputs, Counts each) {
        Counts& cell = cells_[static_cast<std::size_t>(row) * columns_ + static_cast<std::size_t>(column)];
        cell.asked += each.asked * inputs;
        cell.wrong += each.wrong * inputs;
    }
    [[nodiscard]] std::vector<InputMap::Run> runs_of(std::uint32_t row) const {
        std::vector<InputMap::Run> runs;
        for (std::uint32_t column = 0; column < columns_; ++column) {
            const Counts& cell = cells_[std::size_t{row} * columns_ + column];
            if (cell.asked == 0) continue;
            const bool joins = !runs.empty() && runs.back().last + 1 == column && runs.back().asked == cell.asked &&
                               runs.back().wrong == cell.wrong;
            if (joins)
                runs.back().last = column;
            else
                runs.push_back({column, column, cell.asked, cell.wrong});
        }
        return runs;
    }

    const Format& from_;
    const Format& to_;
    std::uint32_t rows_ = 0;
    std::uint32_t columns_ = 0;
    std::vector<Counts> cells_;
};

} // namespace

int row_bits(const Format& from) {
    constexpr int most = 4;
    return std::min(most, from.fraction_bits);
}

const Format& column_format(const Format& from, const Format& to) {
    return from.value->width() <= to.width() ? *from.value : to;
}

InputMap map_of(const std::vector<Step>& steps, const PermitTable& permitted) {
    Grid grid(*permitted.from, *permitted.to);
    for_each_piece(steps, permitted, [&](Code first, Code last, const Step& step, const PermitStep& wanted) {
        const std::uint64_t wrong = permits(wanted.permit, step.code, *permitted.to) ? 0 : 1;
        grid.add(first, last, {1, wrong}, one_of(wanted.permit, *permitted.to));
    });
    return grid.map();
}

InputMap map_of(const Format& from, const Format& to, const std::vector<Difference>& differences, bool whole) {
    Grid grid(from, to);
    if (whole) grid.add(0, from.last_code(), {1, 0}, 0);
    for (const Difference& difference : differences)
        grid.add(difference.first, difference.last, {whole ? std::uint64_t{0} : 1, 1}, 0);
    return grid.map();
}

} // namespace mxcert::verdict
