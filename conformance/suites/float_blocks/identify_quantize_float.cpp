// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/float_blocks/identify_float.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/asked.hpp"
#include "conformance/suites/float_blocks/float_points.hpp"
#include "conformance/suites/float_blocks/float_table_cases.hpp"
#include "conformance/suites/float_blocks/float_way.hpp"
#include "conformance/suites/search.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using recipe::FloatBlock;
using recipe::FloatScale;
using recipe::Unusable;

constexpr std::uint64_t seed_of_inputs = 1;
constexpr unsigned samples_asked = 16;
constexpr std::uint64_t largest_float_case = 1U << 18U; // values

/// What a quantizer does with a matrix of blocks.
struct Quantizing {
    FloatWay way;
    bool in_columns = false; ///< the scales of blocks
    bool one_amax = false;   ///< of the whole matrix

    friend bool operator==(const Quantizing&, const Quantizing&) = default;
};
using QuantizingParameter = SearchParameter<Quantizing>;

template <auto member, class Value> QuantizingParameter::Value block_choice(std::string name, Value value) {
    return {std::move(name), [value](Quantizing& quantizing) { quantizing.way.choices.*member = value; }};
}
template <auto member, class Value> QuantizingParameter::Value scale_choice(std::string name, Value value) {
    return {std::move(name), [value](Quantizing& quantizing) { quantizing.way.choices.scaling.*member = value; }};
}
template <auto member> QuantizingParameter unusable_choice(std::string_view name) {
    return {name, {scale_choice<member>("computed", Unusable::computed), scale_choice<member>("one", Unusable::one)}};
}

std::vector<QuantizingParameter> parameters_of(const QuantizeFloat& quantize) {
    using recipe::Apply;
    using recipe::First;
    using recipe::Quotient;
    constexpr const Format* none = nullptr;
    const Format* element = quantize.choices.scaling.element;
    const Format* other_format = element == &formats::e4m3 ? &formats::e5m2 : &formats::e4m3;
    const auto largest = [](const Format* format) {
        return fmt::format("{} of {}", format == &formats::e4m3 ? "448" : "57344", format->name);
    };
    const auto nothing = [](Quantizing&) {};
    return {
        {"largest",
         {scale_choice<&FloatScale::element>(largest(element), element),
          scale_choice<&FloatScale::element>(largest(other_format), other_format)}},
        {"first",
         {scale_choice<&FloatScale::first>("inverse", First::inverse),
          scale_choice<&FloatScale::first>("scale", First::scale)}},
        {"quotient",
         {scale_choice<&FloatScale::quotient>("divide", Quotient::divide),
          scale_choice<&FloatScale::quotient>("reciprocal", Quotient::reciprocal)}},
        {"power_of_two",
         {scale_choice<&FloatScale::power_of_two>("no", false), scale_choice<&FloatScale::power_of_two>("yes", true)}},
        {"least_amax",
         {scale_choice<&FloatScale::least_amax>("none", Code{0}),
          scale_choice<&FloatScale::least_amax>("1e-12", least_1e_12),
          scale_choice<&FloatScale::least_amax>("1e-4", least_1e_4)}},
        {"limit",
         {scale_choice<&FloatScale::limit>("none", none), scale_choice<&FloatScale::limit>("fp32", &formats::fp32),
          scale_choice<&FloatScale::limit>("bf16", &formats::bf16)}},
        unusable_choice<&FloatScale::on_nan>("on_nan"),
        unusable_choice<&FloatScale::on_inf>("on_inf"),
        unusable_choice<&FloatScale::on_zero>("on_zero"),
        {"amax_nan",
         {block_choice<&FloatBlock::amax_nan>("ignored", AmaxNan::ignored),
          block_choice<&FloatBlock::amax_nan>("if_alone", AmaxNan::if_alone),
          block_choice<&FloatBlock::amax_nan>("propagated", AmaxNan::propagated)}},
        {"apply",
         {block_choice<&FloatBlock::apply>("multiply", Apply::multiply),
          block_choice<&FloatBlock::apply>("divide", Apply::divide)}},
        {"overflow",
         {block_choice<&FloatBlock::overflow>("sat", Overflow::sat),
          block_choice<&FloatBlock::overflow>("nosat", Overflow::nosat)}},
        {"amax",
         {{"of the values of the block", nothing},
          {"of the whole matrix", [](Quantizing& quantizing) { quantizing.one_amax = true; }}}},
        {"scales",
         {{"in rows of blocks", nothing},
          {"in columns of blocks", [](Quantizing& quantizing) { quantizing.in_columns = true; }}}},
        {"given out",
         {{"the scale", nothing},
          {"the inverse scale", [](Quantizing& quantizing) { quantizing.way.gives_inverse = true; }}},
         true},
        {"elements",
         {{"by the scale given out", nothing},
          {"by its inverse", [](Quantizing& quantizing) { quantizing.way.uses_inverse = true; }},
          {"by the scale before it was rounded", [](Quantizing& quantizing) { quantizing.way.by_unrounded = true; }}},
         true},
    };
}

