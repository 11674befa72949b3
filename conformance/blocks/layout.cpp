// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/layout.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/text.hpp"
#include "vectors/layout_verdict.hpp"
#include "vectors/sha256.hpp"

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

// What a right implementation gives must be right, and with one byte changed it must not.
void check_judge(const LayoutCase& one, std::vector<std::vector<std::uint8_t>> answers) {
    answers[0][0] ^= 1;
    if (judge(one, answers).right)
        throw std::logic_error("a wrong byte that was planted in " + one.name() + " was not found");
}

std::string fault_text(const LayoutCase& one, const LayoutVerdict& verdict) {
    std::string known;
    for (const LayoutExplanation& explanation : verdict.explanations)
        known += (known.empty() ? "" : " or ") + text(explanation);
    return fmt::format("{}: {} wrong, {}; {}", one.name(), counted(verdict.wrong, "byte"), verdict.first,
                       known.empty() ? "no layout that is known" : "it is " + known);
}

} // namespace

std::vector<Row> certify_layout(Subject& subject, const Operation& operation,
                                const std::vector<const Profile*>& profiles, const CertifyOptions& options) {
    const Layout asked = as_layout(operation);
    Row row;
    row.id = to_string(operation) + "/places";
    row.operation = to_string(operation);
    row.status = Status::pass;
    std::vector<LayoutVerdict> wrong;
    for (const LayoutCase& one : layout_cases()) {
        if (one.layout != asked.layout || one.direction != asked.direction || row.status != Status::pass) continue;
        RunCase run = run_of(one);
        const unsigned planes = PlaceNumbers(one.operand_size()).planes();
        std::vector<std::vector<std::uint8_t>> answers;
        for (unsigned plane = 0; plane < planes && row.status == Status::pass; ++plane) {
            run.inputs = {values_of(layout_operand(one, plane))};
            const RunAnswer answer = options.stop != nullptr && options.stop->load()
                                         ? RunAnswer{Status::incomplete, "stopped", {}, {}}
                                         : subject.run(operation, run);
            row.status = answer.status;
            if (answer.status != Status::pass) {
                row.reason = fmt::format("{}: {}", one.name(), answer.reason);
                row.detail = answer.detail;
                break;
            }
            answers.push_back(bytes_of(answer.outputs[0]));
            row.observed_sha256 =
                sha256(row.observed_sha256 +
                       std::string(reinterpret_cast<const char*>(answers.back().data()), answers.back().size()));
        }
        if (row.status != Status::pass) break;
        const LayoutVerdict verdict = judge(one, answers);
        row.compared += one.answer_size();
        row.repeated += one.answer_size();
        row.differing += verdict.wrong;
        if (verdict.right) {
            check_judge(one, std::move(answers));
            continue;
        }
        wrong.push_back(verdict);
        if (row.faults.size() < options.max_failures) row.faults.push_back(fault_text(one, verdict));
    }
    if (!wrong.empty()) {
        row.status = Status::fail;
        std::string known;
        for (const LayoutExplanation& explanation : common_explanations(wrong))
            known += (known.empty() ? "" : " or ") + text(explanation);
        row.reason = fmt::format("{} of a matrix with bytes in wrong places{}", counted(wrong.size(), "case"),
                                 known.empty() ? "" : "; all of them are " + known);
    } else if (row.compared == 0 && row.status == Status::pass) {
        row.status = Status::untested;
        row.reason = "nothing was compared";
    }
    std::vector<Row> rows;
    for (const Profile* profile : profiles) {
        rows.push_back(row);
        rows.back().profile = profile->name;
    }
    return rows;
}

} // namespace mxcert
