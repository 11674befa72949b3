// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/level.hpp"
#include "conformance/suites/certify_sizes.hpp"
#include "conformance/suites/partial_cast/cases.hpp"

namespace mxcert::suites {

/// What certify_sizes() asks of one of shard_rings(): matrices whose halves repeat those of the ring to the right or
/// downwards. The first half stays as it was, and the shard begins in the middle: beyond what an index of 31 or 32 bits
/// reaches, in the largest.
[[nodiscard]] SizeQuestion large_shards(const recipe::PartialCast& cast, const ShardCase& ring, Level level);

} // namespace mxcert::suites
