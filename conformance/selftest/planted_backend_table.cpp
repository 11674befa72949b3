// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "conformance/selftest/planted_rows.hpp"

namespace mxcert::selftest {
namespace {

std::vector<PlantedBackend> every_bug() {
    std::vector<PlantedBackend> planted;
    for (const std::vector<AskedRow>& rows :
         {planted_in_blocks(), planted_in_nvfp4(), planted_products(), planted_elsewhere()})
        for (const AskedRow& row : rows)
            for (const PlantedOption& bug : row.bugs)
                planted.push_back({row.plugin, bug.option, row.profile, row.row, bug.bug_class, bug.verdict,
                                   bug.may_be_unnamed, bug.level});
    return planted;
}

} // namespace

std::span<const PlantedBackend> planted_backends() {
    static const std::vector<PlantedBackend> planted = every_bug();
    return planted;
}

} // namespace mxcert::selftest
