// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/blocks/identify.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "conformance/diagnose/find_behaviour.hpp"
#include "conformance/identify/identify_conversion.hpp"
#include "conformance/suites/asked.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/blocks/find_joining.hpp"
#include "conformance/suites/blocks/judge.hpp"
#include "conformance/suites/blocks/reading.hpp"
#include "conformance/suites/blocks/sweep.hpp"
#include "conformance/suites/blocks/table_cases.hpp"

namespace mxcert::suites {
namespace {

constexpr Sampling sampling{16, 1};
constexpr std::uint64_t largest_case = 1U << 18U; // elements

std::uint64_t missed(const diagnose::FoundBehaviour& found) { return found.asked - found.explained; }

/// A function, and how it was read.
struct Read {
    Reading reading;
    diagnose::FoundBehaviour found;
};

std::uint64_t inputs_of(const Reading& reading) {
    std::uint64_t inputs = 0;
    for (const Step& step : reading.steps) inputs += step.last - step.first + 1;
    return inputs;
}

/// How often the answers fall along the inputs: seldom, if these are what decides them.
std::uint64_t falls_of(const Reading& reading) {
    std::uint64_t falls = reading.contradictions.size();
    for (std::size_t i = 1; i < reading.steps.size(); ++i)
        falls += reading.steps[i].code < reading.steps[i - 1].code ? 1 : 0;
    return falls;
}

/// The inputs of a reading that are not what a Behaviour gives.
std::uint64_t differing(const Reading& reading, const diagnose::FoundBehaviour& found) {
    const StepTable table = diagnose::table_of(found);
    std::uint64_t count = 0;
    for (const Step& step : reading.steps)
        count += table.steps[find_step(table, step.first)].code != step.code ? step.last - step.first + 1 : 0;
    return count;
}

/// Reads the answers as they should be; where that is no Behaviour, by every fault that changes the reading. Of those
/// with the fewest falls one is taken that leaves a tenth of what was unexplained.
Read read_best(const Conversion& conversion, std::string_view part,
               const std::function<Reading(const JoinFault&)>& read,
               const std::function<bool(const JoinFault&)>& changes) {
    Reading plain = read({});
    // No Behaviour is near a tangle, and to look for one takes long.
    const bool tangled = falls_of(plain) > inputs_of(plain) / 8;
    diagnose::FoundBehaviour of_plain;
    if (!tangled) {
        of_plain = behaviour_of(conversion, plain);
        if (missed(of_plain) == 0) return {std::move(plain), std::move(of_plain)};
    }
    std::vector<Reading> others;
    std::uint64_t fewest = falls_of(plain);
    for (const JoinFault& fault : join_faults()) {
        if (!changes(fault) || fault.of_tails) continue;
        Reading other_reading = read(fault);
        if (other_reading.steps.empty() || other_reading.steps == plain.steps) continue;
        fewest = std::min(fewest, falls_of(other_reading));
        others.push_back(std::move(other_reading));
    }
    std::optional<Read> best;
    for (Reading& other_reading : others) {
        if (falls_of(other_reading) > fewest + fewest / 4) continue;
        diagnose::FoundBehaviour found = behaviour_of(conversion, other_reading);
        if (best && missed(found) >= missed(best->found)) continue;
        best = Read{std::move(other_reading), std::move(found)};
    }
    if (!best || (!tangled && missed(best->found) > missed(of_plain) / 10)) {
        if (tangled) of_plain = behaviour_of(conversion, plain);
        return {std::move(plain), std::move(of_plain)};
    }
    diagnose::FoundParameter& parameter = best->found.parameters.emplace_back();
    parameter.name = part;
    parameter.value = best->reading.way;
    parameter.decided_by = differing(plain, best->found);
    best->found.sample = true; // what it makes of the inputs are not those that were meant
    return std::move(*best);
}

/// How many blocks of all each profile does not permit. `judge_case(profile, seen)`: how many of a case.
template <class Case, class JudgeCase>
std::vector<diagnose::FoundProfile> block_profiles(const std::vector<const Profile*>& profiles,
                                                   const std::vector<JoinSeen<Case>>& seen,
                                                   const JudgeCase& judge_case) {
    std::vector<diagnose::FoundProfile> found;
    for (std::size_t i = 0; i < profiles.size(); ++i) {
        diagnose::FoundProfile& found_profile = found.emplace_back(diagnose::FoundProfile{profiles[i]->name, 0, {}});
        for (const JoinSeen<Case>& some_seen : seen) found_profile.differing += judge_case(i, some_seen);
    }
    identify::sort_by_differing(found);
    return found;
}

/// What became of the matrices with a tail.
template <class Case> void say_refused(FoundCases& found, const Asked<Case>& asked_case) {
    found.refused = asked_case.refused;
    const bool taken = std::any_of(asked_case.seen.begin(), asked_case.seen.end(), [](const JoinSeen<Case>& seen) {
        return seen.asked->matrix.length > seen.asked->matrix.block && seen.asked->matrix.has_tail();
    });
    if (asked_case.refused.empty() || taken) return;
    for (diagnose::FoundParameter& parameter : found.parameters)
        if (parameter.name == "tail") parameter = {parameter.name, "refused", asked_case.refused_blocks, {}};
}

using SeenBlocks = std::span<const JoinSeen<QuantizeCase>>;

Read read_best_scales(const Quantize& quantize, SeenBlocks seen) {
    const Code inf = quantize.scale.from->inf_code();
    // An Inf may be left out of the amax: then it has no scale, and the blocks show that.
    const auto read = [&](const JoinFault& way, bool with_inf) {
        Reading reading = read_scales(quantize, seen, way);
        if (!with_inf && !reading.steps.empty() && reading.steps.back().last == inf) {
            Step& last = reading.steps.back();
            if (last.first == inf)
                reading.steps.pop_back();
            else
                --last.last;
            std::erase_if(reading.contradictions, [&](const auto& item) { return item.first == inf; });
        }
        return reading;
    };
    const auto best = [&](bool with_inf) {
        return read_best(
            quantize.scale, "amax", [&](const JoinFault& way) { return read(way, with_inf); },
            [](const JoinFault& fault) { return fault.seen != nullptr; });
    };
    Read found = best(true);
    const std::vector<diagnose::Unexplained>& wrong = found.found.unexplained;
    return missed(found.found) == 1 && wrong.size() == 1 && wrong.front().first == inf ? best(false) : found;
}

Read read_best_elements(const Quantize& quantize, SeenBlocks seen) {
    return read_best(
        quantize.element, "lanes", [&](const JoinFault& way) { return read_elements(quantize, seen, way); },
        [](const JoinFault& fault) { return fault.lane != nullptr; });
}

/// A quantizer on its way to what explains it.
class Identifier {
  public:
    Identifier(observe::Subject& subject, const Operation& operation, verdict::GoldenSource& golden)
        : subject_(subject), operation_(operation), quantize_(as_quantize(operation)),
          block_(asked_block(quantize_.block)), profiles_(judging(operation)),
          scale_judges_(verdict::judges_of(quantize_.scale, profiles_, golden)),
          element_judges_(verdict::judges_of(quantize_.element, profiles_, golden)) {}

