// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/dequantize_nvfp4/expected.hpp"

#include <fmt/format.h>

#include "conformance/suites/models_agree.hpp"
#include "reference/code_text.hpp"
#include "reference/exact/recipe/nvfp4.hpp"
#include "reference/fast/recipe/nvfp4.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::e2m1;
using formats::fp32;

} // namespace

Code Nvfp4Values::of(Code number, Code scale, Code element) {
    const Code elements = e2m1.last_code() + 1;
    if (values_.empty() || number != number_) {
        number_ = number;
        values_.clear();
        const recipe::Nvfp4& choices = dequantize_.recipe->choices;
        const Format& target = *dequantize_.target;
        for (Code of_block = 0; of_block <= choices.scale->last_code(); ++of_block) {
            const Code factor = exact::factor_of(choices, of_block, number);
            const Code by_machine = fast::factor_of(choices, of_block, number);
            must_agree(same(fp32, factor, by_machine),
                       fmt::format("the factor of the scale {} and the number {}", code_text(*choices.scale, of_block),
                                   code_text(fp32, number)));
            for (Code code = 0; code < elements; ++code) {
                values_.push_back(exact::value_of(choices, target, factor, code));
                must_agree(same(target, values_.back(), fast::value_of(choices, target, by_machine, code)), "a value");
            }
        }
    }
    return values_[scale * elements + element];
}

} // namespace mxcert::suites
