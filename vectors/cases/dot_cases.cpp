// SPDX-License-Identifier: Apache-2.0
#include "vectors/cases/dot_cases.hpp"

#include <algorithm>
#include <initializer_list>

#include "reference/base/random.hpp"
#include "reference/exact/exact.hpp"

namespace mxcert {
namespace {

/// Places of products that lie in one group or in two, by the size of the group.
constexpr std::size_t distances[] = {1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128};

/// A signed power of two, times `odd`: 1 or 3.
struct Term {
    std::size_t place;
    int exponent;
    bool negative = false;
    unsigned odd = 1;
};

/// Normal powers of two of a format; of a wide one those near 1, which are more than any sum of a device keeps. Of
/// whole numbers those that a factor of 3/2 leaves one.
constexpr int widest = 35;
struct Powers {
    int low;
    int high;
};
Powers powers_of(const Format& format) {
    // The largest power may have to carry a factor of 3/2.
    const int top = exact::floor_log2(exact::decode(format, format.max_code()).magnitude);
    const bool has_half = (format.max_code() & format.fraction_mask()) != 0;
    const int low = format.is_twos_complement() ? format.emin() - format.fraction_bits + 1 : format.emin();
    return {std::max(low, -widest), std::min(has_half ? top : top - 1, widest)};
}

/// Makes the cases.
class Maker {
  public:
    Maker(const DotFormat& format, std::size_t block_a, std::size_t block_b, std::size_t k, bool has_c)
        : k_(k), has_c_(has_c), a_(powers_of(*format.a)), b_(powers_of(*format.b)) {
        made_.format = format;
        made_.block_a = block_a;
        made_.block_b = block_b;
    }

    [[nodiscard]] int low() const { return a_.low + b_.low; }
    [[nodiscard]] int high() const { return a_.high + b_.high; }
    [[nodiscard]] std::size_t k() const { return k_; }
    [[nodiscard]] bool has_c() const { return has_c_; }
    [[nodiscard]] const DotFormat& format() const { return made_.format; }
    [[nodiscard]] bool has_scales() const { return made_.format.scale_a != nullptr; }
    [[nodiscard]] std::size_t scales_of_a() const { return SharedScale{made_.block_a, 1}.count_along(k_); }
    /// Precondition: A has several blocks.
    [[nodiscard]] std::size_t block_of_a() const { return made_.block_a; }

    [[nodiscard]] static Code power(const Format& format, int exponent, bool negative = false, unsigned odd = 1) {
        const exact::Rational value = exact::power_of_two(exponent) * odd;
        return format.with_sign(exact::encode(format, value), negative);
    }

    /// All products zero, all scales 1, c zero.
    [[nodiscard]] DotCase zeros(std::string about) const {
        DotCase dot_case;
        dot_case.about = std::move(about);
        dot_case.a.assign(k_, 0);
        dot_case.b.assign(k_, 0);
        if (has_scales()) {
            dot_case.scales_a.assign(scales_of_a(), power(*made_.format.scale_a, 0));
            dot_case.scales_b.assign(SharedScale{made_.block_b, 1}.count_along(k_), power(*made_.format.scale_b, 0));
        }
        return dot_case;
    }

    /// Whether both factors of such a product are normal numbers. An odd factor of 3 is one of A, half of it the
    /// exponent's.
    [[nodiscard]] bool has(int exponent) const { return low() <= exponent && exponent <= high(); }
    void put(DotCase& dot_case, const Term& term) const {
        if (term.place >= k_) return;
        const int of_a = std::clamp(term.exponent - (b_.low + b_.high) / 2, a_.low, a_.high);
        const int of_b = std::clamp(term.exponent - of_a, b_.low, b_.high);
        const int rest = term.exponent - of_b;
        dot_case.a[term.place] = term.odd == 1 ? power(*made_.format.a, rest, term.negative)
                                               : power(*made_.format.a, rest - 1, term.negative, term.odd);
        dot_case.b[term.place] = power(*made_.format.b, of_b);
    }
    /// c = +-2^exponent, if its format has that. Precondition: has_c().
    [[nodiscard]] bool put_c(DotCase& dot_case, int exponent, bool negative = false) const {
        const Format& format = *made_.format.c;
        const int top = exact::floor_log2(exact::decode(format, format.max_code()).magnitude);
        if (exponent < format.emin() - format.fraction_bits || exponent > top) return false;
        dot_case.c = power(format, exponent, negative);
        return true;
    }

