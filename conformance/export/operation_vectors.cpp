// SPDX-License-Identifier: Apache-2.0
#include "conformance/export/operation_vectors.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/suites/blocks/judge.hpp"

namespace mxcert::test_vectors {
namespace {

struct Kind {
    std::string_view name;
    TestVectors (*vectors)(const Operation&, const Profile&, verdict::GoldenSource&);
};
constexpr Kind kinds[] = {
    {"quantize", quantize_vectors},
    {"dequantize", dequantize_vectors},
    {"quantize_2d", quantize_2d_vectors},
    {"quantize_float", quantize_float_vectors},
    {"dequantize_float", dequantize_float_vectors},
    {"quantize_nvfp4", quantize_nvfp4_vectors},
    {"dequantize_nvfp4", dequantize_nvfp4_vectors},
    {"hadamard", hadamard_vectors},
    {"partial_cast", partial_cast_vectors},
    {"layout", layout_vectors},
    {"matmul", matmul_vectors},
    {"scaled_matmul", scaled_matmul_vectors},
    {"linear", linear_vectors},
    {"scaling", scaling_vectors},
};

} // namespace

std::vector<std::string_view> exported_operations() {
    std::vector<std::string_view> names;
    for (const Kind& kind : kinds) names.push_back(kind.name);
    return names;
}

const Profile& profile_of(const Operation& operation, std::string_view name) {
    if (!name.empty()) {
        const Profile& profile = find_profile(name);
        if (!covers(profile, operation))
            throw std::invalid_argument(fmt::format("profile {} does not judge {}", name, to_string(operation)));
        return profile;
    }
    const std::vector<const Profile*> profiles = suites::judging(operation);
    if (profiles.empty()) throw std::invalid_argument("no profile judges " + to_string(operation));
    return *profiles.front();
}

TestVectors head_of(const Operation& operation, const Profile& profile) {
    TestVectors vectors;
    vectors.name = to_string(operation);
    vectors.kind = operation.info->name;
    for (const std::string_view attribute : operation.info->attributes)
        vectors.attributes.emplace_back(attribute, operation.value(attribute));
    vectors.profile = profile.name;
    vectors.source = profile.source;
    vectors.origin = "computed by both models";
    return vectors;
}

TestVectors vectors_of(const Operation& operation, const Profile& profile, verdict::GoldenSource& golden) {
    const auto* const kind = std::find_if(std::begin(kinds), std::end(kinds),
                                          [&](const Kind& row) { return row.name == operation.info->name; });
    if (kind == std::end(kinds))
        throw std::invalid_argument(fmt::format("there are no test vectors of the operation {}; of {} there are",
                                                operation.info->name, fmt::join(exported_operations(), ", ")));
    for (const OptionalAttribute& attribute : optional_attributes()) {
        if (find_optional(*operation.info, attribute.name) == nullptr) continue;
        const std::string_view value = optional_value(operation, attribute);
        if (!value.empty() && value != attribute.usual)
            throw std::invalid_argument(fmt::format("{}: test vectors have {}={} only; export the operation without "
                                                    "'{}'",
                                                    to_string(operation), attribute.name, attribute.usual, value));
    }
    return kind->vectors(operation, profile, golden);
}

} // namespace mxcert::test_vectors
