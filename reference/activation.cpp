// SPDX-License-Identifier: Apache-2.0
#include "reference/activation.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "reference/base/near_names.hpp"

namespace mxcert {
namespace {

struct Row {
    std::string_view name;
    Activation activation;
};

constexpr std::array<Row, 3> activation_table{
    {{"none", Activation::none}, {"relu", Activation::relu}, {"srelu", Activation::srelu}}};
constexpr std::array<Activation, 3> activations{Activation::none, Activation::relu, Activation::srelu};

/// Transformer Engine has these too. Each calls expf or tanhf, whose results CUDA bounds and does not define.
constexpr std::array<std::string_view, 5> by_approximation{"gelu", "qgelu", "silu", "swish", "sigmoid"};

bool approximates(std::string_view name) {
    return std::find(by_approximation.begin(), by_approximation.end(), name) != by_approximation.end();
}

} // namespace

std::span<const Activation> all_activations() { return activations; }

std::string_view to_string(Activation activation) {
    return std::find_if(activation_table.begin(), activation_table.end(),
                        [&](const Row& row) { return row.activation == activation; })
        ->name;
}

bool is_activation(std::string_view name) {
    return approximates(name) || std::any_of(activation_table.begin(), activation_table.end(),
                                             [&](const Row& row) { return row.name == name; });
}

Activation find_activation(std::string_view name) {
    if (approximates(name))
        throw std::invalid_argument("activation '" + std::string(name) +
                                    "' calls an exponential or a hyperbolic tangent, whose last bits CUDA does not "
                                    "define: there is no answer to the bit. There are none, relu, srelu");
    return find_named("activation", name, activation_table).activation;
}

} // namespace mxcert
