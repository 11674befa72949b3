// SPDX-License-Identifier: Apache-2.0
#include "conformance/parity/nvfp4_quantizers.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "conformance/parity/both.hpp"
#include "conformance/parity/carried.hpp"
#include "conformance/parity/changed_way.hpp"
#include "conformance/parity/differences.hpp"
#include "conformance/suites/nvfp4/cases.hpp"
#include "conformance/suites/nvfp4/expected.hpp"
#include "conformance/suites/nvfp4/identify.hpp"
#include "conformance/suites/nvfp4/points.hpp"
#include "conformance/suites/nvfp4/seen_tensors.hpp"
#include "reference/code_text.hpp"

namespace mxcert::parity {
namespace {

using suites::Nvfp4Way;
using suites::TileCase;
using TensorsAnswered = std::vector<BothAnswered<TileCase>>;

/// Values of tensors that are kept to explain what differs: a way is tried on all of them.
constexpr std::uint64_t most_kept = 1U << 23U;

Side<TileCase> nvfp4_side(const Pipeline& pipeline, const Format& values) {
    const QuantizeNvfp4 quantize = as_quantize_nvfp4(pipeline.operation);
    Side<TileCase> side{pipeline.subject, &pipeline.operation, {}, {}, {}};
    side.given = [&values, source = quantize.source](const TileCase& wanted) {
        TileCase given = wanted;
        for (Code& value : given.values) value = carried(values, *source, value);
        return given;
    };
    side.run_of = [quantize](const TileCase& given) { return suites::run_of(quantize, given); };
    return side;
}

/// Two quantizers to NVFP4 on their way to what differs.
class ComparingNvfp4 {
  public:
    ComparingNvfp4(const Pipeline& a, const Pipeline& b, const ParityOptions& options, Parity& parity)
        : a_(a), b_(b), options_(options), parity_(parity),
          of_a_(as_quantize_nvfp4(plain(a.operation, *parity.values))),
          of_b_(as_quantize_nvfp4(plain(b.operation, *parity.values))),
          both_(nvfp4_side(a, *parity.values), nvfp4_side(b, *parity.values), parity, options) {}

    void compare();

  private:
    struct Parts {
        Part tensors;
        Part scales;
        Part elements;
        Part blocks;
        Differences of_tensors;
        Differences of_scales;
        Differences of_elements;
    };
    [[nodiscard]] bool ask(const char* row, const TileCase& wanted);
    void compare_case(const TileCase& wanted, const BothAnswered<TileCase>& both, bool is_block_case);
    [[nodiscard]] bool ask_all();
    void explain();

