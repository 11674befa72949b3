// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/all_faults.hpp"

#include <set>

#include "conformance/suites/blocks/explain_scales.hpp"
#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/blocks/requantized.hpp"
#include "conformance/suites/float_blocks/float_diagnose.hpp"
#include "conformance/suites/layout/layout_faults.hpp"
#include "conformance/suites/linear/faults.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/scaling/trace_fault.hpp"
#include "conformance/suites/stochastic/stochastic.hpp"
#include "vectors/faults/conversion_faults.hpp"

namespace mxcert {
namespace {

NamedFault named(std::string_view of, std::string_view bug_class, std::string name) {
    return {of, {find_bug_class(bug_class), std::move(name)}};
}

void add_layouts(std::vector<NamedFault>& all) {
    std::set<std::string> names;
    for (const LayoutCase& one : layout_cases())
        for (const LayoutMaker& maker : layout_makers(one))
            if (!maker.bug_class.empty() && names.insert(maker.name).second)
                all.push_back(named("layout", maker.bug_class, maker.name));
}

void add_stochastic(std::vector<NamedFault>& all) {
    using stochastic::Fault;
    for (unsigned i = 0; i <= static_cast<unsigned>(Fault::unexplained); ++i) {
        const auto fault = static_cast<Fault>(i);
        if (const BugClass* bug_class = bug_class_of(fault))
            all.push_back({"stochastic", {bug_class, std::string(to_string(fault))}});
    }
}

std::vector<NamedFault> make_all() {
    std::vector<NamedFault> all;
    for (const ConversionFault& fault : conversion_faults())
        all.push_back(named("conversion", fault.bug_class, std::string(fault.name)));
    for (const JoinFault& fault : join_faults())
        all.push_back(named("quantize", fault.bug_class, std::string(fault.name)));
    all.push_back(named("quantize", "REQUANTIZED", std::string(requantized)));
    all.push_back(named("quantize", "AMAX_LANES", std::string(amax_of_lanes)));
    for (const KnownFault& fault : float_faults()) all.push_back({"quantize", fault});
    add_layouts(all);
    for (const MatmulFault& fault : matmul_faults())
        all.push_back(named("matmul", fault.bug_class, std::string(fault.name)));
    for (const LinearFault& fault : linear_faults()) all.push_back(named("linear", fault.bug_class, fault.name));
    for (const TraceFault& fault : trace_faults())
        all.push_back(named("scaling", "DELAYED_SCALING", std::string(fault.name)));
    add_stochastic(all);
    return all;
}

} // namespace

const std::vector<NamedFault>& all_faults() {
    static const std::vector<NamedFault> all = make_all();
    return all;
}

} // namespace mxcert
