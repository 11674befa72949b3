// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/cases.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "reference/random.hpp"

namespace mxcert {
namespace {

constexpr std::array<std::uint64_t, 7> other_sizes{1, 2, 3, 16, 64, 128, 1024};

/// Values of a format by their exponent, all of whose fractions are in reach.
class Maker {
  public:
    explicit Maker(const Format& format) : format_(format) {}

    /// 2^exponent * (1 + fraction / 2^fraction_bits); exponents are cut to those of normal values.
    [[nodiscard]] Code normal(int exponent, Code fraction) const {
        const int lowest = format_.emin();
        const int field = std::clamp(exponent, lowest, format_.emax()) + format_.bias;
        return static_cast<Code>(field) << format_.fraction_bits | (fraction & format_.fraction_mask());
    }
    [[nodiscard]] Code negative(Code code) const { return code | format_.sign_bit(); }
    /// A value of its own for each number, between 1 and 2, with a sign.
    [[nodiscard]] Code ordinary(std::uint64_t number) const {
        const std::uint64_t word = SplitMix64::at(ordinary_seed, number);
        return normal(0, word) | ((word >> 63) != 0 ? format_.sign_bit() : 0);
    }

  private:
    static constexpr std::uint64_t ordinary_seed = 0x0B10C;
    const Format& format_;
};

/// Fills a case line by line: value(line, position) and about(line).
QuantizeCase make(const std::string& name, const BlockMatrix& matrix,
                  const std::function<Code(std::uint64_t, std::uint64_t)>& value,
                  const std::function<std::string(std::uint64_t)>& about = {}) {
    QuantizeCase made{name, {}, matrix, {}};
    for (std::uint64_t line = 0; line < matrix.lines; ++line) {
        made.lines.push_back(about ? about(line) : "");
        for (std::uint64_t at = 0; at < matrix.length; ++at) made.values.push_back(value(line, at));
    }
    return made;
}

struct Special {
    std::string_view name;
    Code code;
};

std::vector<Special> specials_of(const Format& f) {
    const Code quiet = f.inf_code() + (Code{1} << (f.fraction_bits - 1));
    return {{"NaN", quiet},
            {"-NaN", quiet | f.sign_bit()},
            {"a signaling NaN", f.inf_code() + 1},
            {"Inf", f.inf_code()},
            {"-Inf", f.inf_code() | f.sign_bit()},
            {"-0", f.sign_bit()},
            {"the smallest subnormal", 1},
            {"the largest subnormal", f.fraction_mask()},
            {"the largest value", f.max_code()},
            {"-the largest value", f.max_code() | f.sign_bit()}};
}

} // namespace

std::string QuantizeCase::title(std::uint64_t line) const {
    return lines[line].empty() ? fmt::format("{}: line {}", name, line) : fmt::format("{}: {}", name, lines[line]);
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
            const std::uint64_t some = specials.size();
            return at % 2 == 0 ? specials[line % some].code : specials[line / some].code;
        },
        [&](std::uint64_t line) {
            const std::uint64_t some = specials.size();
            return line % some == line / some
                       ? fmt::format("nothing but {}", specials[line % some].name)
                       : fmt::format("{} and {}", specials[line % some].name, specials[line / some].name);
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
    // Shapes of more blocks than one either way. The exponent is another one from block to block.
    struct Shape {
        std::uint64_t lines;
        std::uint64_t length;
    };
    for (const Shape& shape : {Shape{1, 1}, Shape{3, 1}, Shape{1, 7 * n}, Shape{67, 3 * n}, Shape{2 * n, 2 * n}}) {
        const BlockMatrix places = matrix(shape.lines, shape.length, n);
        cases.push_back(make(fmt::format("{} lines of {}", shape.lines, shape.length), places,
                             [&](std::uint64_t line, std::uint64_t at) {
                                 const std::uint64_t number = line * places.blocks_in_line() + at / n;
                                 const int range = f.emax() - f.emin() - 8;
                                 const int exponent = f.emin() + 4 + static_cast<int>(number * 5 % Code(range));
                                 const Code value = maker.ordinary(line * shape.length + at);
                                 return maker.normal(exponent, value) | (value & f.sign_bit());
                             }));
    }
    // Another size of the block than the one all else is asked with.
    if (quantize.block == 0)
        for (const std::uint64_t size : other_sizes)
            cases.push_back(make(fmt::format("blocks of {}", size), matrix(3, 2 * size + size / 2, size),
                                 [&](std::uint64_t line, std::uint64_t at) {
                                     const Code value = maker.ordinary(line * 3 * size + at);
                                     return value + (static_cast<Code>(at / size) << f.fraction_bits);
                                 }));
    return cases;
}

std::vector<DequantizeCase> dequantize_cases(const Dequantize& dequantize, unsigned block) {
    std::vector<DequantizeCase> cases;
    const std::uint64_t n = block;
    const auto add = [&](const std::string& name, std::uint64_t lines, std::uint64_t length, std::uint64_t size) {
        DequantizeCase made{name, BlockMatrix{dequantize.axis, lines, length, size}, {}, {}};
        // Finite elements, and scales around 1: a value tells both.
        for (std::uint64_t i = 0; i < made.matrix.elements(); ++i)
            made.elements.push_back(i * 37 % dequantize.element->max_code() + 1);
        for (std::uint64_t i = 0; i < made.matrix.blocks(); ++i) made.scales.push_back(120 + i * 5 % 13);
        cases.push_back(std::move(made));
    };
    add("one element", 1, 1, n);
    add("lines of several blocks", 67, 3 * n, n);
    add("a square", 2 * n, 2 * n, n);
    for (const std::uint64_t tail : {std::uint64_t{1}, n / 2, n - 1})
        if (tail != 0 && tail < n) add(fmt::format("a tail of {}", tail), 5, n + tail, n);
    if (dequantize.block == 0)
        for (const std::uint64_t size : other_sizes)
            add(fmt::format("blocks of {}", size), 3, 2 * size + size / 2, size);
    return cases;
}

} // namespace mxcert