    void keep(DotCase dot_case) { made_.cases.push_back(std::move(dot_case)); }
    /// The case of these products, if the formats have them.
    void keep(const char* about, std::initializer_list<Term> terms) {
        DotCase dot_case = zeros(about);
        for (const Term& term : terms) {
            if (!has(term.exponent)) return;
            put(dot_case, term);
        }
        keep(std::move(dot_case));
    }

    [[nodiscard]] DotCases take() { return std::move(made_); }

  private:
    std::size_t k_;
    bool has_c_;
    Powers a_;
    Powers b_;
    DotCases made_;
};

// A huge product, its negative, and ones everywhere else: those that were added between the two, or with them, are
// lost.
void add_orders(Maker& maker) {
    const auto keep = [&](const char* about, std::size_t first, std::size_t second) {
        if (second >= maker.k()) return;
        DotCase dot_case = maker.zeros(about);
        for (std::size_t l = 0; l < maker.k(); ++l) maker.put(dot_case, {l, maker.low()});
        maker.put(dot_case, {first, maker.high()});
        maker.put(dot_case, {second, maker.high(), true});
        maker.keep(std::move(dot_case));
    };
    for (const std::size_t distance : distances)
        for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{16}, std::size_t{40}})
            keep("what is added between two products", first, first + distance);
    if (!maker.has_c()) return;
    for (const std::size_t place : distances) {
        if (place > maker.k()) continue;
        DotCase dot_case = maker.zeros("what is added between c and a product");
        for (std::size_t l = 0; l < maker.k(); ++l) maker.put(dot_case, {l, maker.low()});
        maker.put(dot_case, {place - 1, maker.high(), true});
        if (maker.put_c(dot_case, maker.high())) maker.keep(std::move(dot_case));
    }
}

// One product with small ones, and its negative: what stays of the small ones.
void add_bits(Maker& maker) {
    const int high = maker.high();
    for (int down = 0; high - down >= maker.low(); ++down) {
        const int small = high - down;
        for (const bool negative : {false, true}) {
            for (const unsigned odd : {1U, 3U}) {
                maker.keep("bits below the largest exponent in a group",
                           {{0, high}, {1, small, negative, odd}, {2, high, true}});
                maker.keep("bits below the largest exponent two apart",
                           {{0, high}, {2, small, negative, odd}, {4, high, true}});
                maker.keep("bits of a sum", {{0, high}, {1, small, negative, odd}});
            }
            maker.keep(
                "several small products",
                {{0, high}, {1, small, negative}, {2, small, negative}, {3, small, negative, 3}, {4, high, true}});
            for (const std::size_t distance : distances)
                if (down % 3 == 0 || down > 12)
                    maker.keep("bits of a sum that goes on",
                               {{0, high}, {1, small, negative}, {distance + 1, high, true}});
        }
    }
    // Ties and nearly ties of the result.
    for (int bits = 5; high - bits - 2 >= maker.low(); ++bits) {
        for (const bool negative : {false, true}) {
            maker.keep("a tie", {{0, high, negative}, {1, high - bits, negative}});
            maker.keep("a tie above an odd sum",
                       {{0, high, negative}, {1, high - bits + 1, negative}, {2, high - bits, negative}});
            maker.keep("above a tie", {{0, high, negative}, {1, high - bits, negative}, {2, maker.low(), negative}});
            maker.keep("below a tie", {{0, high, negative}, {1, high - bits, negative}, {2, maker.low(), !negative}});
        }
    }
}

