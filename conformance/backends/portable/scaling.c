/* SPDX-License-Identifier: Apache-2.0
 * Scaling of a whole tensor: a history of the amax, one number out of it, and the scale that follows. */
#include "operations.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MAXIMUM, LATEST, MOVING, RUNNING, NEAREST, LINEAR }; /* averages; percentiles */
enum { EARLIER, OWN, OWN_AT_FIRST };
enum { ALL, NOT_ZERO, NUMBERS };
enum { KEEP, ONE, COMPUTED };
enum { EMPTY, ZEROS };
enum { NAN_LEFT_OUT, NAN_WINS };
enum { DIVIDE, RECIPROCAL };
enum { INVERSE_FIRST, SCALE_FIRST };
enum { POWER_FIRST, POWER_LAST };
enum { LONGEST = 1024 };

typedef struct {
    const char* name;
    float largest; /* of the elements */
    uint32_t length;
    int start;
    int admits;
    int nans; /* of the history */
    int statistic;
    int percentile; /* of 10000 */
    int sees;
    uint32_t interval; /* steps from one new scale to the next */
    int unusable;      /* what an amax of NaN, Inf or zero gives */
    float factor;
    float power; /* 2^margin */
    int power_place;
    int first;
    int quotient;
    int whole_power;   /* the inverse scale is rounded down to a power of two */
    int saturates;     /* an inverse scale beyond float is its largest value */
    double least;      /* a smaller amax is raised to it */
    uint32_t remember; /* steps from one remembered amax to the next */
} recipe;

/* clang-format off */
#define TE_DELAYED(name, largest, length, nans, statistic, power) \
    {name, largest, length, ZEROS, NOT_ZERO, nans, statistic, 0, EARLIER, 1, KEEP, 1, power, POWER_FIRST, INVERSE_FIRST, DIVIDE, 0, 1, 0, 1}
#define TE_CURRENT(name, whole_power) \
    {name, 448, 1, EMPTY, ALL, NAN_WINS, MAXIMUM, 0, OWN, 1, ONE, 1, 1, POWER_FIRST, INVERSE_FIRST, DIVIDE, whole_power, 1, 0, 1}
#define TORCHAO(name, length, sees) \
    {name, 448, length, ZEROS, ALL, NAN_WINS, MAXIMUM, 0, sees, 1, COMPUTED, 1, 1, POWER_FIRST, INVERSE_FIRST, DIVIDE, 0, 0, 1e-12, 1}
#define REMEMBERING(name, remember, largest, length, start, admits, nans, statistic, percentile, sees, interval, unusable, factor, first, quotient) \
    {name, largest, length, start, admits, nans, statistic, percentile, sees, interval, unusable, factor, 1, POWER_FIRST, first, quotient, 0, 0, 0, remember}
#define FACTOR(name, ...) REMEMBERING(name, 1, __VA_ARGS__)

