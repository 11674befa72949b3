// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/quantize_2d/tiles.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/blocks/ask.hpp"
#include "conformance/suites/draw_matrix.hpp"
#include "conformance/suites/kept_answers.hpp"
#include "conformance/suites/quantize_2d/faults.hpp"
#include "conformance/suites/quantize_2d/judge.hpp"
#include "conformance/suites/ring_question.hpp"
#include "reference/base/random.hpp"
#include "vectors/tables/tabulate.hpp"

namespace mxcert::suites {
namespace {

constexpr std::uint64_t largest_kept = 1U << 19U; // values of a case that is kept to name what is wrong
constexpr std::size_t most_wrong = 6;             // of these
constexpr std::size_t most_right = 4;

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

class Tiles final : public CasePart {
  public:
    Tiles(const SuiteRun& run, std::string_view part)
        : quantize_(as_quantize_2d(run.operation)), options_(run.options), part_(part),
          judges_(quantize_.quantize, run.profiles, run.golden), inputs_(run.operation, run.golden, run.options) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const TileCase& tile_case) { return ask(question(tile_case)); };
        if (part_ == "scale") return ask_scales(take);
        if (part_ == "elements")
            return for_each_value_case(
                quantize_, inputs_.largest_of_scales(), [&](Code amax) { return inputs_.values_under(amax); }, take);
        bool goes_on = true;
        for_each_tile_case(quantize_, [&](const TileCase& tile_case) { return goes_on = take(tile_case); });
        if (is_small(options_.level)) return;
        for (const TileCase& tile_case : tile_rings(quantize_))
            if (goes_on) goes_on = take(tile_case);
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        return question(case_of(quantize_, given_case));
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        const BlockValues values{quantize_.quantize.format.value, inputs_.amaxes(),
                                 [this](Code amax) { return inputs_.values_under(amax); }};
        const Extent extent = draw_extent(random, quantize_.tile);
        return {{extent.rows, extent.columns}, {draw_blocks(random, {extent, quantize_.tile}, values)}};
    }
    [[nodiscard]] bool is_sample() const override { return part_ != "blocks"; }
    [[nodiscard]] bool by_profile() const override { return true; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override {
        return fmt::format("{} with values that are not permitted", print::counted(row.differing, "tile"));
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t judge) override {
        return suites::known_as(quantize_, judges_.rules(judge), kept_.all());
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        std::vector<std::vector<SizeQuestion>> all;
        if (part_ != "blocks") return all;
        for (const TileCase& ring : tile_rings(quantize_))
            all.push_back({ring_question(ring.matrix, run_of(quantize_, ring), options_.level,
                                         {{1, 1},
                                          {1, 1},
                                          shapes::rowwise(quantize_.tile.columns),
                                          {1, 1},
                                          shapes::columnwise(quantize_.tile.rows)})});
        return all;
    }

  private:
    [[nodiscard]] Question question(const TileCase& asked_tile_case) {
        auto tile_case = std::make_shared<const TileCase>(asked_tile_case);
        Question question;
        question.name = tile_case->name;
        question.may_refuse = tile_case->matrix.has_tail();
        question.tensor = tile_case->matrix.values;
        // Under a scale that is NaN any element is permitted.
        question.judged = {nullptr, quantize_.quantize.scale.to, nullptr, quantize_.quantize.scale.to};
        question.runs = [this, tile_case] { return std::vector<frames::RunCase>{run_of(quantize_, *tile_case)}; };
        question.judge = [this, tile_case](std::size_t judge, const std::vector<frames::Values>& outputs) {
            Findings findings{2 * tile_case->values.size(), 0,
                              suites::judge(quantize_, judges_.rules(judge), *tile_case, outputs)};
            findings.differing = findings.wrong.size();
            return findings;
        };
        question.keep = [this, tile_case, is_kept = false](std::size_t /*judge*/,
                                                           const std::vector<frames::Values>& outputs,
                                                           const Findings& findings) mutable {
            const bool right = findings.wrong.empty();
            if (is_kept || tile_case->values.size() > largest_kept || !kept_.takes(right)) return;
            kept_.add(right, {*tile_case, outputs});
            is_kept = true;
        };
        return question;
    }

    void ask_scales(const std::function<bool(const TileCase&)>& take) const {
        bool goes_on = true;
        const auto take_one = [&](const TileCase& tile_case) { return goes_on = take(tile_case); };
        for_each_amax_case(quantize_, inputs_.amaxes(), take_one);
        // Behind the others: these have the same numbers at every level.
        if (!goes_on || options_.level < Level::standard || !is_narrow(quantize_.quantize)) return;
        std::vector<Code> all;
        for (Code code = 0; code <= quantize_.quantize.format.value->max_code(); ++code) all.push_back(code);
        for_each_amax_case(quantize_, all, take_one);
    }

    Quantize2d quantize_;
    const verdict::CertifyOptions& options_;
    std::string part_;
    QuantizeJudges judges_;
    TileInputs inputs_;
    KeptAnswers<TileSeen> kept_{most_wrong, most_right};
};

} // namespace

std::unique_ptr<CasePart> tile_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<Tiles>(run, part);
}

TileInputs::TileInputs(const Operation& operation, verdict::GoldenSource& golden,
                       const verdict::CertifyOptions& options)
    : quantize_(as_quantize_2d(operation).quantize), askers_(judging(operation)), golden_(golden),
      samples_(options.samples_per_step), seed_(options.seed),
      scale_(tabulate(*quantize_.scale.from, *quantize_.scale.to, choices_of(quantize_.scale))) {
    const std::vector<Code> firsts = verdict::all_boundaries(quantize_.scale, askers_, golden);
    const Code largest = quantize_.format.value->max_code();
    amaxes_ = around(firsts, largest);
    for (std::uint64_t i = 0; i < std::uint64_t{4} * samples_; ++i)
        amaxes_.push_back(SplitMix64::at(seed_, i) % (largest + 1));
    sort_unique(amaxes_);
    for (const Code first : firsts)
        if (first != 0 && first <= largest) largest_.push_back(first - 1);
    largest_.push_back(largest);
    sort_unique(largest_);
}

std::vector<Code> TileInputs::values_under(Code amax) {
    if (pairs_.empty()) pairs_ = verdict::all_boundaries(quantize_.element, askers_, golden_);
    const Format& scaled = *quantize_.element.from;
    const Format& value = *quantize_.format.value;
    const Code scale = scale_.steps[find_step(scale_, amax)].code;
    std::vector<Code> values;
    for (auto at = std::lower_bound(pairs_.begin(), pairs_.end(), scaled.code_of(scale, 0));
         at != pairs_.end() && scaled.scale_of(*at) == scale; ++at)
        for (const Code code : around({scaled.value_of(*at) & value.magnitude_mask()}, amax))
            values.insert(values.end(), {code, code | value.sign_bit()});
    for (std::uint64_t i = 0; i < samples_; ++i)
        values.push_back((SplitMix64::at(seed_, amax + i) % (amax + 1)) | (i % 2 != 0 ? value.sign_bit() : 0));
    sort_unique(values);
    return values;
}

} // namespace mxcert::suites
