// SPDX-License-Identifier: Apache-2.0
#include "vectors/tables/play.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace mxcert {
namespace {

/// 2^12 entries of four bytes fit the first-level cache, and cut a binade of FP32 in eight: about as many as E4M3 has
/// steps.
constexpr int index_bits = 12;

/// Up to here looking at one row after the other is faster than bisection.
constexpr std::size_t few = 8;

} // namespace

Player::Player(const StepTable& table)
    : steps_(table.steps), mask_(table.from->last_code()), shift_(std::max(0, table.from->width() - index_bits)),
      in_bytes_(table.from->bytes()), out_bytes_(table.to->bytes()) {
    if (const std::string reason = broken(table); !reason.empty())
        throw std::invalid_argument("not a whole step table: " + reason);
    if (steps_.size() > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("too many steps");
    std::uint32_t step = 0;
    for (Code top = 0; top <= mask_ >> shift_; ++top) {
        while (steps_[step].last < top << shift_) ++step;
        index_.push_back(step);
    }
    index_.push_back(static_cast<std::uint32_t>(steps_.size() - 1));
}

std::size_t Player::find(Code input) const {
    const std::size_t bucket = input >> shift_;
    std::size_t low = index_[bucket];
    std::size_t high = index_[bucket + 1];
    while (high - low > few) {
        const std::size_t middle = low + (high - low) / 2;
        if (steps_[middle].last < input)
            low = middle + 1;
        else
            high = middle;
    }
    while (steps_[low].last < input) ++low;
    return low;
}

template <class In, class Out> void Player::run_as(const void* input, void* output, std::size_t count) const {
    const auto* in = static_cast<const unsigned char*>(input);
    auto* out = static_cast<unsigned char*>(output);
    // The bytes written could be members of this object, as far as the compiler knows: copies stay in registers.
    const auto mask = static_cast<In>(mask_);
    // Inputs mostly come in order, so the step of the last one is tried first.
    In first = 0;
    In length = 0; // of the step, less one
    Out code = 0;
    const auto take = [&](Code value) {
        const Step& step = steps_[find(value)];
        first = static_cast<In>(step.first);
        length = static_cast<In>(step.last - step.first);
        code = static_cast<Out>(step.code);
    };
    take(0);
    for (std::size_t i = 0; i < count; ++i) {
        In value;
        std::memcpy(&value, in + i * sizeof value, sizeof value);
        value = static_cast<In>(value & mask);
        if (static_cast<In>(value - first) > length) take(value);
        std::memcpy(out + i * sizeof code, &code, sizeof code);
    }
}

template <class In> void Player::run_from(const void* input, void* output, std::size_t count) const {
    switch (out_bytes_) {
    case 1: return run_as<In, std::uint8_t>(input, output, count);
    case 2: return run_as<In, std::uint16_t>(input, output, count);
    case 4: return run_as<In, std::uint32_t>(input, output, count);
    default: return run_as<In, std::uint64_t>(input, output, count);
    }
}

void Player::run(const void* input, void* output, std::size_t count) const {
    switch (in_bytes_) {
    case 1: return run_from<std::uint8_t>(input, output, count);
    case 2: return run_from<std::uint16_t>(input, output, count);
    case 4: return run_from<std::uint32_t>(input, output, count);
    default: return run_from<std::uint64_t>(input, output, count);
    }
}

} // namespace mxcert
