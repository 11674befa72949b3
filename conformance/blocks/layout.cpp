// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conformance/text.hpp"
#include "vectors/layout_verdict.hpp"

namespace mxcert {
namespace {

Values values_of(const std::vector<std::uint8_t>& bytes) {
    Values values(bytes.size(), 1);
    for (std::size_t i = 0; i < bytes.size(); ++i) values.set(i, bytes[i]);
    return values;
}

std::vector<std::uint8_t> bytes_of(const Values& values) {
    std::vector<std::uint8_t> bytes(values.count());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(values.get(i));
    return bytes;
}

// A case without its values: shape and sizes.
RunCase run_of(const LayoutCase& one) {
    const ScaleMap map = one.map();
    RunCase asked;
    asked.shape = {map.scales().rows, map.scales().columns, 0, 0};
    asked.outputs = {Values(one.answer_size(), 1)};
    if (one.direction == LayoutDirection::arrange && !map.layout().padding) {
        asked.undefined.resize(one.answer_size());
        for (std::uint64_t i = 0; i < asked.undefined.size(); ++i) asked.undefined[i] = !map.place_of(i).has_value();
    }
    return asked;
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

} // namespace

Row certify_layout(Subject& subject, const Operation& operation, const CertifyOptions& options) {
    const Layout asked = as_layout(operation);
    Row row;
    row.status = Status::pass;
    std::vector<LayoutVerdict> wrong;
    std::uint64_t cases = 0;
    for (const LayoutCase& one : layout_cases()) {
        if (one.layout != asked.layout || one.direction != asked.direction || row.status != Status::pass) continue;
        const std::uint64_t number = cases++;
        if (options.only() && *options.only() != number) continue;
        RunCase run = run_of(one);
        run.row = "places";
        run.name = one.name();
        const unsigned planes = PlaceNumbers(one.operand_size()).planes();
        std::vector<std::vector<std::uint8_t>> answers;
        for (unsigned plane = 0; plane < planes && row.status == Status::pass; ++plane) {
            run.inputs = {values_of(layout_operand(one, plane))};
            const RunAnswer answer = subject.run(operation, run);
            row.status = answer.status;
            if (answer.status != Status::pass) {
                row.reason = fmt::format("{}: {}", one.name(), answer.reason);
                row.detail = answer.detail;
                row.ended_by = number;
                break;
            }
            if (!options.judged) continue;
            answers.push_back(bytes_of(answer.outputs[0]));
            row.observed_sha256 = digest_after(row.observed_sha256, answer.outputs[0]);
        }
        if (row.status != Status::pass) break;
        if (!options.judged) continue;
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
        row.reason = nothing_compared(options, cases);
    }
    return row;
}

} // namespace mxcert
