// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/block.hpp"
#include "reference/block_shape.hpp"
#include "reference/choices.hpp"
#include "reference/conversion.hpp"
#include "reference/operation/operation.hpp"

namespace mxcert {

/// The values of one choice that a profile permits. A choice without an entry is permitted its default only; of several
/// entries that hold for a conversion the first counts. Besides the names of the choice's values, "any" stands for
/// every NaN code (choices nan and overflow_nan).
struct PermittedChoice {
    Choice choice;
    std::span<const std::string_view> values;
    std::string_view targets; ///< names of target formats it holds for, separated by spaces; "" for all
    std::string_view sources; ///< the same for source formats
};

/// What a profile demands to be offered: a provision clause.
struct Provision {
    std::string_view clause;
    std::string_view rounding; ///< "" for any
    std::string_view overflow; ///< "" for any
    std::string_view targets;  ///< every one of these formats
};

/// Conversions that a profile judges: each of the sources to each of the targets, names separated by spaces.
struct Scope {
    std::string_view sources;
    std::string_view targets;
    std::string_view roundings = {}; ///< those that are judged of these; "" for those of the profile
};

/// Operations with float scales that a profile judges: names separated by spaces, "" for all.
struct FloatScope {
    std::string_view recipes; ///< of quantize_float
    std::string_view sources; ///< the same
    std::string_view scales;  ///< the formats they are given out in
    std::string_view blocks;
};

/// What stands for every NaN code among the permitted values of the choices nan and overflow_nan.
inline constexpr std::string_view any_nan_code = "any";

inline constexpr AmaxNan any_amax_nan[] = {AmaxNan::ignored, AmaxNan::if_alone, AmaxNan::propagated};
inline constexpr AmaxInf any_amax_inf[] = {AmaxInf::counted, AmaxInf::left_out};

/// A named set of permitted choices, with what must be offered.
struct Profile {
    std::string_view name;           ///< "ocp-sat"
    std::string_view title;          ///< one line
    std::string_view source;         ///< the documents or code it rests on, and the grade
    std::string_view overflow_modes; ///< the overflow modes of elements and their scales that are judged: "sat nosat"
    std::span<const Scope> scopes;   ///< the conversions that are judged
    std::span<const PermittedChoice> permitted;
    std::span<const Provision> provisions;
    std::string_view scale_rules = {}; ///< those of conversions to a scale that are judged, separated by spaces
    std::string_view roundings = {};   ///< those of other conversions that are judged; "" for all
    std::string_view layouts = {};     ///< of scales that are judged, separated by spaces
    // Of blocks: what a NaN and an Inf among the values may do to the amax.
    std::span<const AmaxNan> amax_nan = any_amax_nan;
    std::span<const AmaxInf> amax_inf = any_amax_inf;
    std::span<const FloatScope> float_scopes = {}; ///< the operations with float scales that are judged
    std::string_view recipes = {};                 ///< of scaling a tensor that are judged, separated by spaces
    bool products = false;                         ///< matrix products are judged, each by what it declares
    /// The source refuses a tensor whose rows or columns are no multiple of this, in elements; 0: it takes all.
    std::uint64_t sides = 0;
};

[[nodiscard]] std::span<const Profile> all_profiles();
/// Throws std::invalid_argument that names the near ones.
[[nodiscard]] const Profile& find_profile(std::string_view name);

/// Whether the profile judges this conversion at all: a stochastic rounding where it would judge it if it were none,
/// and does not name its roundings. Others a backend offers are listed as outside the profile.
[[nodiscard]] bool covers(const Profile& profile, const Conversion& conversion);
/// The same of an operation: each conversion that it is made of, its layout, or its recipe.
[[nodiscard]] bool covers(const Profile& profile, const Operation& operation);

/// The overflow modes in which a profile judges conversions to this format, separated by spaces: those of the profile
/// for elements and their scales, any mode for E8M0 and wide formats. Precondition: a scope names the format.
[[nodiscard]] std::string_view judged_overflow(const Profile& profile, const Format& to);
/// Whether the source of the profile refuses a tensor of this size. A backend that refuses it as well does what the
/// profile says; one that answers goes beyond it, and a report says so.
[[nodiscard]] bool refuses(const Profile& profile, const Extent& tensor);

/// Whether the profile, for this conversion, permits a choice to have the value of that name. rounding and overflow are
/// permitted exactly the value the conversion names.
[[nodiscard]] bool permits(const Profile& profile, const Conversion& conversion, Choice choice, std::string_view value);

/// All values it permits, in the order of the choice's own, after "any" where that is permitted.
[[nodiscard]] std::vector<std::string_view> permitted_values(const Profile& profile, const Conversion& conversion,
                                                             Choice choice);

} // namespace mxcert
