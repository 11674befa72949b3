// SPDX-License-Identifier: Apache-2.0
#include "vectors/golden_store/golden_partition.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

constexpr std::string_view any_value = "any";

bool has_any(Choice choice) { return choice == Choice::nan || choice == Choice::overflow_nan; }

/// The values of each choice that occur in the file.
using Domain = std::array<std::set<std::int8_t>, choice_count>;

/// The name of a value of a When. Precondition: position >= 0.
std::string_view value_at(const ChoiceInfo& choice, std::int8_t position) {
    const auto value = static_cast<std::uint8_t>(position);
    return value < choice.values.size() ? choice.values[value] : any_value;
}

bool exclude_each_other(const When& a, const When& b) {
    for (std::size_t i = 0; i < choice_count; ++i)
        if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i]) return true;
    return false;
}

/// Number of selections inside `part` (choices it names are fixed) that a row with this condition holds for.
std::uint64_t selections(const When& when, const When& part, const Domain& domain) {
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < choice_count; ++i) {
        if (domain[i].empty()) continue;
        if (part[i] >= 0 && when[i] >= 0 && part[i] != when[i]) return 0;
        if (part[i] < 0 && when[i] < 0) product *= domain[i].size();
    }
    return product;
}

/// Sum of that over rows that exclude each other: equal to the number of all selections exactly if they are a
/// partition.
bool covered(const std::vector<const When*>& rows, const When& part, const Domain& domain) {
    std::uint64_t sum = 0;
    for (const When* row : rows) sum += selections(*row, part, domain);
    When none;
    none.fill(-1);
    return sum == selections(none, part, domain);
}

/// A selection without a row: one choice after the other gets a value that leaves one. Precondition: not covered.
When gap(const std::vector<const When*>& rows, const Domain& domain) {
    When part;
    part.fill(-1);
    for (std::size_t i = 0; i < choice_count; ++i)
        for (const std::int8_t value : domain[i]) {
            part[i] = value;
            if (!covered(rows, part, domain)) break;
        }
    return part;
}

class Sweep {
  public:
    explicit Sweep(const GoldenFile& golden) : golden_(golden) {
        for (const GoldenRow& row : golden.rows) {
            const When& when = whens_.try_emplace(row.when, parse_when(row.when)).first->second;
            for (std::size_t i = 0; i < choice_count; ++i)
                if (when[i] >= 0) domain_[i].insert(when[i]);
            for (std::uint64_t k = 0; k < row.times; ++k)
                ordered_.push_back({row.first + k * static_cast<Code>(row.first_by),
                                    row.last + k * static_cast<Code>(row.last_by), &when});
        }
        std::stable_sort(ordered_.begin(), ordered_.end(),
                         [](const Row& a, const Row& b) { return a.first < b.first; });
    }

    std::string run() {
        std::vector<Row> open;
        std::size_t next = 0;
        const Code end = golden_.from->last_code();
        for (Code at = 0;;) {
            std::erase_if(open, [&](const Row& row) { return row.last < at; });
            for (; next < ordered_.size() && ordered_[next].first == at; ++next) {
                for (const Row& row : open)
                    if (!exclude_each_other(*row.when, *ordered_[next].when))
                        return "input " + hex(at, *golden_.from) +
                               " has two rows for one selection: " + quoted(*row.when) + " and " +
                               quoted(*ordered_[next].when);
                open.push_back(ordered_[next]);
            }
            if (std::string reason = check(at, open); !reason.empty()) return reason;
            Code last = next < ordered_.size() ? ordered_[next].first - 1 : end;
            for (const Row& row : open) last = std::min(last, row.last);
            if (last == end) return "";
            at = last + 1;
        }
    }

  private:
    struct Row {
        Code first;
        Code last;
        const When* when;
    };

    static std::string quoted(const When& when) { return "'" + to_string(when) + "'"; }

