// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/shrink.hpp"

#include <algorithm>
#include <utility>

namespace mxcert::cases {
namespace {

/// A piece of an axis, or of the codes of an input.
struct Piece {
    std::uint64_t first;
    std::uint64_t count;

    [[nodiscard]] bool has(std::uint64_t at) const { return at >= first && at - first < count; }
};

/// The entries of a side that are left out with a piece of its axis.
Piece left_out(const FormSide& side, std::uint64_t each, std::size_t axis, const Piece& piece, std::uint64_t entries,
               std::uint64_t remain) {
    if (side.axis != axis || remain == entries) return {0, 0};
    const std::uint64_t first = (piece.first + each - 1) / each; // that begins within the piece
    return {std::min(first, remain), entries - remain};
}

/// Without a piece of an axis.
GivenCase without(const CaseForm& form, const GivenCase& given_case, std::size_t axis, const Piece& piece) {
    GivenCase less;
    less.sizes = given_case.sizes;
    less.sizes[axis] -= piece.count;
    for (std::size_t t = 0; t < form.tensors.size(); ++t) {
        const FormTensor& tensor = form.tensors[t];
        const Extent extent = extent_of(tensor, given_case.sizes);
        const Extent remain = extent_of(tensor, less.sizes);
        const Piece rows = left_out(tensor.rows, values_of_block(tensor.rows.each, given_case.sizes), axis, piece,
                                    extent.rows, remain.rows);
        const Piece columns = left_out(tensor.columns, values_of_block(tensor.columns.each, given_case.sizes), axis,
                                       piece, extent.columns, remain.columns);
        std::vector<Code>& kept = less.tensors.emplace_back();
        for (std::uint64_t row = 0; row < extent.rows; ++row)
            for (std::uint64_t column = 0; column < extent.columns; ++column)
                if (!rows.has(row) && !columns.has(column))
                    kept.push_back(given_case.tensors[t][row * extent.columns + column]);
    }
    return less;
}

class CaseShrinker {
  public:
    CaseShrinker(const CaseForm& form, GivenCase failing, const std::function<bool(const GivenCase&)>& fails,
                 ShrinkLimits limits)
        : form_(form), best_(std::move(failing)), fails_(fails), limits_(std::move(limits)),
          begin_(std::chrono::steady_clock::now()) {}

    /// Leaves out pieces of an axis, whole blocks first.
    void shorten(std::size_t axis) {
        if (form_.axes[axis].is_block) return;
        const std::uint64_t unit = values_of_block(form_.axes[axis].unit, best_.sizes);
        std::uint64_t length = unit;
        while (2 * length < best_.sizes[axis]) length *= 2;
        for (; length != 0; length /= 2) {
            for (std::uint64_t first = 0; first < best_.sizes[axis] && !is_over();) {
                const Piece piece{first, std::min(length, best_.sizes[axis] - first)};
                if (piece.count == best_.sizes[axis] || !accept(without(form_, best_, axis, piece))) first += length;
            }
        }
    }

    /// Makes codes of an input plain.
    void clear(std::size_t tensor) {
        for (std::uint64_t length = best_.tensors[tensor].size(); length != 0; length /= 2) {
            for (std::uint64_t first = 0; first < best_.tensors[tensor].size() && !is_over(); first += length) {
                GivenCase plain = best_;
                std::vector<Code>& codes = plain.tensors[tensor];
                const auto begin = codes.begin() + static_cast<std::ptrdiff_t>(first);
                const auto end =
                    codes.size() - first <= length ? codes.end() : begin + static_cast<std::ptrdiff_t>(length);
                std::fill(begin, end, form_.tensors[tensor].plain);
                accept(std::move(plain));
            }
        }
    }

    /// Makes the values of an input rounder.
    void round(std::size_t tensor) {
        const Format& format = *form_.tensors[tensor].format;
        const Code one = format.one_code();
        for (std::size_t at = 0; at < best_.tensors[tensor].size() && !is_over(); ++at) {
            const Code code = best_.tensors[tensor][at];
            if (code == form_.tensors[tensor].plain || try_code(tensor, at, one)) continue;
            if (format.is_negative(code)) try_code(tensor, at, format.magnitude_of(code));
            for (int kept = 0; kept < format.fraction_bits; ++kept) {
                const Code now = best_.tensors[tensor][at];
                const Code fewer = now & ~((Code{1} << static_cast<unsigned>(format.fraction_bits - kept)) - 1);
                if (fewer == now || try_code(tensor, at, fewer)) break;
            }
        }
    }

    [[nodiscard]] const GivenCase& best() const { return best_; }

  private:
    bool accept(GivenCase candidate) {
        if (candidate == best_ || is_over()) return false;
        ++asked_;
        if (!fails_(candidate)) return false;
        best_ = std::move(candidate);
        return true;
    }

    /// Looked at before a candidate is made: that takes long where there are many codes.
    [[nodiscard]] bool is_over() const {
        if (limits_.stop && limits_.stop()) return true;
        const auto passed = std::chrono::steady_clock::now() - begin_;
        return asked_ >= limits_.attempts || passed > limits_.longest ||
               (asked_ >= limits_.fewest && passed > limits_.time);
    }

    bool try_code(std::size_t tensor, std::size_t at, Code code) {
        GivenCase other_given_case = best_;
        other_given_case.tensors[tensor][at] = code;
        return accept(std::move(other_given_case));
    }

    const CaseForm& form_;
    GivenCase best_;
    const std::function<bool(const GivenCase&)>& fails_;
    ShrinkLimits limits_;
    std::chrono::steady_clock::time_point begin_;
    unsigned asked_ = 0;
};

} // namespace

GivenCase shrink(const CaseForm& form, const GivenCase& failing, const std::function<bool(const GivenCase&)>& fails,
                 const ShrinkLimits& limits) {
    CaseShrinker shrinker(form, failing, fails, limits);
    // What was needed among many may not be among few.
    for (GivenCase before; before != shrinker.best();) {
        before = shrinker.best();
        for (std::size_t axis = 0; axis < form.axes.size(); ++axis) shrinker.shorten(axis);
        for (std::size_t tensor = 0; tensor < form.tensors.size(); ++tensor) shrinker.clear(tensor);
    }
    for (std::size_t tensor = 0; tensor < form.tensors.size(); ++tensor) shrinker.round(tensor);
    return shrinker.best();
}

} // namespace mxcert::cases
