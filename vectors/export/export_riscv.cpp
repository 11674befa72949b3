// SPDX-License-Identifier: Apache-2.0
// The vector conversions of RISC-V's Zvfofp8min 0.2.1. Assemblers do not know all of them yet, so they are written by
// their fields. With SEW=8 and LMUL=1 a source of 16 or 32 bits takes two or four registers.
#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "vectors/export/write_vectors.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

struct Instruction {
    const char* from;
    const char* to;       ///< "": either of FP8
    const char* overflow; ///< "": any
    unsigned vs1;
    const char* name;
};
constexpr std::array instructions{
    Instruction{"bf16", "", "nosat", 29, "vfncvtbf16.f.f.w"},
    Instruction{"bf16", "", "sat", 31, "vfncvtbf16.sat.f.f.w"},
    Instruction{"fp32", "", "nosat", 25, "vfncvt.f.f.q"},
    Instruction{"fp32", "", "sat", 27, "vfncvt.sat.f.f.q"},
    Instruction{"", "bf16", "", 13, "vfwcvtbf16.f.f.v"},
};

constexpr std::array<std::pair<std::string_view, unsigned>, 5> frm_modes{
    {{"nearest_even", 0}, {"toward_zero", 1}, {"down", 2}, {"up", 3}, {"nearest_away", 4}}};

bool is_fp8(std::string_view format) { return format == "e4m3" || format == "e5m2"; }

std::string attribute(const TestVectors& vectors, std::string_view name) {
    for (const auto& [key, value] : vectors.attributes)
        if (key == name) return value;
    return "";
}

const Instruction* find_instruction(const TestVectors& vectors) {
    const std::string from = attribute(vectors, "from");
    const std::string to = attribute(vectors, "to");
    const std::string overflow = attribute(vectors, "overflow");
    const auto fits = [](std::string_view wanted, const std::string& format) {
        return wanted.empty() ? is_fp8(format) : format == wanted;
    };
    const auto* found = std::find_if(instructions.begin(), instructions.end(), [&](const Instruction& instruction) {
        return fits(instruction.from, from) && fits(instruction.to, to) &&
               (*instruction.overflow == '\0' || overflow == instruction.overflow);
    });
    return found == instructions.end() ? nullptr : found;
}

/// By how many bits a count of elements is shifted to be one of bytes.
int byte_shift(const Format& format) { return std::countr_zero(static_cast<unsigned>(format.bytes())); }

const char* directive(const Format& format) {
    constexpr std::array directives{".byte", ".half", ".word"};
    return directives.at(static_cast<std::size_t>(byte_shift(format)));
}

std::string table_text(const char* label, const char* name, const std::vector<std::string>& values) {
    constexpr std::size_t in_a_line = 16;
    std::string text = fmt::format("{}:\n", label);
    for (std::size_t at = 0; at < values.size(); at += in_a_line) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(at);
        const auto last = values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), at + in_a_line));
        text += fmt::format("    {} {}\n", name, fmt::join(first, last, ", "));
    }
    return text;
}

constexpr std::string_view program = R"(    .section .text.init, "ax", @progbits
    .globl _start
    .option norelax          # gp is not set
_start:
    la t0, trap
    csrw mtvec, t0
    li t0, 0x6600            # mstatus: the units of floating point and of vectors are on
    csrs mstatus, t0
    csrwi frm, {frm}              # {rounding}
    la s0, inputs
    la s1, results
    li s2, COUNT
    li t1, {vtype}             # SEW=8, LMUL=1, tail and mask agnostic, altfmt={altfmt}: {fp8}
convert:
    vsetvl t2, s2, t1
    {load} v8, (s0)
    .insn r 0x57, 1, 0x25, x4, x{vs1}, x8 # {name} v4, v8
    {store} v4, (s1)
    sub s2, s2, t2
    slli t3, t2, {from_shift}
    add s0, s0, t3
    slli t3, t2, {to_shift}
    add s1, s1, t3
    bnez s2, convert

    la s0, results
    la s1, expected
    la s2, any_nan
    li s3, 0                 # the number of the test
    li s4, COUNT
    li s5, {magnitude}           # the bits of a magnitude
    li s6, {largest}           # the largest of them that is no NaN
compare:
    {scalar} t0, (s0)
    {scalar} t1, (s1)
    lbu t2, (s2)
    beq t0, t1, right
    beqz t2, wrong
    and t0, t0, s5
    bleu t0, s6, wrong
right:
    addi s0, s0, {to_bytes}
    addi s1, s1, {to_bytes}
    addi s2, s2, 1
    addi s3, s3, 1
    bne s3, s4, compare
    li a0, 1                 # all are right
    j report