void add_addends(Maker& maker) {
    if (!maker.has_c()) return;
    const auto keep = [&](const char* about, int c, bool negative, std::initializer_list<Term> terms) {
        DotCase dot_case = maker.zeros(about);
        if (!maker.put_c(dot_case, c, negative)) return;
        for (const Term& term : terms) {
            if (!maker.has(term.exponent)) return;
            maker.put(dot_case, term);
        }
        maker.keep(std::move(dot_case));
    };
    const int high = maker.high();
    for (int down = 0; down <= 60; ++down) {
        for (const bool negative : {false, true}) {
            keep("a small c and products that cancel", high - down, negative, {{0, high}, {1, high, true}});
            keep("a small c", high - down, negative, {{0, high}});
            keep("a large c and products", high, negative, {{0, high - down}, {1, high - down, false, 3}});
            keep("a large c and a product that cancels it", high, negative, {{0, high - down}, {1, high, !negative}});
            keep("c far above the products", high + down, negative, {{0, high}, {1, high - 1, true}});
        }
    }
}

void add_specials(Maker& maker) {
    const DotFormat& format = maker.format();
    const Format& a = *format.a;
    const Format& b = *format.b;
    const Code one_a = Maker::power(a, 0);
    const Code one_b = Maker::power(b, 0);
    const Code minus_one_a = Maker::power(a, 0, true);
    const auto keep = [&](const char* about, std::initializer_list<std::pair<Code, Code>> products, Code c = 0) {
        for (const std::size_t first : {std::size_t{0}, std::size_t{5}}) {
            if (c != 0 && !maker.has_c()) return;
            DotCase dot_case = maker.zeros(about);
            std::size_t at = first;
            for (const auto& [x, y] : products) {
                dot_case.a[at] = x;
                dot_case.b[at++] = y;
            }
            dot_case.c = c;
            maker.keep(std::move(dot_case));
        }
    };
    const Format& of_c = *format.c;
    keep("zeros", {{0, 0}});
    keep("a negative zero", {{a.sign_bit(), one_b}});
    keep("c of -0", {{0, 0}}, of_c.sign_bit());
    keep("c of -0 and a negative zero", {{a.sign_bit(), one_b}}, of_c.sign_bit());
    keep("products that cancel", {{one_a, one_b}, {minus_one_a, one_b}});
    keep("c that a product cancels", {{minus_one_a, one_b}}, Maker::power(of_c, 0));
    if (a.has_nan()) keep("NaN", {{a.last_code(), one_b}});
    keep("c of NaN", {{one_a, one_b}}, of_c.inf_code() | 1); // every format of c has Inf and NaN
    keep("c of Inf", {{one_a, one_b}}, of_c.inf_code());
    keep("c of -Inf", {{one_a, one_b}}, of_c.inf_code() | of_c.sign_bit());
    keep("the largest products and the largest c", {{a.max_code(), b.max_code()}}, of_c.max_code());
    keep("the largest negative ones", {{a.max_code() | a.sign_bit(), b.max_code()}}, of_c.max_code() | of_c.sign_bit());
    const Code normal = Code{1} << static_cast<unsigned>(a.fraction_bits);
    keep("the smallest products", {{1, 1}, {1, 1}, {1, b.max_code()}});
    keep("the smallest normal products", {{normal, Code{1} << static_cast<unsigned>(b.fraction_bits)}});
    DotCase largest = maker.zeros("the largest products");
    largest.a.assign(maker.k(), a.max_code());
    largest.b.assign(maker.k(), b.max_code());
    maker.keep(largest);
    for (std::size_t l = 0; l < maker.k(); l += 2) largest.a[l] |= a.sign_bit();
    largest.about = "the largest products of alternating sign";
    maker.keep(largest);
    if (a.has_inf()) {
        keep("Inf", {{a.inf_code(), one_b}});
        keep("Inf times zero", {{a.inf_code(), 0}});
        keep("Inf less Inf", {{a.inf_code(), one_b}, {a.inf_code() | a.sign_bit(), one_b}});
        keep("Inf and c of -Inf", {{a.inf_code(), one_b}}, of_c.inf_code() | of_c.sign_bit());
    }
}

/// A power of two well below 1.
int below_one(const Format& format) { return powers_of(format).low / 2; }

