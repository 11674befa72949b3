// SPDX-License-Identifier: Apache-2.0
#include "conformance/gate/deviation.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "conformance/cases/reproduce.hpp"
#include "conformance/suites/registry.hpp"
#include "reference/clause.hpp"
#include "reference/operation/operation_name.hpp"

namespace mxcert::gate {
namespace {

// How long was waited and how much memory was there stands behind these words: that is not the backend's.
constexpr std::array<std::string_view, 2> words_before_figures{"timeout", "took"};

std::string without_figures(std::string text) {
    for (const std::string_view word : words_before_figures)
        if (const std::size_t at = text.find(word); at != std::string::npos) text.resize(at + word.size());
    return text;
}

std::vector<std::string> ends_of(const verdict::Row& row) {
    std::vector<std::string> ends;
    for (const observe::Culprit& culprit : verdict::culprits_of(row)) {
        const Format& from = *verdict::conversion_of(row)->from;
        const std::string inputs = culprit.first == culprit.last
                                       ? hex(culprit.first, from)
                                       : hex(culprit.first, from) + "-" + hex(culprit.last, from);
        ends.push_back(fmt::format("{}: {}", inputs, without_figures(culprit.how)));
    }
    if (const std::optional<std::uint64_t> number = verdict::ended_by(row); ends.empty() && number)
        ends.push_back(fmt::format("case {}: {}", *number, without_figures(row.reason)));
    return ends;
}

bool is_random(const std::string& operation) {
    if (operation.empty()) return false;
    const Operation parsed = parse_operation(operation);
    return suites::suite_of(parsed).draws_randomly(parsed);
}

} // namespace

bool is_same(const Deviation& a, const Deviation& b) {
    return a.status == b.status && a.differing == b.differing && a.ranges == b.ranges &&
           a.answers_sha256 == b.answers_sha256 && a.ends == b.ends && a.says == b.says;
}

Deviation deviation_of(const verdict::Row& row) {
    Deviation deviation;
    deviation.status = row.status;
    deviation.ends = ends_of(row);
    const auto add = [&](const BugClass& bug_class) {
        if (std::find(deviation.bugs.begin(), deviation.bugs.end(), bug_class.id) == deviation.bugs.end())
            deviation.bugs.emplace_back(bug_class.id);
    };
    for (const diagnose::NamedBug& bug : verdict::bugs_of(row)) add(*bug.bug_class);
    for (const KnownFault& fault : row.known_as) add(*fault.bug_class);
    if (row.status == Status::unsupported) deviation.says = row.reason;
    if (is_random(row.operation)) {
        // Other bits the next time, so other answers: its fault is what stays.
        const std::span<const std::string> wrong = verdict::wrong_of(row);
        if (!wrong.empty()) deviation.says = wrong.front().substr(0, wrong.front().find(':'));
        return deviation;
    }
    deviation.differing = row.differing;
    const verdict::TableFindings* table = verdict::table_of(row);
    if (table != nullptr && table->ranges != 0 && table->ranges <= most_ranges)
        for (const Difference& difference : table->differences)
            deviation.ranges.push_back({difference.first, difference.last, difference.got});
    else if (row.differing != 0)
        deviation.answers_sha256 = row.observed_sha256;
    return deviation;
}

std::string unrecognisable(const verdict::Row& row, const Deviation& deviation) {
    switch (row.status) {
    case Status::untested: return "nothing was compared";
    case Status::incomplete: return "not all of its answers were judged";
    case Status::error:
        if (deviation.ends.empty()) return "nothing tells this error from another one";
        break;
    default: break;
    }
    const bool known = !deviation.ranges.empty() || !deviation.answers_sha256.empty();
    if (deviation.differing != 0 && !known) return "there is no digest of all that was answered";
    if (!known && deviation.ends.empty() && deviation.says.empty()) return "no answer tells it from another deviation";
    return {};
}

bool is_settled(const verdict::Row& row) {
    return row.status == Status::pass || (row.status == Status::unsupported && !row.required);
}

std::optional<Conversion> table_of_row(const std::string& id) {
    constexpr std::string_view provision = "provision ";
    if (id.starts_with(provision)) {
        const Clause* clause = find_clause(id.substr(provision.size()));
        if (clause == nullptr || clause->kind != ClauseKind::provision)
            throw std::invalid_argument(fmt::format("'{}' is no provision clause", id.substr(provision.size())));
        return {};
    }
    const std::size_t slash = id.find('/');
    if (slash == std::string::npos) {
        const Conversion conversion = parse_conversion(id);
        return conversion.random_bits == 0 ? std::optional(conversion) : std::nullopt;
    }
    const Operation operation = parse_operation(id.substr(0, slash));
    const std::vector<std::string> rows = suites::row_ids(operation);
    if (std::find(rows.begin(), rows.end(), id) == rows.end())
        throw std::invalid_argument(fmt::format("{} has no row '{}', there are {}", to_string(operation),
                                                id.substr(slash + 1), fmt::join(rows, ", ")));
    return cases::table_of(operation, id.substr(slash + 1));
}

std::vector<ChangedRange> changed_ranges(const std::vector<Step>& was, const std::vector<Step>& now) {
    std::vector<ChangedRange> changed;
    const auto append = [&](const ChangedRange& range) {
        if (range.was == range.now) return;
        ChangedRange* last = changed.empty() ? nullptr : &changed.back();
        if (last != nullptr && last->last + 1 == range.first && last->was == range.was && last->now == range.now)
            last->last = range.last;
        else
            changed.push_back(range);
    };
    // Both at once, from one place where either changes to the next.
    auto a = was.begin();
    auto b = now.begin();
    Code at = 0;
    while (a != was.end() || b != now.end()) {
        const bool in_a = a != was.end() && a->first <= at;
        const bool in_b = b != now.end() && b->first <= at;
        if (!in_a && !in_b) {
            at = a == was.end() ? b->first : b == now.end() ? a->first : std::min(a->first, b->first);
            continue;
        }
        Code last = ~Code{0};
        if (a != was.end()) last = std::min(last, in_a ? a->last : a->first - 1);
        if (b != now.end()) last = std::min(last, in_b ? b->last : b->first - 1);
        append({at, last, in_a ? std::optional(a->code) : std::nullopt, in_b ? std::optional(b->code) : std::nullopt});
        if (in_a && a->last == last) ++a;
        if (in_b && b->last == last) ++b;
        at = last + 1; // the largest input of 64 bits ends both
    }
    return changed;
}

std::string explained_by(const diagnose::Diagnosis& diagnosis, Code first, Code last) {
    std::string text;
    for (const diagnose::NamedBug& bug : diagnosis.bugs)
        if (!intersection(bug.where, {{first, last}}).empty())
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", bug.bug_class->id, bug.how);
    return text;
}

} // namespace mxcert::gate
