// SPDX-License-Identifier: Apache-2.0
#include "conformance/new_backend/verilated_offer.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "conformance/new_backend/start_verilator.hpp"
#include "conformance/verdict/profile_for.hpp"

namespace mxcert::new_backend {
namespace {

std::string unsigned_type(const Format& format) {
    const int bytes = format.value != nullptr ? format.value->bytes() : format.bytes();
    return fmt::format("std::uint{}_t", 8 * bytes);
}

std::invalid_argument no_design(const Operation& operation, std::string_view why) {
    return std::invalid_argument(
        fmt::format("{}: {}; write such a backend by conformance/backend.hpp", to_string(operation), why));
}

Places conversion_offer(const Conversion& conversion, const prove::Design& design) {
    if (conversion.random_bits != 0)
        throw std::invalid_argument("a stochastic rounding takes random bits, for which a design has no port here");
    // "fp32-e4m3-nearest_even-sat": its third and fourth part are what a backend offers.
    const std::string full = to_string(conversion);
    const std::size_t last = full.rfind('-');
    const std::size_t third = full.rfind('-', last - 1) + 1;
    return {{"@PART@", std::string(start_verilated_convert)},
            {"@FIELDS@", std::string(start_verilated_convert_fields)},
            {"@TEST@", "FILTER " + full},
            {"@RUN@", ""},
            {"@GIVEN@", conversion.from->scale != nullptr
                            ? "\n                put(model.@SCALE@, static_cast<unsigned>(lane) * 8, 8, args.scale);"
                            : ""},
            {"@LANES@", std::to_string(design.lanes)},
            {"@VALUEBITS@", std::to_string(conversion.from->value_width())},
            {"@CODEBITS@", std::to_string(conversion.to->width())},
            {"@IN@", unsigned_type(*conversion.from)},
            {"@OUT@", unsigned_type(*conversion.to)},
            {"@SOURCE@", std::string(conversion.from->name)},
            {"@TARGET@", std::string(conversion.to->name)},
            {"@ROUNDING@", full.substr(third, last - third)},
            {"@OVERFLOW@", full.substr(last + 1)}};
}

/// How an operation is offered and run, and by which profile it is judged; `at_once` lanes belong to each step.
struct Runs {
    std::string_view part;
    std::string_view function;
    std::string_view profile;
    std::size_t at_once = 0;
};
Places run_offer(const Operation& operation, const Runs& runs, const prove::Design& design) {
    if (operation.values.size() != operation.info->attributes.size())
        throw no_design(operation, "optional attributes are not written into a design's backend");
    if (design.lanes != 1 && design.lanes != runs.at_once)
        throw std::invalid_argument(
            fmt::format("--lanes {}: {} takes {} at once", design.lanes, to_string(operation), runs.at_once));
    std::string attributes;
    for (const std::string_view attribute : operation.info->attributes)
        attributes += fmt::format("{}{}={}", attributes.empty() ? "" : " ", attribute, operation.value(attribute));
    return {{"@PART@", std::string(runs.part)},
            {"@FIELDS@", std::string(start_verilated_run_fields)},
            {"@OPERATION@", std::string(operation.info->name)},
            {"@ATTRIBUTES@", attributes},
            {"@FUNCTION@", std::string(runs.function)},
            {"@TEST@", fmt::format("LEVEL smoke PROFILE {} FILTER {}-*", runs.profile, operation.info->name)},
            {"@RUN@", fmt::format(" --level smoke --profile {} --filter '{}-*'", runs.profile, operation.info->name)},
            {"@LANES@", std::to_string(runs.at_once)}};
}

Places quantize_offer(const Operation& operation, const prove::Design& design) {
    const Quantize quantize = as_quantize(operation);
    if (quantize.block == 0) throw no_design(operation, "a design has blocks of one size");
    Places places = run_offer(
        operation,
        {start_verilated_quantize, "quantize", verdict::profile_for(quantize.scale, "").name, quantize.block}, design);
    const Format& source = *quantize.element.from; // with the scale; its value is what comes in
    const Format& element = *quantize.element.to;
    const Places more{{"@BYROWS@", quantize.axis == Axis::row ? "true" : "false"},
                      {"@VALUEBITS@", std::to_string(source.value_width())},
                      {"@CODEBITS@", std::to_string(element.width())},
                      {"@IN@", unsigned_type(source)},
                      {"@OUT@", unsigned_type(element)}};
    places.insert(places.end(), more.begin(), more.end());
    return places;
}

Places matmul_offer(const Operation& operation, const prove::Design& design) {
    const Matmul matmul = as_matmul(operation);
    const Accumulator& accumulator = *matmul.accumulator;
    if (accumulator.sum != GroupSum::exact || accumulator.group == 0 || accumulator.addend != Addend::in_group)
        throw no_design(operation, "of the accumulators those are possible that add c and the exact sum of a group");
    if (matmul.format.scale_a != nullptr) throw no_design(operation, "a design has no ports for scales of products");
    if (matmul.output != accumulator.result)
        throw no_design(operation, "the result of the accumulator is not what is given out");
    if (matmul.any_order) throw no_design(operation, "a design adds in the order `given`");
    const prove::Design named;
    if (design.input != named.input || design.output != named.output)
        throw std::invalid_argument("the ports of a product are a, b, c and d: no --input and --output");
    Places places = run_offer(operation, {start_verilated_matmul, "multiply", "products", accumulator.group}, design);
    const Places more{
        {"@VALUEBITS@", std::to_string(matmul.format.a->width())},
        {"@CODEBITS@", std::to_string(matmul.format.b->width())},
        {"@IN@", unsigned_type(*matmul.format.a)},
        {"@IN2@", unsigned_type(*matmul.format.b)},
        {"@OUT@", unsigned_type(*accumulator.result)},
        {"@FIRSTC@", matmul.has_c ? fmt::format("run.input<{}>(2)[i]", unsigned_type(*accumulator.result)) : "0"},
        {"@ATA@", matmul.a_transposed ? "i * m + row" : "row * k + i"},
        {"@ATB@", matmul.b_transposed ? "column * k + i" : "i * n + column"}};
    places.insert(places.end(), more.begin(), more.end());
    return places;
}

} // namespace

Places offer_of(const std::variant<Conversion, Operation>& offer, const prove::Design& design) {
    if (const auto* conversion = std::get_if<Conversion>(&offer)) return conversion_offer(*conversion, design);
    const auto& operation = std::get<Operation>(offer);
    if (operation.info->name == "quantize") return quantize_offer(operation, design);
    if (operation.info->name == "matmul") return matmul_offer(operation, design);
    throw no_design(operation, "of the operations quantize and matmul are written for a design");
}

} // namespace mxcert::new_backend