void add_subnormals(Maker& maker) {
    const Format& a = *maker.format().a;
    const Format& b = *maker.format().b;
    const Format& c = *maker.format().c;
    for (int field = 0; field < a.fraction_bits; ++field) {
        DotCase dot_case = maker.zeros("a subnormal element of A");
        dot_case.a[0] = Code{1} << static_cast<unsigned>(field);
        dot_case.b[0] = Maker::power(b, below_one(b));
        maker.keep(dot_case);
        dot_case.about = "a subnormal element of A beside a normal product";
        maker.put(dot_case, {1, maker.low() + 2});
        maker.keep(dot_case);
        dot_case.about = "two subnormal elements of A";
        dot_case.a[1] = dot_case.a[0] | a.sign_bit();
        dot_case.b[1] = Maker::power(b, below_one(b) - 1);
        maker.keep(dot_case);
    }
    for (int field = 0; field < b.fraction_bits; ++field) {
        DotCase dot_case = maker.zeros("a subnormal element of B");
        dot_case.a[0] = Maker::power(a, below_one(a));
        dot_case.b[0] = Code{1} << static_cast<unsigned>(field);
        maker.keep(dot_case);
    }
    if (!maker.has_c()) return;
    for (int field = 0; field < c.fraction_bits; field += 3) {
        DotCase dot_case = maker.zeros("a subnormal c");
        dot_case.c = Code{5} << static_cast<unsigned>(field) & c.fraction_mask();
        maker.keep(dot_case);
        dot_case.about = "a subnormal c beside the smallest product";
        maker.put(dot_case, {0, maker.low()});
        maker.keep(dot_case);
        dot_case.c |= c.sign_bit();
        maker.keep(dot_case);
    }
}

// Powers of two, and where the format has more, any finite number that is not zero.
Code random_scale(const Format& scale, SplitMix64& random) {
    const Code code = random.below(scale.max_code()) + (scale.is_signed || scale.has_subnormals ? 1 : 0);
    return scale.is_signed && random.below(4) == 0 ? code | scale.sign_bit() : code;
}

// Scales near one with all bits of their fractions: what is rounded when they are multiplied shows, with sums that do
// not differ much.
void add_long_scales(Maker& maker) {
    const Format& scale = *maker.format().scale_a;
    if (scale.fraction_bits == 0) return;
    SplitMix64 random(5);
    for (int number = 0; number < 80; ++number) {
        DotCase dot_case = maker.zeros("long scales near one");
        for (std::size_t l = 0; l < maker.k(); ++l)
            if (random.below(4) == 0) {
                const int exponent = (maker.low() + maker.high()) / 2 + static_cast<int>(random.below(4));
                maker.put(dot_case, {l, std::min(exponent, maker.high()), random.below(2) == 0});
            }
        for (std::vector<Code>* scales : {&dot_case.scales_a, &dot_case.scales_b})
            for (Code& code : *scales) { // one draw a statement: C++ leaves open in which order operands are evaluated
                const int exponent = static_cast<int>(random.below(3)) - 1;
                code = Maker::power(scale, exponent) | (random() & scale.fraction_mask());
            }
        maker.keep(std::move(dot_case));
    }
}

