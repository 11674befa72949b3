// SPDX-License-Identifier: Apache-2.0
#include "conformance/suites/scaled_matmul/part.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "conformance/print/text.hpp"
#include "conformance/suites/kept_answers.hpp"
#include "conformance/suites/matmul/draw_product.hpp"
#include "conformance/suites/matmul/faults.hpp"
#include "conformance/suites/matmul/product_text.hpp"
#include "conformance/suites/scaled_matmul/faults.hpp"

namespace mxcert::suites {
namespace {

constexpr std::size_t most_scaled_wrong = 8; // products that are kept to name what is wrong
constexpr std::size_t most_scaled_right = 6;
constexpr std::size_t largest_scaled_kept = 400; // elements

class ScaledPart final : public CasePart {
  public:
    ScaledPart(const SuiteRun& run, std::string_view part)
        : scaled_(as_scaled_matmul(run.operation)), form_(cases::form_of(run.operation)), options_(run.options),
          model_(scaled_), part_(part) {}

    void for_each_question(const std::function<bool(const Question&)>& ask) override {
        const auto take = [&](const ScaledCase& scaled_case) { return ask(question(scaled_case)); };
        bool goes_on = true;
        if (part_ == "places") {
            for_each_scaled_place_case(scaled_, [&](const ScaledCase& one) { return goes_on = take(one); });
            if (goes_on) for_each_scaled_large_case(scaled_, options_.level, take);
            return;
        }
        if (part_ == "special") {
            for_each_scaled_special_case(scaled_, [&](const ScaledCase& one) { return goes_on = take(one); });
            if (goes_on) for_each_scaled_alike_case(scaled_, take);
            return;
        }
        for_each_scaled_value_case(scaled_, options_.samples_per_step / 16, options_.seed, take);
    }
    [[nodiscard]] Question given(const cases::GivenCase& given_case) override {
        return question(case_of(scaled_, given_case));
    }
    [[nodiscard]] cases::GivenCase draw(SplitMix64& random) override {
        return draw_product(random, form_, most_drawn(false));
    }
    [[nodiscard]] bool is_sample() const override { return part_ == "values"; }
    [[nodiscard]] std::string failed(const verdict::Row& row) const override {
        return fmt::format("{} of D, or its amax, {} not permitted", print::counted(row.differing, "value"),
                           row.differing == 1 ? "is" : "are");
    }
    [[nodiscard]] std::vector<KnownFault> known_as(std::size_t /*judge*/) override {
        std::vector<KnownFault> known;
        if (!kept_.has_wrong()) return known;
        for (const ScaledFault& fault : scaled_faults()) {
            ScaledWay way;
            fault.plant(way);
            const auto explains = [&](const Seen& seen) {
                return model_.is(model_.answer(*seen.asked, seen.sums, way), *seen.asked, seen.outputs);
            };
            if (std::all_of(kept_.all().begin(), kept_.all().end(), explains))
                known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        }
        for (const MatmulFault& fault : matmul_faults())
            if (explains(fault)) known.push_back({find_bug_class(fault.bug_class), std::string(fault.name)});
        return known;
    }
    [[nodiscard]] std::string left_out(const std::vector<std::string>& refused) const override {
        return left_out_products(refused, unjudged_, "amaxes beside a NaN not judged");
    }

  private:
    struct Seen {
        std::shared_ptr<const ScaledCase> asked;
        std::vector<Code> sums;
        std::vector<frames::Values> outputs;
    };
    /// What a case must give, once that is known: an answer is judged more than once.
    struct Judged {
        std::shared_ptr<const ScaledCase> asked;
        std::vector<Code> sums{};
        ScaledAnswer answer{};
    };

    /// Whether the sums of a wrong product, with the right epilogue, give all that was kept.
    [[nodiscard]] bool explains(const MatmulFault& fault) const {
        const std::optional<Matmul> read = fault.read(scaled_.matmul);
        if (!read) return false;
        ScaledMatmul scaled = scaled_;
        scaled.matmul = *read;
        const ScaledModel model(scaled);
        return std::all_of(kept_.all().begin(), kept_.all().end(), [&](const Seen& seen) {
            const MatmulCase product = product_of(*seen.asked);
            const ScaledCase faulty =
                with_product(*seen.asked, fault.edited(scaled_.matmul, product).value_or(product));
            return model_.is(model.answer(faulty, model.sums(faulty)), *seen.asked, seen.outputs);
        });
    }

    [[nodiscard]] Question question(const ScaledCase& scaled_case) {
        auto judged = std::make_shared<Judged>();
        judged->asked = std::make_shared<const ScaledCase>(scaled_case);
        Question question;
        question.name = scaled_case.name;
        question.may_refuse = may_refuse(scaled_.matmul, product_of(scaled_case));
        if (question.may_refuse)
            question.filled = [this, judged] { return this->question(filled(scaled_, *judged->asked)); };
        question.runs = [this, judged] { return std::vector<frames::RunCase>{run_of(scaled_, *judged->asked)}; };
        question.judge = [this, judged](std::size_t /*all*/, const std::vector<frames::Values>& outputs) {
            if (judged->sums.empty()) {
                judged->sums = model_.sums(*judged->asked);
                judged->answer = model_.answer(*judged->asked, judged->sums);
            }
            Findings findings;
            findings.compared = judged->answer.d.size() + (scaled_.has_amax && !judged->answer.any_amax ? 1 : 0);
            static_cast<void>(model_.is(judged->answer, *judged->asked, outputs, &findings.wrong));
            findings.differing = findings.wrong.size();
            return findings;
        };
        question.spoil = [this, judged](std::vector<frames::Values>& outputs) {
            const Format& output = *scaled_.output;
            const Code code = outputs[0].get(0);
            outputs[0].set(0, output.is_nan(code) ? 0 : output.magnitude_mask());
        };
        question.keep = [this, judged](std::size_t /*all*/, const std::vector<frames::Values>& outputs,
                                       const Findings& findings) {
            const bool right = findings.wrong.empty();
            unjudged_ += scaled_.has_amax && judged->answer.any_amax ? 1 : 0;
            if (judged->sums.size() <= largest_scaled_kept && kept_.takes(right))
                kept_.add(right, {judged->asked, judged->sums, outputs});
        };
        return question;
    }

    ScaledMatmul scaled_;
    cases::CaseForm form_;
    const verdict::CertifyOptions& options_;
    ScaledModel model_;
    std::string part_;
    std::uint64_t unjudged_ = 0;
    KeptAnswers<Seen> kept_{most_scaled_wrong, most_scaled_right};
};

} // namespace

std::unique_ptr<CasePart> scaled_matmul_part(const SuiteRun& run, std::string_view part) {
    return std::make_unique<ScaledPart>(run, part);
}

} // namespace mxcert::suites
