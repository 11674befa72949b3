// SPDX-License-Identifier: Apache-2.0
#include "vectors/base/json_instances.hpp"

NLOHMANN_JSON_NAMESPACE_BEGIN
namespace detail {
MXCERT_JSON_INSTANCES(template, nlohmann::json)
MXCERT_JSON_INSTANCES(template, nlohmann::ordered_json)
} // namespace detail
NLOHMANN_JSON_NAMESPACE_END
