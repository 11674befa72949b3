// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/zero_cases.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace mxcert::suites {
namespace {

constexpr std::size_t m = 3;
constexpr std::size_t n = 2;

/// A product of 1 and -1, in which one operand gets zeros and the other what they must not hide.
class ZeroMaker {
  public:
    ZeroMaker(const Matmul& matmul, const TakeMatmulCase& take)
        : matmul_(matmul), take_(take), block_(std::max({matmul.a_scale.along, matmul.b_scale.along, std::size_t{32}})),
          k_(block_ + 5), base_(zero_case(matmul, m, n, k_)) {
        for (std::size_t i = 0; i < base_.a.size(); ++i) base_.a[i] = code_of(*matmul.format.a, i % 3 == 0 ? -1 : 1);
        for (std::size_t i = 0; i < base_.b.size(); ++i) base_.b[i] = code_of(*matmul.format.b, i % 3 == 0 ? -1 : 1);
    }

    void elements(bool zeros_in_a) {
        const Format& other = zeros_in_a ? *matmul_.format.b : *matmul_.format.a;
        if (other.has_nan()) elements(zeros_in_a, "NaN", nan_of(other));
        if (other.has_inf()) elements(zeros_in_a, "Inf", other.inf_code());
    }

    void scales(bool zeros_in_a, bool scale_of_a) {
        const Format* const scale = scale_of_a ? matmul_.format.scale_a : matmul_.format.scale_b;
        if (scale == nullptr || !scale->has_nan()) return;
        std::vector<Code> MatmulCase::*const scales = scale_of_a ? &MatmulCase::scales_a : &MatmulCase::scales_b;
        for (std::size_t t = 0; t < (base_.*scales).size(); ++t)
            take(fmt::format("NaN as scale {} of {}, and nothing but zeros in {}", t, name_of(scale_of_a),
                             name_of(zeros_in_a)),
                 zeros_in_a, 0, k_, [&](MatmulCase& matmul_case) { (matmul_case.*scales)[t] = nan_of(*scale); });
        const std::size_t along = scale_of_a ? matmul_.a_scale.along : matmul_.b_scale.along;
        for (std::size_t t = 0; along != 0 && t * along < k_; ++t)
            take(fmt::format("NaN as a scale of {}, and zeros in its block {} of {}", name_of(scale_of_a), t,
                             name_of(zeros_in_a)),
                 zeros_in_a, t * along, (t + 1) * along, [&](MatmulCase& matmul_case) {
                     const MatmulShape& shape = matmul_case.shape;
                     (matmul_case.*scales)[scale_of_a ? shape.a_scale_at(0, t) : shape.b_scale_at(t, 0)] =
                         nan_of(*scale);
                 });
    }

    void all_scales() {
        const Format* const scale = matmul_.format.scale_a;
        if (scale == nullptr || !scale->has_nan()) return;
        take("NaN as every scale", true, 0, 0, [&](MatmulCase& matmul_case) {
            std::fill(matmul_case.scales_a.begin(), matmul_case.scales_a.end(), nan_of(*scale));
            std::fill(matmul_case.scales_b.begin(), matmul_case.scales_b.end(), nan_of(*matmul_.format.scale_b));
        });
    }

  private:
    static const char* name_of(bool of_a) { return of_a ? "A" : "B"; }

    void elements(bool zeros_in_a, const char* what, Code code) {
        const char* const zeros = name_of(zeros_in_a);
        for (std::size_t l = 0; l < k_; ++l) {
            const auto beside = [&](MatmulCase& matmul_case) {
                const MatmulShape& shape = matmul_case.shape;
                if (zeros_in_a)
                    matmul_case.b[shape.b_at(l, l % n)] = code;
                else
                    matmul_case.a[shape.a_at(l % m, l)] = code;
            };
            take(fmt::format("{} times zero in {} at {}", what, zeros, l), zeros_in_a, l, l + 1, beside);
            if (l % 5 != 0 && l + 1 != k_) continue;
            const std::size_t first = l / block_ * block_;
            take(fmt::format("{} at {} times a block of zeros in {}", what, l, zeros), zeros_in_a, first,
                 first + block_, beside);
            take(fmt::format("{} at {}, and nothing but zeros in {}", what, l, zeros), zeros_in_a, 0, k_, beside);
        }
    }

    template <class Change>
    void take(const std::string& name, bool in_a, std::size_t first, std::size_t last, const Change& change) {
        if (!more_) return;
        MatmulCase matmul_case = base_;
        matmul_case.name = name;
        const MatmulShape& shape = matmul_case.shape;
        for (std::size_t l = first; l < std::min(last, k_); ++l)
            for (std::size_t line = 0; line < (in_a ? m : n); ++line)
                (in_a ? matmul_case.a[shape.a_at(line, l)] : matmul_case.b[shape.b_at(l, line)]) = 0;
        change(matmul_case);
        more_ = take_(matmul_case);
    }

    const Matmul& matmul_;
    const TakeMatmulCase& take_;
    std::size_t block_;
    std::size_t k_;
    MatmulCase base_;
    bool more_ = true;
};

} // namespace

void for_each_zero_case(const Matmul& matmul, const TakeMatmulCase& take) {
    ZeroMaker maker(matmul, take);
    for (const bool zeros_in_a : {true, false}) {
        maker.elements(zeros_in_a);
        for (const bool scale_of_a : {true, false}) maker.scales(zeros_in_a, scale_of_a);
    }
    maker.all_scales();
}

} // namespace mxcert::suites
