// SPDX-License-Identifier: Apache-2.0
#include "conformance/selftest/planted_list.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "conformance/faults/planted.hpp"
#include "conformance/print/text.hpp"
#include "vectors/base/parallel.hpp"

namespace mxcert::selftest {

std::vector<const Profile*> profiles_of(const Selection& selection, const SelftestConversion& planted) {
    if (selection.profiles.empty() && !selection.every_profile) return {&profile_of(planted)};
    if (!planted.profile.empty()) return {}; // it is there once more, for all of them
    const Conversion conversion = parse_conversion(planted.name);
    std::vector<const Profile*> wanted;
    for (const std::string& name : selection.profiles) wanted.push_back(&find_profile(name));
    if (wanted.empty())
        for (const Profile& profile : all_profiles()) wanted.push_back(&profile);
    std::erase_if(wanted, [&](const Profile* profile) { return !covers(*profile, conversion); });
    return wanted;
}

PlantedList backends_of(const Selection& selection, const std::function<bool(const PlantedBackend&)>& is_wanted) {
    PlantedList list;
    for (const PlantedBackend& backend : planted_backends()) {
        const auto is_this = [&](const std::string& profile) { return profile == backend.profile; };
        if (print::selected(selection.filters, std::string(backend.row)) &&
            (selection.profiles.empty() ||
             std::any_of(selection.profiles.begin(), selection.profiles.end(), is_this)) &&
            is_wanted(backend))
            list.backends.push_back(&backend);
    }
    try {
        if (!list.backends.empty()) list.folder = planted_folder();
    } catch (const std::runtime_error& error) {
        list.not_run = fmt::format("Wrong backends were not run: {}\n", error.what());
        list.backends.clear();
    }
    return list;
}

PlantedList planted_of(const Selection& selection) {
    for (const std::string& name : selection.profiles) (void)find_profile(name);
    PlantedList list = backends_of(selection, [](const PlantedBackend&) { return true; });
    for (const SelftestConversion& one_of : selftest_conversions()) {
        if (!print::selected(selection.filters, std::string(one_of.name))) continue;
        const Conversion conversion = parse_conversion(one_of.name);
        for (const Profile* profile : profiles_of(selection, one_of))
            for (faults::Planted& planted : faults::planted_in(conversion, *profile))
                list.tables.push_back(std::move(planted));
    }
    return list;
}

PlantedList picked(const PlantedList& list, const std::function<bool(std::size_t)>& is_wanted) {
    PlantedList some;
    some.folder = list.folder;
    some.not_run = list.not_run;
    for (std::size_t i = 0; i < list.tables.size(); ++i)
        if (is_wanted(i)) some.tables.push_back(list.tables[i]);
    for (std::size_t i = 0; i < list.backends.size(); ++i)
        if (is_wanted(list.tables.size() + i)) some.backends.push_back(list.backends[i]);
    return some;
}

Outcomes plant_all(const PlantedList& list, unsigned jobs, const std::function<void(std::size_t)>& done) {
    Outcomes outcomes;
    verdict::GoldenSource golden;
    outcomes.tables = selftest(list.tables, golden, jobs, done);
    outcomes.backends.resize(list.backends.size());
    std::mutex mutex;
    std::size_t finished = list.tables.size();
    in_parallel(list.backends.size(), jobs, [&](std::size_t i) {
        outcomes.backends[i] = run_planted(*list.backends[i], list.folder);
        const std::scoped_lock lock(mutex);
        ++finished;
        if (done) done(finished);
    });
    return outcomes;
}

} // namespace mxcert::selftest