static const recipe recipes[] = {
    TE_DELAYED("te_delayed", 448, 1024, NAN_LEFT_OUT, MAXIMUM, 1),
    TE_DELAYED("te_delayed_4", 448, 4, NAN_LEFT_OUT, MAXIMUM, 1),
    TE_DELAYED("te_delayed_4_backward", 57344, 4, NAN_LEFT_OUT, MAXIMUM, 1),
    TE_DELAYED("te_delayed_4_margin_1", 448, 4, NAN_LEFT_OUT, MAXIMUM, 2),
    {"te_delayed_4_margin_1_of_quotient", 448, 4, ZEROS, NOT_ZERO, NAN_LEFT_OUT, MAXIMUM, 0, EARLIER, 1, KEEP, 1, 2, POWER_LAST, INVERSE_FIRST, DIVIDE, 0, 1, 0, 1},
    TE_DELAYED("te_delayed_4_margin_2", 448, 4, NAN_LEFT_OUT, MAXIMUM, 4),
    TE_DELAYED("te_delayed_most_recent_4", 448, 4, NAN_WINS, LATEST, 1),
    TE_CURRENT("te_current", 0),
    TE_CURRENT("te_current_power_of_two", 1),
    TORCHAO("torchao_dynamic", 1, OWN),
    TORCHAO("torchao_delayed", 16, OWN_AT_FIRST),
    FACTOR("factor_current", 448, 1, EMPTY, ALL, NAN_LEFT_OUT, LATEST, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4", 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_backward", 57344, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 1, KEEP, 4, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_factor_3", 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 1, KEEP, 3, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_earlier", 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, EARLIER, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_interval_3", 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 3, KEEP, 2, INVERSE_FIRST, DIVIDE),
    REMEMBERING("factor_maximum_4_remember_3", 3, 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    REMEMBERING("factor_maximum_4_interval_2_remember_3", 3, 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 2, KEEP, 2, INVERSE_FIRST, DIVIDE),
    REMEMBERING("factor_running_average_remember_2", 2, 448, 1, EMPTY, ALL, NAN_LEFT_OUT, RUNNING, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_finite", 448, 4, EMPTY, NUMBERS, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_one", 448, 4, EMPTY, ALL, NAN_WINS, MAXIMUM, 0, OWN, 1, ONE, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_computed", 448, 4, EMPTY, ALL, NAN_WINS, MAXIMUM, 0, OWN, 1, COMPUTED, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_scale_first", 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 1, KEEP, 2, SCALE_FIRST, DIVIDE),
    FACTOR("factor_maximum_4_reciprocal", 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MAXIMUM, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, RECIPROCAL),
    FACTOR("factor_moving_average_4", 448, 4, EMPTY, ALL, NAN_LEFT_OUT, MOVING, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_running_average", 448, 1, EMPTY, ALL, NAN_LEFT_OUT, RUNNING, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_running_average_finite", 448, 1, EMPTY, NUMBERS, NAN_LEFT_OUT, RUNNING, 0, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_nearest_rank_8", 448, 8, EMPTY, ALL, NAN_LEFT_OUT, NEAREST, 7500, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_linear_rank_8", 448, 8, EMPTY, ALL, NAN_LEFT_OUT, LINEAR, 9999, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_linear_rank_8_zeros", 448, 8, ZEROS, ALL, NAN_LEFT_OUT, LINEAR, 9999, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
    FACTOR("factor_linear_rank_8_three_quarters", 448, 8, EMPTY, ALL, NAN_LEFT_OUT, LINEAR, 7500, OWN, 1, KEEP, 2, INVERSE_FIRST, DIVIDE),
};
/* clang-format on */
enum { recipe_count = sizeof recipes / sizeof recipes[0] };

typedef struct {
    float history[LONGEST];
    uint32_t count; /* of the history */
    float average;
    int averaged;
    float scale;
    float inverse;
} state;

static float mixed(float average, float amax) {
    const float weight = 0.9f;
    const float rest = 1.0f - weight;
    const float a = weight * average;
    const float b = rest * amax;
    return a + b;
}

static int ascending(const void* a, const void* b) {
    const float x = *(const float*)a;
    const float y = *(const float*)b;
    return (x > y) - (x < y);
}

static float percentile(const recipe* r, float* values, uint32_t count) {
    qsort(values, count, sizeof *values, ascending);
    const uint32_t of = 10000;
    const uint32_t p = (uint32_t)r->percentile;
    if (r->statistic == NEAREST) {
        const uint32_t rank = (p * count + of - 1) / of;
        return values[rank == 0 ? 0 : rank - 1];
    }
    const uint32_t below = p * (count - 1) / of;
    const uint32_t rest = p * (count - 1) % of;
    if (rest == 0) return values[below];
    const float weight = (float)rest / (float)of;
    const float more = weight * (values[below + 1] - values[below]);
    return values[below] + more;
}

static float statistic_of(const recipe* r, const state* s) {
    if (r->statistic == RUNNING) return s->average;
    float values[LONGEST];
    uint32_t count = 0;
    int any_nan = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        const int is_nan = isnan(s->history[i]) != 0;
        if (is_nan && r->nans == NAN_LEFT_OUT) continue;
        any_nan |= is_nan;
        values[count++] = s->history[i];
    }
    if (count == 0) return 0;
    if (r->statistic == LATEST) return values[count - 1];
    if (any_nan) return NAN;
    float result = values[0];
    switch (r->statistic) {
    case MAXIMUM:
        for (uint32_t i = 1; i < count; ++i) result = values[i] > result ? values[i] : result;
        return result;
    case MOVING:
        for (uint32_t i = 1; i < count; ++i) result = mixed(result, values[i]);
        return result;
    default: return percentile(r, values, count);
    }
}

static void record(const recipe* r, state* s, float amax) {
    if (r->admits == NOT_ZERO && amax == 0) return;
    if (r->admits == NUMBERS && !isfinite(amax)) return;
    if (s->count == r->length) memmove(s->history, s->history + 1, --s->count * sizeof *s->history);
    s->history[s->count++] = amax;
    if (isnan(amax) && r->nans == NAN_LEFT_OUT) return;
    s->average = s->averaged ? mixed(s->average, amax) : amax;
    s->averaged = 1;
}

static float quotient(const recipe* r, float numerator, float denominator) {
    if (r->quotient == DIVIDE) return numerator / denominator;
    const float reciprocal = 1.0f / denominator;
    return reciprocal * numerator;
}

static void update(const recipe* r, state* s) {
    const float amax = statistic_of(r, s);
    const int usable = isfinite(amax) && (amax != 0 || r->least > 0);
    if (!usable && r->unusable == KEEP) return;
    if (!usable && r->unusable == ONE) {
        s->scale = s->inverse = 1;
        return;
    }
    const float raised = amax * r->factor;
    if (r->first == SCALE_FIRST) {
        s->scale = quotient(r, raised, r->largest);
        s->inverse = 1.0f / s->scale;
        return;
    }
    const float top = r->power_place == POWER_FIRST ? r->largest / r->power : r->largest;
    float inverse = (double)raised < r->least ? (float)((double)top / r->least) : quotient(r, top, raised);
    if (r->power_place == POWER_LAST) inverse /= r->power;
    if (r->saturates && isinf(inverse)) inverse = FLT_MAX;
    if (r->whole_power && isfinite(inverse)) inverse = bits_float(float_bits(inverse) & 0x7F800000u);
    s->inverse = inverse;
    s->scale = 1.0f / inverse;
}

int32_t portable_run_scaling(const void* how, const mxcert_run_args* args, const char** error) {
    const recipe* r = NULL;
    for (uint32_t i = 0; i < recipe_count; ++i)
        if (strcmp(recipes[i].name, how) == 0) r = &recipes[i];
    if (r == NULL) return portable_fail(MXCERT_ERROR, "no such recipe", error);
    const uint64_t count = args->shape[0];
    if (args->input_count != 1 || args->output_count != 2 || args->inputs[0].count != count ||
        args->outputs[0].count != count || args->outputs[1].count != count)
        return portable_fail(MXCERT_ERROR, "arrays of different sizes", error);
    const float* amaxes = args->inputs[0].data;
    float* scales = args->outputs[0].data;
    float* inverses = args->outputs[1].data;
    state s = {.scale = 1, .inverse = 1};
    if (r->start == ZEROS) {
        s.count = r->length; /* which are zeros */
        s.averaged = 1;
    }
    for (uint64_t step = 0; step < count; ++step) {
        const int own = r->sees == OWN || (r->sees == OWN_AT_FIRST && step == 0);
        scales[step] = s.scale;
        inverses[step] = s.inverse;
        if (step % r->remember == 0) record(r, &s, amaxes[step]);
        if (step % r->interval == 0) update(r, &s);
        if (!own) continue;
        scales[step] = s.scale;
        inverses[step] = s.inverse;
    }
    return MXCERT_OK;
}
