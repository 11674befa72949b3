// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/sweep_fill.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "conformance/frames/frames.hpp"
#include "reference/base/random.hpp"
#include "reference/operation/operation.hpp"

// As the inputs of conversions (worker/inputs.cpp): three versions of one source, chosen at run time.
#if defined(__x86_64__) && defined(__GNUC__)
#define MXCERT_WIDE_FILL 1
#endif

namespace mxcert::suites {
namespace {

/// MX blocks (MX v1.0 5.1): loops whose length the compiler knows are several times as fast.
constexpr std::uint32_t usual_block = 32;

constexpr std::uint32_t inputs_at_once = 2048; ///< they stay in the nearest cache

/// Some inputs of a pattern in their order, on their way into blocks.
class Inputs {
  public:
    explicit Inputs(const BlockPattern& p) : p_(p) { values_[0] = 0; }

    /// The inputs from `first` on, up to inputs_at_once or those of a block, and what is left of a row. The one before
    /// them may be read, and most_streams behind them.
    [[gnu::always_inline]] const std::uint32_t* from(std::uint64_t first, std::uint64_t count) {
        const std::uint64_t at = p_.offset + first;
        const auto begin = static_cast<std::uint32_t>(at % p_.streams);
        auto row = static_cast<std::uint32_t>(p_.row + at / p_.streams);
        // Each row is filled up to most_streams: the next one writes over what is too much, and the loop has a length
        // that the compiler knows.
        std::uint32_t* out = values_ + 1;
        for (const std::uint32_t* const end = out + begin + count; out < end; out += p_.streams, ++row)
            for (std::size_t k = 0; k < frames::most_streams; ++k) out[k] = p_.starts[k] + row;
        std::uint32_t* const values = values_ + 1 + begin;
        for (std::uint64_t i = first < p_.count ? p_.count - first : 1; i < count; ++i) values[i] = values[i - 1];
        return values;
    }

