// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/scaled_matmul/identify.hpp"

#include <fmt/format.h>

#include "conformance/suites/scaled_matmul/answer.hpp"
#include "conformance/suites/search.hpp"

namespace mxcert::suites {
namespace {

using Parameter = SearchParameter<ScaledWay>;

template <auto member, class Value> Parameter::Value choice(std::string name, Value value) {
    return {std::move(name), [value](ScaledWay& way) { way.*member = value; }};
}
template <auto member> Parameter slip(std::string_view name, std::string right, std::string wrong) {
    return {name, {choice<member>(std::move(right), false), choice<member>(std::move(wrong), true)}, true};
}

std::vector<Parameter> parameters_of(const ScaledMatmul& scaled) {
    Parameter forms{"epilogue", {}};
    for (const Epilogue& form : epilogues())
        forms.values.push_back(choice<&ScaledWay::epilogue>(std::string(form.name), &form));
    std::vector<Parameter> all{
        std::move(forms),
        slip<&ScaledWay::inverse_a>("scale of A", "a factor", "a divisor"),
        slip<&ScaledWay::inverse_b>("scale of B", "a factor", "a divisor"),
        slip<&ScaledWay::without_a>("scale of A used", "yes", "no"),
        slip<&ScaledWay::without_b>("scale of B used", "yes", "no"),
        slip<&ScaledWay::through_bf16>("values rounded", "to D", "to BF16 first"),
    };
    if (scaled.bias != nullptr) {
        all.push_back(slip<&ScaledWay::bias_first>("bias added", "after the scales", "before the scales"));
        all.push_back(slip<&ScaledWay::without_bias>("bias used", "yes", "no"));
        all.push_back(slip<&ScaledWay::bias_of_rows>("bias of", "columns", "rows"));
    }
    if (scaled.has_d_scale) {
        all.push_back(slip<&ScaledWay::inverse_d>("scale of D", "a factor", "a divisor"));
        all.push_back(slip<&ScaledWay::without_d>("scale of D used", "yes", "no"));
    }
    if (scaled.has_amax)
        all.push_back({"amax",
                       {choice<&ScaledWay::amax>("of values", AmaxOf::values),
                        choice<&ScaledWay::amax>("of scaled values", AmaxOf::scaled),
                        choice<&ScaledWay::amax>("of D", AmaxOf::rounded),
                        choice<&ScaledWay::amax>("of positive values", AmaxOf::positive)}});
    return all;
}

} // namespace

FoundCases identify_scaled_matmul(observe::Subject& subject, const Operation& operation) {
    const ScaledMatmul scaled = as_scaled_matmul(operation);
    const ScaledModel model(scaled);
    struct Seen {
        ScaledCase asked;
        std::vector<Code> sums;
        std::vector<frames::Values> outputs;
    };
    std::vector<Seen> all;
    FoundCases found;
    found.operation = to_string(operation);
    found.noun = "product";
    const auto ask = [&](const ScaledCase& scaled_case) {
        frames::RunCase run = run_of(scaled, scaled_case);
        run.row = "special";
        run.name = scaled_case.name;
        frames::RunAnswer answer = subject.run(operation, run);
        if (answer.status == Status::unsupported) {
            found.refused.push_back(scaled_case.name);
            return true;
        }
        found.status = answer.status;
        found.reason = answer.reason;
        if (answer.status != Status::pass) return false;
        all.push_back({scaled_case, model.sums(scaled_case), std::move(answer.outputs)});
        return true;
    };
    const auto small = [&](const ScaledCase& scaled_case) { return scaled_case.a.size() > 2048 || ask(scaled_case); };
    for_each_scaled_place_case(scaled, small);
    if (found.status == Status::pass) for_each_scaled_special_case(scaled, ask);
    if (found.status == Status::pass) for_each_scaled_value_case(scaled, 4, 1, ask);
    if (found.status != Status::pass) return found;
    if (all.empty()) {
        found.status = Status::unsupported;
        found.reason = "every product was refused";
        return found;
    }
    const auto explains = [&](const ScaledWay& way) {
        return [&, way](std::uint64_t number) {
            const Seen& seen = all[number];
            return model.is(model.answer(seen.asked, seen.sums, way), seen.asked, seen.outputs);
        };
    };
    FoundCases searched = search<ScaledWay>(parameters_of(scaled), all.size(), explains,
                                            [&](std::uint64_t number) { return all[number].asked.name; });
    searched.operation = found.operation;
    searched.noun = found.noun;
    searched.refused = found.refused;
    return searched;
}

} // namespace mxcert::suites
