// SPDX-License-Identifier: Apache-2.0
#include "conformance/prove/prove.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "conformance/files/output_file.hpp"
#include "conformance/inputs/sample.hpp"
#include "conformance/print/text.hpp"
#include "conformance/prove/planted_row.hpp"
#include "conformance/verdict/judge.hpp"
#include "reference/base/random.hpp"
#include "reference/code_text.hpp"
#include "vectors/export/entries.hpp"
#include "vectors/export/test_vectors.hpp"

namespace mxcert::prove {
namespace {

constexpr unsigned samples_per_step =
    8; // beside boundaries and their single-bit neighbours: what a simulation does in a second

/// Inputs whose answers one call of the solver looks at, with the files of what it takes for their table.
struct Part {
    std::optional<InputRange> range; ///< none: all
    std::string table_file = "table.v";
    std::string planted_file = "planted.v";
    std::optional<PlantedTable> planted;
};

// With a given scale there is a step for each scale and element, more than a solver takes at once.
constexpr Code scales_in_part = 8;

std::vector<Part> parts_of(const PermitTable& permitted) {
    const Format& from = *permitted.from;
    std::vector<Part> parts;
    for (Code scale = 0; from.scale != nullptr && scale <= from.scale->last_code(); scale += scales_in_part) {
        Part part;
        part.range = InputRange{from.code_of(scale, 0), from.code_of(scale + scales_in_part - 1, from.value_mask())};
        part.table_file = fmt::format("table{}.v", scale);
        part.planted_file = fmt::format("planted{}.v", scale);
        parts.push_back(std::move(part));
    }
    if (parts.empty()) parts.emplace_back();
    for (Part& part : parts)
        part.planted =
            plant_row(permitted, part.range ? part.range->first : 0, part.range ? part.range->last : from.last_code());
    return parts;
}

/// The steps that hold the inputs of a part: what the others are is not looked at.
PermitTable cut(const PermitTable& table, const Part& part) {
    if (!part.range) return table;
    PermitTable piece{table.from, table.to, {}};
    for (std::size_t at = find_step(table, part.range->first); at <= find_step(table, part.range->last); ++at)
        piece.steps.push_back(table.steps[at]);
    return piece;
}

/// One design, with the tables that it is held to.
class Prover {
  public:
    Prover(const Design& design, const Conversion& conversion, const PermitTable& permitted,
           const ProveOptions& options)
        : design_(design), conversion_(conversion), permitted_(permitted), options_(options),
          module_("permits_" + identifier_of(to_string(conversion))), parts_(parts_of(permitted)) {
        for (const Part& part : parts_) {
            write(cut(permitted, part), part.table_file);
            if (part.planted) write(cut(part.planted->table, part), part.planted_file);
        }
    }

    [[nodiscard]] Proof prove(Claim claim, unsigned lane) const {
        Proof proof;
        proof.claim = claim;
        proof.lane = lane;
        proof.parts = static_cast<unsigned>(parts_.size());
        for (const Part& part : parts_) {
            proof.verdict = Verdict::unproven;
            prove_part(part, proof);
            if (proof.verdict != Verdict::proven) break;
        }
        return proof;
    }

  private:
    void prove_part(const Part& part, Proof& proof) const {
        const unsigned cycles = options_.cycles != 0 ? options_.cycles : usual_cycles(design_);
        const Miter miter = miter_of(design_, conversion_, module_, proof.claim, proof.lane, cycles, part.range);
        const std::string name = fmt::format("{}{}", to_string(proof.claim), proof.lane);
        proof.cycles = miter.cycles;
        const Answer answer = solve(design_, miter, name, part.table_file, options_.solver);
        proof.seconds += answer.seconds;
        proof.reason = answer.reason;
        if (answer.kind == Answer::Kind::refuted) judge_counterexample(miter, name, part, answer, proof);
        if (answer.kind == Answer::Kind::holds) check_vacuity(miter, name, part, proof);
    }

    void write(const PermitTable& table, const std::string& file) const {
        ExportOptions options;
        options.name = to_string(conversion_);
        options.note = file;
        files::OutputFile(options_.solver.folder / file).write(export_comparators(table, options));
    }

