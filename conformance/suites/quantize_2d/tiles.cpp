// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/quantize_2d/tiles.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/cases/small_cases.hpp"
#include "conformance/print/text.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/draw_matrix.hpp"
#include "conformance/suites/quantize_2d/faults.hpp"
#include "conformance/suites/quantize_2d/judge.hpp"
#include "conformance/suites/size_cases.hpp"
#include "reference/base/random.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert {
namespace {

constexpr std::size_t few_tile_amaxes = 48;       // of small suites
constexpr std::size_t few_tile_scales = 4;        // of small suites
constexpr std::size_t some_tile_scales = 32;      // of level quick
constexpr std::uint64_t largest_kept = 1U << 16U; // values of a case that is kept to name what is wrong

void sort_unique(std::vector<Code>& codes) {
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
}

/// Two codes on either side of each of these, no larger than the largest.
std::vector<Code> around(const std::vector<Code>& firsts, Code largest) {
    std::vector<Code> codes;
    for (const Code first : firsts)
        for (Code code = first < 2 ? 0 : first - 2; code <= first + 1 && code <= largest; ++code) codes.push_back(code);
    return codes;
}

/// A matrix that has another one again and again, to the right or downwards.
RepeatedArray repeated(const Values& values, const Extent& of, const Extent& to) {
    RepeatedArray array{count(to, "values"), values.width(), to.columns, {}};
    const std::uint64_t parts = of.rows == to.rows ? of.rows : 1;
    const std::uint64_t bytes = values.bytes().size() / parts;
    for (std::uint64_t i = 0; i < parts; ++i) {
        const auto part = values.bytes().subspan(i * bytes, bytes);
        array.periods.emplace_back(part.begin(), part.end());
    }
    return array;
}

SizeQuestion size_question_of(const Quantize2d& quantize, const TileCase& ring, Level level) {
    RunCase small = run_of(quantize, ring);
    small.row = "blocks";
    return {small, [=](const std::vector<Values>& answers) {
                const Extent& of = ring.matrix.values;
                const BlockShape& tile = quantize.tile;
                const bool right = of.columns / tile.columns == ring_blocks;
                std::vector<RepeatedRun> runs;
                for (const std::uint64_t elements : large_counts(level)) {
                    const std::uint64_t across = right ? of.rows : of.columns;
                    const std::uint64_t side = right ? tile.columns : tile.rows;
                    const std::uint64_t along = (elements / across / side + 1) * side;
                    const Extent to = right ? Extent{across, along} : Extent{along, across};
                    RepeatedRun run{{to.rows, to.columns, 0, 0}, {}, {}, count(to, "values"), false, text(to)};
                    run.inputs = {repeated(small.inputs[0], of, to)};
                    run.outputs = {repeated(answers[0], of, to),
                                   repeated(answers[1], quantize.row_scales(of), quantize.row_scales(to)),
                                   repeated(answers[2], of, to),
                                   repeated(answers[3], quantize.column_scales(of), quantize.column_scales(to))};
                    runs.push_back(std::move(run));
                }
                return runs;
            }};
}

class Tiles final : public CasePart {
  public:
    Tiles(const SuiteRun& run, std::string_view part)
        : quantize_(as_quantize_2d(run.operation)), options_(run.options), part_(part),
          judges_(quantize_.quantize, run.options.recorded ? judging(run.operation) : run.profiles, run.golden) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const TileCase& one) { return ask(question(one)); };
        if (part_ == "scale") return for_each_amax_case(quantize_, tile_amaxes(judges_, options_), take);
        if (part_ == "elements")
            return for_each_value_case(
                quantize_, amaxes_of_elements(), [&](Code amax) { return tile_values(judges_, amax, options_); }, take);
        bool goes_on = true;
        for_each_tile_case(quantize_, [&](const TileCase& one) { return goes_on = take(one); });
        if (is_small(options_.level)) return;
        for (const TileCase& one : tile_rings(quantize_))
            if (goes_on) goes_on = take(one);
    }
    [[nodiscard]] Question given(const GivenCase& one) override { return question(case_of(quantize_, one)); }
    [[nodiscard]] GivenCase draw(SplitMix64& random) override {
        const BlockValues values{quantize_.quantize.format.value, boundaries(judges_.scales),
                                 [this](Code amax) { return tile_values(judges_, amax, options_); }};
        const Extent extent = draw_extent(random, quantize_.tile);
        return {{extent.rows, extent.columns}, {draw_blocks(random, {extent, quantize_.tile}, values)}};
    }
    [[nodiscard]] bool is_sample() const override { return part_ != "blocks"; }
    [[nodiscard]] bool by_profile() const override { return true; }
    [[nodiscard]] std::string failed(const Row& row) const override {
        return fmt::format("{} with what is not permitted", counted(row.differing, "tile"));
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t judge) override {
        return mxcert::known_as(quantize_, judges_.rules(judge), seen_);
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        std::vector<std::vector<SizeQuestion>> all;
        if (part_ != "blocks") return all;
        for (const TileCase& ring : tile_rings(quantize_))
            all.push_back({size_question_of(quantize_, ring, options_.level)});
        return all;
    }

  private:
    [[nodiscard]] Question question(const TileCase& asked) {
        auto one = std::make_shared<const TileCase>(asked);
        Question made;
        made.name = one->name;
        made.may_refuse = one->matrix.has_tail();
        made.tensor = one->matrix.values;
        // Under a scale that is NaN any element is permitted.
        made.judged = {nullptr, quantize_.quantize.scale.to, nullptr, quantize_.quantize.scale.to};
        made.runs = [this, one] { return std::vector<RunCase>{run_of(quantize_, *one)}; };
        made.judge = [this, one](std::size_t judge, const std::vector<Values>& outputs) {
            Findings findings{2 * one->values.size(), 0, mxcert::judge(quantize_, judges_.rules(judge), *one, outputs)};
            findings.differing = findings.wrong.size();
            return findings;
        };
        made.keep = [this, one](std::size_t judge, const std::vector<Values>& outputs, const Findings& /*found*/) {
            if (judge == 0 && one->values.size() <= largest_kept) seen_.push_back({*one, outputs});
        };
        return made;
    }

    /// The largest amax of each scale, or of a few.
    [[nodiscard]] std::vector<Code> amaxes_of_elements() const {
        std::vector<Code> amaxes;
        for (const Code first : boundaries(judges_.scales))
            if (first != 0) amaxes.push_back(first - 1);
        amaxes.push_back(quantize_.quantize.format.value->max_code());
        sort_unique(amaxes);
        if (is_small(options_.level)) return thinned(amaxes, few_tile_scales);
        return options_.level == Level::quick ? thinned(amaxes, some_tile_scales) : amaxes;
    }

    Quantize2d quantize_;
    const CertifyOptions& options_;
    std::string part_;
    QuantizeJudges judges_;
    std::vector<TileSeen> seen_;
};

} // namespace

