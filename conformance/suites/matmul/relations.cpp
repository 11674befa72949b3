// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/relations.hpp"

#include <algorithm>

#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"

namespace mxcert::suites {
namespace {

constexpr int shift = 3; ///< the power of two that operands are moved by

constexpr std::size_t sizes[][3] = {{16, 16, 64}, {32, 16, 128}, {17, 5, 67}};

int exponent_of(const Format& format, Code code) { return exact::floor_log2(exact::decode(format, code).magnitude); }

/// Whether numbers of the format can be moved.
bool has_room(const Format& format) { return exponent_of(format, format.max_code()) - format.emin() > 2 * shift; }

/// Normal numbers of a few binades, of either sign where the format has one; below the largest binade, which may have
/// NaN, and where there is room such that they can be moved down.
class Numbers {
  public:
    Numbers(const Format& format, int low, int high)
        : format_(format), low_(std::max(low, format.emin() + (has_room(format) ? shift : 0))),
          high_(std::min(high, exponent_of(format, format.max_code()) - 1)) {}

    Code operator()(SplitMix64& random) const {
        const auto binade = static_cast<Code>(
            low_ + static_cast<int>(random.below(static_cast<std::uint64_t>(high_ - low_ + 1))) + format_.bias);
        const bool negative = random.below(2) == 0;
        return format_.with_sign(
            binade << static_cast<unsigned>(format_.fraction_bits) | (random() & format_.fraction_mask()), negative);
    }
    void fill(std::vector<Code>& codes, SplitMix64& random) const {
        for (Code& code : codes) code = (*this)(random);
    }

  private:
    const Format& format_;
    int low_;
    int high_;
};

/// Rounding that treats both signs alike.
bool is_symmetric(const Accumulator& accumulator) {
    return accumulator.align != Rounding::down && accumulator.addend != Addend::aligned_down &&
           (accumulator.rounding == Rounding::nearest_even || accumulator.rounding == Rounding::toward_zero ||
            accumulator.rounding == Rounding::to_odd);
}

void negate(std::vector<Code>& codes, const Format& format) {
    for (Code& code : codes) code = format.negate(code);
}

/// All numbers times 2^-shift; they are normal before and after.
void move_down(std::vector<Code>& codes, const Format& format) {
    for (Code& code : codes) code -= Code{shift} << static_cast<unsigned>(format.fraction_bits);
}

/// Makes the relations of one pair of operands.
class RelationMaker {
  public:
    RelationMaker(const Matmul& matmul, const MatmulCase& first, SplitMix64& random, const Numbers& of_a,
                  const Numbers& of_b)
        : matmul_(matmul), first_(first), random_(random), of_a_(of_a), of_b_(of_b) {}

    [[nodiscard]] bool take_all(const TakeMatmulRelation& take) const {
        const bool symmetric = is_symmetric(*matmul_.accumulator);
        if (symmetric && !(take(negated("A with the other sign", &MatmulCase::a, *matmul_.format.a)) &&
                           take(negated("B with the other sign", &MatmulCase::b, *matmul_.format.b))))
            return false;
        if (!take_moved(take, "A times 2^-3", &MatmulCase::a, matmul_.format.a) ||
            !take_moved(take, "B times 2^-3", &MatmulCase::b, matmul_.format.b) ||
            !take_moved(take, "the scales of A times 2^-3", &MatmulCase::scales_a, matmul_.format.scale_a) ||
            !take_moved(take, "the scales of B times 2^-3", &MatmulCase::scales_b, matmul_.format.scale_b))
            return false;
        return take(other_rows()) && take(other_columns());
    }

