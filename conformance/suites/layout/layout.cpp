// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/layout/layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/case_row.hpp"
#include "conformance/suites/layout/layout_verdict.hpp"

namespace mxcert {
namespace {

Values values_of(const std::vector<std::uint8_t>& bytes) {
    Values values(bytes.size(), 1);
    for (std::size_t i = 0; i < bytes.size(); ++i) values.set(i, bytes[i]);
    return values;
}

// A judge that finds nothing must find a wrong byte: a verdict is only given by one that can fail.
bool finds_planted(const LayoutCase& one, std::vector<std::vector<std::uint8_t>> answers) {
    answers[0][0] ^= 1;
    return !judge(one, answers).right;
}

std::vector<KnownFault> known_as(const std::vector<LayoutExplanation>& explanations) {
    std::vector<KnownFault> known;
    for (const LayoutExplanation& explanation : explanations)
        known.push_back({find_bug_class(bug_class_of(explanation)), text(explanation)});
    return known;
}

std::string fault_text(const LayoutCase& one, const LayoutVerdict& verdict) {
    const std::string known = text(known_as(verdict.explanations));
    return fmt::format("{}: {} wrong, {}; {}", one.name(), counted(verdict.wrong, "byte"), verdict.first,
                       known.empty() ? "no layout that is known" : "it is " + known);
}

// The smallest tensor with so many scales: what a backend is told of it.
Extent tensor_of(const LayoutCase& one) {
    const Extent scales = one.map().scales();
    return {scales.rows * one.block.rows, scales.columns * one.block.columns};
}

} // namespace

RunCase run_of(const LayoutCase& one, unsigned plane) {
    const ScaleMap map = one.map();
    RunCase asked;
    asked.shape = {map.scales().rows, map.scales().columns, 0, 0};
    asked.inputs = {values_of(layout_operand(one, plane))};
    asked.outputs = {Values(one.answer_size(), 1)};
    if (one.direction == LayoutDirection::arrange && !map.layout().padding) {
        asked.undefined.resize(one.answer_size());
        for (std::uint64_t i = 0; i < asked.undefined.size(); ++i) asked.undefined[i] = !map.place_of(i).has_value();
    }
    asked.row = "places";
    asked.name = one.name();
    return asked;
}

unsigned planes_of(const LayoutCase& one) { return PlaceNumbers(one.operand_size()).planes(); }

bool refuse(const std::vector<const Profile*>& profiles, const LayoutCase& one) {
    return !profiles.empty() && std::all_of(profiles.begin(), profiles.end(),
                                            [&](const Profile* profile) { return refuses(*profile, tensor_of(one)); });
}

std::vector<std::string> faults_of(const LayoutCase& one, const std::vector<Values>& planes) {
    const std::vector<std::vector<std::uint8_t>> answers = bytes_of(planes);
    const LayoutVerdict verdict = judge(one, answers);
    return verdict.right ? std::vector<std::string>() : std::vector{fault_text(one, verdict)};
}

LayoutAnswer ask(Subject& subject, const Operation& operation, const LayoutCase& one) {
    LayoutAnswer answer;
    const unsigned planes = planes_of(one);
    for (unsigned plane = 0; plane < planes && answer.last.status == Status::pass; ++plane) {
        answer.run = run_of(one, plane);
        answer.last = subject.run(operation, answer.run);
        // Requests that are only written down have no answers.
        if (answer.last.status == Status::pass && !answer.last.outputs.empty())
            answer.planes.push_back(std::move(answer.last.outputs[0]));
    }
    return answer;
}

std::vector<LayoutCase> layout_cases(const Layout& layout) {
    std::vector<LayoutCase> cases = layout_cases();
    std::erase_if(
        cases, [&](const LayoutCase& one) { return one.layout != layout.layout || one.direction != layout.direction; });
    return cases;
}

LayoutCase case_of(const Layout& layout, const GivenCase& given) {
    LayoutCase one = layout_cases(layout).front(); // of blocks that the layout is used with
    one.matrix = {given.sizes[0] * one.block.rows, given.sizes[1] * one.block.columns};
    return one;
}

std::vector<std::vector<std::uint8_t>> bytes_of(const std::vector<Values>& planes) {
    std::vector<std::vector<std::uint8_t>> all;
    for (const Values& values : planes) {
        std::vector<std::uint8_t>& bytes = all.emplace_back(values.count());
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(values.get(i));
    }
    return all;
}

Row certify_layout(Subject& subject, const Operation& operation, const std::vector<const Profile*>& profiles,
                   const CertifyOptions& options) {
    Row row;
    std::uint64_t beyond = 0; // cases that are answered and that the source refuses
    row.status = Status::pass;
    row.sample = is_small(options.level);
    std::vector<LayoutVerdict> wrong;
    std::vector<LayoutCase> cases = layout_cases(as_layout(operation));
    if (const auto given = given_case(operation, options)) cases = {case_of(as_layout(operation), *given)};
    for (std::size_t number = 0; number < cases.size(); ++number) {
        if (options.only() && *options.only() != number) continue;
        const LayoutCase& one = cases[number];
        if (is_small(options.level) && !is_small_case(operation, "places", one.name())) continue;
        const LayoutAnswer answer = ask(subject, operation, one);
        const bool is_refused = refuse(profiles, one);
        if (is_refused && answer.last.status == Status::unsupported) continue;
        if (is_refused) ++beyond;
        row.status = answer.last.status;
        if (row.status != Status::pass) {
            row.reason = fmt::format("{}: {}", one.name(), answer.last.reason);
            row.detail = answer.last.detail;
            note_end(row, subject, operation, answer.run, answer.last.status, number);
            break;
        }
        if (!options.judged) continue;
        for (const Values& plane : answer.planes) row.observed_sha256 = digest_after(row.observed_sha256, plane);
        std::vector<std::vector<std::uint8_t>> answers = bytes_of(answer.planes);
        const LayoutVerdict verdict = judge(one, answers);
        row.compared += one.answer_size();
        row.repeated += one.answer_size();
        row.differing += verdict.wrong;
        if (verdict.right) {
            if (finds_planted(one, std::move(answers))) continue;
            row.status = Status::untested;
            row.reason = "a wrong byte that was planted in " + one.name() + " was not found";
            break;
        }
        wrong.push_back(verdict);
        if (row.faults.size() < options.max_failures) {
            row.faults.push_back(fault_text(one, verdict));
            row.cases.push_back(number);
        }
    }
    if (!wrong.empty()) {
        row.status = Status::fail;
        row.known_as = known_as(common_explanations(wrong));
        const std::string known = text(row.known_as);
        row.reason = fmt::format("{} of a matrix with bytes in wrong places{}", counted(wrong.size(), "case"),
                                 known.empty() ? "" : "; all of them are " + known);
    } else if (row.compared == 0 && row.status == Status::pass) {
        row.status = Status::untested;
        row.reason = nothing_compared(options, cases.size());
    } else if (row.status == Status::pass && beyond != 0) {
        row.reason = fmt::format("answers {} of sizes that the profile's source refuses", counted(beyond, "case"));
    }
    return row;
}

} // namespace mxcert
