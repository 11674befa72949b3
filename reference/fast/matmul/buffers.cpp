// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/matmul/buffers.hpp"

#include <functional>
#include <stdexcept>
#include <string>

namespace mxcert::fast {
namespace {

void require_matrix(const void* matrix, bool needed, const char* name) {
    if (needed && matrix == nullptr) throw std::invalid_argument(std::string("the matrix ") + name + " is missing");
}

/// Throws if D shares memory with what it is made of.
void require_apart(const MatmulJob& job) {
    const auto& [format, shape, operands, d] = job;
    const std::less<> before;
    const auto at = [](const void* begin, std::size_t bytes) { return static_cast<const std::byte*>(begin) + bytes; };
    const std::size_t of_d = shape.m * shape.n * static_cast<std::size_t>(format.to->bytes());
    const void* const begin = d;
    const void* const end = at(d, of_d);
    const auto check_one = [&](const char* name, const Format* of_matrix, const void* matrix, std::size_t n) {
        if (of_matrix == nullptr || matrix == nullptr || n == 0 || begin == end) return;
        const std::size_t bytes = n * static_cast<std::size_t>(of_matrix->bytes());
        if (before(matrix, end) && before(begin, at(matrix, bytes)))
            throw std::invalid_argument(std::string("D lies over ") + name);
    };
    check_one("A", format.a, operands.a, shape.m * shape.k);
    check_one("B", format.b, operands.b, shape.n * shape.k);
    check_one("the scales of A", format.scale_a, operands.scales_a, shape.a_scales());
    check_one("the scales of B", format.scale_b, operands.scales_b, shape.b_scales());
    check_one("C", format.c, operands.c, shape.m * shape.n);
}

void require_codes(const Format* format, const void* codes, std::size_t n) {
    if (format == nullptr || format->width() == 8 * format->bytes()) return;
    for (std::size_t i = 0; i < n; ++i)
        if (load_at(*format, codes, i) > format->last_code())
            throw std::out_of_range("a code is wider than its format " + std::string(format->name));
}

} // namespace

void MatmulJob::gather(std::size_t row, std::size_t column, DotLine& line) const {
    line.a.resize(shape.k);
    line.b.resize(shape.k);
    for (std::size_t l = 0; l < shape.k; ++l) {
        line.a[l] = load_at(*format.a, operands.a, shape.a_at(row, l));
        line.b[l] = load_at(*format.b, operands.b, shape.b_at(l, column));
    }
    line.scales_a.resize(format.scale_a == nullptr ? 0 : shape.a_scale.count_along(shape.k));
    line.scales_b.resize(format.scale_b == nullptr ? 0 : shape.b_scale.count_along(shape.k));
    for (std::size_t t = 0; t < line.scales_a.size(); ++t)
        line.scales_a[t] = load_at(*format.scale_a, operands.scales_a, shape.a_scale_at(row, t));
    for (std::size_t t = 0; t < line.scales_b.size(); ++t)
        line.scales_b[t] = load_at(*format.scale_b, operands.scales_b, shape.b_scale_at(t, column));
}

void check(const MatmulJob& job) {
    const auto& [format, shape, operands, d] = job;
    mxcert::check(shape);
    require_matrix(operands.a, shape.m * shape.k != 0, "A");
    require_matrix(operands.b, shape.n * shape.k != 0, "B");
    require_matrix(operands.scales_a, format.scale_a != nullptr, "of the scales of A");
    require_matrix(operands.scales_b, format.scale_b != nullptr, "of the scales of B");
    require_matrix(operands.c, format.c != nullptr, "C");
    require_codes(format.a, operands.a, shape.m * shape.k);
    require_codes(format.b, operands.b, shape.n * shape.k);
    require_codes(format.scale_a, operands.scales_a, shape.a_scales());
    require_codes(format.scale_b, operands.scales_b, shape.b_scales());
    require_matrix(d, shape.m * shape.n != 0, "D");
    require_apart(job);
}

} // namespace mxcert::fast
