/* SPDX-License-Identifier: Apache-2.0
 * One build, every mutant: `./dev mutants` rewrites the expressions of a target into the macros below, and the process
 * selects one mutant, or none, when it starts.
 *
 *   MXCERT_MUTANT=NUMBER[:VALUE]   the environment of the plugin; without it the target is as it was written
 *   -DMX_ACTIVE=NUMBER [-DMX_VALUE=VALUE] [-DMX_FLOAT_VALUE=VALUE]   the same at compile time: faster, and static data
 *
 * A site is one place in the source. It has `count` consecutive mutants from `first`; 0 is no mutant. Operands are
 * written once in each macro, so nested sites do not multiply. Shift counts are taken modulo the width, so that a
 * mutant that shifts too far is defined, and the same at run time and at compile time. Compile with -fwrapv for the
 * same reason. GNU C: statement expressions and __auto_type. */
#ifndef MXCERT_MUTANT_H
#define MXCERT_MUTANT_H

#include <stdint.h>

#ifdef MX_ACTIVE
#define mx_active ((uint32_t)(MX_ACTIVE))
#ifndef MX_VALUE
#define MX_VALUE 0
#endif
#ifndef MX_FLOAT_VALUE
#define MX_FLOAT_VALUE 0.0
#endif
/* In constant expressions of the file scope. */
#define MX_STATIC_INT(first, count, value) (MX_IN(first, count) ? (__typeof__(value))(MX_VALUE) : (value))
#define MX_STATIC_FLOAT(first, count, value) (MX_IN(first, count) ? (__typeof__(value))(MX_FLOAT_VALUE) : (value))
#else
/* In mutant.c. `mx_value` has the bits of an integer, `mx_float_value` a number. */
extern __attribute__((visibility("hidden"))) uint32_t mx_active;
extern __attribute__((visibility("hidden"))) uint64_t mx_value;
extern __attribute__((visibility("hidden"))) double mx_float_value;
#define MX_VALUE mx_value
#define MX_FLOAT_VALUE mx_float_value
#define MX_STATIC_INT(first, count, value) (value)
#define MX_STATIC_FLOAT(first, count, value) (value)
#endif

/* Whether a mutant of the site is active, and which one: 0 to count - 1. */
#define MX_IN(first, count) __builtin_expect(mx_active - (first) < (count), 0)
#define MX_IS(first, which) (mx_active == (first) + (which))

/* A constant: the environment has the value. */
#define MX_INT(first, count, value) (MX_IN(first, count) ? (__typeof__(value))(MX_VALUE) : (value))
#define MX_FLOAT(first, count, value) (MX_IN(first, count) ? (__typeof__(value))(MX_FLOAT_VALUE) : (value))

/* A condition: always, never, and with a count of 3 the opposite. */
#define MX_CONDITION(first, count, a)                                                                                  \
    ({                                                                                                                 \
        const int mx_a = !!(a);                                                                                        \
        MX_IN(first, count) ? (MX_IS(first, 0) ? 1 : MX_IS(first, 1) ? 0 : !mx_a) : mx_a;                              \
    })

/* An operator and what it becomes: mutant 0, 1, ... */
#define MX_TWO(a, b)                                                                                                   \
    __auto_type mx_a = (a);                                                                                            \
    __auto_type mx_b = (b);
#define MX_BINARY3(first, a, b, original, m0, m1, m2)                                                                  \
    ({                                                                                                                 \
        MX_TWO(a, b)                                                                                                   \
        MX_IN(first, 3) ? (MX_IS(first, 0) ? (m0) : MX_IS(first, 1) ? (m1) : (m2)) : (original);                       \
    })
#define MX_BINARY4(first, a, b, original, m0, m1, m2, m3)                                                              \
    ({                                                                                                                 \
        MX_TWO(a, b)                                                                                                   \
        MX_IN(first, 4) ? (MX_IS(first, 0)   ? (m0)                                                                    \
                           : MX_IS(first, 1) ? (m1)                                                                    \
                           : MX_IS(first, 2) ? (m2)                                                                    \
                                             : (m3))                                                                   \
                        : (original);                                                                                  \
    })
#define MX_WIDTH(a) ((int)sizeof((a) + 0) * 8)
#define mx_left (mx_a << (mx_b & (MX_WIDTH(mx_a) - 1)))
#define mx_right (mx_a >> (mx_b & (MX_WIDTH(mx_a) - 1)))

#define MX_ADD(first, a, b) MX_BINARY3(first, a, b, mx_a + mx_b, mx_a - mx_b, mx_a, mx_b)
#define MX_SUB(first, a, b) MX_BINARY3(first, a, b, mx_a - mx_b, mx_a + mx_b, mx_a, mx_b)
#define MX_MUL(first, a, b) MX_BINARY3(first, a, b, mx_a* mx_b, mx_a + mx_b, mx_a, mx_b)
#define MX_AND(first, a, b) MX_BINARY4(first, a, b, mx_a& mx_b, mx_a | mx_b, mx_a ^ mx_b, mx_a, mx_b)
#define MX_OR(first, a, b) MX_BINARY4(first, a, b, mx_a | mx_b, mx_a & mx_b, mx_a ^ mx_b, mx_a, mx_b)
#define MX_XOR(first, a, b) MX_BINARY4(first, a, b, mx_a ^ mx_b, mx_a & mx_b, mx_a | mx_b, mx_a, mx_b)
#define MX_SHL(first, a, b)                                                                                            \
    ({                                                                                                                 \
        MX_TWO(a, b)                                                                                                   \
        MX_IN(first, 2) ? (MX_IS(first, 0) ? mx_right : mx_a) : mx_left;                                               \
    })