    const Pipeline& a_;
    const Pipeline& b_;
    const ParityOptions& options_;
    Parity& parity_;
    QuantizeNvfp4 of_a_; ///< of the values that both are asked
    QuantizeNvfp4 of_b_;
    Both<TileCase> both_;
    Parts parts_;
    TensorsAnswered answers_;
    std::uint64_t kept_ = 0;
    std::uint64_t asked_ = 0;
    bool all_kept_ = true;
};

Code magnitude_of(const Format& format, Code value) { return value & format.magnitude_mask(); }

/// The largest magnitude among the numbers of some values.
Code largest_of(const Format& format, std::span<const Code> values) {
    Code largest = 0;
    for (const Code value : values)
        if (!format.is_nan(value)) largest = std::max(largest, magnitude_of(format, value));
    return largest;
}

void ComparingNvfp4::compare_case(const TileCase& wanted, const BothAnswered<TileCase>& both, bool is_block_case) {
    const Format& format = *parity_.values;
    const Code tensor = largest_of(format, wanted.values);
    const auto answer = [&](bool is_a, std::size_t output, std::uint64_t at) {
        return (is_a ? both.a : both.b).outputs[output].get(at);
    };
    const auto add = [&](const std::string& title, std::string text) {
        if (parts_.blocks.differing++ < options_.most_blocks) parts_.blocks.blocks.push_back({title, std::move(text)});
    };
    if (of_a_.output == of_b_.output && of_a_.output != Nvfp4Output::none) {
        const Code a = answer(true, 2, 0);
        const Code b = answer(false, 2, 0);
        if (is_block_case && a != b)
            add(wanted.name, fmt::format("the scale of the tensor is {} in A and {} in B", code_text(formats::fp32, a),
                                         code_text(formats::fp32, b)));
        if (!is_block_case) {
            ++parts_.tensors.compared;
            parts_.of_tensors.add(0, 0, tensor, a, b);
        }
    }
    for (std::uint64_t block = 0; block < wanted.matrix.blocks(); ++block) {
        const Code a = answer(true, 1, block);
        const Code b = answer(false, 1, block);
        const std::vector<Code> values = wanted.values_of(block);
        if (is_block_case) ++parts_.blocks.compared;
        if (!is_block_case) {
            ++parts_.scales.compared;
            parts_.of_scales.add(tensor, 0, largest_of(format, values), a, b);
        }
        if (a != b) {
            if (is_block_case)
                add(fmt::format("{}, block {}", wanted.title(block), block),
                    fmt::format("the scale is 0x{:02X} in A and 0x{:02X} in B", a, b));
            continue;
        }
        const BlockRange range = wanted.matrix.block(block);
        if (of_a_.recipe->choices.scale->is_nan(a)) { // every product with it is NaN
            for (std::uint64_t lane = 0; lane < values.size(); ++lane) {
                const std::uint64_t at = wanted.matrix.place(range, lane);
                if (answer(true, 0, at) == answer(false, 0, at)) continue;
                ++parity_.under_nan;
                break;
            }
            continue;
        }
        for (std::uint64_t lane = 0; lane < values.size(); ++lane) {
            const std::uint64_t at = wanted.matrix.place(range, lane);
            const Code of_a = answer(true, 0, at);
            const Code of_b = answer(false, 0, at);
            if (!is_block_case) {
                ++parts_.elements.compared;
                parts_.of_elements.add(tensor, a, values[lane], of_a, of_b);
            } else if (of_a != of_b) {
                add(fmt::format("{}, block {}", wanted.title(block), block),
                    fmt::format("lane {} ({}) is 0x{:X} in A and 0x{:X} in B, under the scale 0x{:02X}", lane,
                                code_text(format, values[lane]), of_a, of_b, a));
                break;
            }
        }
    }
}

bool ComparingNvfp4::ask(const char* row, const TileCase& wanted) {
    BothAnswered<TileCase> both;
    if (!both_.ask(row, wanted, {}, both)) return false;
    asked_ += wanted.values.size();
    if (options_.done) options_.done(asked_);
    if (both.a.given == nullptr) return true;
    compare_case(wanted, both, row == std::string_view("blocks"));
    if (kept_ + wanted.values.size() <= most_kept) {
        kept_ += wanted.values.size();
        answers_.push_back(std::move(both));
    } else {
        all_kept_ = false;
    }
    return true;
}

bool ComparingNvfp4::ask_all() {
    const suites::Nvfp4Effort effort{options_.level.level, 4, options_.seed};
    if (options_.started) options_.started("blocks and tensors", 0);
    if (!suites::for_each_block_case(of_a_, true, [&](const TileCase& wanted) { return ask("blocks", wanted); }))
        return false;
    std::set<Code> tensors;
    for (const QuantizeNvfp4* quantize : {&of_a_, &of_b_})
        for (const Code amax : suites::amaxes_of_tensors(*quantize, effort))
            if (tensors.insert(amax).second &&
                !ask("tensor", suites::tensor_case(*quantize, amax, suites::telling_amaxes(*quantize, amax))))
                return false;
    if (options_.started) options_.started("scales and elements", 0);
    // What tells one recipe from others: the steps of both are asked.
    for (const QuantizeNvfp4* quantize : {&of_a_, &of_b_}) {
        if (quantize == &of_b_ && of_b_.recipe == of_a_.recipe) break;
        suites::Nvfp4Expected expected(*quantize);
        for (const Code amax : suites::amaxes_of_few_tensors(*quantize, effort.level))
            if (!suites::for_each_scale_case(*quantize, amax,
                                             suites::amaxes_in_tensor(*quantize, expected, amax, effort),
                                             [&](const TileCase& wanted) { return ask("scale", wanted); }) ||
                !suites::for_each_element_case(*quantize, amax,
                                               suites::values_in_tensor(*quantize, expected, amax, effort),
                                               [&](const TileCase& wanted) { return ask("elements", wanted); }))
                return false;
    }
    return true;
}

void ComparingNvfp4::compare() {
    const Format& format = *parity_.values;
    parts_.tensors = {"tensors", "tensors", &format, &formats::fp32};
    parts_.scales = {"scales", "blocks", &format, of_a_.recipe->choices.scale};
    parts_.elements = {"elements", "values", &format, &formats::e2m1};
    parts_.blocks = {"blocks", "blocks", &format, &formats::e2m1};
    parity_.sample = parity_.has_tensors = true;
    if (of_a_.output != of_b_.output)
        parity_.left_out.push_back(fmt::format("the scale of the tensor: {} is given out by A, {} by B",
                                               a_.operation.value("tensor_scale"), b_.operation.value("tensor_scale")));
    const bool went_on = ask_all();
    parts_.of_tensors.fill(parts_.tensors);
    parts_.of_scales.fill(parts_.scales);
    parts_.of_elements.fill(parts_.elements);
    for (Part* const part : {&parts_.tensors, &parts_.scales, &parts_.elements, &parts_.blocks})
        if (part->compared != 0) parity_.parts.push_back(std::move(*part));
    if (!went_on) return;
    const bool differs =
        std::any_of(parity_.parts.begin(), parity_.parts.end(), [](const Part& part) { return part.differing != 0; });
    parity_.status = differs ? Status::fail : Status::pass;
    if (!differs) return;
    if (options_.started) options_.started("what explains it", 0);
    explain();
}

/// Answers whose elements lie in pairs of which each was packed the other way round.
std::vector<suites::JoinSeen<TileCase>> with_pairs_exchanged(std::vector<suites::JoinSeen<TileCase>> seen) {
    for (suites::JoinSeen<TileCase>& answer : seen) {
        if (answer.asked->matrix.values.columns % 2 != 0) continue; // the last of a row has no neighbour
        frames::Values& elements = answer.outputs[0];
        for (std::uint64_t at = 0; at + 1 < elements.count(); at += 2) {
            const Code first = elements.get(at);
            elements.set(at, elements.get(at + 1));
            elements.set(at + 1, first);
        }
    }
    return seen;
}

void ComparingNvfp4::explain() {
    Explanation& explanation = parity_.explanation.emplace();
    const auto seen_by = [&](bool is_a, bool exchanged = false) {
        const QuantizeNvfp4 quantize = as_quantize_nvfp4((is_a ? a_ : b_).operation);
        std::vector<suites::JoinSeen<TileCase>> seen = seen_of(answers_, is_a);
        return suites::SeenTensors(quantize, exchanged ? with_pairs_exchanged(std::move(seen)) : seen);
    };
    const suites::SeenTensors seen_a = seen_by(true);
    const std::vector<suites::SearchParameter<Nvfp4Way>> parameters = suites::nvfp4_parameters(of_a_);
    const auto explains_a = [&](const Nvfp4Way& way) { return seen_a.explains(way); };
    GivesAll<Nvfp4Way, decltype(explains_a)> gives_a(seen_a.count(), explains_a);
    std::optional<Nvfp4Way> way_a;
    std::string name_a;
    const auto try_recipe = [&](const suites::NamedWay<Nvfp4Way>& recipe) {
        if (way_a || !gives_a(recipe.way)) return;
        way_a = recipe.way;
        name_a = recipe.name;
    };
    try_recipe({of_a_.recipe->name, {of_a_.recipe->choices}}); // what it declares, first
    for (const suites::NamedWay<Nvfp4Way>& recipe : suites::nvfp4_recipes()) try_recipe(recipe);
    explanation.asked = seen_a.count();
    if (!way_a) {
        const suites::FoundCases found =
            suites::search_from_recipes<Nvfp4Way>(parameters, suites::nvfp4_recipes(), seen_a.count(), explains_a,
                                                  explains_a, [](std::uint64_t) { return std::string(); });
        explanation.explained_count = found.explained;
        if (found.explained != found.asked) {
            explanation.reason = fmt::format("A itself is explained on {} of {} blocks: swap A and B, or see "
                                             "`mxcert identify`",
                                             found.explained, found.asked);
            return;
        }
        Nvfp4Way way;
        const std::vector<std::size_t> values = suites::values_by_name(parameters, found.parameters);
        for (std::size_t i = 0; i < values.size(); ++i) parameters[i].values[values[i]].take(way);
        way_a = way;
    }
    // Elements in pairs that are packed the other way round: no choice of a recipe would do that.
    suites::SeenTensors seen_b = seen_by(false);
    const auto given_by_a = [&](const suites::SeenTensors& seen) {
        auto gives = seen.explains(*way_a);
        std::uint64_t count = 0;
        for (std::uint64_t at = 0; at < seen.count(); ++at) count += gives(at) ? 1 : 0;
        return count;
    };
    bool is_exchanged = false;
    if (suites::SeenTensors exchanged = seen_by(false, true); given_by_a(exchanged) > 2 * given_by_a(seen_b)) {
        is_exchanged = true;
        seen_b = std::move(exchanged);
    }
    const auto explains_b = [&](const Nvfp4Way& way) { return seen_b.explains(way); };
    explanation.asked = seen_b.count();
    std::optional<std::vector<Change>> changes =
        change_way<Nvfp4Way>(parameters, *way_a, seen_b.count(), explains_b, explanation.explained_count);
    if (!changes) {
        explanation.reason = "no choice or known fault explains every answer of B";
        return;
    }
    if (is_exchanged)
        changes->push_back({"packing", "as declared", "with the two elements of each byte exchanged", "", {}});
    if (changes->empty()) {
        explanation.reason = "what explains A explains B as well: bits that its source leaves open, as of a NaN";
        return;
    }
    GivesAll<Nvfp4Way, decltype(explains_b)> gives_b(seen_b.count(), explains_b);
    for (const suites::NamedWay<Nvfp4Way>& recipe : suites::nvfp4_recipes())
        if (gives_b(recipe.way))
            explanation.b_is += (explanation.b_is.empty() ? "" : " or ") + std::string(recipe.name);
    explanation.a_is = name_a;
    explanation.changes = std::move(*changes);
    explanation.explained = true;
    explanation.is_sample = !all_kept_;
}

} // namespace

void compare_nvfp4(const Pipeline& a, const Pipeline& b, const ParityOptions& options, Parity& parity) {
    ComparingNvfp4(a, b, options, parity).compare();
}

} // namespace mxcert::parity
