// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "conformance/suites/asked.hpp"
#include "conformance/suites/float_blocks/float_points.hpp"
#include "conformance/suites/float_blocks/float_table_cases.hpp"
#include "conformance/suites/float_blocks/identify_float.hpp"
#include "conformance/suites/search.hpp"
#include "reference/exact/exact.hpp"
#include "reference/fast/recipe/float_block.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

/// What a dequantizer does.
struct Dequantizing {
    bool once = false; ///< the product is rounded to the target alone, not to binary32 before
    bool flushes_elements = false;
    bool flushes_scales = false;
    bool flushes_values = false;
    bool saturates = false;
    bool in_columns = false; ///< the scales of blocks
};

/// The values of all elements under a scale.
class FloatWayBack {
  public:
    FloatWayBack(const DequantizeFloat& dequantize, const Dequantizing& dequantizing)
        : dequantize_(dequantize), by_(dequantizing) {}

    [[nodiscard]] const std::vector<Code>& under(Code scale) {
        const auto [at, fresh] = known_.try_emplace(scale);
        if (fresh) at->second = values_under(scale);
        return at->second;
    }

  private:
    static bool is_subnormal(const Format& format, Code code) {
        const Code magnitude = code & format.magnitude_mask();
        return magnitude != 0 && magnitude <= format.fraction_mask();
    }

    [[nodiscard]] std::vector<Code> values_under(Code scale) const {
        const Format& element = *dequantize_.element;
        const Format& target = *dequantize_.target;
        recipe::FloatBlock choices;
        choices.scaling.element = &element;
        recipe::FloatQuantized all{{1, element.last_code() + 1, {}}, {{}}};
        for (Code code = 0; code < all.elements.columns; ++code)
            all.elements.codes.push_back(by_.flushes_elements && is_subnormal(element, code) ? code & element.sign_bit()
                                                                                             : code);
        Code& wide = all.scales.front().scale;
        wide = fast::scale_from(*dequantize_.scale, scale);
        if (by_.flushes_scales && is_subnormal(formats::fp32, wide)) wide = 0;
        const bool once = by_.once && target.width() < 32;
        std::vector<Code> values =
            fast::dequantize(choices, shapes::per_tensor, all, once ? formats::fp64 : target).codes;
        Choices nosat;
        nosat.overflow = Overflow::nosat;
        for (Code code = 0; code < values.size(); ++code) {
            Code& value = values[code];
            if (once) value = exact::convert(formats::fp64, target, nosat, value).code;
            if (by_.flushes_values && is_subnormal(target, value)) value &= target.sign_bit();
            const bool finite = wide < formats::fp32.inf_code() && element.is_finite(code);
            if (by_.saturates && finite && target.is_inf(value))
                value = (value & target.sign_bit()) | target.max_code();
        }
        return values;
    }

    DequantizeFloat dequantize_;
    Dequantizing by_;
    std::unordered_map<Code, std::vector<Code>> known_;
};

std::vector<SearchParameter<Dequantizing>> parameters_of_way_back() {
    const auto nothing = [](Dequantizing&) {};
    return {
        {"product",
         {{"rounded to binary32, then to the target", nothing},
          {"rounded once", [](Dequantizing& dequantizing) { dequantizing.once = true; }}}},
        {"overflow", {{"nosat", nothing}, {"sat", [](Dequantizing& dequantizing) { dequantizing.saturates = true; }}}},
        {"subnormal elements",
         {{"kept", nothing}, {"flushed", [](Dequantizing& dequantizing) { dequantizing.flushes_elements = true; }}}},
        {"subnormal scales",
         {{"kept", nothing}, {"flushed", [](Dequantizing& dequantizing) { dequantizing.flushes_scales = true; }}}},
        {"subnormal values",
         {{"kept", nothing}, {"flushed", [](Dequantizing& dequantizing) { dequantizing.flushes_values = true; }}}},
        {"scales", {{"in rows of blocks", nothing}, {"in columns of blocks", [](Dequantizing& dequantizing) {
                                                         dequantizing.in_columns = true;
                                                     }}}}};
}

/// A block of a matrix that was seen.
struct SeenBack {
    const JoinSeen<FloatDequantizeCase>* seen = nullptr;
    std::uint64_t number = 0;
};

} // namespace

FoundCases identify_dequantize_float(observe::Subject& subject, const Operation& operation) {
    const DequantizeFloat dequantize = as_dequantize_float(operation);
    constexpr std::uint64_t seed = 1;
    Asked<FloatDequantizeCase> asked_case(subject, operation, "blocks");
    const bool large = count(grid_of(dequantize.block, 1).values, "values") > large_block;
    for_each_value_case(dequantize, scales_asked(dequantize, large ? 0 : 2, seed),
                        [&](const FloatDequantizeCase& float_dequantize_case, std::uint64_t /*judged*/) {
                            return asked_case.ask(dequantize, float_dequantize_case);
                        });
    for (FloatDequantizeCase& float_dequantize_case : dequantize_cases(dequantize))
        if (asked_case.status != Status::pass || !asked_case.ask(dequantize, std::move(float_dequantize_case))) break;
    if (asked_case.status != Status::pass) return found_of(operation, asked_case);

    std::vector<SeenBack> blocks;
    for (const JoinSeen<FloatDequantizeCase>& seen : asked_case.seen)
        for (std::uint64_t number = 0; number < seen.asked->matrix.blocks(); ++number)
            blocks.push_back({&seen, number});
    FoundCases searched = search<Dequantizing>(
        parameters_of_way_back(), blocks.size(),
        [&](const Dequantizing& dequantizing) {
            return [&blocks, &dequantize, dequantizing,
                    back = FloatWayBack(dequantize, dequantizing)](std::uint64_t at) mutable {
                const FloatDequantizeCase& float_dequantize_case = *blocks[at].seen->asked;
                const std::uint64_t number = blocks[at].number;
                const std::vector<Code>& under = back.under(float_dequantize_case.scales.get(
                    dequantizing.in_columns ? float_dequantize_case.matrix.place_in_columns(number) : number));
                const BlockRange block = float_dequantize_case.matrix.block(number);
                for (std::uint64_t lane = 0; lane < count(block.size, "values"); ++lane) {
                    const std::uint64_t place = float_dequantize_case.matrix.place(block, lane);
                    if (!same(*dequantize.target, blocks[at].seen->outputs[0].get(place),
                              under[float_dequantize_case.elements.get(place)]))
                        return false;
                }
                return true;
            };
        },
        [&](std::uint64_t at) { return fmt::format("{}, block {}", blocks[at].seen->asked->name, blocks[at].number); });
    return found_of(operation, asked_case, std::move(searched));
}

} // namespace mxcert::suites
