// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/given_bits/identify_random.hpp"

#include "conformance/suites/given_bits/certify_random.hpp"
#include "conformance/suites/given_bits/readings.hpp"

namespace mxcert::suites {
namespace {

constexpr unsigned words = 64; ///< of some hundred readings each is looked at
constexpr std::uint64_t seed = 1;

} // namespace

diagnose::FoundBehaviour identify_random(observe::Subject& subject, const Conversion& conversion) {
    const observe::Observation seen =
        subject.observe_points(conversion, random_points(conversion, words, seed), nullptr);
    diagnose::FoundBehaviour found;
    found.conversion = to_string(conversion);
    found.from = conversion.from;
    found.to = conversion.to;
    found.sample = true;
    found.status = seen.status;
    found.reason = seen.reason;
    if (seen.status == Status::pass && seen.points.empty()) {
        found.status = Status::untested;
        found.reason = "nothing was answered";
    }
    if (found.status != Status::pass) return found;
    found.asked = seen.points.size();
    found.choices = choices_of(conversion);
    diagnose::FoundParameter& rounding = found.parameters.emplace_back();
    rounding.name = "rounding";
    const std::vector<BitReading> readings = readings_of(conversion, seen.points);
    const NearestReading nearest = nearest_reading(conversion, seen.points, readings);
    if (readings.empty()) {
        found.explained = nearest.right;
        rounding.value = nearest.reading.text;
        return found;
    }
    found.explained = found.asked;
    found.choices.rounding = readings.front().rounding;
    rounding.value = readings.front().text;
    rounding.decided_by = found.asked - nearest.right;
    for (std::size_t i = 1; i < readings.size(); ++i) rounding.alike.push_back(readings[i].text);
    return found;
}

} // namespace mxcert::suites
