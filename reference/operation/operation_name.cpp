// SPDX-License-Identifier: Apache-2.0
#include "reference/operation/operation_name.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

bool is_layout(std::string_view name) {
    const std::span<const ScaleLayout> all = all_layouts();
    return std::any_of(all.begin(), all.end(), [&](const ScaleLayout& layout) { return layout.name == name; });
}

} // namespace

Operation parse_operation(std::string_view text) {
    std::vector<std::string> words;
    for (std::string_view rest = text;;) {
        const std::size_t dash = rest.find('-');
        words.emplace_back(rest.substr(0, dash));
        if (dash == std::string_view::npos) break;
        rest.remove_prefix(dash + 1);
    }
    const OperationInfo& info = find_named("operation", words.front(), all_operations());
    // What may follow: the signs of a transform, a packing and a layout, in this order.
    std::vector<std::string> optional;
    if (words.size() - 1 > info.attributes.size())
        optional.assign(words.begin() + static_cast<std::ptrdiff_t>(info.attributes.size()) + 1, words.end());
    const bool transforms =
        info.may_transform && !optional.empty() && (recipe::is_signs(optional.front()) || optional.front() == "none");
    const std::size_t most = (transforms ? 1U : 0U) + (info.may_pack() ? 1U : 0U) + (info.may_lay_out() ? 1U : 0U);
    if (words.size() - 1 < info.attributes.size() || optional.size() > most)
        throw std::invalid_argument("'" + std::string(text) + "': " + std::string(info.name) + " has " +
                                    std::to_string(info.attributes.size()) + " attributes, there are " +
                                    std::to_string(words.size() - 1));
    std::vector<std::pair<std::string, std::string>> attributes;
    for (std::size_t i = 0; i < info.attributes.size(); ++i) attributes.emplace_back(info.attributes[i], words[i + 1]);
    if (transforms) {
        attributes.emplace_back("hadamard", optional.front());
        optional.erase(optional.begin());
    }
    for (std::size_t i = 0; i < optional.size(); ++i)
        attributes.emplace_back(info.may_lay_out() && (i == 1 || is_layout(optional[i])) ? "layout" : "packing",
                                optional[i]);
    return make_operation(info.name, attributes);
}

} // namespace mxcert
