// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/parity.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/parity/carried.hpp"
#include "conformance/parity/nvfp4_quantizers.hpp"
#include "conformance/parity/quantizers.hpp"

namespace mxcert::parity {
namespace {

const Format& source_of(const Operation& operation) { return *find_format(operation.value("source")); }

/// Attributes that must be the same, and what they are called.
struct SameAttribute {
    std::string_view name;
    std::string_view what;
    std::string_view any; ///< a value that fits every other
};
constexpr SameAttribute same_attributes[] = {
    {"element", "elements", ""}, {"scale", "scales", ""}, {"block", "blocks", "any"}};

/// Packing and layout, which are undone before anything is compared.
std::vector<std::string> brought_to_one_form(const Operation& a, const Operation& b) {
    std::vector<std::string> brought;
    for (const OptionalAttribute& attribute : optional_attributes()) {
        if (attribute.name != "packing" && attribute.name != "layout") continue;
        if (!attribute.may_have(*a.info) || !attribute.may_have(*b.info)) continue;
        const auto value = [&](const Operation& operation) {
            const std::string_view own = optional_value(operation, attribute);
            return own.empty() ? attribute.usual : own;
        };
        if (value(a) != value(b))
            brought.push_back(fmt::format("{}: {} in A, {} in B", attribute.name, value(a), value(b)));
    }
    return brought;
}

const Format& values_of(const Pipeline& a, const Pipeline& b, const ParityOptions& options) {
    if (options.values != nullptr) return *options.values;
    const Format* const held = held_by_both(source_of(a.operation), source_of(b.operation));
    if (held == nullptr)
        throw std::invalid_argument("neither fp16 nor bf16 holds the values of the other: say with --values which are "
                                    "asked, and they are rounded to the source of each");
    return *held;
}

void check_options(const Pipeline& a, const Pipeline& b, const ParityOptions& options) {
    const bool is_block = a.operation.info->name == "quantize";
    if (options.transpose && (!is_block || a.operation.value("axis") == b.operation.value("axis")))
        throw std::invalid_argument("--transpose is for two quantizers of which one has axis=row and the other "
                                    "axis=column");
    for (const Pipeline* pipeline : {&a, &b}) {
        if (pipeline->before == Activation::none) continue;
        if (!is_block) throw std::invalid_argument("an activation is applied before block quantizers alone");
        if (as_quantize(pipeline->operation).activation != Activation::none)
            throw std::invalid_argument(to_string(pipeline->operation) +
                                        " has an activation already: no other is applied before it");
    }
    if (is_block && activation_of(a) != Activation::none && activation_of(b) != Activation::none &&
        activation_of(a) != activation_of(b))
        throw std::invalid_argument("A and B have different activations: one of them is compared at a time");
}

} // namespace

std::string not_comparable(const Pipeline& a, const Pipeline& b) {
    for (const Pipeline* pipeline : {&a, &b})
        if (pipeline->operation.info->name != "quantize" && pipeline->operation.info->name != "quantize_nvfp4")
            return to_string(pipeline->operation) + " is neither quantize nor quantize_nvfp4";
    if (a.operation.info->name != b.operation.info->name)
        return fmt::format("A is {} and B {}: their elements and scales are of different formats",
                           a.operation.info->name, b.operation.info->name);
    for (const SameAttribute& attribute : same_attributes) {
        const auto& attributes = a.operation.info->attributes;
        if (std::find(attributes.begin(), attributes.end(), attribute.name) == attributes.end()) continue;
        const std::string_view of_a = a.operation.value(attribute.name);
        const std::string_view of_b = b.operation.value(attribute.name);
        if (of_a != of_b && of_a != attribute.any && of_b != attribute.any)
            return fmt::format("A has {} {} and B {}", attribute.what, of_a, of_b);
    }
    if (a.operation.info->name == "quantize_nvfp4")
        for (const Pipeline* pipeline : {&a, &b}) {
            const QuantizeNvfp4 quantize = as_quantize_nvfp4(pipeline->operation);
            if (quantize.random) return to_string(pipeline->operation) + " rounds at random: see `mxcert certify`";
            if (quantize.hadamard) return to_string(pipeline->operation) + " transforms its values first";
        }
    return {};
}

Parity compare(const Pipeline& a, const Pipeline& b, verdict::GoldenSource& golden, const ParityOptions& options) {
    Parity parity;
    parity.a = to_string(a.operation);
    parity.b = to_string(b.operation);
    parity.level = options.level;
    parity.reason = not_comparable(a, b);
    if (!parity.reason.empty()) return parity;
    check_options(a, b, options);
    parity.values = &values_of(a, b, options);
    parity.brought = brought_to_one_form(a.operation, b.operation);
    if (a.operation.info->name == "quantize")
        compare_quantizers(a, b, golden, options, parity);
    else
        compare_nvfp4(a, b, options, parity);
    const auto is_compared = [](const Part& part) { return part.compared != 0; };
    if (parity.status == Status::pass && std::none_of(parity.parts.begin(), parity.parts.end(), is_compared)) {
        parity.status = Status::untested;
        parity.reason = "nothing was compared: one of both refuses every shape";
    }
    // Whole blocks must be taken; only tails may be refused.
    const auto is_whole = [](const Refusal& refusal) { return !refusal.is_tail; };
    if (parity.status == Status::pass && std::any_of(parity.refused.begin(), parity.refused.end(), is_whole)) {
        parity.status = Status::unsupported;
        parity.reason = "equal where both take the shape; one of both refuses whole blocks";
    }
    return parity;
}

int exit_code(const std::vector<Parity>& all) {
    const auto any = [&](auto matches) { return std::any_of(all.begin(), all.end(), matches); };
    if (any([](const Parity& parity) { return parity.status == Status::fail; })) return 1;
    if (any([](const Parity& parity) { return parity.status != Status::pass && parity.status != Status::untested; }))
        return 3;
    if (!any([](const Parity& parity) { return parity.status == Status::pass; })) return 4;
    return any([](const Parity& parity) { return parity.status != Status::pass; }) ? 3 : 0;
}

} // namespace mxcert::parity
