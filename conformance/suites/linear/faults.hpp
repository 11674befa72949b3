// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/suites/linear/cases.hpp"
#include "conformance/suites/matmul/faults.hpp"

namespace mxcert::suites {

/// What a wrong layer computes: the right product of these.
struct LinearMade {
    Linear linear;
    LinearCase one;
    const Format* kept = nullptr;            ///< the format that D is kept in before it is rounded; null: none
    const MatmulFault* of_product = nullptr; ///< what is wrong with the product of its operands; null: nothing
    void (*change_amaxes)(Code& left, Code& right) = nullptr; ///< of an epilogue; null: they are right
};

/// The product of its operands, with what is wrong with that.
[[nodiscard]] MatmulCase product_of(const LinearMade& quantized);

/// A way to compute a wrong product of a layer.
struct LinearFault {
    std::string name;           ///< "left in blocks across the sum"
    std::string_view bug_class; ///< the id of its class
    /// Nothing if it makes no difference, or the accumulator does not take what comes of it.
    std::function<std::optional<LinearMade>(const Operation&, const LinearCase&)> edit;
};

/// Every fault that is known.
[[nodiscard]] const std::vector<LinearFault>& linear_faults();

/// A value of C or D as it comes out of the other format: rounded to it, saturating if it is one of eight bits, and
/// back.
[[nodiscard]] Code kept_in(const Format& kept, const Format& output, Code code);

} // namespace mxcert::suites
