// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

// The parser and the serializer of JSON are compiled once, in json_instances.cpp: every file that read or wrote JSON
// took a second to compile them for itself. Precompiled headers include this file; others need not.
namespace mxcert::base {

/// How nlohmann's parser reads a std::string.
using JsonText = decltype(nlohmann::detail::input_adapter(std::declval<const std::string&>()));

} // namespace mxcert::base

// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses): a list for two types, declared and defined
#define MXCERT_JSON_INSTANCES(how, Json)                                                                               \
    how class serializer<Json>;                                                                                        \
    how class lexer<Json, mxcert::base::JsonText>;                                                                     \
    how class parser<Json, mxcert::base::JsonText>;                                                                    \
    how class json_sax_dom_parser<Json>;                                                                               \
    how class json_sax_dom_callback_parser<Json>;                                                                      \
    how bool parser<Json, mxcert::base::JsonText>::sax_parse_internal(json_sax_dom_parser<Json>*);                     \
    how bool parser<Json, mxcert::base::JsonText>::sax_parse_internal(json_sax_dom_callback_parser<Json>*);
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)

NLOHMANN_JSON_NAMESPACE_BEGIN
namespace detail {
MXCERT_JSON_INSTANCES(extern template, nlohmann::json)
MXCERT_JSON_INSTANCES(extern template, nlohmann::ordered_json)
} // namespace detail
NLOHMANN_JSON_NAMESPACE_END
