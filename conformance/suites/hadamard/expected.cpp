// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/hadamard/expected.hpp"

#include "conformance/suites/models_agree.hpp"
#include "reference/exact/recipe/hadamard.hpp"
#include "reference/fast/recipe/hadamard.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t first_groups = 1U << 12U;
constexpr std::uint64_t one_group_in = 16;

} // namespace

std::vector<recipe::HadamardValue> HadamardExpected::of(std::span<const Code> group) {
    std::vector<recipe::HadamardValue> values = fast::hadamard(transform_, source_, target_, group);
    const std::uint64_t number = asked_++;
    if (number < first_groups || number % one_group_in == 0)
        must_agree(exact::hadamard(transform_, source_, target_, group) == values, "a Hadamard transform");
    return values;
}

} // namespace mxcert::suites