#define MX_SHR(first, a, b)                                                                                            \
    ({                                                                                                                 \
        MX_TWO(a, b)                                                                                                   \
        MX_IN(first, 2) ? (MX_IS(first, 0) ? mx_left : mx_a) : mx_right;                                               \
    })
#define MX_LT(first, a, b) MX_BINARY3(first, a, b, mx_a < mx_b, mx_a <= mx_b, mx_a >= mx_b, mx_a != mx_b)
#define MX_LE(first, a, b) MX_BINARY3(first, a, b, mx_a <= mx_b, mx_a<mx_b, mx_a> mx_b, mx_a == mx_b)
#define MX_GT(first, a, b) MX_BINARY3(first, a, b, mx_a > mx_b, mx_a >= mx_b, mx_a <= mx_b, mx_a != mx_b)
#define MX_GE(first, a, b) MX_BINARY3(first, a, b, mx_a >= mx_b, mx_a > mx_b, mx_a < mx_b, mx_a == mx_b)
#define MX_EQ(first, a, b) MX_BINARY3(first, a, b, mx_a == mx_b, mx_a != mx_b, mx_a <= mx_b, mx_a >= mx_b)
#define MX_NE(first, a, b) MX_BINARY3(first, a, b, mx_a != mx_b, mx_a == mx_b, mx_a<mx_b, mx_a> mx_b)

/* && and ||: the other one, the left side alone, the right side alone. The right side is evaluated only where the
 * result needs it. */
#define MX_LOGICAL(first, a, b, original_is_and)                                                                       \
    ({                                                                                                                 \
        const int mx_a = !!(a);                                                                                        \
        const int mx_and = MX_IS(first, 0) ? !(original_is_and) : (original_is_and);                                   \
        MX_IS(first, 1) ? mx_a : !MX_IS(first, 2) && mx_a != mx_and ? mx_a : !!(b);                                    \
    })
#define MX_LAND(first, a, b) MX_LOGICAL(first, a, b, 1)
#define MX_LOR(first, a, b) MX_LOGICAL(first, a, b, 0)

#define MX_MINUS(first, a)                                                                                             \
    ({                                                                                                                 \
        __auto_type mx_a = (a);                                                                                        \
        MX_IN(first, 1) ? mx_a : -mx_a;                                                                                \
    })
#define MX_NOT(first, a)                                                                                               \
    ({                                                                                                                 \
        __auto_type mx_a = (a);                                                                                        \
        MX_IN(first, 1) ? mx_a : ~mx_a;                                                                                \
    })
#define MX_LNOT(first, a)                                                                                              \
    ({                                                                                                                 \
        const int mx_a = !!(a);                                                                                        \
        MX_IN(first, 1) ? mx_a : !mx_a;                                                                                \
    })

/* Compound assignments: the opposite, the assignment alone. The dropped statement is a site of its own. */
#define MX_ASSIGN(first, a, b, original, m0)                                                                           \
    ({                                                                                                                 \
        __auto_type mx_p = &(a);                                                                                       \
        __auto_type mx_b = (b);                                                                                        \
        __auto_type mx_a = *mx_p;                                                                                      \
        *mx_p = MX_IN(first, 2) ? (MX_IS(first, 0) ? (m0) : mx_b) : (original);                                        \
    })
#define MX_ADD_ASSIGN(first, a, b) MX_ASSIGN(first, a, b, mx_a + mx_b, mx_a - mx_b)
#define MX_SUB_ASSIGN(first, a, b) MX_ASSIGN(first, a, b, mx_a - mx_b, mx_a + mx_b)
#define MX_AND_ASSIGN(first, a, b) MX_ASSIGN(first, a, b, mx_a& mx_b, mx_a | mx_b)
#define MX_OR_ASSIGN(first, a, b) MX_ASSIGN(first, a, b, mx_a | mx_b, mx_a & mx_b)
#define MX_XOR_ASSIGN(first, a, b) MX_ASSIGN(first, a, b, mx_a ^ mx_b, mx_a | mx_b)
#define MX_SHL_ASSIGN(first, a, b) MX_ASSIGN(first, a, b, mx_left, mx_right)
#define MX_SHR_ASSIGN(first, a, b) MX_ASSIGN(first, a, b, mx_right, mx_left)

/* A statement: left out. */
#define MX_STATEMENT(first, ...) (MX_IN(first, 1) ? (void)0 : (void)(__VA_ARGS__))

#endif
