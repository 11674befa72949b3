// SPDX-License-Identifier: Apache-2.0
#include "conformance/test/devices/fake_device.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

#include "conformance/backends/kernels/launch.h"
#include "conformance/test/devices/fake_quantize.h"
#include "conformance/test/devices/fake_tiles.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"

extern "C" {
#define KERNEL_NAME(name) #name,
#define TENSOR_KERNEL_NAME(name, ...) #name,
const char* const kernels_names[ALL_KERNELS] = {KERNELS(KERNEL_NAME) INSTRUCTIONS(KERNEL_NAME)
                                                    TENSOR_CORES(TENSOR_KERNEL_NAME)};
}

extern "C" u32 fake_instructed(int is_e5m2, u32 limit, u32 bits) {
    using namespace mxcert;
    const Choices choices{.overflow = limit != 0x7F800000U ? Overflow::sat : Overflow::nosat};
    return static_cast<u32>(fast::convert(formats::fp32, is_e5m2 != 0 ? formats::e5m2 : formats::e4m3, choices, bits));
}
extern "C" u32 fake_fp16_to_fp32(u32 bits) {
    return static_cast<u32>(mxcert::exact::convert(mxcert::formats::fp16, mxcert::formats::fp32,
                                                   {.overflow = mxcert::Overflow::nosat}, bits)
                                .code);
}