    [[nodiscard]] FoundQuantizer find(const std::optional<Choices>& known_element);

  private:
    void find_elements(const std::vector<Step>& scales, const Asked<QuantizeCase>& blocks);
    void find_blocks(const Asked<QuantizeCase>& asked_case);
    void ask_scales(Asked<QuantizeCase>& asked_case) const;
    void ask_elements(Asked<QuantizeCase>& asked_case, const std::vector<Step>& scales) const;

    observe::Subject& subject_;
    const Operation& operation_;
    Quantize quantize_;
    unsigned block_;
    std::vector<const Profile*> profiles_;
    std::vector<verdict::Judge> scale_judges_;
    std::vector<verdict::Judge> element_judges_;
    FoundQuantizer found_;
};

void Identifier::ask_scales(Asked<QuantizeCase>& asked_case) const {
    std::vector<Code> firsts;
    if (!is_narrow(quantize_))
        firsts = united(firsts_of_all_rules(quantize_.scale), verdict::boundaries(scale_judges_));
    const std::vector<Code> amaxes = amaxes_to_ask(quantize_, quantize_.scale.from->inf_code(), firsts, sampling);
    const AmaxOrder order(quantize_, amaxes);
    for (std::size_t done = 0; done < amaxes.size(); done += blocks_at_once) {
        const std::size_t here = std::min<std::size_t>(blocks_at_once, amaxes.size() - done);
        if (!asked_case.ask(quantize_, scale_case(quantize_, block_, std::span(order.amaxes).subspan(done, here),
                                                  std::span(order.numbers).subspan(done, here))))
            return;
    }
}

void Identifier::ask_elements(Asked<QuantizeCase>& asked_case, const std::vector<Step>& scales) const {
    if (block_ == 1) return;
    const std::vector<Code> amaxes = amax_of_each_scale(quantize_, scales);
    // A table of elements takes seconds: what a sample of each step shows of another rounding is enough.
    std::vector<Code> firsts;
    if (!is_narrow(quantize_)) firsts = verdict::boundaries(element_judges_);
    if (!is_narrow(quantize_) && firsts.empty()) firsts = firsts_of_all_rules(quantize_.element);
    const std::vector<Code> codes =
        pairs_to_ask(quantize_, reachable_pairs(*quantize_.element.from, amaxes), firsts, sampling);
    const ElementOrder order(*quantize_.element.from, codes, block_);
    for (std::size_t first = 0; first < order.lines.size(); first += blocks_at_once)
        if (!asked_case.ask(quantize_, element_case(quantize_, block_, order, first, amaxes).blocks)) return;
}

void Identifier::find_blocks(const Asked<QuantizeCase>& asked_case) {
    FoundCases& found = found_.blocks;
    const PermitTable scale = permits_of(found_.scale);
    const PermitTable element = permits_of(found_.elements);
    std::string operation = std::move(found.operation);
    found = find_joining(quantize_, scale, element, asked_case.seen);
    found.operation = std::move(operation);
    say_refused(found, asked_case);
    found.profiles = block_profiles(profiles_, asked_case.seen, [&](std::size_t i, const JoinSeen<QuantizeCase>& seen) {
        const QuantizeRules rules{&quantize_, profiles_[i], &scale_judges_[i].permitted, &element_judges_[i].permitted};
        return judge(rules, *seen.asked, seen.outputs).size();
    });
}

void Identifier::find_elements(const std::vector<Step>& scales, const Asked<QuantizeCase>& blocks) {
    diagnose::FoundBehaviour& found = found_.elements;
    Asked<QuantizeCase> elements(subject_, operation_, "elements");
    ask_elements(elements, scales);
    take_status(found, block_ == 1 ? blocks : elements); // of one the only value is the amax: the cases have it
    if (found.status != Status::pass) return;
    // NaN and Inf, under the scales that their blocks have, are among the cases.
    std::vector<JoinSeen<QuantizeCase>> both = std::move(elements.seen);
    both.insert(both.end(), blocks.seen.begin(), blocks.seen.end());
    Read read = read_best_elements(quantize_, both);
    std::string name = std::move(found.conversion);
    found = std::move(read.found);
    found.conversion = std::move(name);
    found.sample |= !is_narrow(quantize_) || block_ == 1;
    found.profiles = identify::profiles_of(read.reading.steps, element_judges_);
}

FoundQuantizer Identifier::find(const std::optional<Choices>& known_element) {
    const std::string id = to_string(operation_);
    found_.scale.conversion = id + "/scale";
    found_.elements.conversion = id + "/elements";
    found_.blocks.operation = id + "/blocks";

    Asked<QuantizeCase> scales(subject_, operation_, "scale");
    ask_scales(scales);
    take_status(found_.scale, scales);
    if (scales.status != Status::pass) {
        found_.elements.status = found_.blocks.status = scales.status;
        found_.elements.reason = found_.blocks.reason = "no scale is known: " + scales.reason;
        return std::move(found_);
    }
    Read of_scales = read_best_scales(quantize_, scales.seen);
    found_.scale = std::move(of_scales.found);
    found_.scale.conversion = id + "/scale";
    found_.scale.sample |= !is_narrow(quantize_);
    found_.scale.profiles = identify::profiles_of(of_scales.reading.steps, scale_judges_);

    Asked<QuantizeCase> blocks(subject_, operation_, "blocks");
    for (QuantizeCase& quantize_case : quantize_cases(quantize_, block_))
        if (quantize_case.matrix.elements() <= largest_case && !blocks.ask(quantize_, std::move(quantize_case))) break;
    take_status(found_.blocks, blocks);
    if (known_element) {
        found_.elements.status = Status::untested;
        found_.elements.reason = "it is given";
        found_.elements.from = quantize_.element.from;
        found_.elements.to = quantize_.element.to;
        found_.elements.choices = *known_element;
    } else {
        find_elements(of_scales.reading.steps, blocks);
        if (found_.elements.status != Status::pass && found_.blocks.status == Status::pass) {
            found_.blocks.status = found_.elements.status;
            found_.blocks.reason = "no element is known: " + found_.elements.reason;
        }
    }
    if (found_.blocks.status == Status::pass) find_blocks(blocks);
    return std::move(found_);
}

} // namespace

PermitTable permits_of(const diagnose::FoundBehaviour& found) {
    PermitTable table{found.from, found.to, {}};
    for (const Step& step : diagnose::table_of(found).steps)
        table.steps.push_back({step.first, step.last, permit_code(step.code), {}});
    return table;
}

FoundQuantizer explain_quantizer(const Quantize& quantize, const QuantizerAnswers& answers) {
    FoundQuantizer found;
    found.scale = read_best_scales(quantize, answers.scales).found;
    found.elements = read_best_elements(quantize, answers.elements).found;
    if (found.scale.asked != 0 && found.elements.asked != 0)
        found.blocks = find_joining(quantize, permits_of(found.scale), permits_of(found.elements), answers.blocks);
    return found;
}

FoundQuantizer identify_quantize(observe::Subject& subject, const Operation& operation, verdict::GoldenSource& golden,
                                 const std::optional<Choices>& known_element) {
    return Identifier(subject, operation, golden).find(known_element);
}

FoundDequantizer identify_dequantize(observe::Subject& subject, const Operation& operation,
                                     verdict::GoldenSource& golden) {
    const Dequantize dequantize = as_dequantize(operation);
    const unsigned block = asked_block(dequantize.block);
    const std::vector<const Profile*> profiles = judging(operation);
    const std::vector<verdict::Judge> judges = verdict::judges_of(dequantize.value, profiles, golden);
    const std::string id = to_string(operation);
    FoundDequantizer found;
    found.values.conversion = id + "/values";
    found.blocks.operation = id + "/blocks";

    Asked<DequantizeCase> values(subject, operation, "values");
    values.ask(dequantize, value_case(dequantize, block));
    take_status(found.values, values);
    if (values.status != Status::pass) {
        found.blocks.status = values.status;
        found.blocks.reason = "no value is known: " + values.reason;
        return found;
    }
    Read of_values = read_best(
        dequantize.value, "lanes",
        [&](const JoinFault& way) { return read_values(dequantize, values.seen.front(), way); },
        [](const JoinFault& fault) { return fault.lane != nullptr; });
    found.values = std::move(of_values.found);
    found.values.conversion = id + "/values";
    found.values.profiles = identify::profiles_of(of_values.reading.steps, judges);

    Asked<DequantizeCase> blocks(subject, operation, "blocks");
    for (DequantizeCase& dequantize_case : dequantize_cases(dequantize, block))
        if (dequantize_case.matrix.elements() <= largest_case && !blocks.ask(dequantize, std::move(dequantize_case)))
            break;
    take_status(found.blocks, blocks);
    if (blocks.status != Status::pass) return found;
    found.blocks = find_joining(permits_of(found.values), blocks.seen);
    found.blocks.operation = id + "/blocks";
    say_refused(found.blocks, blocks);
    found.blocks.profiles =
        block_profiles(profiles, blocks.seen, [&](std::size_t i, const JoinSeen<DequantizeCase>& seen) {
            return judge(judges[i].permitted, *seen.asked, seen.outputs).size();
        });
    return found;
}

} // namespace mxcert::suites
