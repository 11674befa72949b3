// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "conformance/observe/worker_pool.hpp"

namespace mxcert::test {

/// One of the backends under test/hostile.
inline observe::BackendSpec hostile(const std::string& name) {
    ::setenv("MXCERT_WORKER", MXCERT_TEST_WORKER, 1); // NOLINT(concurrency-mt-unsafe): the tests have one thread
    const std::string base = MXCERT_TEST_HOSTILE "/" + name;
    if (name == "rude") return {observe::BackendSpec::Kind::program, name, base, {}};
    return {observe::BackendSpec::Kind::plugin, name, base + ".so", {}};
}

/// What the honest ones among them do: every input gives its upper byte.
inline PermitTable top_byte_table(const Format& from) {
    PermitTable table{&format(from.name), &format("e4m3"), {}};
    const int shift = from.width() - 8;
    for (Code code = 0; code < 256; ++code)
        table.steps.push_back({code << shift, (code << shift) | ((Code{1} << shift) - 1), permit_code(code), "TEST"});
    return table;
}

inline StepTable top_byte_steps(const Format& from) {
    StepTable table{&format(from.name), &format("e4m3"), {}};
    for (const PermitStep& step : top_byte_table(from).steps)
        table.steps.push_back({step.first, step.last, step.permit.codes.front()});
    return table;
}

inline const Conversion fp16 = parse_conversion("fp16-e4m3-nearest_even-sat");
inline const Conversion fp32 = parse_conversion("fp32-e4m3-nearest_even-sat");
inline const Conversion fp64 = parse_conversion("fp64-e4m3-nearest_even-sat");

/// Observes a backend of test/hostile with the table of what it should do.
inline observe::Observation observe_hostile(const std::string& name, const Conversion& conversion,
                                            observe::ObserveOptions options = {}) {
    const PermitTable table = top_byte_table(*conversion.from);
    return observe::WorkerPool(hostile(name), std::move(options)).observe(conversion, &table);
}

} // namespace mxcert::test
