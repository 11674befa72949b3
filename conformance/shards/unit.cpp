// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/unit.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <queue>
#include <tuple>

#include <fmt/format.h>

#include "conformance/certify/plan_cost.hpp"
#include "conformance/level.hpp"
#include "conformance/print/text.hpp"
#include "reference/operation/operation_name.hpp"

namespace mxcert::shards {
namespace {

/// Inputs that are planned together (ObserveOptions::part): a piece is a share of them.
constexpr std::uint64_t planned_together = std::uint64_t{1} << 32;
/// A smaller piece takes as long to start as to ask.
constexpr std::uint64_t smallest_piece = std::uint64_t{1} << 24;
/// The largest part gets about one unit in so many more than the average.
constexpr std::uint64_t units_of_a_part = 16;

/// "1x*" of a name is "1xall" in a file name.
std::string file_name(const std::string& name) {
    std::string text;
    for (const char c : name) text += c == '*' ? std::string("all") : std::string(1, c);
    return text;
}

bool is_cut(const suites::PlannedConversion& planned) {
    return planned.points.empty() && planned.conversion.from->last_code() + 1 >= planned_together;
}

class Cutter {
  public:
    Cutter(const observe::BackendInfo& info, const verdict::CertifyOptions& options, std::uint64_t piece)
        : info_(info), options_(options), piece_(piece) {}

    void add(const suites::PlannedConversion& planned, std::size_t number) {
        const std::string name = to_string(planned.conversion);
        const std::uint64_t inputs = planned.inputs();
        if (!is_cut(planned))
            return add({Unit::Kind::conversion,
                        number,
                        {},
                        {},
                        0,
                        1,
                        name,
                        inputs + certify::large_call_cost(options_.level)});
        // Ranges that a backend makes itself are not cut: a device is quick.
        const std::uint64_t shares = info_.makes_ranges ? 1 : planned_together / piece_;
        for (Code low = 0; low < inputs; low += planned_together)
            for (std::uint64_t share = 0; share < shares; ++share)
                add({Unit::Kind::piece,
                     number,
                     {low, low + planned_together - 1, share, shares},
                     {},
                     0,
                     1,
                     fmt::format("{}.{}-of-{}", name, low / planned_together * shares + share,
                                 inputs / planned_together * shares),
                     planned_together / shares + certify::start_cost});
        add({Unit::Kind::places, number, {}, {}, 0, 1, name + ".places", certify::large_call_cost(options_.level)});
    }

    void add(const suites::GivenBits& bits, std::size_t number) {
        add({Unit::Kind::random, number, {}, {}, 0, 1, to_string(bits.conversion), certify::case_cost(options_.level)});
    }

    void add(const Operation& operation, std::size_t number) {
        const std::string name = to_string(operation);
        add({Unit::Kind::operation, number, {}, {}, 0, 1, name, certify::case_cost(options_.level)});
        if (options_.recorded) return;
        for (const certify::Sweep& sweep : certify::sweeps_of(operation, options_.level)) {
            if (!print::selected(options_.filters, fmt::format("{}/{}", name, sweep.row))) continue;
            for (std::uint64_t i = 0; i < sweep.parts; ++i)
                add({Unit::Kind::sweep,
                     number,
                     {},
                     std::string(sweep.row),
                     i,
                     sweep.parts,
                     fmt::format("{}.{}.{}-of-{}", name, sweep.row, i, sweep.parts),
                     sweep.values});
        }
    }

    [[nodiscard]] std::vector<Unit> units() { return std::move(units_); }

  private:
    void add(Unit unit) {
        unit.name = file_name(unit.name);
        units_.push_back(std::move(unit));
    }

    const observe::BackendInfo& info_;
    const verdict::CertifyOptions& options_;
    std::uint64_t piece_;
    std::vector<Unit> units_;
};

/// A power of two, so that it divides what is planned together.
std::uint64_t piece_size(const certify::Plan& plan, std::uint64_t parts) {
    std::uint64_t inputs = 0;
    for (const suites::PlannedConversion& planned : plan.conversions) inputs += is_cut(planned) ? planned.inputs() : 0;
    const std::uint64_t wanted = std::max<std::uint64_t>(1, inputs / parts / units_of_a_part);
    return std::clamp(std::bit_floor(wanted), smallest_piece, planned_together);
}

} // namespace

std::vector<Unit> units_of(const certify::Plan& plan, const observe::BackendInfo& info,
                           const verdict::CertifyOptions& options, std::uint64_t parts) {
    Cutter cutter(info, options, piece_size(plan, parts));
    for (std::size_t i = 0; i < plan.conversions.size(); ++i) cutter.add(plan.conversions[i], i);
    for (std::size_t i = 0; i < plan.given_bits.size(); ++i) cutter.add(plan.given_bits[i], i);
    for (std::size_t i = 0; i < plan.operations.size(); ++i) cutter.add(plan.operations[i].operation, i);
    return cutter.units();
}

std::vector<std::uint64_t> deal(const std::vector<Unit>& units, std::uint64_t parts) {
    std::vector<std::size_t> order(units.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return units[a].cost > units[b].cost; });
    using Load = std::pair<std::uint64_t, std::uint64_t>; // cost so far, part
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (std::uint64_t part = 0; part < parts; ++part) loads.emplace(0, part);
    std::vector<std::uint64_t> part_of(units.size());
    for (const std::size_t unit : order) {
        const auto [cost, part] = loads.top();
        loads.pop();
        part_of[unit] = part;
        loads.emplace(cost + units[unit].cost, part);
    }
    return part_of;
}

} // namespace mxcert::shards
