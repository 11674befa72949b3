// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/partial_cast/identify.hpp"

#include <string>
#include <utility>
#include <vector>

#include "conformance/suites/asked.hpp"
#include "conformance/suites/partial_cast/way.hpp"
#include "conformance/suites/search.hpp"

namespace mxcert::suites {
namespace {

using recipe::GivenScale;
using recipe::PartialCast;
using ShardParameter = SearchParameter<ShardWay>;

constexpr std::uint64_t seed_of_shards = 1;
constexpr std::uint64_t largest_identified = 1U << 17U; // elements of a matrix: many ways are tried on each

template <auto member, class Member> ShardParameter::Value takes(const char* name, Member value) {
    return {name, [value](ShardWay& way) { way.*member = value; }};
}
template <auto member> ShardParameter switched(const char* name, const char* off, const char* on) {
    return {name, {takes<member>(off, false), takes<member>(on, true)}, true};
}

std::vector<ShardParameter> parameters_of(const PartialCast& cast) {
    using W = ShardWay;
    std::vector<ShardParameter> parameters{
        {"written",
         {takes<&W::place>("where the shard is", ShardPlace::exact),
          takes<&W::place>("one element later", ShardPlace::one_later),
          takes<&W::place>("one element earlier", ShardPlace::one_earlier),
          takes<&W::place>("from the beginning of its group of 4", ShardPlace::group_before),
          takes<&W::place>("from the beginning of its first row", ShardPlace::row_before),
          takes<&W::place>("from the beginning of the buffer", ShardPlace::buffer_start),
          takes<&W::place>("each in the place of the other one of its pair", ShardPlace::pairs)}},
        {"left",
         {takes<&W::left>("nothing", ShardLeft::none), takes<&W::left>("the first element", ShardLeft::first),
          takes<&W::left>("the last element", ShardLeft::last),
          takes<&W::left>("what is before the first whole group of 4", ShardLeft::head),
          takes<&W::left>("what is after the last whole group of 4", ShardLeft::tail),
          takes<&W::left>("what is left over, four by four", ShardLeft::rest),
          takes<&W::left>("a last row that is not whole", ShardLeft::last_row),
          takes<&W::left>("a first row that is not whole", ShardLeft::first_row)}},
        {"outside the shard",
         {takes<&W::spill>("kept", ShardSpill::none), takes<&W::spill>("pairs changed", ShardSpill::pair),
          takes<&W::spill>("groups of 4 changed", ShardSpill::group), takes<&W::spill>("rows changed", ShardSpill::row),
          takes<&W::spill>("strips of 16x128 changed", ShardSpill::strip),
          takes<&W::spill>("blocks changed", ShardSpill::block), takes<&W::spill>("zero", ShardSpill::all_0)}},
        {"scale of",
         {takes<&W::scale>("its block", ShardScale::own),
          takes<&W::scale>("the place in the shard", ShardScale::shard_place),
          takes<&W::scale>("blocks counted down columns", ShardScale::transposed),
          takes<&W::scale>("blocks with sides exchanged", ShardScale::other_sides),
          takes<&W::scale>("the block to the left", ShardScale::left),
          takes<&W::scale>("the block above", ShardScale::above),
          takes<&W::scale>("the first block of the row", ShardScale::first_of_row),
          takes<&W::scale>("the shard's first element", ShardScale::first_of_shard),
          takes<&W::scale>("the first block", ShardScale::first)}},
        {"multiplier",
         {takes<&W::factor>("as given", ShardFactor::right), takes<&W::factor>("the reciprocal", ShardFactor::inverse),
          takes<&W::factor>("left out", ShardFactor::one),
          takes<&W::factor>("flushed if subnormal", ShardFactor::flushed),
          takes<&W::factor>("1 for NaN", ShardFactor::nan_is_one)}},
        {"product",
         {takes<&W::product>("rounded to binary32, then to the element", ShardProduct::binary32),
          takes<&W::product>("rounded once", ShardProduct::once),
          takes<&W::product>("rounded to the type of the source", ShardProduct::in_source),
          takes<&W::product>("a quotient by the reciprocal", ShardProduct::divided)}},
        {"rounding",
         {takes<&W::rounding>("nearest_even", Rounding::nearest_even),
          takes<&W::rounding>("toward_zero", Rounding::toward_zero),
          takes<&W::rounding>("nearest_away", Rounding::nearest_away),
          takes<&W::rounding>("nearest_zero", Rounding::nearest_zero)}},
        {"overflow", {takes<&W::sat>("sat", true), takes<&W::sat>("nosat", false)}},
        switched<&W::inf_kept>("Inf", "saturates", "does not saturate"),
        switched<&W::zero_sign_lost>("sign of zero", "kept", "left out"),
        switched<&W::flushed>("subnormal elements", "kept", "flushed"),
        switched<&W::nan_is_zero>("NaN", "kept", "zero"),
        switched<&W::nan_is_largest>("a NaN", "kept", "the largest element"),
        switched<&W::joined>("before", "replaced", "joined with an element"),
        switched<&W::moved_late>("place of a scale", "where a value is written", "where a value belongs"),
    };
    if (cast.scale == GivenScale::nvfp4)
        for (ShardParameter& parameter : parameters)
            if (parameter.name == "multiplier") {
                parameter.values.push_back(
                    takes<&W::factor>("without the scale of the tensor", ShardFactor::no_tensor_scale));
                parameter.values.push_back(
                    takes<&W::factor>("by a scale that is not rounded to E4M3", ShardFactor::unrounded_scale));
                parameter.values.push_back(takes<&W::factor>("without a limit", ShardFactor::unlimited));
                parameter.values.push_back(
                    takes<&W::factor>("by a scale of the tensor of zero or less", ShardFactor::tensor_as_given));
            }
    return parameters;
}

} // namespace

FoundCases identify_partial_cast(observe::Subject& subject, const Operation& operation) {
    const PartialCast cast = as_partial_cast(operation);
    Asked<ShardCase> asked_case(subject, operation, "shards");
    const auto ask = [&](const ShardCase& shard_case) {
        return may_be_refused(shard_case) || shard_case.shard.before.size() > largest_identified ||
               asked_case.ask(cast, shard_case);
    };
    if (for_each_scale_case(cast, Level::smoke, seed_of_shards, ask))
        static_cast<void>(for_each_bounds_case(cast, Level::smoke, ask));
    if (asked_case.status != Status::pass) return found_of(operation, asked_case);

    std::vector<ShardSeen> seen;
    for (const JoinSeen<ShardCase>& answer : asked_case.seen)
        seen.push_back({*answer.asked, undefined_elements(cast, answer.asked->shard), answer.outputs[0]});
    const std::vector<ShardParameter> parameters = parameters_of(cast);
    FoundCases searched = search<ShardWay>(
        parameters, seen.size(),
        [&](const ShardWay& way) {
            // What may be changed and is not says nothing for those who change it.
            const bool spills = way.spill != ShardSpill::none && way.spill != ShardSpill::all_0;
            return [&seen, &cast, way, spills](std::uint64_t at) {
                return explains(cast, way, seen[at]) && (!spills || shows_spill(cast, way, seen[at]));
            };
        },
        [&](std::uint64_t at) { return seen[at].asked.name; });
    searched.noun = "shard";
    return found_of(operation, asked_case, std::move(searched));
}

} // namespace mxcert::suites
