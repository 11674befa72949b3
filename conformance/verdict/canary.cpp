// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/canary.hpp"
#include "reference/code_text.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace mxcert::verdict {
namespace {

struct Canary {
    Code input = 0;
    Code code = 0;
};

// A code that is neither permitted nor what came out. Every permit leaves one free in formats of more than two codes.
std::optional<Code> wrong_code(const Permit& permit, Code answer, const Format& to) {
    constexpr Code tried = 4096; // more than any permit lists
    for (Code code = 0; code <= std::min(to.last_code(), tried); ++code)
        if (code != answer && !permits(permit, code, to)) return code;
    return std::nullopt;
}

// The canary sits where the answer was right, if there is such a place: finding it is then news.
std::optional<Canary> choose(const std::vector<Step>& steps, const PermitTable& permitted) {
    std::optional<Canary> fallback;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[(steps.size() / 2 + i) % steps.size()];
        const Code input = step.first + (step.last - step.first) / 2;
        const Permit& permit = permitted.steps[find_step(permitted, input)].permit;
        const std::optional<Code> code = wrong_code(permit, step.code, *permitted.to);
        if (!code) continue;
        if (permits(permit, step.code, *permitted.to)) return Canary{input, *code};
        if (!fallback) fallback = Canary{input, *code};
    }
    return fallback;
}

// The differences with one input cut out.
std::vector<Difference> without(const std::vector<Difference>& differences, Code input) {
    std::vector<Difference> rest;
    for (const Difference& d : differences) {
        if (input < d.first || input > d.last) {
            rest.push_back(d);
            continue;
        }
        if (d.first < input) {
            rest.push_back(d);
            rest.back().last = input - 1;
        }
        if (input < d.last) {
            rest.push_back(d);
            rest.back().first = input + 1;
        }
    }
    return rest;
}

bool equal(const Difference& a, const Difference& b) {
    return a.first == b.first && a.last == b.last && a.got == b.got && a.expected == b.expected && a.clause == b.clause;
}

} // namespace

std::vector<Step> plant(const std::vector<Step>& steps, Code input, Code code) {
    std::vector<Step> planted;
    planted.reserve(steps.size() + 2);
    const auto append = [&planted](Step step) {
        const bool touches = !planted.empty() && planted.back().last + 1 == step.first;
        if (touches && planted.back().code == step.code)
            planted.back().last = step.last;
        else
            planted.push_back(step);
    };
    for (const Step& step : steps) {
        if (input < step.first || input > step.last) {
            append(step);
            continue;
        }
        if (step.first < input) append({step.first, input - 1, step.code});
        append({input, input, code});
        if (input < step.last) append({input + 1, step.last, step.code});
    }
    return planted;
}

void check_comparison(const std::vector<Step>& steps, const PermitTable& permitted, const Comparison& comparison,
                      const std::vector<Difference>& found) {
    const std::optional<Canary> canary = choose(steps, permitted);
    if (!canary) throw std::logic_error("no wrong answer can be planted: every code is permitted on every input");
    const std::vector<Difference> now = comparison(plant(steps, canary->input, canary->code));
    const auto hits = std::count_if(now.begin(), now.end(), [&](const Difference& d) {
        return d.first <= canary->input && canary->input <= d.last && d.got == canary->code;
    });
    const std::vector<Difference> before = without(found, canary->input);
    const std::vector<Difference> after = without(now, canary->input);
    if (hits == 1 && std::equal(before.begin(), before.end(), after.begin(), after.end(), equal)) return;
    throw std::logic_error(fmt::format("the comparison did not find exactly the wrong answer {} planted at {}",
                                       code_text(*permitted.to, canary->code),
                                       code_text(*permitted.from, canary->input)));
}

} // namespace mxcert::verdict
