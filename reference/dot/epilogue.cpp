// SPDX-License-Identifier: Apache-2.0
#include "reference/dot/epilogue.hpp"

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

constexpr Epilogue table[] = {
    {"product", "sum x (scale of A x scale of B) + bias, each rounded", true, false},
    {"product_fma", "sum x (scale of A x scale of B) + bias, the last two rounded once", true, true},
    {"in_turn", "(sum x scale of A) x scale of B + bias, each rounded", false, false},
    {"in_turn_fma", "(sum x scale of A) x scale of B + bias, the last two rounded once", false, true},
};

} // namespace

std::span<const Epilogue> epilogues() { return table; }

const Epilogue& epilogue(std::string_view name) { return find_named("epilogue", name, epilogues()); }

} // namespace mxcert
