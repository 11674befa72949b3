// SPDX-License-Identifier: Apache-2.0
#include "conformance/sandbox/filter.hpp"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "conformance/sandbox/filter_rules.hpp"

namespace mxcert::sandbox {
namespace {

#if defined(__x86_64__) && !defined(__ILP32__)
constexpr std::uint32_t this_processor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__) && defined(__AARCH64EL__)
constexpr std::uint32_t this_processor = AUDIT_ARCH_AARCH64;
#elif defined(__s390x__)
constexpr std::uint32_t this_processor = AUDIT_ARCH_S390X;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t this_processor = AUDIT_ARCH_RISCV64;
#else
constexpr std::uint32_t this_processor = 0; // not known: no filter
#endif

/// On x86-64, calls of programs with 32-bit pointers begin here; no other processor has any so high.
constexpr std::uint32_t foreign_numbers = 0x40000000;

using Program = std::vector<sock_filter>;

void load(Program& program, std::size_t offset) {
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
}

void give(Program& program, std::uint32_t answer) { program.push_back(BPF_STMT(BPF_RET | BPF_K, answer)); }

void refuse(Program& program, int error) {
    give(program, SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA));
}

std::size_t offset_of(const Condition& condition) {
    const bool second = condition.upper == (std::endian::native == std::endian::little);
    return offsetof(seccomp_data, args) + condition.argument * sizeof(std::uint64_t) +
           (second ? sizeof(std::uint32_t) : 0);
}

/// Instructions after the comparison with the number, which are passed over if it is another.
Program body_of(const Rule& rule) {
    constexpr std::uint32_t each = 3; // instructions of a condition
    Program body;
    std::size_t left = rule.conditions.size();
    for (const Condition& condition : rule.conditions) {
        load(body, offset_of(condition));
        body.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, condition.mask));
        --left;
        const auto past_the_end = static_cast<std::uint8_t>(left * each + 1);
        const std::uint8_t if_equal = condition.equal ? std::uint8_t{0} : past_the_end;
        const std::uint8_t if_unequal = condition.equal ? past_the_end : std::uint8_t{0};
        body.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, condition.value, if_equal, if_unequal));
    }
    refuse(body, rule.error);
    return body;
}

} // namespace

bool filters_are_known() {
    // Without a filter it fails either way: with EFAULT where filters are known.
    return this_processor != 0 && ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, nullptr) != 0 && errno == EFAULT;
}

Program make_filter(const StandIn& stand_in) {
    Program program;
    load(program, offsetof(seccomp_data, arch));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, this_processor, 1, 0));
    refuse(program, ENOSYS);
    load(program, offsetof(seccomp_data, nr));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, foreign_numbers, 0, 1));
    refuse(program, ENOSYS);
    for (const Rule& rule : filter_rules(stand_in)) {
        const Program body = body_of(rule);
        program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(rule.number), 0,
                                   static_cast<std::uint8_t>(body.size())));
        program.insert(program.end(), body.begin(), body.end());
        // Conditions were loaded in place of the number.
        if (!rule.conditions.empty()) load(program, offsetof(seccomp_data, nr));
    }
    give(program, SECCOMP_RET_ALLOW);
    return program;
}

int restrict_by(const Program& filter) {
    // The kernel takes it as a pointer to what may be changed, and changes nothing.
    const sock_fprog program{static_cast<unsigned short>(filter.size()), const_cast<sock_filter*>(filter.data())};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

} // namespace mxcert::sandbox
