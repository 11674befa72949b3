// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/given_bits/readings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/verdict/value_judge.hpp"
#include "reference/fast/convert.hpp"

namespace mxcert::suites {
namespace {

/// A part of the random bits that is used, as data.
struct UsedBits {
    std::string_view name; ///< with the bits that are used, and those there are
    bool keeps_law;        ///< as many random bits of their own would be distributed alike
    /// The word that is left of `bits` random bits if `used` are used, and how many bits that has.
    std::pair<std::uint32_t, unsigned> (*take)(std::uint32_t word, unsigned bits, unsigned used);
};
constexpr UsedBits used_bits[] = {
    {"the upper {} of {} random bits", true,
     [](std::uint32_t word, unsigned bits, unsigned used) { return std::pair(word >> (bits - used), used); }},
    {"the lower {} of {} random bits", true,
     [](std::uint32_t word, unsigned, unsigned used) {
         return std::pair(word & static_cast<std::uint32_t>((std::uint64_t{1} << used) - 1), used);
     }},
    {"the upper {} of {} random bits, the others zero", true,
     [](std::uint32_t word, unsigned bits, unsigned used) {
         return std::pair(word >> (bits - used) << (bits - used), bits);
     }},
    {"the upper {} of {} random bits, in the place of the lowest", false,
     [](std::uint32_t word, unsigned bits, unsigned used) { return std::pair(word >> (bits - used), bits); }},
    {"the lower {} of {} random bits, the others zero", false,
     [](std::uint32_t word, unsigned bits, unsigned used) {
         return std::pair(word & static_cast<std::uint32_t>((std::uint64_t{1} << used) - 1), bits);
     }},
};

std::uint32_t reversed(std::uint32_t word, unsigned bits) {
    std::uint32_t result = 0;
    for (unsigned bit = 0; bit < bits; ++bit) result = result << 1U | (word >> bit & 1U);
    return result;
}

/// The answers to some points, and roundings that may have given them.
class Answers {
  public:
    Answers(const Conversion& conversion, const std::vector<inputs::Point>& points, bool flushes)
        : conversion_(conversion), points_(points), flushes_(flushes) {}

    [[nodiscard]] std::vector<BitReading> all_that_fit() {
        for (const std::string_view rounding : info(Choice::rounding).values) {
            Choices choices = choices_of(conversion_);
            set(choices, "rounding", rounding);
            if (offers(choices)) look_at(choices, rounding);
        }
        return std::move(found_);
    }

    [[nodiscard]] bool offers(const Choices& choices) const {
        return fast::offers(*conversion_.from, *conversion_.to, choices) &&
               (!is_ptx_rs(choices.rounding) || conversion_.random_bits == 32);
    }

    [[nodiscard]] std::size_t right(const Choices& choices) const {
        return static_cast<std::size_t>(std::count_if(points_.begin(), points_.end(), [&](const inputs::Point& point) {
            return gives(choices, point, point.random, conversion_.random_bits);
        }));
    }

  private:
    [[nodiscard]] bool gives(const Choices& choices, const inputs::Point& point, std::uint32_t word,
                             unsigned used) const {
        const Format& to = *conversion_.to;
        Code code = fast::convert(*conversion_.from, to, choices, point.input, word, used);
        if (flushes_ && to.is_subnormal(code)) code &= to.sign_bit();
        return same(to, point.got, code);
    }

    template <class Take> [[nodiscard]] bool gives_all(const Choices& choices, const Take& take) const {
        return std::all_of(points_.begin(), points_.end(), [&](const inputs::Point& point) {
            const auto [word, used] = take(point.random);
            return gives(choices, point, word, used);
        });
    }

    void look_at(const Choices& choices, std::string_view rounding) {
        const unsigned bits = conversion_.random_bits;
        if (gives_all(choices, [&](std::uint32_t word) { return std::pair(word, bits); })) {
            add(choices.rounding, bits, true, std::string(rounding));
            return;
        }
        if (!is_stochastic(choices.rounding) || is_ptx_rs(choices.rounding)) return;
        if (gives_all(choices, [&](std::uint32_t word) { return std::pair(reversed(word, bits), bits); }))
            add(choices.rounding, bits, true,
                fmt::format("{} with the {} random bits in reverse order", rounding, bits));
        for (const UsedBits& way : used_bits)
            for (unsigned used = 1; used < bits; ++used)
                if (gives_all(choices, [&](std::uint32_t word) { return way.take(word, bits, used); })) {
                    add(choices.rounding, used, way.keeps_law,
                        fmt::format("{} with {}", rounding, fmt::format(fmt::runtime(way.name), used, bits)));
                    break;
                }
    }

    void add(Rounding rounding, unsigned used, bool keeps_law, std::string text) {
        if (flushes_) text += ", and zero for a subnormal result";
        found_.push_back({rounding, used, keeps_law && !flushes_, std::move(text)});
    }

    const Conversion& conversion_;
    const std::vector<inputs::Point>& points_;
    bool flushes_;
    std::vector<BitReading> found_;
};

} // namespace

std::vector<BitReading> readings_of(const Conversion& conversion, const std::vector<inputs::Point>& points) {
    std::vector<BitReading> found = Answers(conversion, points, false).all_that_fit();
    return !found.empty() ? found : Answers(conversion, points, true).all_that_fit();
}

NearestReading nearest_reading(const Conversion& conversion, const std::vector<inputs::Point>& points,
                               const std::vector<BitReading>& found) {
    const Answers answers(conversion, points, false);
    NearestReading nearest;
    for (const std::string_view rounding : info(Choice::rounding).values) {
        Choices choices = choices_of(conversion);
        set(choices, "rounding", rounding);
        const bool was_found = std::any_of(found.begin(), found.end(), [&](const BitReading& reading) {
            return reading.rounding == choices.rounding;
        });
        if (was_found || !answers.offers(choices)) continue;
        const std::size_t right = answers.right(choices);
        if (right <= nearest.right && !nearest.reading.text.empty()) continue;
        nearest = {{choices.rounding, conversion.random_bits, true, std::string(rounding)}, right};
    }
    return nearest;
}

} // namespace mxcert::suites
