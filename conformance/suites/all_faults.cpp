// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/all_faults.hpp"

#include "conformance/suites/registry.hpp"
#include "vectors/faults/conversion_faults.hpp"

namespace mxcert::suites {
namespace {

std::vector<NamedFault> make_all() {
    std::vector<NamedFault> all;
    for (const ConversionFault& fault : conversion_faults())
        all.push_back({"conversion", {find_bug_class(fault.bug_class), std::string(fault.name)}});
    for (const Suite* suite : all_suites())
        for (KnownFault& fault : suite->faults()) all.push_back({suite->operation(), std::move(fault)});
    return all;
}

} // namespace

const std::vector<NamedFault>& all_faults() {
    static const std::vector<NamedFault> all = make_all();
    return all;
}

} // namespace mxcert::suites
