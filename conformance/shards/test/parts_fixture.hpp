// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/certify/certify.hpp"
#include "conformance/files/json_members.hpp"
#include "conformance/files/output_file.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/observe/piece.hpp"
#include "conformance/print/version.hpp"
#include "conformance/record/recorded_run.hpp"
#include "conformance/shards/ask_part.hpp"
#include "conformance/shards/json.hpp"
#include "conformance/shards/parts.hpp"
#include "conformance/test/fake_subject.hpp"
#include "reference/base/random.hpp"
#include "vectors/test/temporary_folder.hpp"

namespace mxcert::shards {

inline const std::string cut = "fp32-e4m3-nearest_even-sat";   ///< asked in pieces
inline const std::string whole = "fp16-e4m3-nearest_even-sat"; ///< asked in one unit

/// An implementation made of step tables that is asked in pieces: equal stretches of its inputs. Outputs of operations
/// are a function of the inputs.
class SlicedSubject final : public observe::Subject {
  public:
    test::FakeSubject tables;
    std::uint64_t asked = 0;         ///< observations
    std::string fails;               ///< the question of a piece, or every_place, that does not pass
    std::pair<Code, Code> elsewhere; ///< an input, and its answer in another place of a call
    std::uint64_t salt = 0;          ///< of the outputs of operations
    std::string end;                 ///< what end_runs() says

    [[nodiscard]] const observe::BackendInfo& info() const override {
        return static_cast<const observe::Subject&>(tables).info();
    }
    [[nodiscard]] observe::Observation observe(const Conversion& conversion,
                                               const observe::Permitted& permitted) override {
        ++asked;
        if (conversion.from->width() < 32) return tables.observe(conversion, permitted);
        observe::PieceJoiner joiner(conversion, permitted);
        const observe::Piece all{0, conversion.from->last_code(), 0, 1};
        joiner.add(all, observe_piece(conversion, permitted, all));
        return joiner.finish([&](const std::vector<Step>&, observe::Observation& seen) {
            const observe::Observation places = observe_places(conversion, permitted);
            seen.status = places.status;
            seen.reason = places.reason;
            seen.places.placed = places.places.placed;
        });
    }
    [[nodiscard]] observe::Observation observe_points(const Conversion& conversion,
                                                      const std::vector<inputs::Point>& inputs,
                                                      const PermitTable* permitted) override {
        ++asked;
        return tables.observe_points(conversion, inputs, permitted);
    }
    [[nodiscard]] observe::Observation observe_piece(const Conversion& conversion, const observe::Permitted&,
                                                     const observe::Piece& piece) override {
        ++asked;
        const std::uint64_t all = piece.high - piece.low + 1;
        const Code first = piece.low + all * piece.number / piece.count;
        const Code last = piece.low + all * (piece.number + 1) / piece.count - 1;
        observe::Observation seen = answered(conversion, question_of(piece));
        seen.chosen = true;
        seen.partial = inputs::part_of(tables.tables.at(to_string(conversion)).steps, first, last);
        seen.inputs = last - first + 1;
        seen.repeated = seen.inputs / 16;
        seen.places.in_batches = seen.inputs;
        return seen;
    }
    [[nodiscard]] observe::Observation observe_places(const Conversion& conversion,
                                                      const observe::Permitted&) override {
        ++asked;
        observe::Observation seen = answered(conversion, every_place);
        const StepTable& table = tables.tables.at(to_string(conversion));
        for (const Code input : {Code{0}, Code{0x3F800000}, Code{0x3F880000}, Code{0x3F880001}})
            seen.points.push_back({input, 0, table.steps[find_step(table, input)].code});
        for (inputs::Point& point : seen.points)
            if (point.input == elsewhere.first && elsewhere.first != 0) point.got = elsewhere.second;
        seen.inputs = seen.points.size();
        seen.places.placed = 1000;
        return seen;
    }
    [[nodiscard]] frames::RunAnswer run(const Operation&, const frames::RunCase& run_case) override {
        ++asked;
        frames::RunAnswer answer;
        answer.status = Status::pass;
        answer.outputs = run_case.outputs;
        const std::uint64_t random = std::stoull(record::question_of(run_case).substr(0, 16), nullptr, 16) ^ salt;
        for (frames::Values& output : answer.outputs)
            for (std::size_t i = 0; i < output.count(); ++i) output.set(i, SplitMix64::at(random, i));
        return answer;
    }
    [[nodiscard]] std::string end_runs() override { return end; }
    [[nodiscard]] std::vector<inputs::Point> answerable(const Conversion&,
                                                        std::vector<inputs::Point> wanted) const override {
        return wanted;
    }
    [[nodiscard]] bool is_record() const override { return false; }