void add_scales(Maker& maker) {
    if (!maker.has_scales()) return;
    const Format& scale = *maker.format().scale_a;
    const Powers powers = powers_of(scale);
    SplitMix64 random(3);
    const auto keep = [&](const char* about, int spread, bool fractions) {
        DotCase dot_case = maker.zeros(about);
        for (std::size_t l = 0; l < maker.k(); ++l)
            maker.put(dot_case, {l,
                                 maker.low() + static_cast<int>(random.below(
                                                   static_cast<std::uint64_t>(maker.high() - maker.low() + 1))),
                                 random.below(2) == 0});
        for (std::vector<Code>* scales : {&dot_case.scales_a, &dot_case.scales_b})
            for (Code& code : *scales) {
                const int exponent =
                    static_cast<int>(random.below(static_cast<std::uint64_t>(2 * spread + 1))) - spread;
                code = fractions ? random_scale(scale, random)
                                 : Maker::power(scale, std::clamp(exponent, powers.low, powers.high));
            }
        maker.keep(std::move(dot_case));
    };
    for (int i = 0; i < 40; ++i) keep("scales near one", 1 + i / 4, false);
    for (int i = 0; i < 40; ++i) keep("scales far apart", 10 + i, false);
    for (int i = 0; i < 40; ++i) keep("any scales", 0, true);
    add_long_scales(maker);
    // One block of large products, its negative, ones in the others: as the products of one scale, block by block.
    const std::size_t blocks = maker.scales_of_a();
    for (std::size_t first = 0; first < blocks; ++first)
        for (std::size_t second = first + 1; second < std::min(blocks, first + 9); ++second) {
            DotCase dot_case = maker.zeros("what is added between two blocks");
            for (std::size_t l = 0; l < maker.k(); ++l) maker.put(dot_case, {l, maker.low()});
            const std::size_t size = maker.block_of_a();
            for (const std::size_t block : {first, second}) {
                dot_case.scales_a[block] = Maker::power(scale, powers.high);
                for (std::size_t l = block * size; l < std::min((block + 1) * size, maker.k()); ++l) dot_case.a[l] = 0;
                maker.put(dot_case, {block * size, maker.high(), block == second});
            }
            maker.keep(std::move(dot_case));
        }
}

void add_seeded(Maker& maker, std::uint64_t seed) {
    const DotFormat& format = maker.format();
    SplitMix64 random(seed);
    const auto finite = [&](const Format& format, Code limit) {
        const Code code = random.below(limit + 1);
        return code | (random.below(2) == 0 ? format.sign_bit() : 0);
    };
    const auto span = [](const Format& format) {
        return format.max_code() >> static_cast<unsigned>(format.fraction_bits);
    };
    for (int number = 0; number < 200; ++number) {
        DotCase dot_case = maker.zeros(number % 2 == 0 ? "any finite operands" : "operands of a few binades");
        for (std::size_t l = 0; l < maker.k(); ++l) {
            if (number % 5 == 4 && random.below(8) != 0) continue; // mostly zeros
            if (number % 2 == 0) {
                dot_case.a[l] = finite(*format.a, format.a->max_code());
                dot_case.b[l] = finite(*format.b, format.b->max_code());
            } else {
                const auto near = [&](const Format& format) {
                    const auto bits = static_cast<unsigned>(format.fraction_bits);
                    const Code middle = span(format) / 2;
                    const Code fraction = random() & format.fraction_mask();
                    const Code binade = std::min(span(format) - 1, middle + random.below(4));
                    return (binade << bits | fraction) | (random.below(2) == 0 ? format.sign_bit() : 0);
                };
                dot_case.a[l] = near(*format.a);
                dot_case.b[l] = near(*format.b);
            }
        }
        if (maker.has_c()) {
            const Format& c = *format.c;
            const int range = maker.high() - maker.low() + 30;
            const int exponent =
                std::clamp(maker.low() - 15 + static_cast<int>(random.below(static_cast<std::uint64_t>(range))),
                           c.emin(), exact::floor_log2(exact::decode(c, c.max_code()).magnitude));
            const Code power = Maker::power(c, exponent, random.below(2) == 0);
            dot_case.c = power | (random() & c.fraction_mask());
        }
        maker.keep(std::move(dot_case));
    }
}

} // namespace

DotCases dot_cases(const DotFormat& format, std::size_t block_a, std::size_t block_b, std::size_t k, bool has_c) {
    Maker maker(format, block_a, block_b, k, has_c);
    add_orders(maker);
    add_bits(maker);
    add_addends(maker);
    add_specials(maker);
    add_subnormals(maker);
    add_scales(maker);
    add_seeded(maker, 17);
    return maker.take();
}

DotCases drawn_products(const DotFormat& format, std::size_t block_a, std::size_t block_b, std::size_t k, bool has_c,
                        std::uint64_t seed) {
    Maker maker(format, block_a, block_b, k, has_c);
    add_seeded(maker, seed);
    return maker.take();
}

} // namespace mxcert