  private:
    const BlockPattern& p_;
    std::uint32_t values_[1 + inputs_at_once + 4 * frames::most_streams]; // NOLINT: from() fills what is read
};
static_assert(inputs_at_once >= largest_block);

/// Puts values into memory.
template <class Word> class Written {
  public:
    explicit Written(std::byte* to) : to_(reinterpret_cast<Word*>(to)) {}

    [[gnu::always_inline]] void put(std::uint64_t at, std::uint64_t /*slot*/, std::uint32_t value) {
        to_[at] = static_cast<Word>(value);
    }
    [[nodiscard]] bool same() const { return true; }

  private:
    Word* to_;
};

/// Compares memory with values. Neighbours in a loop have neighbouring slots, so that a vector of them is compared at
/// once.
template <class Word> class Compared {
  public:
    explicit Compared(const std::byte* from) : from_(reinterpret_cast<const Word*>(from)) {}

    [[gnu::always_inline]] void put(std::uint64_t at, std::uint64_t slot, std::uint32_t value) {
        different_[slot] |= static_cast<Word>(from_[at] ^ static_cast<Word>(value));
    }
    [[nodiscard]] bool same() const {
        return std::all_of(different_.begin(), different_.end(), [](Word bits) { return bits == 0; });
    }

  private:
    const Word* from_;
    std::array<Word, inputs_at_once> different_{};
};

template <class Memory>
[[gnu::always_inline]] inline void pairs(Memory& memory, const BlockPattern& p, std::uint32_t block) {
    Inputs inputs(p);
    const std::uint64_t lines_at_once = inputs_at_once / block;
    // What is written to could be the pattern, for all that the compiler knows.
    const std::uint32_t amax = p.amax;
    const std::uint32_t sign = p.sign;
    const std::uint32_t* const lanes = p.lanes;
    const auto top = [=](std::uint64_t i) __attribute__((always_inline)) {
        return amax | (sign & (0 - static_cast<std::uint32_t>(i & 1)));
    };
    for (std::uint64_t begin = 0; begin < p.lines; begin += lines_at_once) {
        const std::uint64_t end = std::min(p.lines, begin + lines_at_once);
        const std::uint32_t* const in = inputs.from(begin * (block - 1), (end - begin) * (block - 1));
        if (p.axis == Axis::row) {
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::uint32_t lane = lanes[i];
                const std::uint32_t* const line = in + (i - begin) * (block - 1);
                const std::uint32_t top_of_line = top(i);
                for (std::uint32_t l = 0; l < block; ++l) {
                    const std::uint32_t before = line[static_cast<std::ptrdiff_t>(l) - 1];
                    const std::uint32_t value = l < lane ? line[l] : before;
                    memory.put(i * block + l, l, l == lane ? top_of_line : value);
                }
            }
        } else {
            for (std::uint32_t l = 0; l < block; ++l)
                for (std::uint64_t i = begin; i < end; ++i) {
                    const std::uint32_t* const line = in + (i - begin) * (block - 1);
                    const std::uint32_t lane = lanes[i];
                    const std::uint32_t value = line[static_cast<std::ptrdiff_t>(l) - (l > lane ? 1 : 0)];
                    memory.put(l * p.lines + i, i - begin, l == lane ? top(i) : value);
                }
        }
    }
}

constexpr std::size_t word_count = 4096;
constexpr std::uint32_t word_stride = 61; ///< words from one amax to the next

constexpr auto random_words = [] {
    constexpr std::uint64_t seed = 0x616D6178;
    std::array<std::uint32_t, word_count + largest_block> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(SplitMix64::at(seed, i));
    return values;
}();

template <class Memory>
[[gnu::always_inline]] inline void amaxes(Memory& memory, const BlockPattern& p, std::uint32_t block) {
    const std::uint32_t* const words = random_words.data();
    Inputs inputs(p);
    const std::uint32_t sign = p.sign; // what is written to could be the pattern, for all that the compiler knows
    const auto smaller = [=](std::uint32_t amax, std::uint32_t word) __attribute__((always_inline)) {
        return static_cast<std::uint32_t>((std::uint64_t{amax} * word) >> 32) | (sign & (0 - (word & 1)));
    };
    const auto words_of = [=](std::uint32_t amax) { return words + amax * word_stride % word_count; };
    const auto signed_amax = [=](std::uint32_t amax) { return amax | (amax / block % 2 != 0 ? sign : 0); };
    const std::uint64_t lines_at_once = inputs_at_once;
    for (std::uint64_t begin = 0; begin < p.lines; begin += lines_at_once) {
        const std::uint64_t end = std::min(p.lines, begin + lines_at_once);
        const std::uint32_t* const in = inputs.from(begin, end - begin);
        if (p.axis == Axis::row) {
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::uint32_t amax = in[i - begin];
                const std::uint32_t* const of_amax = words_of(amax);
                const std::uint32_t lane = amax % block;
                const std::uint32_t top = signed_amax(amax);
                for (std::uint32_t l = 0; l < block; ++l) {
                    const std::uint32_t value = smaller(amax, of_amax[l]);
                    memory.put(i * block + l, l, l == lane ? top : value);
                }
            }
        } else {
            for (std::uint32_t l = 0; l < block; ++l)
                for (std::uint64_t i = begin; i < end; ++i) {
                    const std::uint32_t amax = in[i - begin];
                    const std::uint32_t value = smaller(amax, words_of(amax)[l]);
                    memory.put(l * p.lines + i, i - begin, l == amax % block ? signed_amax(amax) : value);
                }
        }
    }
}

/// The jobs, with the usual size of a block as a constant.
struct Pairs {
    template <class Memory> [[gnu::always_inline]] static void run(Memory& memory, const BlockPattern& p) {
        p.block == usual_block ? pairs(memory, p, usual_block) : pairs(memory, p, p.block);
    }
};
struct Amaxes {
    template <class Memory> [[gnu::always_inline]] static void run(Memory& memory, const BlockPattern& p) {
        p.block == usual_block ? amaxes(memory, p, usual_block) : amaxes(memory, p, p.block);
    }
};

