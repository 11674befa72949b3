// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/pipeline.hpp"

#include <string>
#include <utility>
#include <vector>

namespace mxcert::parity {

Operation plain(const Operation& operation, const Format& source) {
    std::vector<std::pair<std::string, std::string>> attributes;
    for (std::size_t i = 0; i < operation.info->attributes.size(); ++i)
        attributes.emplace_back(operation.info->attributes[i],
                                operation.info->attributes[i] == "source" ? source.name : operation.values[i]);
    return make_operation(operation.info->name, attributes);
}

Activation activation_of(const Pipeline& pipeline) {
    const Activation fused = as_quantize(pipeline.operation).activation;
    return fused != Activation::none ? fused : pipeline.before;
}

} // namespace mxcert::parity