/// The recipe of a preset for an operation.
FloatBlock choices_for(const QuantizeFloat& quantize, const recipe::FloatBlockPreset& preset) {
    FloatBlock choices = preset.choices;
    choices.scaling.element = quantize.choices.scaling.element;
    choices.scaling.kept = quantize.choices.scaling.kept;
    return choices;
}

/// The operation by each recipe of the table: what is asked must not depend on the one that is declared.
std::vector<QuantizeFloat> by_every_recipe(const QuantizeFloat& quantize) {
    std::vector<QuantizeFloat> all;
    for (const recipe::FloatBlockPreset& preset : recipe::float_block_presets()) {
        QuantizeFloat quantize_float = quantize;
        quantize_float.choices = choices_for(quantize, preset);
        const auto same_choices = [&](const QuantizeFloat& other_quantize_float) {
            return other_quantize_float.choices == quantize_float.choices;
        };
        if (std::none_of(all.begin(), all.end(), same_choices)) all.push_back(quantize_float);
    }
    return all;
}

/// The codes of all of these, ascending.
template <class CodesOf> std::vector<Code> united_over(const std::vector<QuantizeFloat>& all, const CodesOf& codes_of) {
    std::vector<Code> both;
    for (const QuantizeFloat& quantize_float : all) {
        const std::vector<Code> codes = codes_of(quantize_float);
        both.insert(both.end(), codes.begin(), codes.end());
    }
    std::sort(both.begin(), both.end());
    both.erase(std::unique(both.begin(), both.end()), both.end());
    return both;
}

/// A block that was seen: where it is, and its values.
struct SeenFloatBlock {
    const JoinSeen<FloatCase>* seen = nullptr;
    std::uint64_t number = 0;
    std::vector<Code> values;
    AmaxOf amax;
    AmaxOf of_matrix;
};

class SeenFloatBlocks {
  public:
    SeenFloatBlocks(const QuantizeFloat& quantize, const std::vector<JoinSeen<FloatCase>>& seen) : quantize_(quantize) {
        const Format& source = *quantize.source;
        for (const JoinSeen<FloatCase>& this_seen : seen) {
            const AmaxOf of_matrix(source, values_of(*this_seen.asked));
            for (std::uint64_t number = 0; number < this_seen.asked->matrix.blocks(); ++number) {
                std::vector<Code> values = values_of(*this_seen.asked, number);
                const AmaxOf amax(source, values);
                blocks_.push_back({&this_seen, number, std::move(values), amax, of_matrix});
            }
        }
    }

    [[nodiscard]] std::uint64_t count() const { return blocks_.size(); }

    [[nodiscard]] std::string title(std::uint64_t at) const {
        const SeenFloatBlock& block = blocks_[at];
        return fmt::format("{}, block {}", block.seen->asked->title(block.number), block.number);
    }

    /// Whether a way gives a block.
    [[nodiscard]] auto explains(const Quantizing& quantizing) const {
        return [this, quantizing, maker = FloatMaker(quantize_, quantizing.way)](std::uint64_t at) mutable {
            return gives(maker, quantizing, blocks_[at]);
        };
    }

  private:
    /// Those that make the amax: of a case about scales that alone.
    static std::vector<Code> values_of(const FloatCase& float_case, std::uint64_t number) {
        if (!float_case.amaxes.empty()) return {float_case.amaxes[number]};
        const BlockRange block = float_case.matrix.block(number);
        std::vector<Code> values(mxcert::count(block.size, "values"));
        for (std::uint64_t lane = 0; lane < values.size(); ++lane)
            values[lane] = float_case.values.get(float_case.matrix.place(block, lane));
        return values;
    }
    static std::vector<Code> values_of(const FloatCase& float_case) {
        if (!float_case.amaxes.empty()) return float_case.amaxes;
        std::vector<Code> values(float_case.values.count());
        for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = float_case.values.get(i);
        return values;
    }

