// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/given_answers.hpp"

#include <algorithm>

#include "reference/exact/exact.hpp"
#include "reference/fast/convert.hpp"

namespace mxcert::diagnose {
namespace {

constexpr std::size_t most_probes = 4096; // at the start; what is found to differ comes on top
constexpr std::size_t most_added = 512;   // of what differs, each time
constexpr std::size_t most_ranges = 4096; // beyond, the whole table of a Behaviour takes less than so many parts of it

std::uint64_t inputs_of(Code first, Code last) { return last - first + 1; }

} // namespace

std::uint64_t count_unexplained(const std::vector<Unexplained>& ranges) {
    std::uint64_t count = 0;
    for (const Unexplained& range : ranges) count += inputs_of(range.first, range.last);
    return count;
}

GivenAnswers::GivenAnswers(const Format& from, const Format& to, const std::vector<Step>& steps)
    : from_(from), to_(to), steps_(steps) {
    for (const Step& step : steps) {
        append(ranges_, {step.first, step.last});
        asked_ += inputs_of(step.first, step.last);
    }
    if (ranges_.size() > most_ranges && to.width() <= 8) ranges_ = {{0, from.last_code()}};
    // Every change of code shows at the ends of a step.
    const std::size_t every = std::max<std::size_t>(1, 2 * steps.size() / most_probes);
    for (std::size_t i = 0; i < steps.size(); i += every) add_probes(steps[i]);
    if (!steps.empty()) add_probes(steps.back());
}

/// The probes that a Behaviour misses, until `take` wants no more. The integer model is some hundred times as fast.
template <class Take> void GivenAnswers::for_each_missed(const Choices& choices, const Take& take) const {
    const bool integer = fast::offers(from_, to_, choices);
    for (const auto& [input, answer] : probes_) {
        const Code code =
            integer ? fast::convert(from_, to_, choices, input) : exact::convert(from_, to_, choices, input).code;
        if (code != answer && !take(input)) return;
    }
}

/// The parts of the answers and of a Behaviour on which both are one code.
template <class Take> void GivenAnswers::for_each_part(const std::vector<TracedStep>& traced, const Take& take) const {
    auto step = steps_.begin();
    for (const TracedStep& traced_step : traced) {
        while (step != steps_.end() && step->last < traced_step.first) ++step;
        for (auto i = step; i != steps_.end() && i->first <= traced_step.last; ++i)
            take(std::max(i->first, traced_step.first), std::min(i->last, traced_step.last), i->code, traced_step.code);
    }
}

std::size_t GivenAnswers::missed(const Choices& choices, std::size_t enough) const {
    std::size_t count = 0;
    for_each_missed(choices, [&](Code) { return ++count < enough; });
    return count;
}

ChoiceSet GivenAnswers::asked_by_missed(const Choices& choices) const {
    ChoiceSet consulted = 0;
    for_each_missed(choices, [&](Code input) {
        consulted |= exact::convert(from_, to_, choices, input).consulted;
        return true;
    });
    return consulted;
}

std::vector<Unexplained> GivenAnswers::unexplained(const Choices& choices) const {
    std::vector<Unexplained> all;
    for_each_part(trace(choices), [&](Code first, Code last, Code answer, Code expected) {
        if (answer == expected) return;
        if (!all.empty() && all.back().last + 1 == first && all.back().got == answer && all.back().expected == expected)
            all.back().last = last;
        else
            all.push_back({first, last, answer, expected});
    });
    return all;
}

bool GivenAnswers::look_at(const std::vector<Unexplained>& differing) {
    const std::size_t before = probes_.size();
    const std::size_t every = std::max<std::size_t>(1, 2 * differing.size() / most_added);
    for (std::size_t i = 0; i < differing.size(); i += every)
        add_probes({differing[i].first, differing[i].last, differing[i].got});
    return probes_.size() != before;
}

std::vector<TracedStep> GivenAnswers::trace(const Choices& choices) const {
    return trace_steps(from_, to_, choices, ranges_);
}

std::vector<InputRange> GivenAnswers::asking(const std::vector<TracedStep>& traced, Choice choice) {
    std::vector<InputRange> ranges;
    for (const TracedStep& step : traced) {
        if ((step.consulted & bit(choice)) != 0) append(ranges, {step.first, step.last});
    }
    return ranges;
}

std::uint64_t GivenAnswers::lost(const std::vector<TracedStep>& traced, const Choices& other_choices,
                                 const std::vector<InputRange>& ranges) const {
    const std::vector<TracedStep> others = trace_steps(from_, to_, other_choices, ranges);
    std::uint64_t lost = 0;
    std::size_t at = 0;
    for_each_part(others, [&](Code first, Code last, Code answer, Code expected) {
        if (answer == expected) return;
        while (traced[at].last < first) ++at;
        for (std::size_t i = at; i < traced.size() && traced[i].first <= last; ++i)
            if (traced[i].code == answer)
                lost += inputs_of(std::max(first, traced[i].first), std::min(last, traced[i].last));
    });
    return lost;
}

void GivenAnswers::add_probes(const Step& step) {
    probes_.emplace(step.first, step.code);
    probes_.emplace(step.last, step.code);
}

} // namespace mxcert::diagnose