namespace mxcert::test {
namespace {

/// The parts of MXCERT_FAKE_DEVICE.
const std::map<std::string, std::string>& told() {
    static const auto parts = [] {
        std::map<std::string, std::string> all;
        const char* text = std::getenv("MXCERT_FAKE_DEVICE"); // NOLINT(concurrency-mt-unsafe): a worker has one thread
        std::istringstream words(text == nullptr ? "" : text);
        for (std::string word; words >> word;) all[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
        return all;
    }();
    return parts;
}
std::string told(const std::string& what, const std::string& otherwise) {
    const auto found = told().find(what);
    return found == told().end() ? otherwise : found->second;
}

/// A conversion instruction, as kernels_names[] has it: instruct_FROM_TO, from FP32 if there is no FROM.
struct Instruction {
    const char* name;
    const Format* from;
    const Format* to;
};
constexpr std::array instructions{
    Instruction{"instruct_e4m3", &formats::fp32, &formats::e4m3},
    Instruction{"instruct_e5m2", &formats::fp32, &formats::e5m2},
    Instruction{"instruct_fp16_e4m3", &formats::fp16, &formats::e4m3},
    Instruction{"instruct_fp16_e5m2", &formats::fp16, &formats::e5m2},
    Instruction{"instruct_bf16_e4m3", &formats::bf16, &formats::e4m3},
    Instruction{"instruct_bf16_e5m2", &formats::bf16, &formats::e5m2},
    Instruction{"instruct_e8m0", &formats::fp32, &formats::e8m0},
    Instruction{"instruct_bf16_e8m0", &formats::bf16, &formats::e8m0},
    Instruction{"instruct_e4m3_fp16", &formats::e4m3, &formats::fp16},
    Instruction{"instruct_e5m2_fp16", &formats::e5m2, &formats::fp16},
    Instruction{"instruct_e8m0_bf16", &formats::e8m0, &formats::bf16},
};

Code read(const void* from, const Format& format, std::uint64_t i) {
    Code code = 0;
    const auto bytes = static_cast<std::size_t>(format.bytes());
    std::memcpy(&code, static_cast<const unsigned char*>(from) + i * bytes, bytes);
    return code;
}
void write(void* to, const Format& format, std::uint64_t i, Code code) {
    const auto bytes = static_cast<std::size_t>(format.bytes());
    std::memcpy(static_cast<unsigned char*>(to) + i * bytes, &code, bytes);
}

/// At random, with 16 bits of any generator.
void draw(const Format& to, void* const* buffers, const parameters& p) {
    Choices choices;
    choices.rounding = Rounding::stochastic_a;
    for (std::uint64_t i = 0; i < p.size[0]; ++i) {
        const std::uint64_t number = (p.draw.first + i + 1) * 0x9E3779B97F4A7C15U;
        const exact::Random random{16, static_cast<std::uint32_t>(number >> 48U)};
        write(buffers[RESULT], to, i,
              exact::convert(formats::fp32, to, choices, read(buffers[VALUES], formats::fp32, i), random).code);
    }
}

Choices choices_of(const Instruction& instruction, const parameters& p) {
    Choices choices;
    if (instruction.to == &formats::e8m0) {
        choices.rounding = p.scale.threshold == 0 ? Rounding::up : Rounding::toward_zero;
        choices.overflow = p.scale.beyond == 0xFE ? Overflow::sat : Overflow::nosat;
    } else {
        const bool is_narrowed = instruction.to == &formats::e4m3 || instruction.to == &formats::e5m2;
        choices.overflow = is_narrowed && p.round.limit != 0x7F800000U ? Overflow::sat : Overflow::nosat;
    }
    return choices;
}

void convert(const Instruction& instruction, void* const* buffers, const parameters& p) {
    const bool from_scales = instruction.from == &formats::e8m0;
    const bool to_scales = instruction.to == &formats::e8m0;
    const Choices choices = choices_of(instruction, p);
    const void* from = buffers[from_scales ? SCALES : VALUES];
    void* to = buffers[to_scales ? SCALES : RESULT];
    for (std::uint64_t i = 0; i < p.size[0]; ++i)
        write(to, *instruction.to, i,
              exact::convert(*instruction.from, *instruction.to, choices, read(from, *instruction.from, i)).code);
}

/// The steps of a range, the last one first: no order is promised.
void find_steps(const Instruction& instruction, void* const* buffers, const parameters& p) {
    const Choices choices = choices_of(instruction, p);
    const auto code_at = [&](std::uint64_t i) {
        return exact::convert(*instruction.from, *instruction.to, choices, p.range.first + i).code;
    };
    auto* const found = static_cast<std::uint32_t*>(buffers[RIGHT]);
    auto* const steps = static_cast<found_step*>(buffers[ADDED]);
    Code next = 0;
    for (std::uint64_t i = p.place.length; i-- > 0;) {
        const Code code = code_at(i);
        if (i + 1 == p.place.length || code != next) {
            const std::uint32_t at = (*found)++;
            if (at < p.range.capacity) steps[at] = {static_cast<u32>(i), static_cast<u32>(code)};
        }
        next = code;
    }
}

} // namespace

int fake_devices() { return std::atoi(told("devices", "1").c_str()); }
std::string fake_architecture(int device) {
    std::istringstream names(told("architecture", ""));
    std::string name;
    for (int i = 0; i <= device && std::getline(names, name, ','); ++i) {
    }
    return name;
}

static int in_use = 0;
void fake_use(int device) { in_use = device; }

int fake_error(const char* call) {
    static std::map<std::string, int> went_well;
    std::istringstream fail(told("fail", ""));
    std::string name;
    int code = 0;
    int after = 0;
    char colon = 0;
    std::getline(fail, name, ':');
    fail >> code >> colon >> after;
    return name == call && went_well[name]++ >= after ? code : 0;
}

Launched fake_launch(kernels_number kernel, const std::uint32_t* groups, const std::uint32_t* group, void** arguments) {
    parameters p;
    std::memcpy(&p, arguments[BUFFER_COUNT], sizeof p);
    for (int i = 0; i < 3; ++i)
        if (static_cast<std::uint64_t>(groups[i]) * group[i] < p.size[i]) return Launched::too_few_groups;
    std::array<void*, BUFFER_COUNT> buffers{};
    for (std::size_t i = 0; i < buffers.size(); ++i) std::memcpy(&buffers[i], arguments[i], sizeof buffers[i]);
    if (kernel < KERNEL_COUNT) {
        kernels_launch(kernel, buffers.data(), &p);
        return Launched::done;
    }
    if (fake_quantize(kernel, buffers.data(), &p) != 0) return Launched::done;
    if (kernel == KERNEL_instruct_random_e4m3 || kernel == KERNEL_instruct_random_e5m2) {
        if (fake_architecture(in_use) != "sm_100") return Launched::no_such_instruction;
        draw(kernel == KERNEL_instruct_random_e4m3 ? formats::e4m3 : formats::e5m2, buffers.data(), p);
        return Launched::done;
    }
    for (const Instruction& instruction : instructions)
        if ("steps_" + std::string(instruction.name) == kernels_names[kernel]) {
            find_steps(instruction, buffers.data(), p);
            return Launched::done;
        }
    for (const Instruction& instruction : instructions)
        if (std::string(instruction.name) == kernels_names[kernel]) {
            convert(instruction, buffers.data(), p);
            return Launched::done;
        }
    return multiply_tiles(kernels_names[kernel], fake_architecture(in_use), groups, group, buffers.data(), p)
               ? Launched::done
               : Launched::no_such_instruction;
}

} // namespace mxcert::test
