// SPDX-License-Identifier: Apache-2.0
// The classes of bugs, in our own words, and which choice shows which.
#include "reference/bug_class.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reference/base/word_list.hpp"

namespace mxcert {
namespace {

// The texts are one line each however long they are: they are data.
// clang-format off
constexpr BugClass bug_class_table[] = {
    // Elements.
    {"DOUBLE_ROUND_F16", "rounds to FP16 first, then again", "FP32 is converted by way of the FP16 instruction", "uxlfoundation/oneDNN#2361 uxlfoundation/oneDNN#3675 triton-lang/triton#7382 openvinotoolkit/openvino#30057"},
    {"F16_TRUNC_STICKY", "truncates to FP16 first and loses the bits that decide ties", "FP32 is cut to FP16 without a sticky bit", "triton-lang/triton#11753 FlashML-org/FreeToken#85"},
    {"DOUBLE_ROUND_BF16", "rounds to BF16 first, then again", "a tensor of BF16 lies between an operation and the quantizer", ""},
    {"DOUBLE_ROUND_F32", "rounds to FP32 first, then again", "FP64 is cast to float, and that to the format", ""},
    {"TIES_AWAY", "takes a tie to the larger magnitude", "half a unit is added and the rest is cut", "triton-lang/triton#11897 ahrefs/ocannl#646 sgl-project/sglang#40581"},
    {"TIES_TO_ZERO", "takes a tie to the smaller magnitude", "the value is searched in a table of bounds, or of codes, and the first that fits is taken", ""},
    {"CARRY_DROPPED", "loses the carry of a fraction that rounds up to the next power of two", "the fraction is rounded and masked without its exponent", "triton-lang/triton#11897 ROCm/llvm-project#3275"},
    {"TRUNCATES", "cuts toward zero", "the fraction is shifted and nothing is added", "tenstorrent/tt-metal#51971 tenstorrent/tt-metal#51975 openxla/xla#17324 hw-native-sys/pto-isa#319"},
    {"OTHER_ROUNDING", "rounds by another rule than the one it names", "a rounding mode is not passed on", "hw-native-sys/pto-isa#319"},
    {"OVERFLOW_POLICY", "saturates where it should not, or does not where it should", "the overflow mode of another format or interface", "stillwater-sc/universal#1302 stillwater-sc/universal#1351 pytorch/pytorch#178817 pytorch/ao#1912 jax-ml/ml_dtypes#147 riscv-software-src/riscv-isa-sim#2284"},
    {"EARLY_SATURATE", "treats the top binade of E4M3 as reserved", "exponent 15 is treated as in IEEE formats", "sgl-project/sglang#40581 tile-ai/tilelang-metax#140"},
    {"TOP_TIE", "tests for overflow before rounding", "the magnitude is compared with the largest value before it is rounded", ""},
    {"INF_POLICY", "converts Inf against the overflow mode", "Inf is not treated as an overflow", "stillwater-sc/universal#1351 onnx/onnx#5456"},
    {"NAN_LOST", "turns NaN into a number", "a clamp by comparisons, which NaN fails", "ml-explore/mlx#4135 ml-explore/mlx#4164 intel/intel-xpu-backend-for-triton#7029"},
    {"NAN_SIGN_OR_PAYLOAD", "returns another NaN code than required", "the sign or the payload of NaN is kept, or not", "stillwater-sc/universal#1351 riscv-software-src/riscv-isa-sim#2268"},
    {"NEG_ZERO", "loses the sign of zero", "zero is a special case that returns 0", "ROCm/rocm-libraries#7439 scott-griffiths/bitstring#333 ahrefs/ocannl#646"},
    {"SUBNORMAL_FLUSH", "flushes subnormals to zero", "the processor's mode, or a path without subnormals", "triton-lang/triton#3634 triton-lang/triton#2430 ahrefs/ocannl#646"},
    {"SUBNORMAL_AS_NORMAL", "reads or writes exponent field 0 as an ordinary binade", "the hidden bit is always set", "local-inference-lab/b12x#388 tenstorrent/tt-metal#51971 JuliaMath/Float8s.jl#22 llvm/llvm-project#224984"},
    {"SUB_NORMAL_EDGE_TIE", "rounds subnormal results twice", "a number is rounded as a normal one, and then shifted and rounded", "triton-lang/triton#11897 JuliaMath/Float8s.jl#22"},
    {"SHIFT_OVERFLOW", "turns some tiny numbers into the smallest normal one", "a shift by more bits than the word has", "ROCm/rocm-systems#10591 ahrefs/ocannl#647"},
    {"STICKY_LOST", "loses some of the sticky bits that decide ties", "the mask of the sticky bit is wrong, or a shift drops bits before ties are decided", "triton-lang/triton#11753 mattuna15/68881-fpga#73"},
    {"OVERFLOW_HOLE", "misses overflow just above the largest number", "overflow is tested before the carry, or by the exponent alone", ""},
    {"OTHER_TOP", "uses the largest number of another format", "the exponent is compared with the constant of another format", "tenstorrent/tt-metal#29734"},
    {"CODE_WRAPS", "begins again at zero some binades above the largest number", "overflow is tested in a sum that is too narrow for the exponent of the source", ""},
    {"NAN_BITS_CUT", "turns NaN with some payloads into Inf or zero", "NaN is rounded as a number, or its lower bits are cut off before the test", "dotnet/runtime#130583 microsoft/onnxruntime#16940 slaclab/rogue#1172"},
    {"UNDERFLOW_EDGE", "decides the smallest inputs without rounding them", "the exponent is tested before the number is rounded", ""},
    {"SOURCE_MISREAD", "reads the source as another format in one branch", "a branch has the type of another source", ""},
    {"FN_FNUZ_MIX", "confuses OFP8 codes with FNUZ codes", "the format of another generation of AMD's processors", "triton-lang/triton#10745 triton-lang/triton#3997 onnx/onnx#5764 openxla/xla#17487 sgl-project/sglang#28455"},
    {"DECODE_SPECIALS", "reads NaN and Inf as numbers", "the code is decoded without a test for special values", "ml-explore/mlx#4135 intel/intel-xpu-backend-for-triton#7029"},
    {"MAX480_FORMAT", "uses another E4M3: one with 480 as a number, or 240 as the largest", "several formats go by the name of E4M3", ""},
    {"INTEGER_SIGN", "gives or reads negative integers in another encoding than two's complement", "the sign bit is set above a magnitude, or bits are inverted and nothing is added", ""},
    {"INTEGER_WRAPS", "wraps to the lowest integer when rounding up past the largest", "the carry of a rounding runs into the sign", ""},
    {"INTEGER_SCALE", "leaves out the scale that the integers of INT8 imply, 2^-6", "the element is taken for a whole number", ""},
    {"INTEGER_LOWEST", "gives -2 where the range was to be symmetric, or not where it was not", "the clamp is that of the integer type, or of the largest magnitude", ""},
    {"UNSIGNED_SIGN", "converts negative values to an unsigned format by another rule", "the magnitude, zero and NaN are all in use", ""},
    {"UNSIGNED_TOP", "uses another largest number in an unsigned scale", "the largest exponent is kept for Inf and NaN, or no code is NaN", ""},
    // Exceptions.
    {"FLAG_MISSING", "does not raise an exception that it should raise", "a flag that is not set, or not passed on", ""},
    {"FLAG_EXTRA", "raises an exception that it should not raise", "a flag that is set for exact results, or for special values", ""},
    {"TININESS", "compares with the smallest normal magnitude before rounding instead of after it, or the reverse", "the processor's mode, or another architecture's", ""},
    {"NAN_INVALID", "raises invalid for other NaNs", "quiet and signalling NaNs are confused, or the NaN of E4M3 has the other kind", ""},
    {"FLAG_LEFT", "keeps the flags of an earlier value", "flags are sticky, and not cleared", ""},
    // Places of a call.
    {"LANE_SWAPPED", "puts answers in each other's places", "lanes of a vector are permuted, or unpacked in another order than they were packed", ""},
    {"LANE_REPEATED", "gives several places the answer of one", "a lane that is not converted, or an index that is not counted up", ""},
    {"STALE_ELEMENT", "gives some places the answer of the previous place", "a register or buffer that is read before it is written", ""},
    {"NEIGHBOUR_MIXED", "mixes answers with parts of those beside them", "a register or a multiplexer belongs to another stage or lane", ""},
    {"PACK_ORDER", "packs several answers to a byte or word in another order", "the first answer is put at the other end", ""},
    // Scales.
    {"E8M0_ZERO_CODE_AS_ZERO", "reads the scale 0x00 as zero", "the exponent is shifted into place: 2^-127 is subnormal in FP32", "NVIDIA/TransformerEngine#3262 triton-lang/triton#11624 triton-lang/triton#11737 uxlfoundation/oneDNN#4218"},
    {"E8M0_FF_AS_INF", "reads the scale 0xFF as Inf", "the exponent is shifted into place", "NVIDIA/TransformerEngine#3262 llvm/llvm-project#214919"},
    {"SUBNORMAL_SCALE_FTZ", "flushes subnormal scales, products or quotients", "the processor's mode", "vllm-project/vllm#46676 pytorch/ao#1104"},
    {"E8M0_ROUND_MODE", "rounds a power of two by another rule than the one it names", "up, down and nearest are all in use for E8M0", "jax-ml/ml_dtypes#298 jax-ml/ml_dtypes#398 ROCm/rocm-libraries#5338 onnx/onnx#7030"},
    {"E8M0_SUBNORMAL_ROUND", "rounds below 2^-126 by another rule", "the fraction of a subnormal is read as that of a normal number", "microsoft/onnxruntime#28435 tile-ai/tilelang-metax#101"},
    {"E8M0_UNDERFLOW_WRAPS", "wraps to large scales below the smallest one", "an exponent below zero is stored in a byte", ""},
    {"ROUNDED_IN_SOURCE", "returns Inf instead of a scale", "the power of two is computed in the source type, whose range is smaller than that of E8M0", ""},
    {"E8M0_MASK_OR_BIT_BUG", "ignores some bits of the fraction or exponent", "a mask is short of a bit", "onnx/onnx#7784 llvm/llvm-project#113298"},
    {"E8M0_SIGN_ZERO_INF", "takes negative numbers, zero or Inf for something else", "E8M0 has no sign, no zero and no Inf, and implementations differ", "llvm/llvm-project#140332 llvm/llvm-project#215445 onnx/onnx#7030"},
    {"LOG2_OFF_BY_ONE", "is off by one power of two next to a power of two", "a logarithm in floating point that is rounded to a whole number", "sgl-project/sglang#29954 sgl-project/sglang#31210 NVIDIA/Model-Optimizer#736 vllm-project/compressed-tensors#630"},
    {"SCALE_RULE_MISMATCH", "computes the scale by another rule", "several rules are in use, and modes are not passed on", "ml-explore/mlx#4353 ROCm/FlyDSL#590 pytorch/ao#436 pytorch/ao#3686 microsoft/microxcaling#4"},
    {"CANDIDATE_OVERFLOW", "does not take an element whose value under its scale is beyond FP32", "the element of the smallest error is looked for in FP32, where the error of such an element is Inf", ""},
    {"WRONG_TARGET_MAX", "computes the scale for another largest element", "240 or 57344 is taken for 448", "ROCm/aiter#3212 vllm-project/vllm#53110"},
    {"RCEIL_PRODUCT_ROUNDING", "rounds the quotient before it takes its power of two", "a product with a rounded reciprocal, in floating point", ""},
    {"CLAMP_MISMATCH", "raises a small amax before the scale is made", "a lower bound against division by zero", "pytorch/ao#1104"},
    {"AMAX_INF", "gives an amax of Inf, or one beyond the largest scale, another scale", "the exponent field of Inf is used as an ordinary exponent", "leanprover/TensorLib#99"},
    {"AMAX_NARROWED", "rounds the amax to BF16 before the scale is made", "the amax is kept in the type of the tensor", "pytorch/ao#4725"},
    {"ZERO_BLOCK", "gives an all-zero block another scale", "zero is a special case", "tenstorrent/tt-metal#47819 llvm/llvm-project#215295"},
    // What joins values to blocks, and blocks to matrices.
    {"AMAX_NAN_DROPPED", "counts a NaN in the amax where it should be ignored, or ignores it where it should count", "a maximum by comparisons, which NaN fails", "pytorch/ao#4201 pytorch/ao#4271 pytorch/ao#4278 NVIDIA/TransformerEngine#3550 ROCm/aiter#4748"},
    {"AMAX_LANES", "takes the amax over other values than the block's", "a loop that begins or ends elsewhere, a reduction without one lane, a maximum that is not reset", ""},
    {"AMAX_COMPARED", "compares magnitudes for the amax by some of their bits", "a comparator is narrower than the exponent", ""},
    {"AMAX_SIGN", "ignores the magnitude of negative values in the amax", "a maximum of the values, not of their magnitudes", ""},
    {"SCALE_USED_IS_NOT_STORED", "quantizes elements with another scale than the one it stores", "the scale is rounded, or moved, after it was used", "pytorch/ao#1104"},
    {"SHARD_BOUNDS", "writes elements outside its shard", "a start or an end that is taken to the next group, row or block, or a place that is counted from the shard's own beginning", ""},
    {"LANES_EXCHANGED", "puts elements in other places", "lanes of a vector are packed in another order", ""},
    {"HADAMARD", "applies another transform than the named Hadamard matrix and signs", "signs of another mask or at another place, another factor, order of rows or size of a group, or no transform", ""},
    {"WRONG_AXIS", "takes rows for columns", "blocks along the other axis, or a transpose that is missing or too many", "flashinfer-ai/flashinfer#3882 vllm-project/vllm#34824 AMD-AGI/Primus-Turbo#373 pytorch/ao#4229 NVIDIA/cutlass#3394"},
    {"REQUANTIZED", "quantizes columns from already quantized rows", "the original values are gone when the transpose is needed", ""},
    {"SCALING_RECIPE", "scales by another recipe in FP32", "which of scale and inverse scale is computed, kept and used", ""},
    {"DELAYED_SCALING", "returns a wrong scale at some step of a recipe", "a history that is rolled, written or cleared at another moment", ""},
    {"NOT_QUANTIZED", "uses an operand as it is", "a step of the recipe is left out", ""},
    {"OTHER_ELEMENT", "quantizes to the other element format", "E4M3 and E5M2 are exchanged: gradients are E5M2 in some recipes", ""},
    {"ACTIVATION", "applies another activation to values before it quantizes them, or none", "a step that is left out, or one that keeps NaN, -0 or the bits beyond the source's type", ""},
    // Layouts.
    {"ROWMAJOR_VS_SWIZZLED", "leaves scales row by row where a layout is wanted", "the rearranging step is left out", "vllm-project/vllm#49335 NVIDIA/TransformerEngine#3447 NVIDIA/TransformerEngine#3518 NVIDIA/TransformerEngine#1593 ROCm/rocm-libraries#11560"},
    {"LAYOUT_MISMATCH", "arranges scales in another layout", "tiles, or rows and columns in a tile, in another order", "NVIDIA/TransformerEngine#3519"},
    {"SWIZZLE_PAD_AXIS", "pads one axis and not the other, or steps as if nothing was padded", "sizes are rounded up at one place and not at another", "ROCm/rocm-libraries#12232"},
    {"PADDED_SCALES_GARBAGE", "pads scales with other bytes than zero", "memory that is not cleared, or rows that are repeated", "NVIDIA/TransformerEngine#3070 vllm-project/vllm#40047 flashinfer-ai/flashinfer#3057 vllm-project/vllm#49784 NVIDIA/TransformerEngine#3344"},
    {"SCALE_REUSED_ACROSS_TILES", "uses the scales of one tile for another", "an index of the tile that is not counted up", "NVIDIA/cutlass#3596 mlc-ai/TIRx-kernels#5 NVIDIA/cutlass#2154"},
    {"SCALE_BYTES_CHANGED", "changes scales that it should only move", "0x00 and 0xFF are treated as special", ""},
    {"CONSTANT_ANSWER", "returns one constant for every input", "a kernel that was not launched", ""},
    // Products.
    {"OOB_SCALE", "takes the scale of another block", "an index that is one off, or beyond the scales", "triton-lang/triton#8974 local-inference-lab/b12x#362"},
    {"MISSING_SCALE_DEFAULT", "leaves scales out", "an overload without scales", "ROCm/rocm-libraries#8423 triton-lang/triton#9876"},
    {"SCALE_TWICE", "applies scales twice", "the operands were scaled before", ""},
    {"SCALE_A_B_SWAPPED", "swaps the scales of A and B", "a matrix product by columns, called with rows", "NVIDIA/CUDALibrarySamples#248"},
    {"NAN_X_ZERO_SCALE", "ignores a scale that is NaN", "the scale 0xFF is read as a power of two, or a factor of zero is left out", "triton-lang/triton#8974"},
    {"TAIL_DROPPED", "leaves products out of the sum", "a loop over whole tiles", ""},
    {"ACCUMULATOR_INIT", "does not begin with C", "the accumulator is cleared, or C is added to something else", "hw-native-sys/pto-isa#280"},
    {"OUTPUT_QUANT_POLICY", "keeps C or D in another format in between", "an output type is not passed on", ""},
    {"REDUCED_ACCUMULATOR", "adds with fewer bits", "the accumulator of another generation, or partial sums in a narrow format", "deepseek-ai/DeepGEMM#37 deepseek-ai/DeepGEMM#50 deepseek-ai/DeepGEMM#176 deepseek-ai/DeepSeek-V3#197 triton-lang/triton#2300"},
    {"TRUNCATE_VS_RNE", "cuts sums where they should be rounded, or rounds them where they should be cut", "the accumulator of another vendor", "ROCm/rocm-systems#10330"},
    {"PER_PRODUCT_ROUNDING", "rounds each product, or does not where it should", "a product and a sum in the place of a fused multiply-add", "ROCm/rocm-systems#10330 ROCm/rocm-systems#10336 ROCm/rocm-systems#10344"},
    {"ORDER_OF_SUM", "adds in another order", "groups of another size, or a tree", ""},
    {"EPILOGUE", "computes D from the sums in another way", "a bias that is scaled or left out, or scales in another order", ""},
    {"SCALE_INVERTED", "divides by a scale where it should multiply, or the reverse", "the scale is kept as its reciprocal", ""},
    {"AMAX_OF_OUTPUT", "returns the amax of D after scaling or rounding", "the maximum is taken where D is stored", ""},
    // Stochastic rounding.
    {"STOCHASTIC_BIAS", "rounds stochastically with other probabilities", "random bits that are too few, used twice, or compared with another part of the value", "graphcore-research/gfloat#36 uxlfoundation/oneDNN#2903 ROCm/llvm-project#3275"},
    {"STOCHASTIC_WRONG_BITS", "rounds by other bits of the random word", "the bits of another lane, in reverse order, or another part of the word", ""},
    {"STOCHASTIC_SHARED", "uses the same random numbers for several values", "one number a call, or a generator that restarts", ""},
    {"STOCHASTIC_NOT", "does not round stochastically", "the rounding mode is not passed on", "hw-native-sys/pto-isa#319"},
    {"STOCHASTIC_OPERAND", "rounds another operand stochastically than the gradients", "one rounding mode for both operands, or operands exchanged", ""},
};
// clang-format on

/// Of what a conversion is.
enum class Target : std::uint8_t { any, element, power, scale, decoded_power };

/// A choice, which of its values, and what it is a bug of. The first row that fits counts.
struct Shown {
    Choice choice;
    std::string_view values; ///< names separated by spaces; "" for all
    Target target;
    std::string_view bug_class;
};
constexpr Shown shown[] = {
    {Choice::rounding, "", Target::power, "E8M0_ROUND_MODE"},
    {Choice::rounding, "", Target::scale, "SCALE_RULE_MISMATCH"},
    {Choice::rounding, "nearest_away", Target::any, "TIES_AWAY"},
    {Choice::rounding, "nearest_zero", Target::any, "TIES_TO_ZERO"},
    {Choice::rounding, "toward_zero", Target::any, "TRUNCATES"},
    {Choice::rounding, "", Target::any, "OTHER_ROUNDING"},
    {Choice::overflow, "sat_finite", Target::element, "INF_POLICY"},
    {Choice::overflow, "", Target::element, "OVERFLOW_POLICY"},
    {Choice::overflow, "", Target::power, "E8M0_SIGN_ZERO_INF"},
    {Choice::overflow, "", Target::scale, "AMAX_INF"},
    {Choice::overflow_test, "", Target::scale, "AMAX_INF"},
    {Choice::overflow_test, "", Target::any, "TOP_TIE"},
    {Choice::directed_overflow, "", Target::any, "OVERFLOW_POLICY"},
    {Choice::nan, "max max_sign zero zero_inverted", Target::any, "NAN_LOST"},
    {Choice::nan, "", Target::any, "NAN_SIGN_OR_PAYLOAD"},
    {Choice::overflow_nan, "", Target::any, "NAN_SIGN_OR_PAYLOAD"},
    {Choice::zero_sign, "", Target::any, "NEG_ZERO"},
    {Choice::flush, "product", Target::any, "SUBNORMAL_SCALE_FTZ"},
    {Choice::flush, "", Target::decoded_power, "E8M0_ZERO_CODE_AS_ZERO"},
    {Choice::flush, "", Target::element, "SUBNORMAL_FLUSH"},
    {Choice::flush, "", Target::any, "SUBNORMAL_SCALE_FTZ"},
    {Choice::via, "bf16_nearest_even", Target::element, "DOUBLE_ROUND_BF16"},
    {Choice::via, "bf16_nearest_even", Target::any, "AMAX_NARROWED"},
    {Choice::via, "fp16_toward_zero", Target::any, "F16_TRUNC_STICKY"},
    {Choice::via, "", Target::any, "DOUBLE_ROUND_F16"},
    {Choice::negative, "", Target::element, "UNSIGNED_SIGN"},
    {Choice::negative, "", Target::any, "E8M0_SIGN_ZERO_INF"},
    {Choice::zero, "", Target::scale, "ZERO_BLOCK"},
    {Choice::zero, "", Target::any, "E8M0_SIGN_ZERO_INF"},
    {Choice::lowest_binade, "", Target::any, "E8M0_SUBNORMAL_ROUND"},
    {Choice::rule, "", Target::any, "SCALE_RULE_MISMATCH"},
    {Choice::arithmetic, "fp32_log2", Target::any, "LOG2_OFF_BY_ONE"},
    {Choice::arithmetic, "bf16_divide", Target::scale, "AMAX_NARROWED"},
    {Choice::arithmetic, "", Target::any, "RCEIL_PRODUCT_ROUNDING"},
    {Choice::least_amax, "", Target::any, "CLAMP_MISMATCH"},
    {Choice::inf_amax, "", Target::any, "AMAX_INF"},
    {Choice::smallest_scale, "", Target::any, "SCALE_USED_IS_NOT_STORED"},
    {Choice::lowest, "", Target::any, "INTEGER_LOWEST"},
    {Choice::exceptions, "none", Target::any, "FLAG_MISSING"},
    {Choice::exceptions, "", Target::any, "FLAG_EXTRA"},
    {Choice::tininess, "", Target::any, "TININESS"},
    {Choice::invalid_nan, "", Target::any, "NAN_INVALID"},
    {Choice::inf_flags, "none", Target::any, "FLAG_MISSING"},
    {Choice::inf_flags, "", Target::any, "FLAG_EXTRA"},
};

bool holds_powers(const Format& format) { return format.fraction_bits == 0 && !format.has_subnormals; }

/// Whether a conversion is of that kind.
bool is(Target target, const Format& from, const Format& to) {
    switch (target) {
    case Target::any: return true;
    case Target::scale: return to.element != nullptr;
    case Target::power: return to.element == nullptr && holds_powers(to);
    case Target::decoded_power: return holds_powers(from) && !holds_powers(to);
    case Target::element: return !holds_powers(to);
    }
    throw std::logic_error("no such target");
}

} // namespace

std::span<const BugClass> all_bug_classes() { return bug_class_table; }

const BugClass* find_bug_class(std::string_view id) {
    const auto* at = std::find_if(std::begin(bug_class_table), std::end(bug_class_table),
                                  [&](const BugClass& bug) { return bug.id == id; });
    return at == std::end(bug_class_table) ? nullptr : at;
}

const BugClass& bug_class_of(Choice choice, unsigned value, const Format& from, const Format& to) {
    const std::span<const std::string_view> names = info(choice).values;
    if (value >= names.size())
        throw std::out_of_range("choice " + std::string(info(choice).name) + " has no such value");
    for (const Shown& row : shown) {
        if (row.choice != choice || !is(row.target, from, to)) continue;
        if (row.values.empty() || listed(row.values, names[value])) return *find_bug_class(row.bug_class);
    }
    throw std::logic_error("choice " + std::string(info(choice).name) + " has no bug class");
}

} // namespace mxcert