  private:
    [[nodiscard]] MatmulRelation same(const char* name) const { return {name, first_, first_, false, 0, {}, {}}; }
    [[nodiscard]] MatmulRelation negated(const char* name, std::vector<Code> MatmulCase::*codes,
                                         const Format& format) const {
        MatmulRelation relation = same(name);
        relation.negated = true;
        negate(relation.second.*codes, format);
        if (matmul_.has_c) negate(relation.second.c, *matmul_.format.c);
        return relation;
    }
    [[nodiscard]] bool take_moved(const TakeMatmulRelation& take, const char* name,
                                  std::vector<Code> MatmulCase::*codes, const Format* format) const {
        if (format == nullptr || !has_room(*format)) return true;
        MatmulRelation relation = same(name);
        relation.power = -shift;
        move_down(relation.second.*codes, *format);
        if (matmul_.has_c) move_down(relation.second.c, *matmul_.format.c);
        return take(relation);
    }
    [[nodiscard]] MatmulRelation other_rows() const {
        MatmulRelation relation = same("another A but for one row");
        relation.row = first_.shape.m / 2;
        of_a_.fill(relation.second.a, random_);
        for (std::size_t l = 0; l < first_.shape.k; ++l) {
            const std::size_t at = first_.shape.a_at(*relation.row, l);
            relation.second.a[at] = first_.a[at];
        }
        return relation;
    }
    [[nodiscard]] MatmulRelation other_columns() const {
        MatmulRelation relation = same("another B but for one column");
        relation.column = first_.shape.n / 2;
        of_b_.fill(relation.second.b, random_);
        for (std::size_t l = 0; l < first_.shape.k; ++l) {
            const std::size_t at = first_.shape.b_at(l, *relation.column);
            relation.second.b[at] = first_.b[at];
        }
        return relation;
    }

    const Matmul& matmul_;
    const MatmulCase& first_;
    SplitMix64& random_;
    const Numbers& of_a_;
    const Numbers& of_b_;
};

} // namespace

void for_each_relation(const Matmul& matmul, std::uint64_t seed, const TakeMatmulRelation& take) {
    // Sums of 128 products stay below 2^14 for a result of FP16, and below 2^40 for others.
    const bool narrow = matmul.format.to->width() <= 16;
    const int high = narrow ? 3 : 16;
    const Numbers of_a(*matmul.format.a, -9, high);
    const Numbers of_b(*matmul.format.b, -9, high);
    const Numbers of_c(*matmul.format.c, narrow ? -8 : -20, narrow ? 8 : 20);
    SplitMix64 random(seed);
    for (const auto& [m, n, k] : sizes) {
        MatmulCase first;
        first.shape = matmul.shape(m, n, k);
        first.a.resize(m * k);
        first.b.resize(k * n);
        first.c.assign(m * n, 0);
        of_a.fill(first.a, random);
        of_b.fill(first.b, random);
        if (matmul.has_c) of_c.fill(first.c, random);
        if (matmul.format.scale_a != nullptr) {
            first.scales_a.resize(first.shape.a_scales());
            first.scales_b.resize(first.shape.b_scales());
            for (Code& code : first.scales_a) code = code_of(*matmul.format.scale_a, random.below(2) == 0 ? 1 : 0.5);
            for (Code& code : first.scales_b) code = code_of(*matmul.format.scale_b, random.below(2) == 0 ? 1 : 0.5);
        }
        if (!RelationMaker(matmul, first, random, of_a, of_b).take_all(take)) return;
    }
}

std::optional<Code> related(const MatmulRelation& relation, const Format& output, Code first) {
    const Code magnitude = first & output.magnitude_mask();
    const auto bits = static_cast<unsigned>(output.fraction_bits);
    if (output.is_nan(first)) return std::nullopt;
    if (magnitude != 0 && relation.power != 0) {
        const auto field = static_cast<int>(magnitude >> bits);
        if (field == 0 || magnitude >= output.max_code() || field + relation.power <= 0) return std::nullopt;
    }
    Code second = relation.negated ? first ^ output.sign_bit() : first;
    if (magnitude != 0) second += static_cast<Code>(static_cast<std::int64_t>(relation.power)) << bits;
    return second;
}

} // namespace mxcert::suites
