// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/observe/piece.hpp"

// A run of certify, or a record, that several machines share (docs/shards.md). Its plan is cut into units, and the
// units are dealt out to parts. Which unit is asked by which part follows from the plan and the number of parts alone.
namespace mxcert::shards {

/// Inputs and cases that one machine asks, all or none.
struct Unit {
    enum class Kind : std::uint8_t {
        conversion, ///< every input of a small conversion, or all its chosen inputs
        piece,      ///< some requests of a conversion of 2^32 inputs or more
        places,     ///< the boundaries of such a conversion in every place of a call, and large calls
        random,     ///< a conversion with given random bits
        operation,  ///< all cases and chosen inputs of an operation
        sweep,      ///< some parts of a sweep through an operation
    };
    Kind kind = Kind::conversion;
    std::size_t planned = 0;  ///< index in Plan::conversions, given_bits or operations
    observe::Piece piece{};   ///< of a piece
    std::string row{};        ///< of a sweep: "scale" or "elements"
    std::uint64_t number = 0; ///< of a sweep: it asks the parts with the numbers `number` + k * `count`
    std::uint64_t count = 1;
    std::string name;       ///< no other unit of the plan has it; a name for a file
    std::uint64_t cost = 0; ///< about how many values are sent
};

/// Cuts a plan into units, in the order in which certify() asks; that of a record (CertifyOptions::recorded) as
/// take_record() asks, which has no sweeps. More parts get smaller pieces. What certify() asks is
/// asked by exactly one unit, but for chosen inputs by which a sweep has to know the scales.
[[nodiscard]] std::vector<Unit> units_of(const certify::Plan& plan, const observe::BackendInfo& info,
                                         const verdict::CertifyOptions& options, std::uint64_t parts);

/// The part, from 0, that asks each unit: the most costly unit first, each to the part that has least so far.
[[nodiscard]] std::vector<std::uint64_t> deal(const std::vector<Unit>& units, std::uint64_t parts);

} // namespace mxcert::shards
