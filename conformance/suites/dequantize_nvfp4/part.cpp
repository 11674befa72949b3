// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/dequantize_nvfp4/part.hpp"

#include <utility>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/dequantize_nvfp4/expected.hpp"
#include "conformance/suites/dequantize_nvfp4/way.hpp"
#include "conformance/suites/draw_matrix.hpp"
#include "conformance/suites/kept_answers.hpp"
#include "conformance/suites/ring_question.hpp"
#include "reference/code_text.hpp"
#include "vectors/tables/permit.hpp"

namespace mxcert::suites {
namespace {

using formats::e2m1;
using formats::fp32;

constexpr std::uint64_t largest_kept = 1U << 17U; // values of a case that is kept to name what is wrong
constexpr std::size_t most_wrong_kept = 6;
constexpr std::size_t most_right_kept = 4;

class Nvfp4BackPart final : public CasePart {
  public:
    Nvfp4BackPart(const SuiteRun& run, std::string_view part)
        : dequantize_(as_dequantize_nvfp4(run.operation)), options_(run.options), part_(part), expected_(dequantize_) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const Nvfp4BackCase& back_case) { return ask(question(back_case)); };
        if (part_ == "values") {
            for (const Code number : numbers_of_tensors(dequantize_, options_.level, options_.seed))
                if (!take(values_case(dequantize_, number))) return;
            return;
        }
        if (!for_each_place_case(dequantize_, take) || is_small(options_.level)) return;
        for (const Nvfp4BackCase& ring : back_rings(dequantize_))
            if (!take(ring)) return;
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        return question(case_of(dequantize_, given_case));
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        const FloatMatrix matrix{draw_extent(random, dequantize_.block), dequantize_.block};
        cases::GivenCase given_case{{matrix.values.rows, matrix.values.columns}, {}};
        given_case.tensors.push_back(draw_elements(random, count(matrix.values, "values"), e2m1));
        given_case.tensors.push_back(draw_scales(random, matrix.blocks(), *dequantize_.recipe->choices.scale, {}));
        if (dequantize_.has_number()) given_case.tensors.push_back({random.below(fp32.inf_code())});
        return given_case;
    }
    [[nodiscard]] bool is_sample() const override { return part_ == "values" && dequantize_.has_number(); }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override {
        return fmt::format("{} with values that are not expected", print::counted(row.differing, "block"));
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        return suites::known_as(dequantize_, kept_.all());
    }
    [[nodiscard]] std::vector<std::vector<SizeQuestion>> sizes() const override {
        std::vector<std::vector<SizeQuestion>> all;
        if (part_ != "blocks") return all;
        std::vector<BlockShape> arrays{{1, 1}, dequantize_.block};
        if (dequantize_.has_number()) arrays.push_back({BlockShape::whole, BlockShape::whole});
        arrays.push_back({1, 1});
        for (const Nvfp4BackCase& ring : back_rings(dequantize_))
            all.push_back({ring_question(ring.matrix, run_of(dequantize_, ring), options_.level, arrays)});
        return all;
    }

  private:
    [[nodiscard]] Question question(const Nvfp4BackCase& asked_case) {
        auto back_case = std::make_shared<const Nvfp4BackCase>(asked_case);
        Question question;
        question.name = back_case->name;
        question.may_refuse = back_case->matrix.has_tail();
        const Code last = expected_.of(back_case->number, back_case->scales.back(), back_case->elements.back());
        // A NaN that is spoilt may be left one.
        question.judged = {dequantize_.target->is_nan(last) ? nullptr : dequantize_.target};
        question.runs = [this, back_case] { return std::vector<frames::RunCase>{run_of(dequantize_, *back_case)}; };
        question.judge = [this, back_case](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            return judge(*back_case, outputs);
        };
        question.keep = [this, back_case](std::size_t /*judge*/, const std::vector<frames::Values>& outputs,
                                          const Findings& findings) {
            const bool right = findings.wrong.empty();
            if (back_case->elements.size() <= largest_kept && kept_.takes(right))
                kept_.add(right, {*back_case, outputs});
        };
        return question;
    }

    [[nodiscard]] Findings judge(const Nvfp4BackCase& back_case, const std::vector<frames::Values>& outputs) {
        Findings findings;
        const Format& target = *dequantize_.target;
        for (std::uint64_t block = 0; block < back_case.matrix.blocks(); ++block) {
            const BlockRange range = back_case.matrix.block(block);
            const Code scale = back_case.scales[block];
            for (std::uint64_t lane = 0; lane < count(range.size, "values"); ++lane) {
                const std::uint64_t place = back_case.matrix.place(range, lane);
                const Code element = back_case.elements[place];
                const Code wanted = expected_.of(back_case.number, scale, element);
                const Code answer = outputs[0].get(place);
                if (same(target, answer, wanted)) continue;
                findings.add(fmt::format("{}, block {}: row {}, column {} of it ({} under the scale {}) is {}, not {}",
                                         back_case.name, block, lane / range.size.columns, lane % range.size.columns,
                                         code_text(e2m1, element), code_text(*dequantize_.recipe->choices.scale, scale),
                                         code_text(target, answer), code_text(target, wanted)));
                break;
            }
        }
        findings.compared = back_case.elements.size();
        return findings;
    }

    DequantizeNvfp4 dequantize_;
    const verdict::CertifyOptions& options_;
    std::string part_;
    Nvfp4Values expected_;
    KeptAnswers<Nvfp4BackSeen> kept_{most_wrong_kept, most_right_kept};
};

} // namespace

std::unique_ptr<CasePart> nvfp4_back_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<Nvfp4BackPart>(run, part);
}

} // namespace mxcert::suites