    [[nodiscard]] bool is_wrong(const PermitTable& table, const Replayed& replayed) const {
        if (!replayed.asked) return false;
        if (!replayed.code) return true;
        return !permits(table.steps[find_step(table, *replayed.asked)].permit, *replayed.code, *table.to);
    }

    // A counterexample is believed where another program sees it as well.
    void judge_counterexample(const Miter& miter, const std::string& name, const Part& part, const Answer& answer,
                              Proof& proof) const {
        proof.replayed = replay(design_, conversion_, miter, name, part.table_file, answer, options_.solver);
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
    void check_vacuity(const Miter& miter, const std::string& name, const Part& part, Proof& proof) const {
        if (!part.planted) {
            proof.reason = "no row of the table can be made wrong: nothing shows that the comparison sees one";
            return;
        }
        const std::string planted_name = name + "_planted";
        const Answer answer = solve(design_, miter, planted_name, part.planted_file, options_.solver);
        if (answer.kind == Answer::Kind::unfinished) {
            proof.reason = "the planted wrong row: " + answer.reason;
            return;
        }
        const bool is_found = answer.kind == Answer::Kind::refuted;
        const Replayed seen =
            is_found ? replay(design_, conversion_, miter, planted_name, part.planted_file, answer, options_.solver)
                     : Replayed{};
        if (!is_found)
            proof.reason = fmt::format("the wrong row planted at {} was not found: the comparison is void",
                                       code_text(*conversion_.from, part.planted->input));
        else if (!seen.reason.empty())
            proof.reason = "the planted wrong row: " + seen.reason;
        else if (seen.asked != part.planted->input || !is_wrong(part.planted->table, seen) ||
                 is_wrong(permitted_, seen))
            proof.reason = fmt::format("a wrong row was planted at {}, and one was found at {}",
                                       code_text(*conversion_.from, part.planted->input),
                                       code_text(*conversion_.from, seen.asked.value_or(0)));
        else {
            if (!proof.planted) proof.planted = part.planted->input;
            proof.verdict = Verdict::proven;
        }
    }

    const Design& design_;
    const Conversion& conversion_;
    const PermitTable& permitted_;
    const ProveOptions& options_;
    std::string module_;
    std::vector<Part> parts_;
};

/// The inputs in a drawn order, in which neighbours have unlike answers.
std::vector<Code> mixed(std::vector<Code> inputs) {
    SplitMix64 random(1);
    shuffle(inputs, random);
    return inputs;
}

// A mistake of values is none of time and place.
std::optional<KnownFault> known_by_order(const std::vector<inputs::Point>& answers,
                                         const std::vector<inputs::Point>& in_another_order) {
    std::map<Code, Code> known;
    for (const inputs::Point& point : answers) known.emplace(point.input, point.got);
    std::size_t others = 0;
    for (const inputs::Point& point : in_another_order) {
        const auto before = known.find(point.input);
        others += before != known.end() && before->second != point.got ? 1 : 0;
    }
    if (others == 0) return {};
    return KnownFault{find_bug_class("NEIGHBOUR_MIXED"),
                      fmt::format("{} of {} have another answer in another order", print::grouped(others),
                                  print::counted(answers.size(), "input"))};
}

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
                             verdict::GoldenSource& golden, std::optional<Code> counterexample,
                             const SolverOptions& options) {
    const std::string trouble = build_simulation(design, conversion, options);
    if (!trouble.empty()) throw std::runtime_error(trouble);
    const std::vector<verdict::Judge> judges = verdict::judges_of(conversion, {&profile}, golden);
    if (judges.empty()) throw std::invalid_argument("the profile does not judge the conversion");
    std::vector<Code> asked;
    if (counterexample) asked.push_back(*counterexample);
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
    if (!design.clock.empty() || design.lanes > 1) {
        const std::vector<inputs::Point> in_order =
            std::exchange(seen.points, simulate(conversion, mixed(asked), options));
        std::ranges::sort(seen.points, {}, &inputs::Point::input);
        seen.known_as = known_by_order(seen.points, in_order);
    }
    seen.inputs = seen.points.size();
    seen.table.from = conversion.from;
    seen.table.to = conversion.to;
    return verdict::judge_by(judges.front(), seen, {});
}

} // namespace mxcert::prove