wrong:
    addi a0, s3, 1           # 2 * (number of the first wrong test, from 1) + 1
    slli a0, a0, 1
    ori a0, a0, 1
    j report
    .balign 4
trap:                        # an instruction that the hart does not have, for instance
    csrr a0, mcause
    li t0, 1000000
    add a0, a0, t0
    slli a0, a0, 1
    ori a0, a0, 1
report:
    la t0, tohost
    sw a0, 0(t0)
    sw zero, 4(t0)
    j report

    .section .tohost, "aw", @progbits
    .balign 64
    .globl tohost
tohost:
    .dword 0
    .balign 64
    .globl fromhost
fromhost:
    .dword 0

    .data
    .balign 16
)";

} // namespace

std::string write_riscv_asm(const TestVectors& vectors) {
    const Instruction* instruction = vectors.kind == "conversion" ? find_instruction(vectors) : nullptr;
    const std::string rounding = attribute(vectors, "rounding");
    const auto* const frm =
        std::find_if(frm_modes.begin(), frm_modes.end(), [&](const auto& mode) { return mode.first == rounding; });
    if (instruction == nullptr || frm == frm_modes.end())
        throw std::invalid_argument(vectors.name +
                                    ": RISC-V has no instruction for it; riscv-asm is for conversions of bf16 and fp32 "
                                    "to e4m3 and e5m2, sat or nosat, and of these to bf16");
    const Format& from = *vectors.inputs.front().format;
    const Format& to = *vectors.outputs.front().format;
    const Format& fp8 = from.width() == 8 ? from : to;
    std::vector<std::string> inputs;
    std::vector<std::string> expected;
    std::vector<std::string> any_nan;
    std::size_t left_out = 0;
    for (const VectorGroup& group : vectors.groups)
        for (const TestVector& test : group.tests) {
            const std::uint8_t open = openness(test.answers.front(), 0).front();
            if ((open & ~open_nan) != 0) {
                ++left_out;
                continue;
            }
            inputs.push_back("0x" + hex(test.inputs.front().front(), from));
            expected.push_back("0x" + hex(test.answers.front().outputs.front().front(), to));
            any_nan.push_back(std::to_string(open));
        }
    const Code largest = to.has_inf() ? to.inf_code() : to.magnitude_mask() - 1;
    std::string text =
        fmt::format("# {}\n#\n# A self-checking program for a hart with the extensions V and Zvfofp8min in machine "
                    "mode. It writes\n"
                    "# 1 to `tohost` if all {} tests pass, else 2 n + 1, n the number of the first wrong one, from 1, "
                    "or 1000000 and\n"
                    "# the cause of a trap.\n"
                    "# {} tests of which several codes are right are left out.\n#\n"
                    "#   riscv64-unknown-elf-as -march=rv64gcv_zicsr -o test.o FILE\n"
                    "#   riscv64-unknown-elf-ld -N -Ttext=0x80000000 -o test test.o\n"
                    "#   spike --isa=rv64gcv_zvfofp8min test\n\n    .equ COUNT, {}\n\n",
                    note_of(vectors), inputs.size(), left_out, inputs.size());
    text += fmt::format(fmt::runtime(program), fmt::arg("frm", frm->second), fmt::arg("rounding", rounding),
                        fmt::arg("vtype", &fp8 == &formats::e5m2 ? "0x1C0" : "0x0C0"),
                        fmt::arg("altfmt", &fp8 == &formats::e5m2 ? 1 : 0), fmt::arg("fp8", fp8.title),
                        fmt::arg("load", fmt::format("vle{}.v", from.width())), fmt::arg("vs1", instruction->vs1),
                        fmt::arg("name", instruction->name), fmt::arg("store", fmt::format("vse{}.v", to.width())),
                        fmt::arg("from_shift", byte_shift(from)), fmt::arg("to_shift", byte_shift(to)),
                        fmt::arg("magnitude", fmt::format("0x{:X}", to.magnitude_mask())),
                        fmt::arg("largest", fmt::format("0x{:X}", largest)),
                        fmt::arg("scalar", to.bytes() == 1 ? "lbu" : "lhu"), fmt::arg("to_bytes", to.bytes()));
    text += table_text("inputs", directive(from), inputs);
    text += "    .balign 16\n" + table_text("expected", directive(to), expected);
    text += "    .balign 16\n" + table_text("any_nan", ".byte", any_nan);
    return text + fmt::format("    .bss\n    .balign 16\nresults:\n    .zero {} * COUNT\n", to.bytes());
}

} // namespace mxcert
