// SPDX-License-Identifier: Apache-2.0
#include "vectors/export/permit_conditions.hpp"

namespace mxcert {

std::vector<std::string> conditions_of(const Permit& permit, const Format& to, const ConditionWords& words) {
    std::vector<std::string> conditions;
    for (const Code code : permit.codes) conditions.push_back(words.equal(code));
    if (!permit.any_nan) return conditions;
    if (to.specials == Specials::ieee) {
        conditions.push_back(words.greater(to.exponent_bits + to.fraction_bits, to.inf_code()));
    } else { // a code, or one of each sign
        const Code nan = to.specials == Specials::nan_minus_zero ? to.sign_bit() : to.magnitude_mask();
        conditions.push_back(words.equal(nan));
        if (to.is_signed && to.specials == Specials::nan_all_ones)
            conditions.push_back(words.equal(nan | to.sign_bit()));
    }
    return conditions;
}

} // namespace mxcert