  private:
    [[nodiscard]] observe::Observation answered(const Conversion& conversion, const std::string& question) const {
        observe::Observation seen;
        seen.conversion = conversion;
        seen.status = question == fails ? Status::error : Status::pass;
        seen.reason = question == fails ? "as the test wants" : "";
        return seen;
    }
};

/// A run of that subject in parts, in folders of its own.
class CutRun {
  public:
    explicit CutRun(std::uint64_t parts = 3, std::uint64_t seed = 1) {
        subject.tables.offer(cut);
        subject.tables.offer(whole);
        options.profiles = {"ocp-sat"};
        options.samples_per_step = 4;
        options.seed = seed;
        options.level = Level::quick;
        static const certify::Plan planned = certify::make_plan(subject, options, golden());
        plan = planned; // the seed changes nothing in it: there is no sample
        units = units_of(plan, subject.info(), options, parts);
        shard.run = run_of(subject.info(), options, units, parts);
        shard.argument = "./sliced.so";
    }

    [[nodiscard]] std::filesystem::path part(std::uint64_t number) const {
        return folder.path() / std::to_string(number + 1);
    }
    PartResult ask(std::uint64_t number) { return ask(number, part(number)); }
    PartResult ask(std::uint64_t number, const std::filesystem::path& path) {
        shard.part = number;
        return ask_part(subject, plan, units, shard, options, path, {});
    }
    void ask_all() {
        for (std::uint64_t i = 0; i < shard.run.parts; ++i) (void)ask(i);
    }
    [[nodiscard]] std::vector<std::filesystem::path> folders() const {
        std::vector<std::filesystem::path> all;
        for (std::uint64_t i = 0; i < shard.run.parts; ++i) all.push_back(part(i));
        return all;
    }
    /// The file of a unit, wherever it is.
    [[nodiscard]] std::filesystem::path file_of(const std::string& unit) const {
        for (const auto& path : folders())
            if (std::filesystem::exists(unit_path(path, unit))) return unit_path(path, unit);
        throw std::logic_error("no file of " + unit);
    }

    /// Changes the answers of a unit, as one would who makes its file anew.
    void change(const std::string& unit, const std::function<void(files::Json&)>& edit) const {
        const std::filesystem::path path = file_of(unit);
        files::Json json = files::read_json(path);
        edit(json);
        files::OutputFile(path).write(files::json_text(with_checksums(std::move(json))));
    }

    /// The rows that the merged parts give.
    [[nodiscard]] std::vector<verdict::Row> judge(Parts& parts) const {
        parts.read(plan, options);
        return certify::certify(*open_stored(parts.store()), plan, options, {});
    }
    [[nodiscard]] std::vector<verdict::Row> merge() const {
        Parts parts(folders());
        return judge(parts);
    }

    static verdict::GoldenSource& golden() {
        static verdict::GoldenSource source;
        return source;
    }

    TemporaryFolder folder;
    SlicedSubject subject;
    verdict::CertifyOptions options;
    certify::Plan plan;
    std::vector<Unit> units;
    Shard shard;
};

/// The row of a conversion.
[[nodiscard]] inline verdict::Row row_of(const std::vector<verdict::Row>& rows, const std::string& id) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const verdict::Row& row) { return row.id == id; });
    if (found == rows.end()) throw std::logic_error("no row " + id);
    return *found;
}

} // namespace mxcert::shards
