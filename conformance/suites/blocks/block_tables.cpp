// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/block_tables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "conformance/faults/small_suite.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/drawn_pairs.hpp"
#include "conformance/suites/blocks/explain_scales.hpp"
#include "conformance/suites/blocks/observe.hpp"
#include "conformance/suites/blocks/quantize_judges.hpp"
#include "conformance/suites/blocks/sweep.hpp"

namespace mxcert::suites {
namespace {

// Of what was seen the answer to one input, if there is one.
void keep_only(Code code, observe::Observation& seen) {
    const std::vector<Step> steps = std::move(seen.table.steps.empty() ? seen.partial : seen.table.steps);
    const auto at = std::find_if(steps.begin(), steps.end(),
                                 [&](const Step& step) { return step.first <= code && code <= step.last; });
    seen.table.steps.clear();
    seen.partial.clear();
    if (at != steps.end()) seen.partial = {{code, code, at->code}};
    seen.chosen = true;
    seen.inputs = seen.repeated = seen.partial.size();
}

// What was seen of chosen inputs and of a sweep.
observe::Observation joined(const observe::Observation& observation, observe::Observation more) {
    more.partial.insert(more.partial.end(), observation.partial.begin(), observation.partial.end());
    more.partial = inputs::in_order(std::move(more.partial));
    more.inputs += observation.inputs;
    more.places.in_batches += observation.inputs;
    more.repeated += observation.repeated;
    more.seconds += observation.seconds;
    return more;
}

/// The tables of a quantizer, or of the way back, on their way to their rows.
class Tables {
  public:
    explicit Tables(const SuiteRun& run)
        : run_(run), subject_(run.subject), operation_(run.operation), options_(run.options) {}

    void quantize();
    void dequantize();
    [[nodiscard]] std::vector<verdict::Row> rows() { return std::move(rows_); }

  private:
    /// `total`: inputs that there are; "": as many as were compared.
    void judge_table(const char* part, const observe::Observation& seen, const std::vector<verdict::Judge>& judges,
                     bool sample, const char* what = "", const std::string& total = "");
    /// `firsts`: the inputs at which what is permitted changes; `alone`: the only input to be asked, if it is one.
    [[nodiscard]] observe::Observation scales_of(const Quantize& quantize, unsigned block, Code largest,
                                                 const std::vector<Code>& firsts,
                                                 const std::vector<verdict::Judge>& scales,
                                                 std::optional<std::uint64_t> alone);
    [[nodiscard]] observe::Observation elements_of(const Quantize& quantize, unsigned block,
                                                   const std::vector<Code>& amaxes, const std::vector<Code>& firsts,
                                                   const std::vector<verdict::Judge>& judges,
                                                   std::optional<std::uint64_t> alone);
    /// Every input of FP32 is asked too.
    [[nodiscard]] bool sweeps() const {
        return asks_every_pair(options_.level) && !options_.only() && subject_.can_sweep();
    }
    /// Every finite value of FP32 is asked under a drawn scale.
    [[nodiscard]] bool draws(const Quantize& quantize) const {
        return asks_every_value(options_.level) && !options_.only() && subject_.can_sweep() && !is_narrow(quantize);
    }
    /// Says of the rows of the scales that fail which known way to join values to blocks they come from.
    void explain_scale_rows(const QuantizeJudges& judges, unsigned block);

