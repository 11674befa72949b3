// SPDX-License-Identifier: Apache-2.0
#include "reference/dot/epilogue.hpp"

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

/// 1 / (6 x 6 x 448 x 448) in binary32, as Transformer Engine 0191035 common/recipe/nvfp4.cu has it.
constexpr Code inverse_square_of_2688 = 0x34149B93;

constexpr Epilogue epilogue_table[] = {
    {"product", "sum x (scale of A x scale of B) + bias, each rounded", true, false},
    {"product_fma", "sum x (scale of A x scale of B) + bias, the last two rounded once", true, true},
    {"in_turn", "(sum x scale of A) x scale of B + bias, each rounded", false, false},
    {"in_turn_fma", "(sum x scale of A) x scale of B + bias, the last two rounded once", false, true},
    {"te_nvfp4", "sum x ((amax of A x amax of B) x 1/2688^2) + bias, each rounded", true, false,
     inverse_square_of_2688},
};

} // namespace

std::span<const Epilogue> epilogues() { return epilogue_table; }

const Epilogue& epilogue(std::string_view name) { return find_named("epilogue", name, epilogues()); }

} // namespace mxcert
