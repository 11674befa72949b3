// SPDX-License-Identifier: Apache-2.0
// What others read in the documents of the clauses, in our own words.
#include "reference/reading.hpp"

#include "reference/base/word_list.hpp"

namespace mxcert {
namespace {

constexpr std::string_view arm = "Arm Architecture Reference Manual for A-profile";
constexpr std::string_view cdna4 = "AMD CDNA4 ISA";
constexpr std::string_view avx10 = "Intel AVX10.2 (361050-007) as Bochs 783b58f has it";
constexpr std::string_view riscv = "RISC-V Zvfofp8min 0.2.1 (riscv-misc b38069a)";
constexpr std::string_view spike = "RISC-V Spike 0.0.5.dev20";
constexpr std::string_view cuda = "NVIDIA CUDA 13.0 cuda_fp8.hpp";
constexpr std::string_view llvm = "LLVM 19 APFloat";
constexpr std::string_view spike_issue = "riscv-software-src/riscv-isa-sim#2284";

// The texts are one line each however long they are: they are data.
// clang-format off
constexpr Reading table[] = {
    // Instruction sets whose text was read.
    {"Arm", arm, "A1.4.7.1", "E4M3: largest 1.75 x 2^8, smallest normal 2^-6, smallest subnormal 2^-9, signed zeros, NaN at S.1111.111, no Inf", "OFP8-E4M3-CODES"},
    {"Arm", arm, "A1.4.7.2", "E5M2: largest 1.75 x 2^15, smallest normal 2^-14, smallest subnormal 2^-16, signed zeros, Inf and NaN as in IEEE 754", "OFP8-E5M2-CODES"},
    {"Arm", arm, "A1.5.5", "FP8 instructions round to nearest only, and flush no subnormal of source or result", "OFP8-RNE OFP8-ROUND OFP8-RNE-UNDERFLOW-POINT"},
    {"Arm", arm, "A1.5.5", "Overflow: the rounded result with unbounded exponent is beyond the largest normal. FPMR.OSC = 1 gives the largest; 0 gives NaN in E4M3 and Inf in E5M2, with the sign; an infinite source likewise", "OFP8-BOTH-MODES OFP8-OVERFLOW-AFTER-ROUNDING OFP8-OVERFLOW-SAT OFP8-OVERFLOW-NOSAT OFP8-INF-SAT OFP8-INF-NOSAT OFP8-RNE-OVERFLOW-POINT"},
    {"Arm", arm, "A1.5.5, Table A1-8", "A NaN gives the default NaN: 0x7F in E4M3, 0x7E in E5M2, sign by FPCR.AH", "OFP8-NAN OFP8-NAN-CODE"},
    {"AMD", cdna4, "7.3, Table 30", "FP8: bias 7, no Inf, NaN 0x7F and 0xFF, largest 448, smallest 2^-9. BF8: bias 15, Inf 0x7C and 0xFC, NaN 0x7D-0x7F and 0xFD-0xFF, largest 57344, smallest 2^-16", "OFP8-E4M3-CODES OFP8-E5M2-CODES"},
    {"AMD", cdna4, "7.3, Table 31", "CVT_PK_FP8_F32 and CVT_PK_BF8_F32 round to nearest even; no other rounding but a stochastic one", "OFP8-RNE"},
    {"AMD", cdna4, "7.3, FP16_OVFL rule", "NaN gives NaN. FP16_OVFL = 1: Inf and what is beyond the largest give the largest, with the sign; 0: NaN in FP8, Inf with the sign in BF8", "OFP8-BOTH-MODES OFP8-NAN OFP8-INF-SAT OFP8-INF-NOSAT OFP8-OVERFLOW-SAT OFP8-OVERFLOW-NOSAT"},
    {"AMD", cdna4, "7.3, Converts with Scale", "8-bit results keep subnormals whatever MODE says", "OFP8-ROUND"},
    {"AMD", cdna4, "7.3, Table 30", "FP6 E2M3: bias 1, largest 7.5. BF6 E3M2: bias 3, largest 28 (its smallest subnormal is misprinted). FP4 E2M1: bias 1, largest 6. None has Inf or NaN", "MX-E2M3-CODES MX-E3M2-CODES MX-E2M1-CODES"},
    {"AMD", cdna4, "7.3, Converts with Scale", "Beyond the range of FP4 and FP6 after rounding, the largest magnitude with its sign", "MX-NARROW-OVERFLOW"},
    {"AMD", cdna4, "7.3, Converts with Scale", "The scale is an E8M0 exponent with bias 127", "MX-E8M0-CODES"},
    {"RISC-V", riscv, "BF16 to OFP8, FP32 to OFP8", "OFP8 defines saturating conversions, by which infinite results become the largest finite value of their sign; without saturation they are the canonical NaN in E4M3, Inf in E5M2", "OFP8-BOTH-MODES OFP8-INF-SAT OFP8-INF-NOSAT OFP8-OVERFLOW-SAT OFP8-OVERFLOW-NOSAT OFP8-OVERFLOW-AFTER-ROUNDING"},
    {"RISC-V", riscv, "introduction", "The canonical NaN of both formats is 0x7F", "OFP8-NAN OFP8-NAN-CODE"},

    // Code that was run.
    {"RISC-V", spike, "e4m3_to_bf16, e5m2_to_bf16", "Read: all 256 codes of each format decode as here", "OFP8-E4M3-CODES OFP8-E5M2-CODES"},
    {"RISC-V", spike, "f32_to_e4m3, f32_to_e5m2", "Run on all 2^32 FP32 inputs, saturating and not, to nearest even: no difference but in NaN codes", "OFP8-ZERO OFP8-ROUND OFP8-UNDERFLOW OFP8-OVERFLOW-AFTER-ROUNDING OFP8-RNE-OVERFLOW-POINT OFP8-RNE-UNDERFLOW-POINT"},
    {"Intel", avx10, "cpu/avx/hf8.h, bf8.h", "HF8: bias 7, largest 0x7E = 448, NaN at S.1111.111. BF8 is the upper half of FP16", "OFP8-E4M3-CODES OFP8-E5M2-CODES"},
    {"Intel", avx10, "cpu/avx/hf8.h, bf8.h", "Run on all 65,536 FP16 inputs, saturating and not: no difference but in NaN codes; to nearest even only; Inf saturates where finite values do", "OFP8-RNE OFP8-BOTH-MODES OFP8-NAN OFP8-INF-SAT OFP8-INF-NOSAT OFP8-ZERO OFP8-ROUND OFP8-UNDERFLOW OFP8-OVERFLOW-AFTER-ROUNDING OFP8-OVERFLOW-SAT OFP8-OVERFLOW-NOSAT OFP8-RNE-OVERFLOW-POINT OFP8-RNE-UNDERFLOW-POINT"},
    {"Intel", avx10, "cpu/avx/hf8.h, bf8.h", "A NaN keeps its sign; BF8 keeps the top of its payload, made quiet", "OFP8-NAN-CODE"},
    {"NVIDIA", cuda, "l. 119", "Run on all 2^32 FP32 inputs, saturating and not: no difference but in NaN codes", "OFP8-ZERO OFP8-ROUND OFP8-UNDERFLOW OFP8-OVERFLOW-AFTER-ROUNDING OFP8-RNE-OVERFLOW-POINT OFP8-RNE-UNDERFLOW-POINT"},
    {"NVIDIA", cuda, "l. 245-285", "A NaN of FP32, FP16 or BF16 gives 0x7F in both formats", "OFP8-NAN-CODE"},
    {"LLVM", llvm, "Float8E4M3FN, Float8E5M2", "Run on all 2^32 FP32 inputs, not saturating: no difference but in NaN codes", "OFP8-ZERO OFP8-ROUND OFP8-UNDERFLOW OFP8-OVERFLOW-AFTER-ROUNDING"},
    {"LLVM", llvm, "APFloat.cpp, convert", "Not saturating, rounded toward zero, an overflow stays at the largest finite value", "OFP8-DIRECTED-OVERFLOW"},

    // Readers who quote the OFP8 text.
    {"reporter of riscv-isa-sim#2284", spike_issue, "report", "OFP8 mandates rounding to nearest even only, and allows others", "OFP8-RNE"},
    {"reporter of riscv-isa-sim#2284", spike_issue, "report", "Table 3 does not distinguish roundings; the reporter takes overflow to be the same in all", "OFP8-DIRECTED-OVERFLOW"},
    {"RISC-V", spike_issue, "answer", "OFP8 defines the results of rounding to nearest even only; the others are the implementation's to define", "OFP8-DIRECTED-OVERFLOW"},
    {"fp-conv", "sw23/fp-conv", "documentation and tests of overflow modes", "OFP8 5.2.1 tests the range after rounding, and leaves the sign of a NaN open", "OFP8-OVERFLOW-AFTER-ROUNDING OFP8-NAN-CODE"},
    {"fp-conv", "sw23/fp-conv", "documentation of overflow modes", "A rounding that never increases the magnitude makes no Inf of a finite value", "OFP8-DIRECTED-OVERFLOW"},
    {"Universal", "stillwater-sc/universal#1351", "", "The range is tested after rounding: in E4M3 464 gives 448, 465 gives NaN", "OFP8-OVERFLOW-AFTER-ROUNDING OFP8-RNE-OVERFLOW-POINT"},
};
// clang-format on

} // namespace

std::span<const Reading> all_readings() { return table; }

std::vector<const Reading*> readings_of(const Clause& clause) {
    std::vector<const Reading*> found;
    for (const Reading& reading : table)
        if (listed(reading.clauses, clause.id)) found.push_back(&reading);
    return found;
}

} // namespace mxcert
