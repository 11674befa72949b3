// SPDX-License-Identifier: Apache-2.0
// A plugin that casts shards by given scales, right or with the fault that --backend-option names: one of
// shard_faults(), or one of those below.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "conformance/planted/operations_api.hpp"
#include "conformance/suites/partial_cast/way.hpp"

namespace {

using namespace mxcert;
using planted::fault;
using planted::is;

constexpr const char* attributes[] = {
    "source=fp32 element=e4m3 scale=fp32 block=128x128 outside=kept",
    "source=bf16 element=e4m3 scale=fp32 block=128x128 outside=16x128",
    "source=bf16 element=e4m3 scale=e8m0 block=1x32 outside=kept",
    "source=fp32 element=e4m3 scale=e8m0 block=32x1 outside=kept",
    "source=fp32 element=e2m1 scale=nvfp4 block=16x16 outside=kept",
    "source=fp16 element=e5m2 scale=fp32 block=128x128 outside=kept",
};

/// What is wrong in few places, of a right answer.
void spoil(const suites::ShardCase& shard_case, std::vector<Code>& after) {
    const recipe::Shard& shard = shard_case.shard;
    const std::uint64_t last = after.size() - 1;
    if (is("one element in 4096 wrong") && shard.values.size() > 99)
        for (std::uint64_t k = 99; k < shard.values.size(); k += 4096) after[shard.first + k] ^= 1U;
    if (is("the last element of the buffer zero")) after[last] = 0;
    if (is("the element after the shard zero") && shard.end() < after.size()) after[shard.end()] = 0;
    if (is("the element before the shard zero") && shard.first > 0) after[shard.first - 1] = 0;
    // As an index of 16 bits has it.
    if (is("places beyond 65536 begin again"))
        for (std::uint64_t at = std::max<std::uint64_t>(shard.first, 65536); at < shard.end(); ++at)
            after[at] = shard.before[at];
}

std::int32_t run(const mxcert_run_args* args) {
    const Operation operation = planted::operation_of("partial_cast", attributes[args->operation]);
    const recipe::PartialCast cast = as_partial_cast(operation);
    suites::ShardCase shard_case{"", {{args->shape[0], args->shape[1]}, cast.block}, {}};
    recipe::Shard& shard = shard_case.shard;
    shard.matrix = shard_case.matrix.values;
    shard.first = args->shape[2];
    shard.values = planted::codes_of(args->inputs[0]);
    shard.before = planted::codes_of(args->inputs[1]);
    shard.scales = planted::codes_of(args->inputs[2]);
    if (args->input_count == 4) shard.encode_scale = planted::codes_of(args->inputs[3]).front();
    if (is("refuses empty shards and smaller blocks") && suites::may_be_refused(shard_case)) return MXCERT_UNSUPPORTED;
    suites::ShardWay way;
    for (const suites::ShardFault& known : suites::shard_faults())
        if (fault == known.name) known.plant(way);
    std::vector<Code> after = suites::elements_by(cast, way, shard_case, undefined_elements(cast, shard));
    spoil(shard_case, after);
    const mxcert_array& out = args->outputs[0];
    // Whatever may be changed is: as it comes.
    for (std::uint64_t at = 0; at < after.size(); ++at)
        static_cast<std::uint8_t*>(out.data)[at] =
            static_cast<std::uint8_t>(after[at] == suites::any_element ? shard.before[at] ^ (1U + at % 7) : after[at]);
    return MXCERT_OK;
}

} // namespace

const mxcert_api* mxcert_get_api(std::uint32_t host_abi_major) {
    static constexpr auto operations = planted::operations_of("partial_cast", attributes);
    static const mxcert_api api =
        planted::operations_api("partial_caster", "shards cast by given scales, with a fault", operations, run);
    return host_abi_major == MXCERT_ABI_MAJOR ? &api : nullptr;
}
