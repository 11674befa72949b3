// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/block.hpp"
#include "reference/choices.hpp"

// What a profile is, as data: the rows of its tables.
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
    std::string_view roundings = {}; ///< those that are judged of these, "stochastic_a8"; "" for those of the profile
    std::string_view overflow = {};  ///< the modes that are judged of these; "" for judged_overflow()
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
    std::string_view nvfp4_recipes = {}; ///< of quantize_nvfp4 that are judged, separated by spaces
    std::string_view activations = {};   ///< before a quantizer that are judged, separated by spaces
    /// Of partial_cast that are judged, "ELEMENT-SCALE-BLOCK" separated by spaces.
    std::string_view partial_casts = {};
    /// Of an instruction set: the conversions that all of it has, in each rounding that a scope names, and in each
    /// overflow mode that it names or in which they are judged. A backend that offers fewer is PARTIAL.
    std::span<const Scope> whole = {};
};

} // namespace mxcert
