// SPDX-License-Identifier: Apache-2.0
#include "conformance/level.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace mxcert {
namespace {

struct Named {
    Level level;
    std::string_view name;
};
constexpr Named names[] = {
    {Level::smoke, "smoke"},
    {Level::quick, "quick"},
    {Level::standard, "standard"},
    {Level::complete, "complete"},
};
constexpr std::string_view budget_word = "budget ";

/// The first belongs to `quick`, and each level adds one.
constexpr std::uint64_t large[] = {(1U << 20U) + 3, (1U << 24U) + 5, (std::uint64_t{1} << 31U) + 9};

} // namespace

std::span<const std::uint64_t> large_counts(Level level) {
    if (is_small(level)) return {};
    return std::span(large).first(level == Level::quick ? 1 : level == Level::standard ? 2 : 3);
}

const std::vector<std::string>& level_names() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> words;
        for (const Named& named : names) words.emplace_back(named.name);
        return words;
    }();
    return all;
}

std::string to_string(const LevelOf& level) {
    for (const Named& named : names)
        if (named.level == level.level) return std::string(named.name);
    return fmt::format("{}{}", budget_word, level.budget);
}

LevelOf parse_level(std::string_view text) {
    for (const Named& named : names)
        if (named.name == text) return {named.level, 0};
    if (text.starts_with(budget_word)) {
        const std::string_view digits = text.substr(budget_word.size());
        std::uint64_t budget = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), budget);
        if (error == std::errc{} && end == digits.data() + digits.size() && digits.front() != '0' &&
            budget <= largest_budget)
            return {Level::budget, budget};
    }
    throw std::invalid_argument(fmt::format("'{}' is no level: there are {} and budget N, N from 1 to {}", text,
                                            fmt::join(level_names(), ", "), largest_budget));
}

std::string option_of(const LevelOf& level) {
    if (level.level == Level::budget) return fmt::format("--budget {}", level.budget);
    return "--level " + to_string(level);
}

} // namespace mxcert
