// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/certify_blocks.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/cases/smallest.hpp"
#include "conformance/diagnose/diagnose.hpp"
#include "conformance/faults/small_suite.hpp"
#include "conformance/inputs/run_length.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/cases.hpp"
#include "conformance/suites/blocks/drawn_pairs.hpp"
#include "conformance/suites/blocks/explain_scales.hpp"
#include "conformance/suites/blocks/join_faults.hpp"
#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/blocks/observe.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "conformance/suites/case_row.hpp"
#include "conformance/suites/certify_sizes.hpp"
#include "conformance/suites/matrix.hpp"
#include "conformance/suites/refusals.hpp"
#include "conformance/suites/size_cases.hpp"

namespace mxcert {
namespace {

// Of what was seen the answer to one input, if there is one.
void keep_only(Code code, Observation& seen) {
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
Observation joined(const Observation& some, Observation more) {
    more.partial.insert(more.partial.end(), some.partial.begin(), some.partial.end());
    more.partial = in_order(std::move(more.partial));
    more.inputs += some.inputs;
    more.places.in_batches += some.inputs;
    more.repeated += some.repeated;
    more.seconds += some.seconds;
    return more;
}

/// One operation on its way to its rows.
class Certifier {
  public:
    Certifier(Subject& subject, const Operation& operation, const CertifyOptions& options)
        : subject_(subject), operation_(operation), options_(options) {}

    [[nodiscard]] std::vector<Row> quantize(const std::vector<const Profile*>& profiles, GoldenSource& golden);
    [[nodiscard]] std::vector<Row> dequantize(const std::vector<const Profile*>& profiles, GoldenSource& golden);

  private:
    [[nodiscard]] std::string id(const char* part) const { return to_string(operation_) + '/' + part; }
    [[nodiscard]] bool wanted(const char* part) const { return selected(options_.filters, id(part)); }

    /// `total`: inputs that there are; "": as many as were compared.
    void judge_table(const char* part, const Observation& seen, const std::vector<Judge>& judges, bool sample,
                     const char* asked = "", const std::string& total = "");
    /// The rows of the scales and the elements.
    void quantize_tables(const Quantize& quantize, unsigned block, const std::vector<const Profile*>& profiles,
                         const std::vector<Judge>& scales, const std::vector<Judge>& elements, GoldenSource& golden);
    /// `firsts`: the inputs at which what is permitted changes; `alone`: the only input to be asked, if it is one.
    [[nodiscard]] Observation scales_of(const Quantize& quantize, unsigned block, Code largest,
                                        const std::vector<Code>& firsts, const std::vector<Judge>& scales,
                                        std::optional<std::uint64_t> alone);
    [[nodiscard]] Observation elements_of(const Quantize& quantize, unsigned block, const std::vector<Code>& amaxes,
                                          const std::vector<Code>& firsts, const std::vector<Judge>& judges,
                                          std::optional<std::uint64_t> alone);
    /// Every input of FP32 is asked too.
    [[nodiscard]] bool sweeps() const {
        return asks_every_pair(options_.level) && !options_.only() && subject_.can_sweep();
    }
    /// Every finite value of FP32 is asked under a drawn scale.
    [[nodiscard]] bool draws(const Quantize& quantize) const {
        return asks_every_value(options_.level) && !options_.only() && subject_.can_sweep() && !is_narrow(quantize);
    }
    /// Runs the cases of a suite, or the one that is given, and judges each answer; `judge_case` gives what is wrong in
    /// the words of a report, `explain` what is known to give the answers to the smaller cases.
    template <class Case, class CaseOf, class Ask, class JudgeCase, class Explain>
    void judge_cases(std::vector<Case> cases, const std::vector<const Profile*>& profiles, CaseOf case_of, Ask ask,
                     JudgeCase judge_case, Explain explain);
    /// Runs matrices that are the ring again and again, and compares with the answers to the ring alone, which the
    /// cases have. A row of "blocks" that is wrong already is left as it is.
    template <class Case, class Of>
    void compare_sizes(const Of& of, const Case& ring, const std::vector<bool>& of_blocks);

    /// Says of the rows of the scales that fail which known way to join values to blocks they come from.
    void explain_scale_rows(const Quantize& quantize, unsigned block, const std::vector<const Profile*>& profiles,
                            const std::vector<Judge>& scales, const std::vector<Judge>& elements);

    Subject& subject_;
    const Operation& operation_;
    const CertifyOptions& options_;
    std::vector<Row> rows_;
    std::vector<Code> amaxes_;     ///< whose scales were asked for, one by one; none where every input was
    std::uint64_t first_amax_ = 0; ///< the number of the first of them
    bool drawn_ = false;           ///< every finite value was asked under a drawn scale
};

void Certifier::judge_table(const char* part, const Observation& seen, const std::vector<Judge>& judges, bool sample,
                            const char* asked, const std::string& total) {
    for (const Judge& by : judges) {
        Row& row = rows_.emplace_back(judge_by(by, seen, options_));
        row.id = id(part);
        row.operation = to_string(operation_);
        row.sample = sample;
        row.asked = asked;
        row.total = total.empty() ? std::to_string(row.compared) : total;
    }
}

// A judge that finds nothing must find a wrong bit in the last output: a verdict is only given by one that can fail.
template <class Case, class JudgeCase>
bool finds_planted(const JudgeCase& judge_case, std::size_t by, const Case& one, std::vector<Values> outputs) {
    Values& last = outputs.back();
    last.set(last.count() - 1, last.get(last.count() - 1) ^ 1);
    return !judge_case(by, one, outputs).empty();
}

void add(std::string& list, const std::string& text) {
    if (!text.empty()) list += (list.empty() ? "" : "; ") + text;
}

template <class Case, class CaseOf, class Ask, class JudgeCase, class Explain>
void Certifier::judge_cases(std::vector<Case> cases, const std::vector<const Profile*>& profiles, CaseOf case_of,
                            Ask ask, JudgeCase judge_case, Explain explain) {
    if (const auto given = given_case(operation_, options_)) cases = {case_of(*given)};
    constexpr std::uint64_t largest_kept = 1U << 18U; // elements of a case that is kept to name what is wrong
    std::vector<JoinSeen<Case>> seen;
    std::vector<Row> rows;
    for (const Profile* profile : profiles) {
        Row& row = rows.emplace_back();
        row.id = id("blocks");
        row.operation = to_string(operation_);
        row.profile = profile->name;
        row.status = Status::pass;
        row.sample = is_small(options_.level);
    }
    std::vector<Smallest> smallest(rows.size());
    std::vector<Refusals> sizes(rows.size());
    const auto refuses_all = [&](const Case& one) {
        return !profiles.empty() && std::all_of(profiles.begin(), profiles.end(), [&](const Profile* profile) {
            return refuses(*profile, one.matrix.extent());
        });
    };
    std::string refused;
    std::string digest;
    for (std::size_t number = 0; number < cases.size(); ++number) {
        if (options_.only() && *options_.only() != number) continue;
        Case& one = cases[number];
        if (is_small(options_.level) && !is_small_case(operation_, "blocks", one.name)) continue;
        RunCase asked = ask(one);
        asked.row = "blocks";
        asked.name = one.name;
        RunAnswer answer = subject_.run(operation_, asked);
        if (answer.status == Status::unsupported && refuses_all(one) && !one.matrix.has_tail()) {
            for (Refusals& of_profile : sizes) ++of_profile.refused;
            one = filled(std::move(one));
            if (refuses_all(one)) continue;
            asked = ask(one);
            asked.row = "blocks";
            asked.name = one.name;
            answer = subject_.run(operation_, asked);
        }
        if (answer.status == Status::unsupported && one.matrix.has_tail()) {
            refused += (refused.empty() ? "refused, as it may: " : "; ") + one.name;
            continue;
        }
        if (answer.status == Status::pass)
            for (const Values& output : answer.outputs) digest = digest_after(digest, output);
        for (std::size_t by = 0; by < rows.size(); ++by) {
            Row& row = rows[by];
            if (answer.status != Status::pass) {
                if (row.status == Status::pass) row.status = answer.status;
                if (row.reason.empty()) {
                    row.reason = fmt::format("{}: {}", one.name, answer.reason);
                    note_end(row, subject_, operation_, asked, answer.status, number);
                }
                row.detail = answer.detail;
                continue;
            }
            if (by == 0 && one.matrix.elements() <= largest_kept) seen.push_back({&one, answer.outputs});
            if (refuses(*profiles[by], one.matrix.extent())) sizes[by].answer(one.name);
            const std::vector<std::string> faults = judge_case(by, one, answer.outputs);
            if (!faults.empty() && options_.shrinks(subject_)) smallest[by].take(asked);
            row.compared += one.matrix.elements();
            row.repeated += one.matrix.elements();
            row.differing += faults.size();
            for (const std::string& fault : faults) {
                if (row.faults.size() == options_.max_failures) break;
                row.faults.push_back(fault);
                row.cases.push_back(number);
            }
            if (faults.empty() && !finds_planted(judge_case, by, one, answer.outputs)) {
                row.status = Status::untested;
                row.reason = "a wrong bit that was planted in the last output was not found";
            }
        }
        if (answer.status != Status::pass && answer.status != Status::unsupported) break;
    }
    for (std::size_t by = 0; by < rows.size(); ++by) {
        Row& row = rows[by];
        if (row.differing != 0) {
            row.status = Status::fail;
            row.known_as = explain(by, std::span<const JoinSeen<Case>>(seen));
            row.reason = fmt::format("{} with what is not permitted", counted(row.differing, "block"));
            row.reason += it_is(row.known_as);
            if (options_.shrinks(subject_))
                row.smallest = smallest[by].find(
                    form_of(operation_),
                    [&](const GivenCase& given) {
                        const Case one = case_of(given);
                        const auto outputs = outputs_of(subject_, operation_, ask(one));
                        return outputs ? judge_case(by, one, *outputs) : std::vector<std::string>();
                    },
                    [&] { return options_.stopped(); });
        } else if (row.compared == 0 && row.status == Status::pass) {
            row.status = Status::untested;
            row.reason = nothing_compared(options_, cases.size());
        }
        if (row.status == Status::pass) {
            row.reason = refused;
            add(row.reason, sizes[by].text());
        }
        row.observed_sha256 = digest;
        rows_.push_back(std::move(row));
    }
}

template <class Case, class Of>
void Certifier::compare_sizes(const Of& of, const Case& ring, const std::vector<bool>& of_blocks) {
    const std::vector<Row*> rows = rows_with_sizes(operation_, options_, rows_);
    if (rows.empty()) return;
    constexpr std::uint64_t group = 128; // lines that anyone takes
    std::vector<SizeQuestion> questions;
    for (const bool is_filled : {false, true}) {
        const Case one = is_filled ? filled(ring) : ring;
        RunCase small = run_of(of, one);
        small.row = "blocks";
        small.name = fmt::format("{} lines of {}", one.matrix.lines, one.matrix.length);
        questions.push_back(
            {small, [=, matrix = one.matrix, level = options_.level](const std::vector<Values>& answers) {
                 std::vector<RepeatedRun> runs;
                 for (const BlockMatrix& large :
                      large_matrices(matrix.axis, matrix.block, level, is_filled ? group : 1))
                     runs.push_back(large_run(matrix, small, answers, large, of_blocks));
                 return runs;
             }});
    }
    certify_sizes(subject_, operation_, questions, rows);
}

// What the first of them permits; nothing where a suite is asked without being judged.
const PermitTable* table_of(const std::vector<Judge>& judges) {
    return judges.empty() ? nullptr : &judges.front().permitted;
}

// Those that show the bugs planted in the scale, and single-bit neighbours.
std::vector<Code> few_amaxes(const Quantize& quantize, Code largest, const std::vector<Judge>& scales,
                             std::uint64_t seed) {
    std::vector<Code> amaxes = small_suite(quantize.scale, scales, 0, seed).inputs;
    std::erase_if(amaxes, [&](Code amax) { return amax > largest; });
    return amaxes;
}

// Every amax up to the largest; of FP32 a sample, unless every input is wanted.
Observation Certifier::scales_of(const Quantize& quantize, unsigned block, Code largest,
                                 const std::vector<Code>& firsts, const std::vector<Judge>& scales,
                                 std::optional<std::uint64_t> alone) {
    const PermitTable* permitted = table_of(scales);
    if (!is_narrow(quantize) && sweeps()) return sweep_scales(subject_, operation_, block, {0, largest}, permitted);
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
Observation Certifier::elements_of(const Quantize& quantize, unsigned block, const std::vector<Code>& amaxes,
                                   const std::vector<Code>& firsts, const std::vector<Judge>& judges,
                                   std::optional<std::uint64_t> alone) {
    const std::vector<CodeRange> ranges = reachable_pairs(*quantize.element.from, amaxes);
    if (!is_narrow(quantize) && sweeps())
        return sweep_elements(subject_, operation_, block, ranges, amaxes, table_of(judges));
    std::vector<Code> codes = is_small(options_.level)
                                  ? few_pairs(quantize, firsts, ranges, options_.seed)
                                  : pairs_to_ask(quantize, ranges, firsts, {options_.samples_per_step, options_.seed});
    if (alone) {
        const bool reached = std::any_of(ranges.begin(), ranges.end(), [&](const CodeRange& range) {
            return range.first <= *alone && *alone <= range.last;
        });
        codes.assign(reached ? 1 : 0, *alone);
    }
    if (!draws(quantize)) return observe_elements(subject_, operation_, block, codes, amaxes);
    const std::vector<CodeRange> drawn = drawn_pairs(quantize, amaxes, options_.seed);
    Observation seen = observe_elements(subject_, operation_, block, codes_outside(drawn, codes), amaxes);
    // What every profile finds wrong already is not asked of billions of values.
    const bool is_wrong = std::all_of(judges.begin(), judges.end(), [&](const Judge& by) {
        return !differences_of(seen.partial, by.permitted).empty();
    });
    if (seen.status != Status::pass || is_wrong) return seen;
    drawn_ = true;
    return joined(seen, sweep_elements(subject_, operation_, block, drawn, amaxes, table_of(judges)));
}

void Certifier::explain_scale_rows(const Quantize& quantize, unsigned block,
                                   const std::vector<const Profile*>& profiles, const std::vector<Judge>& scales,
                                   const std::vector<Judge>& elements) {
    // A single input says nothing of lanes, and what is recorded cannot be asked again.
    if (amaxes_.size() < 2 || options_.recorded || subject_.is_record()) return;
    const std::size_t first = rows_.size() - scales.size();
    for (std::size_t by = 0; by < scales.size(); ++by) {
        Row& row = rows_[first + by];
        if (row.status != Status::fail) continue;
        const QuantizeRules rules{&quantize, profiles[by], &scales[by].permitted, &elements[by].permitted};
        row.known_as = explain_scales(subject_, operation_, rules, block, amaxes_, first_amax_);
        row.reason += it_is(row.known_as);
    }
}

void Certifier::quantize_tables(const Quantize& quantize, unsigned block, const std::vector<const Profile*>& profiles,
                                const std::vector<Judge>& scales, const std::vector<Judge>& elements,
                                GoldenSource& golden) {
    // What is asked for must not depend on who judges where it is recorded.
    const std::vector<const Profile*> askers = options_.recorded ? judging(operation_) : profiles;
    const auto firsts = [&](const Conversion& conversion, const std::vector<Judge>& judges) {
        return options_.recorded ? all_boundaries(conversion, askers, golden) : boundaries(judges);
    };
    const std::optional<std::uint64_t> only = options_.only();
    // What is recorded has no answer to one input alone.
    const std::optional<std::uint64_t> alone = options_.recorded ? std::nullopt : only;
    const Format& amax = *quantize.scale.from;
    const bool sample = is_small(options_.level) || (!is_narrow(quantize) && !sweeps());
    // Where an Inf may be left out of the amax it is none: the cases have it.
    const bool inf_counts = std::all_of(askers.begin(), askers.end(), [](const Profile* profile) {
        return std::all_of(profile->amax_inf.begin(), profile->amax_inf.end(),
                           [](AmaxInf inf) { return inf == AmaxInf::counted; });
    });
    const Code largest = inf_counts ? amax.inf_code() : amax.max_code();
    Observation seen = scales_of(quantize, block, largest, firsts(quantize.scale, scales), scales,
                                 wanted("scale") ? alone : std::nullopt);
    if (only && wanted("scale")) keep_only(*only, seen);
    if (wanted("scale")) {
        judge_table("scale", seen, scales, sample, sample ? "a sample" : "every amax", std::to_string(largest + 1));
        explain_scale_rows(quantize, block, profiles, scales, elements);
    }
    if (!wanted("elements") || block == 1) return;

    Observation of_elements;
    std::string pairs;
    if (seen.status == Status::pass) {
        std::vector<Code> amaxes = amax_of_each_scale(quantize, seen.partial);
        Code reachable = 0;
        for (const CodeRange& range : reachable_pairs(*quantize.element.from, amaxes))
            reachable += range.last - range.first + 1;
        pairs = std::to_string(reachable);
        if (is_small(options_.level)) keep_few_scales(*quantize.element.from->scale, amaxes);
        of_elements = elements_of(quantize, block, amaxes, firsts(quantize.element, elements), elements, alone);
    } else {
        of_elements = seen;
        of_elements.conversion = quantize.element;
        of_elements.partial.clear();
        of_elements.reason = "no scale is known: " + seen.reason;
    }
    if (only) keep_only(*only, of_elements);
    const char* const asked = !sample  ? "every reachable pair of a scale and a value"
                              : drawn_ ? "each finite value under a drawn scale, and a sample"
                                       : "a sample";
    judge_table("elements", of_elements, elements, sample, asked, pairs);
}

std::vector<Row> Certifier::quantize(const std::vector<const Profile*>& profiles, GoldenSource& golden) {
    const Quantize quantize = as_quantize(operation_);
    const unsigned block = asked_block(quantize.block);
    const std::vector<Judge> scales = judges_of(quantize.scale, profiles, golden);
    const std::vector<Judge> elements = judges_of(quantize.element, profiles, golden);
    if (wanted("scale") || (wanted("elements") && block > 1))
        quantize_tables(quantize, block, profiles, scales, elements, golden);
    if (wanted("blocks")) {
        std::vector<QuantizeCase> cases = quantize_cases(quantize, block);
        const QuantizeCase ring = ring_case(quantize, block);
        if (!is_small(options_.level)) cases.push_back(ring);
        if (asks_every_pair(options_.level)) cases.push_back(large_case(quantize, block));
        const auto rules = [&](std::size_t profile) {
            return QuantizeRules{&quantize, profiles[profile], &scales[profile].permitted,
                                 &elements[profile].permitted};
        };
        judge_cases(
            std::move(cases), profiles, [&](const GivenCase& given) { return case_of(quantize, given); },
            [&](const QuantizeCase& one) { return run_of(quantize, one); },
            [&](std::size_t profile, const QuantizeCase& one, const std::vector<Values>& outputs) {
                std::vector<std::string> texts;
                for (const BlockFault& fault : judge(rules(profile), one, outputs))
                    texts.push_back(fmt::format("{}, block {}: {}", one.title(fault.line), fault.block, fault.text));
                return texts;
            },
            [&](std::size_t profile, std::span<const JoinSeen<QuantizeCase>> seen) {
                return known_as(rules(profile), seen);
            });
        compare_sizes(quantize, ring, {false, false, true});
    }
    return std::move(rows_);
}

std::vector<Row> Certifier::dequantize(const std::vector<const Profile*>& profiles, GoldenSource& golden) {
    const Dequantize dequantize = as_dequantize(operation_);
    const unsigned block = asked_block(dequantize.block);
    const std::vector<Judge> values = judges_of(dequantize.value, profiles, golden);
    if (wanted("values")) {
        Observation seen = observe_values(subject_, operation_, block);
        if (options_.only()) keep_only(*options_.only(), seen);
        judge_table("values", seen, values, false);
    }
    if (wanted("blocks")) {
        std::vector<DequantizeCase> cases = dequantize_cases(dequantize, block);
        const DequantizeCase ring = ring_case(dequantize, block);
        if (!is_small(options_.level)) cases.push_back(ring);
        if (asks_every_pair(options_.level)) cases.push_back(large_case(dequantize, block));
        judge_cases(
            std::move(cases), profiles, [&](const GivenCase& given) { return case_of(dequantize, given); },
            [&](const DequantizeCase& one) { return run_of(dequantize, one); },
            [&](std::size_t profile, const DequantizeCase& one, const std::vector<Values>& outputs) {
                std::vector<std::string> texts;
                for (const BlockFault& fault : judge(values[profile].permitted, one, outputs))
                    texts.push_back(
                        fmt::format("{}: line {}, block {}: {}", one.name, fault.line, fault.block, fault.text));
                return texts;
            },
            [&](std::size_t profile, std::span<const JoinSeen<DequantizeCase>> seen) {
                return known_as(values[profile].permitted, seen);
            });
        compare_sizes(dequantize, ring, {false, true, false});
    }
    return std::move(rows_);
}

} // namespace

std::vector<Row> certify_quantize(Subject& subject, const Operation& operation,
                                  const std::vector<const Profile*>& profiles, GoldenSource& golden,
                                  const CertifyOptions& options) {
    return Certifier(subject, operation, options).quantize(profiles, golden);
}

std::vector<Row> certify_dequantize(Subject& subject, const Operation& operation,
                                    const std::vector<const Profile*>& profiles, GoldenSource& golden,
                                    const CertifyOptions& options) {
    return Certifier(subject, operation, options).dequantize(profiles, golden);
}

} // namespace mxcert