    const SuiteRun& run_;
    observe::Subject& subject_;
    const Operation& operation_;
    const verdict::CertifyOptions& options_;
    std::vector<verdict::Row> rows_;
    std::vector<Code> amaxes_;     ///< whose scales were asked for, one by one; none where every input was
    std::uint64_t first_amax_ = 0; ///< the number of the first of them
    bool drawn_ = false;           ///< every finite value was asked under a drawn scale
};

void Tables::judge_table(const char* part, const observe::Observation& seen, const std::vector<verdict::Judge>& judges,
                         bool sample, const char* what, const std::string& total) {
    for (const verdict::Judge& judge : judges) {
        verdict::Row& row = rows_.emplace_back(verdict::judge_by(judge, seen, options_));
        row.id = run_.id(part);
        row.operation = to_string(operation_);
        row.sample = sample;
        std::get<verdict::TableFindings>(row.found).asked = what;
        row.total = total.empty() ? std::to_string(row.compared) : total;
    }
}

// What the first of them permits; nothing where a suite is asked without being judged.
const PermitTable* table_of(const std::vector<verdict::Judge>& judges) {
    return judges.empty() ? nullptr : &judges.front().permitted;
}

// Those that show the bugs planted in the scale, and single-bit neighbours.
std::vector<Code> few_amaxes(const Quantize& quantize, Code largest, const std::vector<verdict::Judge>& scales,
                             std::uint64_t seed) {
    std::vector<Code> amaxes = faults::small_suite(quantize.scale, scales, 0, seed).inputs;
    std::erase_if(amaxes, [&](Code amax) { return amax > largest; });
    return amaxes;
}

// Every amax up to the largest; of FP32 a sample, unless every input is wanted.
observe::Observation Tables::scales_of(const Quantize& quantize, unsigned block, Code largest,
                                       const std::vector<Code>& firsts, const std::vector<verdict::Judge>& scales,
                                       std::optional<std::uint64_t> alone) {
    const PermitTable* permitted = table_of(scales);
    if (!is_narrow(quantize) && sweeps() && !options_.sampled_scales)
        return sweep_scales(subject_, operation_, block, {0, largest}, permitted);
    std::vector<Code> amaxes =
        is_small(options_.level) ? few_amaxes(quantize, largest, scales, options_.seed)
                                 : amaxes_to_ask(quantize, largest, firsts, {options_.samples_per_step, options_.seed});
    std::uint64_t number = 0;
    if (alone) {
        number = static_cast<std::uint64_t>(std::lower_bound(amaxes.begin(), amaxes.end(), *alone) - amaxes.begin());
        amaxes = {*alone};
    }
    amaxes_ = amaxes;
    first_amax_ = number;
    return observe_scales(subject_, operation_, block, amaxes, number);
}

// Every pair of a scale and a value that it can meet; of FP32 a sample, unless every input is wanted.
observe::Observation Tables::elements_of(const Quantize& quantize, unsigned block, const std::vector<Code>& amaxes,
                                         const std::vector<Code>& firsts, const std::vector<verdict::Judge>& judges,
                                         std::optional<std::uint64_t> alone) {
    const std::vector<inputs::CodeRange> ranges = reachable_pairs(*quantize.element.from, amaxes);
    if (!is_narrow(quantize) && sweeps())
        return sweep_elements(subject_, operation_, block, ranges, amaxes, table_of(judges));
    std::vector<Code> codes = is_small(options_.level)
                                  ? few_pairs(quantize, firsts, ranges, options_.seed)
                                  : pairs_to_ask(quantize, ranges, firsts, {options_.samples_per_step, options_.seed});
    if (alone) {
        const bool reached = std::any_of(ranges.begin(), ranges.end(), [&](const inputs::CodeRange& range) {
            return range.first <= *alone && *alone <= range.last;
        });
        codes.assign(reached ? 1 : 0, *alone);
    }
    if (!draws(quantize)) return observe_elements(subject_, operation_, block, codes, amaxes);
    const std::vector<inputs::CodeRange> drawn = drawn_pairs(quantize, amaxes, options_.seed);
    observe::Observation seen = observe_elements(subject_, operation_, block, codes_outside(drawn, codes), amaxes);
    // If the sample is wrong for every profile, billions of values more say nothing new.
    const bool is_wrong = std::all_of(judges.begin(), judges.end(), [&](const verdict::Judge& judge) {
        return !diagnose::differences_of(seen.partial, judge.permitted).empty();
    });
    if (seen.status != Status::pass || is_wrong) return seen;
    drawn_ = true;
    return joined(seen, sweep_elements(subject_, operation_, block, drawn, amaxes, table_of(judges)));
}

void Tables::explain_scale_rows(const QuantizeJudges& judges, unsigned block) {
    // A single input says nothing of lanes, and what is recorded cannot be asked again.
    if (amaxes_.size() < 2 || options_.recorded || subject_.is_record()) return;
    const std::size_t first = rows_.size() - judges.scales.size();
    for (std::size_t j = 0; j < judges.scales.size(); ++j) {
        verdict::Row& row = rows_[first + j];
        if (row.status != Status::fail) continue;
        WrongScales why = explain_scales(subject_, operation_, judges.rules(j), block, amaxes_, first_amax_);
        row.known_as = std::move(why.known_as);
        row.reason += it_is(row.known_as);
        if (!why.elsewhere.empty()) row.reason += "; " + why.elsewhere;
    }
}

void Tables::quantize() {
    const QuantizeJudges judges(as_quantize(operation_), run_.profiles, run_.golden);
    const Quantize& quantize = judges.quantize;
    const unsigned block = asked_block(quantize.block);
    const bool wants_elements = run_.wanted("elements") && block > 1;
    if (!run_.wanted("scale") && !wants_elements) return;
    // The inputs of a record must not depend on which profiles judge it.
    const std::vector<const Profile*> askers = options_.recorded ? judging(operation_) : run_.profiles;
    const auto firsts = [&](const Conversion& conversion, const std::vector<verdict::Judge>& judges) {
        return options_.recorded ? verdict::all_boundaries(conversion, askers, run_.golden)
                                 : verdict::boundaries(judges);
    };
    const std::optional<std::uint64_t> only = options_.only();
    // A record has no answer to one input alone.
    const std::optional<std::uint64_t> alone = options_.recorded ? std::nullopt : only;
    const Format& amax = *quantize.scale.from;
    const bool sample = is_small(options_.level) || (!is_narrow(quantize) && !sweeps());
    // Where an Inf may be left out of the amax it is none: the cases have it.
    const bool inf_counts = std::all_of(askers.begin(), askers.end(), [](const Profile* profile) {
        return std::all_of(profile->amax_inf.begin(), profile->amax_inf.end(),
                           [](AmaxInf inf) { return inf == AmaxInf::counted; });
    });
    const Code largest = inf_counts ? amax.inf_code() : amax.max_code();
    observe::Observation seen = scales_of(quantize, block, largest, firsts(quantize.scale, judges.scales),
                                          judges.scales, run_.wanted("scale") ? alone : std::nullopt);
    if (only && run_.wanted("scale")) keep_only(*only, seen);
    if (run_.wanted("scale")) {
        judge_table("scale", seen, judges.scales, sample, sample ? "a sample" : "every amax",
                    std::to_string(largest + 1));
        explain_scale_rows(judges, block);
    }
    if (!wants_elements) return;

    observe::Observation of_elements;
    std::string pairs;
    if (seen.status == Status::pass) {
        std::vector<Code> amaxes = amax_of_each_scale(quantize, seen.partial);
        Code reachable = 0;
        for (const inputs::CodeRange& range : reachable_pairs(*quantize.element.from, amaxes))
            reachable += range.last - range.first + 1;
        pairs = std::to_string(reachable);
        if (is_small(options_.level)) keep_few_scales(*quantize.element.from->scale, amaxes);
        of_elements =
            elements_of(quantize, block, amaxes, firsts(quantize.element, judges.elements), judges.elements, alone);
    } else {
        of_elements = seen;
        of_elements.conversion = quantize.element;
        of_elements.partial.clear();
        of_elements.reason = "no scale is known: " + seen.reason;
    }
    if (only) keep_only(*only, of_elements);
    const char* const what = !sample  ? "every reachable pair of a scale and a value"
                             : drawn_ ? "each finite value under a drawn scale, and a sample"
                                      : "a sample";
    judge_table("elements", of_elements, judges.elements, sample, what, pairs);
}

void Tables::dequantize() {
    if (!run_.wanted("values")) return;
    const Dequantize dequantize = as_dequantize(operation_);
    observe::Observation seen = observe_values(subject_, operation_, asked_block(dequantize.block));
    if (options_.only()) keep_only(*options_.only(), seen);
    judge_table("values", seen, verdict::judges_of(dequantize.value, run_.profiles, run_.golden), false);
}

} // namespace

std::vector<verdict::Row> quantize_tables(const SuiteRun& run) {
    Tables tables(run);
    tables.quantize();
    return tables.rows();
}

std::vector<verdict::Row> dequantize_tables(const SuiteRun& run) {
    Tables tables(run);
    tables.dequantize();
    return tables.rows();
}

} // namespace mxcert::suites
