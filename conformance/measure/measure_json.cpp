// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "conformance/measure/measure.hpp"

namespace mxcert::measure {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

/// What a logarithm gives, without the last digits, in which libraries differ.
Json rounded(double x) {
    constexpr double digits = 1e6;
    return number(std::round(x * digits) / digits);
}

Json json_of(const TensorSummary& tensor) {
    return {{"values", tensor.values}, {"nan", tensor.nans},  {"inf", tensor.infs},
            {"zero", tensor.zeros},    {"amax", tensor.amax}, {"least", tensor.least}};
}

Json json_of(const Quality& quality) {
    Json json = {{"compared", quality.compared},
                 {"clipped", quality.clipped},
                 {"flushed", quality.flushed},
                 {"lost", quality.lost},
                 {"max_relative_error", quality.largest_relative},
                 {"mean_relative_error", quality.mean_relative},
                 {"mse", number(quality.mse())},
                 {"sqnr_db", rounded(quality.sqnr())},
                 {"cosine", number(quality.cosine())},
                 {"sum_squares", quality.signal},
                 {"sum_squared_errors", quality.noise},
                 {"sum_squares_quantized", quality.power},
                 {"sum_products", quality.product}};
    json["binades"] = Json::array();
    for (const auto& [exponent, binade] : quality.binades)
        json["binades"].push_back({{"exponent", exponent},
                                   {"values", binade.values},
                                   {"max_relative_error", binade.largest},
                                   {"mean_relative_error", binade.mean}});
    return json;
}

Json json_of(const TensorBytes& bytes) {
    return {{"codes", bytes.codes},
            {"scales", bytes.scales},
            {"padded_scales", bytes.padded_scales},
            {"both_codes", bytes.both_codes},
            {"both_scales", bytes.both_scales},
            {"both_padded_scales", bytes.both_padded_scales}};
}

} // namespace

Json measure_json(const std::string& name, const TensorInfo& info, const std::vector<Method>& methods,
                  const Measurement* measurement) {
    Json json;
    if (measurement != nullptr) {
        json["name"] = name;
        json["format"] = info.format->name;
    }
    json["shape"] = info.shape;
    json["fp32_bytes"] = 4 * values_of(info.shape);
    if (measurement != nullptr) json["tensor"] = json_of(measurement->tensor);
    json["methods"] = Json::array();
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const Method& method = methods[i];
        Json entry = {{"element", method.element->name}, {"scale", method.scale()}};
        if (method.block != 0) entry["block"] = method.block;
        entry["bytes"] = json_of(bytes_of_tensor(info.shape, method));
        if (measurement != nullptr) entry["quality"] = json_of(measurement->qualities[i]);
        json["methods"].push_back(std::move(entry));
    }
    return json;
}

} // namespace mxcert::measure
