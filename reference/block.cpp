// SPDX-License-Identifier: Apache-2.0
#include "reference/block.hpp"

#include <stdexcept>
#include <string>

#include "reference/scaled_format.hpp"

namespace mxcert {
namespace {

template <class Fits> const Format& the_format(const Format& its_format, const char* what, Fits fits) {
    for (const Format& format : all_formats())
        if (fits(format)) return format;
    throw std::invalid_argument(std::string(its_format.name) + " has no " + what);
}

} // namespace

const Format& amax_of(const Format& value) {
    const std::string name = "amax_" + std::string(value.name);
    return the_format(value, "amax", [&](const Format& f) { return f.name == name; });
}

const Format& scale_of(const Format& element) { return *scaled_format(element, formats::e8m0).scale_of_amax; }

const Format& by_scale(const Format& value) {
    return the_format(value, "quotient by a scale",
                      [&](const Format& f) { return f.value == &value && f.scaling == Scaling::divide; });
}

const Format& times_scale(const Format& element) { return *scaled_format(element, formats::e8m0).product; }

} // namespace mxcert
