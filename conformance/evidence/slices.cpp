// SPDX-License-Identifier: Apache-2.0
#include "conformance/evidence/slices.hpp"

#include "conformance/record/recorded_run.hpp"
#include "reference/operation/operation_name.hpp"
#include "vectors/base/sha256.hpp"

namespace mxcert::evidence {

void Slices::note(const std::string& row, const shards::AskedAgain& asked) {
    if (!asked.difference.empty()) differences_.push_back(row + ": " + asked.difference);
}

void Slices::compare(const Conversion& conversion, const observe::Observation& stored) {
    if (stored.status != Status::pass) return;
    const std::string name = to_string(conversion);
    const shards::AskedAgain asked =
        shards::ask_inputs_again(backend_, conversion, stored, random(), slices_ * shards::inputs_of_slice);
    RowSlices& row = rows_[name];
    row.inputs += asked.values;
    row.of += stored.inputs;
    row.simplified = stored.places.simplified;
    note(name, asked);
}

observe::Observation Slices::observe(const Conversion& conversion, const observe::Permitted& permitted) {
    observe::Observation seen = stored_.observe(conversion, permitted);
    compare(conversion, seen);
    return seen;
}

observe::Observation Slices::observe_points(const Conversion& conversion, const std::vector<inputs::Point>& inputs,
                                            const PermitTable* permitted) {
    observe::Observation seen = stored_.observe_points(conversion, inputs, permitted);
    if (inputs.size() != 1) compare(conversion, seen); // one alone is asked to say what is wrong with it
    return seen;
}

observe::Observation Slices::sweep(const observe::SweepPart& part, const PermitTable* permitted) {
    observe::Observation seen = stored_.sweep(part, permitted);
    RowSlices& row = rows_[part.row];
    row.of += seen.inputs;
    // A row has up to some hundred parts. Each slice is of one of them.
    const std::uint64_t wanted = slices_ * shards::inputs_of_slice;
    if (row.inputs != 0 && row.inputs >= wanted && random() % 16 != 0) return seen;
    const shards::AskedAgain asked = shards::ask_sweep_again(backend_, part, permitted, seen, random());
    row.inputs += asked.values;
    note(part.row, asked);
    return seen;
}

frames::RunAnswer Slices::run(const Operation& operation, const frames::RunCase& run_case) {
    frames::RunAnswer answer = stored_.run(operation, run_case);
    const std::string name = to_string(operation) + '/' + run_case.row;
    RowSlices& row = rows_[name];
    if (run_case.once) {
        ++row.random;
        return answer;
    }
    const bool has_digest = answer.status == Status::untested && !answer.digest.empty();
    if (answer.status != Status::pass && answer.status != Status::unsupported && !has_digest) return answer;
    // As a reservoir is filled: in the end each run had the same chance to be among the last ones that were taken.
    if (++row.of_runs > slices_ && random() % row.of_runs >= slices_) return answer;
    const std::string digest =
        answer.status == Status::pass ? sha256(record::answer_bytes(run_case, answer.outputs)) : answer.digest;
    const shards::AskedAgain asked =
        shards::ask_run_again(backend_, operation, run_case, has_digest ? Status::pass : answer.status, digest);
    row.runs += asked.difference.empty() ? 1 : 0;
    note(name, asked);
    return answer;
}

frames::RepeatedAnswer Slices::run_repeated(const Operation& operation, const frames::RepeatedRun& run) {
    ++rows_[to_string(operation)].large;
    return stored_.run_repeated(operation, run);
}

double missed(double share, std::uint64_t asked, std::uint64_t of) {
    if (asked >= of) return 0;
    // By squaring: no library function, so that every machine prints the same.
    double result = 1;
    double power = 1 - share;
    for (; asked != 0; asked /= 2) {
        if (asked % 2 != 0) result *= power;
        power *= power;
    }
    return result;
}

} // namespace mxcert::evidence
