// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/case_row.hpp"

#include <algorithm>
#include <exception>
#include <iterator>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/print/text.hpp"

namespace mxcert {

CaseRow::CaseRow(Subject& subject, const Operation& operation, const CertifyOptions& options, const char* part)
    : subject_(subject), operation_(operation), options_(options), part_(part) {
    row_.id = to_string(operation) + '/' + part;
    row_.status = Status::pass;
}

std::optional<GivenCase> given_case(const Operation& operation, const CertifyOptions& options) {
    if (options.given().empty()) return std::nullopt;
    return parse_given(form_of(operation), options.given());
}

void note_end(Row& row, Subject& subject, const Operation& operation, const RunCase& asked, Status status,
              std::uint64_t number) {
    if (is_unstable(status) && subject.run(operation, asked).status != status)
        row.unstable = true;
    else
        row.ended_by = number;
}

bool CaseRow::ask(const std::string& name, bool may_refuse, const std::function<std::vector<RunCase>()>& runs,
                  const std::function<void(const std::vector<Values>&)>& judge) {
    const std::uint64_t number = asked_++;
    if (options_.only() && *options_.only() != number) return number < *options_.only();
    if (is_small(options_.level) && !is_small_case(operation_, part_, name)) return true;
    std::vector<Values> outputs;
    std::vector<RunCase> all = runs();
    for (RunCase& asked : all) {
        asked.row = part_;
        asked.name = name;
        RunAnswer answer = subject_.run(operation_, asked);
        if (answer.status == Status::unsupported && may_refuse) {
            refused_.push_back(name);
            return true;
        }
        if (answer.status != Status::pass) {
            row_.status = answer.status;
            row_.reason = fmt::format("{}: {}", name, answer.reason);
            row_.detail = answer.detail;
            note_end(row_, subject_, operation_, asked, answer.status, number);
            return false;
        }
        std::move(answer.outputs.begin(), answer.outputs.end(), std::back_inserter(outputs));
    }
    if (!options_.judged) return true;
    for (const Values& output : outputs) row_.observed_sha256 = digest_after(row_.observed_sha256, output);
    const std::uint64_t before = row_.differing;
    judge(outputs);
    if (row_.differing != before && all.size() == 1 && options_.shrinks(subject_)) smallest_.take(all.front());
    return true;
}

void CaseRow::add_compared(std::uint64_t values) {
    row_.compared += values;
    row_.repeated += values;
}

void CaseRow::add_fault(const std::string& text) {
    ++row_.differing;
    if (row_.faults.size() == options_.max_failures) return;
    row_.faults.push_back(text);
    row_.cases.push_back(asked_ - 1);
}

Row CaseRow::finish(bool sample, const std::function<void()>& ask_all,
                    const std::function<std::string(const Row&)>& failed,
                    const std::function<std::vector<KnownFault>()>& explain,
                    const std::function<std::string(const std::vector<std::string>&)>& left_out,
                    const Smallest::FaultsOf& faults_of) {
    row_.sample = sample || is_small(options_.level);
    try {
        ask_all();
    } catch (const std::exception& error) {
        row_.status = Status::untested;
        row_.reason = error.what();
        return row_;
    }
    if (row_.differing != 0) {
        row_.status = Status::fail;
        row_.known_as = explain();
        row_.reason = failed(row_) + it_is(row_.known_as);
        if (options_.shrinks(subject_))
            row_.smallest = smallest_.find(form_of(operation_), faults_of, [&] { return options_.stopped(); });
    } else if (row_.compared == 0 && row_.status == Status::pass) {
        row_.status = Status::untested;
        row_.reason = nothing_compared(options_, asked_);
    }
    if (row_.status == Status::pass) row_.reason = left_out(refused_);
    return row_;
}

} // namespace mxcert