    bool gives(FloatMaker& maker, const Quantizing& quantizing, const SeenFloatBlock& this_block) const {
        const FloatCase& float_case = *this_block.seen->asked;
        const FloatMaker::Made& quantized =
            maker.of_amax(maker.amax_of(quantizing.one_amax ? this_block.of_matrix : this_block.amax));
        const std::uint64_t at =
            quantizing.in_columns ? float_case.matrix.place_in_columns(this_block.number) : this_block.number;
        if (!same(*quantize_.scale, this_block.seen->outputs[1].get(at), quantized.given_out)) return false;
        if (!float_case.amaxes.empty()) return true;
        const BlockRange block = float_case.matrix.block(this_block.number);
        for (std::uint64_t lane = 0; lane < this_block.values.size(); ++lane)
            if (!same(*quantize_.choices.scaling.element,
                      this_block.seen->outputs[0].get(float_case.matrix.place(block, lane)),
                      maker.element_of(quantized, this_block.values[lane])))
                return false;
        return true;
    }

    QuantizeFloat quantize_;
    std::vector<SeenFloatBlock> blocks_;
};

/// Asks; false if there is no use in going on.
bool ask_all_of(Asked<FloatCase>& asked_case, const QuantizeFloat& quantize) {
    const std::vector<QuantizeFloat> recipes = by_every_recipe(quantize);
    const unsigned count = lanes_of(quantize) > large_block ? samples_asked / 8 : samples_asked;
    const auto ask = [&](const FloatCase& float_case, std::uint64_t /*judged*/) {
        return asked_case.ask(quantize, float_case);
    };
    for_each_scale_case(quantize,
                        asks_every_amax(quantize)
                            ? all_amaxes(*quantize.source)
                            : united_over(recipes,
                                          [&](const QuantizeFloat& quantize_float) {
                                              return amaxes_of(quantize_float, count, seed_of_inputs);
                                          }),
                        seed_of_inputs, ask);
    if (asked_case.status == Status::pass && lanes_of(quantize) > 1)
        for_each_element_case(
            quantize,
            united_over(recipes,
                        [&](const QuantizeFloat& quantize_float) {
                            return amaxes_of_elements(quantize_float, count / 4, seed_of_inputs);
                        }),
            [&](Code amax) {
                return united_over(recipes, [&](const QuantizeFloat& quantize_float) {
                    return values_under(quantize_float, amax, count, seed_of_inputs);
                });
            },
            ask);
    if (asked_case.status == Status::pass)
        for_each_case(quantize, [&](const FloatCase& float_case) {
            return float_case.values.count() > largest_float_case || asked_case.ask(quantize, float_case);
        });
    return asked_case.status == Status::pass;
}

} // namespace

FoundCases identify_quantize_float(observe::Subject& subject, const Operation& operation) {
    const QuantizeFloat quantize = as_quantize_float(operation);
    Asked<FloatCase> asked_case(subject, operation, "blocks");
    const bool answered = ask_all_of(asked_case, quantize);
    if (!answered) return found_of(operation, asked_case);

    const SeenFloatBlocks seen(quantize, asked_case.seen);
    std::vector<NamedWay<Quantizing>> recipes;
    for (const recipe::FloatBlockPreset& preset : recipe::float_block_presets())
        recipes.push_back({preset.name, {{choices_for(quantize, preset)}, false, false}});
    FoundCases searched = search_from_recipes<Quantizing>(
        parameters_of(quantize), recipes, seen.count(),
        [&](const Quantizing& quantizing) { return seen.explains(quantizing); },
        [&](const Quantizing& quantizing) {
            Quantizing with_format = quantizing;
            with_format.way.choices.scaling.kept = quantize.choices.scaling.kept;
            return seen.explains(with_format);
        },
        [&](std::uint64_t at) { return seen.title(at); });
    return found_of(operation, asked_case, std::move(searched));
}

} // namespace mxcert::suites
