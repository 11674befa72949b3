// SPDX-License-Identifier: Apache-2.0
#include "conformance/shards/ask_part.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "conformance/files/date.hpp"
#include "conformance/record/record_ask.hpp"
#include "conformance/shards/recorder.hpp"
#include "conformance/shards/stored_subject.hpp"
#include "conformance/suites/conversion/certify_conversion.hpp"
#include "conformance/suites/given_bits/certify_random.hpp"
#include "conformance/suites/registry.hpp"

namespace mxcert::shards {
namespace {

using Rows = std::vector<verdict::Row>;

Rows judged(const suites::PlannedConversion& planned, const observe::Observation& seen,
            const verdict::CertifyOptions& options) {
    Rows rows;
    for (const verdict::Judge& judge : planned.judges) {
        rows.push_back(verdict::judge_by(judge, seen, options));
        rows.back().required = planned.required;
    }
    return rows;
}

/// Ends the worker of the unit's runs, so that each unit says how its own ended: an end that no unit has is lost in the
/// merge.
void append_end(Recorder& recorder, const verdict::CertifyOptions& options, Rows& rows) {
    if (const std::string end = recorder.end_runs(); !end.empty())
        rows.push_back(certify::row_of_end(end, options.stopped()));
}

/// The rows of an operation without what is left to sweeps, which are other units.
Rows operation_rows(Recorder& recorder, const certify::Plan& plan, const Unit& unit,
                    const verdict::CertifyOptions& options) {
    Rows rows = suites::certify_operation(recorder, plan.operations[unit.planned].operation, plan.profiles,
                                          *plan.golden, options);
    const std::set<std::string>& left = recorder.left();
    const auto is_ended_by_it = [&](const verdict::Row& row) {
        return row.status == Status::incomplete && (left.contains(row.id) || left.contains(row.operation + "/scale"));
    };
    for (verdict::Row& row : rows)
        if (is_ended_by_it(row) && row.compared != 0) {
            row.status = Status::pass; // the chosen inputs are, and the sweeps are other units
            row.reason.clear();
        }
    std::erase_if(rows, is_ended_by_it);
    append_end(recorder, options, rows);
    return rows;
}

Rows sweep_rows(Recorder& recorder, const certify::Plan& plan, const Unit& unit, verdict::CertifyOptions options) {
    const Operation& operation = plan.operations[unit.planned].operation;
    options.filters = {fmt::format("{}/{}", to_string(operation), unit.row)};
    options.sampled_scales = unit.row != "scale";
    Rows rows = suites::certify_operation(recorder, operation, plan.profiles, *plan.golden, options);
    append_end(recorder, options, rows);
    Answers& answers = recorder.answers();
    // Another unit has the chosen inputs by which the scales became known.
    answers.runs.clear();
    answers.repeats.clear();
    // There may be fewer parts than units: a unit without any says nothing.
    if (answers.observations.empty() && answers.status == Status::pass) rows.clear();
    return rows;
}

/// A row of one unit of a record: whether the answers came.
Rows record_rows(Recorder& recorder, const certify::Plan& plan, const Unit& unit,
                 const verdict::CertifyOptions& options) {
    verdict::Row row;
    if (unit.kind == Unit::Kind::operation) {
        const Operation& operation = plan.operations[unit.planned].operation;
        const record::TakenOperation taken = record::take_operation(recorder, operation, options, *plan.golden);
        row.id = to_string(operation);
        row.status = taken.status;
        row.reason = taken.reason;
        return {row};
    }
    const suites::PlannedConversion& planned = plan.conversions[unit.planned];
    const observe::Observation seen =
        unit.kind == Unit::Kind::piece    ? recorder.observe_piece(planned.conversion, nullptr, unit.piece)
        : unit.kind == Unit::Kind::places ? recorder.observe_places(planned.conversion, nullptr)
                                          : record::ask_conversion(recorder, planned);
    row.id = to_string(planned.conversion);
    row.status = seen.status;
    row.reason = seen.reason;
    row.compared = seen.inputs;
    return {row};
}

Rows ask(Recorder& recorder, const certify::Plan& plan, const Unit& unit, const verdict::CertifyOptions& options) {
    const auto of_conversion = [&]() -> const suites::PlannedConversion& { return plan.conversions[unit.planned]; };
    switch (unit.kind) {
    case Unit::Kind::conversion: return suites::certify_conversion(recorder, of_conversion(), options);
    case Unit::Kind::piece: {
        const suites::PlannedConversion& planned = of_conversion();
        return judged(planned,
                      recorder.observe_piece(planned.conversion, {&planned.permitted, &planned.agreed}, unit.piece),
                      options);
    }
    case Unit::Kind::places: {
        const suites::PlannedConversion& planned = of_conversion();
        return judged(planned, recorder.observe_places(planned.conversion, {&planned.permitted, &planned.agreed}),
                      options);
    }
    case Unit::Kind::random: return suites::certify_random(recorder, plan.given_bits[unit.planned], options);
    case Unit::Kind::operation: return operation_rows(recorder, plan, unit, options);
    case Unit::Kind::sweep: return sweep_rows(recorder, plan, unit, options);
    }
    throw std::logic_error("a unit of no kind");
}

/// The inputs and values of rows, those of several profiles once.
std::uint64_t compared_in(const Rows& rows) {
    std::map<std::string, std::uint64_t> compared;
    for (const verdict::Row& row : rows) compared[row.id] = std::max(compared[row.id], row.compared);
    std::uint64_t sum = 0;
    for (const auto& [id, count] : compared) sum += count;
    return sum;
}

Recorder recorder_of(observe::Subject& subject, const Unit& unit) {
    if (unit.kind != Unit::Kind::sweep) return {subject, Recorder::Sweeps::none};
    return {subject, Recorder::Sweeps::some, unit.number, unit.count};
}

/// The answers of a unit that the folder has; nothing if it was not asked, or did not pass.
std::optional<Answers> kept_answers(const Shard& shard, const Unit& unit, const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::nullopt;
    Answers answers = read_answers(path);
    if (answers.unit != unit.name || answers.run != shard.run.digest())
        throw std::runtime_error(
            fmt::format("{}: is of another run or unit: remove it, and it is asked again", path.string()));
    if (answers.status != Status::pass) return std::nullopt;
    return answers;
}

void check_folder(const Shard& shard, const std::filesystem::path& folder) {
    std::error_code error;
    if (!std::filesystem::exists(shard_path(folder), error)) {
        if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error))
            throw std::runtime_error(
                fmt::format("'{}' is not empty and has no part of a run: give --keep another folder", folder.string()));
        return write_shard(shard, folder);
    }
    const Shard there = read_shard(folder);
    std::string other = difference(there.run, shard.run);
    if (other.empty() && there.part != shard.part)
        other = fmt::format("part {} and {}", there.part + 1, shard.part + 1);
    if (!other.empty())
        throw std::runtime_error(
            fmt::format("'{}' has a part of another run: {}; give --keep another folder", folder.string(), other));
}

} // namespace

