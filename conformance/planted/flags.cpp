// SPDX-License-Identifier: Apache-2.0
// Conversions that tell their exceptions, right or with the fault that --backend-option names.
#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/backend.hpp"
#include "reference/fast/convert.hpp"

namespace {

using namespace mxcert;

std::string fault; // NOLINT: set once, by open
bool is(const char* name) { return fault == name; }

/// Where an instruction leaves its exceptions until they are cleared.
std::uint8_t fflags = 0; // NOLINT: as a register is

Code flags_of(const Format& from, const Format& to, const Choices& named, Code input, Code code) {
    Choices choices = named;
    if (is("tininess before rounding")) choices.tininess = Tininess::before_rounding;
    if (is("signalling NaN taken for quiet")) choices.invalid_nan = InvalidNan::never;
    if (is("quiet NaN taken for signalling") || is("a widened NaN raises invalid"))
        choices.invalid_nan = InvalidNan::every;
    if (&from == &formats::e5m2 && !is("a widened NaN raises invalid")) choices.invalid_nan = InvalidNan::never;
    if (is("Inf overflows")) choices.inf_flags = InfFlags::overflow;
    if (is("no exceptions")) choices.exceptions = Exceptions::none;
    Code flags = fast::flags_of(from, to, choices, input);
    if (is("underflow missing")) flags &= ~bit(Flag::underflow);
    if (is("inexact missing with overflow") && (flags & bit(Flag::overflow)) != 0) flags = bit(Flag::overflow);
    if (is("underflow of exact results") && flags == 0 && to.is_subnormal(code)) flags = bit(Flag::underflow);
    if (is("underflow by the result") && (code & to.magnitude_mask()) > to.fraction_mask())
        flags &= ~bit(Flag::underflow);
    return flags;
}

template <class Out, class In> backend::Conversion offer(const Format& from, const Format& to, Overflow overflow) {
    Choices choices;
    choices.overflow = overflow;
    return {from.name.data(), to.name.data(), "nearest_even", overflow == Overflow::sat ? "sat" : "nosat",
            [&from, &to, choices](In input, std::uint8_t& flags) {
                constexpr Code quiet_bf16 = 0x7FC0; // the model has no quiet NaN
                const bool widened_nan = &to == &formats::bf16 && from.is_nan(input);
                const Code code = widened_nan ? quiet_bf16 : fast::convert(from, to, choices, input);
                if (!is("never cleared")) fflags = 0;
                fflags = static_cast<std::uint8_t>(fflags | flags_of(from, to, choices, input, code));
                flags = fflags;
                return static_cast<Out>(code);
            }};
}

/// Tells the exceptions of a batch, whose values all add theirs to the register.
backend::Conversion offer_batch(const Format& from, const Format& to) {
    return {from.name.data(), to.name.data(), "nearest_even", "sat",
            [&from, &to](const std::uint16_t* inputs, std::uint8_t* codes, std::size_t count, std::uint8_t& flags) {
                fflags = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    codes[i] = static_cast<std::uint8_t>(fast::convert(from, to, {}, inputs[i]));
                    const auto raised = static_cast<std::uint8_t>(flags_of(from, to, {}, inputs[i], codes[i]));
                    const bool lane_of_eight = count >= 8 && i % 8 == 7;
                    if (is("the last value of a batch")) fflags = 0;
                    fflags = static_cast<std::uint8_t>(fflags | raised);
                    if (is("a lane of eight raises inexact") && lane_of_eight) fflags |= MXCERT_INEXACT;
                }
                flags = fflags;
            }};
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t version) {
    using namespace formats;
    static backend::Backend backend("flags", "1", "conversions that tell their exceptions, with a fault",
                                    {offer<std::uint8_t, std::uint16_t>(bf16, e4m3, Overflow::nosat),
                                     offer<std::uint8_t, std::uint16_t>(bf16, e4m3, Overflow::sat),
                                     offer<std::uint8_t, std::uint16_t>(bf16, e5m2, Overflow::nosat),
                                     offer_batch(bf16, e5m2),
                                     offer<std::uint16_t, std::uint8_t>(e5m2, bf16, Overflow::nosat)});
    backend.on_open([](const std::string& options) { fault = options; });
    return backend.api(version);
}
