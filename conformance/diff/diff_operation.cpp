// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "conformance/certify/leave_out.hpp"
#include "conformance/diff/diff.hpp"
#include "conformance/frames/run_place.hpp"
#include "conformance/print/text.hpp"
#include "conformance/record/recorded_run.hpp"
#include "conformance/suites/ask_operation.hpp"
#include "conformance/suites/registry.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::diff {
namespace {

bool is_answer(const frames::RunAnswer& answer) {
    return answer.status == Status::pass || answer.status == Status::untested;
}

std::string digest_of(const frames::RunCase& run_case, const frames::RunAnswer& answer) {
    return answer.status == Status::pass ? sha256(record::answer_bytes(run_case, answer.outputs)) : answer.digest;
}

// Compares every value of two answers; `run` gets how many differ, and the first.
void compare_values(const Operation& operation, const frames::RunCase& run_case, const frames::RunAnswer& a,
                    const frames::RunAnswer& b, DifferingRun& run) {
    for (std::size_t output = 0; output < a.outputs.size(); ++output) {
        const frames::Values& left = a.outputs[output];
        const frames::Values& right = b.outputs[output];
        for (std::uint64_t i = 0; i < left.count(); ++i) {
            if (left.get(i) == right.get(i)) continue;
            if (output == 0 && !run_case.undefined.empty() && run_case.undefined[i]) continue;
            if (run.values++ == 0)
                run.first =
                    fmt::format("{}: 0x{:0{}X} and 0x{:0{}X}", frames::place_text(operation, run_case, output, i),
                                left.get(i), 2 * left.width(), right.get(i), 2 * right.width());
        }
    }
}

/// One row of an operation, on its way.
class RowDiff {
  public:
    RowDiff(observe::Subject& a, observe::Subject& b, std::string id, std::string part)
        : a_(a), b_(b), part_(std::move(part)) {
        row_.id = std::move(id);
        row_.status = Status::pass;
    }

    [[nodiscard]] frames::RunAnswer run(const Operation& operation, const frames::RunCase& run_case) {
        frames::RunAnswer a = a_.run(operation, run_case);
        // What another row found is only what this one goes by.
        if (run_case.row != part_ && a.status == Status::pass) return a;
        frames::RunAnswer b = b_.run(operation, run_case);
        if (run_case.row != part_ && b.status == Status::pass) return b;
        for (const auto& [subject, answer] : {std::pair{&a_, &a}, std::pair{&b_, &b}})
            if (!is_answer(*answer) && answer->status != Status::unsupported)
                return failed(*subject, *answer, run_case);
        if (run_case.row == part_) compare(operation, run_case, a, b);
        if (a.status == Status::pass) return a;
        if (b.status == Status::pass || b.status == Status::unsupported) return b;
        if (a.status == Status::unsupported) return a;
        // Neither has the outputs. What is asked next does not depend on them, or is in neither.
        frames::RunAnswer zeros;
        zeros.outputs = run_case.outputs;
        return zeros;
    }

    [[nodiscard]] OperationDiff end() {
        if (!row_.runs.empty()) row_.status = Status::fail;
        if (row_.status == Status::pass && row_.compared == 0) {
            row_.status = Status::untested;
            row_.reason = "nothing was asked";
        }
        return std::move(row_);
    }

  private:
    // Neither answered nor refused: that ends the row, and decides it unless something differs anyway.
    frames::RunAnswer failed(observe::Subject& subject, const frames::RunAnswer& answer,
                             const frames::RunCase& run_case) {
        if (row_.status == Status::pass) {
            // FAIL is the word for two sides that differ.
            row_.status = answer.status == Status::fail ? Status::error : answer.status;
            row_.reason =
                fmt::format("{}: {}: {}", print::printable(subject.info().name), run_case.name, answer.reason);
        }
        return answer;
    }

    void compare(const Operation& operation, const frames::RunCase& run_case, const frames::RunAnswer& a,
                 const frames::RunAnswer& b) {
        DifferingRun run{row_.compared++, run_case.name, 0, {}};
        if (is_answer(a) != is_answer(b)) {
            run.first =
                fmt::format("{} refuses it, {} does not", print::printable((is_answer(a) ? b_ : a_).info().name),
                            print::printable((is_answer(a) ? a_ : b_).info().name));
        } else if (a.status == Status::pass && b.status == Status::pass) {
            compare_values(operation, run_case, a, b, run);
        } else if (is_answer(a) && digest_of(run_case, a) != digest_of(run_case, b)) {
            run.first = "digests differ; the record has no outputs of this run";
        }
        if (!run.first.empty()) row_.runs.push_back(std::move(run));
    }

    observe::Subject& a_;
    observe::Subject& b_;
    std::string part_;
    OperationDiff row_;
};

} // namespace

std::vector<OperationDiff> diff_operation(observe::Subject& a, observe::Subject& b, const Operation& operation,
                                          verdict::GoldenSource& golden, const DiffOptions& options) {
    std::vector<OperationDiff> rows;
    const auto suite_a = a.stored_suite();
    const auto suite_b = b.stored_suite();
    verdict::CertifyOptions asking;
    asking.level = options.level.level;
    asking.seed = suite_a ? suite_a->seed : suite_b ? suite_b->seed : options.seed;
    asking.samples_per_step = suite_a   ? suite_a->samples_per_step
                              : suite_b ? suite_b->samples_per_step
                                        : options.samples_per_step;
    asking.stop = options.stop;
    for (const std::string& id : suites::row_ids(operation)) {
        if (!print::selected(options.filters, id)) continue;
        OperationDiff& row = rows.emplace_back();
        row.id = id;
        if (suites::suite_of(operation).draws_randomly(operation)) {
            row.random = true;
            row.reason = "it draws random numbers of its own";
            continue;
        }
        if (options.stop != nullptr && options.stop->load()) {
            row.status = Status::incomplete;
            row.reason = "stopped before it was asked";
            continue;
        }
        if (suite_a && suite_b &&
            (suite_a->seed != suite_b->seed || suite_a->samples_per_step != suite_b->samples_per_step)) {
            row.reason = "the records were asked with other seeds or samples";
            continue;
        }
        if (options.started) options.started(false, id, 0);
        RowDiff comparing(a, b, id, id.substr(to_string(operation).size() + 1));
        asking.filters = {id};
        suites::ask_operation(operation, asking, golden,
                              [&](const frames::RunCase& run_case) { return comparing.run(operation, run_case); });
        row = comparing.end();
    }
    return rows;
}

} // namespace mxcert::diff