AskedUnit ask_unit(observe::Subject& subject, const certify::Plan& plan, const Unit& unit,
                   const verdict::CertifyOptions& options) {
    Recorder recorder = recorder_of(subject, unit);
    if (options.recorded) recorder.store_whole_outputs();
    Rows rows = options.recorded ? record_rows(recorder, plan, unit, options) : ask(recorder, plan, unit, options);
    return {std::move(recorder.answers()), std::move(rows)};
}

PartResult ask_part(observe::Subject& subject, const certify::Plan& plan, const std::vector<Unit>& units,
                    const Shard& shard, const verdict::CertifyOptions& options, const std::filesystem::path& folder,
                    const PartEvents& events) {
    check_folder(shard, folder);
    const std::vector<std::uint64_t> part_of = deal(units, shard.run.parts);
    const std::string run = shard.run.digest();
    const report::Host host = report::this_host();
    PartResult result;
    for (const std::uint64_t part : part_of) result.units += part == shard.part ? 1 : 0;
    std::size_t number = 0;
    for (std::size_t i = 0; i < units.size() && !options.stopped(); ++i) {
        const Unit& unit = units[i];
        if (part_of[i] != shard.part) continue;
        if (events.started) events.started(unit, number++, result.units);
        const std::filesystem::path path = unit_path(folder, unit.name);
        AskedUnit asked;
        if (std::optional<Answers> kept = kept_answers(shard, unit, path)) {
            AnswerStore store(shard.run.info, options.level);
            store.add(std::move(*kept));
            asked = ask_unit(*open_stored(store), plan, unit, options);
            ++result.kept;
        } else {
            const auto began = std::chrono::steady_clock::now();
            const std::string started = files::utc_now();
            asked = ask_unit(subject, plan, unit, options);
            // A signal to the whole group ends the worker, too.
            const bool is_cut_short = asked.answers.status == Status::incomplete || !asked.answers.end.empty();
            if (is_cut_short && options.stopped()) {
                result.rows.insert(result.rows.end(), asked.rows.begin(), asked.rows.end());
                break;
            }
            asked.answers.run = run;
            asked.answers.unit = unit.name;
            asked.answers.host = host;
            asked.answers.sandbox = subject.info().sandbox_state;
            asked.answers.started = started;
            asked.answers.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            write_answers(asked.answers, path);
        }
        result.answered += asked.answers.status == Status::pass ? 1 : 0;
        result.compared += compared_in(asked.rows);
        if (events.judged) events.judged(asked.rows);
        result.rows.insert(result.rows.end(), std::make_move_iterator(asked.rows.begin()),
                           std::make_move_iterator(asked.rows.end()));
    }
    return result;
}

} // namespace mxcert::shards
