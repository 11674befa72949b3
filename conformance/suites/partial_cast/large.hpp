// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/level.hpp"
#include "conformance/suites/certify_sizes.hpp"
#include "conformance/suites/partial_cast/cases.hpp"

namespace mxcert::suites {

/// What certify_sizes() asks of one of shard_rings(): matrices whose quarters repeat those of the ring to the right or
/// downwards. The first three stay as they were. The shard begins behind as many elements as large_counts() says: at
/// level complete beyond what an index of 31 bits reaches.
[[nodiscard]] SizeQuestion large_shards(const recipe::PartialCast& cast, const ShardCase& ring, Level level);

} // namespace mxcert::suites
