// SPDX-License-Identifier: Apache-2.0
#include "conformance/blocks/certify.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "conformance/blocks/cases.hpp"
#include "conformance/blocks/judge.hpp"
#include "conformance/blocks/layout.hpp"
#include "conformance/blocks/observe.hpp"
#include "conformance/certify_stochastic.hpp"
#include "conformance/sample.hpp"
#include "conformance/text.hpp"
#include "vectors/golden.hpp"
#include "vectors/sha256.hpp"

namespace mxcert {
namespace {

/// The size of the blocks that are asked where a backend takes any: MX v1.0 5.1.
constexpr unsigned usual_block = 32;

/// What a profile permits one conversion.
struct Permitted {
    const Profile* profile;
    PermitTable table;
    const GoldenUsed* golden;
};

std::vector<Permitted> permitted_by(const std::vector<const Profile*>& profiles, const Conversion& conversion,
                                    GoldenSource& golden) {
    std::vector<Permitted> all;
    const GoldenUsed& used = golden.get(*conversion.from, *conversion.to);
    for (const Profile* profile : profiles) all.push_back({profile, select(used.golden, *profile, conversion), &used});
    return all;
}

/// First inputs of the steps of any table, ascending.
std::vector<Code> boundaries(const std::vector<Permitted>& judges) {
    std::vector<Code> all;
    for (const Permitted& judge : judges) {
        const std::vector<Code> some = firsts_of(judge.table);
        all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
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
    [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

    void judge_table(const char* part, const Observation& seen, const std::vector<Permitted>& judges, bool sample);
    /// Runs the cases of a suite and judges each answer; `judge` gives what is wrong in the words of a report.
    template <class Case, class Ask, class JudgeCase> void judge_cases(const std::vector<Case>& cases,
                                                                       const std::vector<const Profile*>& profiles,
                                                                       Ask ask, JudgeCase judge_case);

    Subject& subject_;
    const Operation& operation_;
    const CertifyOptions& options_;
    std::vector<Row> rows_;
};

void Certifier::judge_table(const char* part, const Observation& seen, const std::vector<Permitted>& judges,
                            bool sample) {
    for (const Permitted& by : judges) {
        Row row;
        try {
            row = judge(seen, by.table, options_.max_failures);
        } catch (const std::exception& error) {
            row.status = Status::untested; // a comparison that cannot be trusted has compared nothing
            row.reason = error.what();
        }
        row.id = id(part);
        row.operation = to_string(operation_);
        row.sample = sample;
        row.profile = by.profile->name;
        row.golden = by.golden->name;
        row.golden_sha256 = by.golden->sha256;
        rows_.push_back(std::move(row));
    }
}

RunCase run_of(const Quantize& quantize, const QuantizeCase& one) {
    RunCase asked;
    asked.shape = one.matrix.shape();
    asked.inputs = {Values(one.matrix.elements(), static_cast<unsigned>(quantize.format.value->bytes()))};
    asked.outputs = {Values(one.matrix.elements(), 1), Values(one.matrix.blocks(), 1)};
    for (std::uint64_t line = 0; line < one.matrix.lines; ++line)
        for (std::uint64_t at = 0; at < one.matrix.length; ++at)
            asked.inputs[0].set(one.matrix.place(line, at), one.values[line * one.matrix.length + at]);
    return asked;
}

RunCase run_of(const Dequantize& dequantize, const DequantizeCase& one) {
    RunCase asked;
    asked.shape = one.matrix.shape();
    asked.inputs = {Values(one.matrix.elements(), 1), Values(one.matrix.blocks(), 1)};
    asked.outputs = {Values(one.matrix.elements(), static_cast<unsigned>(dequantize.value.to->bytes()))};
    for (std::uint64_t line = 0; line < one.matrix.lines; ++line) {
        for (std::uint64_t at = 0; at < one.matrix.length; ++at)
            asked.inputs[0].set(one.matrix.place(line, at), one.elements[line * one.matrix.length + at]);
        for (std::uint64_t b = 0; b < one.matrix.blocks_in_line(); ++b)
            asked.inputs[1].set(one.matrix.scale_place(line, b), one.scales[line * one.matrix.blocks_in_line() + b]);
    }
    return asked;
}

// A judge that finds nothing must find a wrong bit in the last output: a verdict is only given by one that can fail.
template <class JudgeCase>
bool finds_planted(const JudgeCase& judge_case, std::size_t by, std::size_t number, std::vector<Values> outputs) {
    Values& last = outputs.back();
    last.set(last.count() - 1, last.get(last.count() - 1) ^ 1);
    return !judge_case(by, number, outputs).empty();
}

template <class Case, class Ask, class JudgeCase>
void Certifier::judge_cases(const std::vector<Case>& cases, const std::vector<const Profile*>& profiles, Ask ask,
                            JudgeCase judge_case) {
    std::vector<Row> rows;
    for (const Profile* profile : profiles) {
        Row& row = rows.emplace_back();
        row.id = id("blocks");
        row.operation = to_string(operation_);
        row.profile = profile->name;
        row.status = Status::pass;
    }
    std::string refused;
    std::string digest;
    for (std::size_t number = 0; number < cases.size(); ++number) {
        const Case& one = cases[number];
        const RunAnswer answer =
            stopped() ? RunAnswer{Status::incomplete, "stopped", {}, {}} : subject_.run(operation_, ask(one));
        const bool has_tail = one.matrix.length % one.matrix.block != 0;
        if (answer.status == Status::unsupported && has_tail) {
            refused += (refused.empty() ? "refused, as it may: " : "; ") + one.name;
            continue;
        }
        if (answer.status == Status::pass)
            for (const Values& output : answer.outputs)
                digest = sha256(
                    digest + std::string(reinterpret_cast<const char*>(output.bytes().data()), output.bytes().size()));
        for (std::size_t by = 0; by < rows.size(); ++by) {
            Row& row = rows[by];
            if (answer.status != Status::pass) {
                if (row.status == Status::pass) row.status = answer.status;
                if (row.reason.empty()) row.reason = fmt::format("{}: {}", one.name, answer.reason);
                row.detail = answer.detail;
                continue;
            }
            const std::vector<std::string> faults = judge_case(by, number, answer.outputs);
            row.compared += one.matrix.elements();
            row.repeated += one.matrix.elements();
            row.differing += faults.size();
            for (const std::string& fault : faults)
                if (row.faults.size() < options_.max_failures) row.faults.push_back(fault);
            if (faults.empty() && !finds_planted(judge_case, by, number, answer.outputs)) {
                row.status = Status::untested;
                row.reason = "a wrong bit that was planted in the last output was not found";
            }
        }
        if (answer.status != Status::pass && answer.status != Status::unsupported) break;
    }
    for (Row& row : rows) {
        if (row.differing != 0) {
            row.status = Status::fail;
            row.reason = fmt::format("{} with what is not permitted", counted(row.differing, "block"));
        } else if (row.compared == 0 && row.status == Status::pass) {
            row.status = Status::untested;
            row.reason = "nothing was compared";
        }
        if (row.status == Status::pass) row.reason = refused;
        row.observed_sha256 = digest;
        rows_.push_back(std::move(row));
    }
}

std::vector<Row> Certifier::quantize(const std::vector<const Profile*>& profiles, GoldenSource& golden) {
    const Quantize quantize = as_quantize(operation_);
    const unsigned block = quantize.block == 0 ? usual_block : quantize.block;
    const std::vector<Permitted> scales = permitted_by(profiles, quantize.scale, golden);
    const std::vector<Permitted> elements = permitted_by(profiles, quantize.element, golden);
    const Format& amax = *quantize.scale.from;
    const Format& by = *quantize.element.from;
    const bool narrow = quantize.format.value->width() <= 16;

    const bool elements_wanted = wanted("elements") && block > 1;
    if (wanted("scale") || elements_wanted) {
        std::vector<Code> amaxes;
        // Where an Inf may be left out of the amax it is none: the cases have it.
        const bool inf_counts = std::all_of(profiles.begin(), profiles.end(), [](const Profile* profile) {
            return std::all_of(profile->amax_inf.begin(), profile->amax_inf.end(),
                               [](AmaxInf inf) { return inf == AmaxInf::counted; });
        });
        const Code largest = inf_counts ? amax.inf_code() : amax.max_code();
        if (narrow)
            for (Code code = 0; code <= largest; ++code) amaxes.push_back(code);
        else
            for (const Point& point :
                 choose_points(boundaries(scales), amax.last_code(), options_.samples_per_step, options_.seed))
                if (point.input <= largest) amaxes.push_back(point.input);
        const Observation seen = observe_scales(subject_, operation_, block, amaxes);
        if (wanted("scale")) judge_table("scale", seen, scales, !narrow);

        if (elements_wanted) {
            std::vector<Code> amax_of_scale(by.scale->last_code() + 1, no_amax);
            for (const Step& step : seen.partial) amax_of_scale[step.code] = step.last;
            const auto reachable = [&](Code code) {
                const Code of_scale = amax_of_scale[by.scale_of(code)];
                const Code magnitude = by.value_of(code) & by.magnitude_mask();
                return of_scale != no_amax && magnitude <= of_scale && magnitude <= by.max_code();
            };
            std::vector<Code> codes;
            if (narrow) {
                for (Code code = 0; code <= by.last_code(); ++code)
                    if (reachable(code)) codes.push_back(code);
            } else {
                for (const Point& point :
                     choose_points(boundaries(elements), by.last_code(), options_.samples_per_step, options_.seed))
                    if (reachable(point.input)) codes.push_back(point.input);
            }
            Observation of_elements;
            if (seen.status == Status::pass) {
                of_elements = observe_elements(subject_, operation_, block, codes, amax_of_scale);
            } else {
                of_elements = seen;
                of_elements.conversion = quantize.element;
                of_elements.partial.clear();
                of_elements.reason = "no scale is known: " + seen.reason;
            }
            judge_table("elements", of_elements, elements, !narrow);
        }
    }
    if (wanted("blocks")) {
        const std::vector<QuantizeCase> cases = quantize_cases(quantize, block);
        judge_cases(
            cases, profiles, [&](const QuantizeCase& one) { return run_of(quantize, one); },
            [&](std::size_t profile, std::size_t number, const std::vector<Values>& outputs) {
                const QuantizeRules rules{&quantize, profiles[profile], &scales[profile].table,
                                          &elements[profile].table};
                std::vector<std::string> texts;
                for (const BlockFault& fault : judge(rules, cases[number], outputs))
                    texts.push_back(
                        fmt::format("{}, block {}: {}", cases[number].title(fault.line), fault.block, fault.text));
                return texts;
            });
    }
    return std::move(rows_);
}

std::vector<Row> Certifier::dequantize(const std::vector<const Profile*>& profiles, GoldenSource& golden) {
    const Dequantize dequantize = as_dequantize(operation_);
    const unsigned block = dequantize.block == 0 ? usual_block : dequantize.block;
    const std::vector<Permitted> values = permitted_by(profiles, dequantize.value, golden);
    if (wanted("values")) judge_table("values", observe_values(subject_, operation_, block), values, false);
    if (wanted("blocks")) {
        const std::vector<DequantizeCase> cases = dequantize_cases(dequantize, block);
        judge_cases(
            cases, profiles, [&](const DequantizeCase& one) { return run_of(dequantize, one); },
            [&](std::size_t profile, std::size_t number, const std::vector<Values>& outputs) {
                std::vector<std::string> texts;
                for (const BlockFault& fault : judge(values[profile].table, cases[number], outputs))
                    texts.push_back(fmt::format("{}: line {}, block {}: {}", cases[number].name, fault.line,
                                                fault.block, fault.text));
                return texts;
            });
    }
    return std::move(rows_);
}

} // namespace

std::vector<std::string> row_ids(const Operation& operation) {
    const std::string name = to_string(operation);
    if (operation.info->name == "layout") return {name + "/places"};
    if (operation.info->name == "stochastic") return {name + "/distribution"};
    if (operation.info->name == "dequantize") return {name + "/values", name + "/blocks"};
    return {name + "/scale", name + "/elements", name + "/blocks"};
}

std::vector<Row> certify_operation(Subject& subject, const Operation& operation,
                                   const std::vector<const Profile*>& profiles, GoldenSource& golden,
                                   const CertifyOptions& options) {
    std::vector<const Profile*> judges;
    std::copy_if(profiles.begin(), profiles.end(), std::back_inserter(judges),
                 [&](const Profile* profile) { return covers(*profile, operation); });
    if (judges.empty()) return {};
    if (operation.info->name == "layout") return certify_layout(subject, operation, judges, options);
    if (operation.info->name == "stochastic") return certify_stochastic(subject, operation, judges, options);
    Certifier certifier(subject, operation, options);
    return operation.info->name == "dequantize" ? certifier.dequantize(judges, golden)
                                                : certifier.quantize(judges, golden);
}

} // namespace mxcert
