// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/hadamard/part.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/draw_matrix.hpp"
#include "conformance/suites/hadamard/expected.hpp"
#include "conformance/suites/hadamard/way.hpp"
#include "conformance/suites/kept_answers.hpp"
#include "conformance/suites/ring_question.hpp"
#include "reference/code_text.hpp"

namespace mxcert::suites {
namespace {

using recipe::HadamardValue;

constexpr std::uint64_t largest_matrix_kept = 1U << 18U; // values of a case that is kept to name what is wrong
constexpr std::size_t most_matrices_wrong = 6;
constexpr std::size_t most_matrices_right = 4;

/// "0x3F80", "0x3F80 to 0x3F82", "0x7F80 or Inf or NaN".
std::string text_of(const Format& target, const HadamardValue& value) {
    std::vector<std::string> all;
    if (value.number)
        all.push_back(value.low == value.high
                          ? code_text(target, value.low)
                          : fmt::format("{} to {}", code_text(target, value.low), code_text(target, value.high)));
    if (value.plus_inf) all.emplace_back("Inf");
    if (value.minus_inf) all.emplace_back("-Inf");
    if (value.nan) all.emplace_back("NaN");
    return fmt::format("{}", fmt::join(all, " or "));
}

class HadamardPart final : public CasePart {
  public:
    HadamardPart(const SuiteRun& run, std::string_view part)
        : transform_(as_hadamard(run.operation)), options_(run.options), part_(part),
          expected_(transform_.transform, *transform_.source, *transform_.target) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const TileCase& tile_case) { return ask(question(tile_case)); };
        if (part_ == "values") {
            for_each_inexact_case(transform_, options_.level, options_.seed, take);
        } else if (part_ == "sums") {
            for_each_sum_case(transform_, options_.level, options_.seed, take);
        } else {
            if (!for_each_single_case(transform_, options_.level, options_.seed, take) ||
                !for_each_group_size_case(transform_, options_.level, take) || is_small(options_.level))
                return;
            for (const TileCase& ring : hadamard_rings(transform_))
                if (!take(ring)) return;
        }
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        return question(case_of(transform_, given_case));
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        constexpr std::uint64_t most_groups = 8;
        constexpr std::uint64_t most_lines = 40;
        const std::uint64_t along = recipe::hadamard_size * (1 + random.below(most_groups));
        const std::uint64_t across =
            random.below(3) != 0 ? recipe::hadamard_size * (1 + random.below(3)) : 1 + random.below(most_lines);
        const bool by_rows = transform_.group.rows == 1;
        TileCase tile_case{"", {}, {by_rows ? Extent{across, along} : Extent{along, across}, transform_.group}, {}};
        tile_case.values.resize(along * across);
        for (std::uint64_t group = 0; group < tile_case.matrix.blocks(); ++group) {
            const std::vector<Code> codes = random.below(2) != 0 ? draw_group(*transform_.source, random)
                                                                 : draw_exact_group(*transform_.source, random);
            const BlockRange range = tile_case.matrix.block(group);
            for (std::uint64_t lane = 0; lane < codes.size(); ++lane)
                tile_case.values[tile_case.matrix.place(range, lane)] = codes[lane];
        }
        if (random.below(8) == 0)
            tile_case.values[random.below(tile_case.values.size())] = random() & transform_.source->last_code();
        return {{tile_case.matrix.values.rows, tile_case.matrix.values.columns}, {std::move(tile_case.values)}};
    }
    [[nodiscard]] bool is_sample() const override { return part_ == "values"; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override {
        return fmt::format("{} with values that are not permitted", print::counted(row.differing, "group"));
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        return suites::known_as(transform_, kept_.all());
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        std::vector<std::vector<SizeQuestion>> all;
        if (part_ != "places") return all;
        for (const TileCase& ring : hadamard_rings(transform_))
            all.push_back({ring_question(ring.matrix, run_of(transform_, ring), options_.level, {{1, 1}, {1, 1}})});
        return all;
    }

  private:
    using Permitted = std::vector<std::vector<HadamardValue>>; ///< of each group

    [[nodiscard]] Question question(const TileCase& asked_tile_case) {
        auto tile_case = std::make_shared<const TileCase>(asked_tile_case);
        // Judged several times: answers that are right are spoilt, too.
        auto permitted = std::make_shared<Permitted>();
        for (std::uint64_t group = 0; group < tile_case->matrix.blocks(); ++group)
            permitted->push_back(expected_.of(tile_case->values_of(group)));
        Question question;
        question.name = tile_case->name;
        question.may_refuse = may_be_refused(*tile_case);
        question.judged = {nullptr};
        question.spoil = [this, tile_case, permitted](std::vector<frames::Values>& outputs) {
            spoil(*tile_case, *permitted, outputs);
        };
        question.runs = [this, tile_case] { return std::vector<frames::RunCase>{run_of(transform_, *tile_case)}; };
        question.judge = [this, tile_case, permitted](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            return judge(*tile_case, *permitted, outputs);
        };
        // A way has one order: it says nothing of sums that the order rounds.
        question.keep = [this, tile_case, permitted](std::size_t /*judge*/, const std::vector<frames::Values>& outputs,
                                                     const Findings& findings) {
            const bool right = findings.wrong.empty();
            if (part_ != "values" && tile_case->values.size() <= largest_matrix_kept && kept_.takes(right))
                kept_.add(right, {*tile_case, outputs});
        };
        return question;
    }

    [[nodiscard]] Findings judge(const TileCase& tile_case, const Permitted& permitted,
                                 const std::vector<frames::Values>& outputs) const {
        Findings findings;
        const Format& target = *transform_.target;
        for (std::uint64_t group = 0; group < permitted.size(); ++group) {
            const BlockRange range = tile_case.matrix.block(group);
            for (std::uint64_t lane = 0; lane < permitted[group].size(); ++lane) {
                const HadamardValue& wanted = permitted[group][lane];
                const Code answer = outputs[0].get(tile_case.matrix.place(range, lane));
                if (wanted.permits(target, answer)) continue;
                findings.add(fmt::format("{}, group {}: value {} of it is {}, not {}", tile_case.title(group), group,
                                         lane, code_text(target, answer), text_of(target, wanted)));
                break;
            }
        }
        findings.compared = tile_case.values.size();
        return findings;
    }

    /// Makes the last value one that is not permitted.
    void spoil(const TileCase& tile_case, const Permitted& permitted, std::vector<frames::Values>& outputs) const {
        const Format& target = *transform_.target;
        const BlockRange range = tile_case.matrix.block(permitted.size() - 1);
        const HadamardValue& wanted = permitted.back().back();
        const Code next = wanted.high == target.inf_code() ? wanted.high - 1 : wanted.high + 1;
        const Code others[] = {next,
                               target.inf_code() + 1,
                               0,
                               target.max_code(),
                               target.inf_code(),
                               target.max_code() | target.sign_bit()};
        const auto* const other = std::find_if_not(std::begin(others), std::end(others),
                                                   [&](Code code) { return wanted.permits(target, code); });
        if (other != std::end(others))
            outputs[0].set(tile_case.matrix.place(range, permitted.back().size() - 1), *other);
    }

    HadamardTransform transform_;
    const verdict::CertifyOptions& options_;
    std::string part_;
    HadamardExpected expected_;
    KeptAnswers<HadamardSeen> kept_{most_matrices_wrong, most_matrices_right};
};

} // namespace

std::unique_ptr<CasePart> hadamard_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<HadamardPart>(run, part);
}

} // namespace mxcert::suites
