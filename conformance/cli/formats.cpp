// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/results/json_output.hpp"
#include "conformance/print/columns.hpp"
#include "reference/exact/number.hpp"
#include "reference/flags.hpp"
#include "reference/scaled_format.hpp"

namespace mxcert::cli::formats_command {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr int widest_listed = 8;

std::string specials_text(const Format& f) {
    if (f.flags_of != nullptr) return "a bit a flag";
    switch (f.specials) {
    case Specials::none: return f.is_twos_complement() ? "two's complement, lowest 0x80" : "none";
    case Specials::ieee: return "Inf, NaN";
    case Specials::nan_all_ones:
        if (f.is_signed) return "NaN 0x7F 0xFF";
        return fmt::format("NaN {}{}", code_text(f, f.magnitude_mask()), f.has_zero() ? "" : ", no zero");
    case Specials::nan_minus_zero: return "NaN 0x80, no -0";
    case Specials::inf_all_ones: return "Inf 0xFF, no zero";
    }
    throw std::logic_error("no such specials");
}

/// The format whose values are told: with a given scale they are told under the scale 1.
const Format& told(const Format& f) { return f.value != nullptr ? *f.value : f; }

std::string shown(const Format& format, Code code) {
    if (format.flags_of != nullptr) return flags_text(code);
    const Format& f = told(format);
    const std::string text = decimal_text(f, code);
    constexpr std::size_t longest = 12;
    return text.size() <= longest ? text : hex_float(f, code);
}

/// Of whole numbers the smallest is 1, and none is subnormal.
Code smallest_normal(const Format& f) {
    if (f.is_twos_complement()) return 1;
    return f.has_subnormals ? Code{1} << static_cast<unsigned>(f.fraction_bits) : 0;
}

std::string text_of_formats() {
    Rows rows{{"name", "bits", "sign", "exponent", "fraction", "bias", "largest", "smallest normal",
               "smallest subnormal", "specials", "what"}};
    for (const Format& f : all_formats()) {
        if (f.flags_of != nullptr) {
            rows.push_back({std::string(f.name), std::to_string(f.width()), "-", "-", "-", "-", "-", "-", "-",
                            specials_text(f), std::string(f.title)});
            continue;
        }
        rows.push_back({std::string(f.name), std::to_string(f.width()), f.is_signed ? "1" : "0",
                        f.is_twos_complement() ? "-" : std::to_string(f.exponent_bits), std::to_string(f.fraction_bits),
                        f.is_twos_complement() ? "-" : std::to_string(f.bias), shown(f, f.max_code()),
                        shown(f, smallest_normal(f)), f.has_subnormals && !f.is_twos_complement() ? shown(f, 1) : "-",
                        specials_text(f), std::string(f.title)});
    }
    return print::columns(rows);
}

std::string_view encoding_name(const Format& f) {
    if (f.flags_of != nullptr) return "flags";
    return f.is_twos_complement() ? "twos_complement" : "sign_magnitude";
}

Json json_of_format(const Format& f) {
    const bool is_number = f.flags_of == nullptr;
    return {{"name", f.name},
            {"title", f.title},
            {"source", f.source},
            {"width", f.width()},
            {"sign", f.is_signed},
            {"encoding", encoding_name(f)},
            {"exponent_bits", is_number ? f.exponent_bits : 0},
            {"fraction_bits", is_number ? f.fraction_bits : 0},
            {"bias", is_number ? f.bias : 0},
            {"subnormals", is_number && f.has_subnormals && !f.is_twos_complement()},
            {"zero", f.has_zero()},
            {"minus_zero", f.has_minus_zero()},
            {"inf", f.has_inf()},
            {"nan", f.has_nan()},
            {"scale", f.scale != nullptr ? Json(f.scale->name) : Json(nullptr)},
            {"largest", hex_float(told(f), f.max_code())},
            {"smallest_normal", hex_float(told(f), smallest_normal(f))},
            {"smallest", hex_float(told(f), f.has_subnormals ? 1 : 0)},
            {"specials", specials_text(f)}};
}

std::string text_of_scaled() {
    Rows rows{
        {"name", "element", "scale", "block", "tensor scale", "bits a value", "largest element", "source", "what"}};
    for (const ScaledFormat& scaled : scaled_formats())
        rows.push_back({std::string(scaled.name), std::string(scaled.element->name), std::string(scaled.scale->name),
                        std::to_string(scaled.block),
                        scaled.tensor_scale == nullptr ? "-" : std::string(scaled.tensor_scale->name),
                        fmt::format("{}", scaled.bits_per_value()), shown(*scaled.element, scaled.element->max_code()),
                        std::string(scaled.source), std::string(scaled.title)});
    return print::columns(rows);
}

Json json_of_scaled() {
    Json all = Json::array();
    for (const ScaledFormat& scaled : scaled_formats())
        all.push_back(
            {{"name", scaled.name},
             {"title", scaled.title},
             {"source", scaled.source},
             {"element", scaled.element->name},
             {"scale", scaled.scale->name},
             {"block", scaled.block},
             {"tensor_scale", scaled.tensor_scale == nullptr ? Json(nullptr) : Json(scaled.tensor_scale->name)},
             {"bits_per_value", scaled.bits_per_value()}});
    return all;
}

/// The codes of a narrow format, every one.
const Format& listed_format(const std::string& name) {
    const Format& f = format(name);
    if (f.width() > widest_listed)
        throw std::invalid_argument(
            fmt::format("{} has 2^{} codes: `mxcert explain CODE --from {}` tells one", name, f.width(), name));
    return f;
}

std::string text_of_codes(const Format& f) {
    Rows rows{{"code", "bits", "value", "hexadecimal"}};
    for (Code code = 0; code <= f.last_code(); ++code)
        rows.push_back({code_text(f, code), fields_text(f, code), shown(f, code),
                        f.flags_of != nullptr ? "-" : hex_float(f, code)});
    return print::columns(rows);
}

Json json_of_codes(const Format& f) {
    Json codes = Json::array();
    for (Code code = 0; code <= f.last_code(); ++code)
        codes.push_back(
            {{"code", code_text(f, code)}, {"value", decimal_text(f, code)}, {"hex_float", hex_float(f, code)}});
    Json json = json_of_format(f);
    json["codes"] = std::move(codes);
    return json;
}

Json json_of_formats() {
    Json all = Json::array();
    for (const Format& f : all_formats()) all.push_back(json_of_format(f));
    return all;
}

void print(const std::string& name, const std::string& json) {
    if (name.empty()) return print_result(json, text_of_formats, json_of_formats);
    const Format& f = listed_format(name);
    print_result(
        json, [&] { return text_of_codes(f); }, [&] { return json_of_codes(f); });
}

void add_formats_command(CLI::App& app, Exit& /*exit*/) {
    auto name = std::make_shared<std::string>();
    auto json = std::make_shared<std::string>();
    auto scaled = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("formats", "List the formats, or every code of one");
    CLI::Option* named = command->add_option("NAME", *name, "A format of at most 8 bits: prints all its codes");
    command->add_flag("--scaled", *scaled, "The formats of blocks: elements and the scale they share")->excludes(named);
    add_json_option(*command, *json);
    command->callback([name, json, scaled] {
        if (*scaled) return print_result(*json, text_of_scaled, json_of_scaled);
        print(*name, *json);
    });
}

const Command registered{Group::look_up, "formats", add_formats_command};

} // namespace
} // namespace mxcert::cli::formats_command
