// SPDX-License-Identifier: Apache-2.0
#include "reference/recipe/percentile.hpp"

#include <array>
#include <stdexcept>

namespace mxcert::recipe {
namespace {

using formats::fp32;

constexpr std::array<std::string_view, 2> position_names{"exact", "fp32"};
constexpr std::array<std::string_view, 3> between_names{"from_below", "nearer_end", "nearer_end_fused"};

} // namespace

void check(const Percentile& percentile, const Format& value, std::size_t count) {
    if (percentile.rank.denominator == 0 || percentile.rank.numerator > percentile.rank.denominator)
        throw std::invalid_argument("a percentile is a number from 0 to 1");
    if (percentile.rank.denominator > most_elements)
        throw std::invalid_argument("the denominator of a percentile is at most " + std::to_string(most_elements));
    if (&value != &fp32 && &value != &formats::bf16 && &value != &formats::fp16)
        throw std::invalid_argument("the values of a tensor are fp32, bf16 or fp16, not " + std::string(value.name));
    if (count == 0 || count > most_elements)
        throw std::invalid_argument("a percentile is of 1 to " + std::to_string(most_elements) + " elements, not " +
                                    std::to_string(count));
}

std::string_view to_string(Position value) { return position_names.at(static_cast<std::size_t>(value)); }
std::string_view to_string(Between value) { return between_names.at(static_cast<std::size_t>(value)); }

std::string describe(const ElementRecipe& recipe) {
    const Percentile& p = recipe.percentile;
    std::string text = "percentile=" + std::to_string(p.rank.numerator) + "/" + std::to_string(p.rank.denominator);
    text.append(" position=").append(to_string(p.position)).append(" between=").append(to_string(p.between));
    text.append(" nan_elements=").append(to_string(p.nan_entries));
    return text + " " + describe(recipe.choices);
}

} // namespace mxcert::recipe
