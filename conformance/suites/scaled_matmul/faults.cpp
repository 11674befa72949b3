// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/scaled_matmul/faults.hpp"

namespace mxcert::suites {
namespace {

template <bool ScaledWay::*... members> void set(ScaledWay& way) { ((way.*members = true), ...); }
template <AmaxOf of> void amax(ScaledWay& way) { way.amax = of; }

constexpr ScaledFault table[] = {
    {"the bias added before the scales", "EPILOGUE", set<&ScaledWay::bias_first>},
    {"the bias left out", "EPILOGUE", set<&ScaledWay::without_bias>},
    {"the bias of rows", "WRONG_AXIS", set<&ScaledWay::bias_of_rows>},
    {"the scale of A inverted", "SCALE_INVERTED", set<&ScaledWay::inverse_a>},
    {"the scale of B inverted", "SCALE_INVERTED", set<&ScaledWay::inverse_b>},
    {"both scales inverted", "SCALE_INVERTED", set<&ScaledWay::inverse_a, &ScaledWay::inverse_b>},
    {"the scale of A left out", "MISSING_SCALE_DEFAULT", set<&ScaledWay::without_a>},
    {"the scale of B left out", "MISSING_SCALE_DEFAULT", set<&ScaledWay::without_b>},
    {"the first scale of A for all rows", "OOB_SCALE", set<&ScaledWay::first_of_a>},
    {"the first scale of B for all columns", "OOB_SCALE", set<&ScaledWay::first_of_b>},
    {"the scale of D inverted", "SCALE_INVERTED", set<&ScaledWay::inverse_d>},
    {"the scale of D left out", "MISSING_SCALE_DEFAULT", set<&ScaledWay::without_d>},
    {"values rounded to BF16 on their way to D", "OUTPUT_QUANT_POLICY", set<&ScaledWay::through_bf16>},
    {"the amax of scaled values", "AMAX_OF_OUTPUT", amax<AmaxOf::scaled>},
    {"the amax of D", "AMAX_OF_OUTPUT", amax<AmaxOf::rounded>},
    {"the amax of positive values", "AMAX_SIGN", amax<AmaxOf::positive>},
    {"the epilogue product", "PER_PRODUCT_ROUNDING", [](ScaledWay& way) { way.epilogue = &epilogue("product"); }},
    {"the epilogue product_fma", "PER_PRODUCT_ROUNDING",
     [](ScaledWay& way) { way.epilogue = &epilogue("product_fma"); }},
    {"the epilogue in_turn", "EPILOGUE", [](ScaledWay& way) { way.epilogue = &epilogue("in_turn"); }},
    {"the epilogue in_turn_fma", "EPILOGUE", [](ScaledWay& way) { way.epilogue = &epilogue("in_turn_fma"); }},
    {"the epilogue te_nvfp4", "SCALING_RECIPE", [](ScaledWay& way) { way.epilogue = &epilogue("te_nvfp4"); }},
};

} // namespace

std::span<const ScaledFault> scaled_faults() { return table; }

} // namespace mxcert::suites