template <class Job, class Memory> [[gnu::always_inline]] inline bool run_on(Memory memory, const BlockPattern& p) {
    Job::run(memory, p);
    return memory.same();
}
template <class Job, template <class> class Memory, class Bytes>
[[gnu::always_inline]] inline bool run(Bytes* bytes, const BlockPattern& p) {
    return p.width == 2 ? run_on<Job>(Memory<std::uint16_t>(bytes), p) : run_on<Job>(Memory<std::uint32_t>(bytes), p);
}
template <class Job, template <class> class Memory, class Bytes> bool plain(Bytes* bytes, const BlockPattern& p) {
    return run<Job, Memory>(bytes, p);
}
#if defined(MXCERT_WIDE_FILL)
template <class Job, template <class> class Memory, class Bytes>
[[gnu::target("avx2")]] bool avx2(Bytes* bytes, const BlockPattern& p) {
    return run<Job, Memory>(bytes, p);
}
template <class Job, template <class> class Memory, class Bytes>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] bool avx512(Bytes* bytes, const BlockPattern& p) {
    return run<Job, Memory>(bytes, p);
}
#endif

template <class Job, template <class> class Memory, class Bytes> bool best(Bytes* bytes, const BlockPattern& p) {
    using Version = bool (*)(Bytes*, const BlockPattern&);
    static const Version chosen = []() -> Version {
#if defined(MXCERT_WIDE_FILL)
        if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return avx512<Job, Memory, Bytes>;
        if (__builtin_cpu_supports("avx2")) return avx2<Job, Memory, Bytes>;
#endif
        return plain<Job, Memory, Bytes>;
    }();
    return chosen(bytes, p);
}

} // namespace

void write_pairs(std::byte* to, const BlockPattern& pattern) { (void)best<Pairs, Written>(to, pattern); }
bool has_pairs(const std::byte* from, const BlockPattern& pattern) { return best<Pairs, Compared>(from, pattern); }
void write_amaxes(std::byte* to, const BlockPattern& pattern) { (void)best<Amaxes, Written>(to, pattern); }
bool has_amaxes(const std::byte* from, const BlockPattern& pattern) { return best<Amaxes, Compared>(from, pattern); }

TopCodes take_pairs(const std::byte* from, const BlockPattern& p, std::byte untouched, std::byte* to) {
    const std::uint64_t block = p.block;
    std::array<std::byte, 2> tops{untouched, untouched};
    bool alike = true;
    for (std::uint64_t i = 0; i < p.lines; ++i) {
        const std::byte top = from[p.axis == Axis::row ? i * block + p.lanes[i] : p.lanes[i] * p.lines + i];
        std::byte& known = tops[i & 1];
        if (top == untouched || top == known) continue;
        alike = alike && known == untouched;
        known = top;
    }
    if (p.axis == Axis::row && block == usual_block) {
        // Both copies are of a length that the compiler knows; what they write too much the next line overwrites.
        for (std::uint64_t i = 0; i < p.lines; ++i) {
            const std::byte* const line = from + i * usual_block;
            std::byte* const out = to + i * (usual_block - 1);
            const std::uint32_t lane = p.lanes[i];
            std::memcpy(out, line, usual_block);
            std::memcpy(out + lane, line + lane + 1, usual_block);
        }
    } else if (p.axis == Axis::row) {
        for (std::uint64_t i = 0; i < p.lines; ++i) {
            const std::byte* const line = from + i * block;
            std::byte* const out = to + i * (block - 1);
            std::memcpy(out, line, p.lanes[i]);
            std::memcpy(out + p.lanes[i], line + p.lanes[i] + 1, block - p.lanes[i] - 1);
        }
    } else {
        // Lane by lane, as they lie in memory.
        for (std::uint64_t l = 0; l < block; ++l)
            for (std::uint64_t i = 0; i < p.lines; ++i)
                if (l != p.lanes[i]) to[i * (block - 1) + l - (l > p.lanes[i] ? 1 : 0)] = from[l * p.lines + i];
    }
    for (std::byte& top : tops)
        if (top == untouched) top = std::byte{}; // the same when it is asked again, with other poison
    return {tops[0], tops[1], alike};
}

} // namespace mxcert::suites
