// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/prove.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "conformance/files/output_file.hpp"
#include "conformance/inputs/sample.hpp"
#include "conformance/prove/planted_row.hpp"
#include "conformance/verdict/judge.hpp"
#include "reference/code_text.hpp"
#include "vectors/export/entries.hpp"
#include "vectors/export/test_vectors.hpp"

namespace mxcert::prove {
namespace {

constexpr const char* table_file = "table.v";
constexpr const char* planted_file = "planted.v";
constexpr unsigned samples_per_step =
    8; // beside boundaries and their single-bit neighbours: what a simulation does in a second

/// One design, with the tables that it is held to.
class Prover {
  public:
    Prover(const Design& design, const Conversion& conversion, const PermitTable& permitted,
           const ProveOptions& options)
        : design_(design), conversion_(conversion), permitted_(permitted), options_(options),
          module_("permits_" + identifier_of(to_string(conversion))), planted_(plant_row(permitted)) {
        write(permitted, table_file);
        if (planted_) write(planted_->table, planted_file);
    }

    [[nodiscard]] Proof prove(Claim claim, unsigned lane) const {
        const unsigned cycles = options_.cycles != 0 ? options_.cycles : usual_cycles(design_);
        const Miter miter = miter_of(design_, conversion_, module_, claim, lane, cycles);
        const std::string name = fmt::format("{}{}", to_string(claim), lane);
        Proof proof;
        proof.claim = claim;
        proof.lane = lane;
        proof.cycles = miter.cycles;
        const Answer answer = solve(design_, miter, name, table_file, options_.solver);
        proof.seconds = answer.seconds;
        proof.reason = answer.reason;
        if (answer.kind == Answer::Kind::refuted) judge_counterexample(miter, name, answer, proof);
        if (answer.kind == Answer::Kind::holds) check_vacuity(miter, name, proof);
        return proof;
    }

  private:
    void write(const PermitTable& table, const char* file) const {
        ExportOptions options;
        options.name = to_string(conversion_);
        options.note = file;
        files::OutputFile(options_.solver.folder / file).write(export_comparators(table, options));
    }

    [[nodiscard]] bool is_wrong(const PermitTable& table, const Replayed& replayed) const {
        if (!replayed.code) return true;
        return !permits(table.steps[find_step(table, replayed.asked)].permit, *replayed.code, *table.to);
    }

    // What a solver found is believed where another program sees it as well.
    void judge_counterexample(const Miter& miter, const std::string& name, const Answer& answer, Proof& proof) const {
        proof.replayed = replay(design_, conversion_, miter, name, table_file, answer, options_.solver);
        if (!proof.replayed->reason.empty()) {
            proof.reason = "a counterexample was found, and not confirmed: " + proof.replayed->reason;
        } else if (!proof.replayed->bad) {
            proof.reason = "the simulation of the counterexample gives a right answer: it begins in a state that the "
                           "reset and the inputs shown do not lead to";
        } else {
            proof.verdict = Verdict::refuted;
            proof.reason = is_wrong(permitted_, *proof.replayed) ? "" : "the answer does not come when it should";
        }
    }

    // A miter that is never bad proves nothing: one wrong row must make it so, at that input and no other.
    void check_vacuity(const Miter& miter, const std::string& name, Proof& proof) const {
        if (!planted_) {
            proof.reason = "no row of the table can be made wrong: nothing shows that the comparison sees one";
            return;
        }
        const std::string planted_name = name + "_planted";
        const Answer answer = solve(design_, miter, planted_name, planted_file, options_.solver);
        if (answer.kind == Answer::Kind::unfinished) {
            proof.reason = "the planted wrong row: " + answer.reason;
            return;
        }
        const bool is_found = answer.kind == Answer::Kind::refuted;
        const Replayed seen =
            is_found ? replay(design_, conversion_, miter, planted_name, planted_file, answer, options_.solver)
                     : Replayed{};
        if (!is_found)
            proof.reason = fmt::format("the wrong row planted at {} was not found: the comparison is void",
                                       code_text(*conversion_.from, planted_->input));
        else if (!seen.reason.empty())
            proof.reason = "the planted wrong row: " + seen.reason;
        else if (seen.asked != planted_->input || !is_wrong(planted_->table, seen) || is_wrong(permitted_, seen))
            proof.reason =
                fmt::format("a wrong row was planted at {}, and one was found at {}",
                            code_text(*conversion_.from, planted_->input), code_text(*conversion_.from, seen.asked));
        else {
            proof.planted = planted_->input;
            proof.verdict = Verdict::proven;
        }
    }

    const Design& design_;
    const Conversion& conversion_;
    const PermitTable& permitted_;
    const ProveOptions& options_;
    std::string module_;
    std::optional<PlantedTable> planted_;
};

} // namespace

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::proven: return "PROVEN";
    case Verdict::refuted: return "FAIL";
    default: return "UNPROVEN";
    }
}

std::vector<Proof> prove(const Design& design, const Conversion& conversion, const PermitTable& permitted,
                         const ProveOptions& options, const std::function<void(const Proof&)>& told) {
    check(design);
    files::make_folder(options.solver.folder);
    const Prover prover(design, conversion, permitted, options);
    std::vector<Proof> proofs;
    for (const Claim claim : claims_of(design))
        for (unsigned lane = 0; lane < design.lanes && !options.solver.stop->load(); ++lane) {
            proofs.push_back(prover.prove(claim, lane));
            if (told) told(proofs.back());
        }
    return proofs;
}

verdict::Row explain_refuted(const Design& design, const Conversion& conversion, const Profile& profile,
                             verdict::GoldenSource& golden, Code counterexample, const SolverOptions& options) {
    const std::string trouble = build_simulation(design, conversion, options);
    if (!trouble.empty()) throw std::runtime_error(trouble);
    const std::vector<verdict::Judge> judges = verdict::judges_of(conversion, {&profile}, golden);
    if (judges.empty()) throw std::invalid_argument("the profile does not judge the conversion");
    std::vector<Code> asked{counterexample};
    for (const inputs::Point& point :
         inputs::choose_points(*conversion.from, verdict::boundaries(judges), samples_per_step, 1))
        asked.push_back(point.input);
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    observe::Observation seen;
    seen.conversion = conversion;
    seen.status = Status::pass;
    seen.chosen = true;
    seen.points = simulate(conversion, asked, options);
    seen.inputs = seen.points.size();
    seen.table.from = conversion.from;
    seen.table.to = conversion.to;
    return verdict::judge_by(judges.front(), seen, {});
}

} // namespace mxcert::prove