std::unique_ptr<CasePart> tile_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<Tiles>(run, part);
}

std::vector<Code> tile_amaxes(const QuantizeJudges& judges, const CertifyOptions& options) {
    const Code largest = judges.quantize.format.value->max_code();
    std::vector<Code> amaxes;
    if (asks_every_value(options.level) && is_narrow(judges.quantize)) {
        for (Code code = 0; code <= largest; ++code) amaxes.push_back(code);
        return amaxes;
    }
    amaxes = around(boundaries(judges.scales), largest);
    for (std::uint64_t i = 0; i < std::uint64_t{4} * options.samples_per_step; ++i)
        amaxes.push_back(SplitMix64::at(options.seed, i) % (largest + 1));
    sort_unique(amaxes);
    return is_small(options.level) ? thinned(amaxes, few_tile_amaxes) : amaxes;
}

std::vector<Code> tile_values(const QuantizeJudges& judges, Code amax, const CertifyOptions& options) {
    const PermitTable& scale = judges.scales.front().permitted;
    const PermitTable& elements = judges.elements.front().permitted;
    const Format& by = *judges.quantize.element.from;
    const Format& value = *judges.quantize.format.value;
    const Code of_amax = one_of(scale.steps[find_step(scale, amax)].permit, *scale.to);
    std::vector<Code> values;
    for (std::size_t at = find_step(elements, by.code_of(of_amax, 0));
         at < elements.steps.size() && by.scale_of(elements.steps[at].first) <= of_amax; ++at) {
        const Code first = by.value_of(elements.steps[at].first);
        for (const Code code : around({first & value.magnitude_mask()}, amax))
            values.insert(values.end(), {code, code | value.sign_bit()});
    }
    for (std::uint64_t i = 0; i < options.samples_per_step; ++i)
        values.push_back((SplitMix64::at(options.seed, amax + i) % (amax + 1)) | (i % 2 != 0 ? value.sign_bit() : 0));
    sort_unique(values);
    return values;
}

} // namespace mxcert
