// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/scaling/trace_fault.hpp"

#include <array>
#include <limits>
#include <utility>

#include "reference/exact/arithmetic.hpp"
#include "reference/exact/recipe/tensor_scaling.hpp"

namespace mxcert::suites {
namespace {

using namespace recipe;
using exact::start;
using exact::step;
using formats::fp32;
using Planted = std::optional<Machine>;

/// The machine of other choices, which begins as that of the right ones does. Nullopt if they are the same.
template <class Edit> Planted other(const TensorScaling& right, Edit edit) {
    TensorScaling wrong = right;
    edit(wrong);
    if (wrong == right) return std::nullopt;
    return [wrong, state = start(right)](Code amax) mutable { return step(wrong, state, amax); };
}

/// The right machine with something done around each step: call(state, amax) does the step itself.
template <class Call> Planted around(const TensorScaling& right, Call call) {
    return [right, call, state = start(right)](Code amax) mutable { return call(right, state, amax); };
}

/// The whole number that a margin is, of a factor or a power.
int margin_of(const FloatScale& scaling) {
    if (scaling.exponent != 0) return scaling.exponent;
    return static_cast<int>(numerator(exact::decode(fp32, scaling.factor).magnitude));
}
Code as_fp32(const exact::Rational& value) { return exact::nearest(fp32, false, value); }

Unusable swapped(Unusable what) { return what == Unusable::keep ? Unusable::one : Unusable::keep; }

Scales history_not_rolled(const TensorScaling& right, State& state, Code amax) {
    if (!state.history.empty()) state.history.pop_back();
    return step(right, state, amax);
}

Scales index_stuck(const TensorScaling& right, State& state, Code amax) {
    if (state.history.size() == right.length) state.history.pop_back();
    return step(right, state, amax);
}

Scales cleared_by_update(const TensorScaling& right, State& state, Code amax) {
    const bool updates = state.steps % right.interval == 0;
    const Scales scales = step(right, state, amax);
    if (updates) state.history.clear();
    return scales;
}

Scales written_by_update(const TensorScaling& right, State& state, Code amax) {
    const bool updates = state.steps % right.interval == 0;
    const std::vector<Code> before = state.history;
    const Scales scales = step(right, state, amax);
    if (!updates) state.history = before;
    return scales;
}

Planted nan_for_ever(const TensorScaling& right) {
    return [right, state = start(right), seen = Code{0}](Code amax) mutable {
        if (fp32.is_nan(amax)) seen = amax;
        const Scales scales = step(right, state, amax);
        return seen != 0 ? Scales{seen, seen} : scales;
    };
}

Planted stale_scale(const TensorScaling& right) {
    return [right, state = start(right), last = unity](Code amax) mutable {
        const Scales scales = step(right, state, amax);
        return Scales{std::exchange(last, scales.scale), scales.inverse};
    };
}

Planted late_by_phase(const TensorScaling& right) {
    if (right.interval == 1) return std::nullopt;
    State state = start(right);
    state.steps = 1;
    return [right, state](Code amax) mutable { return step(right, state, amax); };
}

using Scaling = TensorScaling; // short for the rows below

constexpr std::array faults{
    TraceFault{"history_one_short", "the history holds one amax too few",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.length -= w.length > 1 ? 1 : 0; }); }},
    TraceFault{"history_one_long", "the history holds one amax too many",
               [](const Scaling& c) { return other(c, [](Scaling& w) { ++w.length; }); }},
    TraceFault{"history_unbounded", "no amax is ever forgotten",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) { w.length = std::numeric_limits<std::size_t>::max(); });
               }},
    TraceFault{"history_not_rolled", "each amax is written over the one before",
               [](const Scaling& c) { return around(c, history_not_rolled); }},
    TraceFault{"history_index_stuck", "a full history is written at its end only",
               [](const Scaling& c) { return around(c, index_stuck); }},
    TraceFault{"history_cleared", "an update empties the history",
               [](const Scaling& c) { return around(c, cleared_by_update); }},
    TraceFault{"history_written_by_update", "steps without an update are not remembered",
               [](const Scaling& c) {
                   return c.interval == 1 || c.interval == c.remember_interval ? Planted()
                                                                               : around(c, written_by_update);
               }},
    TraceFault{"history_written_always", "steps that should not be remembered are",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.remember_interval = 1; }); }},
    TraceFault{"remember_interval_one_long", "an amax is remembered one step too late each time",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) { w.remember_interval += w.remember_interval > 1 ? 1 : 0; });
               }},
    TraceFault{"start_zeros", "the zeros a history starts with are read, or are not there to be read",
               [](const Scaling& c) {
                   Scaling wrong = c;
                   wrong.start = c.start == Start::zeros ? Start::empty : Start::zeros;
                   return Planted(machine_of(wrong));
               }},
    TraceFault{"sees_own_amax", "a step's scale is made of its own amax",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.sees = Sees::own; }); }},
    TraceFault{"sees_earlier_amax", "a step's scale is made without its own amax",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.sees = Sees::earlier; }); }},
    TraceFault{"interval_ignored", "the scale is recomputed at each step",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.interval = 1; }); }},
    TraceFault{"interval_one_long", "the scale is recomputed one step too late each time",
               [](const Scaling& c) { return other(c, [](Scaling& w) { ++w.interval; }); }},
    TraceFault{"interval_phase", "the first update is at the end of an interval", late_by_phase},
    TraceFault{"reads_maximum", "the maximum is taken",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.reading.statistic = Statistic::maximum; }); }},
    TraceFault{
        "reads_most_recent", "the most recent amax is taken",
        [](const Scaling& c) { return other(c, [](Scaling& w) { w.reading.statistic = Statistic::most_recent; }); }},
    TraceFault{"average_weights_swapped", "the new amax gets the weight of the average",
               [](const Scaling& c) {
                   const Statistic read = c.reading.statistic;
                   if (read != Statistic::moving_average && read != Statistic::running_average) return Planted();
                   return other(c, [](Scaling& w) {
                       w.reading.weight = exact::add(fp32, unity, w.reading.weight | fp32.sign_bit());
                   });
               }},
    TraceFault{"percentile_other", "a percentile between two amaxes is rounded to a rank, or the reverse",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) {
                       Statistic& read = w.reading.statistic;
                       if (read == Statistic::nearest_rank)
                           read = Statistic::linear_rank;
                       else if (read == Statistic::linear_rank)
                           read = Statistic::nearest_rank;
                   });
               }},
    TraceFault{"margin_as_power", "a margin m that is a factor is taken as 2^m",
               [](const Scaling& c) {
                   if (c.scaling.factor == unity) return Planted();
                   return other(c, [](Scaling& w) {
                       w.scaling.exponent = margin_of(w.scaling);
                       w.scaling.factor = unity;
                   });
               }},
    TraceFault{"margin_as_factor", "a margin m that is a power of two is taken as the factor m",
               [](const Scaling& c) {
                   if (c.scaling.exponent == 0) return Planted();
                   return other(c, [](Scaling& w) {
                       w.scaling.factor = as_fp32(margin_of(w.scaling));
                       w.scaling.exponent = 0;
                   });
               }},
    TraceFault{"margin_dropped", "there is no margin",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) {
                       w.scaling.factor = unity;
                       w.scaling.exponent = 0;
                   });
               }},
    TraceFault{"margin_inverted", "the margin makes the inverse scale larger",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) {
                       if (w.scaling.exponent != 0)
                           w.scaling.factor = as_fp32(exact::power_of_two(-w.scaling.exponent));
                       else
                           w.scaling.factor = exact::divide(fp32, unity, w.scaling.factor);
                       w.scaling.exponent = 0;
                   });
               }},
    TraceFault{"margin_other_place", "the power of two is applied before or after the quotient, the other way",
               [](const Scaling& c) {
                   if (c.scaling.exponent == 0) return Planted();
                   return other(c, [](Scaling& w) {
                       w.scaling.power = w.scaling.power == Power::of_largest ? Power::of_quotient : Power::of_largest;
                   });
               }},
    TraceFault{"other_format", "the largest value is that of the other format, 448 or 57344",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) {
                       w.scaling.element = w.scaling.element == &formats::e4m3 ? &formats::e5m2 : &formats::e4m3;
                   });
               }},
    TraceFault{"largest_240", "the largest value is that of E4M3 FNUZ",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.element = &formats::e4m3fnuz; }); }},
    TraceFault{"other_first", "scale and inverse scale: the other one is computed first",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) {
                       w.scaling.first = w.scaling.first == First::inverse ? First::scale : First::inverse;
                   });
               }},
    TraceFault{"other_quotient", "a quotient is made with a rounded reciprocal, or the reverse",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) {
                       w.scaling.quotient =
                           w.scaling.quotient == Quotient::divide ? Quotient::reciprocal : Quotient::divide;
                   });
               }},
    TraceFault{"power_of_two_dropped", "the scale is not rounded to a power of two",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.power_of_two = false; }); }},
    TraceFault{"power_of_two_added", "the scale is rounded to a power of two",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.power_of_two = true; }); }},
    TraceFault{"limit_dropped", "an inverse scale beyond binary32 is Inf",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.limit = nullptr; }); }},
    TraceFault{"least_amax_dropped", "an amax is not raised to the least one",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.least_amax = 0; }); }},
    TraceFault{"zero_computed", "an amax of zero gives an inverse scale of Inf",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.on_zero = Unusable::computed; }); }},
    TraceFault{"inf_computed", "an amax of Inf gives an inverse scale of zero",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.on_inf = Unusable::computed; }); }},
    TraceFault{"nan_computed", "an amax that is NaN gives a scale that is NaN",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) {
                       w.scaling.on_nan = Unusable::computed;
                       w.reading.nan_entries = NanEntries::propagated;
                   });
               }},
    TraceFault{
        "zero_swapped", "an amax of zero gives 1 where the scale is kept, and the reverse",
        [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.on_zero = swapped(w.scaling.on_zero); }); }},
    TraceFault{
        "inf_swapped", "an amax of Inf gives 1 where the scale is kept, and the reverse",
        [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.on_inf = swapped(w.scaling.on_inf); }); }},
    TraceFault{
        "nan_swapped", "an amax that is NaN gives 1 where the scale is kept, and the reverse",
        [](const Scaling& c) { return other(c, [](Scaling& w) { w.scaling.on_nan = swapped(w.scaling.on_nan); }); }},
    TraceFault{"nan_entries_other", "a NaN in the history counts where it should be left out, or the reverse",
               [](const Scaling& c) {
                   return other(c, [](Scaling& w) {
                       NanEntries& entries = w.reading.nan_entries;
                       entries = entries == NanEntries::left_out ? NanEntries::propagated : NanEntries::left_out;
                   });
               }},
    TraceFault{"nan_for_ever", "from the first NaN on every scale is NaN", nan_for_ever},
    TraceFault{"all_admitted", "amaxes enter the history that should not",
               [](const Scaling& c) { return other(c, [](Scaling& w) { w.admitted = Admitted::all; }); }},
    TraceFault{"zero_not_admitted", "a zero does not enter the history",
               [](const Scaling& c) {
                   return c.admitted == Admitted::finite
                              ? Planted()
                              : other(c, [](Scaling& w) { w.admitted = Admitted::not_zero; });
               }},
    TraceFault{"scale_stale", "the scale is that of the step before, the inverse scale is not", stale_scale},
    TraceFault{"scales_exchanged", "scale and inverse scale have changed places",
               [](const Scaling& c) {
                   return around(c, [](const Scaling& right, State& state, Code amax) {
                       const Scales scales = step(right, state, amax);
                       return Scales{scales.inverse, scales.scale};
                   });
               }},
};

} // namespace

std::span<const TraceFault> trace_faults() { return faults; }

} // namespace mxcert::suites
