// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/quantize_cases.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "conformance/inputs/interleave.hpp"
#include "conformance/suites/maker.hpp"
#include "conformance/suites/matrices/block_kinds.hpp"

namespace mxcert::suites {
namespace {

constexpr std::array<std::uint64_t, 7> other_sizes{1, 2, 3, 16, 64, 128, 1024};
constexpr std::uint64_t square = 1024;   ///< the same, of every kind of block
constexpr std::uint64_t large = 8192;    ///< lines, and values of a line
constexpr std::uint64_t many_lines = 64; ///< of four blocks: 256, the scales of which fill any vector
constexpr Code alike_scales = 16;

std::string other_size_name(std::uint64_t size, std::uint64_t tail) {
    return fmt::format("blocks of {}", size) + (tail == 0 ? "" : fmt::format(" and a tail of {}", tail));
}

/// Fills a case line by line: value(line, position) and about(line).
QuantizeCase make(const std::string& name, const BlockMatrix& matrix,
                  const std::function<Code(std::uint64_t, std::uint64_t)>& value,
                  const std::function<std::string(std::uint64_t)>& about = {}) {
    QuantizeCase quantize_case{name, {}, matrix, {}};
    for (std::uint64_t line = 0; line < matrix.lines; ++line) {
        quantize_case.lines.push_back(about ? about(line) : "");
        for (std::uint64_t at = 0; at < matrix.length; ++at) quantize_case.values.push_back(value(line, at));
    }
    return quantize_case;
}

/// More blocks than one either way, each with another exponent than those around it.
QuantizeCase places_case(const Format& f, const BlockMatrix& matrix) {
    const Maker maker(f);
    const auto range = static_cast<Code>(f.emax() - f.emin() - 8);
    return make(fmt::format("{} lines of {}", matrix.lines, matrix.length), matrix,
                [&](std::uint64_t line, std::uint64_t at) {
                    const std::uint64_t number = line * matrix.blocks_in_line() + at / matrix.block;
                    const int exponent = f.emin() + 4 + static_cast<int>(number * 5 % range);
                    const Code value = maker.ordinary(line * matrix.length + at);
                    return maker.normal(exponent, value) | (value & f.sign_bit());
                });
}

/// Blocks that all have large scales, or small ones: each with another exponent of the few at that end of the range.
QuantizeCase alike_scales_case(const Format& f, bool is_large, const BlockMatrix& matrix) {
    const Maker maker(f);
    const auto range = std::min<std::uint64_t>(alike_scales, static_cast<std::uint64_t>(f.emax() - f.emin()) / 2);
    return make(fmt::format("{} blocks of {} values", matrix.blocks(), is_large ? "large" : "small"), matrix,
                [&](std::uint64_t line, std::uint64_t at) {
                    const std::uint64_t number = line * matrix.blocks_in_line() + at / matrix.block;
                    const int inside = static_cast<int>(number * 5 % range);
                    const Code value = maker.ordinary(line * matrix.length + at);
                    return maker.normal(is_large ? f.emax() - inside : f.emin() + inside, value) |
                           (value & f.sign_bit());
                });
}

/// Blocks whose elements are subnormal but for the largest, which is in another lane from block to block.
QuantizeCase subnormals_case(const Format& f, const Format& element, const BlockMatrix& matrix) {
    const Maker maker(f);
    const int largest = f.emax() - 1;
    return make("subnormal elements and the largest", matrix, [&](std::uint64_t line, std::uint64_t at) {
        const std::uint64_t number = line * matrix.blocks_in_line() + at / matrix.block;
        const Code word = maker.ordinary(line * matrix.length + at);
        if (at % matrix.block == number % matrix.block) return maker.normal(largest, word) | (word & f.sign_bit());
        const int below = 1 + static_cast<int>(at % static_cast<std::uint64_t>(std::max(element.fraction_bits, 1)));
        const int exponent = largest - element.emax() + element.emin() - below;
        if (exponent >= f.emin()) return maker.normal(exponent, word) | (word & f.sign_bit());
        const int bit = std::max(exponent - f.emin() + f.fraction_bits, 0);
        return Code{1} << static_cast<unsigned>(bit) | (word & f.sign_bit());
    });
}

/// Finite elements of either sign, and scales around 1: a value tells both.
DequantizeCase places_case(const Dequantize& dequantize, const std::string& name, const BlockMatrix& matrix) {
    DequantizeCase dequantize_case{name, matrix, {}, {}};
    for (std::uint64_t i = 0; i < matrix.elements(); ++i)
        dequantize_case.elements.push_back(finite_element(*dequantize.element, i));
    for (std::uint64_t i = 0; i < matrix.blocks(); ++i) dequantize_case.scales.push_back(120 + i * 5 % 13);
    return dequantize_case;
}

/// Several lines that are longer than what a group of threads takes, with a tail and without, and as many lines: lines
/// and the elements of each.
std::vector<Extent> wide_shapes(std::uint64_t block) {
    constexpr std::uint64_t wide = 4112;
    const std::uint64_t whole = (wide + block - 1) / block * block;
    std::vector<Extent> shapes{{3, whole}, {wide, 3 * block}};
    if (block > 2) shapes.push_back({3, whole + block / 2 + 1});
    return shapes;
}

/// Several tiles of 128x128 both ways: the last one cut off either way, with a tail of a block too; and whole in the
/// length of a line, for kernels that take nothing else.
std::vector<Extent> tiled_shapes(std::uint64_t block) {
    const auto whole = [&](std::uint64_t length) { return (length + block - 1) / block * block; };
    std::vector<Extent> shapes{{288, whole(320)}, {288, whole(384)}};
    if (block > 2) shapes.push_back({288, whole(320) + block / 2 + 1});
    return shapes;
}

/// The shapes in which blocks of every kind are asked: tails, many blocks, tiles, large matrices, and the other sizes
/// of a block where any may be asked. Lines, elements of a line and of a block.
struct KindShape {
    std::uint64_t lines;
    std::uint64_t length;
    std::uint64_t block;
};
std::vector<KindShape> kind_shapes(std::uint64_t lines, std::uint64_t block, bool any_block) {
    std::vector<KindShape> shapes{{lines, 3 * block, block}};
    for (const std::uint64_t tail : {std::uint64_t{1}, block / 2, block - 1})
        if (tail != 0 && tail < block) shapes.push_back({lines, block + tail, block});
    for (const std::vector<Extent>& extents : {wide_shapes(block), tiled_shapes(block)})
        for (const Extent& extent : extents)
            if (extent.rows <= many_lines * 8) shapes.push_back({extent.rows, extent.columns, block});
    if (!any_block) return shapes;
    for (const std::uint64_t size : other_sizes)
        for (const std::uint64_t tail : {std::uint64_t{0}, size / 2})
            if (size <= 128) shapes.push_back({lines, 2 * size + tail, size});
    return shapes;
}

std::string kinds_name(const BlockMatrix& matrix) {
    return fmt::format("every kind of block, {} lines of {}, blocks of {}", matrix.lines, matrix.length, matrix.block);
}

QuantizeCase kinds_case(const Format& f, const BlockMatrix& matrix) {
    const BlockKinds kinds = block_kinds(f);
    return make(kinds_name(matrix), matrix, [&](std::uint64_t line, std::uint64_t at) {
        const std::uint64_t block = at / matrix.block;
        return kinds.value(BlockKinds::number_at(line, block), at % matrix.block, matrix.size_of(block));
    });
}

DequantizeCase kinds_case(const Dequantize& dequantize, const BlockMatrix& matrix) {
    const BlockKinds kinds = element_block_kinds(*dequantize.element);
    DequantizeCase dequantize_case{kinds_name(matrix), matrix, {}, {}};
    for (std::uint64_t line = 0; line < matrix.lines; ++line) {
        for (std::uint64_t at = 0; at < matrix.length; ++at) {
            const std::uint64_t block = at / matrix.block;
            dequantize_case.elements.push_back(
                kinds.value(BlockKinds::number_at(line, block), at % matrix.block, matrix.size_of(block)));
        }
        for (std::uint64_t block = 0; block < matrix.blocks_in_line(); ++block) {
            const std::uint64_t number = BlockKinds::number_at(line, block);
            dequantize_case.scales.push_back(scale_of_kind(formats::e8m0, number + 2, 120 + number * 5 % 13));
        }
    }
    return dequantize_case;
}

/// Every scale, four of them in a line: what is done to a word of scales, or because of one of them, is seen beside it.
DequantizeCase scales_case(const Dequantize& dequantize, const BlockMatrix& matrix) {
    DequantizeCase dequantize_case = places_case(dequantize, "every scale, in lines of four blocks", matrix);
    const std::uint64_t all = dequantize_case.scales.size();
    for (std::uint64_t i = 0; i < all; ++i) dequantize_case.scales[i] = inputs::far_apart(i, all);
    return dequantize_case;
}

/// Scales that are all large, or all small: those from `first` on.
DequantizeCase alike_scales_case(const Dequantize& dequantize, std::string_view size, Code first,
                                 const BlockMatrix& matrix) {
    DequantizeCase dequantize_case =
        places_case(dequantize, fmt::format("{} blocks with {} scales", matrix.blocks(), size), matrix);
    for (std::uint64_t i = 0; i < dequantize_case.scales.size(); ++i)
        dequantize_case.scales[i] = first + i * 5 % alike_scales;
    return dequantize_case;
}

} // namespace

std::string QuantizeCase::title(std::uint64_t line) const {
    return line >= lines.size() || lines[line].empty() ? fmt::format("{}: line {}", name, line)
                                                       : fmt::format("{}: {}", name, lines[line]);
}

std::vector<QuantizeCase> quantize_cases(const Quantize& quantize, unsigned block) {
    const Format& f = *quantize.format.value;
    const Maker maker(f);
    const std::vector<Special> specials = specials_of(f);
    const std::uint64_t n = block;
    std::vector<QuantizeCase> cases;
    const auto matrix = [&](std::uint64_t lines, std::uint64_t length, std::uint64_t size) {
        return BlockMatrix{quantize.axis, lines, length, size};
    };

    cases.push_back(make(
        "the maximum in each lane", matrix(2 * n, n, n),
        [&](std::uint64_t line, std::uint64_t at) {
            if (at != line / 2) return maker.ordinary(at);
            const Code largest = maker.normal(5, 0);
            return line % 2 != 0 ? maker.negative(largest) : largest;
        },
        [](std::uint64_t line) {
            return fmt::format("lane {}, {}", line / 2, line % 2 != 0 ? "negative" : "positive");
        }));
    cases.push_back(make(
        "a special value in each lane", matrix(specials.size() * n, n, n),
        [&](std::uint64_t line, std::uint64_t at) {
            return at == line % n ? specials[line / n].code : maker.ordinary(at);
        },
        [&](std::uint64_t line) { return fmt::format("{} in lane {}", specials[line / n].name, line % n); }));
    cases.push_back(make(
        "special values together", matrix(specials.size() * specials.size(), n, n),
        [&](std::uint64_t line, std::uint64_t at) {
            const std::uint64_t count = specials.size();
            return at % 2 == 0 ? specials[line % count].code : specials[line / count].code;
        },
        [&](std::uint64_t line) {
            const std::uint64_t count = specials.size();
            return line % count == line / count
                       ? fmt::format("nothing but {}", specials[line % count].name)
                       : fmt::format("{} and {}", specials[line % count].name, specials[line / count].name);
        }));
    cases.push_back(make("zero", matrix(1, n, n), [](std::uint64_t, std::uint64_t) { return Code{0}; }));
    // After a block of large values nothing of them may be left in the next one.
    cases.push_back(make("blocks that fall in size", matrix(3, 4 * n, n), [&](std::uint64_t line, std::uint64_t at) {
        const Code value = maker.ordinary(line * 4 * n + at);
        return value + (static_cast<Code>(4 - at / n) << f.fraction_bits);
    }));
    // The tail is larger than the block before it, then smaller: it has its own scale, and nobody else's.
    for (const std::uint64_t tail : {std::uint64_t{1}, n / 2, n - 1}) {
        if (tail == 0 || tail >= n) continue;
        cases.push_back(
            make(fmt::format("a tail of {}", tail), matrix(4, n + tail, n), [&](std::uint64_t line, std::uint64_t at) {
                const int step = line % 2 == 0 ? 3 : -3;
                const Code value = maker.ordinary(line * n + at) & f.magnitude_mask();
                const Code moved = static_cast<Code>(step < 0 ? -step : step) << f.fraction_bits;
                if (at < n) return value;
                return step < 0 ? value - moved : value + moved;
            }));
    }
    for (const Extent& shape :
         {Extent{1, 1}, Extent{3, 1}, Extent{1, 7 * n}, Extent{67, 3 * n}, Extent{2 * n, 2 * n}, Extent{512, 512}})
        cases.push_back(places_case(f, matrix(shape.rows, shape.columns, n)));
    // Other sizes of the block than the one all else is asked with. Who takes any takes them whole; a tail may be
    // refused.
    if (quantize.block == 0)
        for (const std::uint64_t size : other_sizes)
            for (const std::uint64_t tail : {std::uint64_t{0}, size / 2})
                cases.push_back(make(other_size_name(size, tail), matrix(3, 2 * size + tail, size),
                                     [&](std::uint64_t line, std::uint64_t at) {
                                         const Code value = maker.ordinary(line * 3 * size + at);
                                         return value + (static_cast<Code>(at / size) << f.fraction_bits);
                                     }));
    // Those that follow came later: the numbers of the others are known. Of a tail no lane may be left out either.
    if (n > 2)
        cases.push_back(make(
            "the maximum in each lane of a tail", matrix(n - 1, 2 * n - 1, n),
            [&](std::uint64_t line, std::uint64_t at) {
                return at == n + line ? maker.normal(5, 0) : maker.ordinary(at);
            },
            [](std::uint64_t line) { return fmt::format("lane {}", line); }));
    // A NaN of which one bit is overlooked is an Inf.
    const auto bits = static_cast<std::uint64_t>(f.fraction_bits);
    cases.push_back(make(
        "a NaN of each payload bit", matrix(2 * bits, n, n),
        [&](std::uint64_t line, std::uint64_t at) {
            const Code nan = f.inf_code() | Code{1} << line / 2;
            if (at != line % n) return maker.ordinary(at);
            return line % 2 != 0 ? maker.negative(nan) : nan;
        },
        [n](std::uint64_t line) {
            return fmt::format("{}NaN with payload bit {} in lane {}", line % 2 != 0 ? "-" : "", line / 2, line % n);
        }));
    for (const Extent& shape : wide_shapes(n)) cases.push_back(places_case(f, matrix(shape.rows, shape.columns, n)));
    // Vectors and groups of blocks in which all values are alike may take a path of their own.
    const BlockMatrix alike = matrix(whole_lines, 4 * n, n);
    for (const Special& special : specials)
        cases.push_back(make(fmt::format("{} blocks of nothing but {}", alike.blocks(), special.name), alike,
                             [&](std::uint64_t, std::uint64_t) { return special.code; }));
    cases.push_back(make(fmt::format("{} blocks of zeros", alike.blocks()), alike,
                         [&](std::uint64_t, std::uint64_t at) { return at % 3 == 0 ? f.sign_bit() : Code{0}; }));
    cases.push_back(subnormals_case(f, *quantize.format.element, alike));
    // A block must not affect the others of its line: one special value, or nothing else, in each block of four.
    std::vector<Special> in_line = specials;
    in_line.push_back({"0", 0});
    while (in_line.size() % 4 != 0) in_line.push_back(in_line.front()); // sides of 32: others may be refused
    cases.push_back(make(
        "special values in a block of a line", matrix(8 * in_line.size(), 4 * n, n),
        [&](std::uint64_t line, std::uint64_t at) {
            const bool is_special = at / n == line % 4 && (line % 8 < 4 || at % n == line % n);
            return is_special ? in_line[line / 8].code : maker.ordinary(line * 4 * n + at);
        },
        [&](std::uint64_t line) {
            return fmt::format("{} in block {}{}", in_line[line / 8].name, line % 4,
                               line % 8 < 4 ? ", everywhere" : "");
        }));
    for (const Extent& shape : tiled_shapes(n)) cases.push_back(places_case(f, matrix(shape.rows, shape.columns, n)));
    for (const bool is_large : {true, false})
        cases.push_back(alike_scales_case(f, is_large, matrix(many_lines, 4 * n, n)));
    for (const KindShape& shape : kind_shapes(block_kinds(f).period(), n, quantize.block == 0))
        cases.push_back(kinds_case(f, matrix(shape.lines, shape.length, shape.block)));
    return cases;
}

std::vector<DequantizeCase> dequantize_cases(const Dequantize& dequantize, unsigned block) {
    std::vector<DequantizeCase> cases;
    const std::uint64_t n = block;
    const auto add = [&](const std::string& name, std::uint64_t lines, std::uint64_t length, std::uint64_t size) {
        cases.push_back(places_case(dequantize, name, BlockMatrix{dequantize.axis, lines, length, size}));
    };
    add("one element", 1, 1, n);
    add("lines of several blocks", 67, 3 * n, n);
    add("a square", 2 * n, 2 * n, n);
    add("512 lines of 512", 512, 512, n);
    for (const std::uint64_t tail : {std::uint64_t{1}, n / 2, n - 1})
        if (tail != 0 && tail < n) add(fmt::format("a tail of {}", tail), 5, n + tail, n);
    if (dequantize.block == 0)
        for (const std::uint64_t size : other_sizes)
            for (const std::uint64_t tail : {std::uint64_t{0}, size / 2})
                add(other_size_name(size, tail), 3, 2 * size + tail, size);
    for (const std::vector<Extent>& shapes : {wide_shapes(n), tiled_shapes(n)})
        for (const Extent& shape : shapes)
            add(fmt::format("{} lines of {}", shape.rows, shape.columns), shape.rows, shape.columns, n);
    const BlockMatrix many{dequantize.axis, many_lines, 4 * n, n};
    cases.push_back(scales_case(dequantize, many));
    cases.push_back(alike_scales_case(dequantize, "large", formats::e8m0.max_code() - alike_scales + 1, many));
    cases.push_back(alike_scales_case(dequantize, "small", 0, many));
    for (const Special& special : element_specials(*dequantize.element)) {
        cases.push_back(
            places_case(dequantize, fmt::format("{} blocks of nothing but {}", many.blocks(), special.name), many));
        std::fill(cases.back().elements.begin(), cases.back().elements.end(), special.code);
    }
    cases.push_back(places_case(dequantize, fmt::format("{} blocks with NaN for a scale", many.blocks()), many));
    std::fill(cases.back().scales.begin(), cases.back().scales.end(), formats::e8m0.max_code() + 1);
    const std::uint64_t lines = element_block_kinds(*dequantize.element).period();
    for (const KindShape& shape : kind_shapes(lines, n, dequantize.block == 0))
        cases.push_back(kinds_case(dequantize, {dequantize.axis, shape.lines, shape.length, shape.block}));
    return cases;
}

QuantizeCase square_case(const Quantize& quantize, unsigned block) {
    return kinds_case(*quantize.format.value, BlockMatrix{quantize.axis, square, square, block});
}

DequantizeCase square_case(const Dequantize& dequantize, unsigned block) {
    return kinds_case(dequantize, BlockMatrix{dequantize.axis, square, square, block});
}

QuantizeCase large_case(const Quantize& quantize, unsigned block) {
    return places_case(*quantize.format.value, BlockMatrix{quantize.axis, large, large, block});
}

DequantizeCase large_case(const Dequantize& dequantize, unsigned block) {
    return places_case(dequantize, fmt::format("{} lines of {}", large, large),
                       BlockMatrix{dequantize.axis, large, large, block});
}

frames::RunCase run_of(const Quantize& quantize, const QuantizeCase& quantize_case) {
    frames::RunCase run_case = run_of(quantize, quantize_case.matrix);
    for (std::uint64_t line = 0; line < quantize_case.matrix.lines; ++line)
        for (std::uint64_t at = 0; at < quantize_case.matrix.length; ++at)
            run_case.inputs[0].set(quantize_case.matrix.place(line, at),
                                   quantize_case.values[line * quantize_case.matrix.length + at]);
    return run_case;
}

frames::RunCase run_of(const Dequantize& dequantize, const DequantizeCase& dequantize_case) {
    frames::RunCase run_case = run_of(dequantize, dequantize_case.matrix);
    for (std::uint64_t line = 0; line < dequantize_case.matrix.lines; ++line) {
        for (std::uint64_t at = 0; at < dequantize_case.matrix.length; ++at)
            run_case.inputs[0].set(dequantize_case.matrix.place(line, at),
                                   dequantize_case.elements[line * dequantize_case.matrix.length + at]);
        for (std::uint64_t b = 0; b < dequantize_case.matrix.blocks_in_line(); ++b)
            run_case.inputs[1].set(dequantize_case.matrix.scale_place(line, b),
                                   dequantize_case.scales[line * dequantize_case.matrix.blocks_in_line() + b]);
    }
    return run_case;
}

namespace {

/// The last n of these, once more.
template <class T> void repeat_last(std::vector<T>& all, std::uint64_t n) {
    const std::size_t begin = all.size() - static_cast<std::size_t>(n);
    for (std::size_t i = begin; i < begin + n; ++i) all.push_back(T(all[i]));
}

} // namespace

QuantizeCase filled(QuantizeCase quantize_case) {
    for (; quantize_case.matrix.lines % whole_lines != 0; ++quantize_case.matrix.lines) {
        repeat_last(quantize_case.values, quantize_case.matrix.length);
        if (!quantize_case.lines.empty()) repeat_last(quantize_case.lines, 1);
    }
    return quantize_case;
}

DequantizeCase filled(DequantizeCase dequantize_case) {
    for (; dequantize_case.matrix.lines % whole_lines != 0; ++dequantize_case.matrix.lines) {
        repeat_last(dequantize_case.elements, dequantize_case.matrix.length);
        repeat_last(dequantize_case.scales, dequantize_case.matrix.blocks_in_line());
    }
    return dequantize_case;
}

namespace {

/// A matrix of those sizes, which are rows and columns, and values of a block where `declared` is 0.
BlockMatrix matrix_of(Axis axis, unsigned declared, const cases::GivenCase& given_case) {
    const std::uint64_t block = declared == 0 ? given_case.sizes[2] : declared;
    const std::uint64_t rows = given_case.sizes[0];
    const std::uint64_t columns = given_case.sizes[1];
    return axis == Axis::row ? BlockMatrix{axis, rows, columns, block} : BlockMatrix{axis, columns, rows, block};
}

} // namespace

QuantizeCase case_of(const Quantize& quantize, const cases::GivenCase& given_case) {
    QuantizeCase quantize_case{"this case", {}, matrix_of(quantize.axis, quantize.block, given_case), {}};
    for (std::uint64_t line = 0; line < quantize_case.matrix.lines; ++line)
        for (std::uint64_t at = 0; at < quantize_case.matrix.length; ++at)
            quantize_case.values.push_back(given_case.tensors[0][quantize_case.matrix.place(line, at)]);
    return quantize_case;
}

DequantizeCase case_of(const Dequantize& dequantize, const cases::GivenCase& given_case) {
    DequantizeCase dequantize_case{"this case", matrix_of(dequantize.axis, dequantize.block, given_case), {}, {}};
    for (std::uint64_t line = 0; line < dequantize_case.matrix.lines; ++line) {
        for (std::uint64_t at = 0; at < dequantize_case.matrix.length; ++at)
            dequantize_case.elements.push_back(given_case.tensors[0][dequantize_case.matrix.place(line, at)]);
        for (std::uint64_t b = 0; b < dequantize_case.matrix.blocks_in_line(); ++b)
            dequantize_case.scales.push_back(given_case.tensors[1][dequantize_case.matrix.scale_place(line, b)]);
    }
    return dequantize_case;
}

} // namespace mxcert::suites
