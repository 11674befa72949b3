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

template <class Word> [[gnu::always_inline]] inline void pairs(Word* to, const BlockPattern& p, std::uint32_t block) {
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
                Word* const out = to + i * block;
                for (std::uint32_t l = 0; l < block; ++l) {
                    const std::uint32_t before = line[static_cast<std::ptrdiff_t>(l) - 1];
                    out[l] = static_cast<Word>(l <= lane ? line[l] : before);
                }
                out[lane] = static_cast<Word>(top(i));
            }
        } else {
            for (std::uint32_t l = 0; l < block; ++l)
                for (std::uint64_t i = begin; i < end; ++i) {
                    const std::uint32_t* const line = in + (i - begin) * (block - 1);
                    const std::uint32_t lane = lanes[i];
                    const std::uint32_t value = line[static_cast<std::ptrdiff_t>(l) - (l > lane ? 1 : 0)];
                    to[l * p.lines + i] = static_cast<Word>(l == lane ? top(i) : value);
                }
        }
    }
}

constexpr std::size_t word_count = 4096;
constexpr std::uint32_t word_stride = 61; ///< words from one amax to the next

const std::uint32_t* random_words() {
    static const auto words = [] {
        constexpr std::uint64_t seed = 0x616D6178;
        std::array<std::uint32_t, word_count + largest_block> values{};
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(SplitMix64::at(seed, i));
        return values;
    }();
    return words.data();
}

template <class Word> [[gnu::always_inline]] inline void amaxes(Word* to, const BlockPattern& p, std::uint32_t block) {
    const std::uint32_t* const words = random_words();
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
                Word* const out = to + i * block;
                for (std::uint32_t l = 0; l < block; ++l) out[l] = static_cast<Word>(smaller(amax, of_amax[l]));
                out[amax % block] = static_cast<Word>(signed_amax(amax));
            }
        } else {
            for (std::uint32_t l = 0; l < block; ++l)
                for (std::uint64_t i = begin; i < end; ++i) {
                    const std::uint32_t amax = in[i - begin];
                    const std::uint32_t value = smaller(amax, words_of(amax)[l]);
                    to[l * p.lines + i] = static_cast<Word>(l == amax % block ? signed_amax(amax) : value);
                }
        }
    }
}

/// The jobs, with the size of a value and the usual size of a block as constants.
struct Pairs {
    template <class Word> [[gnu::always_inline]] static void run(Word* to, const BlockPattern& p) {
        p.block == usual_block ? pairs(to, p, usual_block) : pairs(to, p, p.block);
    }
};
struct Amaxes {
    template <class Word> [[gnu::always_inline]] static void run(Word* to, const BlockPattern& p) {
        p.block == usual_block ? amaxes(to, p, usual_block) : amaxes(to, p, p.block);
    }
};

template <class Job> [[gnu::always_inline]] inline void run(std::byte* to, const BlockPattern& p) {
    p.width == 2 ? Job::run(reinterpret_cast<std::uint16_t*>(to), p)
                 : Job::run(reinterpret_cast<std::uint32_t*>(to), p);
}
template <class Job> void plain(std::byte* to, const BlockPattern& p) { run<Job>(to, p); }
#if defined(MXCERT_WIDE_FILL)
template <class Job> [[gnu::target("avx2")]] void avx2(std::byte* to, const BlockPattern& p) { run<Job>(to, p); }
template <class Job>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] void avx512(std::byte* to, const BlockPattern& p) {
    run<Job>(to, p);
}
#endif

template <class Job> void best(std::byte* to, const BlockPattern& p) {
    using Version = void (*)(std::byte*, const BlockPattern&);
    static const Version chosen = []() -> Version {
#if defined(MXCERT_WIDE_FILL)
        if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return avx512<Job>;
        if (__builtin_cpu_supports("avx2")) return avx2<Job>;
#endif
        return plain<Job>;
    }();
    chosen(to, p);
}

// Written once more, a few lines at a time, and compared: the library compares as fast as memory can be read. `inputs`:
// of a block.
template <class Job> bool as_written(const std::byte* from, const BlockPattern& p, std::uint32_t inputs) {
    constexpr std::uint64_t elements_at_once = 4096;
    const std::uint64_t lines_at_once = std::max<std::uint64_t>(2, elements_at_once / p.block / 2 * 2); // signs go on
    std::vector<std::byte> wanted(std::min(lines_at_once, p.lines) * p.block * p.width);
    for (std::uint64_t done = 0; done < p.lines; done += lines_at_once) {
        BlockPattern part = p;
        part.lines = std::min(lines_at_once, p.lines - done);
        const std::uint64_t first = part.offset + done * inputs;
        part.offset = static_cast<std::uint32_t>(first % part.streams);
        part.row += static_cast<std::uint32_t>(first / part.streams);
        part.count -= done * inputs;
        if (part.lanes != nullptr) part.lanes += done;
        best<Job>(wanted.data(), part);
        // One piece of memory if blocks are rows, else one for each lane.
        const bool rows = p.axis == Axis::row;
        const std::uint64_t bytes = part.lines * p.width * (rows ? p.block : 1);
        for (std::uint64_t l = 0; l < (rows ? 1 : p.block); ++l) {
            const std::uint64_t at = (rows ? done * p.block : l * p.lines + done) * p.width;
            if (std::memcmp(from + at, wanted.data() + l * bytes, bytes) != 0) return false;
        }
    }
    return true;
}

} // namespace

void write_pairs(std::byte* to, const BlockPattern& pattern) { best<Pairs>(to, pattern); }
bool has_pairs(const std::byte* from, const BlockPattern& pattern) {
    return as_written<Pairs>(from, pattern, pattern.block - 1);
}
void write_amaxes(std::byte* to, const BlockPattern& pattern) { best<Amaxes>(to, pattern); }
bool has_amaxes(const std::byte* from, const BlockPattern& pattern) { return as_written<Amaxes>(from, pattern, 1); }

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
