// SPDX-License-Identifier: Apache-2.0
#include "reference/operation/operation_name.hpp"

#include <cstddef>
#include <stdexcept>

#include "reference/base/near_names.hpp"
#include "reference/base/other_names.hpp"

namespace mxcert {
Operation parse_operation(std::string_view text) {
    std::vector<std::string> words;
    for (std::string_view rest = text;;) {
        const std::size_t dash = rest.find('-');
        words.emplace_back(rounding_name(rest.substr(0, dash)));
        if (dash == std::string_view::npos) break;
        rest.remove_prefix(dash + 1);
    }
    const OperationInfo& info = find_named("operation", words.front(), all_operations());
    std::vector<std::string> optional;
    if (words.size() - 1 > info.attributes.size())
        optional.assign(words.begin() + static_cast<std::ptrdiff_t>(info.attributes.size()) + 1, words.end());
    const std::size_t most = optional_attributes(info).size();
    if (words.size() - 1 < info.attributes.size() || optional.size() > most)
        throw std::invalid_argument("'" + std::string(text) + "': " + std::string(info.name) + " has " +
                                    std::to_string(info.attributes.size()) + " attributes, there are " +
                                    std::to_string(words.size() - 1));
    std::vector<std::pair<std::string, std::string>> attributes;
    for (std::size_t i = 0; i < info.attributes.size(); ++i) attributes.emplace_back(info.attributes[i], words[i + 1]);
    const auto named = name_optional_values(info, optional);
    attributes.insert(attributes.end(), named.begin(), named.end());
    return make_operation(info.name, attributes);
}

} // namespace mxcert
