// SPDX-License-Identifier: Apache-2.0
// Calls of a plugin that tells the exceptions of its conversions.
#include <array>
#include <cstring>
#include <vector>

#include "conformance/frames/words.hpp"
#include "conformance/worker/refused.hpp"
#include "conformance/worker/serve.hpp"

namespace mxcert::worker {
namespace {

// Codes are written twice, over these.
constexpr std::array<std::uint8_t, 2> poisons = {0x5A, 0xA5};
constexpr std::uint8_t unraised = 0xFF;

/// `count` codes of `width` bytes, poisoned, with guards about them.
std::byte* poisoned(Buffer& buffer, std::uint64_t count, unsigned width, std::uint8_t poison) {
    std::byte* const begin = buffer.reserve(count, width, 2 * guard_bytes);
    std::memset(begin, poison, static_cast<std::size_t>(count * width + 2 * guard_bytes));
    return begin + guard_bytes;
}

unsigned bytes_of_value(const Format& from) { return frames::bytes_of(from.scale != nullptr ? *from.value : from); }

} // namespace

// The flags go to the place of the outputs, the codes nowhere. They are those of the same call, so they must be what a
// call without flags gives: otherwise flags would be judged of another conversion than codes.
void Server::call_for_flags(mxcert_convert_args args, const Offer& offer) {
    const unsigned width = frames::bytes_of(*offer.codes);
    const std::uint64_t bytes = args.count * width;
    args.flags = static_cast<std::uint8_t*>(args.output);
    std::byte* const codes = poisoned(codes_[0], args.count, width, poisons[0]);
    args.output = codes;
    if (offer.flags_of_batch)
        call_for_each_value(args, offer);
    else
        call_convert(args);
    check_guards(codes, bytes, poisons[0]);

    mxcert_convert_args without_flags = args;
    without_flags.flags = nullptr;
    std::byte* const codes_without = poisoned(codes_[1], args.count, width, poisons[1]);
    without_flags.output = codes_without;
    call_convert(without_flags);
    check_guards(codes_without, bytes, poisons[1]);
    if (std::memcmp(codes, codes_without, static_cast<std::size_t>(bytes)) != 0)
        throw Refused(MXCERT_ERROR, "convert() gives other codes with flags than without, or leaves some unwritten");
    if (offer.flags_of_batch) call_for_batches(args, offer);
}

void Server::call_for_each_value(const mxcert_convert_args& args, const Offer& offer) {
    const unsigned in = bytes_of_value(*offer.from);
    const unsigned width = frames::bytes_of(*offer.codes);
    mxcert_convert_args alone = args;
    alone.count = 1;
    for (std::uint64_t i = 0; i < args.count; ++i) {
        alone.input = static_cast<const std::byte*>(args.input) + i * in;
        alone.random = args.random == nullptr ? nullptr : args.random + i;
        alone.output = static_cast<std::byte*>(args.output) + i * width;
        alone.flags = args.flags + i;
        call_convert(alone);
    }
}

// `args.output` has the codes that the values had alone.
std::uint8_t Server::flags_of_call(mxcert_convert_args args, const Offer& offer) {
    const std::uint64_t bytes = args.count * frames::bytes_of(*offer.codes);
    const void* const alone = args.output;
    std::byte* const codes = poisoned(codes_[1], bytes, 1, poisons[1]);
    args.output = codes;
    // No conversion raises what stands there before.
    std::byte* const flags = poisoned(flags_, 1, 1, unraised);
    args.flags = reinterpret_cast<std::uint8_t*>(flags);
    call_convert(args);
    check_guards(codes, bytes, poisons[1]);
    check_guards(flags, 1, unraised);
    if (std::memcmp(codes, alone, static_cast<std::size_t>(bytes)) != 0)
        throw Refused(MXCERT_ERROR, "convert() gives other codes in a batch whose flags are asked than of each value");
    return *args.flags;
}

// Values that raised the same flags alone must raise these together: what some raise besides would not show where
// others raise it. All values of a call raise what any of them raises: where the values are alike, the flags of one,
// such as the last, would do.
void Server::call_for_batches(const mxcert_convert_args& args, const Offer& offer) {
    const std::vector<std::uint8_t> alone(args.flags, args.flags + args.count);
    const auto mark = [&](std::uint64_t value, std::uint8_t flags) {
        args.flags[value] = static_cast<std::uint8_t>(flags | formats::raised_in_batch);
    };
    const unsigned in = bytes_of_value(*offer.from);
    const unsigned width = frames::bytes_of(*offer.codes);
    std::array<std::vector<std::uint64_t>, 256> of_flags;
    unsigned all = 0;
    for (std::uint64_t i = 0; i < args.count; ++i) {
        of_flags[alone[i]].push_back(i);
        all |= alone[i];
    }
    for (const std::vector<std::uint64_t>& alike : of_flags) {
        if (alike.size() < 2) continue;
        std::byte* const values = alike_[0].reserve(alike.size(), in, 0);
        auto* const randoms =
            reinterpret_cast<std::uint32_t*>(alike_[1].reserve(alike.size(), sizeof(std::uint32_t), 0));
        std::byte* const codes = alike_[2].reserve(alike.size(), width, 0);
        for (std::size_t i = 0; i < alike.size(); ++i) {
            std::memcpy(values + i * in, static_cast<const std::byte*>(args.input) + alike[i] * in, in);
            std::memcpy(codes + i * width, static_cast<const std::byte*>(args.output) + alike[i] * width, width);
            if (args.random != nullptr) randoms[i] = args.random[alike[i]];
        }
        mxcert_convert_args batch = args;
        batch.count = alike.size();
        batch.input = values;
        batch.random = args.random == nullptr ? nullptr : randoms;
        batch.output = codes;
        const std::uint8_t together = flags_of_call(batch, offer);
        if (together == alone[alike.front()]) continue;
        for (const std::uint64_t i : alike) mark(i, together);
    }
    const std::uint8_t together = flags_of_call(args, offer);
    if (together == all) return;
    for (std::uint64_t i = 0; i < args.count; ++i) mark(i, together);
}

} // namespace mxcert::worker
