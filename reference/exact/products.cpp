// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/products.hpp"

#include <algorithm>

namespace mxcert::exact {

namespace {

/// A value; +0 where it is below the smallest normal number of a format.
Value flushed_below(const Format& smallest_of, const Value& value) {
    return value.kind == Kind::finite && value.magnitude < power_of_two(smallest_of.emin()) ? Value{} : value;
}

} // namespace

Value Products::operand(const Format& format, Code code) const {
    const Value value = decode(format, code);
    if (!model_.flush) return value;
    return flushed_below(model_.flushed_as == nullptr ? format : *model_.flushed_as, value);
}

Value Products::c() const {
    const Value value = decode(*model_.result, operands_.c);
    return model_.flush ? flushed_below(*model_.result, value) : value;
}

Value Products::scale(const Format* format, std::span<const Code> scales, std::size_t block, std::size_t i) const {
    if (format == nullptr) return {Kind::finite, false, 1, 0};
    Value value = decode(*format, scales[block == 0 ? 0 : i / block]);
    if (model_.scale_use == ScaleUse::terms) value.negative = false;
    return value;
}

Value Products::product(std::size_t i) const {
    const Value a = operand(*format_.a, operands_.a[i]);
    const Value b = operand(*format_.b, operands_.b[i]);
    if (model_.scale_use == ScaleUse::promotion) return times(a, b);
    return times(times(a, scale_a(i)), times(b, scale_b(i)));
}

int Products::exponent(const Format& format, const Value& value) const {
    if (value.magnitude.is_zero()) return model_.zero_exponent;
    return std::max(floor_log2(value.magnitude), format.emin());
}

int Products::scale_exponent(std::size_t i) const {
    int sum = 0;
    if (model_.scale_use == ScaleUse::promotion) return sum;
    if (format_.scale_a != nullptr) sum += exponent(*format_.scale_a, scale_a(i));
    if (format_.scale_b != nullptr) sum += exponent(*format_.scale_b, scale_b(i));
    return sum;
}

std::vector<AlignedTerm> Products::terms(std::size_t begin, std::size_t end, std::size_t stride) const {
    std::vector<AlignedTerm> all;
    if (model_.sum == GroupSum::scaled_terms) {
        for (std::size_t first = begin; first < end; first += scaled_term_size) {
            Rational sum = 0;
            for (std::size_t i = first; i < std::min(first + scaled_term_size, end); ++i) sum += number(product(i));
            all.push_back({sum, scale_exponent(first)});
        }
        return all;
    }
    for (std::size_t i = begin; i < end; i += stride) {
        const int e = exponent(*format_.a, operand(*format_.a, operands_.a[i])) +
                      exponent(*format_.b, operand(*format_.b, operands_.b[i])) + scale_exponent(i);
        all.push_back({number(product(i)), e});
    }
    return all;
}

} // namespace mxcert::exact