    std::string check(Code at, const std::vector<Row>& open) {
        std::vector<const When*> rows;
        rows.reserve(open.size());
        for (const Row& row : open) rows.push_back(row.when);
        std::sort(rows.begin(), rows.end(), std::less<>());
        if (!good_.insert(rows).second) return "";
        When all;
        all.fill(-1);
        if (covered(rows, all, domain_)) return "";
        return "input " + hex(at, *golden_.from) + " has no row for the selection " + quoted(gap(rows, domain_));
    }

    const GoldenFile& golden_;
    std::map<std::string_view, When> whens_;
    Domain domain_;
    std::vector<Row> ordered_;
    std::set<std::vector<const When*>> good_; // few sets of conditions meet, thousands of times
};

} // namespace

When parse_when(std::string_view text) {
    When when;
    when.fill(-1);
    const std::string whole(text);
    int before = -1;
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view term = text.substr(0, space);
        const std::size_t equals = term.find('=');
        if (equals == std::string_view::npos || (space != std::string_view::npos && space + 1 == text.size()))
            throw std::invalid_argument("'" + whole + "' is not a list of choice=value with single spaces");
        std::vector<std::string_view> names;
        for (const ChoiceInfo& choice : all_choices()) names.push_back(choice.name);
        const auto name = std::find(names.begin(), names.end(), term.substr(0, equals));
        if (name == names.end()) throw std::invalid_argument(unknown_name("choice", term.substr(0, equals), names));
        const auto position = static_cast<int>(name - names.begin());
        if (position <= before) throw std::invalid_argument("'" + whole + "': the choices are not in their order");
        before = position;
        const ChoiceInfo& choice = all_choices()[static_cast<std::size_t>(position)];
        std::vector<std::string_view> values(choice.values.begin(), choice.values.end());
        if (has_any(choice.choice)) values.push_back(any_value);
        const auto value = std::find(values.begin(), values.end(), term.substr(equals + 1));
        if (value == values.end())
            throw std::invalid_argument(
                unknown_name("value of " + std::string(choice.name), term.substr(equals + 1), values));
        when[static_cast<std::size_t>(position)] = static_cast<std::int8_t>(value - values.begin());
        text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
    }
    return when;
}

std::string to_string(const When& when) {
    std::string text;
    for (std::size_t i = 0; i < choice_count; ++i) {
        if (when[i] < 0) continue;
        const ChoiceInfo& choice = all_choices()[i];
        if (!text.empty()) text += ' ';
        text += choice.name;
        text += '=';
        text += value_at(choice, when[i]);
    }
    return text;
}

std::vector<NamedChoice> named_choices(const GoldenFile& golden) {
    std::set<std::string_view> whens;
    for (const GoldenRow& row : golden.rows) whens.insert(row.when);
    Domain domain;
    for (const std::string_view text : whens) {
        const When when = parse_when(text);
        for (std::size_t i = 0; i < choice_count; ++i)
            if (when[i] >= 0) domain[i].insert(when[i]);
    }
    Choices defaults;
    if (golden.to->element != nullptr) defaults.rule = ScaleRule::ocp_floor;
    if (!golden.to->has_nan()) defaults.nan = NanRule::max; // which `canonical` is there
    std::vector<NamedChoice> named;
    for (std::size_t i = 0; i < choice_count; ++i) {
        if (domain[i].empty()) continue;
        const ChoiceInfo& choice = all_choices()[i];
        NamedChoice one{std::string(choice.name), {}, std::string(value_name(defaults, choice.choice))};
        for (const std::int8_t value : domain[i]) one.values.emplace_back(value_at(choice, value));
        if (std::find(one.values.begin(), one.values.end(), one.default_value) == one.values.end())
            throw std::logic_error("the golden file has no rows for " + one.name + "=" + one.default_value +
                                   ", the default");
        named.push_back(std::move(one));
    }
    return named;
}

std::string not_a_partition(const GoldenFile& golden) { return Sweep(golden).run(); }

} // namespace mxcert
