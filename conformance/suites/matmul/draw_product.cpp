// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/matmul/draw_product.hpp"

#include <algorithm>

#include "conformance/suites/draw_matrix.hpp"

namespace mxcert::suites {
namespace {

constexpr int widest_element = 8; ///< bits

/// Numbers of either sign near 1, or as elements are.
std::vector<Code> draw_numbers(SplitMix64& random, std::uint64_t codes, const Format& format) {
    if (random.below(4) == 0) return draw_elements(random, codes, format);
    std::vector<Code> drawn = draw_scales(random, codes, format, {});
    for (Code& code : drawn)
        if (random.below(2) != 0) code |= format.sign_bit();
    return drawn;
}

} // namespace

void draw_operands(SplitMix64& random, const cases::CaseForm& form, cases::GivenCase& given_case) {
    given_case.tensors.clear();
    for (const cases::FormTensor& tensor : form.tensors) {
        const std::uint64_t codes = count(cases::extent_of(tensor, given_case.sizes), tensor.name);
        const Format& format = *tensor.format;
        if (tensor.plain != 0)
            given_case.tensors.push_back(draw_scales(random, codes, format, {}));
        else if (format.value_width() <= widest_element)
            given_case.tensors.push_back(draw_elements(random, codes, format));
        else
            given_case.tensors.push_back(draw_numbers(random, codes, format));
    }
}

cases::GivenCase draw_product(SplitMix64& random, const cases::CaseForm& form, std::uint64_t most) {
    cases::GivenCase given_case;
    for (const cases::CaseForm::AxisOf& axis : form.axes)
        given_case.sizes.push_back(draw_extent(random, {1, axis.unit}).columns);
    const auto products = [&] { return given_case.sizes[0] * given_case.sizes[1] * given_case.sizes[2]; };
    while (products() > most) {
        std::uint64_t& longest = *std::max_element(given_case.sizes.begin(), given_case.sizes.end());
        longest = (longest + 1) / 2;
    }
    draw_operands(random, form, given_case);
    return given_case;
}

} // namespace mxcert::suites
