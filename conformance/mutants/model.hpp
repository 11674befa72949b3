// SPDX-License-Identifier: Apache-2.0
#pragma once
// One build, every mutant of the models: `./dev mutants --model` rewrites the expressions of reference/ and vectors/
// into the calls below, and each process selects one mutant, or none, when it starts (model.cpp).
//
// A site is one place in the source. It has consecutive mutants from `first`; 0 is no mutant. Every operand is written
// once in a call, so nested sites do not multiply. A form that does not compile for the operands' types ends the
// process.

#include <type_traits>
#include <utility>

namespace mxcert::mutants {

inline constexpr unsigned most = 1U << 17;
inline constexpr int absent_code = 77; ///< exit code where the selected mutant is no expression

#define MXCERT_MUTANT_INLINE [[gnu::always_inline]] inline

#ifdef MXCERT_MUTANT_ACTIVE
// One mutant, or none, as a constant: for comparisons of machine code.
MXCERT_MUTANT_INLINE constexpr bool is_watched(unsigned first) {
    return MXCERT_MUTANT_ACTIVE != 0 && first == MXCERT_MUTANT_FIRST;
}
MXCERT_MUTANT_INLINE constexpr unsigned visit(unsigned first) { return MXCERT_MUTANT_ACTIVE - first; }
#else
/// By the first mutant of a site: whether its next evaluation calls visit(). Nothing is, but the site of the selected
/// mutant, or every site that was not reached yet where they are recorded.
extern unsigned char watched[most];
MXCERT_MUTANT_INLINE bool is_watched(unsigned first) { return __builtin_expect(watched[first] != 0, 0); }
/// Which mutant of a watched site is selected, from 0; a number beyond all if none is.
[[gnu::cold]] unsigned visit(unsigned first) noexcept;
#endif
/// Ends the process with absent_code.
[[noreturn, gnu::cold]] void absent() noexcept;

/// A site of a function that runs when the program does.
struct Plain {
    unsigned first;
    MXCERT_MUTANT_INLINE bool is_watched() const { return mutants::is_watched(first); }
};
/// A site of a constexpr function: constants stay as they are written.
struct Constexpr {
    unsigned first;
    MXCERT_MUTANT_INLINE constexpr bool is_watched() const {
        return !std::is_constant_evaluated() && mutants::is_watched(first);
    }
};

// Shifts by more than the width are taken modulo the width, so that a mutant that shifts too far is defined.
template <class A, class B> constexpr bool is_word_shift = std::is_integral_v<A>&& std::is_integral_v<B>;
template <class A, class B> MXCERT_MUTANT_INLINE constexpr auto left(const A& a, const B& b) -> decltype(a << b) {
    if constexpr (is_word_shift<A, B>)
        return a << (static_cast<unsigned>(b) & (sizeof(+a) * 8 - 1));
    else
        return a << b;
}
template <class A, class B> MXCERT_MUTANT_INLINE constexpr auto right(const A& a, const B& b) -> decltype(a >> b) {
    if constexpr (is_word_shift<A, B>)
        return a >> (static_cast<unsigned>(b) & (sizeof(+a) * 8 - 1));
    else
        return a >> b;
}

#define MXCERT_MUTANT_CASE(which, form)                                                                                \
    case which:                                                                                                        \
        if constexpr (requires { static_cast<Result>(form); })                                                         \
            return static_cast<Result>(form);                                                                          \
        else                                                                                                           \
            absent();
// An operator, and its cases: the selected one of the forms m0, m1, ...
#define MXCERT_MUTANT_BINARY(name, original, cases)                                                                    \
    template <class Here, class A, class B>                                                                            \
    MXCERT_MUTANT_INLINE constexpr auto name(Here here, const A& a, const B& b)->decltype(original) {                  \
        using Result = decltype(original);                                                                             \
        if (here.is_watched()) switch (visit(here.first)) {                                                            \
                cases default : break;                                                                                 \
            }                                                                                                          \
        return original;                                                                                               \
    }
#define MXCERT_MUTANT_BINARY2(name, original, m0, m1)                                                                  \
    MXCERT_MUTANT_BINARY(name, original, MXCERT_MUTANT_CASE(0, m0) MXCERT_MUTANT_CASE(1, m1))
#define MXCERT_MUTANT_BINARY3(name, original, m0, m1, m2)                                                              \
    MXCERT_MUTANT_BINARY(name, original, MXCERT_MUTANT_CASE(0, m0) MXCERT_MUTANT_CASE(1, m1) MXCERT_MUTANT_CASE(2, m2))
#define MXCERT_MUTANT_BINARY4(name, original, m0, m1, m2, m3)                                                          \
    MXCERT_MUTANT_BINARY(name, original,                                                                               \
                         MXCERT_MUTANT_CASE(0, m0) MXCERT_MUTANT_CASE(1, m1) MXCERT_MUTANT_CASE(2, m2)                 \
                             MXCERT_MUTANT_CASE(3, m3))
MXCERT_MUTANT_BINARY3(add, a + b, a - b, a, b)
MXCERT_MUTANT_BINARY3(subtract, a - b, a + b, a, b)
MXCERT_MUTANT_BINARY3(multiply, a* b, a + b, a, b)
MXCERT_MUTANT_BINARY3(divide, a / b, a* b, a, b)
MXCERT_MUTANT_BINARY3(remainder, a % b, a / b, a, b)
MXCERT_MUTANT_BINARY4(bit_and, a& b, a | b, a ^ b, a, b)
MXCERT_MUTANT_BINARY4(bit_or, a | b, a& b, a ^ b, a, b)
MXCERT_MUTANT_BINARY4(bit_xor, a ^ b, a& b, a | b, a, b)
MXCERT_MUTANT_BINARY2(shift_left, left(a, b), right(a, b), a)
MXCERT_MUTANT_BINARY2(shift_right, right(a, b), left(a, b), a)
MXCERT_MUTANT_BINARY3(less, a < b, a <= b, a >= b, a != b)
MXCERT_MUTANT_BINARY3(less_equal, a <= b, a<b, a> b, a == b)
MXCERT_MUTANT_BINARY3(greater, a > b, a >= b, a <= b, a != b)
MXCERT_MUTANT_BINARY3(greater_equal, a >= b, a > b, a < b, a == b)
MXCERT_MUTANT_BINARY3(equal, a == b, a != b, a <= b, a >= b)
MXCERT_MUTANT_BINARY3(not_equal, a != b, a == b, a<b, a> b)

/// A constant and what it becomes.
template <class Here, class T, class... Mutants>
MXCERT_MUTANT_INLINE constexpr T constant(Here here, T original, Mutants... mutants) {
    if (here.is_watched()) {
        const T all[] = {static_cast<T>(mutants)...};
        if (const unsigned which = visit(here.first); which < sizeof...(mutants)) return all[which];
    }
    return original;
}

/// A condition: always, never, the opposite.
template <class Here> MXCERT_MUTANT_INLINE constexpr bool condition(Here here, bool a) {
    if (here.is_watched()) switch (visit(here.first)) {
        case 0: return true;
        case 1: return false;
        case 2: return !a;
        default: break;
        }
    return a;
}

// `a && b` and `a || b` are joined(whole, first(a) && second(b)). The other one is the opposite of all three; the left
// side alone makes the second one what changes nothing, the right side alone the first one.
template <class Here> MXCERT_MUTANT_INLINE constexpr bool joined(Here here, bool a) {
    return here.is_watched() && visit(here.first) == 0 ? !a : a;
}
template <bool neutral, class Here> MXCERT_MUTANT_INLINE constexpr bool first(Here here, bool a) {
    if (here.is_watched()) switch (visit(here.first)) {
        case 0: return !a;
        case 2: return neutral;
        default: break;
        }
    return a;
}
template <bool neutral, class Here> MXCERT_MUTANT_INLINE constexpr bool second(Here here, bool a) {
    if (here.is_watched()) switch (visit(here.first)) {
        case 0: return !a;
        case 1: return neutral;
        default: break;
        }
    return a;
}

// A unary operator: left out.
template <class Here, class A> MXCERT_MUTANT_INLINE constexpr auto minus(Here here, const A& a) -> decltype(-a) {
    using Result = decltype(-a);
    return here.is_watched() && visit(here.first) == 0 ? static_cast<Result>(a) : static_cast<Result>(-a);
}
template <class Here, class A> MXCERT_MUTANT_INLINE constexpr auto complement(Here here, const A& a) -> decltype(~a) {
    using Result = decltype(~a);
    return here.is_watched() && visit(here.first) == 0 ? static_cast<Result>(a) : static_cast<Result>(~a);
}
template <class Here> MXCERT_MUTANT_INLINE constexpr bool negate(Here here, bool a) {
    return here.is_watched() && visit(here.first) == 0 ? a : !a;
}

// A compound assignment: the opposite; a plain assignment.
#define MXCERT_MUTANT_ASSIGN(name, original, m0)                                                                       \
    template <class Here, class A, class B>                                                                            \
    MXCERT_MUTANT_INLINE constexpr auto name(Here here, A&& a, const B& b)->decltype(original)& {                      \
        if (here.is_watched()) switch (visit(here.first)) {                                                            \
            case 0:                                                                                                    \
                if constexpr (requires { m0; })                                                                        \
                    return m0;                                                                                         \
                else                                                                                                   \
                    absent();                                                                                          \
            case 1:                                                                                                    \
                if constexpr (requires { a = static_cast<std::remove_cvref_t<A>>(b); })                                \
                    return a = static_cast<std::remove_cvref_t<A>>(b);                                                 \
                else                                                                                                   \
                    absent();                                                                                          \
            default: break;                                                                                            \
            }                                                                                                          \
        return original;                                                                                               \
    }
MXCERT_MUTANT_ASSIGN(add_assign, a += b, a -= b)
MXCERT_MUTANT_ASSIGN(subtract_assign, a -= b, a += b)
MXCERT_MUTANT_ASSIGN(multiply_assign, a *= b, a += b)
MXCERT_MUTANT_ASSIGN(divide_assign, a /= b, a *= b)
MXCERT_MUTANT_ASSIGN(and_assign, a &= b, a |= b)
MXCERT_MUTANT_ASSIGN(or_assign, a |= b, a &= b)
MXCERT_MUTANT_ASSIGN(xor_assign, a ^= b, a |= b)
MXCERT_MUTANT_ASSIGN(left_assign, a <<= b, a >>= b)
MXCERT_MUTANT_ASSIGN(right_assign, a >>= b, a <<= b)

/// Whether a statement is left out.
template <class Here> MXCERT_MUTANT_INLINE constexpr bool is_dropped(Here here) {
    return here.is_watched() && visit(here.first) == 0;
}

} // namespace mxcert::mutants

namespace mxcert_mutants = mxcert::mutants;
